#!/usr/bin/env bash
# The benchmark suite: builds for release, measures, prints a table, writes target/bench/figures.json. Arguments go to
# the suite: --quick, --only NAME,…, --runs N, --peer NAME=COMMAND; --help says more. Timings never make it fail.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/install-system-packages.sh cmake g++ hyperfine libsimde-dev make
case " $* " in
  *" --quick "*) ;;
  *) scripts/install-bench-peers.sh ;;
esac
cargo build --release --package eval --package bench --bins
case " $* " in
  *" --quick "*|*" --only "*) ;;
  *)
    cargo build --release --package eval --package sandbox --example cells
    cargo bench --package eval --package sandbox --bench cost
    ;;
esac
exec target/release/bench "$@"
