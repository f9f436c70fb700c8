#!/usr/bin/env python3
"""Watches an event of real programs on the referee's page in Chromium, as a spectator does.

    tests/peers/referee_page.py target/release/herald [--axe axe.min.js] [--pictures FOLDER] [--games N]

Herald, stockfish, toga2 and fairymax play 5+0.1; stockfish gives a third opinion. The page is photographed and checked with axe-core at
1280 and 390 pixels in light and dark; a game is replayed with the keyboard alone; addresses of moves are opened; /live.pgn and /games/N.pgn
are read by python-chess and pgn-extract while the games grow. Then the referee is stopped, and killed and started again: the page has to say
so and to find it by itself. At the end the page is saved as a file, and report/ and that file are opened from the disk. Exit status 1
if anything is wrong.
"""

import argparse
import io
import pathlib
import re
import signal
import socket
import subprocess
import tempfile
import time
import urllib.request

import chess.pgn

from board import Checks
from browser import Browser

TOKEN = "director-of-the-cup"
PROGRAMS = ["cmd={herald} name=Herald patience=60", "cmd=stockfish name=Stockfish patience=60", "cmd=toga2 name=Toga patience=60",
            "cmd=fairymax protocol=cecp name=Fairy-Max patience=60"]
MOVES = "return document.querySelectorAll('#game .moves button').length"
SHOWN = "return document.querySelector('#game .moves [aria-current] b')?.textContent ?? ''"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def referee(herald, folder, page, games):
    command = ["nice", herald, "referee", "--folder", f"{folder}/event", "--listen", "127.0.0.1:0", "--live", page, "--background", "--quiet", "0",
               "--tc", "5+0.1", "--margin", "1000", "--games", str(games), "--local-games", "2", "--event", "Autumn <b>cup</b>",
               "--director-file", f"{folder}/director", "--kibitzer", "cmd=stockfish name=\"Third eye\" patience=60"]
    for program in PROGRAMS:
        command += ["--program", program.format(herald=herald)]
    # What it prints has to go somewhere: it may say more than a pipe holds.
    log = open(f"{folder}/referee.log", "a")
    return subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)


def get(page, path):
    with urllib.request.urlopen(f"http://{page}{path}", timeout=20) as answer:
        assert answer.headers["Cache-Control"] == "no-store", path
        return answer.read().decode()


def wait_for(page, patience=60):
    until = time.monotonic() + patience
    while time.monotonic() < until:
        try:
            return get(page, "/state.json")
        except OSError:
            time.sleep(0.2)
    raise AssertionError("the page does not come")


def check_pgn(page):
    """The live games as others read them: each move has a clock, and those with a score have it in both."""
    text = get(page, "/live.pgn")
    reader, counts = io.StringIO(text), {"games": 0, "plies": 0, "clocks": 0, "scores": 0}
    while (game := chess.pgn.read_game(reader)) is not None:
        assert not game.errors, game.errors
        counts["games"] += 1
        for node in game.mainline():
            counts["plies"] += 1
            counts["clocks"] += node.clock() is not None
            counts["scores"] += node.eval() is not None
    assert counts["games"] > 0 and counts["clocks"] == counts["plies"] and counts["scores"] > 0.8 * counts["plies"], counts
    strict = subprocess.run(["pgn-extract", "-r"], input=text, capture_output=True, text=True)
    assert f"{counts['games']} games matched out of {counts['games']}" in strict.stderr, strict.stderr[-500:]
    number = int(re.search(r'GameNumber "(\d+)"', text)[1])
    assert get(page, f"/games/{number}.pgn").startswith("[Event")
    return counts


def replay_with_keys(browser, number, close):
    """Steps through a game with the keyboard alone, and into the main lines."""
    browser.wait("the moves", MOVES + " > 20")
    browser.run("document.activeElement.blur()")
    browser.press("Home", "Right", "Right", "Right")
    third = browser.run(SHOWN)
    assert browser.run("return location.hash") == f"#game-{number}/2w", browser.run("return location.hash")
    browser.press("1", "Home")
    first = browser.run("return document.activeElement.textContent")
    assert first.endswith(third) and first.startswith("2."), (first, third)
    assert browser.run("return location.hash") == f"#game-{number}/2w", "the line is stepped through, not the game"
    browser.run("document.activeElement.blur()")
    browser.press("End")
    assert browser.run("return view.at === view.last()")
    browser.press("?")
    assert browser.run("return document.getElementById('keys').open")
    browser.press("Escape")
    close()


