// The real program, with a home of its own.
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { passphrase } from './keepsake.mjs'

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
export const results = join(root, 'build', 'test')
export const headless = join(root, 'build', 'bin', 'keepsake-cli')
export const version = readFileSync(join(root, 'backend/core/library/version.go'), 'utf8').match(/^const Version = "(.*)"$/m)[1]
export const windowed = join(root, 'build', 'bin', 'keepsake')

mkdirSync(results, { recursive: true })

// A home is a folder in which a program finds nothing of the person running
// the tests, and leaves nothing outside.
export function home() {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-e2e-'))
  const env = {
    HOME: folder, XDG_DATA_HOME: join(folder, 'data'), XDG_CONFIG_HOME: join(folder, 'config'),
    XDG_CACHE_HOME: join(folder, 'cache'), TMPDIR: join(folder, 'tmp'),
  }
  mkdirSync(env.TMPDIR)
  return { folder, env, remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }) }
}

function environment(env) {
  const { KEEPSAKE_VAULT, KEEPSAKE_PASSPHRASE_FILE, ...rest } = process.env
  return { ...rest, ...env }
}

// serve starts `keepsake serve` and returns the address that works once.
export async function serve(env) {
  const child = spawn(headless, ['serve'], { env: environment(env), stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  const lines = createInterface({ input: child.stdout })
  const address = await Promise.race([
    once(lines, 'line').then(([line]) => line.match(/http:\S+/)?.[0]),
    ended.then(([code]) => { throw new Error(`serve ended with ${code}`) }),
  ])
  return {
    address, child,
    async stop() {
      child.kill('SIGTERM')
      const [code] = await ended
      return code
    },
  }
}

// command runs one command to its end.
export function command(env, args, { program = headless, input } = {}) {
  return new Promise((done) => {
    const child = execFile(program, args, { env: environment(env), maxBuffer: 64 << 20 }, (error, stdout, stderr) => {
      done({ code: error ? (error.code ?? 1) : 0, stdout, stderr })
    })
    child.stdin.end(input ?? '')
  })
}

// prepare makes a vault and gives it commands, each of which must succeed.
export async function prepare(env, ...commands) {
  for (const args of [['init', '--kdf', 'test'], ...commands]) {
    const { code, stderr } = await command(env, [...args, '--passphrase-file', '-'], { input: `${passphrase}\n` })
    assert.equal(code, 0, stderr)
  }
}

// fixtures makes the synthetic exports once for all tests of a run, and again
// when what makes them is newer. Test files that run side by side may both make
// them; the first that is ready is used by all.
export async function fixtures() {
  const folder = join(results, 'fixtures')
  const done = join(folder, 'made.json')
  const source = join(root, 'e2e/fixtures')
  const changed = Math.max(...readdirSync(source).map((name) => statSync(join(source, name)).mtimeMs))
  const current = () => existsSync(done) && statSync(done).mtimeMs >= changed
  if (!current()) {
    mkdirSync(results, { recursive: true })
    const fresh = mkdtempSync(join(results, 'fixtures-'))
    const made = await new Promise((resolve) => {
      execFile('go', ['run', './e2e/fixtures', '-o', fresh], { cwd: root }, (error, stdout, stderr) => resolve({ error, stdout, stderr }))
    })
    if (made.error) throw new Error(`fixtures: ${made.stderr}`)
    writeFileSync(join(fresh, 'made.json'), made.stdout)
    if (!current()) {
      rmSync(folder, { recursive: true, force: true })
      try {
        renameSync(fresh, folder)
      } catch (error) {
        if (!current()) throw error
      }
    }
    rmSync(fresh, { recursive: true, force: true })
  }
  const { default: truth } = await import(`file://${done}`, { with: { type: 'json' } })
  return { folder, truth, path: (name) => join(folder, name) }
}
