// Programs for Windows, run under Wine in build/test/wine, and its registry.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { passphrase } from './keepsake.mjs'
import { command, results, root } from './program.mjs'

export const built = join(results, 'windows')
export const script = join(root, 'scripts/wine.sh')
export const apps = 'HKCU\\Software\\Microsoft\\Windows\\CurrentVersion\\Uninstall\\Keepsake'

mkdirSync(built, { recursive: true })

// Wine reads names of files by the locale.
export const env = { ...process.env, LC_ALL: 'C.UTF-8' }

// wine runs a program for Windows to its end. What it says goes into files: the services
// that Wine starts beside it would hold a pipe open for as long as they last.
export async function wine(args, input = '', before = ':') {
  const files = ['stdout', 'stderr'].map((name) => join(built, name))
  const open = files.map((file) => openSync(file, 'w'))
  const child = spawn('sh', ['-c', `${before}; exec sh "$@"`, 'sh', script, ...args], { env, stdio: ['pipe', ...open] })
  child.stdin.on('error', () => {}) // of a program that reads nothing
  child.stdin.end(input)
  const [code] = await once(child, 'exit')
  open.forEach((one) => closeSync(one))
  const [stdout, stderr] = files.map((file) => readFileSync(file, 'utf8'))
  return { code, stdout, stderr }
}

export const windows = (path) => `Z:${path.replaceAll('/', '\\')}` // a file of this computer
export const linux = (path) => join(results, 'wine/drive_c', path.slice(3).replaceAll('\\', '/')) // one of drive C

// value is what stands in the registry under a name, the key's own one without a name.
export async function value(key, name) {
  const { stdout } = await wine(['reg', 'query', key, ...(name ? ['/v', name] : ['/ve'])])
  const text = stdout.match(/REG_\w+ +(.*?)\r?\n/)?.[1]
  return text === '(value not set)' ? undefined : text
}
export const there = async (key) => (await wine(['reg', 'query', key])).code === 0
export const write = async (key, name, text) => assert.equal(
  (await wine(['reg', 'add', key, ...(name ? ['/v', name] : ['/ve']), '/d', text, '/f'])).code, 0)

// places are the folders of the person for what is of this computer and for what is not.
export async function places() {
  const [local, roaming] = (await wine(['cmd', '/c', 'echo %LOCALAPPDATA%;%APPDATA%'])).stdout.trim().split(';')
  return { local, roaming }
}

// packed makes the packages of a tree, packed quickly, and returns the installer.
export async function packed(tree, out, number) {
  const { code, stderr } = await command({ FAST: '1' }, [join(tree, 'scripts/dist-windows.sh'), out, number, 'amd64'], { program: 'sh' })
  assert.equal(code, 0, stderr)
  return join(out, `keepsake-${number}-windows-amd64-setup.exe`)
}

// keepsake runs a command of the installed program and reads the JSON that it answers.
export async function keepsake(folder, ...args) {
  const { code, stdout, stderr } = await wine([`${folder}\\keepsake-cli.exe`, ...args, '--json', '--passphrase-file', '-'], `${passphrase}\n`)
  assert.equal(code, 0, `${args[0]}: ${stderr}${stdout}`)
  return JSON.parse(stdout)
}

// uninstall waits for its end: it goes on as a copy of itself, so that its file can go.
export async function uninstall(folder) {
  const { code, stderr } = await wine([`${folder}\\uninstall.exe`, '/S'])
  assert.equal(code, 0, stderr)
  for (let i = 0; await there(apps); i++) {
    assert.ok(i < 100, 'the uninstaller ends')
    await pause(100)
  }
}
