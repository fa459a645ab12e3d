#!/usr/bin/env bash
# Builds for release, measures performance, prints a table, and writes target/perf/figures.json.
# Slow timings never make it fail. Arguments are passed to the suite: --quick, --only NAME,…,
# --runs N, --peer NAME=COMMAND; see --help.
#
# The JavaScript engine is V8 if RUSTY_V8_ARCHIVE names its library, or if ENGINE=v8 is set, which
# downloads the library with scripts/fetch-v8.sh. Otherwise it is QuickJS.
set -euo pipefail
cd "$(dirname "$0")/.."
# The programs are started from this folder.
export CARGO_TARGET_DIR=$PWD/target

scripts/install-system-packages.sh cmake g++ hyperfine libsimde-dev make
case " $* " in
  *" --quick "*) ;;
  *) scripts/install-perf-peers.sh ;;
esac
engine=${ENGINE:-$([ -n "${RUSTY_V8_ARCHIVE-}" ] && echo v8 || echo quickjs)}
if [ "$engine" = v8 ] && [ -z "${RUSTY_V8_ARCHIVE-}" ]; then
  RUSTY_V8_ARCHIVE=$(scripts/fetch-v8.sh)
  export RUSTY_V8_ARCHIVE
fi
# If RUSTY_V8_MIRROR were set, the crate `v8` would also download unchecked source code.
unset RUSTY_V8_MIRROR
cargo build --release --package eval --package perf --bins --no-default-features --features "eval/$engine"
benches=true
case " $* " in
  *" --quick "*) benches=false ;;
  *" --only "*) [[ $* == *micro* || $* == *recorded* ]] || benches=false ;;
esac
if $benches; then
  features=(--no-default-features --features "eval/$engine,sandbox/$engine")
  cargo build --release --package eval --package sandbox --example cells "${features[@]}"
  cargo bench --package eval --package sandbox --bench cost "${features[@]}"
fi
exec target/release/perf "$@"
