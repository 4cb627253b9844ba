// Runs the fuzz targets: everything that reads what others wrote or seals what
// must not be read. Each has one core to itself, so that as many run side by side
// as there are cores. They are found by their names, so a new one needs no line
// here. Arguments: how long each runs (20s, 2h), then words that keep only the
// targets with one of them in their room or name, or, behind --but, only the
// others. Nearly no time goes into shortening what was tried, all into trying
// more. A finding is left below testdata/fuzz of its room. A run of seconds begins
// with the inputs of the tests alone: to go through all that Go has kept of earlier
// runs would take longer than it has.
import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const [time = '20s', ...words] = process.argv.slice(2)
const but = words[0] === '--but' && words.shift() !== undefined
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', 'backend/**_test.go', 'app/**_test.go'], { cwd: root, encoding: 'utf8' })
const targets = files.trim().split('\n').flatMap((file) =>
  [...readFileSync(join(root, file), 'utf8').matchAll(/^func (Fuzz\w+)\(f \*testing\.F\) \{/gm)].map(([, name]) => [`./${dirname(file)}`, name]))
  .filter((target) => !words.length || words.some((word) => target.join(' ').includes(word)) !== but)

const fresh = /^\d+s$/.test(time) ? mkdtempSync(join(tmpdir(), 'keepsake-fuzz-')) : undefined

const started = Date.now()
const left = [...targets]
let failed = 0

// Go before 1.27 may report that the time is over as a failure (golang/go#75804).
// It found nothing then, and wrote no input; the target runs once more.
const timeIsOver = (said) => /^--- FAIL: \w+ \(.*\)\n\s+context deadline exceeded\nFAIL$/m.test(said) && !said.includes('Failing input')

function fuzz(room, name, again = false) {
  const began = Date.now()
  const args = ['test', '-run', '^$', '-fuzz', `^${name}$`, '-fuzztime', time, '-fuzzminimizetime', '1x', '-parallel', '1', '-timeout', '0', room]
  if (fresh) args.push('-args', `-test.fuzzcachedir=${join(fresh, room)}`)
  return new Promise((done) => execFile('go', args, { cwd: root, maxBuffer: 1 << 28 }, (error, stdout, stderr) => {
    const said = stdout + stderr
    if (error && !again && timeIsOver(said)) {
      console.log(`again   ${name} in ${room}: Go took the end of the time for a failure`)
      return done(fuzz(room, name, true))
    }
    const tried = said.match(/execs: (\d+)/g)?.at(-1)?.slice(7) ?? '0'
    if (error) failed++
    console.log(`${error ? 'FINDING' : 'ok     '} ${name} in ${room}: ${tried} inputs in ${((Date.now() - began) / 1000).toFixed(0)} s`)
    if (error) console.log(said.slice(-4000))
    done()
  }))
}

await Promise.all(Array.from({ length: availableParallelism() }, async () => {
  for (let next = left.shift(); next; next = left.shift()) await fuzz(...next)
}))
if (fresh) rmSync(fresh, { recursive: true, force: true })
console.log(`${targets.length} fuzz targets in ${((Date.now() - started) / 60_000).toFixed(1)} min, ${failed} with a finding`)
process.exitCode = failed || !targets.length ? 1 : 0
