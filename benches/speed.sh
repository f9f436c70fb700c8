#!/bin/sh
# Nodes per second of Herald's bench, and of Stockfish's and Ethereal's own benches in the same minute: three rounds in
# turns, the best of each, and the ratios. One thread each.
#
#   benches/speed.sh HERALD [ARGUMENTS OF ITS BENCH]
set -eu
PATH=$PATH:/usr/games
herald=$1
shift
arguments=$*

nps() { # the last number before or after "nps" or "Nodes/second" of a bench
  case $1 in
    herald) "$herald" bench $arguments 2>/dev/null | tail -n 1 | awk '{print $3}' ;;
    stockfish) stockfish bench 2>&1 | awk '/Nodes\/second/{print $NF}' ;;
    ethereal-chess) ethereal-chess bench 2>&1 | awk '/NPS|nps/{n=$0} END{gsub(/[^0-9 ]/," ",n); k=split(n,f," "); print f[k]}' ;;
  esac
}

best_herald=0 best_stockfish=0 best_ethereal=0
for _ in 1 2 3; do
  n=$(nps herald); [ "$n" -gt $best_herald ] && best_herald=$n
  if command -v stockfish >/dev/null; then n=$(nps stockfish); [ "$n" -gt $best_stockfish ] && best_stockfish=$n; fi
  if command -v ethereal-chess >/dev/null; then n=$(nps ethereal-chess); [ "$n" -gt $best_ethereal ] && best_ethereal=$n; fi
done
ratio() { [ "$2" -gt 0 ] && awk "BEGIN{printf \"%-16s %9d nps, Herald has %.2f times as many\n\", \"$1\", $2, $best_herald/$2}" || echo "$1: not installed"; }
printf '%-16s %9d nps\n' Herald "$best_herald"
ratio stockfish "$best_stockfish"
ratio ethereal-chess "$best_ethereal"
