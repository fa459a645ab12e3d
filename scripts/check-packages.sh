#!/usr/bin/env bash
# Tests the packages that `scripts/package.sh` wrote into a folder, as a user would: verifies the
# checksum of the archive, starts its programs, reads a Parquet file, installs the wheel into a
# fresh virtual environment, and runs the README's first example.
#
#   scripts/check-packages.sh FOLDER
set -euo pipefail
cd "$(dirname "$0")/.."

[ $# -eq 1 ] || { echo "usage: scripts/check-packages.sh FOLDER" >&2; exit 2; }
out=$(cd "$1" && pwd)
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)
grep -q "^## $version$" CHANGELOG.md || { echo "error: CHANGELOG.md has no section ## $version" >&2; exit 1; }

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

archive=$(cd "$out" && ls "rlm-eval-$version"-*.tar.gz)
(cd "$out" && { sha256sum --check --quiet "$archive.sha256" || shasum -a 256 --check "$archive.sha256"; })
tar -C "$folder" -xzf "$out/$archive"
for program in rlm-eval eval; do
  "$folder/${archive%.tar.gz}/$program" --version | head -n 1 | grep -F " $version"
done

# The archive and the paths in it must match the metadata that `cargo binstall` reads.
target=$(rustc -vV | sed -n 's/^host: //p')
rendered() {
  sed -n "s/^$1 = \"\(.*\)\"\$/\1/p" eval/Cargo.toml |
    sed -e "s/{ version }/$version/g" -e "s/{ target }/$target/g" -e "s/{ bin }/rlm-eval/"
}
[ "$(basename "$(rendered pkg-url)")" = "$archive" ] && [ -x "$folder/$(rendered bin-dir)" ] ||
  { echo "error: eval/Cargo.toml: package.metadata.binstall does not match $archive" >&2; exit 1; }

# Parquet files need the feature `full`, which packages must have.
"$folder/${archive%.tar.gz}/rlm-eval" data show oolong --data-dir benchmarks/src/oolong/fixture-parquet --limit 1 >/dev/null

began=$SECONDS
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check --no-index "$out"/rlm_eval-"$version"-*.whl
cd "$folder"
env PATH="$folder/venv/bin:$PATH" rlm-eval sweep --prompt-modes solver,coordinator --out first -- \
  --benchmark s-niah --model scripted --context-len 8k,16k --samples-per-length 8 >verdict.txt
tail -n 3 verdict.txt
took=$((SECONDS - began))
echo "installed the wheel and ran the first example in $took s" >&2
[ "$took" -le 60 ] || { echo "error: installation and first example took $took s; expected at most 60 s" >&2; exit 1; }
