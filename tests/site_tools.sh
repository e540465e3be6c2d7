# Sourced: the browser tools of tests/site and tests/dashboard. `$tools` is the directory in which they are.

# Named after its content: another lockfile, another directory.
tools=$PWD/.tools/site-$(sha256sum tests/site/package-lock.json | cut -c 1-12)
readonly tools

# Packages run no install scripts: one of them would download its own Java.
install_tools() {
  [[ -d $tools ]] && return
  rm -rf "$tools.new"
  mkdir -p "$tools.new"
  cp tests/site/package.json tests/site/package-lock.json "$tools.new"
  (cd "$tools.new" && npm ci --ignore-scripts --no-audit --no-fund)
  mv "$tools.new" "$tools"
}
