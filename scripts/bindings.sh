#!/bin/sh
# Writes frontend/wailsjs anew from the Go structs that the page may call. With
# "check", fails when that changes what is committed.
set -eu
cd "$(dirname "$0")/.."
out=build/test
mkdir -p "$out"
CGO_ENABLED=0 go build -pgo=off -tags bindings -o "$out/write-bindings" .
tsoutputtype=interfaces "$out/write-bindings" >"$out/bindings.log" 2>&1 || {
  cat "$out/bindings.log" >&2
  exit 1
}
rm -f "$out/write-bindings"
find frontend/wailsjs -type f -exec chmod 644 {} +
[ "${1:-}" = check ] || exit 0
if [ -n "$(git status --porcelain -- frontend/wailsjs)" ]; then
  git --no-pager diff --stat -- frontend/wailsjs >&2
  echo "frontend/wailsjs is not what the Go structs say: run 'make bindings' and commit it." >&2
  exit 1
fi
