#!/usr/bin/env python3
"""Reads what `recto push --json` printed; writes a summary in Markdown and the outputs of the step."""

import json
import os
import secrets
import sys

LISTED = 50


def main():
    text = sys.stdin.read()
    try:
        result = json.loads(text)
    except ValueError:
        result = {"error": text.strip() or "recto push printed nothing; see the log above"}
    if "--error" in sys.argv or "error" in result:
        message = str(result.get("error", text.strip()))
        # The first line is shown next to the run, %0A is a line end in such a command.
        print("::error title=Recto::" + message.replace("%", "%25").replace("\r", "").replace("\n", "%0A"))
        append("GITHUB_STEP_SUMMARY", f"### Recto\n\nNothing was published:\n\n```\n{message}\n```\n")
        sys.exit(1)
    report = describe(result)
    print(report)
    append("GITHUB_STEP_SUMMARY", report)
    changed = any(result.get(key, 0) for key in ("created", "updated", "deleted"))
    output("url", result.get("url") or "")
    output("changed", "true" if changed else "false")
    output("report", report)


def describe(result):
    dry = result.get("dryRun", False)
    media = result.get("media") or {}
    lines = [
        "### Recto: what would change" if dry else f"### Recto: published to {result.get('url', '')}",
        "",
        "| created | updated | deleted | unchanged | files uploaded |",
        "|---:|---:|---:|---:|---:|",
        "| {created} | {updated} | {deleted} | {unchanged} | {files} |".format(
            files=media.get("uploaded", 0),
            **{key: result.get(key, 0) for key in ("created", "updated", "deleted", "unchanged")},
        ),
    ]
    plan = result.get("plan") or {}
    moved = [f"`{entry['from']}` → `{entry['to']}`" for entry in plan.get("moved", [])]
    broken = [f"`{entry['page']}`: `{entry['link']}`" for entry in plan.get("brokenLinks", [])]
    settings = [f"`{key}`" for key in plan.get("settings", [])]
    for title, entries in (("Moved", moved), ("Changed settings", settings), ("Broken links", broken)):
        if entries:
            lines += ["", f"**{title}**", ""] + [f"- {entry}" for entry in entries[:LISTED]]
            if len(entries) > LISTED:
                lines.append(f"- … and {len(entries) - LISTED} more")
    return "\n".join(lines) + "\n"


def output(name, value):
    # A delimiter that no value can contain on purpose.
    delimiter = f"recto-{secrets.token_hex(16)}"
    append("GITHUB_OUTPUT", f"{name}<<{delimiter}\n{value}\n{delimiter}\n")


def append(variable, text):
    path = os.environ.get(variable)
    if path:
        with open(path, "a", encoding="utf-8") as file:
            file.write(text)


main()
