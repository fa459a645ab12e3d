#!/usr/bin/env bash
# Runs all test binaries N times next to LOAD busy loops, and lists each test that failed at least
# once.
#
#   scripts/stress-tests.sh N LOAD [FILTER]
set -euo pipefail
cd "$(dirname "$0")/.."

if [ $# -lt 2 ] || [ $# -gt 3 ]; then
  echo "usage: scripts/stress-tests.sh N LOAD [FILTER]" >&2
  exit 2
fi
# The same time zone and language as in test.sh.
export TZ=Pacific/Kiritimati LANG=tr_TR.UTF-8 LANGUAGE=tr
exec scripts/run-tests.py --rounds "$1" --load "$2" --filter "${3-}" -- --workspace
