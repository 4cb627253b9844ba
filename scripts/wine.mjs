// Runs the Go suites as programs for Windows, under Wine, one after the other, and ends
// with a table: what passed, failed and was left out of each package. Names of packages
// on the command line run only those. A test that leaves itself out says why.
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const suites = ['./app/cli', './backend/core/...', './backend/importer/...', './backend/intake', './backend/seal', './backend/vault/...', './backend/atomicfile',
  './backend/format/...', './backend/plainfile', './backend/keychain', './backend/collector', './app', './app/clients', './app/terminal', './app/bridge', './app/web']
// It asks the go command, which is no program for Windows here.
const skip = '^TestEveryPartIsListedWithItsLicence$'

const asked = process.argv.slice(2)
const args = ['test', '-json', '-count=1', '-p=1', '-tags=headless', '-timeout=120m', `-skip=${skip}`, `-exec=${join(root, 'scripts/wine.sh')}`, ...(asked.length ? asked : suites)]
const child = spawn('go', args, { cwd: root, env: { ...process.env, GOOS: 'windows', CGO_ENABLED: '0' }, stdio: ['ignore', 'pipe', 'inherit'] })

// Wine stops a process to look at its threads, and sometimes leaves it stopped for ever. One that
// is stopped at two looks, and that nobody traces any more, is let go on.
let stopped = []
const going = setInterval(() => {
  const now = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && isLeft(pid))
  for (const pid of now) if (stopped.includes(pid)) process.kill(Number(pid), 'SIGCONT')
  stopped = now
}, 5_000)

function isLeft(pid) {
  try {
    if (!readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('.test.exe')) return false
    const threads = readdirSync(`/proc/${pid}/task`).map((id) => readFileSync(`/proc/${pid}/task/${id}/status`, 'utf8'))
    return threads.some((status) => /^State:\tT/m.test(status)) && threads.every((status) => /^TracerPid:\t0$/m.test(status))
  } catch {
    return false // it ended meanwhile
  }
}

const said = new Map() // what each test printed
const seen = new Map() // tests that ended, and how, by package
createInterface({ input: child.stdout }).on('line', (line) => {
  const { Action, Package, Test, Output, Elapsed } = line.startsWith('{') ? JSON.parse(line) : { Output: `${line}\n` }
  const key = `${Package} ${Test}`
  if (Output && !Test) process.stdout.write(Output)
  if (Output) said.set(key, (said.get(key) ?? '') + Output)
  if (!['pass', 'fail', 'skip'].includes(Action)) return
  const row = seen.get(Package) ?? { pass: 0, fail: 0, skip: 0 }
  seen.set(Package, row)
  if (Test) row[Action]++
  else Object.assign(row, { seconds: Elapsed, ended: Action })
  if (Test && Action !== 'pass') console.log(said.get(key))
  said.delete(key)
})

child.on('close', (code) => {
  clearInterval(going)
  const rows = [...seen].filter(([, { pass, fail, skip, ended }]) => pass + fail + skip || ended === 'fail')
  const line = (name, ...figures) => name.padEnd(40) + figures.map((f) => String(f).padStart(10)).join('')
  const table = [line('package', 'passed', 'failed', 'left out', 'seconds'),
    ...rows.map(([name, r]) => line(name, r.pass, r.fail, r.skip, Math.round(r.seconds)) + (r.ended === 'fail' ? '  FAILS' : ''))].join('\n')
  console.log(`\n${table}`)
  mkdirSync(join(root, 'build', 'test'), { recursive: true })
  writeFileSync(join(root, 'build', 'test', 'wine.txt'), `${table}\n`)
  process.exitCode = code ?? 1
})
