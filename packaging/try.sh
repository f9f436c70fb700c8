#!/bin/sh
# Tries an executable: packaging/try.sh HERALD [COMMAND]. Says its version, plays its bench and two whole games, of UCI against
# CECP. Needs nothing but a POSIX shell. COMMAND starts an executable of another platform.
set -eu
cd "$(dirname "$1")"
herald=./$(basename "$1") run_with=${2:-}
# Windows programs start each other without wine's help.
case $run_with in wine*) program=$herald ;; *) program="$run_with $herald" ;; esac

fail() { echo "try.sh: $*" >&2; exit 1; }

version=$($run_with "$herald" --version) || fail "$herald does not run here"
echo "version: $version"
answer=$(printf 'uci\nquit\n' | $run_with "$herald" uci)
case $answer in *uciok*) echo "uci: $(echo "$answer" | head -n 1)" ;; *) fail "no uciok" ;; esac
bench=$($run_with "$herald" bench 2>/dev/null | tail -n 1 | tr -d '\r')
case $bench in *" nodes "*) echo "bench: $bench" ;; *) fail "no bench" ;; esac
games=$(mktemp)
trap 'rm -f "$games"' EXIT
$run_with "$herald" match --engine "cmd='$program uci' name=UCI protocol=uci" \
  --engine "cmd='$program xboard' name=CECP protocol=cecp" --each nodes=5000 --games 2 --pgn "$games" >/dev/null ||
  fail "the games could not be played"
[ "$(grep -c '^\[Result "\(1-0\|0-1\|1/2-1/2\)"\]' "$games")" = 2 ] || fail "not two games: $(cat "$games")"
if grep -iE '^\[Termination "(time forfeit|rules infraction|abandoned|emergency)"' "$games"; then fail "an accident"; fi
echo "games: $(sed -n 's/^\[Result "\(.*\)"\].*/\1/p' "$games" | tr '\n' ' ')"
