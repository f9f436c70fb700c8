"""Mates found by Herald (`herald epd mate`) and by UCI programs at the same number of nodes.

    tests/peers/epd_mates.py --herald target/release/herald --peers stockfish,ethereal-chess --nodes 1000000 FILE.epd ...

With `--endings COUNT` also in so many random positions of each of ten endings. Needs python-chess. A mate counts as found if the program tells one for the side to move; as shortest if nobody tells a shorter one and
it is no longer than `dm` where the file has that; as wrong if it is shorter than a mate that Herald has proven to be the shortest.
"""
import argparse
import random
import subprocess
import sys
import tempfile
import time

import chess
import chess.engine


def herald(program, path, nodes, moves):
    """Length of each mate and whether it is proven to be the shortest, by line."""
    with tempfile.NamedTemporaryFile(suffix=".epd") as output:
        began = time.time()
        subprocess.run([program, "epd", "mate", "--moves", str(moves), "--nodes", str(nodes), "--threads", "1", path,
                        "-o", output.name], check=True, stderr=subprocess.DEVNULL)
        found = []
        for line in open(output.name):
            _, operations = chess.Board.from_epd(line)
            found.append((operations.get("dm"), "Dm" not in operations))
        return found, time.time() - began


def peer(program, boards, nodes):
    """Length of the mate that a UCI program tells for each position."""
    began, told = time.time(), []
    with chess.engine.SimpleEngine.popen_uci(program) as engine:
        engine.configure({"Hash": 16, "Threads": 1})
        for board in boards:
            info = engine.analyse(board, chess.engine.Limit(nodes=nodes), game=object())
            mate = info["score"].pov(board.turn).mate() if "score" in info else None
            told.append(mate if mate and mate > 0 else None)
    return told, time.time() - began


def ending(men, rng):
    """A legal position of these men with White to move."""
    while True:
        board = chess.Board(None)
        for square, letter in zip(rng.sample(chess.SQUARES, len(men)), men):
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        if board.is_valid() and not board.is_game_over():
            return board


def write_endings(count):
    """A file with so many positions of each ending."""
    output = tempfile.NamedTemporaryFile("w", suffix="-endings.epd")
    for men in ENDINGS:
        rng = random.Random(men)
        output.writelines(f"{ending(men, rng).epd()}\n" for _ in range(count))
    output.flush()
    return output


ENDINGS = "KRk KQk KBBk KQkr KPPk KQPkp KRRkr KRPkp KQRkq KRBkp".split()


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("files", nargs="*")
    arguments.add_argument("--endings", type=int, default=0)
    arguments.add_argument("--herald", default="target/release/herald")
    arguments.add_argument("--peers", default="stockfish,ethereal-chess")
    arguments.add_argument("--nodes", type=int, default=1_000_000)
    arguments.add_argument("--moves", type=int, default=60)
    options = arguments.parse_args()
    endings = write_endings(options.endings)
    for path in options.files + [endings.name] * (options.endings > 0):
        records = [chess.Board.from_epd(line) for line in open(path)]
        boards = [board for board, _ in records]
        for board in boards:
            board.halfmove_clock = 0
        known = [operations.get("dm") for _, operations in records]
        # The lengths are what is to be found.
        with tempfile.NamedTemporaryFile("w", suffix=".epd") as bare:
            bare.writelines(f"{board.epd()}\n" for board in boards)
            bare.flush()
            own, seconds = herald(options.herald, bare.name, options.nodes, options.moves)
        results = {"herald": ([length for length, _ in own], seconds)}
        for name in filter(None, options.peers.split(",")):
            results[name] = peer(name, boards, options.nodes)
        proven = [length if length and is_proven else None for length, is_proven in own]
        best = [min((length for length in lengths if length), default=None)
                for lengths in zip(known, proven, *(told for told, _ in results.values()))]
        print(f"{path}: {len(boards)} positions, {options.nodes} nodes")
        for name, (told, seconds) in results.items():
            found = sum(1 for length in told if length)
            shortest = sum(1 for length, least in zip(told, best) if length and length == least)
            wrong = sum(1 for length, least in zip(told, proven) if length and least and length < least)
            print(f"  {name:16} found {found:5}  shortest {shortest:5}  wrong {wrong:3}  {seconds:8.1f} s")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
