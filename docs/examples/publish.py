#!/usr/bin/env python3
"""Publishes two pages and a picture, waits for the build, and prints the URL of the first page.

RECTO_URL=http://127.0.0.1:8080 RECTO_TOKEN=rec_… ./publish.py
"""

import json
import os
import pathlib
import sys
import time
import urllib.error
import urllib.request
import uuid

API = os.environ["RECTO_URL"] + "/api/v1/public"
TOKEN = os.environ["RECTO_TOKEN"]
PICTURE = pathlib.Path(__file__).with_name("bay.png")


def request(path, body=None, content_type=None):
    headers = {"Authorization": "Bearer " + TOKEN}
    if content_type:
        headers["Content-Type"] = content_type
    try:
        with urllib.request.urlopen(urllib.request.Request(API + path, body, headers), timeout=60) as response:
            return json.load(response)
    except urllib.error.HTTPError as error:
        sys.exit(f"{error.code}: {error.read().decode()}")


def form(payload, file):
    """A multipart/form-data body of the JSON and one file, and its content type."""
    boundary = uuid.uuid4().hex
    part = f'--{boundary}\r\nContent-Disposition: form-data; name="'
    body = f'{part}payload"\r\n\r\n{json.dumps(payload)}\r\n{part}files"; filename="{file.name}"\r\n\r\n'.encode()
    return body + file.read_bytes() + f"\r\n--{boundary}--\r\n".encode(), f"multipart/form-data; boundary={boundary}"


# `file:bay.png` refers to the attached file of that name. Both pages and the file are stored together, or not at all.
bay = {"slug": "python-bay", "title": "The bay", "content": "![The bay at dusk](file:bay.png)\n\nPublished with Python."}
notes = {"slug": "python-notes", "title": "Notes", "content": "See [the bay](python-bay.md).", "tags": ["example"]}
published = request("/pages", *form({"build": True, "pages": [bay, notes]}, PICTURE))
if "error" in published["build"]:
    sys.exit(f"The pages are stored, but no build was queued: {published['build']}")

while (build := request("/builds/latest"))["status"] in ("queued", "running"):
    time.sleep(1)
if build["status"] != "success":
    sys.exit(f"The build failed: {build}")
print(published["build"]["deployUrl"] + "/blog/python-bay")
