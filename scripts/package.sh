#!/usr/bin/env bash
# Builds the packages of a release for this machine into a folder: an archive of the programs with
# its SHA-256, and a wheel.
#
#   scripts/package.sh FOLDER
#
# The programs have all features (`full`). Their JavaScript engine is V8 if RUSTY_V8_ARCHIVE names
# its library, or if ENGINE=v8 is set, which downloads the library with scripts/fetch-v8.sh.
# Otherwise it is QuickJS.
set -euo pipefail
cd "$(dirname "$0")/.."
# The programs are copied from this folder.
export CARGO_TARGET_DIR=$PWD/target

[ $# -eq 1 ] || { echo "usage: scripts/package.sh FOLDER" >&2; exit 2; }
mkdir -p "$1"
out=$(cd "$1" && pwd)

version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)
target=$(rustc -vV | sed -n 's/^host: //p')
engine=${ENGINE:-$([ -n "${RUSTY_V8_ARCHIVE-}" ] && echo v8 || echo quickjs)}
if [ "$engine" = v8 ] && [ -z "${RUSTY_V8_ARCHIVE-}" ]; then
  RUSTY_V8_ARCHIVE=$(scripts/fetch-v8.sh)
  export RUSTY_V8_ARCHIVE
fi
# If RUSTY_V8_MIRROR were set, the crate `v8` would also download unchecked source code.
unset RUSTY_V8_MIRROR
features=(--no-default-features --features "full,$engine")

maturin=1.16.0
if [ "$(target/maturin/bin/maturin --version 2>/dev/null)" != "maturin $maturin" ]; then
  scripts/install-system-packages.sh python3-venv
  python3 -m venv --clear target/maturin
  target/maturin/bin/pip install --quiet --disable-pip-version-check "maturin==$maturin"
fi

# Maturin builds the programs, so that archive and wheel contain the same files.
(cd packaging && ../target/maturin/bin/maturin build --release --out "$out" "${features[@]}")

name=rlm-eval-$version-$target
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/$name"
cp target/release/rlm-eval target/release/eval LICENSE README.md CHANGELOG.md "$folder/$name/"
tar -C "$folder" --owner=0 --group=0 -czf "$out/$name.tar.gz" "$name" 2>/dev/null ||
  tar -C "$folder" -czf "$out/$name.tar.gz" "$name" # the tar of macOS does not have --owner
(cd "$out" && { sha256sum "$name.tar.gz" 2>/dev/null || shasum -a 256 "$name.tar.gz"; } >"$name.tar.gz.sha256")
ls -l "$out" >&2
