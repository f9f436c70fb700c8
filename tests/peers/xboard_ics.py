#!/usr/bin/env python3
"""A small chess server of FICS's kind, to which a real XBoard connects as the operator of a computer account (zippy) with Herald.

    tests/peers/xboard_ics.py HERALD FOLDER [--only NAME ...]

The server plays Carla, who challenges Herald again and again: games with clocks and lag, draws offered early and in a dead draw,
requests to take back, aborts, adjournments that are resumed, rematches, flags, Crazyhouse with pieces in hand. Each sequence is checked by what
XBoard sends to the server, and at the end by what it and Herald said to each other. FOLDER receives XBoard's log, the server's and a
picture. Needs XBoard 4.9.1, Xvfb, ImageMagick's import and python-chess. Exit status 1 if a sequence went wrong.
"""

import argparse
import random
import re
import socket
import subprocess
import sys
import time
from pathlib import Path

import chess
import chess.variant

from virtual_screen import VirtualScreen

HERALD, CARLA = "Herald", "Carla"
# Seconds to wait for XBoard's next line.
PATIENCE = 30
PROMPT = "fics% "


class Wrong(Exception):
    """What XBoard or Herald did that they must not do, or did not do."""


class Line:
    """The connection: lines in both directions."""

    def __init__(self, connection, log):
        self.connection, self.log, self.pending = connection, log, b""

    def tell(self, text):
        print("> " + text.replace("\n", "\n> "), file=self.log, flush=True)
        self.connection.sendall(("\r\n" + text + "\r\n" + PROMPT).replace("\n", "\r\n").replace("\r\r", "\r").encode())

    def hear(self, patience=PATIENCE):
        """The next line, or None if there is none in time."""
        until = time.monotonic() + patience
        while b"\n" not in self.pending:
            self.connection.settimeout(max(0.01, until - time.monotonic()))
            try:
                more = self.connection.recv(4096)
            except TimeoutError:
                return None
            if not more:
                raise Wrong("XBoard has closed the connection")
            self.pending += more
        line, self.pending = self.pending.split(b"\n", 1)
        text = line.decode(errors="replace").strip().lstrip("$")
        print("< " + text, file=self.log, flush=True)
        return text

    def expect(self, pattern, patience=PATIENCE):
        """The match of the first line of this form; others before it are settings and the like."""
        until = time.monotonic() + patience
        while (left := until - time.monotonic()) > 0:
            line = self.hear(left)
            if line is not None and (found := re.fullmatch(pattern, line)):
                return found
        raise Wrong(f"no `{pattern}` in {patience} s")


