#!/usr/bin/env bash
# Installs what the tests need and runs all of them: format, lints, documentation, tests.
set -euo pipefail
cd "$(dirname "$0")"

scripts/install-system-packages.sh cmake g++ libsimde-dev make
scripts/install-browser-tests.sh
scripts/install-peers.sh

cargo fmt --all --check
cargo clippy --workspace --all-targets -- --deny warnings
RUSTDOCFLAGS="--deny warnings" cargo doc --workspace --no-deps --quiet
# The other engine: its prebuilt library is not everywhere, but the code must fit it.
DOCS_RS=1 cargo check --quiet --package sandbox --no-default-features --features v8
scripts/lint-workflows.sh
scripts/check-manifests.sh
EVAL_TEST_PEERS=1 cargo test --workspace --no-fail-fast
# The benchmark suite, for errors alone: its timings fail nothing.
cargo run --quiet --package bench -- --quick --eval target/debug/eval --json target/bench/quick.json
