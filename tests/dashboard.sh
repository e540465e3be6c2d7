#!/usr/bin/env bash
# Uses the dashboard of a server in Chromium, as people do: with script and without, by keyboard, on a phone.
#
#   tests/dashboard.sh                      everything
#   tests/dashboard.sh --pictures DIR       the pictures of docs/dashboard.md instead
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly caller=$OLDPWD
. tests/server.sh
. tests/site_tools.sh

main() {
  if (($# > 0)) && [[ $# != 2 || $1 != --pictures ]]; then
    echo 'usage: tests/dashboard.sh [--pictures DIR]' >&2
    exit 2
  fi
  # Relative to the caller's working directory.
  [[ $# != 2 || $2 == /* ]] || set -- "$1" "$caller/$2"
  install_tools
  build_recto
  # It is killed and started again under the same address.
  work=$(mktemp -d)
  RECTO=$recto SITE_TOOLS=$tools WORK=$work node tests/dashboard/main.mjs "$@"
}

main "$@"
