#!/usr/bin/env python3
"""Reads games with python-chess: every move must be legal, and every game that ended by the rules must have ended.

    tests/peers/read_pgn.py GAMES.pgn ...
"""

import sys

import chess.pgn
import chess.variant


def main():
    for path in sys.argv[1:]:
        count = plies = 0
        with open(path, encoding="utf-8") as file:
            while game := chess.pgn.read_game(file):
                assert not game.errors, (path, game.headers, game.errors)
                board = game.end().board()
                if game.headers["Termination"] == "normal" and "resigns" not in game.end().comment:
                    outcome = board.outcome(claim_draw=True)
                    assert outcome and outcome.result() == game.headers["Result"], (path, game.headers, board.fen())
                count, plies = count + 1, plies + len(list(game.mainline_moves()))
        print(f"{path}: {count} games, {plies} plies of {type(board).uci_variant}")


main()
