#!/usr/bin/env bash
# Runs the clients of docs/examples against a server: each must publish its pages and its image, print a URL that works,
# and show the server's message when it refuses a request.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

. tests/server.sh

main() {
  local token example
  build_recto
  start_server
  token=$(create_account Examples)
  for example in docs/examples/publish.*; do
    check_success "$example" "$token"
    check_refusal "$example"
    echo "== $example works"
  done
}

check_success() {
  local example=$1 url page picture notes
  url=$(RECTO_URL=$api RECTO_TOKEN=$2 "$example")
  page=$(download "$url")
  picture=$(sed -n 's/.*<img[^>]* src="\([^"]*\.webp\)".*/\1/p' <<<"$page")
  [[ $picture == /media/* ]] || fail "$example: no picture on $url: $page"
  download "${url%/blog/*}$picture" >"$work/picture"
  notes=$(download "${url%-bay}-notes")
  [[ $notes == *"/blog/${url##*/}\""* ]] || fail "$example: the second page has no link to the first: $notes"
}

download() {
  curl --silent --show-error --fail "$1"
}

check_refusal() {
  local example=$1 said
  if said=$(RECTO_URL=$api RECTO_TOKEN=rec_wrong "$example" 2>&1); then
    fail "$example succeeds with a wrong token"
  fi
  [[ $said == *'"error":"invalid or revoked token"'* ]] || fail "$example does not show the error: $said"
}

fail() {
  echo "$1" >&2
  exit 1
}

main "$@"
