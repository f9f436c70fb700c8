#!/usr/bin/env python3
"""A client of an EPD referee in sixty lines: plays the first capture it finds, or any move.

    referee_client.py HOST PORT NAME [SECRET]

Needs python-chess for the rules; the protocol is all here. docs/REFEREE.md describes it.
"""
import random
import re
import socket
import sys

import chess

START = chess.Board().epd(en_passant="fen")
OPERATION = re.compile(r'([^\s;"]+)((?:\s+(?:"[^"]*"|[^\s;"]+))*)\s*;')
OPERAND = re.compile(r'"([^"]*)"|([^\s;"]+)')


def read(line):
    """The four fields of a record, and its operations: opcode -> list of operands."""
    fields, rest = line.split(" ")[:4], " ".join(line.split(" ")[4:])
    operations = {}
    for opcode, operands in OPERATION.findall(rest):
        operations[opcode] = [string or word for string, word in OPERAND.findall(operands)]
    return " ".join(fields), operations


def choose(board):
    moves = list(board.legal_moves)
    captures = [move for move in moves if board.is_capture(move)]
    return random.choice(captures or moves)


def main(host, port, name, secret=None):
    connection = socket.create_connection((host, int(port)))
    lines = connection.makefile("r", encoding="utf-8", newline="\n")

    def say(board, operations):
        connection.sendall(f"{board.epd(en_passant='fen')} {operations}\n".encode())

    board = chess.Board()
    auth = f'Auth "{secret}"; ' if secret else ""
    say(board, f'{auth}refreq sign_on; tcsi "" "{name}";')
    for line in lines:
        fields, operations = read(line.rstrip("\r\n"))
        command = operations["refcom"][0]
        if command == "disconnect":
            return 0
        if command == "fault":
            print("\a" + " ".join(operations.get("c0", ["no reason"])), file=sys.stderr)
        if command in ("execute", "respond", "conclude"):
            # Another position than ours begins a new history (8.1); here, any position does.
            board = chess.Board(f"{fields} {operations.get('hmvc', ['0'])[0]} {operations.get('fmvn', ['1'])[0]}")
            for san in operations.get("sv") or operations.get("sm", []):
                board.push_san(san)
        if command == "respond":
            if board.is_game_over():
                say(board, "refreq reply;")
            else:
                move = choose(board)
                say(board, f"refreq reply; sm {board.san(move)};")
    return 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
