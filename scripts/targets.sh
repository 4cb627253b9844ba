#!/bin/sh
# Builds the console program for each target that no other phase of the tests builds, and keeps
# nothing of it.
set -eu
cd "$(dirname "$0")/.."
for target in linux/arm64 windows/arm64 darwin/amd64 darwin/arm64; do
  echo "- $target"
  GOOS=${target%/*} GOARCH=${target#*/} CGO_ENABLED=0 go build -tags headless -trimpath -ldflags "-s -w" -o /dev/null .
done
