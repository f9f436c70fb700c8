#!/usr/bin/env python3
"""Drives `herald board` and the other pages in Chromium, as a person does.

    tests/peers/board.py target/release/herald [--axe axe.min.js] [--pictures FOLDER]

A whole game is played and lost with the mouse, and another one with the keyboard alone; then moves by drag, a promotion, analysis, a
game with variations that is annotated, positions set up, and two pages at once. The page of an annotated game, the live page and the
EPD report are opened, too. Each page is checked with axe-core (`npm pack axe-core`, then `package/axe.min.js`) in light and dark, at 390 and 1280
pixels; with --pictures it is also photographed. Needs chromium-driver. Exit status 1 if anything is wrong.
"""

import argparse
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

from browser import Browser

GAME = """[White "<b>White</b>"]\n[Black "B"]\n[Result "0-1"]\n\n1. f3 {weak} e5 (1... d5 2. d4 (2. e3) Nf6) 2. g4 Qh4# 0-1\n"""
SIZES = [(1280, 900, False), (1280, 900, True), (390, 844, False), (390, 844, True)]
MOVABLE = "return [...document.querySelectorAll('#board .movable')].map(cell => cell.dataset.square)"
TARGETS = "return [...document.querySelectorAll('#board [aria-label*=\"can be reached\"]')].map(cell => cell.dataset.square)"
OVER = "return /wins|win\\\\.|draw\\\\./.test(document.getElementById('status').textContent)".replace("\\\\", "\\")


class Checks:
    """Pictures and accessibility of the pages."""

    def __init__(self, browser, axe, folder):
        self.browser, self.folder, self.violations, self.pages = browser, folder, [], 0
        self.axe = axe and pathlib.Path(axe).read_text()

    def page(self, name, sizes=SIZES):
        for width, height, dark in sizes:
            self.browser.look(width, height, dark)
            time.sleep(0.3)
            where = f"{name}-{width}-{'dark' if dark else 'light'}"
            if self.folder:
                self.browser.picture(f"{self.folder}/{where}.png")
            wide = self.browser.run("return document.documentElement.scrollWidth - innerWidth")
            assert wide <= 0, f"{where} is {wide} pixels too wide"
            if self.axe:
                self.pages += 1
                self.judge(where)
        self.browser.look(1280, 900)

    def judge(self, where):
        self.browser.run(self.axe)
        found = self.browser.run_async("const done = arguments[0]; axe.run().then(result => done(result.violations))")
        for violation in found:
            nodes = [f"{node['html'][:100]} {(node['any'] or [{}])[0].get('message', '')}" for node in violation["nodes"][:3]]
            self.violations.append(f"{where}: {violation['id']} ({violation['impact']}): {nodes}")


def start(*command, patterns, folder=None):
    """Starts a program and returns it with what the patterns find in its output, one after the other."""
    program = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=folder)
    found = []
    for line in program.stdout:
        match = re.search(patterns[len(found)], line)
        if match:
            found.append(match.group(1))
        if len(found) == len(patterns):
            return program, *found
    raise AssertionError(f"{command} has ended")


def cell(square):
    return f"#board [data-square={square}]"


def promote(browser, choose):
    if browser.run("return Boolean(document.querySelector('.board-promotion'))"):
        choose()


def my_turn(browser):
    script = f"{OVER.replace('return ', 'const over = ')}; return over || document.querySelector('#board .movable') !== null"
    browser.wait("my turn", script)
    return not browser.run(OVER)


def lose_with_the_mouse(browser, rng):
    browser.click("#new-game")
    browser.run("document.getElementById('elo').value = 2800; document.getElementById('elo').oninput()")
    browser.run("document.getElementById('control').value = '-'")
    browser.click("#new-dialog .strong")
    browser.wait("a game", "return !document.getElementById('play-tools').hidden")
    moves = 0
    while my_turn(browser):
        browser.click(cell(rng.choice(browser.run(MOVABLE))))
        browser.click(cell(rng.choice(browser.run(TARGETS))))
        promote(browser, lambda: browser.click(".board-promotion button"))
        moves += 1
        assert moves < 300, "the game has no end"
    return moves, browser.text("#status")


def focus(browser, selector):
    """Goes to an element with the Tab key."""
    for _ in range(200):
        if browser.run("return document.activeElement?.matches(arguments[0]) ?? false", selector):
            return
        browser.press("Tab")
    raise AssertionError(f"the Tab key does not lead to {selector}")


def walk(browser, square):
    """Walks over the board with the arrow keys."""
    place = lambda name: ("abcdefgh".index(name[0]), 8 - int(name[1]))
    here = browser.run("return document.activeElement.dataset.square")
    (x, y), (to_x, to_y) = place(here), place(square)
    browser.press(*["Right" if to_x > x else "Left"] * abs(to_x - x), *["Down" if to_y > y else "Up"] * abs(to_y - y))
    assert browser.run("return document.activeElement.dataset.square") == square


