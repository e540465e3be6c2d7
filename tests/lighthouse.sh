#!/usr/bin/env bash
# Measures one page of every type with Lighthouse, as a phone on a slow network. Not part of ./test: its scores contain
# timings, which depend on the machine.
#
#   tests/lighthouse.sh          every type of page, and the API reference
#   tests/lighthouse.sh post     the types with "post" in their names
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

. tests/server.sh
# Named after its content: another lockfile, another directory.
tools=$PWD/.tools/lighthouse-$(sha256sum tests/lighthouse/package-lock.json | cut -c 1-12)
readonly tools

main() {
  install_tools
  build_release
  start_server
  RECTO=$recto API=$api TOOLS=$tools node tests/lighthouse/main.mjs "$@"
}

# A debug build compresses slowly.
build_release() {
  cargo build --release
  recto=${CARGO_TARGET_DIR:-$PWD/target}/release/recto
}

install_tools() {
  [[ -d $tools ]] && return
  rm -rf "$tools.new"
  mkdir -p "$tools.new"
  cp tests/lighthouse/package.json tests/lighthouse/package-lock.json "$tools.new"
  (cd "$tools.new" && npm ci --ignore-scripts --no-audit --no-fund)
  mv "$tools.new" "$tools"
}

main "$@"
