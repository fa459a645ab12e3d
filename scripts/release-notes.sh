#!/usr/bin/env bash
# Prints the section of CHANGELOG.md about a version. Fails if the section is missing or empty, or
# if Cargo.toml has another version.
#
#   scripts/release-notes.sh VERSION
set -euo pipefail
cd "$(dirname "$0")/.."

[ $# -eq 1 ] || { echo "usage: scripts/release-notes.sh VERSION" >&2; exit 2; }
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)
if [ "$1" != "$version" ]; then
  echo "error: Cargo.toml has version $version: expected $1" >&2
  exit 1
fi
notes=$(awk -v heading="## $version" '$0 == heading { found = 1; next } /^## / { found = 0 } found' CHANGELOG.md)
if [ -z "${notes//[[:space:]]/}" ]; then
  echo "error: the section \`## $version\` of CHANGELOG.md is missing or empty" >&2
  exit 1
fi
echo "$notes"
