#!/usr/bin/env bash
# Compiles a crate of the workspace, as cargo's RUSTC_WORKSPACE_WRAPPER. Clippy checks it in the same pass, and rustdoc
# checks its doc comments with the same libraries: `cargo clippy` and `cargo doc` would compile all libraries again.
set -euo pipefail

main() {
  read_arguments "$@"
  if has_unsafe_code; then
    # Clippy leaves out rustc's own checks of pointers, so it only checks.
    clippy-driver "$1" "${arguments[@]}" --emit=metadata --out-dir "$out/../../clippy" -D warnings
    "$@"
  else
    clippy-driver "$@" -D warnings
  fi
  if is_documented "$@"; then
    # Broken links and invalid code.
    rustdoc "${arguments[@]}" --out-dir "$out/../../doc" --document-private-items -D warnings
  fi
}

# Sets `arguments` to those of rustc, without what it writes and how it reports, and `out` to where it writes.
read_arguments() {
  arguments=()
  out=''
  shift
  while (($#)); do
    case $1 in
      --emit=* | --error-format=* | --json=* | --diagnostic-width=*) ;;
      --out-dir) out=$2 && shift ;;
      *) arguments+=("$1") ;;
    esac
    shift
  done
}

has_unsafe_code() {
  [[ -n ${CARGO_MANIFEST_DIR-} ]] && grep --recursive --quiet --include='*.rs' 'unsafe {' "$CARGO_MANIFEST_DIR"
}

# Libraries and programs, but not their tests.
is_documented() {
  [[ " $* " == *" --crate-type lib "* || -n ${CARGO_BIN_NAME-} && " $* " != *" --test "* ]]
}

main "$@"
