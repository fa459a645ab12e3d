#!/usr/bin/env bash
# The benchmark suite: builds for release, measures, prints a table, writes target/bench/figures.json. Arguments go to
# the suite: --quick, --only NAME,…, --runs N, --peer NAME=COMMAND; --help says more. Timings never make it fail.
# The engine is V8 where RUSTY_V8_ARCHIVE names V8's library, or where ENGINE=v8 has scripts/fetch-v8.sh download it; else QuickJS.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/install-system-packages.sh cmake g++ hyperfine libsimde-dev make
case " $* " in
  *" --quick "*) ;;
  *) scripts/install-bench-peers.sh ;;
esac
engine=${ENGINE:-$([ -n "${RUSTY_V8_ARCHIVE-}" ] && echo v8 || echo quickjs)}
if [ "$engine" = v8 ] && [ -z "${RUSTY_V8_ARCHIVE-}" ]; then
  RUSTY_V8_ARCHIVE=$(scripts/fetch-v8.sh)
  export RUSTY_V8_ARCHIVE
fi
# With it, the crate `v8` would download source code of its own, unchecked.
unset RUSTY_V8_MIRROR
cargo build --release --package eval --package bench --bins --no-default-features --features "eval/$engine"
case " $* " in
  *" --quick "*|*" --only "*) ;;
  *)
    features=(--no-default-features --features "eval/$engine,sandbox/$engine")
    cargo build --release --package eval --package sandbox --example cells "${features[@]}"
    cargo bench --package eval --package sandbox --bench cost "${features[@]}"
    ;;
esac
exec target/release/bench "$@"
