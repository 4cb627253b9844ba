// A clean root: a Debian of this host's release with what a desktop has and what a package
// asks for, and nothing of this project. Commands run in it by chroot, as root.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, readlinkSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { results } from './program.mjs'

// What any desktop has, and a font.
const desktop = ['dbus', 'desktop-file-utils', 'fonts-dejavu-core', 'gtk-update-icon-cache', 'libglib2.0-bin', 'libgtk-3-bin', 'shared-mime-info', 'xdg-utils']

// Who works in it.
export const person = { user: '1000:1000', home: '/home/Zoë Example' }

// In memory where that is possible: unpacking is most of the work.
const memory = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

// made returns the file of a root with these packages. It is made once: later runs find it
// in the folder that KEEPSAKE_ROOTS names, else in build/test.
function made(packages) {
  const codename = readFileSync('/etc/os-release', 'utf8').match(/^VERSION_CODENAME=(\w+)/m)[1]
  const sources = ['/etc/apt/sources.list.d/debian.sources', '/etc/apt/sources.list'].find(existsSync)
  const args = ['--variant=apt', `--include=${[...desktop, ...packages].join()}`, '--aptopt=Acquire::Languages "none"', '--dpkgopt=force-unsafe-io',
    ...['locale', 'doc', 'man'].map((folder) => `--dpkgopt=path-exclude=/usr/share/${folder}/*`),
    '--customize-hook=rm "$1/etc/dpkg/dpkg.cfg.d/99mmdebstrap"', // the package under test is unpacked whole
    `--customize-hook=chroot "$1" useradd --uid 1000 --create-home --home-dir '${person.home}' --shell /bin/sh person`]
  const folder = process.env.KEEPSAKE_ROOTS ?? join(results, 'roots')
  const file = join(folder, `${codename}-${createHash('sha256').update(JSON.stringify(args)).digest('hex').slice(0, 12)}.tar`)
  if (existsSync(file)) return file
  mkdirSync(folder, { recursive: true })
  const work = mkdtempSync(join(memory, 'keepsake-mmdebstrap-'))
  try {
    // Device nodes are made in it, which /dev/shm does not allow.
    execFileSync('unshare', ['-m', 'sh', '-c', 'mount -t tmpfs tmpfs "$0" && TMPDIR="$0" exec mmdebstrap --format=tar "$@"', work, ...args, codename, `${file}.part`, sources], { stdio: ['ignore', 'ignore', 'inherit'] })
  } finally {
    rmSync(work, { recursive: true })
  }
  renameSync(`${file}.part`, file)
  return file
}

// cleanRoot unpacks a root with what a .deb depends on, for one test.
export function cleanRoot(deb) {
  const depends = execFileSync('dpkg-deb', ['-f', deb, 'Depends'], { encoding: 'utf8' }).trim()
  const file = made(depends.split(',').map((one) => one.replace(/\(.*\)/, '').trim()))
  const folder = mkdtempSync(join(memory, 'keepsake-root-'))
  try {
    execFileSync('tar', ['-xf', file, '-C', folder, '--numeric-owner', '--exclude=./dev/*'])
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
  const script = `set -e
    mount --rbind /dev "$1/dev"
    mount -t proc proc "$1/proc"
    mkdir -p "$1/tmp/.X11-unix" /tmp/.X11-unix && mount --bind /tmp/.X11-unix "$1/tmp/.X11-unix"
    root=$1 user=$2; shift 2
    exec chroot --userspec="$user" "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 "$@"`
  const line = (command, { as = { user: '0:0', home: '/root' }, env = {}, offline = false }) => ['unshare', offline ? '-mn' : '-m', 'sh', '-c', script, 'cleanroot', folder, as.user,
    `HOME=${as.home}`, 'DEBIAN_FRONTEND=noninteractive', ...Object.entries(env).map(([name, value]) => `${name}=${value}`), ...command]
  return {
    folder, line,
    // run returns what a command says, and fails where it fails.
    run(command, options = {}) {
      const [program, ...args] = line(command, options)
      const { status, stdout, stderr } = spawnSync(program, args, { input: options.input ?? '', encoding: 'utf8', maxBuffer: 64 << 20 })
      if (status !== 0) throw new Error(`${command.join(' ')}: ${status}\n${stdout}${stderr}`)
      return stdout
    },
    start(command, options = {}) {
      const [program, ...args] = line(command, options)
      return spawn(program, args, { stdio: 'ignore' })
    },
    // names are the paths of all that lies in it, but for homes, caches and records of apt.
    names() {
      const found = execFileSync('find', ['.', '-xdev', '(', ...['./home', './proc', './dev', './tmp', './run', './var/cache', './var/log', './var/lib/apt', './var/lib/dpkg'].flatMap((path) => ['-path', path, '-o']).slice(0, -1), ')', '-prune', '-o', '-print'], { cwd: folder, encoding: 'utf8', maxBuffer: 64 << 20 })
      return new Set(found.trim().split('\n'))
    },
    // end ends what still runs in it, and only that.
    async end() {
      const inside = () => readdirSync('/proc').filter((pid) => /^\d+$/.test(pid)).filter((pid) => {
        try { return readlinkSync(`/proc/${pid}/root`) === folder } catch { return false }
      })
      for (const pid of inside()) try { process.kill(Number(pid), 'SIGKILL') } catch { /* it ended */ }
      for (let tries = 0; inside().length && tries < 50; tries++) await pause(100)
    },
    remove() {
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    },
  }
}
