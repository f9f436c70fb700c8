#!/usr/bin/env python3
"""The slave of an autoplayer link in sixty lines: plays the first capture it finds, or any move; connects again when the line breaks.

    link_slave.py HOST PORT NAME [SECRET]

Needs python-chess for the rules; the protocol is all here. docs/AUTOPLAYER.md describes it.
"""
import hashlib, hmac, json, random, secrets, socket, sys, time, zlib

import chess

host, port, name, secret = (sys.argv[1:] + [""])[:4]
hello = {"type": "hello", "version": 1, "role": "slave", "session": secrets.token_hex(8), "name": name}
kept, acknowledged, received, board, terms, over = [], 0, 0, chess.Board(), {}, False


def write(number, text=""):
    rest = f"{number} {received} {text}".rstrip().encode()
    connection.sendall(b"%08x %s\n" % (zlib.crc32(rest), rest))


def greet(master):
    is_answer = master.get("answer") == hello["nonce"]
    text = f"slave {hello['nonce']} {master['nonce']}".encode()
    proof = hmac.new(secret.encode(), text, hashlib.sha256).hexdigest()
    hello.update(answer=master["nonce"], proof=proof, satisfied=is_answer)
    if not master.get("satisfied") or not is_answer:
        write(0, json.dumps(hello))


def hear(message):
    """Plays along, and returns the answer, if there is one."""
    global board, terms, over
    over = message["type"] == "bye"
    if message["type"] == "game":
        board, terms = chess.Board(message.get("fen", chess.STARTING_FEN)), message
        for san in message["opening"]:
            board.push_san(san)
        return {"type": "ready", "game": message["game"]}
    if message["type"] == "move":
        board.push_san(message["move"])
    if message["type"] == "end":
        print(message["game"], message["result"], message["reason"], flush=True)
    moves, is_ours = list(board.legal_moves), (terms.get("white") == "slave") == board.turn
    if message["type"] in ("start", "move") and is_ours and moves and not board.can_claim_draw():
        began, move = time.monotonic(), random.choice([m for m in moves if board.is_capture(m)] or moves)
        san = board.san(move)
        board.push(move)
        used = int(1000 * (time.monotonic() - began))
        return {"type": "move", "game": terms["game"], "ply": len(board.move_stack), "move": san, "used": used}


while not over:
    time.sleep(0.5)
    try:
        connection = socket.create_connection((host, int(port)))
        hello.update(nonce=secrets.token_hex(8), answer=None, satisfied=False)
        write(0, json.dumps(hello))
        for line in connection.makefile("rb"):
            checksum, _, rest = line.rstrip(b"\r\n").partition(b" ")
            number, taken, text = (rest.decode() + " ").split(" ", 2)
            if checksum.decode() != "%08x" % zlib.crc32(rest):
                continue  # What is lost is repeated.
            news = max(0, min(len(kept), int(taken) - acknowledged))
            kept, acknowledged = kept[news:], acknowledged + news
            if '"hello"' in text:
                greet(json.loads(text))
            elif int(number) == received + 1:
                received, answer = received + 1, hear(json.loads(text))
                kept += [json.dumps(answer)] if answer else []
            # A connection over TCP loses nothing; so it is enough to write all that is kept whenever something was heard.
            for place, message in enumerate(kept if hello["satisfied"] else [], acknowledged + 1):
                write(place, message)
            if int(number) and not kept:
                write(0)
            if over:
                break
    except OSError as error:
        print(error, file=sys.stderr)
