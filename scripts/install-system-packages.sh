#!/bin/sh
# Installs the packages given by their Debian names, with apt-get, dnf, pacman, apk or brew.
#
# Skips each package whose program or header is already present, from any source. If nothing is
# missing, the script needs no package manager, no root and no network.
set -eu

# Succeeds if a package's program or header is present.
is_present() {
  case "$1" in
    g++) command -v "${CXX:-c++}" ;;
    libsimde-dev)
      echo '#include <simde/x86/sse2.h>' |
        "${CC:-cc}" -I/usr/local/include -I/opt/homebrew/include -E -x c -
      ;;
    nodejs) command -v node ;;
    chromium)
      command -v chromium || command -v chromium-browser || command -v google-chrome ||
        command -v /Applications/Chromium.app/Contents/MacOS/Chromium
      ;;
    python3-venv) python3 -c "import ensurepip, venv" ;;
    *) command -v "$1" ;;
  esac >/dev/null 2>&1
}

# Prints the name that a manager uses for a Debian package.
called() {
  case "$1:$2" in
    dnf:g++) echo gcc-c++ ;;
    dnf:libsimde-dev) echo simde-devel ;;
    dnf:npm) echo nodejs-npm ;;
    dnf:python3-venv) echo python3 ;;
    pacman:g++) echo gcc ;;
    pacman:libsimde-dev) echo simde ;;
    pacman:python3-venv) echo python ;;
    apk:libsimde-dev) echo simde-dev ;;
    apk:python3-venv) echo "python3 py3-pip" ;;
    brew:g++) echo gcc ;;
    brew:libsimde-dev) echo simde ;;
    brew:nodejs | brew:npm) echo node ;;
    brew:python3-venv) echo python ;;
    *) echo "$2" ;;
  esac
}

missing=
for package in "$@"; do
  is_present "$package" || missing="$missing $package"
done
missing=${missing# }
[ -n "$missing" ] || exit 0

manager=
for each in apt-get dnf pacman apk brew; do
  if command -v "$each" >/dev/null 2>&1; then
    manager=$each
    break
  fi
done
if [ -z "$manager" ]; then
  echo "error: cannot install $missing: no supported package manager found (apt-get, dnf, pacman, apk, brew); install the equivalents of these Debian packages yourself" >&2
  exit 1
fi

packages=
for package in $missing; do
  for name in $(called "$manager" "$package"); do
    case " $packages " in
      *" $name "*) ;;
      *) packages="$packages $name" ;;
    esac
  done
done
packages=${packages# }

as_root=
# Homebrew refuses to run as root.
if [ "$manager" != brew ] && [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null 2>&1; then
    case "$manager" in
      pacman) how="pacman -S" ;;
      apk) how="apk add" ;;
      *) how="$manager install" ;;
    esac
    echo "error: cannot install $packages: not root, and sudo not found; run as root: $how $packages" >&2
    exit 1
  fi
  as_root=sudo
fi

echo "installing $packages" >&2
# Each word is a package.
# shellcheck disable=SC2086
case "$manager" in
  apt-get)
    $as_root apt-get update -qq
    # `sudo` removes most variables, so the variable is set after it.
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $packages >/dev/null
    ;;
  dnf) $as_root dnf install -y -q --setopt=install_weak_deps=False $packages >/dev/null ;;
  pacman) $as_root pacman -Sy --needed --noconfirm $packages >/dev/null ;;
  apk) $as_root apk add --quiet $packages ;;
  brew) brew install --quiet $packages >/dev/null ;;
esac

for package in $missing; do
  if ! is_present "$package"; then
    echo "error: the package $(called "$manager" "$package") was installed, but does not provide $package" >&2
    exit 1
  fi
done
