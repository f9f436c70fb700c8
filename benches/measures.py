#!/usr/bin/env python3
"""Measures of the source text: lines of code, type names used more than once, long functions; the time of a build.

    benches/measures.py [--root FOLDER] [--build]

Counted are the Rust files that git tracks, without benches/, examples/ and fuzz/ folders. Tests do not count: files
below a folder `tests`, files named tests.rs or *_tests.rs, and every item behind `#[cfg(test)]`, with the file of a module.

Lines of code: lines that hold anything but white space and comments (`//`, doc comments, `/* */`).

Types: definitions of `struct`, `enum`, `union` and `trait`, public or private, and of `type` where it is no associated
type (at the start of a line). A name is shared if more than one definition has it; the share is that of the
definitions whose name is shared. `macro_rules!` bodies count as they stand.

Long functions: more than 60 lines from `fn` to its closing brace, both included. The brace is the next one with the
indentation of `fn`, as rustfmt guarantees.

--build: seconds of `cargo build --release --locked` into an empty folder, without the download of crates. The link-time
optimisation is that of the profile, unless CARGO_PROFILE_RELEASE_LTO says otherwise. Nothing else should run.
"""

import argparse
import collections
import os
import pathlib
import re
import subprocess
import tempfile
import time

LONGEST = 60
TEXT = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
      | (?P<raw>\b(?:br|cr|r)(?P<hashes>\#*)".*?"(?P=hashes))
      | (?P<string>"(?:\\.|[^"\\])*")
      | (?P<character>b?'(?:\\(?:u\{[^}]*\}|x..|.)|[^\\'\n])')""",
    re.DOTALL | re.VERBOSE,
)
NOT_CODE = {"benches", "examples", "fuzz", "tests"}
TYPE = re.compile(
    r"^(?:\s*(?:pub(?:\([^)]*\))?\s+)?(?:unsafe\s+)?(?:struct|enum|union|trait)|(?:pub(?:\([^)]*\))?\s+)?type)"
    r"\s+([A-Z]\w*)",
    re.MULTILINE,
)
FUNCTION = re.compile(
    r"^\s*(?:pub(?:\([^)]*\))?\s+)?(?:(?:const|async|unsafe|extern\s+\"[^\"]*\")\s+)*fn\s+(\w+)"
)


def blanked(match):
    """White space for a comment, marks for a string: lines stay lines, and no brace or keyword is left in either."""
    return re.sub(r"[^\n]", " " if match["comment"] else "~", match[0])


def item(lines, start):
    """Where the item ends that begins at this line: its closing brace or, where it has none, its semicolon."""
    end = re.match(r"\s*", lines[start])[0] + "}"
    opened = False
    for number in range(start, len(lines)):
        line = lines[number].rstrip()
        if (opened and line.startswith(end)) or (not opened and line.endswith((";", "}"))):
            return number
        opened = opened or line.endswith("{")
    return len(lines) - 1


def without_tests(lines):
    """The lines without the items behind `#[cfg(test)]`, and the names of modules among these that are files."""
    kept, modules, number = [], set(), 0
    while number < len(lines):
        if lines[number].strip() != "#[cfg(test)]":
            kept.append(lines[number])
            number += 1
            continue
        while lines[number].lstrip().startswith("#["):
            number += 1
        if found := re.match(r"\s*(?:pub(?:\([^)]*\))? )?mod (\w+);", lines[number]):
            modules.add(found[1])
        number = item(lines, number) + 1
    return kept, modules


def sources(root):
    """Each file that counts with its lines, blank ones among them: comments are white space in them."""
    listed = subprocess.run(["git", "ls-files", "*.rs"], cwd=root, stdout=subprocess.PIPE, text=True, check=True)
    files, tests = {}, set()
    for name in filter(counted, listed.stdout.splitlines()):
        if not (root / name).exists():
            continue
        text = TEXT.sub(blanked, (root / name).read_text(encoding="utf-8"))
        files[name], modules = without_tests(text.splitlines())
        path = pathlib.PurePath(name)
        folder = path.parent if path.stem in ("lib", "main", "mod") else path.with_suffix("")
        tests |= {str(folder / module) for module in modules}
    return {name: lines for name, lines in files.items() if not is_one_of(tests, name)}


def is_one_of(modules, name):
    path = pathlib.PurePath(name)
    return any(str(place) in modules for place in [path.with_suffix(""), *path.parents])


def counted(name):
    *folders, file = pathlib.PurePath(name).parts
    return not NOT_CODE & set(folders) and file != "tests.rs" and not file.endswith("_tests.rs")


def functions(lines):
    """Name and length of each function, with its signature."""
    for number, line in enumerate(lines):
        if found := FUNCTION.match(line):
            yield found[1], item(lines, number) - number + 1


def build(root):
    """Seconds of a release build from nothing."""
    subprocess.run(["cargo", "fetch", "--locked", "--quiet"], cwd=root, check=True)
    with tempfile.TemporaryDirectory() as folder:
        command = ["cargo", "build", "--release", "--locked", "--quiet", "--target-dir", folder]
        begun = time.monotonic()
        subprocess.run(command, cwd=root, check=True)
        return time.monotonic() - begun


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    parser.add_argument("--build", action="store_true")
    arguments = parser.parse_args()
    root = arguments.root

    files = sources(root)
    by_crate = collections.Counter()
    for name, lines in files.items():
        by_crate[name.split("/")[0]] += sum(bool(line.strip()) for line in lines)
    print("Lines of code, without tests and comments")
    for crate, lines in sorted(by_crate.items()):
        print(f"  {crate:12} {lines:7,}")
    print(f"  {'all':12} {sum(by_crate.values()):7,}")

    homes = collections.defaultdict(list)
    for file, lines in files.items():
        for name in TYPE.findall("\n".join(lines)):
            homes[name].append(file)
    types = sum(map(len, homes.values()))
    shared = {name: places for name, places in homes.items() if len(places) > 1}
    sharing = sum(map(len, shared.values()))
    print(f"Types: {types}, of which {sharing} share their name with another: {100 * sharing / types:.1f} %")
    for name, places in sorted(shared.items(), key=lambda item: (-len(item[1]), item[0])):
        print(f"  {name} x{len(places)}: {', '.join(places)}")

    measured = [(length, file, name) for file, lines in files.items() for name, length in functions(lines)]
    long = [entry for entry in measured if entry[0] > LONGEST]
    print(f"Functions of more than {LONGEST} lines: {len(long)}")
    for length, file, name in sorted(long, reverse=True):
        print(f"  {length:4} {file}: {name}")

    if arguments.build:
        chosen = os.environ.get("CARGO_PROFILE_RELEASE_LTO", "of the profile")
        print(f"Clean release build, {os.cpu_count()} cores, link-time optimisation {chosen}: {build(root):.0f} s")


if __name__ == "__main__":
    main()
