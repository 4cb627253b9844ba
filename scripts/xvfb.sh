#!/bin/sh
# Runs a command on a virtual display of its own, with a window manager and a
# session bus, and takes everything down again: xvfb.sh COMMAND [ARG…]
set -eu
work=$(mktemp -d)
pids=
stop() {
  for p in $pids; do kill "$p" 2>/dev/null || true; done
  for p in $pids; do wait "$p" 2>/dev/null || true; done
  rm -rf "$work"
}
trap stop EXIT
trap 'exit 143' TERM INT HUP

# -displayfd lets the server pick a free number and say when it is ready.
mkfifo "$work/display"
Xvfb -displayfd 3 -screen 0 1600x1000x24 -nolisten tcp 3>"$work/display" 2>"$work/xvfb.log" &
pids="$pids $!"
read -r number <"$work/display" || {
  cat "$work/xvfb.log" >&2
  exit 1
}
export DISPLAY=":$number" NO_AT_BRIDGE=1 GTK_THEME=Adwaita XDG_RUNTIME_DIR="$work/runtime"
unset WAYLAND_DISPLAY
mkdir -m 700 "$XDG_RUNTIME_DIR"

dbus-daemon --session --fork --print-address=3 --print-pid=4 3>"$work/bus" 4>"$work/bus-pid"
export DBUS_SESSION_BUS_ADDRESS="$(cat "$work/bus")"
pids="$pids $(cat "$work/bus-pid")"
openbox >"$work/openbox.log" 2>&1 &
pids="$pids $!"
"$@"
