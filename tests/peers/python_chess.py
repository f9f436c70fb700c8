#!/usr/bin/env python3
"""Drives Herald through python-chess, as lichess-bot does: games against Stockfish and analyses, over CECP and UCI.

    tests/peers/python_chess.py HERALD [STOCKFISH]
"""

import sys

import chess
import chess.engine


def play(herald, stockfish, herald_is_white):
    """A game to its end; each side has a tenth of a second or a thousand nodes a move."""
    board = chess.Board()
    while not board.is_game_over(claim_draw=True):
        if board.turn == herald_is_white:
            result = herald.play(board, chess.engine.Limit(time=0.05), ponder=False)
        else:
            result = stockfish.play(board, chess.engine.Limit(nodes=1000))
        assert result.move in board.legal_moves, f"{result.move} in {board.fen()}"
        board.push(result.move)
    return board


def play_on_a_clock(herald):
    """A short game against itself with clocks that count down, pondering on."""
    board, clocks = chess.Board(), {chess.WHITE: 5.0, chess.BLACK: 5.0}
    while not board.is_game_over(claim_draw=True) and board.ply() < 30:
        limit = chess.engine.Limit(
            white_clock=clocks[chess.WHITE], black_clock=clocks[chess.BLACK], white_inc=0.05, black_inc=0.05
        )
        move = herald.play(board, limit, ponder=True).move
        assert move in board.legal_moves
        clocks[board.turn] -= 0.1
        board.push(move)


def analyse(herald):
    """Analyses by depth, by time, with chosen root moves, and of a mate."""
    board = chess.Board("r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 4 4")
    info = herald.analyse(board, chess.engine.Limit(depth=8))
    assert info["score"].white() == chess.engine.Mate(1), info
    assert info["pv"][0] == chess.Move.from_uci("f3f7"), info

    board = chess.Board("r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4")
    info = herald.analyse(board, chess.engine.Limit(time=0.3))
    assert info["depth"] >= 6 and abs(info["score"].white().score(mate_score=100000)) < 300, info
    allowed = [chess.Move.from_uci("a2a3"), chess.Move.from_uci("h2h3")]
    info = herald.analyse(board, chess.engine.Limit(depth=6), root_moves=allowed)
    assert info["pv"][0] in allowed, info
    with herald.analysis(board) as analysis:
        for info in analysis:
            if info.get("depth", 0) >= 8:
                break

    board = chess.Board("1rk2r2/ppp2ppp/8/8/8/8/PPP2PPP/1RK2R2 w FBfb - 0 1", chess960=True)
    move = herald.play(board, chess.engine.Limit(depth=6)).move
    assert move in board.legal_moves


def analyse_lines(herald):
    """Analyses three lines at once, which python-chess asks for over UCI alone."""
    lines = herald.analyse(chess.Board(), chess.engine.Limit(depth=8), multipv=3)
    scores = [line["score"].relative.score() for line in lines]
    assert len({line["pv"][0] for line in lines}) == 3 and scores == sorted(scores, reverse=True), lines


def set_options(herald, prefix):
    """Plays a move as a weak player, and one as itself again."""
    assert "Contempt" in herald.options and prefix + "Elo" in herald.options, herald.options
    herald.configure({prefix + "LimitStrength": True, prefix + "Elo": 1300, "Contempt": 15})
    weak = herald.play(chess.Board(), chess.engine.Limit(time=1), info=chess.engine.INFO_ALL)
    assert weak.info["nodes"] < 1000, weak.info
    herald.configure({prefix + "LimitStrength": False, "Contempt": 0})
    strong = herald.play(chess.Board(), chess.engine.Limit(time=0.2), info=chess.engine.INFO_ALL)
    assert strong.info["nodes"] > 1000, strong.info


def main():
    path, stockfish_path = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "/usr/games/stockfish"
    with chess.engine.SimpleEngine.popen_uci(stockfish_path) as stockfish:
        for name, popen in [
            ("xboard", chess.engine.SimpleEngine.popen_xboard),
            ("uci", chess.engine.SimpleEngine.popen_uci),
        ]:
            with popen([path, name]) as herald:
                board = play(herald, stockfish, herald_is_white=name == "xboard")
                print(f"{name}: game over after {board.ply()} plies, {board.result(claim_draw=True)}")
                analyse(herald)
                if name == "uci":
                    analyse_lines(herald)
                play_on_a_clock(herald)
                set_options(herald, "UCI_" if name == "uci" else "")
                print(f"{name}: analyses and clock games done, id {herald.id}")


if __name__ == "__main__":
    main()
