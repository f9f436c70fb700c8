#!/usr/bin/env python3
"""Tells by games what each of many changes of the search is worth, all at once: matches by a Hadamard design.

    cargo build --release --features tuning
    tests/peers/factors.py target/release/herald FACTORS FOLDER ROUNDS [NODES]

FACTORS is a file with a factor a line: a parameter's name, one value and another one. In each match half of the factors have
their second value on one side and their first on the other, and the rest the opposite; so every game tells of every factor. A round is as
many matches as the design has rows (the next power of two), eight games each, NODES nodes a move (40,000). FOLDER/matches.jsonl keeps what
came of each: the same command goes on from there. FOLDER/openings.epd, if it is there, has the openings. Prints, for each factor, what the
second value is worth against the first, in Elo.
"""

import json
import math
import random
import sys
from pathlib import Path

import herald_match

GAMES = 8
# Of one game, in Elo near an even score, where three in ten are drawn.
DEVIATION = 280


def design(factors: int, match: int) -> list[int]:
    """Which values a match gives to the first side: 1 for the second value of a factor, -1 for the first one.

    Rows of Sylvester's matrix, in each round in another order and with other columns for the factors, so that no factor
    is mixed up with the same three others each time, and what is done so far is not one-sided."""
    rows = 1 << factors.bit_length()
    chance = random.Random(match // rows)
    columns = chance.sample(range(1, rows), factors)
    row = chance.sample(range(rows), rows)[match % rows]
    return [-1 if (row & column).bit_count() % 2 else 1 for column in columns]


def play(herald: str, folder: Path, nodes: int, seed: int, sides: list[str]) -> float:
    """The points that the first side is ahead by."""
    openings = folder / "openings.epd"
    report = herald_match.play(
        herald,
        [f"cmd={herald} name={name} {options}" for name, options in zip(("first", "second"), sides)],
        *["--each", f"nodes={nodes} option.Hash=16", "--games", str(GAMES), "--concurrency", "2"],
        *["--order", "random", "--seed", str(seed)],
        *(["--openings", str(openings)] if openings.exists() else []),
        *["--resign", "movecount=3 score=600 twosided=true", "--draw", "movenumber=40 movecount=8 score=8"],
    )
    first = herald_match.standing(report, "first")
    return (first["wins"] - first["losses"]) / 2


def show(factors: list[tuple[str, str, str]], done: list[float]) -> None:
    """Prints what the factors are worth."""
    games = GAMES * len(done)
    error = DEVIATION / math.sqrt(games)
    signs = [design(len(factors), match) for match in range(len(done))]
    worth = []
    for index, (name, low, high) in enumerate(factors):
        ahead = sum(points * sign[index] for points, sign in zip(done, signs)) / games
        worth.append((ahead * 1600 / math.log(10), name, low, high))
    print(f"{games} games, one standard error {error:.1f}")
    for elo, name, low, high in sorted(worth, reverse=True):
        print(f"{elo:+6.1f}  {name} {high} instead of {low}")


def main() -> None:
    herald, folder, rounds = sys.argv[1], Path(sys.argv[3]), int(sys.argv[4])
    nodes = int(sys.argv[5]) if len(sys.argv) > 5 else 40_000
    factors = [tuple(line.split()) for line in Path(sys.argv[2]).read_text().splitlines() if line]
    folder.mkdir(parents=True, exist_ok=True)
    record = folder / "matches.jsonl"
    done = [json.loads(line) for line in record.read_text().splitlines()] if record.exists() else []
    rows = 1 << len(factors).bit_length()
    for match in range(len(done), rounds * rows):
        signs = design(len(factors), match)
        sides = [
            " ".join(
                f"option.{name}={high if side * sign > 0 else low}" for sign, (name, low, high) in zip(signs, factors)
            )
            for side in (1, -1)
        ]
        done.append(play(herald, folder, nodes, match + 1, sides))
        with record.open("a") as file:
            file.write(json.dumps(done[-1]) + "\n")
        if len(done) % rows == 0:
            show(factors, done)
    show(factors, done)


if __name__ == "__main__":
    main()
