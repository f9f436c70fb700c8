#!/usr/bin/env python3
"""Plays games between two UCI programs on a clock and counts what must not happen.

    tests/peers/match.py HERALD PEER --games 100 --clock 1+0.01 [--pgn FILE] [--openings FILE] [--concurrency 2]

Openings come in pairs with colours reversed: random legal plies (--seed), or the positions of an EPD file. Exit status 1
if HERALD (the first program) crashed, lost on time or made an illegal move. Needs python-chess.
"""

import argparse
import concurrent.futures
import random
import select
import subprocess
import sys
import time

import chess
import chess.pgn

PLIES_OF_RANDOM_OPENING = 8
LONGEST_GAME = 400


class Failure(Exception):
    """The program to move has lost: the reason."""


class Program:
    def __init__(self, command, options):
        self.command = command
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0
        )
        self.pending = b""
        self.say("uci")
        self.hear("uciok", 20)
        for name, value in options:
            self.say(f"setoption name {name} value {value}")

    def say(self, line):
        try:
            self.process.stdin.write(line.encode() + b"\n")
        except BrokenPipeError:
            raise Failure("crash") from None

    def hear(self, beginning, seconds):
        """The next line that starts so, and the moment it was complete."""
        end = time.monotonic() + seconds
        while True:
            while b"\n" in self.pending:
                line, self.pending = self.pending.split(b"\n", 1)
                if line.startswith(beginning.encode()):
                    return line.decode(errors="replace").strip()
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                raise Failure("silence")
            data = self.process.stdout.read(65536)
            if not data:
                raise Failure("crash")
            self.pending += data

    def stop(self):
        try:
            self.say("quit")
            self.process.wait(2)
        except (Failure, subprocess.TimeoutExpired):
            self.process.kill()


def play(white, black, start, base, increment):
    """One game: (result, reason, board, the failing colour or None)."""
    board = start.copy()
    players = {chess.WHITE: white, chess.BLACK: black}
    clocks = {chess.WHITE: base, chess.BLACK: base}
    for program in players.values():
        program.say("ucinewgame")
        program.say("isready")
        program.hear("readyok", 20)
    while not board.is_game_over(claim_draw=True) and len(board.move_stack) < LONGEST_GAME:
        color, program = board.turn, players[board.turn]
        moves = " ".join(move.uci() for move in board.move_stack)
        milliseconds = {side: max(1, int(seconds * 1000)) for side, seconds in clocks.items()}
        try:
            program.say(f"position fen {start.fen()}" + (f" moves {moves}" if moves else ""))
            begun = time.monotonic()
            program.say(
                f"go wtime {milliseconds[chess.WHITE]} btime {milliseconds[chess.BLACK]}"
                f" winc {int(increment * 1000)} binc {int(increment * 1000)}"
            )
            answer = program.hear("bestmove", clocks[color] + 10).split()
            clocks[color] -= time.monotonic() - begun
            if clocks[color] < 0:
                raise Failure("time")
            clocks[color] += increment
            try:
                move = chess.Move.from_uci(answer[1])
            except (IndexError, ValueError):
                raise Failure("illegal move") from None
            if not board.is_legal(move):
                raise Failure("illegal move")
            board.push(move)
        except Failure as failure:
            return ("0-1" if color else "1-0"), str(failure), board, color
    return board.result(claim_draw=True), "rules" if board.is_game_over(claim_draw=True) else "length", board, None


def openings(arguments):
    rng = random.Random(arguments.seed)
    if arguments.openings:
        lines = [line.split() for line in open(arguments.openings) if line.strip()]
        rng.shuffle(lines)
        for fields in lines:
            yield chess.Board(" ".join((fields + ["0", "1"])[:6] if len(fields) < 6 else fields[:6]))
    while True:
        board = chess.Board()
        for _ in range(PLIES_OF_RANDOM_OPENING):
            board.push(rng.choice(list(board.legal_moves)))
            if board.is_game_over():
                break
        else:
            yield chess.Board(board.fen())


def play_game(number, start, arguments):
    base, increment = (float(part) for part in arguments.clock.split("+"))
    commands = [arguments.herald.split(), arguments.peer.split()]
    options = [("Hash", 16)]
    programs = [Program(command, options) for command in commands]
    first_is_white = number % 2 == 0
    white, black = programs if first_is_white else programs[::-1]
    try:
        result, reason, board, failed = play(white, black, start, base, increment)
    finally:
        for program in programs:
            program.stop()
    culprit = None if failed is None else 0 if (failed == chess.WHITE) == first_is_white else 1
    points = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5, "*": 0.5}[result]
    return number, result, reason, board, culprit, points if first_is_white else 1 - points


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("herald", help="command, such as 'target/release/herald uci'")
    parser.add_argument("peer")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--clock", default="1+0.01")
    parser.add_argument("--pgn")
    parser.add_argument("--openings")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--concurrency", type=int, default=1)
    arguments = parser.parse_args()

    starts = openings(arguments)
    pairs = [next(starts) for _ in range((arguments.games + 1) // 2)]
    score, count, failures = 0.0, [0, 0, 0], {}
    with concurrent.futures.ThreadPoolExecutor(arguments.concurrency) as pool:
        games = [pool.submit(play_game, n, pairs[n // 2], arguments) for n in range(arguments.games)]
        for done in games:
            number, result, reason, board, culprit, points = done.result()
            score += points
            count[int(points * 2)] += 1
            if culprit is not None:
                key = (["Herald", "peer"][culprit], reason)
                failures[key] = failures.get(key, 0) + 1
            if arguments.pgn:
                game = chess.pgn.Game.from_board(board)
                game.headers["White"], game.headers["Black"] = (
                    (arguments.herald, arguments.peer) if number % 2 == 0 else (arguments.peer, arguments.herald)
                )
                game.headers["Result"], game.headers["Termination"] = result, reason
                with open(arguments.pgn, "a", encoding="utf-8") as file:
                    print(game, end="\n\n", file=file)
    print(f"{arguments.peer}: {score}/{arguments.games}, +{count[2]} ={count[1]} -{count[0]} at {arguments.clock}")
    for (who, reason), times in sorted(failures.items()):
        print(f"  {who}: {reason} {times}x")
    return 1 if any(who == "Herald" for who, _ in failures) else 0


if __name__ == "__main__":
    sys.exit(main())
