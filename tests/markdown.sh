#!/usr/bin/env bash
# Renders the READMEs of some hundred npm packages with Recto and with cmark-gfm, GitHub's own renderer, and compares the
# results. Only differences explained in tests/markdown/allowed.mjs are allowed.
#
#   tests/markdown.sh          all of them
#   tests/markdown.sh FILE     prints both outlines of this text
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly caller=$OLDPWD
readonly render=${CARGO_TARGET_DIR:-$PWD/target}/debug/examples/render
# Named after its content: another lockfile, another directory.
tools=$PWD/.tools/markdown-$(sha256sum tests/markdown/package-lock.json | cut -c 1-12)
readonly tools
work=''

main() {
  install_texts
  [[ ${1-} != install ]] || return 0
  cargo build --workspace --example render
  work=$(mktemp -d)
  if (($#)); then
    cp "$(cd "$caller" && realpath "$1")" "$work/text.md"
  else
    cp "$tools"/texts/*.md "$work"
  fi
  "$render" "$work"/*.md
  for text in "$work"/*.md; do
    cmark-gfm --unsafe -e footnotes -e table -e strikethrough -e autolink -e tasklist "$text" >"$text.cmark.html"
  done
  MARKDOWN_TOOLS=$tools node tests/markdown/compare.mjs "$work" "$@"
}

# The packages are only read: no code of them runs, except for the HTML parser.
install_texts() {
  [[ -d $tools ]] && return
  rm -rf "$tools.new"
  mkdir -p "$tools.new/texts"
  cp tests/markdown/package.json tests/markdown/package-lock.json "$tools.new"
  (
    cd "$tools.new"
    npm ci --ignore-scripts --no-audit --no-fund --no-bin-links
    find node_modules -mindepth 2 -maxdepth 3 -iregex '.*/readme\.\(md\|markdown\)' | while read -r readme; do
      name=${readme#node_modules/}
      cp "$readme" "texts/$(dirname "$name" | tr / +).md"
    done
    find node_modules -mindepth 1 -maxdepth 1 ! -name parse5 ! -name entities -exec rm -rf {} +
  )
  mv "$tools.new" "$tools"
}

trap '[[ -z $work ]] || rm -rf "$work"' EXIT
main "$@"
