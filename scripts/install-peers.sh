#!/usr/bin/env bash
# Installs the model servers that eval/tests/it/peers.rs uses: LiteLLM's proxy and fakellm, from
# PyPI.
set -euo pipefail
cd "$(dirname "$0")/.."

peers=target/peers
wanted="litellm[proxy]==$(sed -n 's/^litellm //p' scripts/peers.txt) fakellm==$(sed -n 's/^fakellm //p' scripts/peers.txt)"
if [ "$(cat $peers/installed 2>/dev/null)" = "$wanted" ]; then
  exit 0
fi
scripts/install-system-packages.sh python3-venv
python3 -m venv --clear $peers
# Each word is a requirement.
# shellcheck disable=SC2086
$peers/bin/pip install --quiet --disable-pip-version-check $wanted
echo "$wanted" > $peers/installed
