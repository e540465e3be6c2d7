#!/usr/bin/env bash
# Checks deploy/: the units by systemd's own checks, the package by installing it into an empty directory, the compose file
# by parsing it. Docker is not needed, and images are not built.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

. tests/s3.sh
readonly recto=${CARGO_TARGET_DIR:-$PWD/target}/debug/recto
# As systemd-analyze computes it: 0 is best, 10 is worst. An unhardened service has 9.6.
readonly MAX_EXPOSURE=1.5
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

main() {
  # As for the tests: with fewer features it would be compiled again.
  cargo test --quiet --workspace --no-run
  check_package
  check_units
  check_compose
  bash -n deploy/deb
}

# Unpacked and inspected: the scripts of the package would change this machine.
check_package() {
  local package
  package=$(COMPRESSION=none deploy/deb "$recto" "$work")
  mkdir "$work/root"
  dpkg-deb --extract "$package" "$work/root"
  dpkg-deb --control "$package" "$work/control"
  [[ $("$work/root/usr/bin/recto" --version) == "$("$recto" --version)" ]]
  local file
  for file in etc/recto/recto.toml usr/lib/systemd/system/recto{.service,.socket,-sites.socket} \
    usr/share/doc/recto/{copyright,changelog.gz,operating.md} usr/share/man/man1/recto.1.gz; do
    [[ -s $work/root/$file ]] || fail "the package has no $file"
  done
  (cd "$work/root" && md5sum --quiet --check "$work/control/md5sums")
  for file in postinst prerm postrm; do sh -n "$work/control/$file"; done
  grep -q '^Depends: .*libc6 (>= ' "$work/control/control" || fail 'the package does not depend on libc6'
  "$work/root/usr/bin/recto" doctor --config "$work/root/etc/recto/recto.toml" --data "$work/data" --json >/dev/null ||
    fail 'the configuration of the package is not accepted'
}

# With the binary at its place in the unpacked package, so that systemd finds it.
check_units() {
  local root=$work/root report
  ln -s usr/lib "$root/lib"
  report=$(systemd-analyze verify --root="$root" --man=no --recursive-errors=no recto.service recto.socket \
    recto-sites.socket 2>&1) || fail "$report"
  report=$(systemd-analyze security --offline=yes --threshold="${MAX_EXPOSURE/./}" --no-pager \
    "$root/usr/lib/systemd/system/recto.service") || fail "$report"
  tail -n 1 <<<"$report"
}

# PyYAML comes with moto.
check_compose() {
  install_moto
  "$moto_venv/bin/python" - <<'END'
import yaml

services = yaml.safe_load(open("deploy/compose.yaml"))["services"]
roles = {service["environment"]["RECTO_ROLES"] for service in services.values() if "build" in service}
assert roles == {"api", "sites", "worker"}, roles
for name, service in services.items():
    assert set(service.get("depends_on", {})) <= set(services), name
    assert "build" in service or "healthcheck" in service, name
END
}

fail() {
  echo "$1" >&2
  return 1
}

main
