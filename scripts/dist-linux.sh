#!/bin/sh
# Makes the packages for Linux of this computer's architecture, into build/dist/: the .deb,
# the .rpm and a tarball, each with the window, the console program, completions and manual
# pages. What lay in build/dist/ goes. The same commit and toolchain give the same bytes.
# With FAST=1 it packs quickly instead of small, for tests.
#   MAINTAINER='Name <name@example.org>'  who answers for the .deb and the .rpm; without it they
#                                         name an address that is none
set -eu
cd "$(dirname "$0")/.."
version=$(sed -n 's/^const Version = "\(.*\)"$/\1/p' backend/core/library/version.go)
arch=$(go env GOARCH)
: "${SOURCE_DATE_EPOCH:=$(git log -1 --format=%ct)}"
export SOURCE_DATE_EPOCH
: "${MAINTAINER:=Keepsake <keepsake@localhost>}"
export MAINTAINER
expr "$MAINTAINER" : '[^<>]*[^<> ] <[^<>@ ]*@[^<>@ ]*>$' >/dev/null || {
  echo "dist-linux.sh: MAINTAINER is a name and an address, as in 'Name <name@example.org>'." >&2
  exit 2
}
out=build/dist
stage=$out/stage
rm -rf "$out"
mkdir -p "$stage/completions"

sh scripts/page.sh
sh scripts/system.sh build
sh scripts/build.sh window
sh scripts/build.sh headless
cp build/bin/keepsake build/bin/keepsake-cli "$stage/"
# Cobra completes the name that the root command has; the other program takes the same words.
build/bin/keepsake-cli completion bash | sed '/^ *complete /s/$/ keepsake-cli/' >"$stage/completions/keepsake.bash"
build/bin/keepsake-cli completion zsh | sed '1,2s/$/ keepsake-cli/' >"$stage/completions/_keepsake"
{ build/bin/keepsake-cli completion fish; echo 'complete -c keepsake-cli -w keepsake'; } >"$stage/completions/keepsake.fish"
go run ./scripts/manpages "$stage/man"
# What this version brings, from CHANGELOG.md, as Debian writes it.
{
  printf '%s (%s) stable; urgency=medium\n' keepsake "$version"
  sed -n "/^## $version\$/,/^## /p" CHANGELOG.md | sed -n 's/\[\([^]]*\)\]([^)]*)/\1/g; s/^### \(.*\)/\n  [ \1 ]/p; s/^- /  * /p' |
    fold -s -w 76 | sed 's/^[^ ]/    &/; s/ *$//'
  printf '\n -- %s  %s\n' "$MAINTAINER" "$(LC_ALL=C date -u -R -d "@$SOURCE_DATE_EPOCH")"
} >"$stage/changelog"
gzip -9n "$stage/changelog" "$stage"/man/*

for kind in deb rpm; do
  sed "s/compression: gzip/&${FAST:+:$FAST}/" build/linux/nfpm.yaml | ARCH=$arch VERSION=$version STAGE=$stage \
    go tool -modfile=tools/go.mod nfpm package --config - --packager "$kind" --target "$out/"
done

# The tarball runs from any folder, and install.sh puts it into the menu.
whole=$out/keepsake-$version-linux-$arch
mkdir -p "$whole/build" "$whole/scripts"
mv "$stage" "$whole/build/bin"
cp -r build/linux "$whole/build/linux"
cp scripts/install.sh "$whole/scripts/"
cp LICENSE "$whole/"
sh scripts/archive.sh "$whole"
