// Runs the fuzz targets of the formats and of canonical JSON, one after the
// other: parse, canonicalize and parse again, verify, merge, each form of a key, import.
// They are found by their names, so a new one needs no line here. Arguments: how
// long each runs (20s, 2h), then words that keep only the targets with one of
// them in their name. Nearly no time goes into shortening what was tried, all
// into trying more. A finding is left below testdata/fuzz of its room.
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const [time = '20s', ...words] = process.argv.slice(2)
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', 'backend/format/**_test.go', 'backend/importer/pam/*_test.go', 'backend/jcs/*_test.go'], { cwd: root, encoding: 'utf8' })
const targets = files.trim().split('\n').flatMap((file) =>
  [...readFileSync(join(root, file), 'utf8').matchAll(/^func (Fuzz\w+)\(/gm)].map(([, name]) => [`./${dirname(file)}`, name]))
  .filter(([, name]) => !words.length || words.some((word) => name.includes(word)))

let failed = 0
for (const [room, name] of targets) {
  const began = Date.now()
  const go = spawnSync('go', ['test', '-run', '^$', '-fuzz', `^${name}$`, '-fuzztime', time, '-fuzzminimizetime', '1x', '-timeout', '0', room], { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 })
  const said = go.stdout + go.stderr
  const tried = said.match(/execs: (\d+)/g)?.at(-1)?.slice(7) ?? '0'
  if (go.status !== 0) failed++
  console.log(`${go.status === 0 ? 'ok     ' : 'FINDING'} ${name} in ${room}: ${tried} inputs in ${((Date.now() - began) / 1000).toFixed(0)} s`)
  if (go.status !== 0) console.log(said.slice(-4000))
}
console.log(`${targets.length} fuzz targets, ${failed} with a finding`)
process.exitCode = failed || !targets.length ? 1 : 0