def lose_with_the_keyboard(browser, rng):
    browser.run("document.activeElement.blur()")
    focus(browser, "#new-game")
    browser.press("Enter")
    focus(browser, "#new-dialog .strong")
    browser.press("Enter")
    browser.wait("a game", "return document.querySelectorAll('#moves button').length === 0 && !document.getElementById('play-tools').hidden")
    moves = 0
    focus(browser, "#board [role=gridcell]")
    while my_turn(browser):
        walk(browser, rng.choice(browser.run(MOVABLE)))
        browser.press("Enter")
        walk(browser, rng.choice(browser.run(TARGETS)))
        browser.press("Enter")
        promote(browser, lambda: browser.press("Enter"))
        moves += 1
        assert moves < 300, "the game has no end"
    return moves, browser.text("#status")


def open_text(browser, text):
    browser.click("#open-text")
    browser.run("document.getElementById('text').value = arguments[0]", text)
    browser.click("#open-dialog .strong")
    browser.wait("the dialog closed", "return !document.getElementById('open-dialog').open")


def try_take_back(browser):
    """What was said of Herald's move is not said any longer when it is taken back."""
    assert my_turn(browser)
    said = "return document.querySelector('#board [aria-live]').textContent.startsWith(arguments[0])"
    assert browser.run(said, "Herald plays")
    browser.click("#take-back")
    browser.wait("another announcement", said.replace("arguments[0]", "'Taken back to'"))
    for _ in range(9):
        browser.run("document.getElementById('take-back').click()")
        time.sleep(0.1)
    assert browser.run("return document.getElementById('take-back').disabled"), "there is nothing to take back at the start"


def try_analysis(browser, checks):
    open_text(browser, GAME)
    names = browser.text("#below span")
    assert names == "<b>White</b>", names
    assert browser.run("return document.querySelectorAll('#moves .moves-variation').length") == 1
    browser.click("#annotate")
    browser.wait("a blunder", "return document.querySelector('#moves .blunder') !== null")
    browser.wait("the end of annotating", "return document.getElementById('annotate').ariaPressed === 'false'")
    browser.run("document.activeElement.blur()")
    assert browser.run("return document.getElementById('tree-tools').hidden")
    browser.press("Right", "Right", "Left")
    browser.wait("the first move", "return document.querySelector('#moves [aria-current] b')?.textContent === 'f3'")
    checks.page("board-annotated")
    browser.run("document.getElementById('lines').value = 3; document.getElementById('lines').onchange()")
    browser.click("#analyse")
    browser.wait("three lines", "return document.querySelectorAll('#best li').length === 3")
    time.sleep(1)
    checks.page("board-analysing")
    browser.click("#analyse")
    try_tree(browser)


def try_tree(browser):
    """The current move stays in sight when the list shrinks, and a variation becomes the mainline from each of its moves."""
    knights = ["Nf3", "Nf6", "Ng1", "Ng8"]
    moves = " ".join(f"{ply // 2 + 1}. {knights[ply % 4]}" if ply % 2 == 0 else knights[ply % 4] for ply in range(120))
    open_text(browser, f"{moves} (60... d5 61. d4 (61. -- d4) d6) *")
    browser.wait("the game", "return document.querySelectorAll('#moves button').length > 120")
    assert "61. --" in browser.text("#status"), browser.text("#status")
    browser.click("#last")
    seen = "const box = document.querySelector('#moves [aria-current]')?.getBoundingClientRect(), list = document.getElementById('moves').getBoundingClientRect();" \
        "return Boolean(box) && box.top >= list.top && box.bottom <= list.bottom + 1"
    browser.wait("the last move in sight", seen)
    assert browser.run("return document.getElementById('promote').disabled")
    browser.run("document.getElementById('lines').value = 5; document.getElementById('lines').onchange()")
    browser.click("#analyse")
    browser.wait("five lines", "return document.querySelectorAll('#best li').length === 5")
    time.sleep(0.2)
    assert browser.run(seen), "the current move is out of sight"
    browser.click("#analyse")
    browser.run("[...document.querySelectorAll('#moves .moves-variation button')].at(-1).click()")
    browser.wait("the variation", "return document.getElementById('promote').disabled === false")
    browser.click("#promote")
    browser.wait("another mainline", "return document.querySelector('#moves .moves-variation button b')?.textContent === 'Ng8'")
    assert browser.run("return document.getElementById('promote').disabled")


