#!/usr/bin/env bash
# The step of action.yml: runs `recto push`, and writes its report. Inputs are variables, never parts of a command line.
set -euo pipefail

here=$(dirname "${BASH_SOURCE[0]}")

main() {
  local arguments=(push "$CONTENT_DIR" --json --yes) status=0 result
  [[ -z $CONTENT_TYPE ]] || arguments+=(--type "$CONTENT_TYPE")
  [[ -z $SITE ]] || arguments+=(--site "$SITE")
  [[ $PRUNE != true ]] || arguments+=(--prune)
  if [[ $DRY_RUN == true || ${GITHUB_EVENT_NAME-} == pull_request ]]; then arguments+=(--dry-run); fi
  find_recto
  result=$("$RECTO" "${arguments[@]}") || status=$?
  # 2: a dry run that found changes.
  if ((status != 0 && status != 2)); then
    python3 "$here/report.py" --error <<<"$result"
    exit 1
  fi
  python3 "$here/report.py" <<<"$result"
}

find_recto() {
  [[ -z $RECTO ]] || return 0
  RECTO=$(type -P recto) && return
  echo 'recto is not installed: compiling it'
  cargo build --release --manifest-path "$here/../Cargo.toml"
  RECTO=$here/../target/release/recto
}

main
