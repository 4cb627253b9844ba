#!/bin/sh
# Makes what is given to people who do not build, into build/dist/: on Linux the .deb, the
# .rpm and a tarball of this computer's architecture, and the console program for three
# systems and two architectures. It ends with a table of names, sizes and SHA-256 sums,
# which SHA256SUMS holds as well.
#   make dist                the version of the program (backend/core/library/version.go)
#   make dist VERSION=0.2.0  refused unless the program has that version
# The same commit and toolchain give the same bytes: times are the commit's.
set -eu
cd "$(dirname "$0")/.."
[ "$(uname -s)" = Linux ] || {
  echo "dist.sh: packages are made on Linux so far." >&2
  exit 2
}
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
out=build/dist
sh scripts/dist-linux.sh

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

(cd "$out" && sha256sum -- * >SHA256SUMS)
printf '%-48s %12s  %s\n' name bytes SHA-256
while read -r sum name; do
  printf '%-48s %12s  %s\n' "$name" "$(wc -c <"$out/$name")" "$sum"
done <"$out/SHA256SUMS"
