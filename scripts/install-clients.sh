#!/usr/bin/env bash
# Installs the client libraries (OpenAI's and others) that eval/tests/it/clients.rs uses, from PyPI
# and npm.
set -euo pipefail
cd "$(dirname "$0")/.."

clients=target/clients
if cmp --silent scripts/clients.txt $clients/installed; then
  exit 0
fi
of() { sed -n "s/^$1 //p" scripts/clients.txt; }
scripts/install-system-packages.sh python3-venv
scripts/install-system-packages.sh npm
python3 -m venv --clear $clients/python
# Each word is a requirement.
# shellcheck disable=SC2046
$clients/python/bin/pip install --quiet --disable-pip-version-check $(of pypi)
# shellcheck disable=SC2046
npm install --silent --no-audit --no-fund --prefix $clients/node $(of npm)
cp scripts/clients.txt $clients/installed
