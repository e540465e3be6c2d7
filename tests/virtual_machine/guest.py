#!/usr/bin/python3
"""The guest of tests/virtual_machine.sh, started by systemd. What it finds out goes to the host line by line."""

import json
import os
import pathlib
import random
import re
import struct
import subprocess
import threading
import time
import traceback
import urllib.error
import urllib.request
import uuid
import zlib

API = "http://127.0.0.1:8080"
SITES = "http://127.0.0.1:8081"
CLIENTS = 6
CONFIGURATION = ["--config", "/etc/recto/recto.toml", "--data", "/var/lib/recto"]
TOKENS = pathlib.Path("/root/tokens.json")
PACKAGE = "/root/recto.deb"
EXAMPLES = pathlib.Path("/usr/share/doc/recto/examples")


class Reports:
    def __init__(self):
        # Without a buffer: a line has reached the host when the write returns.
        self.port = open("/dev/virtio-ports/reports", "wb", buffering=0)
        self.lock = threading.Lock()

    def send(self, **values):
        with self.lock:
            self.port.write(json.dumps(values).encode() + b"\n")


reports = Reports()


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, **options)
    if done.returncode:
        raise AssertionError(f"{' '.join(command)}: {done.stdout}{done.stderr}")
    return done.stdout


def recto(*arguments):
    return run("runuser", "--user", "recto", "--", "recto", *CONFIGURATION, *arguments)


def get(url, headers={}):
    """The status and the body."""
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=30) as response:
            return response.status, response.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def wait_for(what, condition, seconds=120):
    end = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < end, f"{what}: not within {seconds} s"
        time.sleep(0.1)
    return value


class Account:
    """An account as its client sees it. Each has an address of its own, because rates are also limited by address."""

    def __init__(self, number, token, site):
        self.number, self.token, self.site = number, token, site

    def request(self, path, body=None, content_type="application/json"):
        headers = {"Authorization": f"Bearer {self.token}", "X-Forwarded-For": f"10.0.0.{self.number}"}
        if body is not None:
            headers["Content-Type"] = content_type
        request = urllib.request.Request(f"{API}/api/v1/public{path}", body, headers)
        with urllib.request.urlopen(request, timeout=60) as response:
            return json.load(response)

    def publish(self, payload, file=None):
        payload = json.dumps({"build": True, **payload}).encode()
        if file is None:
            return self.request("/pages", payload)
        boundary = uuid.uuid4().hex
        part = f'--{boundary}\r\nContent-Disposition: form-data; name='.encode()
        head = part + b'"payload"\r\n\r\n' + payload + b"\r\n" + part + b'"files"; filename="picture.png"\r\n\r\n'
        body = head + file + f"\r\n--{boundary}--\r\n".encode()
        return self.request("/pages", body, f"multipart/form-data; boundary={boundary}")

    def build_ended(self):
        try:
            build = self.request("/builds/latest")
        except urllib.error.HTTPError as error:
            # No build yet.
            assert error.code == 404, error
            return True
        assert build["status"] != "failed", build
        return build["status"] == "success"

    def show(self, path):
        return get(f"{SITES}{path}", {"Host": f"{self.site}.localhost:8081"})

    def pages(self):
        """The slugs with the number in each description."""
        listed = self.request("/pages?contentType=blog&limit=1000")["pages"]
        return {page["slug"]: int(page["description"]) for page in listed if page["description"]}


def accounts():
    return [Account(number, *values) for number, values in enumerate(json.loads(TOKENS.read_text()))]


# The stage "install".


