#!/usr/bin/env bash
# Publishes demo sites on a server and checks them: links, HTML, accessibility, machine-readable files.
#
#   tests/site.sh                      everything
#   tests/site.sh --screenshots DIR    screenshots of every type of page instead
#   tests/site.sh --pictures DIR       the pictures of docs/pictures instead
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly caller=$OLDPWD
. tests/server.sh
. tests/site_tools.sh

main() {
  install_tools
  [[ ${1-} != install ]] || return 0
  check_arguments "$@"
  # Relative to the caller's working directory.
  [[ $# != 2 || $2 == /* ]] || set -- "$1" "$caller/$2"
  build_recto
  start_server
  RECTO=$recto API=$api SITE_TOOLS=$tools WORK=$work node tests/site/main.mjs "$@"
}

check_arguments() {
  if (($# > 0)) && [[ $# != 2 || ! $1 =~ ^--(screenshots|pictures)$ ]]; then
    echo 'usage: tests/site.sh [--screenshots DIR | --pictures DIR]' >&2
    exit 2
  fi
}

main "$@"
