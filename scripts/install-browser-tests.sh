#!/usr/bin/env bash
# Installs Chromium, Node.js and the npm packages that the tests of the viewer's pages need.
set -euo pipefail
cd "$(dirname "$0")"

# Debian's npm conflicts with Node.js from other sources, so an installed Node.js or npm is kept.
./install-system-packages.sh chromium nodejs npm
npm ci --prefix ../eval/tests/browser --no-audit --no-fund --loglevel=error
