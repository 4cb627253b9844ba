// The installer and the .msi for Windows, run under Wine: it is built here, installs without a
// question, and what it installed does the main job; an upgrade keeps the vault, and the
// uninstaller takes everything back but the vault. Wine has no WebView2 and this no
// display, so that the window itself is not opened.
import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fixtures, root, version } from '../lib/program.mjs'
import { apps, built, env, keepsake, linux, packed, places, script, there, uninstall, value, windows, wine, write } from '../lib/wine.mjs'

const setup = join(built, `keepsake-${version}-windows-amd64-setup.exe`)
const msi = join(built, `keepsake-${version}-windows-amd64.msi`)
const classes = 'HKCU\\Software\\Classes'
const programs = ['LICENSE', 'keepsake-cli.exe', 'keepsake.exe', 'uninstall.exe']

// install gives /D= in parts: Wine puts an argument with a space into quotes, which NSIS
// does not take there.
const install = (folder, ...switches) => wine([setup, '/S', ...switches, ...`/D=${folder}`.split(' ')])

// small mounts a disk of so many MB, or gives the one there another size.
const small = (folder, megabytes, ...how) => {
  mkdirSync(linux(folder), { recursive: true })
  return spawnSync('mount', ['-t', 'tmpfs', '-o', [...how, `size=${megabytes}m`].join(), 'tmpfs', linux(folder)]).status === 0
}

