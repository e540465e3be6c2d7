# Sourced: starts and stops a private S3 server, and says where it is in RECTO_TEST_S3. It is moto's: rclone's answers a
# range with 200 instead of 206, which object_store rightly refuses. Moto does not check signatures.

readonly MOTO=5.2.5
readonly moto_venv=.tools/moto-$MOTO
s3_work=''
s3_server=''

install_moto() {
  [[ -x $moto_venv/bin/moto_server ]] && return
  python3 -m venv "$moto_venv"
  "$moto_venv/bin/pip" install --quiet "moto[s3,server]==$MOTO"
}

# The bucket is the one that the tests know (crates/blob/src/tests.rs).
start_s3() {
  install_moto
  s3_work=$(mktemp -d)
  : >"$s3_work/log"
  "$moto_venv/bin/moto_server" --host 127.0.0.1 --port 0 >"$s3_work/log" 2>&1 &
  s3_server=$!
  for _ in {1..300}; do
    RECTO_TEST_S3=$(sed -n 's|.*Running on \(http://127\.0\.0\.1:[0-9]*\).*|\1|p' "$s3_work/log")
    if [[ -n $RECTO_TEST_S3 ]]; then
      export RECTO_TEST_S3
      make_bucket recto
      return
    fi
    sleep 0.1
  done
  cat "$s3_work/log" >&2
  return 1
}

make_bucket() {
  python3 -c 'import sys, urllib.request as r; r.urlopen(r.Request(sys.argv[1], method="PUT"))' "$RECTO_TEST_S3/$1"
}

stop_s3() {
  [[ -n $s3_work ]] || return 0
  if [[ -n $s3_server ]]; then
    kill "$s3_server" 2>/dev/null || true
    wait "$s3_server" || true
  fi
  rm -rf "$s3_work"
}
