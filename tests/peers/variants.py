#!/usr/bin/env python3
"""Plays games of chess variants with Herald, against random moves or against another program, and counts the points.

    tests/peers/variants.py HERALD [--variant NAME ...] [--games 20] [--protocol uci|xboard]
    tests/peers/variants.py HERALD --peer sjeng --peer-protocol xboard --variant crazyhouse --clock 2+0.02

Against random moves each of Herald's moves has --nodes; against a program both have a clock. python-chess is the judge.
Exit status 1 if Herald made an illegal move, crashed, lost on time or, against random moves, did not win every game.
"""

import argparse
import asyncio
import concurrent.futures
import random
import sys
import time

import chess
import chess.engine
import chess.variant

VARIANTS = ["crazyhouse", "3check", "atomic", "antichess", "kingofthehill", "horde", "racingkings"]
LONGEST_GAME = 600
# Seconds for a move, whatever the clock says: Sjeng does not answer in some lost positions.
PATIENCE = 30
OPENING_PLIES = 4


class Forfeit(Exception):
    """The side to move has lost: the reason."""


class Random:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def move(self, board, _clocks, _increment, _number):
        return self.random.choice(list(board.legal_moves))

    def stop(self):
        pass


class Program:
    def __init__(self, command, protocol, nodes):
        popen = chess.engine.SimpleEngine.popen_uci if protocol == "uci" else chess.engine.SimpleEngine.popen_xboard
        self.command, self.popen, self.nodes = command, popen, nodes
        self.start()

    def start(self):
        # python-chess waits two seconds for the features of CECP; on a busy machine that may be too short.
        for last in [False, False, True]:
            try:
                self.engine = self.popen(self.command, timeout=20)
                return
            except (chess.engine.EngineError, TimeoutError):
                if last:
                    raise

    def move(self, board, clocks, increment, number):
        board = rebuilt(board)
        if self.nodes:
            limit = chess.engine.Limit(nodes=self.nodes)
        else:
            limit = chess.engine.Limit(
                white_clock=clocks[chess.WHITE], black_clock=clocks[chess.BLACK],
                white_inc=increment, black_inc=increment,
            )
        try:
            play = self.engine.protocol.play(board, limit, game=number)
            result = asyncio.run_coroutine_threadsafe(play, self.engine.protocol.loop).result(PATIENCE)
        except (chess.engine.EngineTerminatedError, concurrent.futures.TimeoutError) as error:
            self.engine.close()
            self.start()
            raise Forfeit("crashed" if isinstance(error, chess.engine.EngineError) else "fell silent") from None
        except chess.engine.EngineError as error:
            raise Forfeit(f"illegal: {error}") from None
        if result.resigned:
            raise Forfeit("resigned")
        if result.move is None:
            raise Forfeit("made no move")
        return result.move

    def stop(self):
        try:
            self.engine.quit()
        except (chess.engine.EngineError, TimeoutError):
            self.engine.close()


def rebuilt(board):
    """The same game once more: boards that python-chess has given to an engine share their pockets with earlier ones."""
    again = type(board)()
    for move in board.move_stack:
        again.push(move)
    return again


def play(white, black, variant, clock, margin, seed, number):
    """One game: (points of White, reason, the failing colour or None, board)."""
    board = chess.variant.find_variant(variant)()
    opening = random.Random(seed)
    for _ in range(OPENING_PLIES if clock else 0):
        board.push(opening.choice(list(board.legal_moves)))
    clocks = {chess.WHITE: clock[0], chess.BLACK: clock[0]} if clock else {}
    increment = clock[1] if clock else 0
    while not board.is_game_over(claim_draw=True) and board.ply() < LONGEST_GAME:
        mover = board.turn
        began = time.monotonic()
        try:
            move = (white if mover else black).move(board, clocks, increment, number)
            # The first moves include what python-chess does to start a game.
            if clock and board.ply() >= OPENING_PLIES + 2:
                clocks[mover] += increment - (time.monotonic() - began)
                if clocks[mover] < -margin:
                    raise Forfeit("lost on time")
        except Forfeit as forfeit:
            return (0.0 if mover else 1.0), str(forfeit), mover, board
        board.push(move)
    result = board.result(claim_draw=True)
    points = {"1-0": 1.0, "0-1": 0.0}.get(result, 0.5)
    outcome = board.outcome(claim_draw=True)
    return points, outcome.termination.name.lower() if outcome else "longest game", None, board


def match(arguments, variant):
    herald = Program([arguments.herald, arguments.protocol], arguments.protocol, 0 if arguments.peer else arguments.nodes)
    if arguments.peer:
        peer = Program(arguments.peer.split(), arguments.peer_protocol, 0)
    else:
        peer = Random(arguments.seed)
    base, increment = map(float, arguments.clock.split("+"))
    clock = (base, increment) if arguments.peer else None
    points, accidents, tally = 0.0, 0, {}
    for number in range(arguments.games):
        is_white = number % 2 == 0
        players = (herald, peer) if is_white else (peer, herald)
        for_white, reason, failed, board = play(*players, variant, clock, arguments.margin, arguments.seed + number // 2, number)
        points += for_white if is_white else 1 - for_white
        tally[reason] = tally.get(reason, 0) + 1
        accident = failed is not None and failed == (chess.WHITE if is_white else chess.BLACK) and reason != "resigned"
        accidents += accident
        if (failed is not None and reason != "resigned") or (not arguments.peer and for_white != float(is_white)):
            print(f"{variant}, game {number + 1}: {reason}: {board.fen()} after {' '.join(map(str, board.move_stack))}")
    herald.stop()
    peer.stop()
    print(f"{variant}: {points:g}/{arguments.games} ({', '.join(f'{n} {reason}' for reason, n in tally.items())})")
    return accidents == 0 and (bool(arguments.peer) or points == arguments.games)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("herald")
    parser.add_argument("--variant", nargs="+", default=VARIANTS)
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--nodes", type=int, default=3000)
    parser.add_argument("--protocol", choices=["uci", "xboard"], default="uci")
    parser.add_argument("--peer")
    parser.add_argument("--peer-protocol", choices=["uci", "xboard"], default="xboard")
    parser.add_argument("--clock", default="2+0.02")
    parser.add_argument("--margin", type=float, default=0.1, help="seconds that a clock may be overdrawn")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    return 0 if all([match(arguments, variant) for variant in arguments.variant]) else 1


if __name__ == "__main__":
    sys.exit(main())
