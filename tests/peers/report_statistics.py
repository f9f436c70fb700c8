#!/usr/bin/env python3
"""Computes the statistics of `herald epd report` again, from its CSV, with scipy and statsmodels.

    tests/peers/report_statistics.py target/release/herald RUN.epd RUN.epd ... [--theme RULE]

The files are runs over one suite. Counts, p-values (McNemar exact), their correction (Holm), exact intervals (Clopper and Pearson) and paired
differences (Newcombe's method 10) of all runs and themes are compared with the JSON. Needs `pip install scipy statsmodels`. Exit status 1 if anything
differs.
"""

import argparse
import csv
import json
import math
import pathlib
import subprocess
import sys
import tempfile

from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint


def elo(share):
    return 400 * math.log10(share / (1 - share)) if 0 < share < 1 else math.inf * (1 if share else -1)


def newcombe(both, one, other, neither):
    whole = both + one + other + neither
    first, second = (both + one) / whole, (both + other) / whole
    low1, high1 = proportion_confint(both + one, whole, method="wilson")
    low2, high2 = proportion_confint(both + other, whole, method="wilson")
    product = (both + one) * (other + neither) * (both + other) * (one + neither)
    excess = both * neither - one * other
    excess = max(excess - whole / 2, 0) if excess > 0 else excess
    phi = excess / math.sqrt(product) if product else 0
    joint = lambda a, b: math.sqrt(max(a * a - 2 * phi * a * b + b * b, 0))
    difference = first - second
    return [100 * value for value in (difference, difference - joint(first - low1, high2 - second), difference + joint(high1 - first, second - low2))]


def compare(pairs):
    """What follows from pairs of solved or not, by one run and another."""
    count = lambda one, two: sum(pair == (one, two) for pair in pairs)
    both, one, other, neither = count(True, True), count(True, False), count(False, True), count(False, False)
    found = {"both": both, "first_only": one, "second_only": other, "neither": neither, "p": 1.0, "elo": None}
    if one + other:
        test = stats.binomtest(one, one + other)
        interval = test.proportion_ci(0.95, "exact")
        found["p"] = test.pvalue
        found["elo"] = [elo(one / (one + other)), elo(interval.low), elo(interval.high)]
    found["difference"] = newcombe(both, one, other, neither) if pairs else [0, -100, 100]
    return found


def is_close(told, expected):
    if expected is None or (isinstance(expected, float) and math.isinf(expected)):
        return told is None
    return told is not None and math.isclose(told, expected, rel_tol=1e-6, abs_tol=1e-7)


class Judge:
    def __init__(self):
        self.compared, self.wrong = 0, []

    def check(self, where, told, expected):
        self.compared += 1
        if not is_close(told, expected):
            self.wrong.append(f"{where}: {told}, expected {expected}")

    def family(self, where, told, expected):
        """Judges comparisons whose p-values are corrected together."""
        corrected = multipletests([found["p"] for found in expected], method="holm")[1] if expected else []
        for number, (one, two, p) in enumerate(zip(told, expected, corrected, strict=True)):
            here = f"{where} {number}"
            for name in ("both", "first_only", "second_only", "neither", "p"):
                self.check(f"{here} {name}", one[name], two[name])
            self.check(f"{here} corrected", one["corrected_p"], p)
            for name in ("difference", "elo"):
                values = [None] * 3 if one[name] is None else [one[name][end] for end in ("value", "low", "high")]
                for value, wanted in zip(values, two[name] or [None] * 3):
                    self.check(f"{here} {name}", value, wanted)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("herald")
    parser.add_argument("runs", nargs="+")
    parser.add_argument("--theme", default="auto")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        table = pathlib.Path(folder) / "report.csv"
        command = [arguments.herald, "epd", "report", *arguments.runs, "--json", "--csv", table, "--theme", arguments.theme]
        report = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        with open(table, newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
    names = [run["name"] for run in report["runs"]]
    problems = {}
    for row in rows:
        problem = problems.setdefault(row["number"], {"theme": row["theme"], "solved": {}})
        problem["solved"][row["run"]] = row["solved"] == "1"
    tried = [problem for problem in problems.values() if names[0] in problem["solved"]]
    pairs = lambda other, theme: [
        (problem["solved"][names[0]], problem["solved"][other])
        for problem in tried
        if other in problem["solved"] and theme in (None, problem["theme"])
    ]
    judge = Judge()
    for run in report["runs"]:
        solved = [problem["solved"][run["name"]] for problem in problems.values() if run["name"] in problem["solved"]]
        judge.check(f"{run['name']} solved", run["solved"], sum(solved))
        low, high = proportion_confint(sum(solved), len(solved), method="wilson")
        for told, expected in zip(run["interval"], (100 * low, 100 * high)):
            judge.check(f"{run['name']} interval", told, expected)
    judge.family("runs", report["comparisons"], [compare(pairs(other, None)) for other in names[1:]])
    themes = [theme for theme in report["themes"] if theme["name"] != "(others)"]
    if len(themes) == len(report["themes"]):
        expected = [compare(pairs(other, theme["name"])) for theme in themes for other in names[1:]]
        judge.family("themes", [one for theme in themes for one in theme["comparisons"]], expected)
    print(f"{len(rows)} rows, {len(report['themes'])} themes: {judge.compared} values compared, {len(judge.wrong)} differ")
    print("\n".join(judge.wrong[:20]))
    sys.exit(1 if judge.wrong else 0)


if __name__ == "__main__":
    main()
