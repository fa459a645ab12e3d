#!/usr/bin/env bash
# Tests the sandbox on V8, in a target folder of its own. RUSTY_V8_ARCHIVE is V8's static library; without it, the crate `v8`
# downloads the one of its version from GitHub. Arguments go to `cargo test`.
set -euo pipefail
cd "$(dirname "$0")/.."

# As in test.sh: what depends on time zone or language fails everywhere.
exec env TZ=Pacific/Kiritimati LANG=tr_TR.UTF-8 LANGUAGE=tr CARGO_TARGET_DIR=target/v8 \
  cargo test --package sandbox --no-default-features --features sandbox/v8 --no-fail-fast "$@"
