#!/usr/bin/env python3
"""Holds Herald and the other programs that are installed against the rules of CECP and UCI, and prints tables in Markdown:
those of docs/CONFORMANCE.md, with the date.

    tests/peers/conformance.py HERALD [--protocol cecp] [--protocol uci] [--rules LABEL,...] [--times 2] [--concurrency 2]
        [--write docs/CONFORMANCE.md]

All verdicts are those of `HERALD check PROTOCOL --json -- PROGRAM`; a row a rule (those of --rules, or those that some program
doesn't keep), a column a program, below them how many rules each one keeps, breaks and so on. A verdict is the worst of
--times. Each rule is checked in an empty folder, for some programs leave files there that they trip over. With --write, the
tables replace those of a file, between the lines `<!-- PROTOCOL -->` and `<!-- end -->`. Exit status 1 if Herald breaks a rule.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PEERS = {
    "cecp": {
        "Fairy-Max": ["fairymax"],
        "GNU Chess": ["gnuchess", "--xboard"],
        "HoiChess": ["hoichess"],
        "Phalanx": ["phalanx"],
        "Sjaak II": ["sjaakii"],
        "Sjeng": ["sjeng"],
    },
    "uci": {
        "Ethereal": ["ethereal-chess"],
        "Glaurung": ["glaurung"],
        "Stockfish": ["stockfish"],
        "Toga II": ["toga2"],
    },
}
HERALD = {"cecp": "xboard", "uci": "uci"}
# From the best to the worst.
SIGNS = {"pass": "yes", "not-supported": "-", "not-seen": "?", "fail": "**no**"}
TOTALS = {"pass": "kept", "fail": "broken", "not-seen": "not seen", "not-supported": "not supported"}


def labels(herald, protocol):
    """The rules, in their order."""
    shown = subprocess.run([herald, "check", protocol, "--rules"], stdout=subprocess.PIPE, text=True, check=True)
    return [line.split()[0] for line in shown.stdout.splitlines()]


def check(herald, protocol, command, label, attempts=3):
    """What was found about a program and a rule, and the summary. On a busy machine a program may not answer at first."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [herald, "check", protocol, "--json", "--rule", label, "--", *command],
            cwd=folder,
            env=os.environ | {"HOME": folder, "XDG_CONFIG_HOME": folder},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
    if done.returncode > 1 and attempts > 1:
        return check(herald, protocol, command, label, attempts - 1)
    if done.returncode > 1:
        sys.exit(done.stderr)
    finding, summary = map(json.loads, done.stdout.splitlines())
    return finding | {"program": summary["program"], "date": summary["date"]}


def worst(findings):
    return max(findings, key=lambda finding: list(SIGNS).index(finding["verdict"]))


def findings(arguments, herald, protocol, rules):
    """For each program, what was found about each rule."""
    peers = {name: command for name, command in PEERS[protocol].items() if shutil.which(command[0])}
    programs = {"Herald": [herald, HERALD[protocol]]} | peers
    with concurrent.futures.ThreadPoolExecutor(arguments.concurrency) as pool:
        times = {
            name: {
                label: [pool.submit(check, herald, protocol, command, label) for _ in range(arguments.times)]
                for label in rules
            }
            for name, command in programs.items()
        }
        return {
            name: {label: worst([one.result() for one in runs]) for label, runs in by_rule.items()}
            for name, by_rule in times.items()
        }


def table(found, rules, shown):
    """The lines of a table."""
    dates = sorted({finding["date"] for by_rule in found.values() for finding in by_rule.values()})
    # The name as most rules heard it: a program may tell its name late.
    names = {
        name: collections.Counter(finding["program"] for finding in by_rule.values()).most_common(1)[0][0]
        for name, by_rule in found.items()
    }
    columns = [f"{name} ({told})" if name not in told else told for name, told in names.items()]
    yield f"Checked on {dates[-1]}, {len(rules)} rules."
    yield ""
    yield "| | level | " + " | ".join(columns) + " |"
    yield "| --- | --- |" + " --- |" * len(found)
    for label in shown or rules:
        row = [by_rule[label] for by_rule in found.values()]
        if shown or any(finding["verdict"] != "pass" for finding in row):
            signs = " | ".join(SIGNS[finding["verdict"]] for finding in row)
            yield f"| {row[0]['duty']} | {row[0]['level']} | {signs} |"
    for verdict, title in TOTALS.items():
        counts = [sum(finding["verdict"] == verdict for finding in one.values()) for one in found.values()]
        yield f"| **{title}** | | " + " | ".join(map(str, counts)) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("herald", type=pathlib.Path)
    parser.add_argument("--protocol", action="append", choices=PEERS)
    parser.add_argument("--rules", type=lambda text: text.split(","))
    parser.add_argument("--times", type=int, default=2)
    parser.add_argument("--concurrency", type=int, default=2)
    parser.add_argument("--write", type=pathlib.Path)
    arguments = parser.parse_args()
    herald = arguments.herald.resolve()
    is_broken = False
    for protocol in arguments.protocol or PEERS:
        rules = labels(herald, protocol)
        found = findings(arguments, herald, protocol, rules)
        for name, by_rule in found.items():
            for label, finding in by_rule.items():
                if finding["verdict"] == "fail":
                    print(f"{name}: {label}: expected {finding['expected']}, seen {finding['seen']}", file=sys.stderr)
        text = "\n".join(table(found, rules, arguments.rules))
        print(text)
        if arguments.write:
            page = arguments.write.read_text()
            made, count = re.subn(
                rf"(<!-- {protocol} -->\n).*?(<!-- end -->)", lambda m: m[1] + text + "\n" + m[2], page, flags=re.DOTALL
            )
            if count != 1:
                sys.exit(f"{arguments.write} has no place for the table of {protocol}")
            arguments.write.write_text(made)
        is_broken |= any(finding["verdict"] == "fail" for finding in found["Herald"].values())
    sys.exit(is_broken)


if __name__ == "__main__":
    main()