def pass_the_moves(browser):
    """While moves come, the Tab key stops once in their list, the focus stays there, and the next Tab leaves it."""
    is_within = "return Boolean(document.activeElement?.closest('#game .moves'))"
    browser.run("document.querySelector('#game .moves [tabindex=\"0\"]').focus({ preventScroll: true })")
    for _ in range(3):
        before = browser.run(MOVES)
        browser.wait("another move", f"{MOVES} !== {before}")
        assert browser.run(is_within), "the focus is thrown out of the moves"
    assert browser.run("return document.querySelectorAll('#game .moves [tabindex=\"0\"]').length") == 1
    browser.press("Tab")
    assert not browser.run(is_within) and browser.run("return document.activeElement !== document.body")
    browser.run("document.activeElement.blur()")


SET = """const set = (id, value) => { const node = document.getElementById(id); node.value = value;
    node.dispatchEvent(new Event(node.tagName === 'SELECT' ? 'change' : 'input', { bubbles: true })); };"""


def correct_on_page(browser, number, checks):
    """Gives a finished game another result in the form of its page, as the director."""
    browser.run("document.getElementById('token').focus()")
    browser.run("document.getElementById('token').value = arguments[0]; document.getElementById('sign-in').requestSubmit()", TOKEN)
    browser.wait("the director's orders", "return !document.getElementById('game-orders').hidden")
    assert browser.run("return document.activeElement.id") == "event-order", "the focus goes on to the orders"
    checks.page("live-director")
    browser.wait("a game in play", "return running.size > 0")
    browser.click("#any-game-order")
    browser.run(SET + "set('order-kind', 'add {game} {side} {seconds}'); set('field-seconds', '-5');")
    browser.click("#give")
    browser.wait("the refusal", "return document.getElementById('order-answer').textContent.includes('`-5`: expected seconds')")
    browser.press("Escape")
    browser.click("#game-order")
    result = browser.run("return state.finished.find(row => row.number === arguments[0]).result", number)
    other = "0-1" if result == "1-0" else "1-0"
    reason = 'it\'s the "wrong" board'
    browser.run(SET + """set('order-kind', 'correct {game} {result} {reason?}'); set('field-result', arguments[0]); set('field-reason', arguments[1]);
        document.getElementById('field-reason').dispatchEvent(new Event('input', { bubbles: true }));""", other, reason)
    words = browser.run("return document.getElementById('order-words').textContent")
    assert words == f"correct {number} {other} {reason}", words
    browser.click("#give")
    browser.wait("the question", "return document.getElementById('order-answer').className === 'asks'")
    checks.page("live-order")
    assert browser.run("return state.finished.find(row => row.number === arguments[0]).result", number) == result, "before it is confirmed"
    browser.click("#give")
    browser.wait("the other result", f"return state.finished.find(row => row.number === {number}).result === '{other}'")
    assert "no longer" in browser.run("return document.getElementById('order-answer').textContent")
    browser.click("#order-close")
    browser.wait("the reason", "return state.finished.some(row => row.reason.endsWith(arguments[0]))", reason)
    # Chromium notes the refusal and the question, answers with status 400 and 409, as errors.
    complaints = [complaint for complaint in browser.complaints() if "409" not in complaint and "400" not in complaint]
    assert not complaints, complaints


def check_places(browser, number):
    """A game that is chosen in the schedule, and all boards, come into view."""
    for width, height in [(1280, 900), (390, 844)]:
        browser.look(width, height)
        browser.run("document.querySelector(`#games [aria-label='Game ${arguments[0]}']`).click()", number)
        browser.wait("the game in view", "const { top } = document.getElementById('title').getBoundingClientRect(); return top >= 0 && top < 60")
        browser.press("g")
        browser.wait("the top", "return scrollY === 0")


def open_address(browser, url, number):
    browser.open("about:blank")
    browser.open(f"{url}#game-{number}/3b")
    browser.wait("the move of the address", "return view.nodes?.[view.at]?.number === '3…'")
    browser.wait("the title", "return document.getElementById('title').textContent.startsWith(arguments[0])", f"Game {number}:")


