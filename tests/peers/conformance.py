#!/usr/bin/env python3
"""Holds Herald and the other programs that are installed against the rules of CECP, and prints a table in Markdown:
that of docs/CONFORMANCE.md, where its command stands.

    tests/peers/conformance.py HERALD [--rules LABEL,LABEL,...] [--times 2] [--concurrency 2]

All verdicts are those of `HERALD check cecp --json -- PROGRAM`; a row a rule (those of --rules, or all), a column a
program, below them how many rules each one passes, doesn't support and fails. A verdict is the worst of --times. Each
rule is checked in an empty folder, for some programs leave files there that they trip over. Exit status 1 if Herald
breaks a rule.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

PEERS = {
    "Fairy-Max": ["fairymax"],
    "GNU Chess": ["gnuchess", "--xboard"],
    "HoiChess": ["hoichess"],
    "Phalanx": ["phalanx"],
    "Sjaak II": ["sjaakii"],
    "Sjeng": ["sjeng"],
}
# From the best to the worst.
SIGNS = {"pass": "yes", "not-supported": "-", "fail": "**no**"}
TOTALS = {"pass": "passed", "not-supported": "not supported", "fail": "failed"}


def labels(herald):
    """The rules, in their order."""
    shown = subprocess.run([herald, "check", "cecp", "--rules"], stdout=subprocess.PIPE, text=True, check=True)
    return [line.split()[0] for line in shown.stdout.splitlines()]


def check(herald, command, label):
    """What was found about a program and a rule."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [herald, "check", "cecp", "--json", "--rule", label, "--", *command],
            cwd=folder,
            env=os.environ | {"HOME": folder, "XDG_CONFIG_HOME": folder},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
    if done.returncode > 1:
        sys.exit(done.stderr)
    return json.loads(done.stdout.splitlines()[0])


def worst(findings):
    return max(findings, key=lambda finding: list(SIGNS).index(finding["verdict"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("herald", type=pathlib.Path)
    parser.add_argument("--rules", type=lambda text: text.split(","))
    parser.add_argument("--times", type=int, default=2)
    parser.add_argument("--concurrency", type=int, default=2)
    arguments = parser.parse_args()
    herald = arguments.herald.resolve()
    programs = {"Herald": [herald, "xboard"]} | {name: peer for name, peer in PEERS.items() if shutil.which(peer[0])}
    rules = labels(herald)
    with concurrent.futures.ThreadPoolExecutor(arguments.concurrency) as pool:
        times = {
            name: {
                label: [pool.submit(check, herald, command, label) for _ in range(arguments.times)] for label in rules
            }
            for name, command in programs.items()
        }
        found = {
            name: {label: worst([one.result() for one in runs]) for label, runs in by_rule.items()}
            for name, by_rule in times.items()
        }

    duties = {label: finding["duty"] for label, finding in found["Herald"].items()}
    for name, by_rule in found.items():
        for label, finding in by_rule.items():
            if finding["verdict"] == "fail":
                print(f"{name}: {label}: expected {finding['expected']}, seen {finding['seen']}", file=sys.stderr)
    print("| | " + " | ".join(found) + " |")
    print("| --- |" + " --- |" * len(found))
    for label in arguments.rules or rules:
        print(f"| {duties[label]} | " + " | ".join(SIGNS[one[label]["verdict"]] for one in found.values()) + " |")
    for verdict, title in TOTALS.items():
        counts = [sum(finding["verdict"] == verdict for finding in one.values()) for one in found.values()]
        print(f"| **of {len(rules)} rules {title}** | " + " | ".join(map(str, counts)) + " |")
    sys.exit(any(finding["verdict"] == "fail" for finding in found["Herald"].values()))


if __name__ == "__main__":
    main()
