#!/bin/sh
# Downloads V8's static library for the version of the crate `v8` in Cargo.lock, checks it, and
# prints its path for RUSTY_V8_ARCHIVE.
#
#   scripts/fetch-v8.sh          into $CARGO_TARGET_DIR, or target
#
# RUSTY_V8_MIRROR   base URL of a server to use instead of GitHub; HTTPS only, also after redirects
# RUSTY_V8_SHA256   SHA-256 of the library [default: the one in scripts/v8-sums.txt]
#
# Without a known checksum, a library from GitHub is used, with a note that shows how to add the
# checksum, and a library from a mirror is rejected.
# Exit codes: 1 the library cannot be downloaded; 3 it is rejected.
set -eu
cd "$(dirname "$0")/.."

official=https://github.com/denoland/rusty_v8/releases/download
mirror=${RUSTY_V8_MIRROR:-$official}
mirror=${mirror%/}
target=${CARGO_TARGET_DIR:-target}
sums=scripts/v8-sums.txt

fail() {
  echo "error: $1" >&2
  exit "${2:-3}"
}

# Prints the SHA-256 of a file.
sum_of() {
  if command -v sha256sum >/dev/null; then sha256sum; else shasum -a 256; fi <"$1" | cut -d ' ' -f 1
}

version=$(sed -n '/^name = "v8"$/{n;s/^version = "\(.*\)"$/\1/p;}' Cargo.lock)
host=$(rustc -vV | sed -n 's/^host: //p')
# Build with `simdutf`, which `deno_core` requires.
name=v$version/librusty_v8_simdutf_release_$host.a.gz

expected=${RUSTY_V8_SHA256-}
source=RUSTY_V8_SHA256
if [ -z "$expected" ]; then
  source=$sums
  expected=$(sed -n "s|^\([^ #]*\)  $name\$|\1|p" "$sums")
fi
expected=$(printf '%s' "$expected" | tr 'A-F' 'a-f')
case "$expected" in
  *[!0-9a-f]*) fail "invalid SHA-256 \"$expected\" in $source: expected 64 hexadecimal digits" ;;
esac
case ${#expected} in
  0 | 64) ;;
  *) fail "invalid SHA-256 \"$expected\" in $source: expected 64 hexadecimal digits" ;;
esac

case "$mirror" in
  https://*) ;;
  *) fail "RUSTY_V8_MIRROR is not an HTTPS URL: $mirror; expected, for example, $official" ;;
esac
if [ -z "$expected" ] && [ "$mirror" != "$official" ]; then
  fail "no SHA-256 is known for $mirror/$name: set RUSTY_V8_SHA256, or add the checksum to $sums"
fi

mkdir -p "$target"
target=$(cd "$target" && pwd)
archive=$target/v8-$version-$host.a.gz
# An earlier download is reused only if its checksum is known and matches.
if [ -n "$expected" ] && [ -f "$archive" ] && [ "$(sum_of "$archive")" = "$expected" ]; then
  echo "$archive"
  exit
fi
rm -f "$archive"

command -v curl >/dev/null || fail "cannot download V8's library: curl is not installed" 1
part=$(mktemp "$archive.XXXXXX")
trap 'rm -f "$part"' EXIT
trap 'exit 1' HUP INT TERM
curl --proto '=https' --proto-redir '=https' --fail --silent --show-error --location --connect-timeout 5 \
  --speed-limit 50000 --speed-time 10 --output "$part" "$mirror/$name" ||
  fail "cannot download V8's library from $mirror/$name" 1

sum=$(sum_of "$part")
if [ -z "$expected" ]; then
  cat >&2 <<NOTE
note: V8's library was not checked, because $sums does not list it. To require this file from now on, add:
$sum  $name
NOTE
elif [ "$sum" != "$expected" ]; then
  fail "the SHA-256 of $mirror/$name is $sum: expected $expected, from $source"
fi
mv "$part" "$archive"
echo "$archive"
