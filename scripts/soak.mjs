// The rows of security.md §7 that are about the vault, at their full size, one
// after the other, also after a failure; it ends with a table of what was seen.
// --small takes the sizes of `make test`. Numbers on the command line keep only
// those rows, in that order. --go-on leaves out what an earlier run has seen to its
// end of packages that are the same still, with all they are built from, so that a
// machine may stop in between.
// KEEPSAKE_SLICE=3/20 tries only the third, 23rd and so on of the damaged copies
// of row 12.
import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const seal = './backend/seal', vault = './backend/vault', core = './backend/core', pam = './backend/format/pam'

// row, what it asks, package, tests
const rows = [
  [1, 'known answers', seal, 'AESGCMWycheproof|HMACWycheproof|HKDFWycheproof'],
  [1, 'known answers', pam, 'Wycheproof'],
  [2, 'Argon2id against its reference', seal, 'AgainstTheReference'],
  [3, 'keys of low order', pam, 'CCTV'],
  [4, 'own test kit', vault, 'TestKit'],
  [8, 'kills', vault, 'KilledInASession'],
  [9, 'power cuts', vault, 'PowerCuts'],
  [10, 'failing calls', vault, 'FailingCalls'],
  [11, 'tiny disks', vault, 'DisksOfEverySize'],
  [12, 'damage', vault, 'DamageSweep'],
  [13, 'attacks without the key', vault, 'EveryAttackAtEveryPlace'],
  [14, 'nothing readable', vault, 'NothingReadableOnDisk'],
  [14, 'nothing readable', core, 'NothingReadableAfterACrash'],
  [15, 'memory after a lock', seal, 'NoKeyStaysInMemory'],
  [15, 'memory after a lock', core, 'NothingOfALockedVault|WhatTheEndOfAStack'],
  [21, 'stopped while keys change', vault, 'KilledWhileKeysChange|PassphraseChangeStopped|RotationStopped|RekeyStopped'],
  [21, 'stopped jobs', vault, 'JobsStoppedAnywhere'],
  [22, 'vaults of every format', vault, 'KeptVault'],
]

const args = process.argv.slice(2)
const small = args.includes('--small')
const wanted = args.filter((a) => !a.startsWith('--')).map(Number)
const env = { ...process.env, ...(small ? {} : { KEEPSAKE_SOAK: '1' }), ...(process.platform === 'linux' ? { GOEXPERIMENT: 'runtimesecret' } : {}) }

const folder = join(root, 'build', 'test')
const seenPath = join(folder, 'soak.json')
const size = [small ? 'small' : 'full', process.env.KEEPSAKE_SLICE ?? 'all'].join(' ')
const read = (command, ...args) => execFileSync(command, args, { cwd: root, env, encoding: 'utf8' }).trim()
const commit = read('git', 'describe', '--always', '--dirty')
const table = args.includes('--go-on') && existsSync(seenPath)
  ? JSON.parse(readFileSync(seenPath, 'utf8')).filter((t) => t.ok && t.of === of(t.pkg)) : []

// of stands for the size of a run and for what a package and its tests are built
// from here; what nobody has committed is never the same.
function of(pkg) {
  const ours = read('go', 'list', '-deps', '-test', '-f', '{{if .Module}}{{if .Module.Main}}{{.Dir}}{{end}}{{end}}', pkg).split('\n')
  const parts = [...new Set(ours.filter(Boolean))].sort().map((dir) => read('git', 'rev-parse', `HEAD:${relative(root, dir)}`))
  const changed = commit.endsWith('dirty') ? [String(Date.now())] : []
  return createHash('sha256').update([size, read('go', 'version'), read('git', 'rev-parse', 'HEAD:go.sum'), ...parts, ...changed].join('\n')).digest('hex')
}

// go runs tests and hands on what they say as they say it: each line of a test
// that is a figure, and how the tests ended.
function go(pkg, run) {
  return new Promise((done) => {
    const child = spawn('go', ['test', '-json', '-count=1', '-timeout', '8h', '-run', run, pkg], { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] })
    const seen = { figures: [], ended: { pass: 0, fail: 0, skip: 0 } }
    createInterface({ input: child.stdout }).on('line', (line) => {
      const said = line.startsWith('{') ? JSON.parse(line) : { Output: `${line}\n` }
      if (said.Output) process.stdout.write(said.Output)
      const figure = said.Output?.match(/^\s+\w+_test\.go:\d+: (.*)/)?.[1]
      if (figure) seen.figures.push(figure)
      if (said.Test && said.Action in seen.ended) seen.ended[said.Action]++
    })
    child.on('close', (code) => done({ ...seen, ok: code === 0 && seen.ended.pass > 0 }))
  })
}

const asked = wanted.length ? wanted.flatMap((n) => rows.filter(([row]) => row === n)) : rows
for (const [row, what, pkg, run] of asked) {
  if (table.some((t) => t.row === row && t.run === run && t.ok)) continue
  const is = of(pkg)
  const began = Date.now()
  const { figures, ended, ok } = await go(pkg, run)
  const verdict = ok ? (ended.skip ? `holds, ${ended.skip} left out` : 'holds') : 'FAILS'
  table.push({ row, run, pkg, of: is, at: commit, what, verdict, seconds: Math.round((Date.now() - began) / 1000), figures: figures.length ? figures : [`${ended.pass} tests`], ok })
  mkdirSync(folder, { recursive: true })
  writeFileSync(seenPath, JSON.stringify(table, null, 1))
}
table.sort((a, b) => a.row - b.row)

const lines = table.flatMap(({ row, at, what, verdict, seconds, figures }) => [`${String(row).padStart(2)}  ${what}: ${verdict} (${seconds} s, ${at})`, ...figures.map((f) => `      ${f}`)])
const text = `\nRows of security.md §7, ${small ? 'as in make test' : 'full size'}, ${new Date().toISOString().slice(0, 10)}:\n${lines.join('\n')}\n`
console.log(text)
writeFileSync(join(folder, 'soak.txt'), text)
process.exitCode = table.every(({ ok }) => ok) ? 0 : 1
