#!/usr/bin/env python3
"""Plays many instant games at once and watches the runner: threads, open files and memory must not grow with the games.

    tests/peers/match_load.py HERALD ENGINE [GAMES [CONCURRENCY]]

ENGINE is an instant UCI engine, for example "target/release/examples/misbehaving --protocol uci".
"""

import json
import os
import subprocess
import sys
import tempfile
import time


def status(pid):
    """Threads, open files and resident memory in KiB."""
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        fields = dict(line.split(":", 1) for line in file if ":" in line)
    return int(fields["Threads"]), len(os.listdir(f"/proc/{pid}/fd")), int(fields["VmRSS"].split()[0])


def main():
    herald, engine = sys.argv[1:3]
    games, concurrency = (sys.argv[3:] + ["2000", "64"][len(sys.argv) - 3:])[:2]
    folder = tempfile.mkdtemp()
    command = [herald, "match", "--json", "--games", games, "--concurrency", concurrency, "--tc", "10+0.1"]
    for name in "AB":
        command += ["--engine", f"cmd='{engine}' name={name}"]
    command += ["--pgn", f"{folder}/a.pgn", "--state", f"{folder}/a.state", "--seed", "1"]
    began, samples, plies = time.time(), [], 0
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            event = json.loads(line)
            if event["event"] == "game":
                plies += event["plies"]
                samples.append(status(process.pid))
            elif event["event"] == "end":
                end = event
        assert process.wait() == 0
    took = time.time() - began
    print(f"{len(samples)} games, {plies} plies in {took:.1f} s: {plies / took:.0f} plies/s")
    print("games  threads  files  MiB")
    for tenth in range(1, 11):
        place = len(samples) * tenth // 10 - 1
        threads, files, memory = samples[place]
        print(f"{place + 1:5}  {threads:7}  {files:5}  {memory / 1024:.1f}")
    for row in end["standings"]:
        print(row["name"], row["faults"], "late", row["late_losses"])
    print(f"overhead {end['overhead_micros']} us, lag {end['lag_micros']} us, longest {end['longest_lag_micros']} us")
    half, last = samples[len(samples) // 2], samples[-int(concurrency) - 1]
    assert last[0] <= half[0] and last[1] <= half[1], (half, last)
    assert last[2] < half[2] * 1.1, (half, last)


main()
