#!/bin/sh
# Makes what is given to people who do not build, into build/dist/. On Linux: the .deb, the
# .rpm and a tarball of this computer's architecture, the installer and the zip for Windows,
# and the console program for three systems and two architectures. On a Mac: Keepsake.app
# on a .dmg. Beside them lie the extension for Claude Desktop (.mcpb), the licences, the list of components and the notes. It ends
# with a table of names, sizes and SHA-256 sums, which SHA256SUMS holds as well.
#   make dist                the version of the program (backend/core/library/version.go)
#   make dist VERSION=0.2.0  refused unless the program has that version
#   make dist URL=https://…  also manifests for winget and scoop, on a Mac a Homebrew cask;
#                            URL is the folder where the files will lie, for the Flatpak's too
#   make dist MAINTAINER='Name <name@example.org>'
#                            who answers for the .deb and the .rpm: a release needs it
# MINISIGN_KEY names a secret key without a password, which signs SHA256SUMS.
# The same commit and toolchain give the same bytes: times are the commit's.
set -eu
cd "$(dirname "$0")/.."
version=$(sed -n 's/^const Version = "\(.*\)"$/\1/p' backend/core/library/version.go)
[ "${VERSION:-$version}" = "$version" ] || {
  echo "dist.sh: the program has version $version; change backend/core/library/version.go first." >&2
  exit 2
}
if [ -n "$(git status --porcelain 2>/dev/null)" ]; then
  echo "dist.sh: there are changes that no commit has; the programs will say so." >&2
fi
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
# The programs say which commit they are of, whatever this computer's own settings are.
GOFLAGS="$(go env GOFLAGS) -buildvcs=true"
export GOFLAGS
out=build/dist

case $(uname -s) in
Linux)
  sh scripts/system.sh dist
  sh scripts/dist-linux.sh
  sh scripts/dist-windows.sh "$out" "$version" amd64 arm64
  # The console program for the other systems and architectures.
  for target in linux/amd64 linux/arm64 windows/amd64 windows/arm64 darwin/amd64 darwin/arm64; do
    os=${target%/*} cpu=${target#*/} end=
    [ "$os" = windows ] && end=.exe
    folder=$out/keepsake-cli-$version-$os-$cpu
    mkdir "$folder"
    GOOS=$os GOARCH=$cpu CGO_ENABLED=0 go build -tags headless -trimpath -ldflags "-s -w" -o "$folder/keepsake-cli$end" .
    cp LICENSE "$folder/"
    sh scripts/archive.sh "$folder"
  done
  node scripts/manifests.mjs "$out" "$version" "${URL:-}"
  if [ -z "${MAINTAINER:-}" ]; then
    echo "Nobody answers for the .deb and the .rpm: a release needs make dist MAINTAINER='Name <name@example.org>'."
  fi
  if [ -z "${URL:-}" ]; then
    echo "No manifests for winget and scoop: they name where the files lie (make dist URL=https://…)."
  fi
  echo "No Homebrew cask: it names a disk image that a Mac makes and a Developer ID signs." ;;
Darwin)
  rm -rf "$out"
  mkdir -p "$out"
  sh scripts/page.sh
  sh scripts/dist-mac.sh "$out" "$version"
  if [ -n "${URL:-}" ] && [ -n "${CODESIGN_IDENTITY:-}" ] && [ -n "${NOTARY_PROFILE:-}" ]; then
    node scripts/manifests.mjs "$out" "$version" "$URL"
  else
    echo "No Homebrew cask: it needs URL, and an app that is signed and notarised (CODESIGN_IDENTITY, NOTARY_PROFILE)."
  fi ;;
*)
  echo "dist.sh: packages are made on Linux and, for macOS, on a Mac." >&2
  exit 2 ;;
esac

# Claude Desktop gets an extension, the same for every system.
go run ./scripts/mcpb "$out/keepsake-$version.mcpb" "$version"
node scripts/licences.mjs "$out/keepsake-$version-licences.txt"
node scripts/sbom.mjs "$out/keepsake-$version.cdx.json" "$version"
awk -v part="## $version" '/^## / { on = $0 == part } on' CHANGELOG.md >"$out/keepsake-$version-notes.md"
sums=sha256sum
command -v sha256sum >/dev/null || sums='shasum -a 256' # macOS
(cd "$out" && find * -type f | LC_ALL=C sort | xargs $sums >.sums && mv .sums SHA256SUMS)
if [ -n "${MINISIGN_KEY:-}" ]; then
  go tool -modfile=tools/go.mod minisign -S -s "$MINISIGN_KEY" -t "keepsake $version" -m "$out/SHA256SUMS"
else
  echo "Not signed: MINISIGN_KEY names no key."
fi
printf '%-48s %12s  %s\n' name bytes SHA-256
while read -r sum name; do
  printf '%-48s %12s  %s\n' "$name" "$(wc -c <"$out/$name")" "$sum"
done <"$out/SHA256SUMS"
