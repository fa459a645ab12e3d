#!/usr/bin/env bash
# Tests on V8, in a target folder of its own. RUSTY_V8_ARCHIVE is V8's static library; without it, scripts/fetch-v8.sh downloads and
# checks it. Other arguments go to `cargo test`.
#
#   scripts/test-v8.sh          the sandbox's tests, with every fourth hostile cell and recorded trajectory
#   scripts/test-v8.sh --full   all tests of the whole workspace, with all cells
set -euo pipefail
cd "$(dirname "$0")/.."

what=(--package sandbox --no-default-features --features sandbox/v8)
if [ "${1-}" = --full ]; then
  shift
  # All features of the workspace's tests but for the engine.
  what=(--workspace --no-default-features --features eval/v8,benchmarks/parquet)
  export SANDBOX_TEST_WHOLE=1
fi

if [ -z "${RUSTY_V8_ARCHIVE-}" ]; then
  RUSTY_V8_ARCHIVE=$(scripts/fetch-v8.sh)
  export RUSTY_V8_ARCHIVE
fi
# With it, the crate `v8` would download source code of its own, unchecked.
unset RUSTY_V8_MIRROR

# As in test.sh: what depends on time zone or language fails everywhere.
exec env TZ=Pacific/Kiritimati LANG=tr_TR.UTF-8 LANGUAGE=tr PROPTEST_RNG_SEED="${PROPTEST_RNG_SEED:-1}" CARGO_TARGET_DIR=target/v8 cargo test "${what[@]}" --no-fail-fast "$@"
