#!/usr/bin/env python3
"""A hundred steps of a person at a real XBoard, in any order that people find; after each of them Herald must still answer.

    tests/peers/xboard_operator.py HERALD FOLDER

Between XBoard and Herald stands this script as a go-between. After each step it asks Herald itself with a `ping` that XBoard doesn't
see. A `pong` is an answer, and so is the refusal of a paused program, but only where XBoard has paused it. Herald must not complain
of anything that XBoard says. FOLDER receives the dialogue, and pictures of the important places. Needs XBoard 4.9.1 in its usual
size, Xvfb, xdotool and ImageMagick's import. Exit status 1 if a step was not answered.
"""

import argparse
import re
import shlex
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

from virtual_screen import VirtualScreen

# Seconds in which Herald must answer. Its moves take a second.
PATIENCE = 10
# Pings of the go-between begin here; XBoard counts from 1.
FIRST_PROBE = 900_000


def go_between(command, folder):
    """Passes the lines between XBoard and the program, and the questions of the script to the program."""
    program = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    lock, answered, paused = threading.Lock(), {}, threading.Event()
    log = (folder / "dialogue.log").open("a")

    def note(direction, line):
        print(f"{time.monotonic():.3f} {direction} {line.decode(errors='replace').rstrip()}", file=log, flush=True)

    def tell(line):
        with lock:
            program.stdin.write(line)
            program.stdin.flush()

    def from_program():
        for line in program.stdout:
            note("<", line)
            probe = re.match(rb"(?:pong |Error \(paused\): ping )(9\d{5})\s*$", line)
            if probe:
                event, words = answered.get(int(probe[1]), (threading.Event(), []))
                words.append(line)
                event.set()
            else:
                sys.stdout.buffer.write(line)
                sys.stdout.buffer.flush()

    def questions(server):
        number = FIRST_PROBE
        while True:
            with server.accept()[0] as connection:
                number += 1
                event, words = answered.setdefault(number, (threading.Event(), []))
                tell(b"ping %d\n" % number)
                came = event.wait(PATIENCE)
                is_silent = not came or (words[0].startswith(b"Error") and not paused.is_set())
                connection.sendall(b"silent\n" if is_silent else b"answered\n")

    path = folder / "probe"
    path.unlink(missing_ok=True)
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(path))
    server.listen()
    threading.Thread(target=from_program, daemon=True).start()
    threading.Thread(target=questions, args=[server], daemon=True).start()
    for line in sys.stdin.buffer:
        note(">", line)
        if line.split()[:1] in ([b"pause"], [b"resume"]):
            paused.set() if line.startswith(b"pause") else paused.clear()
        tell(line)
    program.stdin.close()
    program.wait(5)


class Operator:
    """The person: keys and clicks on an XBoard."""

    def __init__(self, herald, folder, screen):
        self.herald, self.folder, self.screen = herald, folder, screen
        self.xboard, self.window, self.failed, self.count = None, None, [], 0

    def start(self, *arguments):
        self.stop()
        command = shlex.join([sys.executable, str(Path(__file__).resolve()), "--between", str(self.herald), str(self.folder)])
        output = (self.folder / "xboard.out").open("a")
        environment = dict(self.screen.environment, XDG_CONFIG_HOME=str(self.folder / "config"))
        self.xboard = subprocess.Popen(
            ["xboard", "-fcp", command, "-fd", str(self.folder), "-st", "0:01", "-debugMode", "true", "-nameOfDebugFile",
             str(self.folder / "debug.log"), "-testLegality", "true", "-popupExitMessage", "false", "-popupMoveErrors", "false",
             "-soundProgram", "true", "-saveSettingsOnExit", "false", "-autoFlipView", "false", "-autoDisplayTags", "false", "-flipView", "false",
             "-engineOutputUp", "true", "-xponder" if "-xponder" in arguments else "-ponder", *[a for a in arguments if a != "-xponder"]],
            env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
        )  # fmt: skip
        time.sleep(3)
        panes = self.do("search", "--onlyvisible", "--name", "Engine Output").split()
        for pane in panes:
            self.do("windowmove", pane, "500", "0")
        # The board's title is that of the game.
        windows = self.do("search", "--onlyvisible", "--class", "board").split()
        self.window = next(window for window in windows if window not in panes)

    def stop(self):
        if self.xboard:
            self.xboard.kill()
            self.xboard.wait()
            time.sleep(0.5)

    def do(self, *words):
        result = subprocess.run(["xdotool", *words], env=self.screen.environment, capture_output=True, text=True, check=False)
        return result.stdout

    def key(self, name, seconds=0.5):
        self.do("windowfocus", self.window)
        self.do("key", name)
        time.sleep(seconds)

    def square(self, name):
        file, rank = "abcdefgh".index(name[0]), int(name[1]) - 1
        self.do("mousemove", str(27 + 50 * file), str(464 - 50 * rank))
        time.sleep(0.1)
        self.do("click", "1")
        time.sleep(0.2)

    def move(self, text, seconds=0.3):
        self.square(text[:2])
        self.square(text[2:4])
        time.sleep(seconds)

    def picture(self, name):
        subprocess.run(["import", "-window", "root", str(self.folder / f"{name}.png")], env=self.screen.environment, check=False)

    def step(self, name, *actions, picture=None):
        """Does something and asks whether Herald is still there."""
        self.count += 1
        for action in actions:
            action()
        if picture:
            self.picture(f"{self.count:03}_{picture}")
        began = time.monotonic()
        answer = self.probe()
        if self.xboard.poll() is not None:
            answer = "XBoard has ended"
        if answer != "answered":
            self.failed.append(name)
            self.picture(f"{self.count:03}_failed")
        print(f"{self.count:3} {name}: {answer} after {time.monotonic() - began:.1f} s", flush=True)

    def probe(self):
        try:
            with socket.socket(socket.AF_UNIX) as connection:
                connection.settimeout(PATIENCE + 5)
                connection.connect(str(self.folder / "probe"))
                return connection.recv(20).decode().strip() or "silent"
        except OSError as error:
            return str(error)