def try_pockets(browser, checks):
    """Pieces in hand are above and below the board, which is as wide as without them."""
    wide = "return document.getElementById('board').getBoundingClientRect().width"
    browser.look(390, 844)
    before = browser.run(wide)
    browser.click("#set-up")
    browser.run("document.getElementById('setup-variant').value = 'crazyhouse'")
    browser.run("document.getElementById('fen').value = '4k3/pppp1ppp/8/8/8/8/PPPP4/4K3[PPNNBRQpnbrq] w - - 0 1'")
    browser.click("#setup-dialog .strong")
    browser.wait("pockets", "return document.querySelectorAll('.app-frame .board-hand button').length === 10")
    after = browser.run(wide)
    assert after == before, f"the board is {after} pixels wide with pockets, {before} without"
    checks.page("board-pockets")


def try_moves(browser):
    open_text(browser, "4k3/P7/8/8/8/8/8/R3K2R w KQ - 0 1")
    browser.drag(cell("e1"), cell("g1"))
    browser.wait("castling", "return document.querySelector('#moves [aria-current]')?.textContent.includes('O-O')")
    browser.click("#first")
    browser.wait("White's move", "return document.querySelector('#board [data-square=a7]').classList.contains('movable')")
    browser.click(cell("a7"))
    browser.click(cell("a8"))
    browser.press("Right", "Right", "Left", "Right", "Home", "Right", "Right", "Left", "Right")
    assert browser.run("return document.activeElement.ariaLabel") == "rook" and browser.run("return document.querySelector('.board-promotion') !== null")
    browser.press("Enter")
    browser.wait("a promotion", "return document.querySelector('#moves [aria-current]')?.textContent.includes('a8=R+')")
    browser.run("document.getElementById('typed-move').focus()")
    browser.press(*"Kd7", "Enter")
    browser.wait("a typed move", "return document.querySelector('#moves [aria-current]')?.textContent.includes('Kd7')")
    browser.run("document.getElementById('typed-move').focus()")
    browser.press(*"Kd9", "Enter")
    browser.wait("a refusal", "return document.getElementById('status').textContent.includes('Kd9')")


def try_setup(browser, checks):
    browser.click("#set-up")
    browser.click("#setup-clear")
    for piece, square in [("K", "e1"), ("k", "e8"), ("Q", "d1")]:
        browser.click(f"#palette [data-piece={piece}]")
        browser.click(f"#setup-board [data-square={square}]")
    checks.page("board-setup", SIZES[1:3])
    browser.click("#setup-dialog .strong")
    browser.wait("the position", "return document.querySelector('#board [data-square=d1]').ariaLabel.includes('white queen')")


def try_two_pages(browser, url):
    """Another page has a board of its own."""
    first = browser.call("GET", "/window")
    other = browser.call("POST", "/window/new", {"type": "tab"})["handle"]
    browser.call("POST", "/window", {"handle": other})
    browser.open(url)
    browser.wait("a board", "return document.querySelectorAll('#board .movable').length === 10")
    browser.call("DELETE", "/window")
    browser.call("POST", "/window", {"handle": first})
    assert "white queen" in browser.run("return document.querySelector('#board [data-square=d1]').ariaLabel")
    browser.call("POST", "/refresh", {})
    browser.wait("the same board after a reload", "return document.querySelector('#board [data-square=d1]')?.ariaLabel.includes('white queen')")


