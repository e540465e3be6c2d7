"""The limits of a page, at their edge and one beyond, and the usual mistakes, through the clients that people use.

Every client must get the same answer, and what it shows must say what is wrong.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile

import httpx
import requests

BASE = os.environ["BASE"] + "/api/v1/public"
TOKEN = {"Authorization": "Bearer " + os.environ["CONTRACT_TOKEN"]}
JSON = {"Content-Type": "application/json"}
NODE = """
const { method, url, headers, body } = JSON.parse(require("fs").readFileSync(0, "utf8"));
fetch(url, { method, headers, body: method === "GET" ? undefined : body })
  .then(async (answer) => console.log(await answer.text() + "\\n" + answer.status));
"""


def by_requests(method, url, headers, body):
    answer = requests.request(method, url, headers=headers, data=body, timeout=60)
    return answer.status_code, answer.text


def by_httpx(method, url, headers, body):
    answer = httpx.request(method, url, headers=headers, content=body, timeout=60)
    return answer.status_code, answer.text


def by_curl(method, url, headers, body):
    command = ["curl", "--silent", "--show-error", "--compressed", "--request", method, "--write-out", "\n%{http_code}"]
    command += [word for name, value in headers.items() for word in ("--header", f"{name}: {value}")]
    return last_line_is_status(command + ["--data-binary", "@-", url] if body else command + [url], body)


def by_node(method, url, headers, body):
    request = {"method": method, "url": url, "headers": headers, "body": body.decode()}
    return last_line_is_status(["node", "--eval", NODE], json.dumps(request).encode())


def last_line_is_status(command, given):
    text, _, status = run(command, given).stdout.decode().strip().rpartition("\n")
    return int(status), text


def by_httpie(method, url, headers, body):
    command = [os.path.join(os.path.dirname(sys.executable), "http"), "--print=hb", "--pretty=none", method, url]
    shown = run(command + [f"{name}:{value}" for name, value in headers.items()], body).stdout.decode()
    head, _, text = shown.partition("\r\n\r\n")
    return int(head.split()[1]), text.strip()


def by_wget(method, url, headers, body):
    with tempfile.NamedTemporaryFile() as file:
        file.write(body)
        file.flush()
        command = ["wget", "--quiet", "--content-on-error", "--server-response", "--output-document=-"]
        command += [f"--header={name}: {value}" for name, value in headers.items()]
        command += [f"--method={method}"] + ([f"--body-file={file.name}"] if body else [])
        shown = run(command + [url], b"")
    status = [line.split()[1] for line in shown.stderr.decode().splitlines() if line.lstrip().startswith("HTTP/")]
    return int(status[-1]), shown.stdout.decode()


def run(command, given):
    return subprocess.run(command, input=given, capture_output=True, timeout=60)


CLIENTS = {"requests": by_requests, "httpx": by_httpx, "curl": by_curl, "node": by_node, "httpie": by_httpie}
if shutil.which("wget"):
    CLIENTS["wget"] = by_wget


def ask(method, path, headers, body=b""):
    """The response, which must be the same for all clients."""
    answers = {name: send(method, BASE + path, headers, body) for name, send in CLIENTS.items()}
    # wget shows only the status of a 401.
    assert answers.get("wget", (0, ""))[0] != 401 or answers.pop("wget") == (401, ""), answers
    answers = {name: (status, stable(json.loads(text))) for name, (status, text) in answers.items()}
    first = answers["requests"]
    for name, answer in answers.items():
        assert answer == first, (method, path, name, answer, first)
    return first


def stable(answer):
    """Without the fields that differ between the first publish and the others."""
    if isinstance(answer.get("pages"), list):
        for published in answer["pages"]:
            published.pop("status", None)
            published.pop("updatedAt")
    return answer


def publish(pages):
    return ask("POST", "/pages", TOKEN | JSON, json.dumps({"pages": pages}).encode())


# SPEC.md, under "Request and field limits"; letters of several bytes count as one.
LIMITS = {"slug": 100, "section": 100, "title": 200, "description": 500, "content": 100_000, "apiEndpoint": 200}
LETTERS = {"slug": "a", "section": "a", "apiEndpoint": "GET " + "a" * 400}


def page(beyond):
    """Every text as long as it may be, or longer."""
    texts = {field: (LETTERS.get(field, "é🦀") * (most + 1))[: most + beyond] for field, most in LIMITS.items()}
    return texts | {"contentType": "docs", "tags": tags(20, 30 + beyond)}


def tags(count, length=30):
    return [f"{number:0{length}}" for number in range(count)]


def main():
    status, answer = publish([page(0)])
    assert (status, answer["pages"][0]["slug"]) == (200, "a" * 100), answer

    status, answer = publish([page(1), {"title": "A", "tags": tags(21)}])
    assert (status, answer["error"]) == (400, "validation failed"), answer
    for field, most in {**LIMITS, "tags": 30}.items():
        message = answer["pages"]["0"][field]
        print(f"   {field}: {message}")
        assert str(most) in message and field.rstrip("s") in message, message
    assert "20" in answer["pages"]["1"]["tags"], answer

    for key in ["pages", "deleteSlugs"]:
        many = json.dumps({key: [{"slug": "a", "contentType": "blog"}] * 5001}).encode()
        says(ask("POST", "/pages", TOKEN | JSON, many), 400, key, "5000")

    # Common mistakes.
    good = json.dumps({"title": "A"}).encode()
    status, answer = ask("POST", "/pages", JSON, good)
    assert (status, answer) == (401, {"error": "invalid or revoked token"}), answer
    status, answer = ask("POST", "/pages", JSON, json.dumps({"content": "x" * 4_000_000}).encode())
    assert status == 401, "refused while it is still being sent"
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    says(ask("POST", "/pages", TOKEN | form, good), 415, "application/json", "application/x-www-form-urlencoded")
    says(ask("POST", "/pages", TOKEN | JSON, b"title=A&content=B"), 400, "URL-encoded form", "application/json")
    says(ask("POST", "/pages", TOKEN | JSON, good + b"}"), 400, "white space")
    says(ask("POST", "/pages", TOKEN | JSON, b"{'title': 'A'}"), 400, "double quotes")
    says(ask("POST", "/page", TOKEN | JSON, good), 404, "/docs")
    says(ask("GET", "/pages?contentType=posts", TOKEN), 400, "contentType", "blog, docs")
    missing = json.dumps({"title": "A", "content": "![](file:photo.png)"}).encode()
    status, answer = ask("POST", "/pages", TOKEN | JSON, missing)
    assert status == 400 and '"photo.png"' in answer["message"], answer

    # A long response is compressed if the client accepts that; the content is the same for all.
    many = [{"title": f"Client page {number}", "description": "words " * 20} for number in range(200)]
    assert publish(many)[0] == 200
    status, answer = ask("GET", "/pages?contentType=blog", TOKEN)
    assert status == 200 and len(answer["pages"]) >= 200, status


def says(answer, status, *words):
    """Status and message, which must name what is wrong and what would be right."""
    assert answer[0] == status, answer
    message = answer[1]["message"]
    print(f"   {status}: {message}")
    for word in words:
        assert word in message, (word, message)


main()
print(f"== {', '.join(CLIENTS)} show the same answers")
