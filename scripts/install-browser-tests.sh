#!/usr/bin/env bash
# Installs Chromium, Node.js and the npm packages that the tests of the viewer's pages need.
set -euo pipefail
cd "$(dirname "$0")"

# Debian's npm conflicts with Node.js from other sources, so an installed Node.js or npm is kept.
./install-system-packages.sh chromium nodejs npm
# Tests of web pages prefer it, because it needs a third of the CPU time. They pass without it, as
# on Ubuntu, which does not have it.
if command -v apt-cache >/dev/null && apt-cache show chromium-headless-shell >/dev/null 2>&1; then
  ./install-system-packages.sh chromium-headless-shell || echo "note: the tests will use chromium" >&2
fi
npm ci --prefix ../eval/tests/browser --no-audit --no-fund --loglevel=error