def try_disk(browser, checks, file, name, number):
    browser.open("about:blank")
    browser.open(f"{file.as_uri()}#game-{number}")
    replay_with_keys(browser, number, lambda: None)
    assert browser.run("return document.getElementById('game').querySelectorAll('.line').length") >= 2
    row = browser.run("return state.finished.find(row => row.number === arguments[0])", number)
    names = browser.run("return [...document.querySelectorAll('.replay-side > :first-child')].map(node => node.textContent)")
    assert names == [row["black"], row["white"]] and browser.run("return view.main.length - 1") == row["plies"], (names, row)
    checks.page(name)
    rows = browser.run("return document.getElementById('table').rows.length")
    assert rows == 1 + len(PROGRAMS), rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("herald")
    parser.add_argument("--axe", help="axe.min.js")
    parser.add_argument("--pictures", help="folder for pictures")
    parser.add_argument("--games", type=int, default=2, help="games of each encounter")
    given = parser.parse_args()
    herald, page = str(pathlib.Path(given.herald).resolve()), f"127.0.0.1:{free_port()}"
    url = f"http://{page}/"
    browser = Browser()
    checks = Checks(browser, given.axe, given.pictures)
    with tempfile.TemporaryDirectory() as folder:
        browser.chromium("Page.setDownloadBehavior", behavior="allow", downloadPath=folder)
        pathlib.Path(folder, "director").write_text(TOKEN + "\n")
        event = referee(herald, folder, page, given.games)
        try:
            wait_for(page)
            browser.open(url)
            browser.wait("a game", MOVES + " > 30")
            browser.wait("a third opinion", "return document.querySelector('.line-third .line-score')?.textContent")
            checks.page("live-game")
            print("PGN as it grows:", check_pgn(page))
            pass_the_moves(browser)
            browser.press("g")
            browser.wait("all boards", "return document.getElementById('replay').hidden && document.querySelectorAll('.card').length > 0")
            checks.page("live-boards")
            browser.wait("an ended game", "return state.finished.length > 0", patience=120)
            number = browser.run("return state.finished[0].number")
            open_address(browser, url, number)
            replay_with_keys(browser, number, lambda: checks.page("live-replay"))
            check_places(browser, number)
            open_address(browser, url, number)
            correct_on_page(browser, number, checks)
            assert not browser.complaints(), "errors on the console"

            lost = "return document.getElementById('notice').textContent.includes('be reached since')"
            event.send_signal(signal.SIGSTOP)
            stopped = time.monotonic()
            browser.wait("the silence", lost, patience=15)
            print(f"the page says that the referee is silent {time.monotonic() - stopped:.1f} s after it was stopped")
            event.send_signal(signal.SIGCONT)
            browser.wait("the referee goes on", "return document.getElementById('notice').hidden", patience=20)

            event.kill()
            event.wait()
            killed = time.monotonic()
            browser.wait("the loss", lost, patience=15)
            print(f"the page says that the referee is gone after {time.monotonic() - killed:.1f} s")
            assert browser.run(MOVES) > 20, "what was shown stays"
            checks.page("live-lost")
            event = referee(herald, folder, page, given.games)
            wait_for(page)
            back = time.monotonic()
            browser.wait("the referee again", "return document.getElementById('notice').hidden", patience=20)
            print(f"the page has found it again after {time.monotonic() - back:.1f} s")

            assert event.wait(600) == 0, pathlib.Path(folder, "referee.log").read_text()[-1000:]
            browser.wait("the end", "return document.getElementById('notice').textContent.includes('is over')", patience=15)
            checks.page("live-over", [(1280, 900, False)])
            browser.click("#save")
            saved = pathlib.Path(folder, "Autumn-b-cup-b-.html")
            until = time.monotonic() + 20
            while not saved.exists() and time.monotonic() < until:
                time.sleep(0.2)
            browser.complaints()
            try_disk(browser, checks, pathlib.Path(folder, "event/report/index.html"), "report", number)
            try_disk(browser, checks, saved, "saved", number)
            games = len(list(pathlib.Path(folder, "event/report").glob("game-*.js")))
            print(f"report/ has {games} games; the saved page has {browser.run('return kept.size')}, {saved.stat().st_size // 1024} KiB")
            assert games == 6 * given.games and browser.run("return kept.size") == games
            # axe reads the style sheets again, which a page on a disk may not do.
            complaints = [complaint for complaint in browser.complaints() if "Connecting to" not in complaint]
            assert not complaints, complaints
        finally:
            event.kill()
            event.wait()
            browser.close()
    for violation in checks.violations:
        print(violation)
    print(f"axe: {checks.pages} pages, {len(checks.violations)} violations")
    return 1 if checks.violations else 0


if __name__ == "__main__":
    raise SystemExit(main())
