// make dist twice, and the .deb it makes over an older one, with a vault on both. It needs
// root and mmdebstrap, and takes about fifteen minutes.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { cleanRoot, person } from '../lib/cleanroot.mjs'
import { passphrase } from '../lib/keepsake.mjs'
import { olderTree, olderVersion } from '../lib/older.mjs'
import { results, root, version } from '../lib/program.mjs'
import { memory, store } from '../lib/writers.mjs'

const twice = join(results, 'twice')
const key = join(twice, 'secret.key')
const debOf = (folder) => join(folder, 'build/dist', readdirSync(join(folder, 'build/dist')).find((name) => name.endsWith('.deb')))

// made clones the last commit into a folder of its own and makes all packages there.
function made(name) {
  const folder = join(twice, name)
  execFileSync('git', ['clone', '-q', root, folder])
  const { status, stdout, stderr } = spawnSync('make', ['dist', 'URL=https://example.org/files/'], { cwd: folder, env: { ...process.env, MINISIGN_KEY: key }, encoding: 'utf8', maxBuffer: 64 << 20 })
  assert.equal(status, 0, stdout + stderr)
  return folder
}

before(() => {
  rmSync(twice, { recursive: true, force: true })
  mkdirSync(twice, { recursive: true })
  execFileSync('go', ['tool', '-modfile=tools/go.mod', 'minisign', '-G', '-W', '-s', key, '-p', join(twice, 'public.key')], { cwd: root, stdio: 'pipe' })
})

describe('make dist', () => {
  it('makes the same bytes from the same commit in another folder, and signs their sums', (test) => {
    const [sums, again] = ['one', 'another folder'].map((name) => readFileSync(join(made(name), 'build/dist/SHA256SUMS'), 'utf8'))
    const dist = join(twice, 'one', 'build/dist')
    for (const line of sums.trim().split('\n')) test.diagnostic(`${line} ${statSync(join(dist, line.slice(66))).size}`)
    assert.equal(again, sums)
    execFileSync('sha256sum', ['--check', '--strict', '--quiet', 'SHA256SUMS'], { cwd: dist })
    const cli = join(twice, 'one', 'build/bin/keepsake-cli')
    const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim()
    assert.equal(JSON.parse(execFileSync(cli, ['version', '--json'])).commit, commit)
    execFileSync('/usr/bin/minisign', ['-Vm', join(dist, 'SHA256SUMS'), '-p', join(twice, 'public.key')])
  })
})

describe('the .deb over an older one', () => {
  const secret = { as: person, input: `${passphrase}\n` }
  let clean
  const keepsake = (...args) => clean.run(['keepsake-cli', ...args, '--passphrase-file', '-'], secret)
  const shown = () => ({ version: clean.run(['keepsake-cli', 'version'], { as: person }).split(/\s+/)[1], status: JSON.parse(keepsake('status', '--json')).memories })

  before(() => {
    const older = olderTree()
    execFileSync('sh', ['scripts/dist-linux.sh'], { cwd: older, stdio: ['ignore', 'ignore', 'inherit'] })
    clean = cleanRoot(debOf(older))
    copyFileSync(debOf(older), join(clean.folder, 'tmp/older.deb'))
    copyFileSync(debOf(join(twice, 'one')), join(clean.folder, 'tmp/newer.deb'))
    clean.run(['apt-get', 'install', '-y', '--no-install-recommends', '/tmp/older.deb'], { offline: true })
    keepsake('init', '--kdf', 'test')
    clean.run(['tee', '/tmp/oboe.pam.json'], { as: person, input: store([memory('00000000-0000-4000-8000-000000000001', 'Marina plays the oboe')]) })
    keepsake('import', '/tmp/oboe.pam.json')
    assert.deepEqual(shown(), { version: olderVersion, status: 1 })
  })
  after(async () => {
    await clean?.end()
    clean?.remove()
  })

  it('leaves the older program whole where the disk is full', () => {
    // What is written to /usr/bin goes into 8 MB; what lies there stays readable.
    const said = clean.run(['sh', '-c', `mkdir /tmp/upper && mount -t tmpfs -o size=8m tmpfs /tmp/upper && mkdir /tmp/upper/files /tmp/upper/work &&
      mount -t overlay -o lowerdir=/usr/bin,upperdir=/tmp/upper/files,workdir=/tmp/upper/work overlay /usr/bin &&
      if dpkg -i /tmp/newer.deb 2>&1; then exit 1; fi; keepsake-cli version; dpkg-query -W -f '\${Version} \${Status}' keepsake`])
    assert.match(said, /No space left on device/)
    assert.ok(said.endsWith(`${olderVersion} install ok installed`), said)
    assert.deepEqual(shown(), { version: olderVersion, status: 1 })
  })

  it('opens the vault of the older program, with all that is in it', () => {
    clean.run(['apt-get', 'install', '-y', '--no-install-recommends', '/tmp/newer.deb'], { offline: true })
    assert.deepEqual(shown(), { version, status: 1 })
    keepsake('check')
    assert.match(keepsake('list', 'memories'), /Marina plays the oboe/)
  })
})
