#!/bin/sh
# From a fresh clone to a window: installs what is missing, builds, opens it.
# Without a display: the whole main job on a sample, then the page in a browser.
set -eu
cd "$(dirname "$0")/.."

has_display() {
  case $(uname -s) in
  Darwin | MINGW* | MSYS*) return 0 ;;
  esac
  [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]
}

sh scripts/page.sh
if has_display; then
  if sh scripts/system.sh build && sh scripts/build.sh window; then
    code=0
    build/bin/keepsake "$@" || code=$?
    [ "$code" = 1 ] || exit "$code" # 1: the display does not answer
  fi
  echo "The window cannot be shown here; the page in a browser can do everything it does." >&2
else
  echo "There is no display here: first the whole main job on a sample, then the page for a browser." >&2
fi
sh scripts/build.sh headless
build/bin/keepsake-cli demo
exec build/bin/keepsake-cli serve
