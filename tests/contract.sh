#!/usr/bin/env bash
# Holds a server of its own against its own description: what /openapi.json says, every answer has to keep, and clients
# that are made of it work.
#
#   tests/contract.sh                              everything
#   tests/contract.sh clients                      only the clients
#   tests/contract.sh --include-name 'GET /pages'  Schemathesis with these arguments
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly recto=${CARGO_TARGET_DIR:-target}/debug/recto
# Named after what is in them: other versions, other directories.
venv=$PWD/.tools/contract-py-$(sha256sum tests/contract/requirements.txt | cut -c 1-12)
modules=$PWD/.tools/contract-js-$(sha256sum tests/contract/package-lock.json | cut -c 1-12)
readonly venv modules
work=''
server=''

main() {
  install_python_packages
  install_node_packages
  # The whole workspace, as the tests were built: alone it would be compiled once more, with fewer features.
  cargo build --workspace
  start_server
  case ${1-} in
    '') run_clients && run_schemathesis ;;
    clients) run_clients ;;
    *) run_schemathesis "$@" ;;
  esac
}

run_clients() {
  node tests/contract/patterns.mjs
  run_generated_python
  run_generated_typescript
  "$venv/bin/python" tests/contract/clients.py
}

# It formats what it makes with the ruff that it came with.
run_generated_python() {
  PATH=$venv/bin:$PATH "$venv/bin/openapi-python-client" generate --url "$BASE/openapi.json" --output-path "$work/recto_client" \
    --meta none --fail-on-warning
  PYTHONPATH=$work "$venv/bin/python" tests/contract/generated.py
  echo '== the generated Python client works'
}

run_generated_typescript() {
  local program=$work/typescript
  mkdir "$program"
  ln -s "$modules/node_modules" "$program/node_modules"
  cp tests/contract/package.json tests/contract/generated.ts "$program"
  "$modules/node_modules/.bin/openapi-typescript" "$BASE/openapi.json" --output "$program/api.ts"
  "$modules/node_modules/.bin/tsc" --strict --noUncheckedIndexedAccess --target es2022 --module nodenext \
    --lib es2022,dom "$program/generated.ts"
  node "$program/generated.js"
  echo '== the generated TypeScript client works'
}

# In a directory that goes away: it keeps notes where it is run.
run_schemathesis() {
  local root=$PWD
  (cd "$work" && "$venv/bin/schemathesis" --config-file "$root/tests/schemathesis.toml" run "$BASE/openapi.json" "$@")
}

install_python_packages() {
  [[ -x $venv/bin/schemathesis ]] && return
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --requirement tests/contract/requirements.txt
}

# No package runs anything while it is installed.
install_node_packages() {
  [[ -d $modules ]] && return
  rm -rf "$modules.new"
  mkdir -p "$modules.new"
  cp tests/contract/package.json tests/contract/package-lock.json "$modules.new"
  (cd "$modules.new" && npm ci --ignore-scripts --no-audit --no-fund)
  mv "$modules.new" "$modules"
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
    BASE=$(sed -n 's|^Recto listens on \(http://[^ ]*\).*|\1|p' "$work/out")
    export BASE
    [[ -n $BASE ]] && return
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
