#!/usr/bin/env python3
"""Evaluates a match of `random_mover --uci --probe 5`: what the clock charged beyond what the engines say that they took.

    tests/peers/lag.py GAMES.pgn      (written with --pgn-fields time,nodes,lag,clock)
"""

import re
import sys


def at(values, share):
    return values[min(len(values) - 1, int(len(values) * share))]


def main():
    text = re.sub(r"\s+", " ", open(sys.argv[1], encoding="utf-8").read())
    moves = re.findall(r"\{([\d.]+)s, n=(\d+)(?:, lag=([\d.]+)s)?", text)
    beyond = sorted(float(used) * 1e3 - int(own) / 1e3 for used, own, _ in moves)
    lags = sorted(float(lag) * 1e3 for _, _, lag in moves if lag)
    losses = text.count('Termination "time forfeit"')
    late = text.count("were the referee's lag")
    print(f"{len(moves)} moves; {losses} losses on time, {late} of them within the lag of the runner")
    for name, values in (("charged beyond the engine's own time", beyond), ("lag of the runner's thread", lags)):
        if values:
            shares = ", ".join(f"{label} {at(values, share):.1f} ms" for label, share in
                               (("median", 0.5), ("90 %", 0.9), ("99 %", 0.99), ("longest", 1.0)))
            print(f"{name}: {shares}")


main()
