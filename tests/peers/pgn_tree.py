#!/usr/bin/env python3
"""Compares how python-chess reads games before and after `herald annotate --dry`.

    tests/peers/pgn_tree.py HERALD GAMES.pgn [COUNT]     games of a file
    tests/peers/pgn_tree.py HERALD --random COUNT        games with random nested variations, comments and glyphs

Tags, moves, variations, comments with their white space and glyphs must be the same; Herald may add tags of the opening. Needs python-chess.
"""

import random
import subprocess
import sys
import tempfile

import chess
import chess.pgn

WORDS = ["good", "was", "better;", "[%clk 0:01:00]", "[%eval 0.30]", "Ne4!?", "(", ")", "%", "[x]", "$3", "1-0", "ß", "{", "Zeitnot"]


def texts(comment):
    return comment if isinstance(comment, list) else [comment]


def same(one, other, path):
    """The first difference between two trees, or None. Variations are as deep as games are long, hence no recursion on moves."""
    stack = [(one, other, path)]
    while stack:
        one, other, path = stack.pop()
        facts = [("comment", texts(one.comment), texts(other.comment)), ("glyphs", one.nags, other.nags)]
        if isinstance(one, chess.pgn.ChildNode):
            facts.append(("comment before", texts(one.starting_comment), texts(other.starting_comment)))
        facts.append(("moves", [c.move for c in one.variations], [c.move for c in other.variations]))
        for what, a, b in facts:
            if a != b:
                return f"{path}: {what}: {a!r} is not {b!r}"
        for a, b in zip(one.variations, other.variations):
            stack.append((a, b, f"{path} {a.move}"))
    return None


def random_line(node, moves, depth, rng):
    """Adds random moves with annotations and variations to a node."""
    for _ in range(moves):
        board = node.board()
        legal = list(board.legal_moves)
        if not legal:
            return
        rng.shuffle(legal)
        parent, node = node, node.add_variation(legal[0])
        annotate(node, rng)
        for move in legal[1 : 1 + rng.choice([0, 0, 0, 1, 2])] if depth else []:
            side = parent.add_variation(move)
            annotate(side, rng)
            if rng.random() < 0.3:
                side.starting_comment = comment(rng)
            random_line(side, rng.randrange(6), depth - 1, rng)


def comment(rng):
    return "".join(rng.choice(WORDS) + rng.choice([" ", " ", "  ", "\n"]) for _ in range(rng.randrange(1, 25))).strip()


def annotate(node, rng):
    if rng.random() < 0.3:
        node.nags = set(rng.sample(range(1, 256), rng.randrange(1, 4)))
    if rng.random() < 0.4:
        node.comment = comment(rng)


def random_games(count, to):
    rng = random.Random(31)
    for number in range(count):
        game = chess.pgn.Game()
        game.headers["Round"] = str(number)
        game.headers["White"] = "Ä 'quoted' name"
        if rng.random() < 0.3:
            game.comment = comment(rng)
        random_line(game, rng.randrange(60), 3, rng)
        print(game, file=to, end="\n\n")


def main():
    herald, source = sys.argv[1], sys.argv[2]
    count = int(sys.argv[3]) if len(sys.argv) > 3 else sys.maxsize
    given = tempfile.NamedTemporaryFile("w", suffix=".pgn", encoding="utf-8")
    if source == "--random":
        random_games(count, given)
        given.flush()
        source = given.name
    made = tempfile.NamedTemporaryFile(suffix=".pgn")
    subprocess.run([herald, "annotate", source, "-o", made.name, "--dry"], check=True)
    games = moves = nodes = 0
    with open(source, encoding="utf-8") as before, open(made.name, encoding="utf-8") as after:
        while games < count and (one := chess.pgn.read_game(before)):
            other = chess.pgn.read_game(after)
            games += 1
            tags = {name: other.headers.get(name) for name in one.headers}
            difference = same(one, other, "start")
            if dict(one.headers) != tags or one.errors != other.errors or difference:
                sys.exit(f"game {games} of {source} differs: {difference}\n{dict(one.headers)}\n{tags}\n{other.errors}")
            moves += one.end().ply() - one.ply()
            stack = [one]
            while stack:
                node = stack.pop()
                nodes += len(node.variations)
                stack.extend(node.variations)
        if count == sys.maxsize and chess.pgn.read_game(after):
            sys.exit("there are more games than before")
    print(f"{games} games, {moves} moves, {nodes} with variations: python-chess reads the same")


main()
