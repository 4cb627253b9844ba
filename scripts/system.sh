#!/bin/sh
# Installs the system packages that a task needs, and only those that are missing.
#   system.sh build   GTK and WebKitGTK with their headers, a C compiler
#   system.sh dist    also what makes the installer and the zip for Windows
#   system.sh test    also a browser, a virtual display and what drives a window
# Exits 0 when everything is there, 3 when something is missing and cannot be installed.
set -eu
task=${1:?build, dist or test}

say() { printf '%s\n' "$*" >&2; }

packages() { # family
  case $1 in
  apt)
    echo "pkg-config gcc libc6-dev libgtk-3-dev libwebkit2gtk-4.1-dev"
    [ "$task" = build ] || echo "nsis zip wixl msitools faketime"
    [ "$task" != test ] || echo "chromium-headless-shell xvfb xauth x11-utils xdotool openbox dbus dbus-x11 imagemagick gir1.2-gtk-3.0 python3-gi webkit2gtk-driver fonts-dejavu-core adwaita-icon-theme desktop-file-utils shared-mime-info libglib2.0-bin ca-certificates argon2 strace appstream flatpak-builder mandoc mmdebstrap minisign rpm wine64 gcc-mingw-w64-x86-64 python3-venv python3-pip" ;;
  dnf)
    echo "pkgconf-pkg-config gcc gtk3-devel webkit2gtk4.1-devel"
    [ "$task" = build ] || echo "mingw32-nsis zip msitools libfaketime"
    [ "$task" != test ] || echo "chromium xorg-x11-server-Xvfb xorg-x11-xauth xdotool openbox dbus-x11 ImageMagick gtk3 python3-gobject dejavu-sans-fonts desktop-file-utils shared-mime-info argon2 strace" ;;
  pacman)
    echo "pkgconf gcc gtk3 webkit2gtk-4.1"
    [ "$task" = build ] || echo "nsis zip"
    [ "$task" != test ] || echo "chromium xorg-server-xvfb xorg-xauth xdotool openbox dbus imagemagick python-gobject ttf-dejavu desktop-file-utils shared-mime-info argon2 strace" ;;
  esac
}

missing() { # family
  for p in $(packages "$1"); do
    case $1 in
    apt) dpkg-query -W -f='${Status}' "$p" 2>/dev/null | grep -q '^install ok installed' || echo "$p" ;;
    dnf) rpm -q --whatprovides "$p" >/dev/null 2>&1 || echo "$p" ;;
    pacman) pacman -Qq "$p" >/dev/null 2>&1 || echo "$p" ;;
    esac
  done
}

# as_root runs a command with the rights it needs, asking only where somebody
# can answer.
as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"
  elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then sudo -n "$@"
  elif command -v sudo >/dev/null && [ -t 0 ] && [ -z "${CI:-}" ]; then
    say "Installing needs your password for sudo."
    sudo "$@"
  else return 3
  fi
}

case $(uname -s) in
Darwin)
  # The web view is part of macOS; only Apple's compiler is needed.
  xcode-select -p >/dev/null 2>&1 && exit 0
  say "Apple's command line tools are missing: run 'xcode-select --install', then try again."
  exit 3 ;;
Linux) ;;
*) exit 0 ;;
esac

if command -v apt-get >/dev/null; then family=apt
elif command -v dnf >/dev/null; then family=dnf
elif command -v pacman >/dev/null; then family=pacman
else
  say "No known package manager here. Keepsake's window needs GTK 3 and WebKitGTK 4.1 with their headers, pkg-config and a C compiler."
  pkg-config --exists gtk+-3.0 webkit2gtk-4.1 2>/dev/null && exit 0
  exit 3
fi

wanted=$(missing "$family")
[ -n "$wanted" ] || exit 0
say "Installing system packages:" $wanted
case $family in
apt)
  export DEBIAN_FRONTEND=noninteractive
  as_root apt-get update -qq >&2 &&
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
      -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=120 $wanted >"${TMPDIR:-/tmp}/keepsake-apt.log" 2>&1 || {
      [ ! -s "${TMPDIR:-/tmp}/keepsake-apt.log" ] || tail -n 20 "${TMPDIR:-/tmp}/keepsake-apt.log" >&2
      failed=1
    } ;;
dnf) as_root dnf install -y -q $wanted >&2 || failed=1 ;;
pacman) as_root pacman -S --needed --noconfirm --quiet $wanted >&2 || failed=1 ;;
esac
[ -z "${failed:-}" ] && exit 0
say "These could not be installed:" $(missing "$family")
exit 3