def install():
    environment = pathlib.Path("/etc/recto/environment")
    run("dpkg", "--install", PACKAGE)
    assert not active(), "the package must not start the server"
    passed("dpkg installs the package and starts nothing")
    environment.write_text(
        "RECTO_API_TRUSTED_PROXIES=127.0.0.1\n"
        "RECTO_SITES_URL=http://{site}.localhost:8081\n"
        "RECTO_BUILDS_COOLDOWN_SECONDS=0\n"
    )
    run("systemctl", "enable", "--now", "recto.service")
    assert active()
    check_process()
    passed("systemd starts it, without capabilities, with a filter of system calls")
    create_accounts()
    account = accounts()[0]
    publish_example(account)
    passed("the example publishes two pages and a picture")
    publish_picture(account)
    passed("a picture has smaller widths")
    transcode(account)
    passed("a video is transcoded")
    without_refusals(account, "a restart", lambda: run("systemctl", "restart", "recto.service"))
    without_refusals(account, "an upgrade of the package", lambda: run("dpkg", "--install", PACKAGE))
    run("systemctl", "kill", "--signal", "KILL", "--kill-whom", "main", "recto.service")
    wait_for("started again", lambda: active() and account.show("/blog/python-bay")[0] == 200)
    passed("after kill -9 systemd starts it again")
    journal = run("journalctl", "--unit", "recto.service", "--output", "cat")
    assert " listening " in journal, f"the server's log is not in the journal: {journal}"
    assert "rec_" not in journal, "a token is in the journal"
    assert " ERROR " not in journal, journal
    passed("no token and no error is in the journal")
    run("sync")
    reports.send(done=True)
    run("systemctl", "poweroff", "--no-block")


def passed(what):
    reports.send(passed=what)


def active():
    return subprocess.run(["systemctl", "is-active", "--quiet", "recto.service"]).returncode == 0


def main_process():
    return run("systemctl", "show", "--property", "MainPID", "--value", "recto.service").strip()


def check_process():
    process = main_process()
    lines = pathlib.Path(f"/proc/{process}/status").read_text().splitlines()
    status = dict(line.split(":\t", 1) for line in lines if ":\t" in line)
    assert status["NoNewPrivs"] == "1" and status["Seccomp"] == "2" and int(status["CapBnd"], 16) == 0, status


def create_accounts():
    made = []
    for number in range(CLIENTS):
        account = json.loads(recto("account", "create", f"Client {number}", "--json"))
        made.append((account["token"], re.search(r"//([^.]+)", account["deployUrl"])[1]))
    TOKENS.write_text(json.dumps(made))


def publish_example(account):
    environment = {**os.environ, "RECTO_URL": API, "RECTO_TOKEN": account.token}
    run("python3", str(EXAMPLES / "publish.py"), env=environment)
    status, page = account.show("/blog/python-bay")
    assert status == 200 and b"The bay at dusk" in page, page


def publish_picture(account):
    """A photograph gets smaller widths, which a worker makes after the upload."""
    run(*"ffmpeg -loglevel error -f lavfi -i testsrc=size=800x450 -frames:v 1 /root/wide.png".split())
    page = {"slug": "wide", "title": "Wide", "content": "![Test](file:picture.png)"}
    account.publish({"pages": [page]}, pathlib.Path("/root/wide.png").read_bytes())
    candidates = wait_for("the page", lambda: re.search(rb'srcset="([^"]+)"', account.show("/blog/wide")[1]))
    smallest = re.sub(r"^https?://[^/]+", "", candidates[1].split()[0].decode())
    wait_for("the smaller picture", lambda: account.show(smallest)[0] == 200)


def transcode(account):
    run(*"ffmpeg -loglevel error -f lavfi -i testsrc=size=320x240:duration=1 -pix_fmt yuv420p /root/clip.mov".split())
    boundary = uuid.uuid4().hex
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="files"; filename="clip.mov"\r\n\r\n'.encode()
    body = head + pathlib.Path("/root/clip.mov").read_bytes() + f"\r\n--{boundary}--\r\n".encode()
    uploaded = account.request("/media", body, f"multipart/form-data; boundary={boundary}")
    path = re.sub(r"^https?://[^/]+|[.]mov$", "", uploaded["url"])
    wait_for("the video", lambda: account.show(f"{path}.mp4")[0] == 200)


