#!/usr/bin/env python3
"""What each step of the search is worth: the program against itself without the step.

    cargo build --release --features tuning
    tests/peers/ablations.py target/release/herald FOLDER [STEP...]

SPRT [-5, 5] normalised. From the environment: at most GAMES (4000), CONCURRENCY (2) at a time, each player EACH ("nodes=10000
option.Hash=16"; "tc=2+0.02 option.Hash=16" for the steps of time). Prints a row of a table for each step, seen from the program that
has it. FOLDER keeps the states: the same command goes on where it was interrupted.
"""

import os
import sys
from pathlib import Path

import herald_match

NEVER = 1000  # a depth that no node has
HUGE = 30000  # a margin that no evaluation reaches

# What leaves a step out, by the names of search/src/parameters.rs.
STEPS = {
    "check extension": dict(check_extension=0),
    "hash table cutoffs": dict(hash_cutoff_halfmoves=0),
    "upcoming repetitions": dict(upcoming_repetition=0),
    "mate distance pruning": dict(mate_distance_pruning=0),
    "aspiration windows": dict(aspiration_depth=NEVER),
    "hindsight extension": dict(hindsight_extension_reduction=NEVER),
    "hindsight reduction": dict(hindsight_reduction_reduction=NEVER),
    "razoring": dict(razoring_depth_limit=-1),
    "reverse futility": dict(reverse_futility_depth_limit=-1),
    "null move": dict(null_move_depth=NEVER),
    "ProbCut": dict(probcut_depth=NEVER),
    "internal iterative reduction": dict(internal_reduction_depth=NEVER),
    "late move pruning": dict(late_move_pruning_depth_limit=-1),
    "history pruning": dict(history_pruning_depth_limit=-1),
    "futility": dict(futility_margin=HUGE),
    "futility of captures": dict(tactical_futility_margin=HUGE),
    "SEE pruning": dict(see_pruning_depth_limit=-1),
    "SEE pruning of captures": dict(see_tactical_margin_per_ply=HUGE),
    "singular extension, all": dict(singular_depth=NEVER),
    "multicut": dict(multicut_margin=HUGE),
    "double extension": dict(double_extension_margin=HUGE),
    "negative extensions": dict(negative_extension=0, negative_extension_in_cut_nodes=0),
    "late move reductions": dict(late_move_reduction_depth=NEVER),
    "reductions: history": dict(reduction_history=10**9, reduction_capture_history=10**9),
    "reductions: cut nodes": dict(reduction_cut=0),
    "reductions: principal variation": dict(reduction_pv=0),
    "reductions: evasions": dict(reduction_evasion=0),
    "reductions: checks": dict(reduction_check=0),
    "reductions: root": dict(reduction_root=0),
    "reductions: not improving": dict(reduction_not_improving=0),
    "reductions: tactical hash move": dict(reduction_tactical_hash_move=0),
    "reductions: many cutoffs": dict(reduction_many_cutoffs=0),
    "deeper after a reduction": dict(deeper_margin=HUGE),
    "shallower after a reduction": dict(shallower_margin=-HUGE),
    "killer moves": dict(killer_moves=0),
    "all histories": dict(history_bonus_limit=0),
    "butterfly history": dict(butterfly_history=0),
    "threats in the butterfly history": dict(threats_in_butterfly_history=0),
    "pawn history": dict(pawn_history=0),
    "continuation history": dict(continuation_history=0),
    "capture history": dict(capture_history=0),
    "safety in the order of moves": dict(safety_per_centipawn=0),
    "correction histories": dict(correction_entries_per_centipawn=10**9),
    "pawn correction": dict(pawn_correction=0),
    "non-pawn correction": dict(non_pawn_correction=0),
    "continuation correction": dict(continuation_correction=0),
    "improving": dict(improving=0),
    "principal variation remembered": dict(remembered_pv=0),
    "hash score as evaluation": dict(hash_score_as_evaluation=0),
    "fifty moves in the hash key": dict(fifty_moves_in_hash_key=0),
    "null move verification": dict(null_move_verification_depth=NEVER),
    "delta pruning": dict(quiescence_futility_margin=HUGE),
    "quiescence: SEE": dict(quiescence_see_threshold=-HUGE),
    "quiescence: evasions": dict(quiescence_evasions=0),
    "quiescence: hash table": dict(quiescence_hash_table=0),
    # These show with clocks only, or with several threads.
    "time: best move stability": dict(best_move_stability=0),
    "time: node share": dict(node_share_of_best_move=0),
    "time: score trend": dict(score_trend=0),
    "voting": dict(voting=0),
}


def measure(herald: str, folder: Path, step: str) -> str:
    """A row for a step: games, score, Elo with its error, and what the test says."""
    without = " ".join(f"option.{name}={value}" for name, value in STEPS[step].items())
    state = folder / f"{step.replace(' ', '-').replace(':', '').replace(',', '')}.state"
    report = herald_match.play(
        herald,
        [f"cmd={herald} name=with", f"cmd={herald} name=without {without}"],
        *["--each", os.environ.get("EACH", "nodes=10000 option.Hash=16")],
        *["--order", "random", "--seed", "12", "--concurrency", os.environ.get("CONCURRENCY", "2")],
        *["--resign", "movecount=3 score=600 twosided=true", "--draw", "movenumber=40 movecount=8 score=8"],
        *["--sprt=-5,5", "--games", os.environ.get("GAMES", "4000"), "--state", str(state)],
    )
    verdict = {"H1": "worth it", "H0": "no gain"}.get(report["sprt"]["accepted"], "undecided")
    return f"| {step} | {herald_match.row(report, 'with')} | {verdict} |"


def main() -> None:
    herald, folder, *steps = sys.argv[1:]
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for step in steps or STEPS:
        print(measure(herald, folder, step), flush=True)


if __name__ == "__main__":
    main()
