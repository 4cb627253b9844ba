#!/bin/sh
# Makes what is given to people with Windows, on Linux: for each architecture a zip that
# runs from any folder, and an installer, and for amd64 a package for Windows Installer. Each
# holds both programs.
#   dist-windows.sh OUT VERSION ARCH…       dist-windows.sh build/dist 0.1.0 amd64 arm64
# With FAST=1 the zip and the installer hold everything as it is, for tests. Needs zip, makensis,
# wixl, msibuild and faketime (Debian's zip, nsis, wixl, msitools and faketime). The same commit
# and toolchain give the same bytes.
set -eu
cd "$(dirname "$0")/.."
mkdir -p "$1"
out=$(cd "$1" && pwd) version=$2
shift 2
: "${SOURCE_DATE_EPOCH:=$(git log -1 --format=%ct)}"
export SOURCE_DATE_EPOCH TZ=UTC
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
windows=$PWD/build/windows
# guid makes an id of what it reads.
guid() { sha256sum | sed 's/\(.\{8\}\)\(.\{4\}\)\(.\{4\}\)\(.\{4\}\)\(.\{12\}\).*/\1-\2-\3-\4-\5/' | tr a-f A-F; }
# fixed runs a program to which it is always the time of the commit.
fixed() { faketime -f "$(date -d "@$SOURCE_DATE_EPOCH" '+%Y-%m-%d %H:%M:%S')" "$@"; }
trap 'exit 1' HUP INT TERM

for arch in "$@"; do
  name=keepsake-$version-windows-$arch
  from=$stage/$name
  mkdir "$from"
  for kind in window headless; do GOOS=windows GOARCH="$arch" sh scripts/build.sh $kind; done
  mv build/bin/keepsake.exe build/bin/keepsake-cli.exe "$from/"
  # The linker would take these only from a file beside main.go.
  for program in "$from"/*; do
    go tool -modfile=tools/go.mod go-winres patch --in build/windows/winres.json --no-backup \
      --product-version "$version" --file-version "$version" "$program"
  done
  cp LICENSE "$from/"
  chmod 644 "$from"/*
  touch -d "@$SOURCE_DATE_EPOCH" "$from"/*

  rm -f "$out/$name.zip"
  # -X and -D leave out owners, further times and entries of folders.
  (cd "$stage" && zip -q -X -D -9 ${FAST:+-0} "$out/$name.zip" "$name/LICENSE" "$name/keepsake-cli.exe" "$name/keepsake.exe")
  makensis -V2 -WX -INPUTCHARSET UTF8 ${FAST:+-DFAST} "-DVERSION=$version" "-DARCH=$arch" "-DFROM=$from" \
    "-DOUT=$out/$name-setup.exe" build/windows/installer.nsi

  [ "$arch" = amd64 ] || continue # wixl has no arm64
  package=$(cat "$from"/* build/windows/keepsake.wxs | guid)
  (cd "$from" && fixed wixl -a x64 -D "Version=$version" -D "Product=$(echo "$name" | guid)" -I "$from" -I "$windows" \
    -o "$out/$name.msi" "$windows/keepsake.wxs")
  # wixl makes up another id of the package each time, and has the older version removed before
  # what Windows takes back when an install fails: the person would be left with neither.
  fixed msibuild "$out/$name.msi" -q "UPDATE InstallExecuteSequence SET Sequence = 1501 WHERE Action = 'RemoveExistingProducts'" \
    -s Keepsake Keepsake 'x64;1033' "{$package}"
done
