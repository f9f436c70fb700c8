#!/usr/bin/env bash
# Makes the archive of a release and tries it: packaging/release.sh VERSION TARGET [--executable FILE] [--run-with COMMAND]
#
# TARGET is Rust's name of the platform, such as x86_64-unknown-linux-gnu. dist/ gets herald-VERSION-OS-CPU.tar.gz (.zip for
# Windows), its checksum and, as .bench, the nodes of its bench.
#   --executable FILE    pack this executable instead of building one
#   --run-with COMMAND   what starts an executable of another platform: wine, qemu-aarch64 -L /usr/aarch64-linux-gnu
set -euo pipefail
fail() { echo "release.sh: $*" >&2; exit 1; }
[ $# -ge 2 ] || fail "expected VERSION TARGET [--executable FILE] [--run-with COMMAND]"
version=$1 target=$2 executable="" run_with=""
shift 2
while [ $# -gt 0 ]; do
  case $1 in
    --executable) executable=$(realpath "${2:?}") ;;
    --run-with) run_with=${2:?} ;;
    *) fail "$1 is not an option" ;;
  esac
  shift 2
done
cd "$(dirname "$0")/.."

case $target in
  *-linux-*) os=linux suffix="" ;;
  *-windows-*) os=windows suffix=.exe ;;
  *-apple-darwin) os=macos suffix="" ;;
  *) fail "no archives are made for $target" ;;
esac
name=herald-$version-$os-${target%%-*}

if [ -z "$executable" ]; then
  cargo build --profile tournament --locked --bin herald --target "$target"
  executable=${CARGO_TARGET_DIR:-target}/$target/tournament/herald$suffix
fi
# $run_with is a command with arguments, or nothing.
# shellcheck disable=SC2086
herald() { $run_with "$executable" "$@"; }
[ "$(herald --version | tr -d '\r')" = "herald $version" ] || fail "$executable is not version $version"

# The Debian package takes pages and completions from here, too.
pages=target/package
rm -rf "$pages" "dist/$name" && mkdir -p "$pages/completions" "dist/$name"
herald man "$pages/man"
for script in bash:herald.bash elvish:herald.elv fish:herald.fish powershell:herald.ps1 zsh:_herald; do
  herald completions "${script%%:*}" > "$pages/completions/${script#*:}"
done

cp "$executable" "dist/$name/herald$suffix"
cp LICENSE README.md CHANGELOG.md CONTRIBUTING.md packaging/GUIS.txt "dist/$name"
python3 packaging/licences.py "$target" > "dist/$name/LICENCES-OF-LIBRARIES.txt"
cp -R docs "$pages/man" "$pages/completions" "dist/$name"

cd dist
if [ "$os" = windows ]; then
  archive=$name.zip
  rm -f "$archive" && python3 -m zipfile -c "$archive" "$name/"
else
  archive=$name.tar.gz
  tar -czf "$archive" "$name"
fi
rm -r "$name"

# A reader's first steps: unpack in an empty folder, and play.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
if [ "$os" = windows ]; then python3 -m zipfile -e "$archive" "$folder"; else tar -xzf "$archive" -C "$folder"; fi
sh ../packaging/try.sh "$folder/$name/herald$suffix" "$run_with" | tee "$folder/tried"
sed -n 's/^bench: \([0-9]*\) nodes.*/\1/p' "$folder/tried" > "$name.bench"
if command -v sha256sum >/dev/null; then sha256sum "$archive"; else shasum -a 256 "$archive"; fi > "$archive.sha256"
echo "dist/$archive"
