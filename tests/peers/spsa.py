#!/usr/bin/env python3
"""Tunes numbers of the search by games: simultaneous perturbation stochastic approximation (J. C. Spall, 1992).

    cargo build --release --features tuning
    tests/peers/spsa.py target/release/herald FOLDER ITERATIONS [NODES]

Each iteration plays 16 games at NODES nodes a move (10,000) between the numbers changed a little in one random direction and in the
other, and moves them towards the winner. Two iterations run at a time, so that no core waits for the last game of a match.
FOLDER/iterations.jsonl keeps what came of each: the same command goes on from there.
FOLDER/openings.epd, if it is there, has the openings. Prints the numbers now and then, and at the end.

In a simulation of 44 numbers, each up to one and a half of its changes away from its best value, which costs 1 Elo a squared change, 8,000
games won back 38 of 45 Elo.
"""

import json
import random
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock

import herald_match

# Name, first value, and the change in the last iterations that should show in games.
NUMBERS = [
    ("aspiration_margin", 17, 6),
    ("hindsight_margin", 105, 38),
    ("razoring_margin", 192, 60),
    ("razoring_margin_per_squared_ply", 207, 38),
    ("reverse_futility_margin_per_ply", 73, 12),
    ("reverse_futility_improving_margin", 34, 30),
    ("null_move_margin", 129, 45),
    ("null_move_margin_per_reduction", 163, 45),
    ("null_move_reduction", 4242, 400),
    ("null_move_reduction_per_ply", 358, 50),
    ("probcut_margin", 142, 45),
    ("late_move_pruning_base", 6, 1.5),
    ("late_move_pruning_per_squared_ply", 130, 30),
    ("late_move_pruning_not_improving", 58, 8),
    ("history_pruning_per_ply", 3966, 1050),
    ("futility_margin", 73, 30),
    ("futility_margin_per_ply", 40, 22),
    ("tactical_futility_margin", 209, 52),
    ("tactical_futility_margin_per_ply", 172, 45),
    ("see_quiet_margin_per_squared_ply", 20, 6),
    ("see_tactical_margin_per_ply", 126, 27),
    ("double_extension_margin", 20, 7),
    ("reduction_base", 102, 18),
    ("reduction_divisor", 203, 27),
    ("reduction_history", 11427, 3000),
    ("reduction_capture_history", 11402, 3000),
    ("reduction_cut", 1500, 375),
    ("reduction_pv", 1015, 375),
    ("reduction_not_improving", 754, 300),
    ("reduction_tactical_hash_move", 508, 375),
    ("reduction_many_cutoffs", 811, 375),
    ("deeper_margin", 39, 12),
    ("safety_per_centipawn", 16, 6),
    ("history_bonus_per_ply", 252, 45),
    ("history_bonus_limit", 1761, 450),
    ("history_penalty", 142, 22),
    ("history_unrefuted_bonus", 49, 25),
    ("butterfly_weight", 16, 4),
    ("pawn_history_weight", 14, 4),
    ("second_continuation_weight", 18, 4),
    ("fourth_continuation_weight", 17, 4),
    ("pawn_correction_weight", 44, 12),
    ("non_pawn_correction_weight", 34, 12),
    ("continuation_correction_weight", 47, 12),
    ("quiescence_futility_margin", 268, 38),
    ("reduction_root", 2138, 750),
    ("reduction_check", 898, 450),
    ("reduction_evasion", 460, 450),
    ("shallower_margin", 12, 5),
    ("singular_margin_per_ply", 49, 14),
    ("futility_history_per_centipawn", 399, 90),
    ("probcut_improving_margin", 69, 22),
    ("null_move_margin_per_ply", 23, 6),
    ("correction_rate", 139, 30),
    ("victim_per_centipawn", 16, 4.5),
    ("evaluation_fade", 26, 8),
    ("reduction_tactical", 614, 90),
    ("hash_margin", 432, 90),
]
GAMES = 16
# Iterations at a time.
AT_A_TIME = 2
# Spall's exponents, and how far the last iterations move a number, in its changes, for each point of difference a game.
ALPHA, GAMMA, RATE = 0.602, 0.101, 0.05


