#!/usr/bin/env bash
# Installs the Debian packages named as arguments, unless what they bring is there, wherever it came from: then this needs no
# root, no apt-get and no network. Sourced by nobody: run it.
set -euo pipefail

# Whether a package's program or header is there.
there() {
  case "$1" in
    g++) command -v "${CXX:-c++}" ;;
    libsimde-dev) echo '#include <simde/x86/sse2.h>' | "${CC:-cc}" -E -x c - ;;
    nodejs) command -v node ;;
    python3-venv) python3 -c "import ensurepip, venv" ;;
    *) command -v "$1" ;;
  esac >/dev/null 2>&1
}

missing=()
for package in "$@"; do
  there "$package" || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

if ! command -v apt-get >/dev/null; then
  echo "error: this system has no apt-get; install the equivalents of: ${missing[*]}" >&2
  exit 1
fi
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "error: without root and sudo this cannot install: ${missing[*]}; run as root: apt-get install ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi
echo "installing ${missing[*]}" >&2
"${as_root[@]}" apt-get update -qq
DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
for package in "${missing[@]}"; do
  if ! there "$package"; then
    echo "error: $package is installed, and what it brings is not found" >&2
    exit 1
  fi
done
