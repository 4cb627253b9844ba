// The installer for Windows over one of an older version, under Wine, with a vault that both
// programs use; then the older version over the newer one. It takes about five minutes.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { olderTree, olderVersion } from '../lib/older.mjs'
import { fixtures, results, root, version } from '../lib/program.mjs'
import { apps, built, keepsake, linux, packed, places, uninstall, value, windows, wine } from '../lib/wine.mjs'

describe('the installer for Windows over an older version', () => {
  const from = join(results, 'older-programs')
  let made, older, newer, folder, vault, first
  const install = (setup, ...switches) => wine([setup, '/S', '/NOWEBVIEW', ...switches])
  const entries = async () => (await wine(['reg', 'query', apps.slice(0, apps.lastIndexOf('\\'))])).stdout.match(/\\Uninstall\\[^\r\n]+/g)
  // state is what the registry, the program and the vault say.
  async function state() {
    const { vault_id, conversations, memories } = await keepsake(folder, 'status')
    return { entry: await value(apps, 'DisplayVersion'), program: (await keepsake(folder, 'version')).version, vault_id, conversations, memories }
  }
  before(async () => {
    made = await fixtures()
    const tree = olderTree()
    execFileSync('sh', ['scripts/page.sh'], { cwd: tree, stdio: ['ignore', 'ignore', 'inherit'] })
    older = await packed(tree, join(tree, 'build/dist'), olderVersion)
    newer = await packed(root, built, version)
    const { local } = await places()
    folder = `${local}\\Programs\\Keepsake`
    vault = linux(`${local}\\Keepsake`)
    rmSync(vault, { recursive: true, force: true })
    await wine(['reg', 'delete', apps, '/f']) // of a run that broke off
    assert.equal((await install(older)).code, 0)
    await keepsake(folder, 'init', '--kdf', 'test')
    await keepsake(folder, 'import', windows(made.path('chatgpt.zip')))
    first = await state()
    rmSync(from, { recursive: true, force: true })
    cpSync(linux(folder), from, { recursive: true })
    assert.deepEqual([first.entry, first.program], [olderVersion, olderVersion])
    assert.equal(first.memories, made.truth.chatgpt.memories.length)
  })
  after(async () => {
    await uninstall(folder)
    rmSync(vault, { recursive: true, force: true })
  })

  it('opens the vault of the older program with all that is in it, and is the only entry', async () => {
    assert.equal((await install(newer)).code, 0)
    assert.deepEqual(await state(), { ...first, entry: version, program: version })
    assert.equal((await entries()).length, 1)
    await keepsake(folder, 'check')
    assert.deepEqual(readdirSync(linux(folder)).sort(), ['LICENSE', 'keepsake-cli.exe', 'keepsake.exe', 'uninstall.exe'])
  })

  it('is not replaced by an older version unless that is asked for, and the vault opens in both', async () => {
    // The older programs with the installer of today: the older one asks nothing.
    const setup = join(from, 'setup.exe')
    execFileSync('makensis', ['-V1', '-INPUTCHARSET', 'UTF8', '-DFAST', `-DVERSION=${olderVersion}`, '-DARCH=amd64', `-DFROM=${from}`, `-DOUT=${setup}`, join(root, 'build/windows/installer.nsi')])
    const refused = await install(setup)
    assert.match(refused.stdout, new RegExp(`^Keepsake ${version} is installed, which is newer than this ${olderVersion}, .* Nothing was changed; /DOWNGRADE`))
    assert.equal(refused.code, 6)
    assert.deepEqual(await state(), { ...first, entry: version, program: version })
    assert.equal((await install(setup, '/DOWNGRADE')).code, 0)
    assert.deepEqual(await state(), first)
    assert.equal((await install(newer)).code, 0)
    assert.deepEqual(await state(), { ...first, entry: version, program: version })
    await keepsake(folder, 'check')
  })
})