describe('the installer for Windows', { timeout: 600_000 }, () => {
  const out = join(built, 'export.pam.json')
  let made, local, menu, folder, vault, id
  // clean takes away what a test leaves in the registry, also of a run that broke off.
  async function clean() {
    for (const key of [['HKCU\\Environment', '/v', 'Path'], [`${classes}\\.mif`], [apps], ['HKCU\\Software\\Keepsake']]) await wine(['reg', 'delete', ...key, '/f'])
  }
  before(async () => {
    made = await fixtures()
    await packed(root, built, version)
    const at = await places()
    local = at.local
    menu = linux(`${at.roaming}\\Microsoft\\Windows\\Start Menu\\Programs\\Keepsake.lnk`)
    folder = `${local}\\Programs\\Keepsake`
    vault = linux(`${local}\\Keepsake`)
    await clean()
    rmSync(vault, { recursive: true, force: true })
    rmSync(out, { force: true })
  })
  after(clean)

  it('installs for one person, and says that WebView2 is missing and where it is', async () => {
    const { code, stdout } = await wine([setup, '/S'])
    assert.equal(code, 0)
    assert.match(stdout, /needs Microsoft Edge WebView2.*https:\/\/developer\.microsoft\.com\/microsoft-edge\/webview2\//)
    assert.deepEqual(readdirSync(linux(folder)).sort(), programs)
    assert.ok(existsSync(menu), 'it is in the start menu')
    assert.equal(await value(apps, 'DisplayVersion'), version)
    assert.equal(await value(apps, 'QuietUninstallString'), `"${folder}\\uninstall.exe" /S`)
    const bytes = programs.slice(0, 3).reduce((sum, name) => sum + statSync(join(linux(folder), name)).size, 0)
    assert.ok(Math.abs(Number(await value(apps, 'EstimatedSize')) * 1024 - bytes) < 1 << 20, 'its size is in KiB')
  })

  it('opens no console beside the window, and has one for the other program', () => {
    for (const [name, subsystem] of [['keepsake.exe', 2], ['keepsake-cli.exe', 3]]) { // IMAGE_SUBSYSTEM_WINDOWS_GUI and _CUI
      const bytes = readFileSync(join(linux(folder), name))
      assert.equal(bytes.readUInt16LE(bytes.readUInt32LE(0x3c) + 0x5c), subsystem, name)
    }
  })

  it('opens .pam and .mif, and stands among Open with for .json and .zip', async () => {
    assert.equal(await value(`${classes}\\.pam`), 'Keepsake.PAM')
    assert.equal(await value(`${classes}\\.mif`), 'Keepsake.MIF')
    for (const ending of ['.json', '.zip']) {
      assert.equal(await value(`${classes}\\${ending}`), undefined, `${ending} is not taken over`)
      assert.equal(await value(`${classes}\\${ending}\\OpenWithProgids`, 'Keepsake.PAM'), '')
    }
    assert.equal(await value(`${classes}\\Keepsake.PAM\\shell\\open\\command`), `"${folder}\\keepsake.exe" "%1"`)
    assert.equal(await value('HKCU\\Environment', 'Path'), undefined, 'PATH is changed only when asked')
  })

  it('does the main job: init, import, export, verify', async () => {
    await keepsake(folder, 'init', '--kdf', 'test')
    await keepsake(folder, 'import', windows(made.path('chatgpt.zip')))
    const status = await keepsake(folder, 'status')
    assert.equal(status.dir, `${local}\\Keepsake\\vault`)
    assert.equal(status.conversations, made.truth.chatgpt.conversations)
    id = status.vault_id
    await keepsake(folder, 'export', 'pam', '-o', windows(out))
    const said = await keepsake(folder, 'verify', windows(out))
    assert.ok(said.valid)
    assert.equal(said.memories, status.memories)
    assert.deepEqual(JSON.parse(readFileSync(out)).memories.map((one) => one.content).sort(), [...made.truth.chatgpt.memories].sort())
  })

  it('opens the vault by the Credential Manager for as long as that is allowed', async () => {
    const list = async () => (await wine([`${folder}\\keepsake-cli.exe`, 'list', 'memories', '--keychain'])).code
    await keepsake(folder, 'keychain', 'allow')
    assert.equal(await list(), 0)
    await keepsake(folder, 'keychain', 'remove')
    assert.equal(await list(), 1)
  })

  // The window's program needs WebView2 to stay open; the other one takes its name.
  for (const name of ['keepsake-cli.exe', 'keepsake.exe']) {
    it(`removes and changes nothing while ${name} runs`, async () => {
      const program = join(linux(folder), name)
      if (name === 'keepsake.exe') copyFileSync(join(linux(folder), 'keepsake-cli.exe'), program)
      const before = statSync(program)
      const child = spawn('sh', [script, `${folder}\\${name}`, 'serve'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
      const ended = once(child, 'exit')
      await once(child.stdout, 'data')
      const upgrade = await install(folder, '/NOWEBVIEW')
      const removal = await wine([`${folder}\\uninstall.exe`, '/S', `_?=${folder}`]) // in place, to see its code
      child.kill()
      await ended
      for (const { code, stdout } of [upgrade, removal]) {
        assert.equal(code, 3)
        assert.equal(stdout, `Keepsake is running. Close it, then try again; nothing was changed. In use: ${folder}\\${name}\r\n`)
      }
      assert.equal(statSync(program).mtimeMs, before.mtimeMs)
      assert.deepEqual(readdirSync(linux(folder)).sort(), programs)
    })
  }

  it('upgrades the programs and keeps the vault', async () => {
    await write(apps, 'DisplayVersion', '0.0.1')
    const { code, stdout } = await wine([setup, '/S', '/NOWEBVIEW'])
    assert.equal(code, 0)
    assert.equal(stdout, '', 'what is left out is not looked for')
    assert.equal(await value(apps, 'DisplayVersion'), version)
    assert.notEqual(statSync(join(linux(folder), 'keepsake.exe')).size, statSync(join(linux(folder), 'keepsake-cli.exe')).size)
    assert.equal((await keepsake(folder, 'status')).memories, made.truth.chatgpt.memories.length)
  })

  it('replaces a newer version only when told to', async () => {
    await write(apps, 'DisplayVersion', '99.0.0')
    const { code, stdout } = await wine([setup, '/S', '/NOWEBVIEW'])
    assert.equal(stdout, `Keepsake 99.0.0 is installed, which is newer than this ${version}, and a vault that it has written to may not open in an older version. Nothing was changed; /DOWNGRADE installs the older version all the same.\r\n`)
    assert.deepEqual([code, await value(apps, 'DisplayVersion')], [6, '99.0.0'])
    assert.equal((await wine([setup, '/S', '/NOWEBVIEW', '/DOWNGRADE'])).code, 0)
    assert.equal(await value(apps, 'DisplayVersion'), version)
  })

  it('takes everything back but the vault', async () => {
    await uninstall(folder)
    assert.ok(!existsSync(linux(folder)), 'the folder is gone')
    assert.ok(!existsSync(menu), 'so is the entry of the start menu')
    for (const key of ['Keepsake.PAM', 'Keepsake.MIF', '.pam', '.mif', '.json', '.zip']) {
      assert.ok(!await there(`${classes}\\${key}`), `${key} is gone`)
    }
    assert.ok(existsSync(join(vault, 'vault')), 'the vault stays')
  })

  it('installs where a name has spaces and letters beyond ASCII, and on PATH', async () => {
    const elsewhere = `${local}\\Ana Lúcia 日本\\My Keepsake`
    await write('HKCU\\Environment', 'Path', 'C:\\one')
    await write(`${classes}\\.mif`, '', 'Other.Document')
    assert.equal((await install(elsewhere, '/PATH=1', '/NOWEBVIEW')).code, 0)
    assert.deepEqual(readdirSync(linux(elsewhere)).sort(), programs)
    assert.match(await value('HKCU\\Environment', 'Path'), /^C:\\one;C:\\users\\.*\\My Keepsake$/)
    assert.equal(await value(`${classes}\\.mif`), 'Other.Document', 'another program keeps its ending')

    assert.equal((await keepsake(elsewhere, 'status')).vault_id, id, 'it finds the same vault')
    await keepsake(elsewhere, 'destroy', '--confirm', id)
    assert.ok(!existsSync(join(vault, 'vault')))

    writeFileSync(join(linux(elsewhere), 'notes.txt'), 'of the person')
    await uninstall(elsewhere)
    assert.deepEqual(readdirSync(linux(elsewhere)), ['notes.txt'], 'what it did not install stays')
    rmSync(linux(`${local}\\Ana Lúcia 日本`), { recursive: true })
    assert.equal(await value('HKCU\\Environment', 'Path'), 'C:\\one')
    assert.equal(await value(`${classes}\\.mif`), 'Other.Document')
  })

  it('installs and upgrades nothing where the disk is full, and says so', async (test) => {
    const disk = `${local}\\Small`
    spawnSync('umount', [linux(disk)]) // of a run that broke off
    if (!small(disk, 8)) return test.skip('this account may not mount a disk')
    const state = () => readdirSync(linux(disk)).map((name) => [name, statSync(join(linux(disk), name)).mtimeMs])
    try {
      const first = await install(disk, '/NOWEBVIEW')
      assert.match(first.stdout, /^Keepsake needs \d+ MB of room on the disk of .*\\Small, which has 8\. Make room, then try again; nothing was changed\.\r\n$/)
      assert.deepEqual([first.code, state(), await there(apps)], [5, [], false])

      assert.ok(small(disk, 320, 'remount'))
      assert.equal((await install(disk, '/NOWEBVIEW')).code, 0)
      await write(apps, 'DisplayVersion', '0.0.1')
      const before = state()
      const upgrade = await install(disk, '/NOWEBVIEW')
      assert.match(upgrade.stdout, /^Keepsake needs .* nothing was changed\.\r\n$/)
      assert.deepEqual([upgrade.code, state()], [5, before])

      // Room that is there at first and not later: no file may be longer than 16 MB.
      assert.ok(small(disk, 600, 'remount'))
      const late = await wine([setup, '/S', '/NOWEBVIEW', `/D=${disk}`], '', 'trap "" XFSZ; ulimit -f 32768')
      assert.equal(late.stdout, `Not all files could be written to ${disk}; the disk may be full. Make room, then try again; nothing was changed.\r\n`)
      assert.deepEqual([late.code, state()], [5, before])
      assert.equal(await value(apps, 'DisplayVersion'), '0.0.1')
      assert.match((await wine([`${disk}\\keepsake-cli.exe`, 'version'])).stdout, new RegExp(version))
      await uninstall(disk)
    } finally {
      spawnSync('umount', [linux(disk)])
    }
  })

  it('leaves a PATH alone that is too long for it, and says so', async () => {
    const long = `C:\\${'long'.repeat(300)}`
    await write('HKCU\\Environment', 'Path', long)
    const { code, stdout } = await install(folder, '/PATH=1', '/NOWEBVIEW')
    assert.equal(code, 0)
    assert.match(stdout, /^PATH is too long to be changed here\. Add this folder to it yourself: C:\\.*\\Keepsake\r\n$/)
    await uninstall(folder)
    assert.equal(await value('HKCU\\Environment', 'Path'), long)
  })

  // table reads one of the .msi, by the values of its first column.
  const table = (file, name) => new Map(execFileSync('msiinfo', ['export', file, name], { encoding: 'utf8' }).trim().split(/\r?\n/).slice(3).map((line) => line.split('\t')).map((row) => [row[0], row]))
  const older = join(built, 'older.msi')
  const msiexec = async (what, file) => (await wine(['msiexec', what, windows(file), '/qn'])).code
  // Wine keeps the entries of one person's packages with those of all.
  const entries = async () => [...(await wine(['reg', 'query', 'HKLM\\Software\\Microsoft\\Windows\\CurrentVersion\\Uninstall', '/s'])).stdout.matchAll(/DisplayVersion +REG_SZ +(\S+)/g)].map(([, one]) => one)

  it('comes as an .msi as well, which replaces an older version and no newer one', async () => {
    copyFileSync(msi, older)
    const upgrade = table(msi, 'Property').get('UpgradeCode')[1]
    execFileSync('msibuild', [older, ...[
      "UPDATE Property SET Value = '0.0.1' WHERE Property = 'ProductVersion'",
      "UPDATE Property SET Value = '{00000000-0000-4000-8000-000000000001}' WHERE Property = 'ProductCode'",
      "DELETE FROM Upgrade WHERE ActionProperty = 'WIX_DOWNGRADE_DETECTED'",
      `INSERT INTO Upgrade (UpgradeCode, VersionMin, Attributes, ActionProperty) VALUES ('${upgrade}', '0.0.1', 2, 'WIX_DOWNGRADE_DETECTED')`,
    ].flatMap((query) => ['-q', query])])
    const refused = 1603 & 255 // ERROR_INSTALL_FAILURE; Linux has eight bits of a code

    assert.equal(await msiexec('/i', older), 0)
    assert.deepEqual(await entries(), ['0.0.1'])
    assert.equal(await msiexec('/i', msi), 0)
    assert.equal(await msiexec('/i', older), refused)
    assert.deepEqual(await entries(), [version])
    assert.deepEqual(readdirSync(linux(folder)).sort(), programs.slice(0, 3))
    assert.match((await wine([`${folder}\\keepsake-cli.exe`, 'version'])).stdout, new RegExp(version))
    assert.ok(existsSync(menu), 'it is in the start menu')
    assert.equal(await value(`${classes}\\Keepsake.MIF\\shell\\open\\command`), `"${folder}\\keepsake.exe" "%1"`)
    const installer = await wine([setup, '/S', '/NOWEBVIEW'])
    assert.deepEqual([installer.code, installer.stdout], [6, 'Keepsake is installed here already, from its .msi. Remove that one first; your vault stays. Nothing was changed.\r\n'])

    assert.equal(await msiexec('/x', msi), 0)
    assert.deepEqual([await entries(), existsSync(linux(folder)), existsSync(menu)], [[], false, false])
    for (const key of [`${classes}\\Keepsake.PAM`, `${classes}\\.pam`, 'HKCU\\Software\\Keepsake']) assert.ok(!await there(key), `${key} is gone`)
    await write(apps, 'DisplayVersion', version)
    assert.equal(await msiexec('/i', msi), refused, 'what the installer installed is not replaced')
    assert.ok(!existsSync(linux(folder)))
  })

  it('has an .msi that lets a running program run, and replaces it when Windows starts again', async () => {
    const sessions = 'HKLM\\System\\CurrentControlSet\\Control\\Session Manager'
    await clean()
    assert.equal(await msiexec('/i', older), 0)
    const program = join(linux(folder), 'keepsake-cli.exe')
    const whole = statSync(program).size
    appendFileSync(program, 'older')
    const child = spawn('sh', [script, `${folder}\\keepsake-cli.exe`, 'serve'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
    const ended = once(child, 'exit')
    await once(child.stdout, 'data')
    assert.equal(await msiexec('/i', msi), 3010 & 255, 'ERROR_SUCCESS_REBOOT_REQUIRED')
    assert.equal(child.exitCode, null, 'it still runs')
    assert.equal(statSync(program).size, whole + 5, 'from the file that it was started from')
    assert.deepEqual(await entries(), [version])
    child.kill()
    await ended
    await wine(['wineboot', '-r'])
    assert.equal(statSync(program).size, whole)
    assert.equal(await value(sessions, 'PendingFileRenameOperations'), undefined)
    assert.equal(await msiexec('/x', msi), 0)
    assert.ok(!existsSync(linux(folder)))
  })

  // Wine's msiexec looks at no room and takes nothing back, so that only the tables are read.
  it('has an .msi that tells Windows how much room it needs, and that leaves the older version where it fails', () => {
    const files = table(msi, 'File')
    const unpacked = join(built, 'msi')
    rmSync(unpacked, { recursive: true, force: true })
    execFileSync('msiextract', ['-C', unpacked, msi], { stdio: 'ignore' })
    for (const name of programs.slice(0, 3)) {
      const [found] = readdirSync(unpacked, { recursive: true }).filter((path) => path.endsWith(name))
      assert.equal(Number(files.get(name.replace('-', '_'))[3]), statSync(join(unpacked, found)).size, name)
    }
    rmSync(unpacked, { recursive: true })
    const at = (action) => Number(table(msi, 'InstallExecuteSequence').get(action)[2])
    assert.ok(at('CostFinalize') < at('InstallValidate') && at('InstallValidate') < at('InstallInitialize'), 'room is looked for first')
    assert.ok(at('InstallInitialize') < at('RemoveExistingProducts') && at('RemoveExistingProducts') < at('InstallFiles'), 'the removal can be taken back')
  })
})
