#!/bin/sh
# Plays games between Herald and a peer under a real XBoard on a virtual screen, with claims and legality checked.
#
#   tests/peers/xboard.sh HERALD PEER GAMES TIME INCREMENT FOLDER [VARIANT]
#
# TIME is minutes:seconds. FOLDER receives games.pgn, debug.log and, with SCREENSHOT=1, screen.png (needs ImageMagick). Fails unless XBoard ends by itself with
# every game played to a result that is neither a forfeit nor a loss on time by Herald.
set -eu
PATH=$PATH:/usr/games
herald=$(realpath "$1") peer=$(command -v "$2") games=$3 time=$4 increment=$5 folder=$6 variant=${7:-normal}
mkdir -p "$folder"
folder=$(realpath "$folder")
rm -f "$folder/games.pgn" "$folder/debug.log"

display=:$((100 + $$ % 400))
Xvfb $display -screen 0 1280x900x24 >/dev/null 2>&1 &
screen=$!
trap 'kill $screen 2>/dev/null' EXIT
export DISPLAY=$display
for _ in 1 2 3 4 5 6 7 8 9 10; do xdpyinfo >/dev/null 2>&1 && break || sleep 0.5; done

# The engine output is drawn only for a picture: on a virtual screen drawing costs a tenth of a second a move.
output=; [ -z "${SCREENSHOT:-}" ] || output="-engineOutputUp true"

# Peers leave learning files and logs where they run.
cd "$folder"
timeout $((games * 120)) xboard -fcp "$herald xboard" -fd "$folder" -scp "$peer" -sd "$folder" \
  -variant "$variant" -mg "$games" -tc "$time" -inc "$increment" -matchPause 200 -sgf games.pgn \
  -debugMode true -nameOfDebugFile debug.log $output \
  -autoCallFlag true -xponder -popupExitMessage false -popupMoveErrors false -soundProgram true \
  -saveSettingsOnExit false -testClaims true -checkMates true -testLegality "${LEGALITY:-true}" >xboard.out 2>&1 &
xboard=$!
if [ -n "${SCREENSHOT:-}" ]; then
  sleep 6
  import -window root screen.png 2>/dev/null || true
fi
wait $xboard || { echo "XBoard ended with status $?"; cat xboard.out; exit 1; }

grep -i 'final score' xboard.out
played=$(grep -c '^\[Result "\(1-0\|0-1\|1/2-1/2\)"\]' games.pgn)
[ "$played" = "$games" ] || { echo "$played games of $games have a result"; exit 1; }
# XBoard's words for what must not happen, as they stand in the comment at the end of a game.
if grep -iE '\{.*(forfeit|false|illegal|exited|died|disconnect).*\}' games.pgn; then
  echo "a game was not decided on the board"
  exit 1
fi
# Of the peers' sins only Herald's own count: a loss on time of the side that Herald plays.
awk '/^\[White /{white=$0} /time forfeit|on time/{ if (/White forfeits|Black wins on time/ && white ~ /Herald/ || /Black forfeits|White wins on time/ && white !~ /Herald/) bad=1 }
     END { exit bad }' games.pgn || { echo "Herald lost on time"; exit 1; }
