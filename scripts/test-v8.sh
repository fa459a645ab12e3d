#!/usr/bin/env bash
# Runs tests on V8. RUSTY_V8_ARCHIVE names V8's static library; if it is not set,
# scripts/fetch-v8.sh downloads and checks the library. Other arguments are passed to `cargo test`.
#
#   scripts/test-v8.sh          the sandbox's tests, with every eighth hostile cell and recording
#   scripts/test-v8.sh --full   all tests of the whole workspace, with all cells, in target/v8, so
#                               that programs in target/debug keep their engine
set -euo pipefail
cd "$(dirname "$0")/.."

what=(--package sandbox --no-default-features --features sandbox/v8)
if [ "${1-}" = --full ]; then
  shift
  # All features that the tests need, except the engine.
  what=(--workspace --no-default-features --features eval/v8,benchmarks/parquet)
  export SANDBOX_TEST_WHOLE=1
  export CARGO_TARGET_DIR=target/v8
fi

if [ -z "${RUSTY_V8_ARCHIVE-}" ]; then
  RUSTY_V8_ARCHIVE=$(scripts/fetch-v8.sh)
  export RUSTY_V8_ARCHIVE
fi
# If RUSTY_V8_MIRROR were set, the crate `v8` would also download unchecked source code.
unset RUSTY_V8_MIRROR

# Same time zone and language as in test.sh.
exec env TZ=Pacific/Kiritimati LANG=tr_TR.UTF-8 LANGUAGE=tr PROPTEST_RNG_SEED="${PROPTEST_RNG_SEED:-1}" \
  cargo test "${what[@]}" --no-fail-fast "$@"
