#!/usr/bin/env python3
"""Elementary endings against a lone king: how many of those that are won does the program win?

    tests/peers/endings.py target/release/herald TABLES [NODES...]

TABLES is a folder of Syzygy tables of three and four men: they say which random positions are won, and play the lone king so that
it holds out as long as it can. White is the program, with NODES a move (2000 and 20000) and 16 MiB. From the environment: POSITIONS
(200) of each ending, ENDINGS ("KQ KR KBB KBN KP KRP"). Not won is what ends by stalemate, fifty moves or the third repetition, or by
the loss of what could mate. Prints a row of a table for each ending; "moves" is the mean length of the games that were won.
"""

import collections
import os
import random
import subprocess
import sys

import chess
import chess.syzygy


def random_position(pieces: str, tables: chess.syzygy.Tablebase, rng: random.Random) -> chess.Board:
    """A position with White to move that White wins."""
    while True:
        squares = rng.sample(chess.SQUARES, len(pieces) + 1)
        board = chess.Board(None)
        for square, letter in zip(squares, pieces + "k"):
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        if board.is_valid() and tables.probe_wdl(board) == 2:
            return board


def hold_out(board: chess.Board, tables: chess.syzygy.Tablebase, rng: random.Random) -> chess.Move:
    """The move of the lone king that draws, or else loses as late as can be."""

    def distance(move: chess.Move) -> int:
        board.push(move)
        key = board.board_fen()
        if key not in DISTANCES:
            DISTANCES[key] = 1000 if board.is_insufficient_material() else tables.probe_dtz(board) or 1000
        board.pop()
        return DISTANCES[key]

    moves = list(board.legal_moves)
    distances = list(map(distance, moves))
    return rng.choice([move for move, far in zip(moves, distances) if far == max(distances)])


# To the next capture, pawn move or mate, with White to move, by the squares of the pieces; 1000 for a draw.
DISTANCES: dict[str, int] = {}


class Herald:
    """The program over UCI."""

    def __init__(self, path: str):
        self.process = subprocess.Popen([path, "uci"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.send("setoption name Hash value 16")

    def send(self, line: str) -> None:
        print(line, file=self.process.stdin, flush=True)

    def move(self, start: str, board: chess.Board, nodes: int) -> chess.Move:
        self.send(f"position fen {start} moves {' '.join(map(str, board.move_stack))}\ngo nodes {nodes}")
        words = next(line for line in self.process.stdout if line.startswith("bestmove")).split()
        return chess.Move.from_uci(words[1])


def play(herald: Herald, board: chess.Board, nodes: int, tables: chess.syzygy.Tablebase) -> bool:
    """Plays to the end; whether White mates."""
    start, seen, rng = board.fen(), collections.Counter(), random.Random(board.fen())
    herald.send("ucinewgame")
    while any(board.legal_moves):
        seen[board.epd()] += 1
        if seen[board.epd()] == 3 or board.halfmove_clock >= 100 or board.is_insufficient_material():
            return False
        if board.turn == chess.WHITE:
            board.push(herald.move(start, board, nodes))
        else:
            board.push(hold_out(board, tables, rng))
    return board.is_check()


def main() -> None:
    path, folder, *nodes = sys.argv[1:]
    positions = int(os.environ.get("POSITIONS", "200"))
    herald = Herald(path)
    with chess.syzygy.open_tablebase(folder) as tables:
        for limit in map(int, nodes or ["2000", "20000"]):
            for pieces in os.environ.get("ENDINGS", "KQ KR KBB KBN KP KRP").split():
                rng = random.Random(pieces)
                starts = [random_position(pieces, tables, rng) for _ in range(positions)]
                won = [board for board in starts if play(herald, board, limit, tables)]
                mean = sum(len(board.move_stack) + 1 for board in won) / 2 / max(len(won), 1)
                print(f"| {limit} | {pieces}-K | {len(won)} of {positions} | {mean:.1f} |", flush=True)
    herald.send("quit")


if __name__ == "__main__":
    main()
