#!/usr/bin/env bash
# Installs the programs that the performance suite compares `eval` with: rlms from PyPI, rllm from
# npm.
set -euo pipefail
cd "$(dirname "$0")/.."

peers=target/perf-peers
if cmp --silent perf/peers/versions.txt $peers/installed; then
  exit 0
fi
version() { sed -n "s/^$1 //p" perf/peers/versions.txt; }
scripts/install-system-packages.sh python3-venv
scripts/install-system-packages.sh npm
python3 -m venv --clear $peers/python
$peers/python/bin/pip install --quiet --disable-pip-version-check "rlms==$(version rlms)"
npm install --silent --no-audit --no-fund --prefix $peers/node "rllm@$(version rllm)" "zod@$(version zod)"
cp perf/peers/versions.txt $peers/installed