def without_refusals(account, what, action):
    """Requests one after the other, each on a new connection, while something happens to the server."""
    answers, over = [], threading.Event()

    def ask(look):
        while not over.is_set():
            try:
                answers.append(look()[0])
            except OSError as error:
                answers.append(str(error))

    looks = [lambda: account.show("/blog/python-bay"), lambda: get(f"{API}/healthz")]
    threads = [threading.Thread(target=ask, args=[look]) for look in looks]
    for thread in threads:
        thread.start()
    before = main_process()
    for _ in range(3):
        time.sleep(0.5)
        action()
    assert main_process() != before, f"{what} did not restart it"
    time.sleep(0.5)
    over.set()
    for thread in threads:
        thread.join()
    refused = [answer for answer in answers if answer != 200]
    assert not refused and len(answers) > 100, f"{what}: {refused} of {len(answers)}"
    passed(f"{what}, three times: none of {len(answers)} requests is refused")


# The stage "publish".


def publish():
    wait_for("the server, started by systemd", active)
    stored = {}
    for account in accounts():
        wait_for(f"the build of {account.site}", account.build_ended)
        pages = stored[str(account.number)] = account.pages()
        check_site(account, pages)
    recto("verify")
    reports.send(stored=stored, pages=sum(len(pages) for pages in stored.values()))
    threads = [threading.Thread(target=write, args=[account, stored[str(account.number)]]) for account in accounts()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    reports.send(failed="the clients ended before the power was cut")


def check_site(account, pages):
    """The site shows the pages that the API lists, in their last state."""
    for slug, state in pages.items():
        status, page = account.show(f"/blog/{slug}")
        assert status == 200 and f"state {state} of {slug}.".encode() in page, (slug, state, status)
    for slug in (f"page-{number}" for number in range(PAGES)):
        assert slug in pages or account.show(f"/blog/{slug}")[0] == 404, f"{slug} is deleted, and shown"


PAGES = 60


def write(account, pages):
    """Requests that create, change and delete pages at once, some with a picture. Reported before they are sent, and
    when the answer has come."""
    try:
        # What the limit of a minute allows.
        for number in range(60):
            change = {f"page-{n}": random.randrange(1, 1 << 30) for n in random.sample(range(PAGES), 8)}
            deleted = random.sample([slug for slug in pages if slug not in change], min(2, len(pages) // 10))
            reports.send(client=str(account.number), send={**change, **{slug: None for slug in deleted}})
            picture = random_picture() if number % 4 == 0 else None
            account.publish(payload(change, deleted, picture), picture)
            reports.send(client=str(account.number), acknowledged=True)
            pages = {slug: state for slug, state in {**pages, **change}.items() if slug not in deleted}
        time.sleep(60)
    except Exception:
        reports.send(failed=traceback.format_exc())


def payload(change, deleted, picture):
    entries = [
        {"slug": slug, "title": slug, "description": str(state), "content": f"This is state {state} of {slug}."}
        for slug, state in change.items()
    ]
    if picture:
        entries[0]["content"] += "\n\n![Noise](file:picture.png)"
    return {"pages": entries, "deleteSlugs": [{"slug": slug, "contentType": "blog"} for slug in deleted]}


def random_picture():
    """A PNG of 64 by 64 grey pixels that nobody has uploaded before."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + os.urandom(64) for _ in range(64))
    head = struct.pack(">IIBBBBB", 64, 64, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def main():
    stage = re.search(r"guest=(\w+)", pathlib.Path("/proc/cmdline").read_text())[1]
    try:
        {"install": install, "publish": publish}[stage]()
    except Exception:
        journal = run("journalctl", "--unit", "recto.service", "--lines", "50")
        reports.send(failed=f"{traceback.format_exc()}\n== journal:\n{journal}")


main()
