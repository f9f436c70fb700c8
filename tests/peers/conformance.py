#!/usr/bin/env python3
"""Holds Herald and the other programs that are installed against the rules of CECP, and writes a table in Markdown.

    tests/peers/conformance.py HERALD [--rules LABEL,LABEL,...] [--concurrency 2]

All verdicts are those of `HERALD check cecp --json -- PROGRAM`; a row a rule (those of --rules, or all), a column a
program, below them how many rules each one passed, failed and doesn't support. Each program runs in a folder of its own,
for some leave files behind. Exit status 1 if Herald breaks a rule.
"""

import argparse
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
SIGNS = {"pass": "yes", "fail": "**no**", "not-supported": "-"}
TOTALS = {"pass": "passed", "fail": "failed", "not-supported": "not supported"}


def check(herald, command, concurrency):
    """What was found about a program, by the rule's label."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [herald, "check", "cecp", "--json", "--concurrency", str(concurrency), "--", *command],
            cwd=folder,
            env=os.environ | {"HOME": folder, "XDG_CONFIG_HOME": folder},
            stdout=subprocess.PIPE,
            text=True,
        )
    if done.returncode > 1:
        sys.exit(f"no check of {command[0]}")
    findings = [json.loads(line) for line in done.stdout.splitlines()]
    return {finding["rule"]: finding for finding in findings if "rule" in finding}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("herald", type=pathlib.Path)
    parser.add_argument("--rules", type=lambda text: text.split(","))
    parser.add_argument("--concurrency", type=int, default=2)
    arguments = parser.parse_args()
    herald = arguments.herald.resolve()
    programs = {"Herald": [herald, "xboard"]} | {name: peer for name, peer in PEERS.items() if shutil.which(peer[0])}
    found = {name: check(herald, command, arguments.concurrency) for name, command in programs.items()}

    duties = {label: finding["duty"] for label, finding in found["Herald"].items()}
    print("| | " + " | ".join(found) + " |")
    print("| --- |" + " --- |" * len(found))
    for label in arguments.rules or duties:
        print(f"| {duties[label]} | " + " | ".join(SIGNS[one[label]["verdict"]] for one in found.values()) + " |")
    for verdict, title in TOTALS.items():
        counts = [sum(finding["verdict"] == verdict for finding in one.values()) for one in found.values()]
        print(f"| **of {len(duties)} rules {title}** | " + " | ".join(map(str, counts)) + " |")
    sys.exit(any(finding["verdict"] == "fail" for finding in found["Herald"].values()))


if __name__ == "__main__":
    main()
