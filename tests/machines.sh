#!/usr/bin/env bash
# Publishes a demo site on a server and reads it with the tools of others: clients of the Model Context Protocol and its
# conformance suite, a checker of documentation for agents, a feed parser, an extractor of structured data.
#
#   tests/machines.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

. tests/server.sh
# Named after their content: other versions, other directories.
venv=$PWD/.tools/machines-py-$(sha256sum tests/machines/requirements.txt | cut -c 1-12)
modules=$PWD/.tools/machines-js-$(sha256sum tests/machines/package-lock.json | cut -c 1-12)
readonly venv modules

# Those that need no tools of their own on the server. Origins are tested by the suite of recto-server.
readonly scenarios=(server-initialize ping tools-list)

main() {
  install_python_packages
  install_node_packages
  [[ ${1-} != install ]] || return 0
  build_recto
  start_server
  SITE=$(RECTO=$recto API=$api node tests/machines/publish.mjs)
  export SITE
  "$venv/bin/python" tests/machines/read.py
  export NODE_OPTIONS="--require $PWD/tests/machines/resolve.cjs"
  MACHINES_TOOLS=$modules node tests/machines/clients.mjs
  run_conformance
  run_afdocs
}

run_conformance() {
  local scenario
  for scenario in "${scenarios[@]}"; do
    if ! node "$modules/node_modules/.bin/conformance" server --url "$SITE/mcp" --scenario "$scenario" \
      --output-dir "$work/conformance" >"$work/out" 2>&1; then
      cat "$work/out" >&2
      return 1
    fi
  done
  echo "conformance: ${scenarios[*]}"
}

# It exits with 1 when a check fails; the score decides.
run_afdocs() {
  local status=0
  node "$modules/node_modules/.bin/afdocs" check "$SITE" --format json --score --sampling deterministic --quiet \
    --request-delay 0 >"$work/afdocs" || status=$?
  ((status <= 1)) && node tests/machines/score.mjs <"$work/afdocs"
}

install_python_packages() {
  [[ -d $venv ]] && return
  rm -rf "$venv.new"
  python3 -m venv "$venv.new"
  "$venv.new/bin/python" -m pip install --quiet --disable-pip-version-check -r tests/machines/requirements.txt
  mv "$venv.new" "$venv"
}

install_node_packages() {
  [[ -d $modules ]] && return
  rm -rf "$modules.new"
  mkdir -p "$modules.new"
  cp tests/machines/package.json tests/machines/package-lock.json "$modules.new"
  (cd "$modules.new" && npm ci --ignore-scripts --no-audit --no-fund)
  mv "$modules.new" "$modules"
}

main "$@"
