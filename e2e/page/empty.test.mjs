// A vault with nothing in it: every screen says what will stand there, in its middle, and
// leads to what fills it; nothing offers to do what cannot be done.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { accessible, clean, launch, opened, unbroken } from '../lib/browser.mjs'
import { home, prepare, serve } from '../lib/program.mjs'
import { languages, words } from '../lib/words.mjs'

let browser
before(async () => { browser = await launch() })
after(() => browser?.close())

for (const language of languages) {
  describe(`an empty vault in ${language}`, () => {
    const t = words(language)
    let place, server, page, seen, me
    before(async () => {
      place = home()
      await prepare(place.env)
      server = await serve(place.env)
      ;({ page, seen, me } = await opened(browser, server.address, 15_000, { language }))
    })
    after(async () => {
      assert.equal(await server?.stop(), 0, 'serve ends in order')
      place?.remove()
    })

    unbroken(() => seen)

    for (const [screen, says, leads, to] of [
      ['portrait', 'portrait.empty', 'library.empty.import', 'import'], ['library', 'library.empty.first', 'library.empty.import', 'import'], ['inbox', 'inbox.none', 'library.empty.import', 'import'],
      ['conversations', 'conversations.empty', 'library.empty.import', 'import'], ['graph', 'graph.empty', 'graph.empty.do', 'library'],
      ['insights', 'insights.empty', 'library.empty.import', 'import'], ['handoff', 'handoff.empty', 'library.empty.import', 'import'],
    ]) {
      it(`${screen} leads to ${to}`, async () => {
        await me.go(screen)
        const text = page.getByText(t(says), { exact: true })
        await text.waitFor()
        const aside = await text.evaluate((e) => {
          const [box, room] = [e.parentElement, e.closest('main')].map((one) => one.getBoundingClientRect())
          const left = Math.max(room.left, document.querySelector('.facets')?.getBoundingClientRect().right ?? 0, document.querySelector('.handoff nav')?.getBoundingClientRect().right ?? 0)
          return box.left + box.width / 2 - (left + room.right) / 2
        })
        assert.ok(Math.abs(aside) < 12, `${aside} px beside the middle`)
        await accessible(page, `${screen} without anything`)
        await page.getByRole('main').getByRole('button', { name: t(leads), exact: true }).click()
        await me.screen(to)
      })
    }

    it('does not offer to look through conversations that are not there', async () => {
      await me.go('inbox')
      await page.getByText(t('inbox.none')).waitFor()
      assert.equal(await me.button('inbox.look').count(), 0)
      await me.call('Library.Add', { type: 'fact', customType: '', content: 'Keeps bees.', tags: [] })
      await me.go('handoff')
      await page.getByText('I keep bees.').first().waitFor() // in the first person, as this text wants
      assert.equal(await page.getByText(t('handoff.empty')).count(), 0)
    })

    it('asked nobody outside', () => clean(seen))
  })
}
