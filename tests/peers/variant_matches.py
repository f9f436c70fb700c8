#!/usr/bin/env python3
"""Matches in chess variants between Herald under CECP and the programs that play them, run by `herald match`; losses on time and score.

    tests/peers/variant_matches.py HERALD FOLDER [--games 100] [--tc 5+0.1] [--only crazyhouse-sjeng ...] [--concurrency 2]

FOLDER keeps for each match its state and its games: the same command resumes matches that were interrupted, and with more --games it
continues those that were complete. --minutes ends all after that time; another call goes on. Exit status 1 if Herald lost a game on
time, crashed or made an illegal move.
"""

import argparse
import re
import subprocess
import sys
import time
from pathlib import Path

# Variant of `herald match`, and the program; Sjeng and Sjaak II play them under CECP.
MATCHES = {
    "crazyhouse-sjeng": ("crazyhouse", "sjeng"),
    "giveaway-sjeng": ("antichess", "sjeng"),
    "crazyhouse-sjaakii": ("crazyhouse", "sjaakii"),
    "3check-sjaakii": ("3check", "sjaakii"),
    "kingofthehill-sjaakii": ("kingofthehill", "sjaakii"),
    "chess960-sjaakii": ("chess960", "sjaakii"),
}
# Terminations of the PGN standard that are a fault of the loser.
FAULTS = ("time forfeit", "abandoned", "rules infraction", "emergency")


def command(arguments, name):
    variant, peer = MATCHES[name]
    herald = str(Path(arguments.herald).resolve())
    return [
        herald, "match", "--variant", variant, "--engine", f"cmd='{herald} xboard' protocol=cecp name=Herald",
        "--engine", f"cmd={peer} protocol=cecp name={peer}", "--tc", arguments.tc, "--games", str(arguments.games),
        "--concurrency", str(arguments.concurrency), "--state", str(arguments.folder / f"{name}.state"),
        "--pgn", str(arguments.folder / f"{name}.pgn"), "--seed", "1",
    ]  # fmt: skip


def judge(pgn):
    """Points and faults of both sides: (wins, draws, losses, {termination: (Herald's, the peer's)})."""
    tally, faults = {1.0: 0, 0.5: 0, 0.0: 0}, {}
    for game in re.split(r"\n(?=\[Event )", pgn):
        tags = dict(re.findall(r'^\[(\w+) "(.*)"\]$', game, re.MULTILINE))
        points = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}.get(tags.get("Result"))
        if points is None:
            continue
        points = points if tags["White"] == "Herald" else 1 - points
        tally[points] += 1
        if points != 0.5 and (termination := tags.get("Termination", "normal")) in FAULTS:
            ours, theirs = faults.get(termination, (0, 0))
            faults[termination] = (ours + (points == 0.0), theirs + (points == 1.0))
    return tally[1.0], tally[0.5], tally[0.0], faults


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("herald")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--games", type=int, default=100, help="of each match")
    parser.add_argument("--tc", default="5+0.1")
    parser.add_argument("--concurrency", type=int, default=2)
    parser.add_argument("--only", nargs="+", choices=MATCHES, default=list(MATCHES))
    parser.add_argument("--minutes", type=float, default=float("inf"))
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    until = time.monotonic() + 60 * arguments.minutes
    for name in arguments.only:
        left = until - time.monotonic()
        if left <= 0:
            break
        with (arguments.folder / f"{name}.out").open("w") as output:
            match = subprocess.Popen(command(arguments, name), stdout=output, stderr=output)
            try:
                match.wait(None if left == float("inf") else left)
            except subprocess.TimeoutExpired:
                match.terminate()
                match.wait()
    print(f"| match at {arguments.tc} | games | wins | draws | losses | Herald's faults | the other's |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    is_faulty = False
    for name in arguments.only:
        pgn = arguments.folder / f"{name}.pgn"
        wins, draws, losses, faults = judge(pgn.read_text(errors="replace") if pgn.exists() else "")
        told = [", ".join(f"{counts[side]} {kind}" for kind, counts in faults.items() if counts[side]) or "-" for side in (0, 1)]
        print(f"| {name} | {wins + draws + losses} | {wins} | {draws} | {losses} | {told[0]} | {told[1]} |")
        is_faulty |= told[0] != "-"
    return 1 if is_faulty else 0


if __name__ == "__main__":
    sys.exit(main())
