#!/usr/bin/env python3
"""Plays games between Herald and other programs under a real XBoard that calls flags, at short time controls, and counts the losses on time.

    tests/peers/xboard_clocks.py HERALD FOLDER [--games 200] [--parallel 2] [--peers fairymax phalanx]
    tests/peers/xboard_clocks.py target/release/herald /tmp/clocks --controls "st 1" "0:03+0.05" --games 8 --load 2

The games are spread over the controls and the peers, and the colours change. FOLDER keeps a PGN and XBoard's log of each game, and
games.jsonl with a line for each finished game: a second call with the same FOLDER plays only those that are missing. The table
gives for Herald the longest move by XBoard's clock (st) or the least time that was left on it (clocks).
XBoard knows whole seconds only for `st`. For `st 0.5` Herald gets half of the time that the opponent has, and the word itself is put
in by `sed`. Exit status 1 if Herald lost a game on time, or if a game had no result.
"""

import argparse
import concurrent.futures
import dataclasses
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

from virtual_screen import VirtualScreen

# The time controls in XBoard's arguments; half a second a move is half of `st 1` by odds of time.
CONTROLS = {
    "st 1": ["-st", "0:01"],
    "st 0.5": ["-st", "0:01"],
    "40/0:10": ["-mps", "40", "-tc", "0:10"],
    "0:03+0.05": ["-tc", "0:03", "-inc", "0.05"],
}
# Longest game in seconds, after which it counts as hung.
PATIENCE = 1500


@dataclasses.dataclass
class Fixture:
    control: str
    peer: str
    number: int

    @property
    def name(self):
        return f"{re.sub('[^0-9a-z]+', '-', self.control)}_{self.peer}_{self.number:03}"

    @property
    def herald_is_white(self):
        return self.number % 2 == 1

    def key(self):
        return [self.control, self.peer, self.number]


