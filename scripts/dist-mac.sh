#!/bin/sh
# Makes Keepsake.app for both architectures, with the console program in it, and puts it
# on a .dmg. Runs on a Mac only; scripts/dist.sh calls it.
#   dist-mac.sh OUT VERSION
#   CODESIGN_IDENTITY  a Developer ID; without one the app is sealed ad hoc, and macOS
#                      opens it only after "Open Anyway" in System Settings
#   NOTARY_PROFILE     credentials that `xcrun notarytool store-credentials` keeps
set -eu
cd "$(dirname "$0")/.."
out=$1 version=$2
export CGO_LDFLAGS="${CGO_LDFLAGS:-} -framework UniformTypeIdentifiers"
sh scripts/system.sh build
go tool -modfile=tools/go.mod wails build -platform darwin/universal -tags desktop,production \
  -s -m -nosyncgomod -skipbindings -trimpath -ldflags "-s -w"
app=build/bin/Keepsake.app
[ -d "$app" ] || mv build/bin/keepsake.app "$app"

for cpu in amd64 arm64; do
  GOARCH=$cpu CGO_ENABLED=0 go build -tags headless -trimpath -ldflags "-s -w" -o "build/bin/keepsake-cli-$cpu" .
done
lipo -create -output "$app/Contents/MacOS/keepsake-cli" build/bin/keepsake-cli-amd64 build/bin/keepsake-cli-arm64
rm build/bin/keepsake-cli-amd64 build/bin/keepsake-cli-arm64
plutil -lint "$app/Contents/Info.plist"

# The hardened runtime needs no entitlement: Go and the system's web view compile nothing
# in this process.
identity=${CODESIGN_IDENTITY:--}
stamp=--timestamp
[ "$identity" != - ] || stamp=--timestamp=none
codesign --force --options runtime $stamp --sign "$identity" "$app/Contents/MacOS/keepsake-cli"
codesign --force --options runtime $stamp --sign "$identity" "$app"
codesign --verify --strict --deep "$app"

disk=$(mktemp -d)
trap 'rm -rf "$disk"' EXIT
cp -R "$app" "$disk/"
ln -s /Applications "$disk/Applications"
dmg=$out/keepsake-$version-macos-universal.dmg
hdiutil create -quiet -volname "Keepsake $version" -srcfolder "$disk" -format UDZO "$dmg"
if [ -n "${NOTARY_PROFILE:-}" ]; then
  xcrun notarytool submit --wait --keychain-profile "$NOTARY_PROFILE" "$dmg"
  xcrun stapler staple "$dmg"
fi
