# Sourced: starts and stops a Recto server on an empty data directory. `$recto` is the program, `$work` a directory
# that is deleted at the end, `$api` the address of the API. Settings are exported variables.

recto=${CARGO_TARGET_DIR:-$PWD/target}/debug/recto
work=''
server=''
api=''

# With the tests of the whole workspace: alone it would be compiled again, with fewer features of some crates.
build_recto() {
  cargo test --quiet --workspace --no-run
}

# Pages contain the addresses of their sites, so the port has to be known before the server starts. If another process
# takes it meanwhile, another port is tried.
start_server() {
  work=$(mktemp -d)
  export RECTO_DATA=$work/data RECTO_API_LISTEN=127.0.0.1:0 RECTO_LOG_FILTER=warn RECTO_BUILDS_COOLDOWN_SECONDS=0
  local port
  for _ in 1 2 3; do
    port=$(spare_port)
    export RECTO_SITES_LISTEN=127.0.0.1:$port RECTO_SITES_URL="http://{site}.localhost:$port"
    : >"$work/out"
    "$recto" serve --dev >"$work/out" 2>"$work/log" &
    server=$!
    wait_for_address && return
    stop_server
  done
  return 1
}

spare_port() {
  node -e '
    const server = require("net").createServer().listen(0, "127.0.0.1", () => {
      console.log(server.address().port);
      server.close();
    });'
}

# Sets the address of the API. Fails when the server ends, or prints nothing for half a minute.
wait_for_address() {
  for _ in {1..300}; do
    api=$(sed -n 's|^Recto listens on \(http://[^ ]*\).*|\1|p' "$work/out")
    [[ -n $api ]] && return
    kill -0 "$server" 2>/dev/null || return 1
    sleep 0.1
  done
  return 1
}

# Creates an account and prints its token.
create_account() {
  "$recto" account create "$1" --json | sed 's/.*"token":"\([^"]*\)".*/\1/'
}

stop_server() {
  kill "$server" 2>/dev/null || true
  wait "$server" || true
  server=''
}

finish() {
  local status=$?
  [[ -z $server ]] || stop_server
  if ((status)) && [[ -s $work/log ]]; then
    echo '== log of the server:' >&2
    tail -n 50 "$work/log" >&2
  fi
  [[ -z $work ]] || rm -rf "$work"
  exit "$status"
}

trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