def try_game_page(herald, browser, checks, folder):
    games, page = folder / "game.pgn", folder / "game.html"
    games.write_text(GAME)
    made = subprocess.run([herald, "annotate", games, "--nodes", "5000", "-o", folder / "out.pgn", "--html", page], capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    browser.open(page.as_uri())
    browser.wait("the board", "return document.querySelectorAll('#game [role=gridcell]').length === 64")
    browser.press("End")
    browser.wait("the last move", "return document.querySelector('[aria-current] b')?.textContent === 'Qh4#'")
    checks.page("game")


def try_report(herald, browser, checks, folder):
    suite, run, other, page = folder / "suite.epd", folder / "run.epd", folder / "other.epd", folder / "report.html"
    suite.write_text('4k3/8/8/8/8/8/P7/4K3 w - - bm Kf2; id "<i>one</i>";\n4k3/8/8/8/8/8/R7/4K3 b - - bm Kd7; id "two";\n')
    subprocess.run([herald, "epd", "target", suite, "--nodes", "500", "-o", run], check=True, capture_output=True)
    subprocess.run([herald, "epd", "target", suite, "--nodes", "5000", "-o", other], check=True, capture_output=True)
    subprocess.run([herald, "epd", "report", run, f"<b>={other}", "--html", page, "--all"], check=True, capture_output=True)
    read_report(browser, checks, page)


def read_report(browser, checks, page):
    """Reads a report with the keyboard: from the table to a board, through its lines, to the next problem, and back."""
    browser.open(page.as_uri())
    browser.wait("boards", "return document.querySelectorAll('figure .board use').length > 0")
    checks.page("report")
    focus(browser, "#rows tbody a")
    browser.press("Enter")
    browser.wait("a problem", "return document.querySelector('dialog[open] .board use') !== null")
    title = browser.text("#problem-title")
    browser.press("Right")
    browser.wait("its first move", "return document.querySelector('dialog .moves [aria-current]') !== null")
    checks.page("problem")
    browser.press("n")
    browser.wait("the next problem", "return document.getElementById('problem-title').textContent !== arguments[0]", title)
    browser.press("Escape")
    browser.wait("the table", "return !document.querySelector('dialog').open && document.activeElement.matches('#rows a')")
    browser.open(page.as_uri() + "#p2")
    browser.wait("the problem of the address", "return document.querySelector('dialog[open] .board use') !== null")
    browser.press("Escape")
    shown = "return [...document.querySelectorAll('#rows tbody tr')].filter(row => row.offsetParent).length"
    browser.run("const filter = document.getElementById('filter'); filter.value = 'all'; filter.onchange()")
    assert browser.run(shown) == browser.run("return document.querySelectorAll('#rows tbody tr').length")


def try_live_page(herald, browser, checks, folder):
    names = ("A<b>", "B")
    options = ["--program", names[0], "--program", names[1], "--tc", "20+0.2", "--listen", "127.0.0.1:0", "--live", "127.0.0.1:0"]
    patterns = [r" at (127\.0\.0\.1:\d+)", r"shown at (http://\S+)"]
    referee, address, page = start(herald, "referee", *options, "--background", patterns=patterns, folder=folder)
    clients = []
    try:
        browser.open(page)
        clients = [subprocess.Popen([herald, "play", "--referee", address, "--name", name], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for name in names]
        browser.wait("a game", "return document.querySelectorAll('.card .board use').length > 0")
        time.sleep(4)
        checks.page("live")
        browser.click(".card")
        browser.wait("the moves", "return document.querySelectorAll('#game .moves button').length > 0")
        checks.page("live-game")
    finally:
        browser.open("about:blank")
        for program in [*clients, referee]:
            program.terminate()
            program.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("herald")
    parser.add_argument("--axe", help="axe.min.js")
    parser.add_argument("--pictures", help="folder for pictures")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    herald = str(pathlib.Path(given.herald).resolve())
    program, url = start(herald, "board", "--no-browser", "--hash", "16", patterns=[r"at (http://\S+)"])
    browser = Browser()
    checks = Checks(browser, given.axe, given.pictures)
    rng = random.Random(given.seed)
    try:
        browser.open(url)
        browser.wait("the board", "return document.querySelectorAll('#board .movable').length === 10")
        checks.page("board-start")
        browser.click("#new-game")
        checks.page("board-new", SIZES[1:3])
        browser.click("#new-dialog [data-close]")
        moves, status = lose_with_the_mouse(browser, rng)
        print(f"with the mouse: {moves} moves; {status}")
        assert browser.run("return document.getElementById('take-back').disabled"), "the game is over"
        checks.page("board-lost")
        moves, status = lose_with_the_keyboard(browser, rng)
        print(f"with the keyboard alone: {moves} moves; {status}")
        browser.run("document.getElementById('typed-move').value = 'Kd9'")
        browser.click("#new-game")
        browser.click("#new-dialog .strong")
        browser.wait("a game", "return document.querySelectorAll('#moves button').length === 0")
        browser.wait("no move of the game before", "return document.getElementById('typed-move').value === ''")
        for move in ["e4", "d4", "Nf3"]:
            if my_turn(browser):
                browser.run("document.getElementById('typed-move').value = arguments[0]; document.getElementById('typed').requestSubmit()", move)
                time.sleep(0.3)
        checks.page("board-playing")
        try_take_back(browser)
        browser.click("#explore")
        try_analysis(browser, checks)
        try_pockets(browser, checks)
        try_moves(browser)
        try_setup(browser, checks)
        try_two_pages(browser, url)
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            try_report(herald, browser, checks, folder)
            try_live_page(herald, browser, checks, folder)
            try_game_page(herald, browser, checks, folder)
        complaints = [text for text in browser.complaints() if "400 (Bad Request)" not in text]
    finally:
        browser.close()
        program.terminate()
        program.wait()
    print(f"axe: {len(checks.violations)} violations on {checks.pages} pages" if given.axe else "axe: not given")
    for line in checks.violations + complaints:
        print(line)
    return 1 if checks.violations or complaints else 0


if __name__ == "__main__":
    sys.exit(main())
