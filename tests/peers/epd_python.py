#!/usr/bin/env python3
"""Whether python-chess reads what `herald epd normalize` and `purge` write: the same position and operations as before.

epd_python.py FOLDER [HERALD]: for each file of the folder, the records that python-chess reads, and how many of them it reads with
the same position and operations from Herald's output (moves as moves, so that their spelling may differ).
"""

import os
import subprocess
import sys

import chess


def read(line):
    """Position and operations; None if python-chess refuses the record."""
    board = chess.Board(None)
    try:
        operations = board.set_epd(line)
    except (ValueError, IndexError, AssertionError):
        return None
    board.halfmove_clock, board.fullmove_number = 0, 1
    sets = {key: sorted(map(str, value)) if key in ("am", "bm") and isinstance(value, list) else value for key, value in operations.items()}
    return board.epd(), sets


def written(herald, path, arguments):
    done = subprocess.run([herald, "epd", *arguments, path], capture_output=True, check=False)
    return done.stdout.decode(errors="replace").splitlines()


def is_same(before, after, without=()):
    kept = {key: value for key, value in before[1].items() if key not in without}
    return after is not None and before[0] == after[0] and kept == after[1]


def main():
    folder = sys.argv[1]
    herald = sys.argv[2] if len(sys.argv) > 2 else "target/release/herald"
    failed = 0
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        with open(path, encoding="utf-8", errors="replace") as file:
            given = [read(line) for line in file.read().splitlines()]
        readable = sum(record is not None for record in given)
        told = []
        for verb, arguments, gone in [("normalize", ["normalize"], ()), ("purge id", ["purge", "id"], ("id",))]:
            lines = written(herald, path, arguments)
            pairs = zip(given, map(read, lines), strict=True)
            lost = [number for number, (before, after) in enumerate(pairs, 1) if before and not is_same(before, after, gone)]
            told.append(f"{verb} {readable - len(lost)}")
            failed += len(lost)
            for number in lost[:3]:
                print(f"  {name}:{number}: {verb}: {lines[number - 1]}")
        repaired = [read(line) for line in written(herald, path, ["normalize", "--repair", "all"])]
        told.append(f"read after --repair all {sum(record is not None for record in repaired)}")
        print(f"{name}: {len(given)} lines, {readable} read by python-chess; the same after {', '.join(told)}")
    sys.exit(failed > 0)


main()
