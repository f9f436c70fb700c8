#!/usr/bin/env python3
"""An event of eight programs whose referees and lines fail one after the other, and what is left in both stores.

    tests/peers/referee_outages.py target/release/herald FOLDER [--tc 4+0.1] [--freeze 30] [--games 1]

Herald (`herald play`), stockfish, toga2, gnuchess, fairymax and phalanx (`herald bridge`) and two clients of this file, written from
docs/REFEREE.md alone, play a round robin under a referee with an observer and a witness, all behind lines that can be cut. Then
the acting referee is frozen, and comes back; the acting referee is killed, and is started again; the acting referee is cut off
from everybody, and comes back; the line between the referees is cut. Exit status 1 unless: each game has one result, both stores hold the same facts,
both games.pgn the same bytes, python-chess reads them without an error, and no clock is charged for an outage: what the clients of this
file are charged is within a second of what they took (an outage lasts longer; a busy machine delays).
"""

import argparse
import collections
import json
import os
import pathlib
import random
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time

import chess.pgn

from referee_client import START, choose, read

PROGRAMS = ["Herald", "Stockfish", "Toga", "GNU", "Fairy-Max", "Phalanx", "Py-One", "Py-Two"]
BRIDGED = {"Stockfish": ("uci", "stockfish"), "Toga": ("uci", "toga2"), "GNU": ("cecp", "gnuchess --xboard"),
           "Fairy-Max": ("cecp", "fairymax"), "Phalanx": ("cecp", "phalanx")}


class Line:
    """A line to a server. While it is cut, bytes wait and no connection gets through; nobody is told."""

    def __init__(self, port):
        self.port, self.open = port, threading.Event()
        self.open.set()
        self.server = socket.create_server(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % self.server.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            near, _ = self.server.accept()
            threading.Thread(target=self.connect, args=(near,), daemon=True).start()

    def connect(self, near):
        self.open.wait()
        try:
            far = socket.create_connection(("127.0.0.1", self.port))
        except OSError:
            near.close()
            return
        for a, b in ((near, far), (far, near)):
            a.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self.carry, args=(a, b), daemon=True).start()

    def carry(self, source, sink):
        try:
            while data := source.recv(65536):
                self.open.wait()
                sink.sendall(data)
        except OSError:
            pass
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


class Client(threading.Thread):
    """A client with heartbeats and clocks that goes round its referees until one says `disconnect`."""

    def __init__(self, name, secret, referees):
        super().__init__(daemon=True)
        self.called, self.secret, self.referees = name, secret, referees
        self.epoch, self.answered, self.charges, self.epochs, self.start_time = 0, None, [], [], time.time()
        self.mine = None  # the game, the clock before our last move, the increment, and our time for it

    def run(self):
        at = 0
        while True:
            host, port = self.referees[at % len(self.referees)].rsplit(":", 1)
            pause = 0.2
            try:
                with socket.create_connection((host, int(port)), timeout=3) as connection:
                    pause = self.serve(connection)
            except OSError:
                pass
            if pause is None:
                return
            time.sleep(pause)
            at += 1

    def serve(self, connection):
        """Plays over one connection. The seconds to wait before the next; None at the end of the event."""
        def say(text):
            connection.sendall((text + "\n").encode())

        connection.settimeout(0.5)
        say(f'{START} Auth "{self.secret}"; Extended; Heartbeat; refreq sign_on; tcsi "" "{self.called}";')
        board, unread, heard, said, welcome = chess.Board(), b"", time.time(), time.time(), False
        while time.time() - heard < (7 if welcome else 12):
            if welcome and time.time() - said >= 2:
                say("")
                said = time.time()
            try:
                data = connection.recv(65536)
            except TimeoutError:
                continue
            if not data:
                return 0.2
            heard, welcome = time.time(), True
            *lines, unread = (unread + data).split(b"\n")
            for line in lines:
                if not line.strip():
                    continue
                fields, operations = read(line.decode("ascii").strip())
                command = operations["refcom"][0]
                epoch = int(operations.get("Epoch", [self.epoch])[0])
                if epoch < self.epoch:
                    return 0.2
                if epoch > self.epoch:
                    self.epochs.append(epoch)
                self.epoch = epoch
                if command == "disconnect":
                    return None
                if command == "fault":
                    return float(operations.get("Retry", ["1"])[0])
                if command in ("execute", "respond", "conclude"):
                    board = chess.Board(f"{fields} {operations.get('hmvc', ['0'])[0]} {operations.get('fmvn', ['1'])[0]}")
                    for san in operations.get("sv") or operations.get("sm", []):
                        board.push_san(san)
                if command == "respond":
                    say(self.reply(board, operations))
                    said = time.time()
        return 0.2

    def reply(self, board, operations):
        game, turn = operations.get("tcgs"), (board.fullmove_number, board.turn)
        clock = operations["Clock"][0 if board.turn else 3:][:2]
        left, increment = (int(value) / 1000 for value in clock)
        if self.mine and self.mine[0] == game and self.mine[1] == turn[0] - 1:
            _, _, before, added, taken = self.mine
            self.charges.append((before + added - left, taken, game, turn[0] - 1))
        if self.answered and self.answered[0] == (game, turn):
            return self.answered[1]
        begun = time.time()
        time.sleep(random.uniform(0.02, 0.15))
        text = f"{board.epd(en_passant='fen')} refreq reply;"
        if not board.is_game_over():
            text += f" sm {board.san(choose(board))};"
        self.answered = ((game, turn), text)
        self.mine = (game, turn[0], left, increment, time.time() - begun)
        return text


