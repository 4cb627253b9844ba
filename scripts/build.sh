#!/bin/sh
# Builds build/bin/keepsake. "window" is the app with its window (needs GTK on
# Linux), "headless" the same program without one (needs nothing).
set -eu
cd "$(dirname "$0")/.."
kind=${1:-window}
mkdir -p build/bin
# Keys are erased from stacks and registers where Go can do that (backend/seal).
case $(go env GOOS)/$(go env GOARCH) in
linux/amd64 | linux/arm64) export GOEXPERIMENT=runtimesecret ;;
esac
case $kind in
window)
  tags=desktop,production
  case $(uname -s) in
  Linux) tags=$tags,webkit2_41 ;;
  Darwin) export CGO_LDFLAGS="${CGO_LDFLAGS:-} -framework UniformTypeIdentifiers" ;;
  esac
  CGO_ENABLED=1 go build -tags "$tags" -trimpath -ldflags "-s -w" -o build/bin/keepsake . ;;
headless)
  CGO_ENABLED=0 go build -tags headless -trimpath -ldflags "-s -w" -o build/bin/keepsake-cli . ;;
*)
  echo "build.sh: window or headless" >&2
  exit 2 ;;
esac
