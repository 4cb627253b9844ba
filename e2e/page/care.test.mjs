// Care of the vault in a browser: backup, freeze, forget, damage and recovery,
// and the end of a vault, with axe on every screen of it.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, rmSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { accessible, launch, unbroken, visit } from '../lib/browser.mjs'
import { at, passphrase } from '../lib/keepsake.mjs'
import { home, results, serve } from '../lib/program.mjs'
import { languages, words } from '../lib/words.mjs'

let browser
before(async () => { browser = await launch() })
after(() => browser?.close())

for (const language of languages) {
  describe(`the care of a vault in ${language}`, () => {
    const t = words(language)
    const kept = join(results, `care-${language}.backup`)
    let place, server, page, seen, me, folder
    const look = (where) => accessible(page, `${where} (${language})`)
    const part = (name) => page.getByRole('link', { name: t(`security.part.${name}`), exact: true }).click()
    const add = (content) => me.call('Library.Add', { type: 'fact', customType: '', content, tags: [] })

    async function start() {
      server = await serve(place.env)
      ;({ page, seen } = await visit(browser, server.address, { language }))
      page.setDefaultTimeout(60_000)
      me = at(page, t)
    }

    before(async () => {
      place = home()
      await start()
      await me.create()
      for (const text of ['Keeps bees on the roof.', 'Never eats coriander.', 'Learns the oboe.']) await add(text)
      folder = (await me.call('Vault.State')).folder
    })
    after(async () => {
      assert.equal(await server?.stop(), 0, 'serve ends in order')
      place?.remove()
    })

    unbroken(() => seen)

    it('makes a backup that is downloaded, and checks it again from the file', async () => {
      await me.go('security')
      await look('keeping it whole')
      await me.button('security.backups.make').click()
      const link = page.getByRole('link', { name: t('security.file.download') })
      const [download] = await Promise.all([page.waitForEvent('download'), link.click()])
      await download.saveAs(kept)
      await me.button('security.backups.check').click()
      await me.hand('security.backup.choose', [kept])
      await page.getByLabel(t('unlock.passphrase'), { exact: true }).fill(passphrase)
      await me.button('security.backup.look').click()
      await page.getByText(t('security.backup.whole')).waitFor()
      await look('a backup that was checked')
      await me.button('dialog.close').last().click()
      await me.button('security.check.do').click()
      await page.getByText(t('security.check.whole')).waitFor()
    })

    it('freezes, refuses a write with the reason, and ends the freeze', async () => {
      await me.button('security.freeze.do').click()
      const banner = page.getByRole('region', { name: t('frozen.label') })
      await banner.waitFor()
      await look('a frozen vault')
      await assert.rejects(add('Too late.'), /frozen/)
      await banner.getByRole('button').click()
      await banner.waitFor({ state: 'detached' })
      await add('In time again.')
    })

    it('shows the ways in and the log', async () => {
      await part('ways')
      await page.getByRole('heading', { name: t('keys.leak') }).waitFor()
      await look('the ways in')
      await part('log')
      await page.getByText(t('deed.backup'), { exact: true }).first().waitFor()
      await page.getByText(t('deed.freeze'), { exact: true }).first().waitFor()
      await look('the log')
    })

    it('reports what is held, and puts away what is too much', async () => {
      await part('keep')
      await me.button('held.look').click()
      const held = page.getByRole('table', { name: t('held.title') })
      await held.getByRole('row').nth(4).waitFor()
      await me.button('compaction.look').click()
      await page.getByText(t('compaction.nothing')).waitFor()
      await page.getByText(t('compaction.limits'), { exact: true }).click()
      const tokens = page.getByLabel(t('compaction.limit.tokens'))
      await tokens.fill('1')
      await tokens.press('Tab')
      const bees = page.getByRole('checkbox', { name: /^Keeps bees/ })
      await bees.check()
      await look('what could be put away')
      await me.button('compaction.apply', { count: 1 }).click()
      await page.getByText(t('compaction.archived', { count: 1 })).waitFor()
      assert.equal((await me.call('Library.List', { text: 'bees', statuses: ['archived'] })).total, 1)
      await part('log')
      await page.getByText(t('deed.report'), { exact: true }).first().waitFor()
      await page.getByText(t('deed.compact-memories', { count: 1 }), { exact: true }).first().waitFor()
    })

    it('keeps tasks: a new one, other words, done, gone', async () => {
      await me.go('todos')
      await me.button('todos.new').first().click()
      await page.getByLabel(t('todos.content')).fill('Water the bees')
      await page.getByLabel(t('todos.due')).fill('2027-03-01')
      await look('a new task')
      await me.button('todos.keep').click()
      await page.getByRole('button', { name: /Water the bees/ }).click()
      await page.getByLabel(t('todos.content')).fill('Water the oboe')
      await me.button('todos.keep').click()
      await page.getByRole('checkbox', { name: t('todos.done', { content: 'Water the oboe' }) }).click() // it leaves the list
      await page.getByText(t('todos.open', { count: 0 })).waitFor()
      await page.getByRole('checkbox', { name: t('todos.all'), exact: true }).check()
      await look('tasks')
      await page.getByRole('button', { name: /Water the oboe/ }).click()
      await me.button('todos.remove').click()
      await page.getByText(t('todos.empty.title')).waitFor()
    })

    it('forgets a memory, with a receipt', async () => {
      await me.go('library')
      const rows = await me.find('coriander', 1)
      await rows.first().click()
      await me.detail().waitFor()
      await me.button('forget.memory').click()
      await page.getByLabel(t('forget.confirm', { word: t('forget.word') })).fill(t('forget.word'))
      await look('what goes and what stays')
      await me.button('forget.do').click()
      await page.getByText(t('forget.reached.1'), { exact: true }).waitFor()
      await look('what was reached')
      await page.keyboard.press('Escape')
      await me.go('security')
      await part('erase')
      await page.getByText(t('security.receipts.erased')).first().waitFor()
      await look('forget and destroy')
      assert.equal((await me.call('Library.List', { text: 'coriander' })).total, 0)
    })

    it('brings a damaged vault back from its own copies, and keeps the damaged file', async () => {
      await server.stop()
      truncateSync(join(folder, 'vault.db'), 4096)
      await page.context().close()
      await start()
      await me.unlock()
      await me.heading('recover.title').waitFor()
      await me.button('recover.try').waitFor()
      await look('a damaged vault')
      await page.getByLabel(t('unlock.passphrase'), { exact: true }).fill(passphrase)
      await me.button('recover.try').click()
      await page.getByText(t('recover.lost.none')).waitFor()
      await look('what would be brought back')
      await me.button('recover.do').click()
      await page.getByRole('heading', { level: 1, name: t('recover.done'), exact: true }).waitFor()
      await page.getByRole('heading', { name: t('recover.title') }).waitFor({ state: 'detached' })
      await look('a vault that is whole again')
      assert.ok(readdirSync(folder).some((name) => name.startsWith('vault.db.damaged-')), 'the damaged file is kept')
      await me.button('unlock.submit').click()
      await page.getByRole('navigation', { name: t('shell.rail') }).waitFor()
      assert.equal((await me.call('Library.List', { text: 'oboe' })).total, 1)
      assert.equal((await me.call('Library.List', { text: 'coriander' })).total, 0)
    })

    it('tells what it brought back of a vault without its data file, too', async () => {
      await server.stop()
      rmSync(join(folder, 'vault.db'))
      await page.context().close()
      await start()
      await me.heading('recover.title').waitFor()
      await page.getByLabel(t('unlock.passphrase'), { exact: true }).fill(passphrase)
      await me.button('recover.try').click()
      await me.button('recover.do').click()
      await page.getByRole('heading', { level: 1, name: t('recover.done'), exact: true }).waitFor()
      await page.getByText(t('recover.lost.none')).waitFor()
      await me.button('unlock.submit').click()
      await page.getByRole('navigation', { name: t('shell.rail') }).waitFor()
      assert.equal((await me.call('Library.List', { text: 'oboe' })).total, 1)
    })

    it('destroys the vault, gives its receipt, and restores the backup in its place', async () => {
      const { name, vaultId } = await me.call('Vault.State')
      await me.go('security')
      await part('erase')
      await me.button('destroy.ask').click()
      await look('destroying')
      await page.getByLabel(t('destroy.confirm', { word: name })).fill(name)
      assert.ok(await me.button('destroy.do').isDisabled(), 'it asks for the passphrase')
      await page.getByRole('dialog').getByLabel(t('unlock.passphrase'), { exact: true }).fill('not the passphrase')
      await me.button('destroy.do').click()
      await page.getByRole('dialog').getByText(language === 'en' ? 'This passphrase does not open the vault.' : 'Esta senha não abre o cofre.').waitFor()
      await page.getByRole('dialog').getByLabel(t('unlock.passphrase'), { exact: true }).fill(passphrase)
      await me.button('destroy.do').click()
      await me.heading('destroy.done').waitFor()
      await look('the last page')
      const [download] = await Promise.all([page.waitForEvent('download'), me.button('destroy.done.save').click()])
      const receipt = JSON.parse(readFileSync(await download.path(), 'utf8'))
      assert.equal(receipt.vault_id, vaultId)
      assert.ok(receipt.signature)
      await me.button('destroy.done.end').click()
      await me.heading('welcome.title').waitFor()
      await me.button('security.restore.ask').click()
      await me.hand('security.backup.choose', [kept])
      await page.getByLabel(t('unlock.passphrase'), { exact: true }).fill(passphrase)
      await me.button('security.backup.look').click()
      await me.button('security.restore.do').click()
      await me.button('security.restore.open').click()
      await me.unlock()
      await page.getByRole('navigation', { name: t('shell.rail') }).waitFor()
      assert.equal((await me.call('Library.List', { text: 'bees' })).total, 1)
    })
  })
}
