"""The host of tests/virtual_machine.sh: starts the machine, cuts its power, and compares what clients were promised
with what is there afterwards.

Cutting the power kills the emulator. The disk is a qcow2 file, whose tables the emulator writes at a flush: what the
guest has not flushed is lost, as on a disk with a volatile cache.
"""

import argparse
import json
import pathlib
import random
import subprocess
import sys
import threading
import time

# A machine that reports nothing for so long hangs.
SILENCE = 180


class Machine:
    def __init__(self, options, stage):
        directory = options.directory
        mount = "rootflags=barrier=0" if options.forget_flushes and stage == "publish" else ""
        reports = directory / "reports"
        reports.write_text("")
        drive = f"file={directory}/disk.qcow2,format=qcow2,if=none,id=disk,cache=writeback"
        self.console = open(directory / f"console-{stage}", "ab")
        self.process = subprocess.Popen(
            ["qemu-system-x86_64", "-accel", "kvm" if options.kvm else "tcg,thread=multi", "-cpu", "max", "-smp", "2"]
            + ["-m", "2048", "-nic", "none"]
            + ["-display", "none", "-monitor", "none", "-serial", "stdio", "-no-reboot"]
            + ["-kernel", directory / "kernel", "-initrd", directory / "initrd"]
            + ["-append", f"root=/dev/vda rw console=ttyS0 quiet {mount} guest={stage}"]
            + ["-drive", drive, "-device", "virtio-blk-pci,drive=disk"]
            + ["-device", "virtio-serial-pci", "-chardev", f"file,id=reports,path={reports}"]
            + ["-device", "virtserialport,chardev=reports,name=reports"],
            stdin=subprocess.DEVNULL,
            stdout=self.console,
            stderr=self.console,
        )
        self.reports = open(reports)
        self.partial = ""
        self.last = time.monotonic()

    def lines(self):
        """What the guest reports, until the machine is off."""
        while True:
            running = self.process.poll() is None
            while line := self.reports.readline():
                self.last = time.monotonic()
                self.partial += line
                if self.partial.endswith("\n"):
                    line, self.partial = self.partial, ""
                    yield json.loads(line)
            if not running:
                return
            if time.monotonic() - self.last > SILENCE:
                self.cut_power()
                sys.exit("the guest reports nothing")
            time.sleep(0.01)

    def cut_power(self):
        self.process.kill()
        self.process.wait()


class Client:
    """What one account was promised: its pages with the state of each."""

    def __init__(self):
        self.acknowledged = {}
        self.open = None

    def send(self, pages):
        self.open = pages

    def acknowledge(self):
        self.acknowledged = self.after()
        self.open = None

    def after(self):
        """The pages if the open request was stored, too."""
        pages = {**self.acknowledged, **(self.open or {})}
        return {slug: state for slug, state in pages.items() if state is not None}

    def check(self, stored):
        """Before the open request or after it, and nothing between."""
        if stored not in (self.acknowledged, self.after()):
            lost = {s: n for s, n in self.acknowledged.items() if stored.get(s) != n and s not in (self.open or {})}
            sys.exit(f"lost: {lost or 'an open request was stored in part'}, open: {self.open}")
        self.acknowledged, self.open = stored, None


def say(text):
    print(text, flush=True)


def install(options):
    machine = Machine(options, "install")
    done = False
    for report in machine.lines():
        if "passed" in report:
            say(f"  {report['passed']}")
        elif "failed" in report:
            machine.cut_power()
            sys.exit(report["failed"])
        done = done or "done" in report
    if not done:
        sys.exit("the machine ended too early")


def publish(options, clients, cut):
    """Checks what the last power cut has left, lets clients publish, and cuts the power unless it is the last round."""
    machine, acknowledged, started = Machine(options, "publish"), 0, time.monotonic()
    timer, checked = None, False
    for report in machine.lines():
        if "failed" in report:
            machine.cut_power()
            sys.exit(report["failed"])
        elif "stored" in report:
            for name, pages in report["stored"].items():
                clients.setdefault(name, Client()).check(pages)
            checked = True
            seconds = time.monotonic() - started
            say(f"  {report['pages']} pages as acknowledged, verified and shown, {seconds:.0f} s after power on")
            if not cut:
                machine.cut_power()
        elif "send" in report:
            clients[report["client"]].send(report["send"])
            if timer is None:
                timer = threading.Timer(random.uniform(1, 8), machine.cut_power)
                timer.start()
        elif "acknowledged" in report:
            clients[report["client"]].acknowledge()
            acknowledged += 1
    if timer:
        timer.join()
    if not checked:
        sys.exit("the machine ended too early")
    if cut:
        still_open = sum(client.open is not None for client in clients.values())
        say(f"  power cut after {acknowledged} acknowledged requests, {still_open} open")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cuts", type=int, default=5)
    parser.add_argument("--forget-flushes", action="store_true")
    parser.add_argument("--kvm", action="store_true")
    parser.add_argument("directory", type=pathlib.Path)
    options = parser.parse_args()
    directory = options.directory
    disk = directory / "disk.qcow2"
    base = ["-b", directory / "system.qcow2", "-F", "qcow2"]
    subprocess.run(["qemu-img", "create", "-q", "-f", "qcow2", *base, disk], check=True)
    try:
        say("== installed by systemd's and Debian's own tools")
        install(options)
        clients = {}
        for number in range(options.cuts + 1):
            say(f"== power on, {number} cuts so far")
            publish(options, clients, number < options.cuts)
    except SystemExit:
        for console in sorted(directory.glob("console-*")):
            print(f"== {console.name}", console.read_text(errors="replace")[-3000:], sep="\n", file=sys.stderr)
        raise


main()
