#!/usr/bin/env bash
# Compiles a crate of the workspace, as cargo's RUSTC_WORKSPACE_WRAPPER. Clippy checks it in the same pass, and rustdoc
# checks its doc comments with the same libraries: `cargo clippy` and `cargo doc` would compile all libraries again.
set -euo pipefail

main() {
  clippy-driver "$@" -D warnings
  if is_documented "$@"; then
    check_docs "${@:2}"
  fi
}

# Libraries and programs, but not their tests.
is_documented() {
  [[ " $* " == *" --crate-type lib "* || -n ${CARGO_BIN_NAME-} && " $* " != *" --test "* ]]
}

# Doc comments: broken links, invalid code. The arguments are those of rustc, without what only it can write.
check_docs() {
  local arguments=()
  while (($#)); do
    case $1 in
      --emit=* | --error-format=* | --json=* | --diagnostic-width=*) ;;
      --out-dir) arguments+=("$1" "$2/../../doc") && shift ;;
      *) arguments+=("$1") ;;
    esac
    shift
  done
  rustdoc "${arguments[@]}" --document-private-items -D warnings
}

main "$@"
