#!/bin/sh
# Puts what make build made where this person's desktop finds it, on Linux: the
# program, its icon, its place in the menu, and the names of files that a double
# click opens with it. "install.sh away" takes all of it back; vaults stay.
set -eu
cd "$(dirname "$0")/.."
[ "$(uname -s)" = Linux ] || {
  echo "install.sh: on this system the program is opened from build/bin." >&2
  exit 2
}
data=${XDG_DATA_HOME:-$HOME/.local/share}
bin=${XDG_BIN_HOME:-$HOME/.local/bin}

# put copies a file into a folder that is made first.
put() {
  mkdir -p "$2"
  cp "$1" "$2/"
}

# tell has the desktop read its folders anew, as far as it has the tools for it.
tell() {
  if command -v update-mime-database >/dev/null; then update-mime-database "$data/mime" >/dev/null; fi
  if command -v update-desktop-database >/dev/null; then update-desktop-database -q "$data/applications"; fi
  if command -v gtk-update-icon-cache >/dev/null; then gtk-update-icon-cache -q -t "$data/icons/hicolor" 2>/dev/null || true; fi
}

if [ "${1:-}" = away ]; then
  rm -f "$bin/keepsake" "$data/applications/keepsake.desktop" "$data/mime/packages/keepsake.xml"
  find "$data/icons/hicolor" \( -name keepsake.png -o -name keepsake.svg \) -delete 2>/dev/null || true
  tell
  echo "Keepsake is taken away; vaults and settings stay where they are."
  exit 0
fi

missing=$(ldd build/bin/keepsake | sed -n "s/ => not found$//p; s/.*version .\(.*\)' not found.*/\1/p" | sort -u | xargs)
if [ -n "$missing" ]; then
  echo "install.sh: nothing was installed: this system lacks $missing. The window needs GTK 3 and WebKitGTK 4.1 (2.44 or newer); keepsake-cli works without them." >&2
  exit 1
fi

# A name beside the running program's takes its place without stopping it.
mkdir -p "$bin"
if ! cp build/bin/keepsake "$bin/.keepsake-new"; then
  rm -f "$bin/.keepsake-new"
  echo "install.sh: nothing was installed: the program could not be written to $bin." >&2
  exit 1
fi
mv "$bin/.keepsake-new" "$bin/keepsake"
for icon in $(cd build/linux/icons && find . -type f); do
  put "build/linux/icons/$icon" "$data/icons/$(dirname "$icon")"
done
put build/linux/keepsake.xml "$data/mime/packages"
mkdir -p "$data/applications"
sed "s|^Exec=keepsake |Exec=\"$bin/keepsake\" |" build/linux/keepsake.desktop >"$data/applications/keepsake.desktop"
tell
echo "Keepsake is in the menu of this desktop, and in $bin/keepsake."
