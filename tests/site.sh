#!/usr/bin/env bash
# Publishes demo sites on a server of its own and looks at what readers get: links, HTML, accessibility, machine files.
#
#   tests/site.sh                      everything
#   tests/site.sh --screenshots DIR    pictures of every type of page instead, for people
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly caller=$OLDPWD
readonly recto=${CARGO_TARGET_DIR:-$PWD/target}/debug/recto
# Named after what is in it: another lockfile, another directory.
tools=$PWD/.tools/site-$(sha256sum tests/site/package-lock.json | cut -c 1-12)
readonly tools
work=''
server=''
api=''

main() {
  check_arguments "$@"
  # A directory is named from where the caller stands.
  [[ $# != 2 || $2 == /* ]] || set -- "$1" "$caller/$2"
  install_tools
  # The whole workspace, as the tests were built: alone it would be compiled once more, with fewer features.
  cargo build --workspace
  start_server
  RECTO=$recto API=$api SITE_TOOLS=$tools WORK=$work node tests/site/main.mjs "$@"
}

check_arguments() {
  if (($# > 0)) && [[ $# != 2 || $1 != --screenshots ]]; then
    echo 'usage: tests/site.sh [--screenshots DIR]' >&2
    exit 2
  fi
}

# No package runs anything while it is installed: one of these would download a Java of its own.
install_tools() {
  [[ -d $tools ]] && return
  rm -rf "$tools.new"
  mkdir -p "$tools.new"
  cp tests/site/package.json tests/site/package-lock.json "$tools.new"
  (cd "$tools.new" && npm ci --ignore-scripts --no-audit --no-fund)
  mv "$tools.new" "$tools"
}

# The addresses of sites stand in their pages, so their port has to be known before the server starts. Should somebody
# take it in between, another one is tried.
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

# Says where the API is. Fails when the server ends, or says nothing for half a minute.
wait_for_address() {
  for _ in {1..300}; do
    api=$(sed -n 's|^Recto listens on \(http://[^ ]*\).*|\1|p' "$work/out")
    [[ -n $api ]] && return
    kill -0 "$server" 2>/dev/null || return 1
    sleep 0.1
  done
  return 1
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
    echo '== what the server logged:' >&2
    tail -n 50 "$work/log" >&2
  fi
  [[ -z $work ]] || rm -rf "$work"
  exit "$status"
}

trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
main "$@"
