#!/usr/bin/env python3
"""How Herald stands against the engines of Debian: one match after the other, nothing else to run meanwhile.

    PATH=$PATH:/usr/games tests/peers/ladder.py target/release/herald FOLDER [CONTROL [GAMES [PEER...]]]

CONTROL is 8+0.08 and GAMES 200 unless told otherwise. One thread and 16 MiB each, own openings in random order, two games at a
time. Prints a row of a table for each peer, with the losses on time, crashes and illegal moves of either side. FOLDER keeps the
states: the same command goes on where it was interrupted; and all that was said, in case a flag fell. Fails if Herald had an accident.
"""

import shutil
import sys
from pathlib import Path

import herald_match

PEERS = {
    "gnuchess": "cmd='gnuchess --uci'",
    "toga2": "cmd=toga2",
    "ethereal-chess": "cmd=ethereal-chess",
    "stockfish": "cmd=stockfish",
}


def measure(herald: str, folder: Path, control: str, games: str, peer: str) -> tuple[str, int]:
    """A row for a peer, and Herald's accidents."""
    report = herald_match.play(
        herald,
        [f"cmd={herald} name=herald", f"{PEERS[peer]} name={peer}"],
        *["--each", "protocol=uci option.Hash=16", "--tc", control, "--games", games, "--concurrency", "2"],
        *["--order", "random", "--seed", "14"],
        *["--state", str(folder / f"{peer}-{control}.state"), "--log", str(folder / f"{peer}-{control}.log")],
        *["--resign", "movecount=3 score=600 twosided=true", "--draw", "movenumber=40 movecount=8 score=8"],
    )
    faults = [
        {what: times for what, times in herald_match.standing(report, name)["faults"].items() if times > 0}
        for name in ("herald", peer)
    ]
    told = [", ".join(f"{times} {what}" for what, times in of.items()) or "none" for of in faults]
    accidents = sum(times for what, times in faults[0].items() if what != "infractions")
    return f"| {peer} | {control} | {herald_match.row(report, 'herald')} | {told[0]} | {told[1]} |", accidents


def main() -> None:
    herald, folder, *rest = sys.argv[1:]
    control, games, *peers = [*rest, *["8+0.08", "200"][len(rest) :]]
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    accidents = 0
    for peer in peers or PEERS:
        if not shutil.which(peer):
            print(f"| {peer} | is not installed |", flush=True)
            continue
        told, of_herald = measure(herald, folder, control, games, peer)
        print(told, flush=True)
        accidents += of_herald
    sys.exit(accidents > 0)


if __name__ == "__main__":
    main()
