// Runs everything and ends with one line: N passed, N failed. Phases go on
// after a failure, so that one run tells all there is to tell. Names of phases
// on the command line run only those, with what they need.
import { spawn } from 'node:child_process'
import { createWriteStream, existsSync, mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const out = join(root, 'build', 'test')
const only = process.argv.slice(2)
const total = { passed: 0, failed: 0, skipped: [], left: [] }
const debian = existsSync('/etc/debian_version')

mkdirSync(out, { recursive: true })
process.chdir(root)

// run starts a command in its own process group, so that a time limit ends all
// of it; output goes to the terminal, and to a file where one is named.
function run(command, args, { minutes = 10, to, env = {} } = {}) {
  return new Promise((done) => {
    const child = spawn(command, args, {
      cwd: root, detached: true, env: { ...process.env, ...env },
      stdio: ['ignore', to ? 'pipe' : 'inherit', 'inherit'],
    })
    if (to) child.stdout.pipe(createWriteStream(join(out, to)))
    const limit = setTimeout(() => {
      console.log(`stopped after ${minutes} minutes: ${command} ${args.join(' ')}`)
      process.kill(-child.pid, 'SIGKILL')
    }, minutes * 60_000)
    child.on('error', (e) => { console.log(e.message); clearTimeout(limit); done(127) })
    child.on('close', (code) => { clearTimeout(limit); done(code ?? 137) })
  })
}

function count(passed, failed) {
  total.passed += passed
  total.failed += failed
  return failed === 0
}

// step counts a command as one test.
async function step(command, args, options) {
  const ok = (await run(command, args, options)) === 0
  return count(ok ? 1 : 0, ok ? 0 : 1)
}

// nodeTests runs test files of Node's own runner, one after the other: where they keep both cores
// busy, two at once take as long.
async function nodeTests(name, prefix, folder, { together = 1 } = {}) {
  const files = readdirSync(folder).filter((f) => f.endsWith('.test.mjs')).sort().map((f) => join(folder, f))
  const tap = join(out, `${name}.tap`)
  rmSync(tap, { force: true })
  const args = ['--test', `--test-concurrency=${together}`, '--test-reporter=spec', '--test-reporter-destination=stdout',
    '--test-reporter=tap', `--test-reporter-destination=${tap}`, ...files]
  const code = await run(prefix[0] ?? process.execPath, prefix.length ? [...prefix.slice(1), process.execPath, ...args] : args, { minutes: 20 })
  const text = existsSync(tap) ? readFileSync(tap, 'utf8') : ''
  const number = (word) => Number(text.match(new RegExp(`^# ${word} (\\d+)`, 'm'))?.[1] ?? 0)
  const [passed, failed, skipped] = [number('pass'), number('fail') + number('cancelled'), number('skipped')]
  if (skipped) total.skipped.push(`${skipped} of ${name}`)
  return count(passed, code !== 0 && failed === 0 ? 1 : failed)
}

// goTests counts the leaves: a test with subtests is not counted beside them.
async function goTests(to, args, env) {
  const code = await run('go', ['test', '-json', '-timeout', '12m', ...args], { minutes: 18, to, env })
  const ends = new Map()
  const said = new Map()
  for (const line of readFileSync(join(out, to), 'utf8').split('\n')) {
    if (!line.startsWith('{')) continue
    const event = JSON.parse(line)
    const key = `${event.Package ?? event.ImportPath} ${event.Test ?? ''}`
    if (event.Action === 'output' || event.Action === 'build-output') said.set(key, (said.get(key) ?? '') + event.Output)
    if (['pass', 'fail', 'skip'].includes(event.Action)) ends.set(key, event.Action)
    if (event.Action === 'build-fail') console.log(said.get(key))
  }
  const parents = new Set([...ends.keys()].flatMap((key) => {
    const parts = key.split('/')
    return parts.map((_, i) => parts.slice(0, i).join('/')).filter((p) => p.includes(' '))
  }))
  const tally = { pass: 0, fail: 0, skip: 0 }
  for (const [key, end] of ends) {
    const isTest = !key.endsWith(' ')
    if (end === 'fail') console.log(said.get(key) ?? key)
    if (end === 'skip' && isTest) { total.skipped.push(key); console.log(`SKIPPED ${key}\n${said.get(key) ?? ''}`) }
    if (isTest && !parents.has(key)) tally[end]++
  }
  console.log(`${tally.pass} passed, ${tally.fail} failed, ${tally.skip} skipped`)
  return count(tally.pass, code !== 0 && tally.fail === 0 ? 1 : tally.fail)
}

async function pageTests() {
  const file = join(out, 'page.json')
  rmSync(file, { force: true })
  const code = await run('npm', ['--prefix', 'frontend', 'exec', '--', 'vitest', 'run', '--root', 'frontend',
    '--reporter=default', '--reporter=json', `--outputFile.json=${file}`], { minutes: 10, env: { CI: 'true' } })
  if (!existsSync(file)) return count(0, 1)
  const result = JSON.parse(readFileSync(file, 'utf8'))
  if (result.numPendingTests) total.skipped.push(`${result.numPendingTests} of the page`)
  return count(result.numPassedTests, code !== 0 && result.numFailedTests === 0 ? 1 : result.numFailedTests)
}

async function systemPackages() {
  const code = await run('sh', ['scripts/system.sh', 'test'], { minutes: 10 })
  if (code === 0) return true
  if (debian) return count(0, 1)
  total.left.push('system packages that this host does not offer')
  return true
}

// has says whether the host offers a program; elsewhere than on Debian a phase
// without its programs is left out by name.
async function has(...programs) {
  for (const program of programs) {
    if ((await run('sh', ['-c', `command -v ${program} >/dev/null`])) === 0) continue
    if (debian) return true // then it fails, as it should
    total.left.push(`${program} is missing`)
    return false
  }
  return true
}

const phases = {
  system: ['System packages', systemPackages],
  packages: ['Packages of the page and of its tests, and the language model', async () =>
    (await step('sh', ['scripts/page.sh', 'deps'])) & (await step('sh', ['scripts/model.sh'])) & (await step('npm', ['--prefix', 'e2e', 'ci', '--no-audit', '--no-fund', '--loglevel=error']))],
  types: ['Page: types', () => step('npm', ['--prefix', 'frontend', 'run', '--silent', 'check'], { minutes: 5 })],
  build: ['Page: build', () => step('sh', ['scripts/page.sh'], { minutes: 5 })],
  page: ['Page: tests', pageTests],
  check: ['Go: format, vet and staticcheck', async () =>
    (await step('sh', ['scripts/check.sh', 'quick'], { minutes: 8 }))],
  // The room that takes longest comes first, so that the others run beside it.
  go: ['Go: tests', () => goTests('go.json', ['./backend/vault', './...'])],
  // What tries every byte of a file says nothing of an operating system; make soak runs it.
  wine: ['Go: the vault and its files as programs for Windows, under Wine', async () =>
    (await has('x86_64-w64-mingw32-gcc')) && goTests('wine.json', ['-short', '-skip', '^Test(Kit|DamageSweep|EveryHeaderByte|EveryAttack)', '-exec', join(root, 'scripts/wine.sh'), './backend/atomicfile', './backend/plainfile', './backend/vault/...'], { GOOS: 'windows', CGO_ENABLED: '0' })],
  // Keys are kept in memory that is wiped only where the experiment exists.
  memory: ['Go: no key stays in memory', async () => !['x64', 'arm64'].includes(process.arch) || process.platform !== 'linux' ||
    (await step('go', ['test', '-count=1', '-v', '-run', 'TestNoKeyStaysInMemory', './backend/seal'], { env: { GOEXPERIMENT: 'runtimesecret' } }))],
  // What signs, merges and canonicalizes is tried longest.
  fuzz: ['Go: fuzz targets, 5 s each of the formats, 2 s of the others', async () => {
    const fuzz = (...args) => step(process.execPath, ['scripts/fuzz.mjs', ...args], { minutes: 15 })
    const formats = ['backend/format', 'backend/jcs', 'backend/importer/pam']
    return (await fuzz('5s', ...formats)) & (await fuzz('2s', '--but', ...formats))
  }],
  bindings: ['Bindings: as committed', () => step('sh', ['scripts/bindings.sh', 'check'], { minutes: 5 })],
  program: ['The program, with and without a window', async () =>
    (await step('sh', ['scripts/build.sh', 'headless'])) & (await step('sh', ['scripts/build.sh', 'window']))],
  // Processor time against the floor, half as much again as it is: a busy machine
  // moves it by a tenth or two.
  speed: ['Speed, against the floors', async () => {
    const bench = (row, most) => step('build/bin/keepsake-cli', ['bench', row, '--size', '20', '--rounds', '3', '--max-ratio', String(most)])
    return (await bench('import', 10)) & (await bench('reimport', 2.4))
  }],
  chromium: ['The page in Chromium, against the real program', async () => {
    if (!(await has('chromium'))) return false
    const { buildFakePage } = await import('../e2e/lib/fakepage.mjs')
    process.env.KEEPSAKE_FAKE_PAGE = buildFakePage()
    return nodeTests('chromium', [], 'e2e/page')
  }],
  agents: ['Assistants: the official clients, the conformance suite and the inspector', () => nodeTests('agents', [], 'e2e/agents')],
  window: ['The window, under Xvfb', async () =>
    (await has('Xvfb', 'xdotool', 'openbox', 'dbus-daemon')) && nodeTests('window', ['sh', 'scripts/xvfb.sh'], 'e2e/window')],
  dist: ['The packages: for Linux in a clean root, for Windows under Wine', async () =>
    (await has('Xvfb', 'dpkg-deb', 'mmdebstrap', 'makensis', 'wixl', 'x86_64-w64-mingw32-gcc')) &&
    (await step('sh', ['scripts/targets.sh'])) & (await step('sh', ['scripts/dist-linux.sh'], { env: { FAST: '1' } })) &
    // The clean root is made on one core; Wine waits most of the time.
    (await nodeTests('dist', ['sh', 'scripts/xvfb.sh'], 'e2e/packages', { together: 2 }))],
}

async function runPhase([headline, phase]) {
  const at = Date.now()
  console.log(`\n=== ${headline}`)
  const ok = await phase()
  console.log(`--- ${ok ? 'ok' : 'FAILED'}: ${headline} (${((Date.now() - at) / 1000).toFixed(0)} s)`)
}

const started = Date.now()
// The tests of the page leave half of two cores idle, which the linters fill meanwhile.
const beside = { page: 'check' }
const wanted = Object.keys(phases).filter((name) => !only.length || only.includes(name))
const done = new Set()
for (const name of wanted) {
  const names = [name, beside[name]].filter((n) => wanted.includes(n) && !done.has(n))
  names.forEach((n) => done.add(n))
  await Promise.all(names.map((n) => runPhase(phases[n])))
}
if (total.skipped.length) console.log(`\nSkipped: ${total.skipped.join('; ')}`)
if (total.left.length) console.log(`\nLeft out on this host: ${total.left.join('; ')}`)
console.log(`\n${total.passed} passed, ${total.failed} failed  (${((Date.now() - started) / 60_000).toFixed(1)} min)`)
process.exit(total.failed === 0 && total.passed > 0 ? 0 : 1)
