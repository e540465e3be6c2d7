# Sourced: starts and stops a private S3 server, and sets its address in RECTO_TEST_S3. It is moto: rclone answers
# range requests with 200 instead of 206, which object_store rightly refuses. Moto does not check signatures.

. tests/certificates.sh

readonly MOTO=5.2.5
readonly moto_venv=.tools/moto-$MOTO
s3_work=''
s3_server=''
s3_tls_server=''

install_moto() {
  [[ -x $moto_venv/bin/moto_server ]] && return
  python3 -m venv "$moto_venv"
  "$moto_venv/bin/pip" install --quiet "moto[s3,server]==$MOTO"
}

# One server without TLS, and one with a certificate of its own authority (RECTO_TEST_S3_TLS, RECTO_TEST_S3_CA). The bucket is
# the one that the tests know (crates/blob/src/tests.rs).
start_s3() {
  install_moto
  s3_work=$(mktemp -d)
  start_s3_tls
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

start_s3_tls() {
  make_certificates "$s3_work"
  : >"$s3_work/tls-log"
  "$moto_venv/bin/moto_server" --host 127.0.0.1 --port 0 --ssl-cert "$s3_work/server.pem" \
    --ssl-key "$s3_work/server.key" >"$s3_work/tls-log" 2>&1 &
  s3_tls_server=$!
  for _ in {1..300}; do
    RECTO_TEST_S3_TLS=$(sed -n 's|.*Running on \(https://127\.0\.0\.1:[0-9]*\).*|\1|p' "$s3_work/tls-log")
    if [[ -n $RECTO_TEST_S3_TLS ]]; then
      export RECTO_TEST_S3_TLS RECTO_TEST_S3_CA=$s3_work/ca.pem
      curl --silent --show-error --fail --noproxy '*' --cacert "$RECTO_TEST_S3_CA" --output /dev/null \
        --request PUT "$RECTO_TEST_S3_TLS/recto"
      return
    fi
    sleep 0.1
  done
  cat "$s3_work/tls-log" >&2
  return 1
}

make_bucket() {
  python3 -c 'import sys, urllib.request as r; r.urlopen(r.Request(sys.argv[1], method="PUT"))' "$RECTO_TEST_S3/$1"
}

stop_s3() {
  [[ -n $s3_work ]] || return 0
  local server
  for server in $s3_server $s3_tls_server; do
    kill "$server" 2>/dev/null || true
    wait "$server" || true
  done
  rm -rf "$s3_work"
}
