#!/usr/bin/env bash
# Installs what the tests need and runs them: format, lints, documentation, tests. At the end, how long each part took.
#
#   ./test.sh           what has to pass before a merge
#   ./test.sh --full    also what takes long or needs more: a real model, servers of models from PyPI, the
#                       whole series of kills and faults, the whole simulation of intervals, the packages,
#                       and all tests on V8 where RUSTY_V8_ARCHIVE is set
set -euo pipefail
cd "$(dirname "$0")"

full=false
case "${1-}" in
  "") ;;
  --full) full=true ;;
  *) echo "usage: ./test.sh [--full]" >&2; exit 2 ;;
esac

times=()
part() {
  local name=$1 began=$SECONDS
  shift
  echo "== $name" >&2
  "$@"
  times+=("$(printf '%5d s  %s' $((SECONDS - began)) "$name")")
}

install() {
  scripts/install-system-packages.sh cmake g++ libsimde-dev make
  scripts/install-browser-tests.sh
  scripts/install-queue.sh
  if $full; then scripts/install-peers.sh && scripts/install-clients.sh && scripts/install-real-model.sh; fi
}

# The other engine: its prebuilt library is not everywhere, but the code must fit it.
fits_v8() {
  DOCS_RS=1 cargo check --quiet --package sandbox --no-default-features --features v8
}

# The program without what its feature `full` adds: it compiles, and says how to get the rest. What a feature adds lies in a crate
# whose own default it is, so that all of the workspace has it.
without_features() {
  cargo test --quiet --package benchmarks --no-default-features --lib parquet_file
  cargo test --quiet --package queue --no-default-features --lib nats_absent
}

# A day ahead of most of the world and with letters of its own, so that a test which depends on either fails everywhere.
tests() {
  local more=()
  if $full; then more=(EVAL_TEST_PEERS=1 EVAL_TEST_FULL=1); fi
  # Property tests try the same cases each time, unless a seed is given. `more` may be empty, which bash before 4.4
  # calls unset.
  env TZ=Pacific/Kiritimati LANG=tr_TR.UTF-8 LANGUAGE=tr PROPTEST_RNG_SEED="${PROPTEST_RNG_SEED:-1}" ${more[@]+"${more[@]}"} scripts/run-tests.py -- --workspace
}

# Intervals, powers and races by simulation: of few designs, or of all.
simulation() {
  if $full; then
    cargo run --quiet --release --package statistics --example coverage
    cargo run --quiet --release --package statistics --example races
  else
    target/debug/examples/coverage --quick
    target/debug/examples/races --quick
  fi
}

# What a release publishes, built and installed.
packages() {
  rm -rf target/packages
  scripts/package.sh target/packages
  scripts/check-packages.sh target/packages
}

part "what the tests need" install
part "format" cargo fmt --all --check
part "layers" scripts/check-layers.py
part "specification" scripts/check-specification.py
part "lints" cargo clippy --workspace --all-targets -- --deny warnings
part "documentation" env RUSTDOCFLAGS="--deny warnings" cargo doc --workspace --no-deps --quiet
part "documentation site" scripts/build-docs.sh
part "V8" fits_v8
part "workflows" scripts/lint-workflows.sh
part "manifests" scripts/check-manifests.sh
# All at once: for one package alone, Cargo would build the dependencies again with other features.
part "build" cargo build --workspace --bins --examples --tests
part "tests" tests
part "tests without features" without_features
if $full && [ -n "${RUSTY_V8_ARCHIVE-}" ]; then part "tests on V8" scripts/test-v8.sh --full; fi
part "simulation of intervals" simulation
# As a smoke test: its timings fail nothing.
part "benchmark suite" target/debug/bench --quick --eval target/debug/eval --json target/bench/quick.json

if $full; then part "packages" packages; fi

printf '%s\n' "${times[@]}"
printf '%5d s  in all\n' "$SECONDS"
