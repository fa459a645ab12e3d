#!/bin/sh
# Installs what the system lacks, builds, and compares the ways of working on S-NIAH offline, with a scripted model.
set -eu
cd "$(dirname "$0")"

command -v cargo >/dev/null || { echo "error: no cargo; install Rust from https://rustup.rs" >&2; exit 1; }
target=${CARGO_TARGET_DIR:-target}

# The engine for JavaScript is V8 where its library can be had: from RUSTY_V8_ARCHIVE, or downloaded and checked by
# scripts/fetch-v8.sh. Else it is QuickJS, which is built from its source. A library that is refused ends the script.
if [ -n "${RUSTY_V8_ARCHIVE-}" ]; then
  archive=$RUSTY_V8_ARCHIVE
else
  archive=$(scripts/fetch-v8.sh) || { [ $? -eq 1 ] || exit 1; }
fi
build() {
  echo "the first build takes 5 to 12 minutes on two cores; it prints a line for each crate" >&2
  cargo build --release --package eval "$@"
}
if [ -n "$archive" ]; then
  echo "JavaScript will run on V8, by $archive" >&2
  scripts/install-system-packages.sh g++
  export RUSTY_V8_ARCHIVE="$archive"
  # With it, the crate `v8` would download source code of its own, unchecked.
  unset RUSTY_V8_MIRROR
  build --no-default-features --features v8
else
  echo "JavaScript will run on QuickJS: V8's library cannot be downloaded, and RUSTY_V8_ARCHIVE is not set" >&2
  scripts/install-system-packages.sh cmake g++ libsimde-dev make
  build
fi
eval=$target/release/rlm-eval

results=$(mktemp -d "${TMPDIR:-/tmp}/eval-quickstart.XXXXXX")
"$eval" sweep --prompt-modes solver,coordinator --out "$results/sweep" -- --benchmark s-niah --model scripted:docs/examples/forgetful.yaml \
  > "$results/sweep.txt"
cat <<EOF

A number hidden in 8,000 to 1,000,000 characters, looked for by one call with all of the text (direct), by an agent that searches it with
code (solver), and by one that hands parts of it to others (coordinator). The model is scripted, and its prices are invented.

EOF
sed -n '/^ in short/,$p' "$results/sweep.txt"
cat <<EOF

All figures are in $results/sweep.txt, the runs in $results/sweep. What most people want next:

  # a table of questions of your own: a line for each, {"query": "…", "context": "…", "expected": "…"}
  $eval run --benchmark questions.jsonl --model openai/gpt-5-mini --max-cost 1
  # which way is better with a model of yours
  $eval sweep --prompt-modes solver,coordinator --out results/mine -- --benchmark questions.jsonl --model openai/gpt-5-mini
EOF
