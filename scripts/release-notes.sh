#!/usr/bin/env bash
# Prints what CHANGELOG.md says about a version, and fails where it says nothing or the program has another version.
#
#   scripts/release-notes.sh VERSION
set -euo pipefail
cd "$(dirname "$0")/.."

[ $# -eq 1 ] || { echo "usage: scripts/release-notes.sh VERSION" >&2; exit 2; }
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)
if [ "$1" != "$version" ]; then
  echo "error: Cargo.toml has version $version, and not $1" >&2
  exit 1
fi
notes=$(awk -v heading="## $version" '$0 == heading { found = 1; next } /^## / { found = 0 } found' CHANGELOG.md)
if [ -z "${notes//[[:space:]]/}" ]; then
  echo "error: CHANGELOG.md has no section \`## $version\` with text" >&2
  exit 1
fi
echo "$notes"
