#!/bin/sh
# Installs the page's packages when the lock file changed, and builds the page
# when one of its files is newer than the last build. With "deps", only the first.
set -eu
cd "$(dirname "$0")/.."
stamp=frontend/node_modules/.keepsake-lock
if ! cmp -s frontend/package-lock.json "$stamp" 2>/dev/null; then
  echo "Installing the page's packages (npm ci)" >&2
  npm --prefix frontend ci --no-audit --no-fund --loglevel=error >&2
  cp frontend/package-lock.json "$stamp"
fi
[ "${1:-build}" != deps ] || exit 0
index=frontend/dist/index.html
if [ -f "$index" ] && [ -z "$(find frontend -newer "$index" -type f -not -path '*/node_modules/*' -not -path '*/dist/*' -not -name '*.go' -print -quit)" ]; then
  exit 0
fi
echo "Building the page" >&2
npm --prefix frontend run --silent build -- --logLevel error >&2