def fixtures(arguments):
    """The games, so that each prefix of the list has about as many of every kind."""
    kinds = [(control, peer) for control in arguments.controls for peer in arguments.peers]
    return [Fixture(*kinds[n % len(kinds)], n // len(kinds) + 1) for n in range(arguments.games)]


def command(herald, fixture, folder):
    engine = shlex.join([herald, "xboard"])
    odds = []
    if fixture.control == "st 0.5":
        engine = f'sh -c "sed -u \'s/^level.*/st 0.5/\' | {engine}"'
        odds = ["-firstTimeOdds" if fixture.herald_is_white else "-secondTimeOdds", "2"]
    white, black = (engine, fixture.peer) if fixture.herald_is_white else (fixture.peer, engine)
    return [
        "xboard", "-noGUI", "-fcp", white, "-scp", black, "-fd", str(folder), "-sd", str(folder),
        "-mg", "1", *CONTROLS[fixture.control], *odds, "-matchPause", "200", "-autoCallFlag", "true", "-xponder",
        "-sgf", str(folder / f"{fixture.name}.pgn"), "-debugMode", "true",
        "-nameOfDebugFile", str(folder / f"{fixture.name}.log"),
        "-popupExitMessage", "false", "-popupMoveErrors", "false", "-soundProgram", "true",
        "-saveSettingsOnExit", "false", "-testClaims", "true", "-checkMates", "true", "-testLegality", "true",
    ]  # fmt: skip


def play(herald, fixture, folder, environment):
    """Plays one game and returns its line for games.jsonl."""
    for kind in ("pgn", "log"):
        (folder / f"{fixture.name}.{kind}").unlink(missing_ok=True)
    began = time.monotonic()
    game = subprocess.Popen(
        command(herald, fixture, folder), env=environment, start_new_session=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        game.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        pass
    finally:
        # XBoard's engines, too, if they outlive it.
        try:
            os.killpg(game.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        game.wait()
    log = (folder / f"{fixture.name}.log").read_text(errors="replace")
    return {"fixture": fixture.key(), "seconds": round(time.monotonic() - began), **judge(log, fixture)}


def judge(log, fixture):
    """What XBoard's log says about a game: result, reason, and how near Herald came to its flag (in seconds)."""
    side = "first" if fixture.herald_is_white else "second"
    ends = re.search(rf">{side} *: result (1-0|0-1|1/2-1/2|\*) \{{(.*)\}}", log)
    result, reason = ends.groups() if ends else ("*", "no result")
    won = {"1-0": fixture.herald_is_white, "0-1": not fixture.herald_is_white}.get(result)
    points = {None: None if result == "*" else 0.5, True: 1.0, False: 0.0}[won]
    least, longest = nearest(log, side)
    return {"points": points, "reason": reason, "least_left": least, "longest_move": longest}


def nearest(log, side):
    """The least time left that was told to Herald, and the longest time from asking for a move to the move."""
    least, longest, asked = None, 0.0, None
    for line in log.splitlines():
        word = re.match(rf"(\d+) ([<>]){side} *: *(\S+) ?(.*)", line)
        if not word:
            continue
        at, direction, verb, rest = int(word[1]), *word.groups()[1:]
        if direction == ">" and verb == "time":
            least = min(filter(lambda time: time is not None, (least, int(rest) / 100)))
        elif direction == ">" and verb in ("go", "usermove"):
            asked = at
        elif direction == ">" and verb == "force":
            asked = None
        elif direction == "<" and verb == "move" and asked is not None:
            longest, asked = max(longest, (at - asked) / 1000), None
    return least, longest


def is_time(game):
    return "time" in game["reason"]


def table(games):
    rows = ["| control | opponent | games | score | Herald lost on time | opponent did | no result | longest move | least left |"]
    rows.append("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    kinds = dict.fromkeys(tuple(game["fixture"][:2]) for game in games)
    for control, peer in kinds:
        of = [game for game in games if game["fixture"][:2] == [control, peer]]
        played = [game for game in of if game["points"] is not None]
        wins, draws, losses = (sum(game["points"] == points for game in played) for points in (1.0, 0.5, 0.0))
        ours = sum(is_time(game) and game["points"] == 0.0 for game in played)
        theirs = sum(is_time(game) and game["points"] == 1.0 for game in played)
        longest = max((game["longest_move"] for game in of), default=0)
        least = min((game["least_left"] for game in of if game["least_left"] is not None), default=0)
        near = f"{longest:.2f} s | -" if control.startswith("st") else f"- | {least:.2f} s"
        rows.append(f"| {control} | {peer} | {len(of)} | +{wins} ={draws} -{losses} | {ours} | {theirs} | {len(of) - len(played)} | {near} |")
    return "\n".join(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("herald")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--games", type=int, default=200, help="of all kinds together")
    parser.add_argument("--controls", nargs="+", choices=CONTROLS, default=list(CONTROLS))
    parser.add_argument("--peers", nargs="+", default=["fairymax", "phalanx"])
    parser.add_argument("--parallel", type=int, default=2, help="games at the same time")
    parser.add_argument("--load", type=int, default=0, help="processes that keep the processors busy meanwhile")
    arguments = parser.parse_args()

    folder = arguments.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    herald = str(Path(arguments.herald).resolve())
    store = folder / "games.jsonl"
    wanted = fixtures(arguments)
    games = [json.loads(line) for line in store.read_text().splitlines()] if store.exists() else []
    done = [game["fixture"] for game in games]
    missing = [fixture for fixture in wanted if fixture.key() not in done]
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(arguments.load)]
    lock = threading.Lock()
    try:
        with VirtualScreen() as screen, store.open("a") as lines:

            def one(fixture):
                game = play(herald, fixture, folder, screen.environment)
                with lock:
                    games.append(game)
                    print(json.dumps(game), file=lines, flush=True)
                    print(f"{len(games)}/{len(wanted)} {fixture.name}: {game['points']} {game['reason']}, {game['seconds']} s", flush=True)

            with concurrent.futures.ThreadPoolExecutor(arguments.parallel) as pool:
                list(pool.map(one, missing))
    finally:
        for process in busy:
            process.kill()
            process.wait()

    games = [game for game in games if game["fixture"] in [fixture.key() for fixture in wanted]]
    (folder / "games.pgn").write_text("".join(
        path.read_text(errors="replace") for fixture in wanted if (path := folder / f"{fixture.name}.pgn").exists()
    ))  # fmt: skip
    print(table(games))
    lost = [game for game in games if game["points"] == 0.0 and is_time(game) or game["points"] is None]
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