class Game:
    """One game on the server. Herald's moves are charged without the network's lag."""

    LAG = 0.15

    def __init__(self, line, number, herald_is_white, kind="blitz", minutes=1, increment=1, ratings=(2800, 1200), start=None):
        self.line, self.number, self.kind = line, number, kind
        self.board = chess.variant.CrazyhouseBoard() if kind == "crazyhouse" else chess.Board()
        for move in start or []:
            self.board.push_san(move)
        self.color = chess.WHITE if herald_is_white else chess.BLACK
        self.minutes, self.increment, self.ratings = minutes, increment, ratings
        self.clocks = {chess.WHITE: 60.0 * minutes, chess.BLACK: 60.0 * minutes}
        self.asked = None

    @property
    def names(self):
        return (HERALD, CARLA) if self.color else (CARLA, HERALD)

    @property
    def title(self):
        return f"Game {self.number} ({self.names[0]} vs. {self.names[1]})"

    def challenge(self):
        """Carla challenges until Herald's operator accepts, and the game begins. XBoard declines until the program has answered."""
        ours, theirs = self.ratings
        for _ in range(10):
            self.line.tell(
                f"Challenge: {CARLA} ({theirs}) {HERALD} ({ours}) unrated {self.kind} {self.minutes} {self.increment}.\n"
                f'You can "accept" or "decline", or propose different parameters.'
            )
            if self.line.expect(f"(accept|decline) {CARLA}")[1] == "accept":
                return self.begin("Creating")
            time.sleep(0.5)
        raise Wrong("the program does not become ready")

    def begin(self, word):
        ours, theirs = self.ratings
        pair = [f"{name} ({ours if name == HERALD else theirs})" for name in self.names]
        self.line.tell(
            f"{word}: {pair[0]} {pair[1]} unrated {self.kind} {self.minutes} {self.increment}\n"
            f"{{{self.title} {word} unrated {self.kind} match.}}"
        )
        self.show()

    def show(self):
        board = self.board
        rows = [
            "".join((board.piece_at(chess.square(file, rank)) or "-").__str__() for file in range(8)) for rank in range(7, -1, -1)
        ]
        rights = [
            int(board.has_kingside_castling_rights(True)), int(board.has_queenside_castling_rights(True)),
            int(board.has_kingside_castling_rights(False)), int(board.has_queenside_castling_rights(False)),
        ]  # fmt: skip
        last = verbose(board) if board.move_stack else ("none", "none")
        fields = [
            "<12>", *rows, "W" if board.turn else "B", str(pushed_file(board)), *map(str, rights), str(board.halfmove_clock),
            str(self.number), *self.names, "1" if board.turn == self.color else "-1", str(self.minutes), str(self.increment),
            "39", "39", *(str(int(1000 * self.clocks[color])) for color in (True, False)), str(board.fullmove_number),
            last[0], "(0:01.000)", last[1], str(int(not self.color)), "1", "0",
        ]  # fmt: skip
        self.line.tell(" ".join(fields))
        if self.kind == "crazyhouse":
            # After the board: XBoard gives them to the position that it has.
            white, black = (str(board.pockets[color]).upper() for color in (True, False))
            self.line.tell(f"<b1> game {self.number} white [{white}] black [{black}]")
        # The time in milliseconds, as XBoard has asked for; it knows them by the point in the time of the last move.
        self.asked = time.monotonic()

    def hear_move(self):
        """Herald's next move. Returns False if it came with an offer or acceptance of a draw."""
        quiet = True
        until = time.monotonic() + self.clocks[self.color] + 5
        while (left := until - time.monotonic()) > 0:
            line = self.line.hear(left)
            if line is None:
                break
            if re.match(r"moves \d+", line):
                self.tell_moves()
            if line == "draw":
                quiet = False
            try:
                move = self.read(line)
            except ValueError:
                continue
            used = max(0.0, time.monotonic() - self.asked - self.LAG)
            self.clocks[self.color] += self.increment - used
            if self.clocks[self.color] < self.increment:
                raise Wrong(f"Herald has used all its time in {self.board.fen()}")
            self.board.push(move)
            return quiet
        raise Wrong(f"no move in {self.board.fen()}")

    def read(self, line):
        if line in ("o-o", "o-o-o"):
            return self.board.parse_san(line.upper())
        return self.board.parse_uci(line.replace("=", ""))

    def play(self, move=None):
        """Carla's move: any if none is given."""
        move = self.board.parse_san(move) if move else random.choice(list(self.board.legal_moves))
        time.sleep(self.LAG)
        self.board.push(move)
        self.show()

    def exchange(self, moves):
        """So many moves of each side, or the moves of Carla."""
        for move in [None] * moves if isinstance(moves, int) else moves:
            if self.board.turn == self.color:
                self.hear_move()
                self.show()
            # Herald may have mated.
            if self.board.is_game_over():
                return
            self.play(move)

    def tell_moves(self):
        """The list of moves, for which XBoard asks when it comes into a game that has begun."""
        ours, theirs = self.ratings
        pair = [f"{name} ({ours if name == HERALD else theirs})" for name in self.names]
        board, rows = chess.Board(), []
        for move in self.board.move_stack:
            if board.turn:
                rows.append(f"{board.fullmove_number:3}.  ")
            rows[-1] += f"{board.san(move):7} (0:01)     "
            board.push(move)
        self.line.tell("\n".join([
            f"Movelist for game {self.number}:", "",
            f"{pair[0]} vs. {pair[1]} --- Tue Nov 24, 10:00 PST 2026",
            f"Unrated {self.kind} match, initial time: {self.minutes} minutes, increment: {self.increment} seconds.", "",
            f"Move  {self.names[0]:18} {self.names[1]}", "----  ----------------   ----------------",
            *rows, "      {Still in progress} *", "",
        ]))  # fmt: skip

    def end(self, reason, result):
        self.line.tell(f"{{{self.title} {reason}}} {result}")


