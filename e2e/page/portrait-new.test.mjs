// What an assistant learned, changed and dropped between two exports, and what to ask it to forget:
// told on the portrait, reviewed and ticked off there, and gone with the next export that has not.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { accessible, clean, launch, opened, unbroken } from '../lib/browser.mjs'
import { passphrase } from '../lib/keepsake.mjs'
import { command, home, prepare, serve } from '../lib/program.mjs'
import { languages, words } from '../lib/words.mjs'

let browser
before(async () => { browser = await launch() })
after(() => browser?.close())

// exported writes an export of Claude with these memories, whose newest conversation is of a day.
function exported(folder, name, day, memories) {
  const at = join(folder, name)
  mkdirSync(at)
  const talk = (id, time) => ({
    uuid: id, name: id, created_at: time, updated_at: time, account: { uuid: 'a-1' },
    chat_messages: [{ uuid: `${id}-1`, text: 'Hello', sender: 'human', created_at: time, updated_at: time, content: [{ type: 'text', text: 'Hello' }], attachments: [], files: [] }],
  })
  writeFileSync(join(at, 'users.json'), JSON.stringify([{ uuid: 'a-1', full_name: 'Ana', email_address: 'ana@example.org' }]))
  writeFileSync(join(at, 'conversations.json'), JSON.stringify([talk('c-1', '2026-05-01T10:00:00Z'), talk(`c-${name}`, `${day}T10:00:00Z`)]))
  writeFileSync(join(at, 'memories.json'), JSON.stringify([{ account_uuid: 'a-1', conversations_memory: `**Personal context**\n${memories.map((one) => `- ${one}`).join('\n')}` }]))
  return at
}

for (const language of languages) {
  describe(`news of the portrait in ${language}`, () => {
    const t = words(language)
    let place, server, page, seen, me, autumn

    before(async () => {
      place = home()
      const spring = exported(place.folder, 'spring', '2026-05-02', ['Repairs clocks.', 'Has a dog called Rex.', 'Lives in Porto.'])
      const summer = exported(place.folder, 'summer', '2026-07-02', ['Repairs clocks.', 'Lives in Porto.', 'Rents a garden by the river.'])
      autumn = exported(place.folder, 'autumn', '2026-10-02', ['Repairs clocks.', 'Lives in Porto.'])
      await prepare(place.env, ['import', spring], ['import', summer])
      server = await serve(place.env)
      ;({ page, seen, me } = await opened(browser, server.address, 15_000, { language }))
      await me.go('portrait')
    })
    after(async () => {
      assert.equal(await server?.stop(), 0, 'serve ends in order')
      place?.remove()
    })

    unbroken(() => seen)

    const news = () => page.getByRole('region', { name: t('portrait.news'), exact: true })
    const there = () => page.getByRole('region', { name: t('portrait.there'), exact: true })
    const button = (within, key, params) => within.getByRole('button', { name: t(key, params), exact: true })

    it('tells exactly what differs', async () => {
      await news().getByText('Rents a garden by the river.', { exact: true }).waitFor()
      const [learned, dropped] = [news().locator('h3').filter({ hasText: t('portrait.news.learned') }), news().locator('h3').filter({ hasText: t('portrait.news.dropped') })]
      assert.match(await learned.innerText(), / 1$/)
      assert.match(await dropped.innerText(), / 1$/)
      assert.equal(await news().getByRole('listitem').count(), 2)
      await news().getByText('Has a dog called Rex.', { exact: true }).waitFor()
      assert.equal(await there().count(), 0)
      await accessible(page, `news of the portrait (${language})`)
    })

    it('gives the words to paste for what is wrong, and is ticked off', async () => {
      await button(news(), 'portrait.wrong').click()
      const words = t('portrait.there.ask', { content: 'Rents a garden by the river.' })
      await there().getByText(words, { exact: true }).waitFor()
      await accessible(page, `what to delete (${language})`)
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
      await button(there(), 'portrait.there.copy').click()
      await page.getByText(t('conversations.copied')).waitFor()
      assert.equal(await page.evaluate(() => navigator.clipboard.readText()), words)
      await button(there(), 'portrait.there.page').click()
      await page.getByRole('dialog').getByText('claude.ai', { exact: true }).waitFor()
      await button(page.getByRole('dialog'), 'conversations.link.stay').click()
      await button(there(), 'portrait.there.asked').click()
      await there().waitFor({ state: 'detached' })
      await page.getByRole('button', { name: t('undo.do'), exact: true }).click()
      await there().waitFor()
    })

    it('lists it no more once the next export does not have it', async () => {
      assert.equal((await me.call('Portrait.ToDelete', { platform: '', account: '', list: '', offset: 0 }))[0].total, 1)
      await page.context().close()
      await server.stop()
      const { code, stderr } = await command(place.env, ['import', autumn, '--passphrase-file', '-'], { input: `${passphrase}\n` })
      assert.equal(code, 0, stderr)
      server = await serve(place.env)
      const again = await opened(browser, server.address, 15_000, { language })
      assert.deepEqual(await again.me.call('Portrait.ToDelete', { platform: '', account: '', list: '', offset: 0 }), [])
      await again.me.go('portrait')
      const region = again.page.getByRole('region', { name: t('portrait.news'), exact: true })
      await region.locator('summary').click()
      await region.getByText('Rents a garden by the river.', { exact: true }).waitFor()
      clean(again.seen)
      await again.context.close()
    })

    it('asked nobody outside', () => clean(seen))
  })
}
