// The portrait of two imports, reviewed by keys alone: what was said stays, also after the same
// import once more, and one key takes the last of it back.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { accessible, launch, unbroken, visit } from '../lib/browser.mjs'
import { at } from '../lib/keepsake.mjs'
import { fixtures, home, serve } from '../lib/program.mjs'
import { languages, words } from '../lib/words.mjs'

let browser, made
before(async () => {
  made = await fixtures()
  browser = await launch()
})
after(() => browser?.close())

for (const language of languages) {
  describe(`the portrait in ${language}`, () => {
    const t = words(language)
    let place, server, page, seen, me, all

    before(async () => {
      place = home()
      server = await serve(place.env)
      ;({ page, seen } = await visit(browser, server.address, { language }))
      page.setDefaultTimeout(20_000)
      me = at(page, t)
      await me.create()
      await me.importing([made.path('chatgpt.zip'), made.path('claude.zip')])
      await page.keyboard.press('ControlOrMeta+1')
      await me.screen('portrait')
    })
    after(async () => {
      assert.equal(await server?.stop(), 0, 'serve ends in order')
      place?.remove()
    })

    unbroken(() => seen)

    const read = () => me.call('Portrait.Read')
    const on = () => page.locator('li[aria-current]')
    const left = (count) => page.getByText(count > 0 ? t('portrait.left', { count }) : t('portrait.left.none'), { exact: true }).waitFor()

    it('has every active memory in one sentence', async () => {
      all = await read()
      await left(all.left)
      assert.ok(all.total > 4)
      const sentences = all.chapters.flatMap((part) => part.sentences)
      const rows = await me.call('Library.List', { text: '', types: [], statuses: ['active'], platforms: [], accounts: [], tags: [], projects: [], years: [], confidence: [], conversation: '', hasRelations: false, sort: '', offset: 0, limit: 200 })
      assert.equal(sentences.reduce((sum, s) => sum + 1 + s.also.length, 0), rows.total)
      await accessible(page, `the portrait (${language})`)
    })

    it('is reviewed by three keys', async () => {
      const first = await on().getAttribute('id')
      await page.keyboard.press('1')
      await left(all.left - 1)
      assert.notEqual(await on().getAttribute('id'), first)
      const second = await on().locator('.text').innerText()
      await page.keyboard.press('3')
      await left(all.left - 2)
      assert.equal(await page.getByText(second, { exact: true }).count(), 0)
      await page.keyboard.press('2')
      await page.getByLabel(t('portrait.end.instead')).fill('Lives in Braga now.')
      await page.getByRole('dialog').getByRole('button', { name: t('portrait.end.keep'), exact: true }).click()
      await page.getByText('Lives in Braga now.', { exact: true }).waitFor()
      await left(all.left - 3)
    })

    it('asks for nothing again after the same import', async () => {
      await me.go('import')
      const before = await read()
      await page.reload()
      await me.screen('import')
      await me.hand('import.choose', [made.path('chatgpt.zip'), made.path('claude.zip')])
      await me.button('import.plan.begin').or(page.getByRole('heading', { name: t('import.plan.title.nothingNew') })).first().waitFor({ timeout: 60_000 })
      if (await me.button('import.plan.begin').count() > 0) {
        await me.button('import.plan.begin').click()
        await me.button('import.report.library').waitFor({ timeout: 120_000 })
      }
      const after = await read()
      assert.deepEqual([after.total, after.left], [before.total, before.left])
      await me.go('portrait')
      await left(before.left)
    })
  })
}
