#!/usr/bin/env python3
"""Prints the licences of the libraries that an executable for a platform contains: packaging/licences.py TARGET."""

import json
import pathlib
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


def main():
    sys.stdout.reconfigure(encoding="utf-8")
    command = ["cargo", "metadata", "--format-version=1", "--locked", "--filter-platform", sys.argv[1]]
    metadata = json.loads(subprocess.check_output(command))
    linked_packages = linked(metadata)
    texts = {}
    for package in metadata["packages"]:
        if package["id"] not in linked_packages or package["source"] is None:
            continue
        folder = pathlib.Path(package["manifest_path"]).parent
        files = [file for file in folder.iterdir() if file.name.upper().startswith(("LICEN", "COPYING", "NOTICE"))]
        name = f"{package['name']} {package['version']} ({package['license'] or 'see below'})"
        for file in sorted(file for file in files if file.is_file()):
            texts.setdefault(file.read_text("utf-8", "replace").strip(), []).append(name)
        if not files:
            texts.setdefault("\n".join(package["authors"]), []).append(name)
    print("Herald contains these libraries.")
    for text, names in sorted(texts.items(), key=lambda entry: entry[1]):
        print("\n" + "-" * 80, *names, "", text, sep="\n")


main()
