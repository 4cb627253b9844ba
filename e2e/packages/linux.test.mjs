// The .deb in a clean root: installed, opened as a person opens it, and removed. It needs
// root, mmdebstrap, what scripts/dist-linux.sh made, and a display (scripts/xvfb.sh).
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { cleanRoot, person } from '../lib/cleanroot.mjs'
import { passphrase } from '../lib/keepsake.mjs'
import { headless, results, root, version } from '../lib/program.mjs'
import { colours, drive, says, screenshot, shim, tool, until } from '../lib/window.mjs'
import { words } from '../lib/words.mjs'
import { memory, store } from '../lib/writers.mjs'

const t = words('en')
const secret = { input: `${passphrase}\n` }
const file = `${person.home}/What I keep.pam.json`
const type = 'application/x-portable-ai-memory+json'
const desk = { as: person, env: { DISPLAY: process.env.DISPLAY, XDG_CURRENT_DESKTOP: 'GNOME', GTK_THEME: 'Adwaita', NO_AT_BRIDGE: '1', XDG_RUNTIME_DIR: '/run/desk', DBUS_SESSION_BUS_ADDRESS: 'unix:path=/run/desk/bus' } }

const has = (program) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0

// A clean root is made by root, where the host lets it mount.
const may = process.getuid() === 0 && spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0

