#!/usr/bin/env bash
# Installs what the tests of the viewer's pages need: Chromium, Node.js, and the npm packages that drive and check it.
set -euo pipefail
cd "$(dirname "$0")"

# Debian's npm and those of other sources do not go together, so whatever is there is taken.
./install-system-packages.sh chromium nodejs npm
npm ci --prefix ../eval/tests/browser --no-audit --no-fund --loglevel=error
