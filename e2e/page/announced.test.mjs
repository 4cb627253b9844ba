// The main job as a screen reader hears it, in every language of the page: what happens
// is said once, in a live region; what can be pressed has a name.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { launch, unbroken, visit } from '../lib/browser.mjs'
import { at } from '../lib/keepsake.mjs'
import { talks } from '../lib/much.mjs'
import { fixtures, home, serve } from '../lib/program.mjs'
import { announced, listening, named } from '../lib/tree.mjs'
import { languages, words } from '../lib/words.mjs'

let browser, made
before(async () => {
  made = await fixtures()
  browser = await launch()
})
after(() => browser?.close())

for (const language of languages) {
  describe(`the main job by ear in ${language}`, () => {
    const t = words(language)
    let place, server, page, seen, me
    const hear = (key, params, options) => announced(page, t(key, params), options)
    const focused = () => page.evaluate(() => document.activeElement.innerText)

    before(async () => {
      place = home()
      server = await serve(place.env)
      ;({ page, seen } = await visit(browser, server.address, { language, prepare: listening }))
      page.setDefaultTimeout(20_000)
      me = at(page, t)
    })
    after(async () => {
      assert.equal(await server?.stop(), 0, 'serve ends in order')
      place?.remove()
    })

    unbroken(() => seen)

    it('says what is wrong with a new passphrase, and has a name for all it asks', async () => {
      await me.heading('welcome.title').waitFor()
      await named(page, 'Welcome')
      await me.button('welcome.create').click()
      await page.getByLabel(t('create.passphrase'), { exact: true }).fill('lantern harbor walnut copper')
      await page.getByLabel(t('create.again'), { exact: true }).fill('lantern harbor walnut coper')
      await me.button('create.submit').click()
      await hear('create.differs', {}, { urgent: true })
      await named(page, 'a new passphrase')
      await page.reload()
      await me.create((where) => named(page, where))
    })

    it('says how far an import is, and goes on from its report', async () => {
      await page.evaluate(() => { window.heard.length = 0 })
      const long = join(place.folder, 'conversations.json')
      writeFileSync(long, talks(400, 40))
      await me.importing([made.path('chatgpt.zip'), long], (where) => named(page, where))
      const percent = await page.evaluate(() => window.heard.filter(({ mute }) => !mute).map(({ now }) => now))
      const said = new RegExp(`^${t('import.progress.spoken', { percent: '\\d+\\s?%' })}$`)
      assert.ok(percent.some((text) => said.test(text)), `the progress is said: ${JSON.stringify(percent)}`)
      assert.equal(new Set(percent).size, percent.length, 'nothing is said twice')
      const { total } = await me.call('Conversations.List', { limit: 1 })
      assert.ok((await focused()).includes(t('import.report.conversations', { count: total })), 'the report has the focus, and is read')
      await me.button('import.report.library').click()
      await me.screen('library')
    })

    it('says how many memories a search found', async () => {
      await page.getByText(t('library.count', { count: (await me.call('Library.List', { limit: 1 })).total }), { exact: true }).waitFor()
      await page.evaluate(() => { window.heard.length = 0 })
      const rows = await me.find(made.truth.chatgpt.memories.at(-1), 1)
      await hear('library.count', { count: 1 })
      await rows.first().click()
      await me.detail().waitFor()
      await named(page, 'a memory')
    })

    it('says that an edit is kept, and that it is taken back', async () => {
      await page.evaluate(() => { window.heard.length = 0 })
      await me.button('library.detail.edit').click()
      await page.getByRole('textbox', { name: t('library.detail.content') }).fill('Prefers tea to coffee, whatever was said.')
      await me.button('library.detail.done').click()
      await hear('library.done.edit')
      await named(page, 'an edited memory')
      await me.find('whatever was said', 1)
      await page.getByRole('listbox', { name: t('library.list.label') }).focus()
      await page.keyboard.press('ControlOrMeta+z')
      await hear('undo.undone.edit')
      await page.keyboard.press('ControlOrMeta+Shift+z')
      await hear('undo.redone')
    })

    it('says what did not work, at once', async () => {
      const handler = async (route) => (JSON.parse(route.request().postData()).name === 'Library.Undo'
        ? route.fulfill({ contentType: 'application/json', body: JSON.stringify({ error: { code: 'internal', reason: 'disk-gone', message: 'The disk went away.', hint: '', args: {} } }) })
        : route.continue())
      await page.route('**/api/call', handler)
      await page.keyboard.press('ControlOrMeta+z')
      await announced(page, 'The disk went away.', { urgent: true })
      await named(page, 'an error')
      await page.unroute('**/api/call', handler)
    })

    it('says that an export is written', async () => {
      await page.keyboard.press('ControlOrMeta+e')
      await me.button('export.start').waitFor()
      await named(page, 'the export sheet')
      await page.evaluate(() => { window.heard.length = 0 })
      await me.button('export.start').click()
      await hear('export.ready')
      await named(page, 'the certificate')
      await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: t('export.download') }).click()])
      await me.button('export.close').last().click() // the other is the cross of the sheet
    })

    it('has a name for everything on every screen', async () => {
      for (const screen of ['portrait', 'library', 'inbox', 'todos', 'conversations', 'graph', 'insights', 'search', 'import', 'verify', 'handoff', 'circles', 'agents', 'security', 'settings']) {
        await me.go(screen)
        await page.waitForTimeout(300)
        await named(page, screen)
      }
    })
  })
}
