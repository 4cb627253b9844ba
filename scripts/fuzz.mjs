// Runs the fuzz targets of the formats and of canonical JSON: parse, canonicalize
// and parse again, verify, merge, each form of a key, a key file, a statement and a
// digest, import. Each has one core to itself, so that as many run side by side as
// there are cores. They are found by their names, so a new one needs no line here. Arguments: how
// long each runs (20s, 2h), then words that keep only the targets with one of
// them in their name. Nearly no time goes into shortening what was tried, all
// into trying more. A finding is left below testdata/fuzz of its room.
import { execFile, execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const [time = '20s', ...words] = process.argv.slice(2)
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', 'backend/format/**_test.go', 'backend/importer/pam/*_test.go', 'backend/jcs/*_test.go'], { cwd: root, encoding: 'utf8' })
const targets = files.trim().split('\n').flatMap((file) =>
  [...readFileSync(join(root, file), 'utf8').matchAll(/^func (Fuzz\w+)\(/gm)].map(([, name]) => [`./${dirname(file)}`, name]))
  .filter(([, name]) => !words.length || words.some((word) => name.includes(word)))

let failed = 0
const left = [...targets]
function fuzz(room, name) {
  const began = Date.now()
  const args = ['test', '-run', '^$', '-fuzz', `^${name}$`, '-fuzztime', time, '-fuzzminimizetime', '1x', '-parallel', '1', '-timeout', '0', room]
  return new Promise((done) => execFile('go', args, { cwd: root, maxBuffer: 1 << 28 }, (error, stdout, stderr) => {
    const said = stdout + stderr
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
console.log(`${targets.length} fuzz targets, ${failed} with a finding`)
process.exitCode = failed || !targets.length ? 1 : 0