def verbose(board):
    """The last move in the server's two notations."""
    move = board.pop()
    san = board.san(move)
    if board.is_castling(move):
        long = "o-o" if board.is_kingside_castling(move) else "o-o-o"
    elif move.drop:
        long = f"{chess.piece_symbol(move.drop).upper()}/@@-{chess.square_name(move.to_square)}"
    else:
        piece = board.piece_at(move.from_square).symbol().upper()
        long = f"{piece}/{chess.square_name(move.from_square)}-{chess.square_name(move.to_square)}"
        if move.promotion:
            long += "=" + chess.piece_symbol(move.promotion).upper()
    board.push(move)
    # python-chess leaves out the letter of a pawn that is dropped.
    return long, "P" + san if san.startswith("@") else san


def pushed_file(board):
    move = board.peek() if board.move_stack else None
    if move is None or move.drop:
        return -1
    is_push = board.piece_type_at(move.to_square) == chess.PAWN and abs(move.to_square - move.from_square) == 16
    return chess.square_file(move.to_square) if is_push else -1


# The sequences. Each gets a number of a game and leaves Herald without a game.


def resigned(line, number):
    """A few moves, then Carla resigns."""
    game = Game(line, number, herald_is_white=False)
    game.challenge()
    game.exchange(["e4", "d4", "Nf3", None])
    game.end(f"{CARLA} resigns", "0-1")


def early_offer(line, number):
    """A draw offered in the first moves is refused, also by a player of the same strength."""
    for ratings in [(2800, 1200), (2000, 2000)]:
        game = Game(line, number, herald_is_white=True, ratings=ratings)
        game.challenge()
        for _ in range(3):
            if not game.hear_move():
                raise Wrong("a draw was accepted at once")
            game.show()
            line.tell(f"{CARLA} offers you a draw.")
            game.play()
        game.end(f"{CARLA} resigns", "1-0")
        number += 1


def aborted(line, number):
    """Carla asks for an abort while Herald thinks; the operator agrees."""
    game = Game(line, number, herald_is_white=False)
    game.challenge()
    game.exchange(["e4", "d4"])
    # XBoard passes over FICS's words for it and knows only those of ICC.
    line.tell(f"{CARLA} requests that the game be aborted.")
    line.expect("abort")
    game.end("Game aborted by mutual agreement", "*")


def take_back_refused(line, number):
    """Carla asks to take moves back. The operator of a computer account is silent, and the game goes on."""
    game = Game(line, number, herald_is_white=False)
    game.challenge()
    game.exchange(["e4", "d4"])
    game.hear_move()
    game.show()
    line.tell(f"{CARLA} would like to take back 2 half move(s).")
    game.exchange(["Nc3", "h3"])
    game.hear_move()
    game.end(f"{CARLA} resigns", "0-1")


def adjourned(line, number):
    """A game is adjourned and resumed, with its list of moves; Herald plays on."""
    game = Game(line, number, herald_is_white=False, minutes=2)
    game.challenge()
    game.exchange(["e4", "d4", "c3"])
    line.tell(f"{CARLA} requests adjournment.")
    line.expect("adjourn")
    game.end("Game adjourned by mutual agreement", "*")
    time.sleep(1)
    # Herald was on move.
    game.number += 1
    game.begin("Continuing")
    line.expect(r"moves \d+")
    game.tell_moves()
    game.exchange(["a3", "h3"])
    game.hear_move()
    game.end(f"{CARLA} resigns", "0-1")


def rematches(line, number):
    """Three games at once after each other, with changing colours."""
    for extra in range(3):
        game = Game(line, number + extra, herald_is_white=extra % 2 == 0)
        game.challenge()
        game.exchange(2)
        game.end(f"{CARLA} resigns", "1-0" if game.color else "0-1")


def flag(line, number):
    """Herald is on move when Carla's flag is called, and again when a game is over at its own move."""
    game = Game(line, number, herald_is_white=True)
    game.challenge()
    game.exchange(2)
    game.end(f"{CARLA} forfeits on time", "1-0")
    game = Game(line, number + 1, herald_is_white=False)
    game.challenge()
    game.exchange(["e4"])
    game.end(f"{CARLA} forfeits by disconnection", "0-1")


