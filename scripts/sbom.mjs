// Writes what the program and the page are made of, as one CycloneDX document: the Go
// modules of the program with its window on each system, the data of others in it, and the
// packages that the page holds. app/bridge/licences.json says which those are, and the licence of every part.
//   node scripts/sbom.mjs FILE VERSION
// The same commit gives the same bytes: no time but the commit's, no random number.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const [file, version] = process.argv.slice(2)
const root = dirname(dirname(fileURLToPath(import.meta.url)))
const read = (command, args, cwd = root, env = {}) =>
  JSON.parse(execFileSync(command, args, { cwd, encoding: 'utf8', env: { ...process.env, ...env }, maxBuffer: 1 << 26, stdio: ['ignore', 'pipe', 'ignore'] }))

const tool = execFileSync('go', ['tool', '-modfile=tools/go.mod', '-n', 'cyclonedx-gomod'], { cwd: root, encoding: 'utf8' }).trim()
const modules = new Map()
for (const [GOOS, CGO_ENABLED] of [['linux', '1'], ['darwin', '1'], ['windows', '0']]) {
  const { components } = read(tool, ['app', '-json', '-std', '-noserial', '.'], root, { GOOS, CGO_ENABLED, GOFLAGS: '-tags=desktop,production,webkit2_41' })
  for (const c of components) if (!modules.has(c.name)) modules.set(c.name, { ...c, purl: c['bom-ref'] })
}
const listed = JSON.parse(readFileSync(join(root, 'app/bridge/licences.json'), 'utf8'))
const licence = new Map(listed.map((l) => [l.name, l.licence]))
const held = new Set(listed.map((l) => `${l.name}@${l.version}`))
const nameOf = (c) => (c.name === 'std' ? 'Go' : `${c.group ? `${c.group}/` : ''}${c.name}`)
const page = read('npm', ['sbom', '--sbom-format', 'cyclonedx'], join(root, 'frontend')).components
  .filter((c) => held.has(`${nameOf(c)}@${c.version}`))
const commit = execFileSync('git', ['log', '-1', '--format=%H %cI'], { cwd: root, encoding: 'utf8' }).trim().split(' ')
const [, model, number, sum] = readFileSync(join(root, 'backend/embed/model/requirements.txt'), 'utf8').match(/^(\S+)==(\S+) --hash=sha256:(\w+)/m)
const encoder = { 'bom-ref': `pkg:pypi/${model}@${number}`, type: 'machine-learning-model', name: model, version: number, hashes: [{ alg: 'SHA-256', content: sum }], purl: `pkg:pypi/${model}@${number}` }
const words = { 'bom-ref': 'pkg:generic/eff_large_wordlist@2016', type: 'data', name: 'EFF large word list', version: '2016', purl: 'pkg:generic/eff_large_wordlist@2016' }
const components = [...modules.values(), encoder, words, ...page].sort((a, b) => (a.purl < b.purl ? -1 : 1))
  .map((c) => ({ ...c, licenses: [{ license: { id: licence.get(nameOf(c)) } }] }))
const serial = createHash('sha256').update(commit[0]).digest('hex').replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*/, '$1-$2-5$3-8$4-$5')
writeFileSync(file, JSON.stringify({
  bomFormat: 'CycloneDX', specVersion: '1.5', serialNumber: `urn:uuid:${serial}`, version: 1,
  metadata: {
    timestamp: new Date(commit[1]).toISOString(),
    component: { type: 'application', 'bom-ref': `keepsake@${version}`, name: 'keepsake', version, licenses: [{ license: { id: 'Apache-2.0' } }] },
  },
  components,
  dependencies: [{ ref: `keepsake@${version}`, dependsOn: components.map((c) => c['bom-ref']) }],
}, null, 1) + '\n')
console.log(`${components.length} components`)
