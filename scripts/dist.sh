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
arch=$(go env GOARCH)
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
out=build/dist
stage=build/dist/stage
rm -rf "$out"
mkdir -p "$stage/completions"

sh scripts/page.sh
sh scripts/system.sh build
sh scripts/build.sh window
sh scripts/build.sh headless
cp build/bin/keepsake build/bin/keepsake-cli "$stage/"
build/bin/keepsake-cli completion bash >"$stage/completions/keepsake.bash"
build/bin/keepsake-cli completion zsh >"$stage/completions/_keepsake"
build/bin/keepsake-cli completion fish >"$stage/completions/keepsake.fish"

# The packages.
for kind in deb rpm; do
  ARCH=$arch VERSION=$version STAGE=$stage \
    go tool -modfile=tools/go.mod nfpm package --config build/linux/nfpm.yaml --packager "$kind" --target "$out/"
done

# archive packs a folder beside it, with names, times and owners that are always the same.
archive() { # folder
  (cd "$(dirname "$1")" && tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner -cf - "$(basename "$1")") | gzip -9n >"$1.tar.gz"
  rm -rf "$1"
}

# The tarball runs from any folder, and install.sh puts it into the menu.
whole=$out/keepsake-$version-linux-$arch
mkdir -p "$whole/build"
cp -r "$stage" "$whole/build/bin"
cp -r build/linux "$whole/build/linux"
mkdir "$whole/scripts"
cp scripts/install.sh "$whole/scripts/"
cp LICENSE "$whole/"
archive "$whole"

# The console program for the other systems and architectures.
for target in linux/amd64 linux/arm64 windows/amd64 windows/arm64 darwin/amd64 darwin/arm64; do
  os=${target%/*} cpu=${target#*/} end=
  [ "$os" = windows ] && end=.exe
  folder=$out/keepsake-cli-$version-$os-$cpu
  mkdir "$folder"
  GOOS=$os GOARCH=$cpu CGO_ENABLED=0 go build -tags headless -trimpath -ldflags "-s -w" -o "$folder/keepsake-cli$end" .
  cp LICENSE "$folder/"
  archive "$folder"
done

rm -rf "$stage"
(cd "$out" && sha256sum -- * >SHA256SUMS)
printf '%-48s %12s  %s\n' name bytes SHA-256
while read -r sum name; do
  printf '%-48s %12s  %s\n' "$name" "$(wc -c <"$out/$name")" "$sum"
done <"$out/SHA256SUMS"
