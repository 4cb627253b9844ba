#!/bin/sh
# Builds build/bin/keepsake (on Windows and for it with .exe). "window" is the app with its
# window (needs GTK on Linux), "headless" the same program without one (needs nothing).
# GOOS and GOARCH name another target; a window of Windows is built anywhere.
set -eu
cd "$(dirname "$0")/.."
kind=${1:-window}
mkdir -p build/bin
sh scripts/model.sh
# Keys are erased from stacks and registers where Go can do that (backend/seal).
case $(go env GOOS)/$(go env GOARCH) in
linux/amd64 | linux/arm64) export GOEXPERIMENT=runtimesecret ;;
esac
exe=$(go env GOEXE)
case $kind in
window)
  tags=desktop,production flags="-s -w" cgo=1
  case $(go env GOOS) in
  linux) tags=$tags,webkit2_41 ;;
  darwin) export CGO_LDFLAGS="${CGO_LDFLAGS:-} -framework UniformTypeIdentifiers" ;;
  windows)
    # windowsgui: no console opens beside the window. Where WebView2 is missing the program
    # offers to open its page in the browser; Wails by itself would fetch and run an installer.
    tags=$tags,wv2runtime.browser flags="$flags -H windowsgui" cgo=0 ;;
  esac
  CGO_ENABLED=$cgo go build -tags "$tags" -trimpath -ldflags "$flags" -o "build/bin/keepsake$exe" . ;;
headless)
  CGO_ENABLED=0 go build -tags headless -trimpath -ldflags "-s -w" -o "build/bin/keepsake-cli$exe" . ;;
*)
  echo "build.sh: window or headless" >&2
  exit 2 ;;
esac
