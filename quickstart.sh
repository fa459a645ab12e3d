#!/bin/sh
# Installs missing build tools, builds the program, and compares three configurations on the
# benchmark S-NIAH. The comparison runs offline with a scripted model.
set -eu
cd "$(dirname "$0")"

command -v cargo >/dev/null || { echo "error: cargo not found; install Rust from https://rustup.rs" >&2; exit 1; }
target=${CARGO_TARGET_DIR:-target}

# The JavaScript engine is V8 if its library is available: in RUSTY_V8_ARCHIVE, or downloaded by
# scripts/fetch-v8.sh, which checks it if its SHA-256 is known. Otherwise it is QuickJS, built from
# source. If the library fails the check, this script exits.
if [ -n "${RUSTY_V8_ARCHIVE-}" ]; then
  archive=$RUSTY_V8_ARCHIVE
else
  archive=$(scripts/fetch-v8.sh) || { [ $? -eq 1 ] || exit 1; }
fi
build() {
  echo "building; the first build takes 5 to 12 minutes on two cores" >&2
  cargo build --release --package eval "$@"
}
if [ -n "$archive" ]; then
  echo "JavaScript engine: V8, from $archive" >&2
  scripts/install-system-packages.sh g++
  export RUSTY_V8_ARCHIVE="$archive"
  # If RUSTY_V8_MIRROR is set, the crate `v8` also downloads source code, without checking it.
  unset RUSTY_V8_MIRROR
  build --no-default-features --features v8
else
  echo "JavaScript engine: QuickJS, because V8's library cannot be downloaded and RUSTY_V8_ARCHIVE is not set" >&2
  scripts/install-system-packages.sh cmake g++ libsimde-dev make
  build
fi
eval=$target/release/rlm-eval

results=$(mktemp -d "${TMPDIR:-/tmp}/eval-quickstart.XXXXXX")
"$eval" sweep --prompt-modes solver,coordinator --out "$results/sweep" -- \
  --benchmark s-niah --model scripted:docs/examples/forgetful.yaml > "$results/sweep.txt"
cat <<EOF

Three configurations look for a number hidden in 8,000 to 1,000,000 characters: one call with the whole
text (direct), an agent that searches the text with code (solver), and an agent that delegates parts of
it to others (coordinator). The model is scripted, and its prices are invented.

EOF
sed -n '/^ in short/,$p' "$results/sweep.txt"
cat <<EOF

All figures are in $results/sweep.txt, the runs in $results/sweep. Next steps:

  # run your own questions, one per line: {"query": "…", "context": "…", "expected": "…"}
  $eval run --benchmark questions.jsonl --model openai/gpt-5-mini --max-cost 1
  # compare the configurations with your own model
  $eval sweep --prompt-modes solver,coordinator --out results/mine -- --benchmark questions.jsonl --model openai/gpt-5-mini
EOF
