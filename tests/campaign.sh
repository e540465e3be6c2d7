#!/usr/bin/env bash
# What takes too long for ./test: an upgrade with a server of the previous release beside new nodes, which needs a second
# program, and the fleet under random faults for longer.
#
#   tests/campaign.sh            the previous release is the commit before the newest migration; ten minutes of faults
#   tests/campaign.sh COMMIT     another previous release
#   RECTO_TEST_CAMPAIGN_SECONDS=3600 tests/campaign.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly previous=${CARGO_TARGET_DIR:-$PWD/target}/previous

main() {
  local commit
  commit=$(git rev-parse --verify "${1-$(newest_migration)^}^{commit}")
  build_previous "$commit"
  export RECTO_TEST_PREVIOUS=$previous/debug/recto
  export RECTO_TEST_CAMPAIGN_SECONDS=${RECTO_TEST_CAMPAIGN_SECONDS-600}
  # One after the other, so that each has the machine to itself.
  RUST_TEST_THREADS=1 ./test --workspace --test cli -- --include-ignored --nocapture \
    nodes::upgrade:: nodes::cluster::a_fleet_under_faults
}

# The commit that added it.
newest_migration() {
  git log --max-count=1 --diff-filter=A --format=%H -- crates/store/migrations/postgres
}

# A debug build, in a directory of its own. Only what has changed since the last time is compiled.
build_previous() {
  local source=$previous/source
  if [[ $(cat "$source/commit" 2>/dev/null) != "$1" ]]; then
    rm -rf "$source"
    mkdir -p "$source"
    git archive "$1" | tar --extract --directory="$source"
    echo "$1" >"$source/commit"
  fi
  echo "== the previous release: $(git log --max-count=1 --format='%h %s' "$1")"
  (cd "$source" && CARGO_TARGET_DIR=$previous cargo build --locked --workspace)
}

main "$@"