class Event:
    """The two referees A and B, the witness, and the lines to them."""

    def __init__(self, herald, folder, options):
        self.herald, self.folder, self.options, self.processes = herald, folder, options, {}
        ports = [socket.create_server(("127.0.0.1", 0)) for _ in range(5)]
        self.ports = [probe.getsockname()[1] for probe in ports]
        for probe in ports:
            probe.close()
        clients_a, clients_b, observers_a, observers_b, witness = self.ports
        self.lines = {"clients A": Line(clients_a), "clients B": Line(clients_b), "B to A": Line(observers_a),
                      "A to B": Line(observers_b), "A to witness": Line(witness), "B to witness": Line(witness)}
        (folder / "token").write_text("token-of-the-referees\n")
        for name in PROGRAMS:
            (folder / f"{name}.secret").write_text(f"secret-of-{name}\n")

    def run(self, name, *words):
        log = open(self.folder / f"{name}.log", "a")
        self.processes[name] = subprocess.Popen([self.herald, *words], stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder)

    def witness(self):
        self.run("witness", "referee", "--as-witness", f"127.0.0.1:{self.ports[4]}", "--token-file", "token", "--folder", "witness", "--background")

    def referee(self, name, observe=True):
        first = name == "A"
        words = ["referee", "--folder", name, "--token-file", "token", "--background", "--event", "Outages", "--quiet", "1", "--max-moves", "60",
                 "--patience", "120", "--margin", "100", *self.options, "--listen", f"127.0.0.1:{self.ports[0 if first else 1]}",
                 "--observers", f"127.0.0.1:{self.ports[2 if first else 3]}", "--witness", self.lines[f"{name} to witness"].address]
        if observe:
            words += ["--observe", self.lines["A to B" if first else "B to A"].address]
        for program in PROGRAMS:
            words += ["--program", f"name={program} secret-file={program}.secret"]
        self.run(name, *words)

    def clients(self):
        referees = [self.lines[f"clients {name}"].address for name in "AB"]
        for name in PROGRAMS:
            given = ["--referee", ",".join(referees), "--name", name, "--secret-file", f"{name}.secret"]
            if name == "Herald":
                self.run(name, "play", *given)
            elif name in BRIDGED:
                protocol, command = BRIDGED[name]
                self.run(name, "bridge", *given, "--protocol", protocol, "--", *command.split())
        pythons = [Client(name, f"secret-of-{name}", referees) for name in PROGRAMS if name.startswith("Py-")]
        for client in pythons:
            client.start()
        return pythons

    def facts(self, name):
        """What has happened, in the store of a referee: the moments in milliseconds since 1970, and the facts. Nothing before it has a store."""
        if not (self.folder / name / "event.sqlite").exists():
            return []
        store = sqlite3.connect(f"file:{self.folder}/{name}/event.sqlite?mode=ro", uri=True)
        return [(at, json.loads(fact)) for at, fact in store.execute("select at, fact from facts order by number")]

    def acting(self):
        """The name of the referee whose term is the last one, by the store of the one that has more facts."""
        facts = max((self.facts(name) for name in "AB"), key=len)
        terms = [fact["by"] for _, fact in facts if fact["fact"] == "epoch"]
        return "A" if not terms or terms[-1] == terms[0] else "B"

    def cut(self, *names, seconds):
        for name in names:
            self.lines[name].open.clear()
        time.sleep(seconds)
        for name in names:
            self.lines[name].open.set()

    def settle(self):
        """Waits until there is an observer again, and until ten moves have been played since."""
        for _ in range(200):
            time.sleep(0.3)
            facts = self.facts(self.acting())
            observer = [n for n, (_, fact) in enumerate(facts) if fact["fact"] == "observer"]
            if observer and facts[observer[-1]][1]["by"] and len(facts) > observer[-1] + 10:
                return
        sys.exit("no observer came back within a minute")


