#!/usr/bin/env python3
"""Checks the dependencies: licences and sources by deny.toml, and that each one is used where it is named.

A dependency counts as used when its name is a word in some Rust file of its crate. Several versions of one package are
reported, and accepted.
"""

import json
import pathlib
import re
import subprocess
import sys
import tomllib
from collections import Counter, defaultdict

ROOT = pathlib.Path(__file__).parent.parent


def main():
    command = ["cargo", "metadata", "--format-version=1", "--locked", "--all-features"]
    metadata = json.loads(subprocess.check_output(command, cwd=ROOT))
    rules = tomllib.loads((ROOT / "deny.toml").read_text())
    packages = metadata["packages"]
    ours = [package for package in packages if package["id"] in metadata["workspace_members"]]
    faults = [*licences(packages, rules["licenses"]), *sources(packages), *unused(ours), *unused_in_workspace(ours)]
    report_versions(packages)
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"{len(packages)} packages, {len(faults)} faults")
    sys.exit(bool(faults))


def licences(packages, rules):
    exceptions = {exception["crate"]: exception["allow"] for exception in rules["exceptions"]}
    for package in packages:
        name, expression = package["name"], package["license"]
        allowed = {*rules["allow"], *exceptions.get(name, [])}
        if not expression or not permits(expression, allowed):
            yield f"{name} {package['version']}: the licence {expression} is not accepted by deny.toml"


def permits(expression, allowed):
    """Whether an SPDX expression can be fulfilled with the allowed licences; `/` is the old form of OR."""
    words = re.findall(r"[()]|[\w.+-]+", expression.replace("/", " OR "))
    python = []
    while words:
        word = words.pop(0)
        if word in ("AND", "OR", "(", ")"):
            python.append(word.lower())
            continue
        if words[:1] == ["WITH"]:
            word = " ".join([word, words.pop(0), words.pop(0)])
        python.append(str(word in allowed))
    # Only the words True, False, and, or, and parentheses.
    return eval(" ".join(python))


def sources(packages):
    """One registry for all, no git, and nothing outside this repository."""
    registries = Counter(package["source"] for package in packages if is_of_registry(package))
    [(usual, _)] = registries.most_common(1)
    for package in packages:
        is_ours = package["source"] is None and ROOT.resolve() in pathlib.Path(package["manifest_path"]).parents
        if package["source"] != usual and not is_ours:
            yield f"{package['name']} {package['version']}: comes from {package['source'] or package['manifest_path']}"


def is_of_registry(package):
    return (package["source"] or "").startswith("registry+")


def unused(ours):
    for package in ours:
        directory = pathlib.Path(package["manifest_path"]).parent
        words = {kind: words_below(directory, folders) for kind, folders in FOLDERS.items()}
        # As cargo-machete has it.
        ignored = ((package["metadata"] or {}).get("cargo-machete") or {}).get("ignored", [])
        for dependency in package["dependencies"]:
            name = (dependency["rename"] or dependency["name"]).replace("-", "_")
            if name not in words[dependency["kind"]] and name not in ignored:
                yield f"{package['name']}: the dependency {name} is not used ({dependency['kind'] or 'normal'})"


# Where each kind of dependency may be used. Tests of a crate may include parts of its build script.
FOLDERS = {
    None: ["src"],
    "dev": ["src", "tests", "examples", "benches", "build", "build.rs"],
    "build": ["build", "build.rs"],
}


def words_below(directory, folders):
    paths = [path for folder in folders for path in [directory / folder, *(directory / folder).rglob("*.rs")]]
    texts = [path.read_text() for path in paths if path.is_file()]
    return set(re.findall(r"\w+", "\n".join(re.sub(r"(?m)^\s*//.*", "", text) for text in texts)))


def unused_in_workspace(ours):
    named = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["dependencies"]
    used = {dependency["rename"] or dependency["name"] for package in ours for dependency in package["dependencies"]}
    return [f"Cargo.toml: no crate uses the dependency {name}" for name in named if name not in used]


def report_versions(packages):
    versions = defaultdict(list)
    for package in packages:
        versions[package["name"]].append(package["version"])
    several = [f"{name} {', '.join(found)}" for name, found in sorted(versions.items()) if len(found) > 1]
    print("several versions:", "; ".join(several) or "none")


main()