def play(herald: str, folder: Path, nodes: int, seed: int, plus: list[int], minus: list[int]) -> float:
    """The points a game that the first numbers are ahead by: from -1 to 1."""

    def engine(name: str, values: list[int]) -> str:
        options = " ".join(f"option.{number[0]}={value}" for number, value in zip(NUMBERS, values))
        return f"cmd={herald} name={name} {options}"

    openings = folder / "openings.epd"
    report = herald_match.play(
        herald,
        [engine("plus", plus), engine("minus", minus)],
        *["--each", f"nodes={nodes} option.Hash=16", "--games", str(GAMES), "--order", "random", "--seed", str(seed)],
        *(["--openings", str(openings)] if openings.exists() else []),
        *["--resign", "movecount=3 score=600 twosided=true", "--draw", "movenumber=40 movecount=8 score=8"],
    )
    plus_standing = herald_match.standing(report, "plus")
    return (plus_standing["wins"] - plus_standing["losses"]) / GAMES


class Tuning:
    """The numbers as they are now, and the record of how they came about."""

    def __init__(self, record: Path, iterations: int) -> None:
        done = [json.loads(line) for line in record.read_text().splitlines()] if record.exists() else []
        self.record, self.iterations, self.done = record, iterations, len(done)
        self.values = done[-1]["values"] if done else [float(first) for _, first, _ in NUMBERS]
        if len(self.values) != len(NUMBERS):
            sys.exit(f"{record} is of other numbers")

    def early(self, k: int) -> float:
        """How much more an iteration changes than the last ones, before the exponent."""
        return 1.1 * self.iterations / (0.1 * self.iterations + k)

    def tried(self, k: int) -> tuple[list[int], list[int], list[int]]:
        """The random signs of an iteration, and the numbers changed by them in both directions."""
        draw = random.Random(k)
        signs = [draw.choice((-1, 1)) for _ in NUMBERS]
        change = [sign * last * self.early(k) ** GAMMA for sign, (_, _, last) in zip(signs, NUMBERS)]
        plus = [max(1, round(value + by)) for value, by in zip(self.values, change)]
        minus = [max(1, round(value - by)) for value, by in zip(self.values, change)]
        return signs, plus, minus

    def learn(self, k: int, signs: list[int], ahead: float) -> None:
        """Moves the numbers towards the winner of an iteration."""
        rate = RATE * self.early(k) ** ALPHA * ahead
        self.values = [value + rate * sign * last for value, sign, (_, _, last) in zip(self.values, signs, NUMBERS)]
        self.done += 1
        with self.record.open("a") as file:
            file.write(json.dumps({"ahead": ahead, "values": [round(value, 4) for value in self.values]}) + "\n")
        if self.done % 25 == 0 or self.done == self.iterations:
            values = " ".join(f"{name}={value:.1f}" for (name, _, _), value in zip(NUMBERS, self.values))
            print(self.done, values, flush=True)


def main() -> None:
    herald, folder, iterations = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    nodes = int(sys.argv[4]) if len(sys.argv) > 4 else 10_000
    folder.mkdir(parents=True, exist_ok=True)
    tuning, lock = Tuning(folder / "iterations.jsonl", iterations), Lock()

    def iterate(k: int) -> None:
        with lock:
            signs, plus, minus = tuning.tried(k)
        ahead = play(herald, folder, nodes, k, plus, minus)
        with lock:
            tuning.learn(k, signs, ahead)

    with ThreadPoolExecutor(AT_A_TIME) as pool:
        list(pool.map(iterate, range(tuning.done + 1, iterations + 1)))


if __name__ == "__main__":
    main()
