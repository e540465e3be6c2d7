#!/usr/bin/env bash
# Tests a server against its own /openapi.json: every response must conform to it, and clients generated from it must
# work.
#
#   tests/contract.sh                              everything
#   tests/contract.sh clients                      only the clients
#   tests/contract.sh --include-name 'GET /pages'  Schemathesis with these arguments
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

. tests/server.sh
# Named after their content: other versions, other directories.
venv=$PWD/.tools/contract-py-$(sha256sum tests/contract/requirements.txt | cut -c 1-12)
modules=$PWD/.tools/contract-js-$(sha256sum tests/contract/package-lock.json | cut -c 1-12)
readonly venv modules

main() {
  install_python_packages
  install_node_packages
  [[ ${1-} != install ]] || return 0
  build_recto
  # Without rate limits, cooldown and quota.
  export RECTO_PLANS_PRO_BUILDS_PER_MONTH=1000000
  start_server
  BASE=$api
  CONTRACT_TOKEN=$(create_account Contract)
  export BASE CONTRACT_TOKEN
  case ${1-} in
    '')
      run_clients
      run_schemathesis
      ;;
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

# It formats the generated code with its own ruff. It knows no bodies of Markdown, and may warn of nothing else.
run_generated_python() {
  PATH=$venv/bin:$PATH "$venv/bin/openapi-python-client" generate --url "$BASE/openapi.json" --output-path "$work/recto_client" \
    --meta none >"$work/python.log" 2>&1 || { cat "$work/python.log" >&2; return 1; }
  if [[ $(grep --count '^WARNING' "$work/python.log") != 1 ]] || ! grep --quiet 'Unsupported content type text/markdown' "$work/python.log"; then
    cat "$work/python.log" >&2
    return 1
  fi
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

# In a temporary directory: it writes files into its working directory.
run_schemathesis() {
  local root=$PWD
  (cd "$work" && "$venv/bin/schemathesis" --config-file "$root/tests/schemathesis.toml" run "$BASE/openapi.json" "$@")
}

install_python_packages() {
  [[ -x $venv/bin/schemathesis ]] && return
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --requirement tests/contract/requirements.txt
}

# Packages run no install scripts.
install_node_packages() {
  [[ -d $modules ]] && return
  rm -rf "$modules.new"
  mkdir -p "$modules.new"
  cp tests/contract/package.json tests/contract/package-lock.json "$modules.new"
  (cd "$modules.new" && npm ci --ignore-scripts --no-audit --no-fund)
  mv "$modules.new" "$modules"
}

main "$@"
