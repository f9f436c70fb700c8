#!/usr/bin/env bash
# Fills the recipes of package managers in, for archives in dist/: packaging/recipes.sh VERSION OWNER/REPOSITORY
# They stand in dist/recipes afterwards: herald.rb (Homebrew), PKGBUILD (AUR), three files for winget.
set -euo pipefail
version=${1:?expected VERSION OWNER/REPOSITORY} repository=${2:?expected OWNER/REPOSITORY}
cd "$(dirname "$0")/.."
mkdir -p dist/recipes

# @SHA256 OS-CPU@ is the checksum of that archive.
edits=(-e "s|@VERSION@|$version|g" -e "s|@REPOSITORY@|$repository|g" -e "s|@OWNER@|${repository%%/*}|g")
for checksum in dist/herald-"$version"-*.sha256; do
  platform=${checksum#dist/herald-"$version"-}
  edits+=(-e "s|@SHA256 ${platform%%.*}@|$(cut -d ' ' -f 1 "$checksum")|g")
done
for recipe in packaging/homebrew/herald.rb packaging/aur/PKGBUILD packaging/winget/*.yaml; do
  sed "${edits[@]}" "$recipe" > "dist/recipes/${recipe##*/}"
done
# winget wants the package's name in the files' names.
for file in dist/recipes/winget*.yaml; do
  kind=${file##*/winget} kind=${kind#.}
  mv "$file" "dist/recipes/${repository%%/*}.Herald${kind:+.$kind}"
done
if grep -l '@[A-Z]' dist/recipes/*; then echo "recipes.sh: these lack an archive's checksum" >&2; exit 1; fi
