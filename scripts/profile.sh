#!/bin/sh
# Writes default.pgo anew: which calls go build is to inline in sealOnto and openInto
# (docs/decisions/0053). Wanted when those change; a test of the root folder tells.
set -eu
cd "$(dirname "$0")/.."
out=build/test
mkdir -p "$out"
go test -pgo=off -trimpath -run '^$' -bench '^BenchmarkRecord$' -benchtime 20s -cpuprofile "$out/seal.prof" -o "$out/seal.test" ./backend/seal
# What Go's own rooms took counts for whom they were called by: only the last call of
# each sample makes another inlined.
go tool pprof -proto -hide '^(runtime|internal|crypto/internal|crypto/hmac|crypto/sha256)' -output default.pgo "$out/seal.prof"
rm -f "$out/seal.prof" "$out/seal.test"