def outages(event, freeze):
    """Lets everything fail once. Returns the moments (milliseconds since 1970) and what failed."""
    happened = []

    def note(what):
        happened.append((time.time() * 1000, what))
        print(f"{time.strftime('%T')} {what}", flush=True)

    event.settle()
    acting = event.acting()
    note(f"{acting} is frozen for {freeze} s")
    os.kill(event.processes[acting].pid, signal.SIGSTOP)
    time.sleep(freeze)
    os.kill(event.processes[acting].pid, signal.SIGCONT)
    event.processes[acting].wait(20)
    note(f"{acting} has left (status {event.processes[acting].returncode}) and is started again")
    event.referee(acting)
    event.settle()
    acting = event.acting()
    note(f"{acting} is killed")
    event.processes[acting].kill()
    event.processes[acting].wait()
    time.sleep(5)
    note(f"{acting} is started again")
    event.referee(acting)
    event.settle()
    acting = event.acting()
    note(f"{acting} is cut off from everybody for 15 s")
    event.cut(f"clients {acting}", "A to B", "B to A", f"{acting} to witness", seconds=15)
    event.processes[acting].wait(20)
    note(f"{acting} has left (status {event.processes[acting].returncode}) and is started again")
    event.referee(acting)
    event.settle()
    note("the line between the referees is cut for 10 s")
    event.cut("A to B", "B to A", seconds=10)
    note("it is mended")
    return happened


def judge(event, happened, pythons, tc):
    """Prints what is left, and returns what is wrong with it."""
    wrong = []
    stores = {name: event.facts(name) for name in "AB"}
    if [fact for _, fact in stores["A"]] != [fact for _, fact in stores["B"]]:
        wrong.append("the stores differ")
    # Each store says when it heard of a fact; it happened when the first one did.
    facts = [(min(a, b), fact) for (a, fact), (b, _) in zip(stores["A"], stores["B"])]
    pgn = {name: (event.folder / name / "games.pgn").read_bytes() for name in "AB"}
    if pgn["A"] != pgn["B"]:
        wrong.append("games.pgn differs")
    games, errors = 0, 0
    with open(event.folder / "A" / "games.pgn") as file:
        while game := chess.pgn.read_game(file):
            games, errors = games + 1, errors + len(game.errors)
    results = collections.Counter(fact["game"] for _, fact in facts if fact["fact"] == "ended")
    if errors or games != len(results) or set(results.values()) != {1}:
        wrong.append(f"{games} games in PGN, {errors} errors, {len(results)} with results, {results.most_common(1)}")
    moves = [(at, fact) for at, fact in facts if fact["fact"] == "moved"]
    used = max(fact["used"] / 1e9 for _, fact in moves)
    charges = [charge for client in pythons for charge in client.charges]
    worst = max(charges, key=lambda charge: charge[0] - charge[1])
    if worst[0] - worst[1] > 1:
        wrong.append(f"a client was charged {worst[0]:.2f} s for {worst[1]:.2f} s in game {worst[2]}, move {worst[3]}")
    reasons = collections.Counter(fact["reason"] for _, fact in facts if fact["fact"] == "ended")
    terms = [fact["epoch"] for _, fact in facts if fact["fact"] == "epoch"]
    if terms != sorted(set(terms)):
        wrong.append(f"terms {terms}")
    print(f"{games} games, {len(facts)} facts and {len(pgn['A'])} bytes of PGN in both stores, {len(moves)} moves, terms {terms}; {dict(reasons)}")
    print(f"longest charge {used:.2f} s at {tc}; {len(charges)} charges of the clients in Python, the worst {1000 * (worst[0] - worst[1]):.0f} ms above their own time")
    for start, what in happened:
        after = [at for at, _ in moves if at >= start]
        gap = max(((b - a) / 1000 for a, b in zip([start, *after], after) if a < start + 12_000), default=0)
        print(f"{what}: at most {gap:.1f} s without a move")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("herald", type=lambda path: str(pathlib.Path(path).resolve()))
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--tc", default="4+0.1")
    parser.add_argument("--games", default="1")
    parser.add_argument("--freeze", type=float, default=30)
    arguments = parser.parse_args()
    arguments.folder.mkdir()
    event = Event(arguments.herald, arguments.folder.resolve(), ["--tc", arguments.tc, "--games", arguments.games])
    try:
        event.witness()
        event.referee("A", observe=False)
        time.sleep(1)
        event.referee("B")
        time.sleep(1)
        pythons = event.clients()
        time.sleep(2)
        happened = outages(event, arguments.freeze)
        for name in "AB":
            event.processes[name].wait(900)
        wrong = judge(event, happened, pythons, arguments.tc)
    finally:
        for process in event.processes.values():
            process.kill()
    for what in wrong:
        print("WRONG:", what)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
