"""The yardstick of epd.rs: python-chess reads the records of a file and writes them, with every move found in its position.

Prints records a second of the processor's time, the median of some rounds.
"""

import statistics
import sys
import time

import chess

with open(sys.argv[1], encoding="utf-8") as file:
    lines = [line for line in file if line.strip()]


def records_a_second():
    began = time.process_time()
    for line in lines:
        board = chess.Board()
        operations = board.set_epd(line)
        board.epd(**operations)
    return len(lines) / (time.process_time() - began)


print(statistics.median(records_a_second() for _ in range(max(5, 3000 // len(lines)))))
