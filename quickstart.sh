#!/usr/bin/env bash
# Installs what the system lacks, builds, and runs S-NIAH offline in both prompt modes with a scripted model.
set -euo pipefail
cd "$(dirname "$0")"

command -v cargo >/dev/null || { echo "error: no cargo; install Rust from https://rustup.rs" >&2; exit 1; }
scripts/install-system-packages.sh cmake g++ libsimde-dev make

cargo build --release --package eval
eval=target/release/eval

results=$(mktemp -d "${TMPDIR:-/tmp}/eval-quickstart.XXXXXX")
for mode in solver coordinator; do
  "$eval" run --benchmark s-niah --model scripted --prompt-mode "$mode" --log-dir "$results" >/dev/null
done
echo
"$eval" report "$results"/*
echo "The runs are in $results"
