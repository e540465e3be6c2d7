#!/usr/bin/env bash
# Fuzzes a server of its own against its own description: what /openapi.json says, every answer has to keep.
#
#   tests/contract.sh                              everything
#   tests/contract.sh --include-name 'GET /pages'  Schemathesis with these arguments
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly SCHEMATHESIS=4.32.5
readonly venv=.tools/schemathesis-$SCHEMATHESIS
readonly recto=${CARGO_TARGET_DIR:-target}/debug/recto
work=''
server=''

main() {
  install_schemathesis
  # The whole workspace, as the tests were built: alone it would be compiled once more, with fewer features.
  cargo build --workspace
  start_server
  run_schemathesis "$@"
}

# In a directory that goes away: it keeps notes where it is run.
run_schemathesis() {
  local root=$PWD
  (cd "$work" && "$root/$venv/bin/schemathesis" --config-file "$root/tests/schemathesis.toml" run "$base/openapi.json" "$@")
}

install_schemathesis() {
  [[ -x $venv/bin/schemathesis ]] && return
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet "schemathesis==$SCHEMATHESIS"
}

# It refuses nothing for having been asked too often: neither windows, nor cooldown, nor quota.
start_server() {
  work=$(mktemp -d)
  export RECTO_DATA=$work/data RECTO_API_LISTEN=127.0.0.1:0 RECTO_SITES_LISTEN=127.0.0.1:0 RECTO_LOG_FILTER=warn
  export RECTO_BUILDS_COOLDOWN_SECONDS=0 RECTO_PLANS_PRO_BUILDS_PER_MONTH=1000000
  CONTRACT_TOKEN=$("$recto" account create Contract --json | sed 's/.*"token":"\([^"]*\)".*/\1/')
  export CONTRACT_TOKEN
  : >"$work/out"
  "$recto" serve --dev >"$work/out" 2>"$work/log" &
  server=$!
  for _ in {1..100}; do
    base=$(sed -n 's|^Recto listens on \(http://[^ ]*\).*|\1|p' "$work/out")
    [[ -n $base ]] && return
    sleep 0.1
  done
  cat "$work/log" >&2
  return 1
}

finish() {
  local status=$?
  if [[ -n $server ]]; then
    kill "$server" 2>/dev/null || true
    wait "$server" || true
  fi
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