def games(person):
    """Games, pauses, offers, flags, new games."""
    key, move, step = person.key, person.move, person.step
    step("the first move", lambda: move("e2e4", 1.5), picture="game")
    step("a move while it ponders", lambda: move("d2d4", 1.5))
    step("offer a draw", lambda: key("F6"))
    step("and a move", lambda: move("b1c3", 1.5), picture="offer-refused")
    step("pause", lambda: key("Pause"), picture="paused")
    step("new game in a pause", lambda: key("ctrl+n", 1), picture="new-in-pause")
    step("a move in the new game", lambda: move("g1f3", 1.5), picture="move-after-new")
    step("pause while it thinks", lambda: move("g2g3", 0.2), lambda: key("Pause"))
    step("edit the position in a pause", lambda: key("ctrl+shift+e", 1), picture="edit-in-pause")
    step("back to a game", lambda: key("ctrl+e", 1))
    step("Herald plays Black again", lambda: key("ctrl+b", 1.5))
    step("pause and go on", lambda: key("Pause"), lambda: key("Pause", 1))
    step("call the flag", lambda: key("F5"))
    step("offer a draw at once", lambda: key("F6"))
    step("resign", lambda: key("F9", 1), picture="resigned")
    step("another game", lambda: key("ctrl+n", 1))
    step("Herald plays White", lambda: key("ctrl+w", 2), picture="white")
    step("an answer", lambda: move("e7e5", 1.5))
    step("retract", lambda: key("ctrl+x", 1))
    step("another answer", lambda: move("d7d5", 1.5))
    step("retract and move now", lambda: key("ctrl+x"), lambda: key("ctrl+m", 1))
    step("adjourn, which means nothing here", lambda: key("F7"))
    step("abort", lambda: key("F8", 1), picture="aborted")
    step("new game after the abort", lambda: key("ctrl+n", 1))
    step("a rematch for which nobody asks", lambda: key("F12"))


def thinking(person):
    """Commands while Herald thinks."""
    key, move, step = person.key, person.move, person.step
    step("new game", lambda: key("ctrl+n", 1))
    step("new game while it thinks", lambda: move("e2e4", 0.2), lambda: key("ctrl+n", 1))
    step("edit game while it thinks", lambda: move("d2d4", 0.2), lambda: key("ctrl+e", 1))
    step("moves of both sides", lambda: move("d7d5"), lambda: move("c2c4"))
    step("back in the game", lambda: key("alt+Left"), lambda: key("alt+Left"))
    step("to the start", lambda: key("alt+Home"))
    step("forward", lambda: key("alt+Right"), lambda: key("alt+End"))
    step("Herald takes over", lambda: key("ctrl+b", 1.5), picture="taken-over")
    step("the other side", lambda: key("ctrl+w", 1.5))
    step("and back while it thinks", lambda: key("ctrl+b", 0.2), lambda: key("ctrl+w", 0.2), lambda: key("ctrl+b", 1.5))
    step("analysis while it ponders", lambda: key("ctrl+a", 1), picture="analysis-from-game")
    step("end of the analysis", lambda: key("ctrl+a", 1))
    step("resign while it thinks", lambda: key("ctrl+n", 1), lambda: move("e2e4", 0.2), lambda: key("F9", 1))
    step("moves after the end", lambda: move("d2d4", 1))
    step("copy the game", lambda: key("ctrl+c"))
    step("paste it while it thinks", lambda: key("ctrl+n", 1), lambda: move("c2c4", 0.2), lambda: key("ctrl+v", 1), picture="pasted")
    step("play on from the pasted game", lambda: key("ctrl+b", 1.5))
    step("copy the position", lambda: key("ctrl+shift+c"))
    step("paste the position in a pause", lambda: key("Pause"), lambda: key("ctrl+shift+v", 1), picture="position-pasted")
    step("play on from there", lambda: key("ctrl+w", 1.5))


