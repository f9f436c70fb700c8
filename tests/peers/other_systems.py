#!/usr/bin/env python3
"""Drives an executable of another system by what starts it here: `wine herald.exe`, `qemu-aarch64-static -L /usr/aarch64-linux-gnu herald`.

    tests/peers/other_systems.py FOLDER --bench 1881208 [--games 10] -- wine ./herald.exe

Bench, whole games over UCI and CECP (python-chess drives both), EPD in place with CRLF, a match, a referee with two clients, and
what is left when a match is killed. FOLDER must be empty or missing. Exit status 1 if anything fails.
"""

import argparse
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import chess
import chess.engine


def output(command, *arguments, **more):
    return subprocess.run([*command, *arguments], capture_output=True, text=True, timeout=1200, **more)


def system_path(command, path):
    """How the program on the other side names a file."""
    return "Z:" + str(path).replace("/", "\\") if command[0] == "wine" else str(path)


def own_command(command):
    """How the executable starts itself once more: under wine by its path in Windows; qemu starts nothing by itself."""
    return f'"{system_path(command, Path(command[-1]).resolve())}"' if command[0] == "wine" else " ".join(command)


def bench(command, nodes):
    told = output(command, "bench").stdout.split()
    assert told and told[0] == str(nodes), f"bench is {told}, not {nodes}"
    return " ".join(told)


def games(command, protocol):
    """A game between the program and itself, each move 50 ms."""
    start = chess.engine.SimpleEngine.popen_uci if protocol == "uci" else chess.engine.SimpleEngine.popen_xboard
    with start([*command, protocol], timeout=60) as engine:
        board = chess.Board()
        while not board.is_game_over(claim_draw=True) and board.fullmove_number < 60:
            board.push(engine.play(board, chess.engine.Limit(time=0.05)).move)
    return f"{board.ply()} plies, {board.result(claim_draw=True)}"


def epd(command, folder):
    path = folder / "t.epd"
    path.write_bytes(b"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -  bm e4;id \"a\";\r\n" * 3)
    done = output(command, "epd", "normalize", "--in-place", system_path(command, path))
    assert done.returncode == 0, done.stderr
    expected = b"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - bm e4; id \"a\";\r\n" * 3
    assert path.read_bytes() == expected, path.read_bytes()
    assert [file.name for file in folder.iterdir() if file.name.startswith(".")] == [], "files left behind"
    return "3 records in place, line ends kept"


def match_arguments(command, count):
    program = own_command(command)
    return ["match", "--engine", f"cmd='{program} uci' name=A", "--engine", f"cmd='{program} xboard' protocol=cecp name=B",
            "--tc", "1+0.05", "--games", str(count)]  # fmt: skip


def match(command, folder, count):
    pgn = folder / "match.pgn"
    done = output(command, *match_arguments(command, count), "--pgn", system_path(command, pgn))
    text = pgn.read_text()
    faults = [line for line in text.splitlines() if line.startswith("[Termination") and '"normal"' not in line]
    assert done.returncode == 0 and text.count("[Event ") == count, f"{done.stderr[-500:]}"
    assert not faults, faults
    return f"{count} games, no fault"


def referee(command, folder):
    home, port = folder / "event", 0
    home.mkdir()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = ["--listen", f"127.0.0.1:{port}", "--program", "A", "--program", "B", "--tc", "5+0.2", "--margin", "500"]
    official = subprocess.Popen([*command, "referee", *settings], cwd=home, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    time.sleep(5)
    bridges = [
        subprocess.Popen([*command, "bridge", "--referee", f"127.0.0.1:{port}", "--name", name, "--", *own_command(command).replace('"', "").split(), "uci"],
                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for name in "AB"
    ]  # fmt: skip
    told, _ = official.communicate(timeout=300)
    for bridge in bridges:
        bridge.wait(timeout=60)
    assert official.returncode == 0 and "forfeits" not in told, told
    return f"{(home / 'event' / 'games.pgn').read_text().count('[Event ')} games"


def running(word):
    """Processes that have this word in their command line, whatever they run in."""
    found = []
    for process in Path("/proc").iterdir():
        if process.name.isdigit() and int(process.name) != os.getpid():
            try:
                line = (process / "cmdline").read_bytes()
                state = (process / "stat").read_text().rsplit(") ", 1)[1][0]
            except OSError:
                continue
            if word.encode() in line and Path(__file__).name.encode() not in line and state != "Z":
                found.append((int(process.name), line.decode(errors="replace")))
    return found


def killed(command):
    """Whoever kills an official ends its programs, too."""
    official = subprocess.Popen([*command, *match_arguments(command, 100)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    name = Path(command[-1]).name
    until = time.monotonic() + 60
    while sum("match" not in line for _, line in running(name)) < 2:
        assert time.monotonic() < until, "the programs don't start"
        time.sleep(0.2)
    for number, line in running(name):
        if "match" in line:
            os.kill(number, signal.SIGKILL)
    until = time.monotonic() + 20
    while running(name):
        assert time.monotonic() < until, f"left behind: {running(name)}"
        time.sleep(0.2)
    official.wait()
    return "nothing left"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--bench", type=int, required=True)
    parser.add_argument("--games", type=int, default=10)
    parser.add_argument("command", nargs="+")
    arguments = parser.parse_args()
    *runner, executable = arguments.command
    command, folder = [*runner, str(Path(executable).resolve())], arguments.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    checks = {
        "bench": lambda: bench(command, arguments.bench),
        "UCI": lambda: games(command, "uci"),
        "CECP": lambda: games(command, "xboard"),
        "EPD": lambda: epd(command, folder),
        "match": lambda: match(command, folder, arguments.games),
        "referee": lambda: referee(command, folder),
        "kill": lambda: killed(command),
    }
    failed = 0
    for name, check in checks.items():
        try:
            print(f"{name}: {check()}", flush=True)
        except Exception as error:  # noqa: BLE001: every failure is told, and the next check goes on
            failed += 1
            print(f"{name}: FAILED: {error!r}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
