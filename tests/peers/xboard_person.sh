#!/bin/sh
# Does with a real XBoard on a virtual screen what needs a person: the dialogue of the engine's options, a game with a pause
# and a move by mouse, an analysis with excluded moves, more lines, a move taken back and a position set up, a drop in
# Crazyhouse. Looks into XBoard's log afterwards.
#
#   tests/peers/xboard_person.sh HERALD FOLDER
#
# FOLDER receives debug.log and a picture of each step. Needs XBoard 4.9.1 in its usual size, Xvfb, xdotool and ImageMagick.
set -eu
PATH=$PATH:/usr/games
herald=$(realpath "$1") folder=$2
mkdir -p "$folder"
cd "$folder"
rm -rf ./*.png debug.log variant.log config
export XDG_CONFIG_HOME="$PWD/config"

display=:$((100 + $$ % 400))
Xvfb $display -screen 0 1280x900x24 >/dev/null 2>&1 &
screen=$!
trap 'kill $screen 2>/dev/null' EXIT
export DISPLAY=$display
for _ in 1 2 3 4 5 6 7 8 9 10; do xdpyinfo >/dev/null 2>&1 && break || sleep 0.5; done

# LOG VARIANT
start() {
  xboard -fcp "$herald xboard" -fd "$PWD" -tc 5 -inc 1 -debugMode true -nameOfDebugFile "$1" -variant "$2" \
    -engineOutputUp true -testLegality true -popupExitMessage false -popupMoveErrors false -soundProgram true \
    -saveSettingsOnExit false >xboard.out 2>&1 &
  xboard=$!
  sleep 3
  board=$(xdotool search --onlyvisible --name '^xboard' | head -1)
  for window in $(xdotool search --onlyvisible --name 'Engine Output'); do xdotool windowmove "$window" 500 0; done
}
end() { kill $xboard; wait $xboard || true; }
press() { xdotool windowfocus "$board"; xdotool key "$1"; sleep "$2"; }
# X Y SECONDS [BUTTON]
click() { xdotool mousemove "$1" "$2"; sleep 0.2; xdotool click "${4:-1}"; sleep "$3"; }
# Squares as White sees them: FILE RANK SECONDS, counted from 1. With pieces in hand they are smaller.
square() { click $((27 + 50 * ($1 - 1))) $((464 - 50 * ($2 - 1))) "$3"; }
small() { click $((88 + 34 * ($1 - 1))) $((344 - 34 * ($2 - 1))) "$3"; }
picture() { import -window root "$1.png"; }
engine() { pgrep -P $xboard -f "$herald"; }
ticks() { cut -d' ' -f14,15 "/proc/$(engine | head -1)/stat"; }

start debug.log normal
# The options: Engine, Engine #1 Settings.
click 271 14 1; click 338 118 2; picture options
click 12 93 0.5; xdotool mousemove 200 70 click --repeat 3 1; xdotool type 33; sleep 0.5; xdotool key Tab; sleep 1; picture changed
click 56 413 1.5; picture saved
# The message that tells where covers the dialogue.
xdotool key Return; sleep 1
click 56 442 2; picture reset
click 218 477 1; picture closed
# The next game brings a question. The keys go to the board, so that it stays unanswered.
press ctrl+n 1; picture question
xdotool type no; sleep 0.5; xdotool key Return; sleep 1
# A game: Herald plays White, so that Black is at the bottom. It ponders and is paused.
press ctrl+w 2; press ctrl+m 2
press Pause 1
before=$(ticks); sleep 1; after=$(ticks)
picture paused
press Pause 1
click 177 414 0.7; picture lifted; click 177 314 2
press ctrl+m 2
# An analysis, with White at the bottom again.
press ctrl+n 1; press ctrl+a 2
click 605 47 1 3; click 660 47 1 3; picture excluded; click 570 47 1 3
click 918 30 1.5 3; picture lines
square 5 2 0.7; square 5 4 1.5; picture moved; click 337 72 1.5; picture taken-back
# A position is set up, with White's pawn on e5. It is analysed.
press ctrl+shift+e 1
square 5 2 0.7; square 5 5 1; picture edited
press ctrl+a 2; picture analysed
end

# Pieces in hand: both take a pawn, White drops his.
start variant.log crazyhouse
press ctrl+e 1
small 5 2 0.5; small 5 4 1; small 4 7 0.5; small 4 5 1
small 5 4 1; picture variant-lifted; small 4 5 1; small 4 8 0.5; small 4 5 1
small 10 1 1; picture from-hand; small 5 4 1; picture dropped
end

failed=0
[ "$before" = "$after" ] || { echo "paused, it used the processor: $before, $after"; failed=1; }
# LOG, and patterns on standard input
expect() {
  while read -r line; do
    grep -q -- "$line" "$1" || { echo "missing: $line"; failed=1; }
  done
}
expect debug.log <<'END'
>first : pause
>first : resume
>first : lift e7
<first : highlight 8/8/4Y3/4Y3/8/8/8/8
>first : exclude [a-h][1-8]
>first : exclude all
>first : include [a-h][1-8]
>first : include all
>first : option MultiPV=2
>first : undo
>first : rejected option Reset -reset
<first : feature option="Reset -button"
>first : option Reset
<first : askuser save-reset
>first : option Contempt=33
>first : option LimitStrength=1
<first : telluser Settings saved in
>first : setboard rnbqkbnr/pppppppp/8/4P3/8/8/PPPP1PPP/RNBQKBNR
END
expect variant.log <<'END'
>first : lift e4
<first : highlight 8/8/8/3RY3/8/8/8/8
>first : lift j1
<first : highlight 8/3Y4/YYYYYYYY/YYY1YYYY/YYYYYYYY/YYYYYYYY/4Y3/8
>first : P@e4
END
grep -qx 'Contempt = 33' config/herald/settings.toml || { echo "not saved"; failed=1; }
if grep -E '<first *: *(Error|Illegal|tellusererror)' debug.log variant.log; then failed=1; fi
exit $failed
