#!/usr/bin/env python3
"""Tells how well shallow searches foresee the verdicts of deep ones: in a minute, what a network knows or a setting of the search costs.

    tests/peers/foresight.py HERALD VERDICTS.epd DEPTHS ENGINE...

VERDICTS.epd are records with `ce` and `pm` of a deep search (`herald epd analyze`). Each ENGINE is what `--engine` takes; each of DEPTHS, as in
1,4,6, is searched on its own, with nothing remembered. Prints, by number of pieces, the correlation of both scores as expected results,
where the verdict is below 600 centipawns and its move quiet; then the nodes a position, and how often the move is that of the verdict. A
program that judged itself looks better than it is. Needs numpy.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy

GROUPS = [(29, 32), (25, 28), (20, 24), (12, 19), (3, 11), (3, 32)]
# Of the verdicts, in centipawns for an expected result of 73 %. That of a program is the one that suits it best.
SCALE = 150
SCALES = (100, 150, 200, 250, 300, 400)


def read(records: Path) -> dict[str, tuple[int, str]]:
    """Score and move by position."""
    found = {}
    for line in records.read_text().splitlines():
        score, move = re.search(r"\bce (-?\d+);", line), re.search(r"\bpm (\S+);", line)
        if score and move:
            found[" ".join(line.split()[:4])] = (int(score[1]), move[1])
    return found


def analyse(herald: str, engine: str, depth: str, records: Path) -> tuple[dict[str, tuple[int, str]], float]:
    """What the program says of each position, and its nodes a position."""
    with tempfile.TemporaryDirectory() as folder:
        answers = Path(folder) / "answers.epd"
        command = [herald, "epd", "analyze", "--engine", engine, "--depth", depth, "--no-times", "--no-provenance"]
        run = subprocess.run([*command, records, "-o", answers], capture_output=True, text=True, check=True)
        records_done, nodes = (int(re.search(rf"(\d+) {word}", run.stderr + run.stdout)[1]) for word in ("records", "nodes"))
        return read(answers), nodes / records_done


def expected(scores: list[int], scale: int) -> numpy.ndarray:
    return 1 / (1 + numpy.exp(-numpy.clip(numpy.array(scores, float), -2000, 2000) / scale))


def correlation(scores: list[int], verdicts: list[int]) -> float:
    goals = expected(verdicts, SCALE)
    return max(numpy.corrcoef(expected(scores, scale), goals)[0, 1] for scale in SCALES)


def main() -> None:
    herald, records, depths, engines = sys.argv[1], Path(sys.argv[2]), sys.argv[3].split(","), sys.argv[4:]
    verdicts = {
        position: (score, move)
        for position, (score, move) in read(records).items()
        if abs(score) < 600 and not set("x=") & set(move)
    }
    pieces = {position: sum(map(str.isalpha, position.split()[0])) for position in verdicts}
    print("| program | depth |", " | ".join(f"{low} to {high} pieces" for low, high in GROUPS), "| nodes | move |")
    print("| --- " * (len(GROUPS) + 4) + "|")
    for engine in engines:
        for depth in depths:
            answers, nodes = analyse(herald, engine, depth, records)
            row = []
            for low, high in GROUPS:
                both = [position for position in verdicts if position in answers and low <= pieces[position] <= high]
                row.append(correlation([answers[p][0] for p in both], [verdicts[p][0] for p in both]))
            same = numpy.mean([answers[p][1] == verdicts[p][1] for p in both])
            cells = " | ".join(f"{value:.3f}" for value in row)
            print(f"| {engine} | {depth} | {cells} | {nodes:.0f} | {100 * same:.1f} % |", flush=True)


if __name__ == "__main__":
    main()