def mate(line, number):
    """Carla lets herself be mated; the server, not Herald, ends the game."""
    game = Game(line, number, herald_is_white=False)
    game.challenge()
    for move in ["f3", "g4", "h4", "a3", "b3", "c3", "d3", *[None] * 80]:
        if not any(game.board.legal_moves):
            break
        game.play(move if move and move in map(game.board.san, game.board.legal_moves) else None)
        game.hear_move()
        game.show()
    if not game.board.is_checkmate():
        raise Wrong(f"no mate against random moves: {game.board.fen()}")
    game.end(f"{CARLA} checkmated", "0-1")


def crazyhouse(line, number):
    """A game with pieces in hand, of which the server tells with each board."""
    game = Game(line, number, herald_is_white=False, kind="crazyhouse")
    game.challenge()
    game.exchange(["e4", "d4", "Nc3", None, None, None, None, None])
    game.end(f"{CARLA} resigns", "0-1")


def blitz(line, number):
    """A game on a clock of a minute with a lag: Herald does not lose on time."""
    game = Game(line, number, herald_is_white=True, increment=0)
    game.challenge()
    game.exchange(40)
    game.end(f"{CARLA} {'checkmated' if game.board.is_checkmate() else 'resigns'}", "1-0")


SEQUENCES = [resigned, early_offer, aborted, take_back_refused, adjourned, rematches, flag, mate, crazyhouse, blitz]


def start_xboard(arguments, port, folder, screen):
    logon = folder / "logon"
    logon.write_text(f"{HERALD}\nsecret\n")
    command = [
        "xboard", "-ics", "-icshost", "127.0.0.1", "-icsport", str(port), "-icslogon", str(logon), "-zp", "-zippyAbort", "true",
        "-zippyAdjourn", "true", "-zippyMaxGames", "0", "-zippyVariants", "normal,crazyhouse", "-fcp",
        f"{Path(arguments.herald).resolve()} xboard", "-fd", str(folder), "-debugMode", "true", "-nameOfDebugFile",
        str(folder / "debug.log"), "-popupExitMessage", "false", "-popupMoveErrors", "false", "-soundProgram", "true",
        "-saveSettingsOnExit", "false", "-autoCallFlag", "true", "-zippyGameEnd", "", "-zippyReplayTimeout", "0",
    ]  # fmt: skip
    environment = dict(screen.environment, XDG_CONFIG_HOME=str(folder / "config"))
    output = (folder / "xboard.out").open("w")
    return subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=output, stderr=output)


def log_in(line):
    line.connection.sendall(b"\r\n     Welcome to the free internet chess server\r\n\r\nlogin: ")
    line.expect(HERALD)
    line.connection.sendall(b"password: ")
    line.expect("secret")
    line.tell(f"**** Starting FICS session as {HERALD} ****")
    line.expect("style 12")


def complaints(folder):
    """What Herald or XBoard complained of."""
    log = (folder / "debug.log").read_text(errors="replace")
    return [line for line in log.splitlines() if re.search(r"<first *: *(Error|Illegal|tellusererror)|Illegal move \(rejected", line)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("herald")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", nargs="+", choices=[sequence.__name__ for sequence in SEQUENCES])
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    random.seed(arguments.seed)
    folder = arguments.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "debug.log").unlink(missing_ok=True)
    failed = []
    with VirtualScreen() as screen, socket.create_server(("127.0.0.1", 0)) as server, (folder / "server.log").open("w") as log:
        xboard = start_xboard(arguments, server.getsockname()[1], folder, screen)
        try:
            server.settimeout(PATIENCE)
            line = Line(server.accept()[0], log)
            log_in(line)
            # XBoard declines challenges until the program is ready.
            time.sleep(3)
            for index, sequence in enumerate(SEQUENCES):
                if arguments.only and sequence.__name__ not in arguments.only:
                    continue
                print(f"--- {sequence.__name__}", file=log, flush=True)
                try:
                    sequence(line, 10 * index + 1)
                    print(f"{sequence.__name__}: ok", flush=True)
                except Wrong as wrong:
                    failed.append(sequence.__name__)
                    print(f"{sequence.__name__}: {wrong}", flush=True)
                picture = folder / f"{sequence.__name__}.png"
                subprocess.run(["import", "-window", "root", str(picture)], env=screen.environment, check=False)
                time.sleep(0.5)
        finally:
            xboard.kill()
            xboard.wait()
    for line in complaints(folder):
        failed.append("complaint")
        print(line)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
