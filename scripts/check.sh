#!/bin/sh
# Every linter. "quick" leaves out those of the page, which another phase of the tests
# runs.
set -u
cd "$(dirname "$0")/.."
failed=0
# What is only looked at need not be compiled once more for the program's profile.
export GOFLAGS="${GOFLAGS:-} -pgo=off"
try() {
  echo "- $*"
  "$@" || failed=1
}

unformatted=$(git ls-files '*.go' | xargs gofmt -l)
if [ -n "$unformatted" ]; then
  echo "not as gofmt writes it:" $unformatted
  failed=1
fi
# Page text is never trusted: nothing may be parsed as HTML.
if git grep -nE '\binnerHTML\b|outerHTML|insertAdjacentHTML|\{@html|document\.write' -- frontend/src; then
  echo "text must become nodes, never HTML"
  failed=1
fi
try go vet ./...
# The code of other platforms and of the tagged builds is checked too, without
# anything of theirs being there.
try env GOOS=windows CGO_ENABLED=0 go vet -tags desktop,production ./app/... .
try env GOOS=darwin CGO_ENABLED=0 go vet ./app/... .
try env CGO_ENABLED=0 go vet -tags headless ./app/ .
try go tool -modfile=tools/go.mod staticcheck ./...
try go run ./scripts/structure
try go tool -modfile=tools/go.mod actionlint
if [ "${1:-}" != quick ]; then
  try npm --prefix frontend run --silent check
fi
exit $failed
