#!/usr/bin/env python3
"""Plays a round robin of all programs that are installed, and Herald over each of its protocols, with `herald match`.

    tests/peers/tournament.py HERALD FOLDER [--tc 40/10] [--games 2] [--concurrency 2] [--kills 5]

With --kills the match is killed (SIGKILL) that often on its way and resumed. Afterwards the PGN in FOLDER is checked:
no game missing or doubled, python-chess replays each without an error, pgn-extract has nothing to complain of, and no
program is left running. Prints the table; exit status 1 if anything is wrong. Needs python-chess and pgn-extract.
"""

import argparse
import collections
import contextlib
import itertools
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

import chess.pgn

PEERS = [
    ("gnuchess", "gnuchess --xboard", "cecp"),
    ("fairymax", "fairymax", "cecp"),
    ("phalanx", "phalanx", "cecp"),
    ("hoichess", "hoichess", "cecp"),
    ("sjeng", "sjeng", "cecp"),
    ("stockfish", "stockfish", "uci"),
    ("toga2", "toga2", "uci"),
]
# Programs that would never lose otherwise.
HANDICAPS = {"stockfish": 'tc = "nodes=1000"'}


def settings(herald, arguments, folder):
    """The match as a TOML file; returns the names of the programs."""
    entrants = [(name, command, protocol) for name, command, protocol in PEERS if shutil.which(command.split()[0])]
    entrants += [
        (f"herald-{protocol}", f"'{herald}' {mode}", protocol)
        for mode, protocol in (("xboard", "cecp"), ("uci", "uci"), ("cego", "cego"))
    ]
    lines = [
        f'tc = "{arguments.tc}"',
        f"games = {arguments.games}",
        f"concurrency = {arguments.concurrency}",
        f"pgn = {json.dumps(str(folder / 'games.pgn'))}",
        f"state = {json.dumps(str(folder / 'state'))}",
        f"log = {json.dumps(str(folder / 'log'))}",
        "variations = true",
    ]
    for name, command, protocol in entrants:
        lines += ["", "[[engine]]", f'name = "{name}"', f"cmd = {json.dumps(command)}", f'protocol = "{protocol}"']
        lines += [HANDICAPS[name]] if name in HANDICAPS else []
    (folder / "match.toml").write_text("\n".join(lines) + "\n")
    return [name for name, _, _ in entrants]


def finished(folder):
    """How many games the state knows."""
    state = folder / "state"
    return max(0, len(state.read_bytes().splitlines()) - 1) if state.exists() else 0


def play(herald, folder, kills, total):
    """Plays the match, killing it `kills` times at even distances; returns the exit status of the last run."""
    command = [herald, "match", str(folder / "match.toml")]
    for kill in range(1, kills + 1):
        until = kill * total // (kills + 1)
        match = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while match.poll() is None and finished(folder) < until:
            time.sleep(0.05)
        match.send_signal(signal.SIGKILL)
        match.wait()
        print(f"killed after {finished(folder)} games", flush=True)
    with open(folder / "table", "w") as table:
        return subprocess.run(command, stdout=table, stderr=subprocess.PIPE, text=True)


def replayed(path):
    """The games, and what python-chess has to say against them."""
    games, complaints = [], []
    with open(path, encoding="utf-8") as file:
        while game := chess.pgn.read_game(file):
            complaints += [f"{game.headers.get('Round')}: {error}" for error in game.errors]
            games.append(game)
    return games, complaints


def check(names, games, wanted):
    """What is wrong with the games of a round robin."""
    met = collections.Counter((game.headers["White"], game.headers["Black"]) for game in games)
    for pair in itertools.permutations(names, 2):
        if met[pair] != wanted // 2:
            yield f"{pair[0]} - {pair[1]}: {met[pair]} games"
    openings = collections.Counter(
        (frozenset((game.headers["White"], game.headers["Black"])), game.headers.get("FEN")) for game in games
    )
    for (pair, fen), count in openings.items():
        if count != 2:
            yield f"{sorted(pair)}: {fen} {count} times"


def still_running(herald, names):
    """Programs of the match that are left behind. They had the folder of this one, and nobody else's programs have it."""
    pattern = "|".join([f"{herald} (xboard|uci|cego)"] + [name for name in names if not name.startswith("herald")])
    found = subprocess.run(["pgrep", "-a", "-f", f"^(/usr/games/)?({pattern})"], capture_output=True, text=True).stdout
    for line in found.splitlines():
        with contextlib.suppress(OSError):
            if os.readlink(f"/proc/{line.split()[0]}/cwd") == os.getcwd():
                yield line


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("herald")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--tc", default="40/10")
    parser.add_argument("--games", type=int, default=2)
    parser.add_argument("--concurrency", type=int, default=2)
    parser.add_argument("--kills", type=int, default=0)
    arguments = parser.parse_args()
    herald, folder = os.path.abspath(arguments.herald), arguments.folder.absolute()
    folder.mkdir(parents=True, exist_ok=True)
    os.environ["PATH"] += os.pathsep + "/usr/games"

    names = settings(herald, arguments, folder)
    total = len(names) * (len(names) - 1) // 2 * arguments.games
    played = play(herald, folder, arguments.kills, total)
    print((folder / "table").read_text())
    games, complaints = replayed(folder / "games.pgn")
    complaints += check(names, games, arguments.games)
    extract = subprocess.run(["pgn-extract", "-s", "-r", folder / "games.pgn"], capture_output=True, text=True)
    complaints += [f"pgn-extract: {line}" for line in extract.stderr.splitlines()]
    time.sleep(1)
    complaints += [f"still running: {line}" for line in still_running(herald, names)]
    if played.returncode:
        complaints.append(f"exit status {played.returncode}: {played.stderr}")

    endings = collections.Counter(game.headers.get("Termination", "normal") for game in games)
    print(f"{len(games)} of {total} games; endings: {dict(endings)}")
    for game in games:
        if game.headers.get("Termination", "normal") not in ("normal", "adjudication"):
            print(f"  {game.headers['White']} - {game.headers['Black']} {game.headers['Result']}: {game.end().comment}")
    print("\n".join(complaints) if complaints else "nothing to complain of")
    return bool(complaints)


if __name__ == "__main__":
    sys.exit(main())
