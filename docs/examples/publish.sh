#!/usr/bin/env bash
# Publishes two pages and a picture with curl, waits for the build, and prints the URL of the first page.
#
#   RECTO_URL=http://127.0.0.1:8080 RECTO_TOKEN=rec_… ./publish.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

api=${RECTO_URL:?set it to the address of the API}/api/v1/public
token=${RECTO_TOKEN:?set it to an API token}

# Prints the body of the response. After an error it goes to standard error, and the script ends.
# The token is passed in a file, because other users can read the arguments of a process.
request() {
  local body
  body=$(curl --silent --show-error --fail-with-body --header @<(echo "Authorization: Bearer $token") "$@") || {
    echo "$body" >&2
    return 1
  }
  echo "$body"
}

# The last text value of a name in compact JSON.
field() {
  sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p"
}

# `file:bay.png` refers to the attached file of that name. Both pages and the file are stored together, or not at all.
published=$(request "$api/pages" --form files=@bay.png --form payload='{
  "build": true,
  "pages": [
    {"slug": "curl-bay", "title": "The bay", "content": "![The bay at dusk](file:bay.png)\n\nPublished with `curl`."},
    {"slug": "curl-notes", "title": "Notes", "content": "See [the bay](curl-bay.md).", "tags": ["example"]}
  ]
}')
site=$(field deployUrl <<<"$published")
if [[ -z $site ]]; then
  echo "The pages are stored, but no build was queued: $published" >&2
  exit 1
fi

until [[ ${status-} == success ]]; do
  sleep 1
  build=$(request "$api/builds/latest")
  status=$(field status <<<"$build")
  [[ $status != failed ]] || { echo "$build" >&2; exit 1; }
done
echo "$site/blog/curl-bay"
