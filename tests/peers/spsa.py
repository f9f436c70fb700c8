#!/usr/bin/env python3
"""Tunes numbers of the search by games: simultaneous perturbation stochastic approximation (J. C. Spall, 1992).

    cargo build --release --features tuning
    tests/peers/spsa.py target/release/herald FOLDER ITERATIONS [NODES]

Each iteration plays 16 games at NODES nodes a move (10,000) between the numbers changed a little in one random direction and in the
other, and moves them towards the winner. FOLDER/iterations.jsonl keeps what came of each: the same command goes on from there.
Prints the numbers now and then, and at the end.
"""

import json
import random
import sys
from pathlib import Path

import herald_match

# Name, first value, and the change in the last iterations that should show in games.
NUMBERS = [
    ("aspiration_margin", 18, 4),
    ("hindsight_margin", 120, 25),
    ("razoring_margin", 220, 40),
    ("razoring_margin_per_squared_ply", 130, 25),
    ("reverse_futility_margin_per_ply", 70, 10),
    ("null_move_margin", 160, 30),
    ("null_move_margin_per_reduction", 200, 30),
    ("probcut_margin", 180, 30),
    ("late_move_pruning_base", 4, 1),
    ("history_pruning_per_ply", 4000, 700),
    ("futility_margin", 90, 20),
    ("futility_margin_per_ply", 95, 15),
    ("tactical_futility_margin", 200, 35),
    ("tactical_futility_margin_per_ply", 180, 30),
    ("see_quiet_margin_per_squared_ply", 22, 4),
    ("see_tactical_margin_per_ply", 110, 18),
    ("double_extension_margin", 18, 5),
    ("reduction_base", 80, 12),
    ("reduction_divisor", 230, 18),
    ("reduction_history", 12000, 2000),
    ("reduction_capture_history", 10000, 2000),
    ("reduction_cut", 1400, 250),
    ("reduction_pv", 1024, 250),
    ("reduction_not_improving", 512, 200),
    ("reduction_tactical_hash_move", 700, 250),
    ("reduction_many_cutoffs", 700, 250),
    ("deeper_margin", 40, 8),
    ("safety_per_centipawn", 16, 4),
    ("history_bonus_per_ply", 160, 30),
    ("history_bonus_limit", 1800, 300),
    ("correction_entries_per_centipawn", 28, 5),
    ("quiescence_futility_margin", 150, 25),
    ("reduction_root", 3072, 500),
    ("reduction_check", 1024, 300),
    ("reduction_evasion", 1024, 300),
    ("shallower_margin", 8, 4),
    ("singular_margin_per_ply", 3, 1),
    ("futility_history_per_centipawn", 300, 60),
    ("probcut_improving_margin", 50, 15),
    ("null_move_margin_per_ply", 20, 4),
    ("correction_divisor", 8, 2),
    ("victim_per_centipawn", 16, 3),
    ("evaluation_per_piece", 8, 4),
    ("evaluation_fade", 2, 1),
]
GAMES = 16
# Spall's exponents, and how far the last iterations move a number, in its changes, for each point of difference a game.
ALPHA, GAMMA, RATE = 0.602, 0.101, 0.03


def play(herald: str, nodes: int, seed: int, plus: list[int], minus: list[int]) -> float:
    """The points a game that the first numbers are ahead by: from -1 to 1."""

    def engine(name: str, values: list[int]) -> str:
        options = " ".join(f"option.{number[0]}={value}" for number, value in zip(NUMBERS, values))
        return f"cmd={herald} name={name} {options}"

    report = herald_match.play(
        herald,
        [engine("plus", plus), engine("minus", minus)],
        *["--each", f"nodes={nodes} option.Hash=16", "--games", str(GAMES), "--concurrency", "2"],
        *["--order", "random", "--seed", str(seed)],
        *["--resign", "movecount=3 score=600 twosided=true", "--draw", "movenumber=40 movecount=8 score=8"],
    )
    plus_standing = herald_match.standing(report, "plus")
    return (plus_standing["wins"] - plus_standing["losses"]) / GAMES


def main() -> None:
    herald, folder, iterations = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    nodes = int(sys.argv[4]) if len(sys.argv) > 4 else 10_000
    folder.mkdir(parents=True, exist_ok=True)
    record = folder / "iterations.jsonl"
    values = [float(first) for _, first, _ in NUMBERS]
    done = [json.loads(line) for line in record.read_text().splitlines()] if record.exists() else []
    if done:
        values = done[-1]["values"]
    if len(values) != len(NUMBERS):
        sys.exit(f"{record} is of other numbers")
    for k in range(len(done) + 1, iterations + 1):
        random.seed(k)
        signs = [random.choice((-1, 1)) for _ in NUMBERS]
        wide = (iterations / k) ** GAMMA
        change = [sign * last * wide for sign, (_, _, last) in zip(signs, NUMBERS)]
        plus = [max(1, round(value + by)) for value, by in zip(values, change)]
        minus = [max(1, round(value - by)) for value, by in zip(values, change)]
        ahead = play(herald, nodes, k, plus, minus)
        fast = (1.1 * iterations / (0.1 * iterations + k)) ** ALPHA
        step = [RATE * fast * ahead * sign * last for sign, (_, _, last) in zip(signs, NUMBERS)]
        values = [value + by for value, by in zip(values, step)]
        with record.open("a") as file:
            file.write(json.dumps({"ahead": ahead, "values": [round(value, 4) for value in values]}) + "\n")
        if k % 25 == 0 or k == iterations:
            print(k, " ".join(f"{name}={value:.1f}" for (name, _, _), value in zip(NUMBERS, values)), flush=True)


if __name__ == "__main__":
    main()
