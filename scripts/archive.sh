#!/bin/sh
# Packs a folder into FOLDER.tar.gz and removes it: archive.sh FOLDER. Names, times and
# owners are always the same: SOURCE_DATE_EPOCH is the time of all files. FAST=1 packs quickly.
set -eu
(cd "$(dirname "$1")" && tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner -cf - "$(basename "$1")") | gzip -n "-${FAST:-9}" >"$1.tar.gz"
rm -rf "$1"
