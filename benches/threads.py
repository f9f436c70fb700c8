#!/usr/bin/env python3
"""What a second thread brings: nodes per second against two processes of one thread each, and time to a depth.

    benches/threads.py HERALD POSITIONS.epd [DEPTH [SECONDS]]

50 positions, evenly from the file; 64 MiB. Nodes per second: every fifth of them for SECONDS (2), one after the other, in turns
with two processes that search the same position at the same time. Time to DEPTH (15): each position once with one thread and
once with two, from an empty table; the ratio of the sums, and the geometric mean of the ratios.
"""

import statistics
import sys
import threading
from pathlib import Path

import chess
import chess.engine


class Engine:
    """Herald with so many threads."""

    def __init__(self, path: str, threads: int):
        self.engine = chess.engine.SimpleEngine.popen_uci([path, "uci"])
        self.engine.configure({"Hash": 64, "Threads": threads})

    def search(self, board: chess.Board, limit: chess.engine.Limit) -> tuple[int, float]:
        """Nodes and seconds of a search in a new game."""
        info = self.engine.analyse(board, limit, game=object())
        return info["nodes"], info["time"]


def nodes_per_second(one: Engine, other: Engine, both: Engine, board: chess.Board, seconds: float) -> tuple[float, float]:
    """Of two processes together, and of two threads."""
    limit = chess.engine.Limit(time=seconds)
    found = []
    threads = [
        threading.Thread(target=lambda engine=engine: found.append(engine.search(board, limit))) for engine in (one, other)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    nodes, time = both.search(board, limit)
    return sum(nodes / time for nodes, time in found), nodes / time


def main() -> None:
    herald, file, *rest = sys.argv[1:]
    depth, seconds = [*map(int, rest), *[15, 2][len(rest) :]]
    lines = [line for line in Path(file).read_text().splitlines() if line.strip()]
    boards = [chess.Board() for _ in range(50)]
    for at, board in enumerate(boards):
        board.set_epd(lines[at * len(lines) // len(boards)])
    one, other, both = Engine(herald, 1), Engine(herald, 1), Engine(herald, 2)
    speeds = [nodes_per_second(one, other, both, board, seconds) for board in boards[::5]]
    ratios = [threads / processes for processes, threads in speeds]
    print(f"nodes per second, two threads to two processes: median {statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})")
    limit = chess.engine.Limit(depth=depth)
    times = [(one.search(board, limit)[1], both.search(board, limit)[1]) for board in boards]
    single, double = map(sum, zip(*times))
    mean = statistics.geometric_mean(max(a, 0.001) / max(b, 0.001) for a, b in times)
    print(f"time to depth {depth}: {single:.1f} s and {double:.1f} s, {single / double:.2f} times as fast, in the geometric mean {mean:.2f}")
    for engine in (one, other, both):
        engine.engine.quit()


if __name__ == "__main__":
    main()
