"""Plays matches by `herald match`, for the scripts beside this one."""

import json
import subprocess


def play(herald: str, engines: list[str], *flags: str) -> dict:
    """What the match reports at its end. `engines` are the values of its flag of that name."""
    command = [herald, "match", *(word for engine in engines for word in ("--engine", engine)), *flags, "--json"]
    out = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    return json.loads(out.splitlines()[-1])


def standing(report: dict, name: str) -> dict:
    """How a player stands. The best one comes first in the report, whoever that is."""
    return next(standing for standing in report["standings"] if standing["name"] == name)


def row(report: dict, name: str) -> str:
    """Games, score and Elo of a player, as cells of a table."""
    of = standing(report, name)
    games = of["wins"] + of["draws"] + of["losses"]
    elo, error = of["elo"]["value"], of["elo"]["error"]
    difference = "" if elo is None else f"{elo:+.0f}" if error is None else f"{elo:+.0f} ± {error:.0f}"
    return f"{games} | {100 * of['points'] / games:.1f} % (+{of['wins']} ={of['draws']} -{of['losses']}) | {difference}"
