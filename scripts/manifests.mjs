// Writes manifests beside the files that they name: for Flatpak of the tarball for Linux and,
// with the URL of the folder where the files will lie, for winget and scoop of what is there
// for Windows, a Homebrew cask of what is there for macOS.
//   node scripts/manifests.mjs FOLDER VERSION [URL]
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'

const [folder, version, url] = process.argv.slice(2)
const summary = 'Own what AI assistants remember about you'
const at = (name) => `${url.replace(/\/$/, '')}/${name}`
const sum = (name) => createHash('sha256').update(readFileSync(join(folder, name))).digest('hex')
const file = (arch, ending) => `keepsake-${version}-windows-${arch}${ending}`
const winget = (kind, lines) => [`PackageIdentifier: Keepsake.Keepsake`, `PackageVersion: ${version}`, ...lines, `ManifestType: ${kind}`, 'ManifestVersion: 1.10.0', ''].join('\n')

const tarball = readdirSync(folder).find((name) => name.startsWith(`keepsake-${version}-linux-`))
if (tarball) forFlatpak()
if (url && existsSync(join(folder, file('amd64', '.zip')))) forWindows()
const disk = `keepsake-${version}-macos-universal.dmg`
if (url && existsSync(join(folder, disk))) forMacOS()

function forFlatpak() {
  const id = 'app.keepsake.desktop'
  const text = readFileSync(new URL('../build/linux/flatpak.yaml', import.meta.url), 'utf8')
  const place = url ? `url: '${at(tarball)}'` : `path: ${tarball}`
  writeFileSync(join(folder, `${id}.yaml`), text.slice(text.indexOf('id:')).replace('SOURCE', `${place}, sha256: ${sum(tarball)}`))
}

function forWindows() {
  mkdirSync(join(folder, 'winget'), { recursive: true })
  for (const [name, text] of Object.entries({
    'Keepsake.Keepsake.yaml': winget('version', ['DefaultLocale: en-US']),
    'Keepsake.Keepsake.locale.en-US.yaml': winget('defaultLocale', [
      'PackageLocale: en-US', 'Publisher: Keepsake', 'PackageName: Keepsake', 'License: Apache-2.0', `ShortDescription: ${summary}`]),
    'Keepsake.Keepsake.installer.yaml': winget('installer', [
      'InstallerType: nullsoft', 'Scope: user', 'UpgradeBehavior: install', 'Installers:',
      ...['amd64', 'arm64'].flatMap((arch) => [
        `- Architecture: ${arch === 'amd64' ? 'x64' : arch}`, `  InstallerUrl: ${at(file(arch, '-setup.exe'))}`, `  InstallerSha256: ${sum(file(arch, '-setup.exe')).toUpperCase()}`])]),
  })) writeFileSync(join(folder, 'winget', name), text)

  const scoop = (arch) => ({ url: at(file(arch, '.zip')), hash: sum(file(arch, '.zip')), extract_dir: basename(file(arch, '')) })
  writeFileSync(join(folder, 'keepsake.scoop.json'), JSON.stringify({
    version, description: summary, homepage: url, license: 'Apache-2.0',
    architecture: { '64bit': scoop('amd64'), arm64: scoop('arm64') },
    bin: 'keepsake-cli.exe', shortcuts: [['keepsake.exe', 'Keepsake']],
  }, null, 2) + '\n')
}

// Without a "zap": Homebrew would take the vaults with it.
function forMacOS() {
  writeFileSync(join(folder, 'keepsake.cask.rb'), `cask "keepsake" do
  version "${version}"
  sha256 "${sum(disk)}"

  url "${at(disk)}"
  name "Keepsake"
  desc "${summary}"
  homepage "${url}"

  depends_on macos: ">= :monterey"

  app "Keepsake.app"
  binary "#{appdir}/Keepsake.app/Contents/MacOS/keepsake-cli"
end
`)
}
