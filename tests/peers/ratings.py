#!/usr/bin/env python3
"""Compares `herald ratings` with independent fits of two models to the same games:

- Ordo's: a draw is half a win; each player's expected points are his points. Fitted here by bisection of one rating at a time.
- BayesElo's: a draw has a probability of its own (Rao and Kupper), with a prior of two virtual draws against the opponents;
  fitted here by minorisation and maximisation (Hunter 2004), and scaled as BayesElo does.

Neither program is called: the fits are made from their published formulas. Both are first held against the output of the
programs themselves that K. Laskos published in 2012 for three players (18-9-3, 18-9-3, 24-6-0): Ordo 190.1, 0, -190.1 with its
scale of that time (173 natural units), BayesElo 166, 0, -165 for `mm 1 1`.

    tests/peers/ratings.py [path of herald]
"""

import json
import math
import random
import subprocess
import sys

HERALD = sys.argv[1] if len(sys.argv) > 1 else "target/release/herald"
ELO = 400 / math.log(10)


def pgn(games):
    return "".join(
        f'[Event "x"]\n[White "{white}"]\n[Black "{black}"]\n[Result "{result}"]\n\n{result}\n\n'
        for white, black, result in games
    )


def herald(games, *arguments):
    command = [HERALD, "ratings", "-", "--format", "json", "--average", "0", *arguments]
    done = subprocess.run(command, input=pgn(games), capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def counts(games):
    table = {}
    for white, black, result in games:
        row = table.setdefault((white, black), [0, 0, 0])
        row[["1-0", "1/2-1/2", "0-1"].index(result)] += 1
    return table


def ordo(games):
    """Ratings and the advantage of the first move, in natural units, with the mean 0."""
    table = counts(games)
    players = sorted({name for pair in table for name in pair})
    rating = dict.fromkeys(players, 0.0)
    advantage = 0.0

    def expected(x):
        return 1 / (1 + math.exp(-x))

    def root(excess):
        low, high = -20.0, 20.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if excess(middle) < 0 else (low, middle)
        return low

    for _ in range(400):
        before = dict(rating, _=advantage)
        for name in players:
            def excess(x, name=name):
                total = 0.0
                for (white, black), (wins, draws, losses) in table.items():
                    n, points = wins + draws + losses, wins + draws / 2
                    if white == name:
                        total += n * expected(x - rating[black] + advantage) - points
                    elif black == name:
                        total -= n * expected(rating[white] - x + advantage) - points
                return total
            rating[name] = root(excess)
        advantage = root(lambda a: sum(
            sum(row) * expected(rating[white] - rating[black] + a) - row[0] - row[1] / 2
            for (white, black), row in table.items()))
        mean = sum(rating.values()) / len(players)
        rating = {name: value - mean for name, value in rating.items()}
        if max(abs(before[n] - rating[n]) for n in players) + abs(before["_"] - advantage) < 1e-11:
            break
    return rating, advantage


def bayeselo(games, prior=2.0):
    """BayesElo's ratings in Elo, with the mean 0."""
    table = {pair: list(map(float, row)) for pair, row in counts(games).items()}
    players = sorted({name for pair in table for name in pair})
    # The virtual draws of a player are shared among his opponents by the number of games, half of them with each colour.
    extra = {}
    for name in players:
        opponents = {}
        for (white, black), row in table.items():
            if name in (white, black):
                other = black if white == name else white
                opponents[other] = opponents.get(other, 0) + sum(row)
        total = sum(opponents.values())
        for other, n in opponents.items():
            for pair in ((name, other), (other, name)):
                extra[pair] = extra.get(pair, 0.0) + prior * n / total / 4
    for pair, draws in extra.items():
        table.setdefault(pair, [0.0, 0.0, 0.0])[1] += draws
    gamma = dict.fromkeys(players, 1.0)
    first, theta = 1.0, 1.5  # White's factor, and that of draws
    for _ in range(3000):
        up, down = dict.fromkeys(players, 0.0), dict.fromkeys(players, 0.0)
        for (w, b), (wins, draws, losses) in table.items():
            x, y = first * gamma[w], gamma[b]
            a, c = (wins + draws) / (x + theta * y), (losses + draws) / (theta * x + y)
            up[w] += wins + draws
            up[b] += losses + draws
            down[w] += first * (a + theta * c)
            down[b] += theta * a + c
        gamma = {name: up[name] / down[name] for name in players}
        mean = math.exp(sum(math.log(g) for g in gamma.values()) / len(players))
        gamma = {name: g / mean for name, g in gamma.items()}
        above = below = 0.0
        for (w, b), (wins, draws, losses) in table.items():
            x, y = gamma[w], gamma[b]
            above += wins + draws
            below += (wins + draws) * x / (first * x + theta * y) + (losses + draws) * theta * x / (theta * first * x + y)
        first = above / below
        total_draws = share = 0.0
        for (w, b), (wins, draws, losses) in table.items():
            x, y = first * gamma[w], gamma[b]
            total_draws += draws
            share += (wins + draws) * y / (x + theta * y) + (losses + draws) * x / (theta * x + y)
        c = share / total_draws
        theta = (1 + math.sqrt(1 + c * c)) / c
    x = 1 / theta
    scale = 4 * x / (1 + x) ** 2
    return {name: scale * ELO * math.log(g) for name, g in gamma.items()}


def published():
    games, number = [], 0
    for a, b, wins, draws, losses in (("1", "2", 18, 9, 3), ("2", "3", 18, 9, 3), ("1", "3", 24, 6, 0)):
        for result, n in (("a", wins), ("d", draws), ("b", losses)):
            for _ in range(n):
                number += 1
                white, black = (a, b) if number % 2 else (b, a)
                text = "1/2-1/2" if result == "d" else "1-0" if (result == "a") == (white == a) else "0-1"
                games.append((white, black, text))
    return games


def tournament(seed, players, rounds):
    random.seed(seed)
    strength = {f"P{i}": random.gauss(0, 150) for i in range(players)}
    games = []
    for _ in range(rounds):
        white, black = random.sample(sorted(strength), 2)
        lead = strength[white] - strength[black] + 35
        win, loss = (1 / (1 + 10 ** ((110 - x) / 400)) for x in (lead, -lead))
        luck = random.random()
        games.append((white, black, "1-0" if luck < win else "0-1" if luck > 1 - loss else "1/2-1/2"))
    return games


def main():
    ours = {p["name"]: p["rating"] for p in herald(published(), "--first-move", "0")["players"]}
    bayes = bayeselo(published())
    print("published: Ordo 190.1 0.0 -190.1, here", *(f"{173 * ours[n] / ELO:.1f}" for n in "123"))
    print("published: BayesElo 166 0 -165, the fit", *(f"{bayes[n]:.1f}" for n in "123"))
    assert all(abs(173 * ours[n] / ELO - known) < 0.06 for n, known in zip("123", (190.1, 0, -190.1)))
    assert all(abs(bayes[n] - known) < 1.5 for n, known in zip("123", (166, 0, -165)))
    for seed, players, rounds in ((1, 6, 300), (2, 20, 3000), (3, 40, 20000)):
        games = tournament(seed, players, rounds)
        result = herald(games)
        ours = {p["name"]: p["rating"] for p in result["players"]}
        rating, advantage = ordo(games)
        bayes = bayeselo(games)
        span = max(ours.values()) - min(ours.values())
        off = max(abs(ours[n] - ELO * rating[n]) for n in ours)
        first = result["first_move"]["value"] - ELO * advantage
        far = max(abs(ours[n] - bayes[n]) for n in ours)
        error = sorted(p["error"] for p in result["players"])[players // 2]
        print(f"{players} players, {rounds} games: span {span:.0f} Elo, median error {error:.1f}; Ordo's model differs by "
              f"at most {off:.4f}, first move {first:+.4f}; BayesElo's by at most {far:.1f}")
        assert off < 0.01 and abs(first) < 0.01


main()
