#!/bin/sh
# Runs a 64-bit program for Windows under Wine: wine.sh PROGRAM.exe [ARG…]. For Go's
# tests, with a path that the folders of the packages share:
#   GOOS=windows CGO_ENABLED=0 go test -exec "$PWD/scripts/wine.sh" ./backend/atomicfile
# Needs wine64 and gcc-mingw-w64-x86-64 (Debian's names). Windows that this makes is
# in build/test/wine, once; removing that folder has it made anew.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
wine=$(command -v wine64 || true)
[ -n "$wine" ] || wine=/usr/lib/wine/wine64 # where Debian has it without its launcher

export WINEPREFIX="$root/build/test/wine" WINEDEBUG=-all WINEARCH=win64 DISPLAY=
# No menus or links outside of the prefix, no .NET and no browser.
export WINEDLLOVERRIDES="winemenubuilder.exe=;mscoree=;mshtml="

if [ ! -d "$WINEPREFIX" ]; then
  mkdir -p "$root/build/test"
  (
    # Several tests may start at once; the first makes it, under another name until
    # it is whole.
    flock 9
    [ ! -d "$WINEPREFIX" ] || exit 0
    ready=$WINEPREFIX
    WINEPREFIX=$ready.making
    rm -rf "$WINEPREFIX"
    "$wine" wineboot -i >/dev/null 2>&1
    "$(dirname "$wine")/wineserver64" -w 2>/dev/null || "$(dirname "$wine")/wineserver" -w
    x86_64-w64-mingw32-gcc -shared -O1 -s -o "$WINEPREFIX/drive_c/windows/system32/bcryptprimitives.dll" \
      "$root/scripts/wine/bcryptprimitives.c" -ladvapi32
    mv "$WINEPREFIX" "$ready"
  ) 9>"$root/build/test/wine.lock"
fi
# The first program starts Wine's services, which would keep its output open after its end.
"$wine" cmd /c exit </dev/null >/dev/null 2>&1
exec "$wine" "$@"
