#!/usr/bin/env bash
# Draws docs/pictures/push.svg: the plan that `recto push --dry-run` prints for a changed folder.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

. tests/server.sh
readonly root=$PWD

main() {
  build_recto
  start_server
  RECTO_TOKEN=$(create_account Lanternfish)
  export RECTO_TOKEN RECTO_URL=$api XDG_CACHE_HOME=$work/cache
  cp -r examples/site "$work/my-site"
  cd "$work"
  page guides/first-steps 'First steps'
  "$recto" push my-site --yes >/dev/null
  change
  local code=0
  CLICOLOR_FORCE=1 "$recto" push my-site --prune --dry-run >plan 2>/dev/null || code=$?
  # It found changes.
  ((code == 2))
  cd "$root"
  python3 docs/pictures/terminal.py 'recto push my-site --prune --dry-run' <"$work/plan" >docs/pictures/push.svg
}

# A page of the docs.
page() {
  mkdir -p "$(dirname "my-site/docs/$1")"
  printf '# %s\n\nThe keeper writes the log before the lamp is lit.\n' "$2" >"my-site/docs/$1.md"
}

change() {
  page guides/lamp 'The lamp'
  page guides/fog 'Fog'
  mv my-site/docs/guides/first-steps.md my-site/docs/guides/start.md
  printf '\nSee [the tower](/docs/tower) and ![the lamp](lamp.png).\n' >>my-site/docs/guides/lamp.md
  cp "$root/crates/cli/tests/cli/commands/push/dot.png" my-site/docs/guides/lamp.png
  printf '[settings]\ntitle = "Lanternfish"\naccent = "#0a7d6c"\n' >my-site/recto.toml
}

main
