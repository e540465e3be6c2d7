# Sourced: starts and stops a private Redis with a password. Sets its address in RECTO_TEST_REDIS; with TLS in
# RECTO_TEST_REDIS_TLS, and its authority's certificate in RECTO_TEST_REDIS_CA.

. "$(dirname "${BASH_SOURCE[0]}")/loopback.sh"

readonly redis_password=a-test-password
redis_work=''
redis_server=''

start_redis() {
  redis_work=$(mktemp -d)
  make_certificates "$redis_work"
  local port tls_port
  # Another process may take a port before Redis does.
  for _ in {1..5}; do
    port=$(spare_port) tls_port=$(spare_port)
    if try_redis "$port" "$tls_port"; then
      export RECTO_TEST_REDIS="redis://:$redis_password@127.0.0.1:$port"
      export RECTO_TEST_REDIS_TLS="rediss://:$redis_password@127.0.0.1:$tls_port"
      export RECTO_TEST_REDIS_CA="$redis_work/ca.pem"
      return
    fi
  done
  cat "$redis_work/log" >&2
  return 1
}

# Nothing is written to disk, except for the log.
try_redis() {
  redis-server --bind 127.0.0.1 --port "$1" --tls-port "$2" --requirepass "$redis_password" \
    --tls-cert-file "$redis_work/server.pem" --tls-key-file "$redis_work/server.key" \
    --tls-ca-cert-file "$redis_work/ca.pem" --tls-auth-clients no \
    --save '' --appendonly no --dir "$redis_work" >"$redis_work/log" 2>&1 &
  redis_server=$!
  for _ in {1..300}; do
    kill -0 "$redis_server" 2>/dev/null || return 1
    if [[ $(REDISCLI_AUTH=$redis_password redis-cli -p "$1" PING 2>/dev/null) == PONG ]]; then return; fi
    sleep 0.1
  done
  return 1
}

stop_redis() {
  [[ -n $redis_work ]] || return 0
  kill "$redis_server" 2>/dev/null || true
  wait "$redis_server" || true
  rm -rf "$redis_work"
}
