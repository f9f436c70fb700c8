#!/usr/bin/env python3
"""Makes a table of what `herald check PROTOCOL --json -- ENGINE` wrote of several engines.

    herald check cecp --json -- herald xboard > herald.json
    herald check cecp --json -- gnuchess > gnuchess.json
    tests/peers/conformance.py herald.json gnuchess.json

Writes Markdown: a row a rule, a column a file, and how many rules each engine passed.
"""

import json
import pathlib
import sys

SIGNS = {"pass": "yes", "fail": "**no**", "not-supported": "-"}


def main():
    if len(sys.argv) < 2:
        sys.exit(f"usage: {sys.argv[0]} FILE...")
    files = [pathlib.Path(name) for name in sys.argv[1:]]
    lines = [[json.loads(line) for line in file.read_text().splitlines()] for file in files]
    verdicts = [{line["rule"]: line["verdict"] for line in one if "rule" in line} for one in lines]
    duties = {line["rule"]: line["duty"] for one in lines for line in one if "rule" in line}
    print("| rule | " + " | ".join(file.stem for file in files) + " |")
    print("| --- |" + " --- |" * len(files))
    for rule, duty in duties.items():
        print(f"| {duty} | " + " | ".join(SIGNS.get(one.get(rule), "?") for one in verdicts) + " |")
    for verdict, title in [("pass", "passed"), ("fail", "failed"), ("not-supported", "not supported")]:
        counts = (sum(found == verdict for found in one.values()) for one in verdicts)
        print(f"| **{title}** | " + " | ".join(map(str, counts)) + " |")


if __name__ == "__main__":
    main()