def analysis(person):
    """Analysis on and off, with moves, steps back, positions."""
    key, move, step = person.key, person.move, person.step
    step("new game", lambda: key("ctrl+n", 1))
    step("analyse", lambda: key("ctrl+a", 1), picture="analysis")
    step("a move", lambda: move("e2e4", 1))
    step("a move of the other side", lambda: move("c7c5", 1))
    step("another", lambda: move("g1f3", 1), picture="analysis-moves")
    step("back", lambda: key("alt+Left", 0.5))
    step("back to the start", lambda: key("alt+Home", 0.5))
    step("to the end", lambda: key("alt+End", 1))
    step("retract", lambda: key("ctrl+x", 1))
    step("pause the analysis", lambda: key("Pause", 0.5))
    step("go on", lambda: key("Pause", 1))
    step("pause, and leave it", lambda: key("Pause", 0.5), lambda: key("ctrl+a", 1))
    step("analyse again", lambda: key("ctrl+a", 1), picture="analysis-after-pause")
    step("new game in an analysis", lambda: key("ctrl+n", 1))
    step("is it an analysis?", lambda: move("d2d4", 1))
    step("edit the position", lambda: key("ctrl+shift+e", 0.5))
    step("move a man while editing", lambda: move("e2e5", 0.5), picture="edited")
    step("analyse the position", lambda: key("ctrl+a", 1.5), picture="analysed")
    step("play from it", lambda: key("ctrl+b", 1.5))
    step("analyse a game that is played", lambda: key("ctrl+a", 1))
    step("leave it", lambda: key("ctrl+e", 1))


def files(person, game):
    """A game is loaded, walked through, played on."""
    key, step = person.key, person.step
    person.start("-lgf", str(game), "-lgi", "1", "-td", "0")
    step("a game is loaded", picture="loaded")
    step("the next game", lambda: key("alt+Page_Down", 1))
    step("and the one before", lambda: key("alt+Page_Up", 1))
    step("back in it", lambda: key("alt+Left"), lambda: key("alt+Left"))
    step("Herald plays on", lambda: key("ctrl+w", 2), picture="plays-on")
    step("the next game while it thinks", lambda: key("ctrl+w", 0.2), lambda: key("alt+Page_Down", 1))
    step("analyse it", lambda: key("ctrl+a", 1))
    step("another game in the analysis", lambda: key("alt+Page_Up", 1.5), picture="loaded-in-analysis")
    step("pause, load", lambda: key("Pause", 0.5), lambda: key("alt+Page_Down", 1))
    step("analyse again", lambda: key("ctrl+a", 1))
    step("analyse the whole game", lambda: key("ctrl+g", 2))
    step("stop it", lambda: key("ctrl+e", 1))


def variants(person):
    """The same in variants."""
    for variant, moves in [("atomic", "e2e3"), ("giveaway", "e2e3"), ("3check", "e2e4"), ("fischerandom", None)]:
        person.start("-variant", variant)
        key, step = person.key, person.step
        # The start position of Chess960 is any.
        begin = (lambda moves=moves: person.move(moves, 1.5)) if moves else (lambda: key("ctrl+w", 1.5))
        step(f"{variant}: a move", begin)
        step(f"{variant}: offer, pause", lambda: key("F6"), lambda: key("Pause", 0.5))
        step(f"{variant}: new game in a pause", lambda: key("ctrl+n", 1))
        step(f"{variant}: Herald begins", lambda: key("ctrl+w", 1.5), picture=variant)
        step(f"{variant}: analyse", lambda: key("ctrl+a", 1))
        step(f"{variant}: play on", lambda: key("ctrl+b", 1.5))


GAMES = """[Event "First"]
[White "A"]
[Black "B"]
[Result "*"]

1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 *

[Event "Second"]
[White "C"]
[Black "D"]
[Result "1-0"]

1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. Bg5 Be7 1-0
"""


def complaints(folder):
    """Complaints of Herald about what XBoard said; the refusals of pings in a pause are the script's own."""
    lines = (folder / "dialogue.log").read_text(errors="replace").splitlines()
    ours = re.compile(r"Error \(paused\): ping 9\d{5}")
    return [line for line in lines if re.search(r"< (Error|Illegal|tellusererror)", line) and not ours.search(line)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("herald", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--between", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    folder = arguments.folder.resolve()
    herald = arguments.herald.resolve()
    if arguments.between:
        return go_between([str(herald), "xboard"], folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("dialogue.log", "debug.log", "xboard.out"):
        (folder / name).unlink(missing_ok=True)
    game = folder / "games.pgn"
    game.write_text(GAMES)
    with VirtualScreen() as screen:
        person = Operator(herald, folder, screen)
        try:
            person.start()
            games(person)
            thinking(person)
            analysis(person)
            files(person, game)
            variants(person)
        finally:
            person.stop()
    faults = complaints(folder)
    print(f"{person.count} steps, {len(person.failed)} without an answer, {len(faults)} complaints")
    print("\n".join(faults))
    return 1 if person.failed or faults else 0


if __name__ == "__main__":
    sys.exit(main())
