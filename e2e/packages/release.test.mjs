// What lies beside the packages: the signature, the manifests and the list of components.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { appendFileSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

describe('a release', () => {
  let folder
  before(() => { folder = mkdtempSync(join(tmpdir(), 'keepsake-release-')) })
  after(() => rmSync(folder, { recursive: true, force: true }))

  it("is signed as Debian's minisign reads it, and a changed list is not", () => {
    const sign = (...args) => execFileSync('go', ['tool', '-modfile=tools/go.mod', 'minisign', ...args], { cwd: root, stdio: 'pipe' })
    const [key, pub, sums] = ['secret.key', 'public.key', 'SHA256SUMS'].map((name) => join(folder, name))
    sign('-G', '-W', '-s', key, '-p', pub)
    writeFileSync(sums, `${'0'.repeat(64)}  keepsake_0.1.0_amd64.deb\n`)
    sign('-S', '-s', key, '-t', 'keepsake 0.1.0', '-m', sums)
    const verify = () => spawnSync('/usr/bin/minisign', ['-Vm', sums, '-p', pub], { encoding: 'utf8' })
    assert.match(verify().stdout, /Signature and comment signature verified[\s\S]*keepsake 0\.1\.0/)
    appendFileSync(sums, `${'1'.repeat(64)}  another.deb\n`)
    assert.notEqual(verify().status, 0)
  })

  it('has manifests with the sums of the files they name', () => {
    const sums = ['amd64-setup.exe', 'arm64-setup.exe', 'amd64.zip', 'arm64.zip'].map((ending) => {
      writeFileSync(join(folder, `keepsake-0.1.0-windows-${ending}`), ending)
      return createHash('sha256').update(ending).digest('hex')
    })
    execFileSync(process.execPath, ['scripts/manifests.mjs', folder, '0.1.0', 'https://example.org/files/'], { cwd: root })
    const installer = readFileSync(join(folder, 'winget/Keepsake.Keepsake.installer.yaml'), 'utf8')
    assert.deepEqual([...installer.matchAll(/InstallerSha256: (\w+)/g)].map((m) => m[1].toLowerCase()), sums.slice(0, 2))
    assert.match(installer, /InstallerUrl: https:\/\/example\.org\/files\/keepsake-0\.1\.0-windows-amd64-setup\.exe\n/)
    const { architecture } = JSON.parse(readFileSync(join(folder, 'keepsake.scoop.json'), 'utf8'))
    assert.deepEqual([architecture['64bit'].hash, architecture.arm64.hash], sums.slice(2))
  })

  it('has a Flatpak manifest that names the tarball, beside it or where it will lie', () => {
    const linux = mkdtempSync(join(folder, 'linux-'))
    writeFileSync(join(linux, 'keepsake-0.1.0-linux-amd64.tar.gz'), 'tar')
    const source = (...url) => {
      execFileSync(process.execPath, ['scripts/manifests.mjs', linux, '0.1.0', ...url], { cwd: root })
      return readFileSync(join(linux, 'app.keepsake.desktop.yaml'), 'utf8').match(/- (\{type.*\})\n/)[1]
    }
    const sum = createHash('sha256').update('tar').digest('hex')
    assert.equal(source(), `{type: archive, path: keepsake-0.1.0-linux-amd64.tar.gz, sha256: ${sum}}`)
    assert.equal(source('https://example.org/files'),
      `{type: archive, url: 'https://example.org/files/keepsake-0.1.0-linux-amd64.tar.gz', sha256: ${sum}}`)
    if (spawnSync('sh', ['-c', 'command -v flatpak-builder']).status !== 0) return // elsewhere than on Debian
    const { stdout, stderr } = spawnSync('flatpak-builder', ['--show-manifest', 'app.keepsake.desktop.yaml'], { cwd: linux, encoding: 'utf8' })
    assert.equal(stderr, '', 'flatpak-builder knows every word of it')
    const read = JSON.parse(stdout)
    assert.deepEqual([read.id, read.command, read.modules.length], ['app.keepsake.desktop', 'keepsake', 1])
    assert.deepEqual(read['finish-args'].filter((one) => /network|filesystem|device/.test(one)), [], 'no network, no folder, no device')
  })

  it('has a Homebrew cask where there is a disk image, which leaves vaults alone', () => {
    const mac = mkdtempSync(join(folder, 'mac-'))
    writeFileSync(join(mac, 'keepsake-0.1.0-macos-universal.dmg'), 'dmg')
    execFileSync(process.execPath, ['scripts/manifests.mjs', mac, '0.1.0', 'https://example.org/files'], { cwd: root })
    assert.deepEqual(readdirSync(mac), ['keepsake-0.1.0-macos-universal.dmg', 'keepsake.cask.rb'])
    const cask = readFileSync(join(mac, 'keepsake.cask.rb'), 'utf8')
    assert.match(cask, new RegExp(`sha256 "${createHash('sha256').update('dmg').digest('hex')}"`))
    assert.match(cask, /url "https:\/\/example\.org\/files\/keepsake-0\.1\.0-macos-universal\.dmg"\n/)
    assert.doesNotMatch(cask, /zap|uninstall/)
  })

  it('lists every part of the program and of the page, with the licence that Settings shows', () => {
    const file = join(folder, 'parts.json')
    execFileSync(process.execPath, ['scripts/sbom.mjs', file, '0.1.0'], { cwd: root })
    const { components, bomFormat } = JSON.parse(readFileSync(file, 'utf8'))
    assert.equal(bomFormat, 'CycloneDX')
    const licences = new Map(components.map((c) => [`${c.group ? `${c.group}/` : ''}${c.name}`, c.licenses[0].license.id]))
    const parts = JSON.parse(readFileSync(join(root, 'app/bridge/licences.json'), 'utf8'))
    assert.ok(parts.length > 90)
    for (const { name, licence } of parts) assert.equal(licences.get(name === 'Go' ? 'std' : name), licence, name)
    for (const [name, licence] of licences) assert.ok(licence, `${name} has a licence`)
  })

  it('has an extension for Claude Desktop that its own tool takes, and that starts the installed program', () => {
    const [one, two, unpacked] = ['one.mcpb', 'two.mcpb', 'unpacked'].map((name) => join(folder, name))
    for (const file of [one, two]) execFileSync('go', ['run', './scripts/mcpb', file, '0.1.0'], { cwd: root, stdio: 'pipe' })
    assert.ok(readFileSync(one).equals(readFileSync(two)), 'the same commit gives the same bytes')
    const tool = (...args) => execFileSync(process.execPath, [join(root, 'e2e/node_modules/@anthropic-ai/mcpb/dist/cli/cli.js'), ...args], { encoding: 'utf8' })
    tool('unpack', one, unpacked)
    assert.match(tool('validate', unpacked), /validation passes/)
    tool('pack', unpacked, join(folder, 'again.mcpb')) // it refuses what Claude Desktop would
    const manifest = JSON.parse(readFileSync(join(unpacked, 'manifest.json'), 'utf8'))
    assert.equal(manifest.version, '0.1.0')
    assert.ok(readdirSync(unpacked).includes(manifest.server.entry_point))
    // Where each package puts the program stands in what makes that package.
    const says = (file, text) => assert.ok(readFileSync(join(root, file), 'utf8').includes(text), `${file} says ${text}`)
    const { linux, darwin, win32 } = manifest.server.mcp_config.platform_overrides
    says('build/linux/nfpm.yaml', `dst: ${linux.command},`)
    says('scripts/manifests.mjs', darwin.command.replace('/Applications/', ''))
    says('build/windows/installer.nsi', 'InstallDir $LOCALAPPDATA\\Programs\\Keepsake')
    assert.equal(win32.command, '${HOME}\\AppData\\Local\\Programs\\Keepsake\\keepsake-cli.exe')
    for (const { args } of [linux, darwin, win32]) assert.deepEqual(args, ['mcp', '--client', 'claude-desktop'])
  })

  it('gives the tool of Claude Desktop the command for this system', async () => {
    const { getMcpConfigForManifest } = await import('@anthropic-ai/mcpb')
    const manifest = JSON.parse(readFileSync(join(folder, 'unpacked/manifest.json'), 'utf8'))
    const { command, args } = await getMcpConfigForManifest({ manifest, extensionPath: folder, systemDirs: { HOME: '/home/x' }, userConfig: {}, pathSeparator: '/' })
    assert.equal(command, '/usr/bin/keepsake-cli')
    assert.deepEqual(args, ['mcp', '--client', 'claude-desktop'])
  })
})
