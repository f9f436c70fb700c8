#!/usr/bin/env python3
"""How many mates a UCI program finds, to be compared with what Herald's mate solver does (benches/mate.rs).

    tests/peers/mates.py FILE [--nodes 1000000] [--seconds SECONDS] [--hash 64] [--programs 2] -- ENGINE...

The records are `FEN bm #3;` (the side to move mates in three) or `bm #-3` (it is mated). A mate counts when it is no longer
than stated and its line replays; then the search is ended. With SECONDS it also ends then, for programs that take no limit of
nodes (Ethereal): what they tell beyond the nodes does not count. Needs python-chess.
"""

import argparse
import concurrent.futures
import itertools
import queue
import re

import chess
import chess.engine


def is_found(board, info, stated):
    """Whether that is the mate, with all of its line."""
    score, line = info.get("score"), info.get("pv", [])
    distance = score.relative.mate() if score is not None else None
    if distance is None or (distance > 0) != (stated > 0) or abs(distance) > abs(stated):
        return False
    board = board.copy()
    for move in line:
        if not board.is_legal(move):
            return False
        board.push(move)
    return board.is_checkmate() and len(line) == 2 * abs(distance) - (distance > 0)


def solve(programs, limit, number, line):
    """Whether the program finds the mate of a record, and whether the mover mates."""
    fen, stated = re.match(r"(.*) bm #(-?\d+);", line).groups()
    board, stated = chess.Board(fen + " 0 1"), int(stated)
    program = programs.get()
    try:
        with program.analysis(board, limit, game=number) as analysis:
            told = itertools.takewhile(lambda info: not limit.time or info.get("nodes", 0) <= limit.nodes, analysis)
            return any(is_found(board, info, stated) for info in told), stated > 0
    finally:
        programs.put(program)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("engine", nargs="+")
    parser.add_argument("--nodes", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--hash", type=int, default=64)
    parser.add_argument("--programs", type=int, default=2)
    arguments = parser.parse_args()

    programs = queue.Queue()
    for _ in range(arguments.programs):
        program = chess.engine.SimpleEngine.popen_uci(arguments.engine)
        program.configure({"Hash": arguments.hash})
        programs.put(program)
    with open(arguments.file, encoding="utf-8") as file:
        lines = [line.strip() for line in file if " bm #" in line]
    limit = chess.engine.Limit(nodes=arguments.nodes, time=arguments.seconds)
    count = len(lines)
    with concurrent.futures.ThreadPoolExecutor(arguments.programs) as executor:
        answers = list(executor.map(solve, [programs] * count, [limit] * count, range(count), lines))
    mates, mated = (sum(found for found, is_mover in answers if is_mover == side) for side in (True, False))
    print(f"{mates + mated} of {count}: the mover mates in {mates}, is mated in {mated}")
    while not programs.empty():
        programs.get().quit()


if __name__ == "__main__":
    main()
