#!/usr/bin/env bash
# Installs the Debian package on a virtual machine as an operator would, lets systemd start it, and then cuts the power of
# the machine again and again while clients publish. Nothing that was acknowledged may be missing afterwards.
#
#   tests/virtual_machine.sh                          with target/release/recto, 5 power cuts
#   tests/virtual_machine.sh --cuts 50 BINARY         another program
#   tests/virtual_machine.sh --forget-flushes         flushes do not reach the disk: this has to fail
#   tests/virtual_machine.sh --kvm                    the processor's own virtualization instead of emulation
#
# It needs a download of some 300 MB of Debian packages (kept in .tools), and five minutes: too much for ./test.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly root=.tools/virtual-machine-bookworm
readonly packages=systemd-sysv,udev,dbus,kmod,ca-certificates,curl,ffmpeg,adduser,initramfs-tools,linux-image-cloud-amd64,python3

main() {
  local options=() recto=''
  while (($#)); do
    case $1 in
      --cuts) options+=("$1" "${2:?the number of power cuts}") && shift 2 ;;
      --forget-flushes | --kvm) options+=("$1") && shift ;;
      -*) echo 'usage: tests/virtual_machine.sh [--cuts N] [--forget-flushes] [--kvm] [BINARY]' >&2 && exit 2 ;;
      *) recto=$1 && shift ;;
    esac
  done
  if [[ -z $recto ]]; then
    cargo build --release --locked --package recto
    recto=${CARGO_TARGET_DIR:-target}/release/recto
  fi
  install_system
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  local package
  package=$(COMPRESSION=none deploy/deb "$recto" "$work")
  make_disk "$package"
  python3 tests/virtual_machine/host.py "${options[@]}" "$work"
}

# Debian as debootstrap installs it, from the same place as the packages of this machine.
install_system() {
  [[ -e $root/complete ]] && return
  local missing=() mirror
  type -P debootstrap >/dev/null || missing+=(debootstrap)
  type -P qemu-system-x86_64 >/dev/null || missing+=(qemu-system-x86)
  type -P qemu-img >/dev/null || missing+=(qemu-utils)
  if ((${#missing[@]})); then
    sudo_or_root apt-get update -qq
    sudo_or_root apt-get install --yes -qq --no-install-recommends "${missing[@]}"
  fi
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Codename: bookworm' | head -n 1)
  sudo_or_root rm -rf "$root"
  mkdir -p "$root"
  sudo_or_root debootstrap --variant=minbase --include="$packages" bookworm "$root/system" "$mirror"
  touch "$root/complete"
}

sudo_or_root() {
  if ((EUID)); then sudo "$@"; else "$@"; fi
}

# A copy of the system with the package and the script of the guest.
make_disk() {
  local system=$root/system
  sudo_or_root install -D --mode 0644 "$1" "$system/root/recto.deb"
  sudo_or_root install -D --mode 0755 tests/virtual_machine/guest.py "$system/root/guest.py"
  printf '%s\n' '[Service]' 'ExecStart=/root/guest.py' 'StandardOutput=journal+console' 'StandardError=journal+console' \
    '[Install]' 'WantedBy=multi-user.target' |
    sudo_or_root tee "$system/etc/systemd/system/guest.service" >/dev/null
  sudo_or_root ln -sf /etc/systemd/system/guest.service "$system/etc/systemd/system/multi-user.target.wants/"
  sudo_or_root mkfs.ext4 -q -d "$system" "$work/system.img" 4G
  qemu-img convert -O qcow2 "$work/system.img" "$work/system.qcow2"
  rm -f "$work/system.img"
  cp "$system"/boot/vmlinuz-* "$work/kernel"
  cp "$system"/boot/initrd.img-* "$work/initrd"
}

main "$@"