describe('the packages for Linux', { skip: !may && 'this account may not mount a clean root' }, () => {
  const dist = join(root, 'build', 'dist')
  let deb, clean, empty, window

  before(() => {
    deb = existsSync(dist) && readdirSync(dist).filter((name) => name.endsWith('.deb')).map((name) => join(dist, name))[0]
    assert.ok(deb, 'scripts/dist-linux.sh comes first')
    clean = cleanRoot(deb)
    clean.run(['install', '-d', '-o', '1000', '-g', '1000', '-m', '700', '/run/desk'])
    empty = clean.names()
    copyFileSync(deb, join(clean.folder, 'tmp', 'keepsake.deb'))
    copyFileSync(headless, join(clean.folder, 'tmp', 'keepsake-cli')) // what is left to check a vault with
    copyFileSync(shim(), join(clean.folder, 'tmp', 'autoshim.so'))
  })
  after(async () => {
    try {
      await clean?.end()
      await window?.close()
    } finally {
      clean?.remove() // it takes a gigabyte of memory
    }
  })

  it("have a tarball in which the Flatpak's commands find what they install", () => {
    const [folder, app] = ['tarball', 'flatpak'].map((name) => join(results, name))
    for (const one of [folder, app]) rmSync(one, { recursive: true, force: true })
    mkdirSync(folder)
    const tarball = readdirSync(dist).find((name) => name.endsWith('.tar.gz'))
    execFileSync('tar', ['-xzf', join(dist, tarball), '--strip-components=1', '-C', folder])
    const manifest = readFileSync(join(root, 'build/linux/flatpak.yaml'), 'utf8')
    const commands = manifest.split('build-commands:\n')[1].split('    sources:')[0].replaceAll(/^ *- /gm, '').replaceAll('/app/', `${app}/`)
    execFileSync('sh', ['-euc', commands], { cwd: folder })
    const there = execFileSync('find', ['.', '-type', 'f'], { cwd: app, encoding: 'utf8' }).trim().split('\n')
    for (const name of ['bin/keepsake', 'bin/keepsake-cli', 'share/applications/keepsake.desktop', 'share/mime/packages/app.keepsake.desktop.xml',
      'share/metainfo/app.keepsake.desktop.metainfo.xml', 'share/licenses/app.keepsake.desktop/LICENSE']) assert.ok(there.includes(`./${name}`), name)
    assert.ok(there.some((name) => name.endsWith('/apps/keepsake.svg')))
  })

  it('hold both programs, and pages, entries and metadata without a fault', () => {
    const folder = join(results, 'deb')
    rmSync(folder, { recursive: true, force: true })
    execFileSync('dpkg-deb', ['-x', deb, folder])
    const share = join(folder, 'usr/share')
    const faultless = (program, ...args) => {
      if (!has(program)) return
      const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' })
      assert.equal(status, 0, `${program}: ${stdout}${stderr}`)
    }
    faultless('desktop-file-validate', join(share, 'applications/keepsake.desktop'))
    faultless('appstreamcli', 'validate', '--no-net', join(share, 'metainfo/app.keepsake.desktop.metainfo.xml'))
    const changes = execFileSync('gunzip', ['-c', join(share, 'doc/keepsake/changelog.gz')], { encoding: 'utf8' })
    const folded = readFileSync(join(root, 'CHANGELOG.md'), 'utf8').split(/^## /m)[1]
    assert.match(changes, new RegExp(`^keepsake \\(${version.replaceAll('.', '\\.')}\\) stable; urgency=medium\n`))
    assert.equal(changes.match(/^  \* /gm).length, folded.match(/^- /gm).length, 'every change of this version is in the changelog')
    const maintainer = execFileSync('dpkg-deb', ['-f', deb, 'Maintainer'], { encoding: 'utf8' }).trim()
    assert.ok(changes.includes(`\n -- ${maintainer}  `), `${maintainer} signs it`)
    const man = join(share, 'man/man1')
    execFileSync('gunzip', ['-f', ...readdirSync(man).filter((name) => name !== 'keepsake-cli.1.gz').map((name) => join(man, name))])
    const pages = readdirSync(man).filter((name) => name.endsWith('.1')).map((name) => join(man, name))
    assert.ok(pages.length > 100, `${pages.length} pages`)
    faultless('mandoc', '-T', 'lint', '-W', 'warning', ...pages)
    const bad = execFileSync('dpkg-deb', ['-c', deb], { encoding: 'utf8' }).split('\n').filter((line) => line && !/^(d|-)rwxr-xr-x root\/root |^-rw-r--r-- root\/root |^l\S+ root\/root /.test(line))
    assert.deepEqual(bad, [], 'root owns all, and nobody else may write')
    if (has('rpm')) {
      const rpm = join(dist, readdirSync(dist).find((name) => name.endsWith('.rpm')))
      const held = execFileSync('rpm', ['-qlp', '--nosignature', `--dbpath=${join(results, 'rpm')}`, rpm], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
      for (const path of ['/usr/bin/keepsake', '/usr/bin/keepsake-cli', '/usr/share/man/man1/keepsake.1.gz', '/usr/share/applications/keepsake.desktop']) assert.ok(held.split('\n').includes(path), path)
    }
    rmSync(folder, { recursive: true })
  })

  it('bash, zsh and fish complete the names of both programs', () => {
    const held = (path) => execFileSync('sh', ['-c', 'dpkg-deb --fsys-tarfile "$0" | tar -xO "$1"', deb, `./usr/share/${path}`], { encoding: 'utf8' })
    const completed = (program) => execFileSync('bash', ['-c', `eval "$(cat)" && complete -p ${program}`], { input: held('bash-completion/completions/keepsake'), encoding: 'utf8' })
    for (const program of ['keepsake', 'keepsake-cli']) assert.match(completed(program), /__start_keepsake/)
    assert.match(held('zsh/vendor-completions/_keepsake'), /^#compdef keepsake keepsake-cli\n/)
    assert.match(held('fish/vendor_completions.d/keepsake.fish'), /\ncomplete -c keepsake-cli -w keepsake\n$/)
  })

  it('the tarball installs nothing where a library is missing or the disk is full, and says so', () => {
    const folder = join(results, 'tarball')
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(join(folder, 'home'), { recursive: true })
    const tarball = readdirSync(dist).find((name) => /^keepsake-\d.*linux.*\.tar\.gz$/.test(name))
    execFileSync('tar', ['-xzf', join(dist, tarball), '--strip-components=1', '-C', folder])
    const install = (before = ':') => spawnSync('unshare', ['-m', 'sh', '-c', `${before} && sh scripts/install.sh`], { cwd: folder, env: { PATH: process.env.PATH, HOME: join(folder, 'home'), XDG_BIN_HOME: '/mnt/bin', LC_ALL: 'C' }, encoding: 'utf8' })
    const full = install('mount -t tmpfs -o size=1m tmpfs /mnt && trap "ls -A /mnt/bin" EXIT')
    assert.match(full.stderr, /No space left.*\ninstall\.sh: nothing was installed: the program could not be written to \/mnt\/bin\.\n$/)
    assert.deepEqual([full.status, full.stdout], [1, ''])

    const [library, program] = [join(folder, 'libgone.so.1'), join(folder, 'build/bin/keepsake')]
    execFileSync('gcc', ['-shared', '-x', 'c', '-Wl,-soname,libgone.so.1', '-o', library, '-'], { input: 'int gone(void) { return 0; }' })
    execFileSync('gcc', ['-x', 'c', '-', '-x', 'none', library, '-o', program], { input: 'int gone(void); int main(void) { return gone(); }' })
    rmSync(library)
    const lacking = install()
    assert.match(lacking.stderr, /^install\.sh: nothing was installed: this system lacks libgone\.so\.1\. /)
    assert.equal(lacking.status, 1)
    rmSync(folder, { recursive: true })
  })

  it('install with what they depend on and no network, and find all their libraries', () => {
    const said = clean.run(['apt-get', 'install', '-y', '--no-install-recommends', '/tmp/keepsake.deb'], { offline: true })
    assert.match(said, /0 upgraded, 1 newly installed/, said)
    assert.doesNotMatch(clean.run(['ldd', '/usr/bin/keepsake']), /not found/)
    assert.match(clean.run(['keepsake-cli', 'version'], { as: person, offline: true }), /\d+\.\d+\.\d+/)
  })

  it('say of a file that Flatpak hides how it can be read', () => {
    // The program's own file of a sandbox is all that it looks for.
    const said = clean.run(['sh', '-c', 'touch /.flatpak-info; keepsake-cli verify /nowhere.pam.json 2>&1; rm /.flatpak-info'])
    assert.match(said, /runs as a Flatpak here, and sees no file or folder nowhere\.pam\.json[\s\S]*Choose it with the button/)
  })

  it('say whose a PAM file is', () => {
    clean.run(['tee', file], { as: person, input: store([memory('00000000-0000-4000-8000-000000000001', 'Marina plays the oboe')]) })
    assert.equal(clean.run(['xdg-mime', 'query', 'filetype', file], desk).trim(), type)
    assert.equal(clean.run(['xdg-mime', 'query', 'default', type], desk).trim(), 'keepsake.desktop')
    assert.match(clean.run(['gio', 'mime', type], desk), /Default application.*keepsake\.desktop/)
    for (const other of ['application/json', 'application/zip']) assert.doesNotMatch(clean.run(['sh', '-c', `gio mime ${other} 2>&1 || :`], desk), /keepsake/, `${other} stays with what opens it`)
  })

  it('start the window from its entry in the menu, and a double click on a PAM file opens it there', async () => {
    clean.run(['keepsake-cli', 'init', '--kdf', 'test', '--passphrase-file', '-'], { as: person, ...secret })
    clean.start(['dbus-daemon', '--session', '--nofork', '--address=unix:path=/run/desk/bus'], desk)
    await until('the session bus', () => existsSync(join(clean.folder, 'run/desk/bus')))
    // The driver's own variables go in with the shim; it waits for what it started.
    const launch = join(results, `launch-${process.pid}.sh`)
    const quoted = clean.line(['LD_PRELOAD=/tmp/autoshim.so', 'WEBKIT_INSPECTOR_SERVER=@', 'sh', '-c', 'gtk-launch keepsake && unset LD_PRELOAD && until pid=$(pidof keepsake); do sleep 0.1; done && tail -f /dev/null --pid="$pid"'], desk)
      .map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ').replace("'WEBKIT_INSPECTOR_SERVER=@'", '"WEBKIT_INSPECTOR_SERVER=$WEBKIT_INSPECTOR_SERVER"')
    writeFileSync(launch, `#!/bin/sh\nunset LD_PRELOAD\nexec ${quoted}\n`)
    chmodSync(launch, 0o755)
    window = await drive({}, [], { program: launch })
    rmSync(launch)
    await says(window, t('unlock.title'))
    assert.ok((await colours(await screenshot('package-window'))) > 200, 'it is painted')
    clean.run(['gio', 'open', file], desk)
    assert.equal((await window.call('return await window.go.bridge.Vault.Unlock(args[0])', passphrase)).error, undefined)
    await says(window, 'What I keep.pam.json')
    await screenshot('package-opened')
    const pid = clean.run(['pidof', 'keepsake']).trim()
    await tool('kill', pid)
    await until('the program to end', () => !existsSync(`/proc/${pid}`)) // it closes its vault first
    await window.close()
    window = undefined
  })

  it('go without a trace, and leave the vault', () => {
    clean.run(['apt-get', 'remove', '--purge', '-y', 'keepsake'], { offline: true })
    const left = clean.names()
    assert.deepEqual([...left].filter((name) => !empty.has(name)), [], 'nothing is left')
    assert.deepEqual([...empty].filter((name) => !left.has(name)), [], 'nothing else is gone')
    assert.equal(spawnSync('grep', ['-rl', 'keepsake', ...['applications', 'icons', 'mime'].map((name) => join(clean.folder, 'usr/share', name))], { encoding: 'utf8' }).stdout, '', 'no cache names it')
    clean.run(['/tmp/keepsake-cli', 'check', '--passphrase-file', '-'], { as: person, offline: true, ...secret })
    assert.match(clean.run(['xdg-mime', 'query', 'filetype', file], desk), /^application\/json/)
  })
})
