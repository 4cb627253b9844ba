#!/bin/sh
# After an install and a removal: has the desktop read the names of files, the menu and
# the icons anew, as far as it has the tools for it. It touches no home folder.
set -e
if command -v update-mime-database >/dev/null; then update-mime-database /usr/share/mime >/dev/null 2>&1 || true; fi
if command -v update-desktop-database >/dev/null; then update-desktop-database -q /usr/share/applications || true; fi
if command -v gtk-update-icon-cache >/dev/null; then gtk-update-icon-cache -q -t /usr/share/icons/hicolor 2>/dev/null || true; fi
