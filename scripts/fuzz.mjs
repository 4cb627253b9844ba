// Runs the fuzz targets, one after the other: everything that reads what others
// wrote or seals what must not be read. They are found by their names, so a new
// one needs no line here. Arguments: how long each runs (20s, 2h), or --total and
// how long all of them take together, building included; then words that keep only
// the targets with one of them in their room or name. Nearly no time goes into
// shortening what was tried, all into trying more. A finding is left below
// testdata/fuzz of its room.
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const args = process.argv.slice(2)
const shared = args[0] === '--total' && args.shift() !== undefined
const [time = '20s', ...words] = args
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', 'backend/**_test.go'], { cwd: root, encoding: 'utf8' })
const targets = files.trim().split('\n').flatMap((file) =>
  [...readFileSync(join(root, file), 'utf8').matchAll(/^func (Fuzz\w+)\(f \*testing\.F\) \{/gm)].map(([, name]) => [`./${dirname(file)}`, name]))
  .filter((target) => !words.length || words.some((word) => target.join(' ').includes(word)))

const units = { s: 1, m: 60, h: 3600 }
const seconds = Number(time.slice(0, -1)) * units[time.slice(-1)]
if (!(seconds > 0)) throw new Error(`${time} is no time: 20s, 5m, 2h`)

// share is what the next of the targets may take, in whole seconds: of what is
// left, less what the last one took to build. Fewer than three only read again
// what was found before.
const started = Date.now()
let building = 0
function share(done) {
  if (!shared) return seconds
  const left = seconds - (Date.now() - started) / 1000
  return Math.max(3, Math.floor(left / (targets.length - done) - building))
}

let failed = 0
for (const [i, [room, name]] of targets.entries()) {
  const began = Date.now()
  const given = share(i)
  const go = spawnSync('go', ['test', '-run', '^$', '-fuzz', `^${name}$`, '-fuzztime', `${given}s`, '-fuzzminimizetime', '1x', '-timeout', '0', room], { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 })
  const said = go.stdout + go.stderr
  const tried = said.match(/execs: (\d+)/g)?.at(-1)?.slice(7) ?? '0'
  const took = (Date.now() - began) / 1000
  building = Math.min(5, Math.max(0, took - given))
  if (go.status !== 0) failed++
  console.log(`${go.status === 0 ? 'ok     ' : 'FINDING'} ${name} in ${room}: ${tried} inputs in ${took.toFixed(0)} s`)
  if (go.status !== 0) console.log(said.slice(-4000))
}
console.log(`${targets.length} fuzz targets in ${((Date.now() - started) / 60_000).toFixed(1)} min, ${failed} with a finding`)
process.exitCode = failed || !targets.length ? 1 : 0
