#!/usr/bin/env python3
"""Prints the licences of the libraries that an executable for a platform contains: packaging/licences.py TARGET."""

import json
import pathlib
import re
import subprocess
import sys


def linked(metadata):
    """Names all packages that the executable depends on, but not those that only builds and tests need."""
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    found, waiting = set(), [metadata["resolve"]["root"]]
    while waiting:
        package = waiting.pop()
        if package not in found:
            found.add(package)
            waiting += [
                dependency["pkg"]
                for dependency in nodes[package]["deps"]
                if any(kind["kind"] is None for kind in dependency["dep_kinds"])
            ]
    return found


def read(folder):
    """The licences in a folder. A file with one line is a link that was packed as a file."""
    files = sorted(file for file in folder.iterdir() if file.name.upper().startswith(("LICEN", "COPYING", "NOTICE")))
    found = [file.read_text("utf-8", "replace").strip() for file in files if file.is_file()]
    return [text for text in found if "\n" in text]


def texts_of(package):
    """The licences of a package; if it brings none, its authors and where the text is to be had."""
    found = read(pathlib.Path(package["manifest_path"]).parent)
    about = [*package["authors"], package["repository"] or "", *spdx(package["license"] or "")]
    return found or ["\n".join(line for line in about if line)]


def spdx(expression):
    """Where the texts of an SPDX expression are."""
    words = re.split(r"[/() ]+", expression)
    return [f"https://spdx.org/licenses/{word}.html" for word in words if word not in ("", "OR", "AND", "WITH")]


def standard_library():
    root = pathlib.Path(subprocess.check_output(["rustc", "--print", "sysroot"], text=True).strip())
    files = [root / "share/doc/rust/licenses" / name for name in ("MIT.txt", "Apache-2.0.txt")]
    found = [file.read_text("utf-8", "replace").strip() for file in files if file.is_file()]
    return found or ["https://github.com/rust-lang/rust: COPYRIGHT, LICENSE-MIT, LICENSE-APACHE"]


def main():
    sys.stdout.reconfigure(encoding="utf-8")
    command = ["cargo", "metadata", "--format-version=1", "--locked", "--filter-platform", sys.argv[1]]
    metadata = json.loads(subprocess.check_output(command))
    linked_packages = linked(metadata)
    texts = {}
    for package in metadata["packages"]:
        if package["id"] not in linked_packages or package["source"] is None:
            continue
        name = f"{package['name']} {package['version']} ({package['license'] or 'see below'})"
        for text in texts_of(package):
            texts.setdefault(text, []).append(name)
    for text in standard_library():
        texts.setdefault(text, []).append("The standard library of Rust (MIT OR Apache-2.0)")
    print("Herald contains these libraries.")
    for text, names in sorted(texts.items(), key=lambda entry: entry[1]):
        print("\n" + "-" * 80, *names, "", text, sep="\n")


main()
