// A circle from nothing to what was given: it is suggested, filled, given a memory and denied
// another, and what leaves for it, in a file and in a text, is what the page said.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { accessible, launch, opened, unbroken } from '../lib/browser.mjs'
import { home, prepare, serve } from '../lib/program.mjs'
import { languages, words } from '../lib/words.mjs'

let browser
before(async () => { browser = await launch() })
after(() => browser?.close())

const MEMORIES = ['Robin plays the oboe in an orchestra', 'Robin is allergic to penicillin and carries a card', 'Robin keeps bees behind the house', 'Robin collects old maps']
const document = JSON.stringify({
  mif_version: '1.0',
  memories: MEMORIES.map((content, i) => ({ id: `mem_0000000${i + 1}-1111-4222-8333-000000000001`, content, type: 'Observation', created_at: `2026-01-0${i + 1}T00:00:00Z` })),
})

for (const language of languages) {
  describe(`circles in ${language}`, () => {
    const t = words(language)
    let place, server, page, seen, me, ids

    before(async () => {
      place = home()
      const path = join(place.folder, 'all.mif.json')
      writeFileSync(path, document)
      await prepare(place.env, ['import', path])
      server = await serve(place.env)
      ;({ page, seen, me } = await opened(browser, server.address, 15_000, { language }))
      const { items } = await me.call('Library.List', { limit: 50 })
      ids = Object.fromEntries(items.map((m) => [m.content.split(' ').slice(1, 3).join(' '), m.id]))
    })
    after(async () => {
      assert.equal(await server?.stop(), 0, 'serve ends in order')
      place?.remove()
    })

    unbroken(() => seen)

    const named = (key) => page.getByRole('heading', { level: 2, name: t(key), exact: true })
    const said = (key, params) => page.getByText(t(key, params), { exact: true })
    const line = () => me.detail().getByRole('button', { name: t('library.property.circles') })

    it('begin with one that is suggested, and is filled when that is asked for', async () => {
      await me.go('circles')
      await said('circles.empty.title').waitFor()
      await accessible(page, 'no circle')
      await me.button('circles.suggest.family').click()
      await named('circles.suggest.family').waitFor()
      await said('circles.leaves.none').waitFor()
      await me.button('circles.edit').click()
      await page.getByRole('dialog').getByRole('button', { name: t('type.fact'), exact: true }).click()
      await page.getByRole('dialog').getByRole('checkbox', { name: t('sensitive.topic.health'), exact: true }).check()
      await me.button('circles.keep').click()
      await said('circles.waiting', { count: 3 }).waitFor()
      await me.button('circles.fill', { count: 3 }).click()
      await said('circles.leaves.all', { count: 3 }).waitFor()
      await accessible(page, 'a circle')
    })

    it('get a memory in its line, and lose one that is for nobody', async () => {
      await page.evaluate((id) => { location.hash = `#/library/${id}` }, ids['is allergic'])
      await line().filter({ hasText: t('library.circles.me') }).click()
      await me.detail().getByRole('checkbox', { name: t('circles.suggest.family'), exact: true }).check()
      await line().filter({ hasText: t('circles.suggest.family') }).waitFor()
      await page.evaluate((id) => { location.hash = `#/library/${id}` }, ids['collects old'])
      await line().filter({ hasText: t('circles.suggest.family') }).click()
      await me.detail().getByRole('switch', { name: t('library.circles.never') }).click()
      await line().filter({ hasText: t('library.circles.nobody.for', { circles: t('circles.suggest.family') }) }).waitFor()
      await accessible(page, 'who gets a memory')
      await me.go('circles')
      await said('circles.leaves', { leaves: 3, count: 4 }).waitFor()
      await said('circles.stays.not-exportable', { count: 1, topics: '' }).waitFor()
    })

    it('are given what was said, in a file and in a text, which is remembered', async () => {
      await me.button('circles.export', { name: t('circles.suggest.family') }).click()
      await page.getByRole('combobox', { name: t('export.format'), exact: true }).selectOption('csv')
      await page.locator('.number').filter({ hasText: '3' }).waitFor()
      await page.getByText(t('sensitive.which')).click()
      await page.getByRole('dialog').getByText(MEMORIES[1]).waitFor()
      await me.button('export.mif.start').click()
      await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: t('export.download') }).click()])
      await me.button('export.close').last().click()
      await me.button('circles.handoff', { name: t('circles.suggest.family') }).click()
      await me.screen('handoff')
      await page.getByText(t('handoff.excluded.not-exportable', { count: 1 })).waitFor()
      assert.equal(await page.getByText('maps').count(), 0, 'what is for nobody is in no text')
      await page.getByRole('button', { name: t('handoff.copy'), exact: true }).first().click()
      await page.getByText(t('handoff.copied'), { exact: true }).waitFor()
      await me.go('circles')
      const given = page.getByRole('region', { name: t('circles.given') }).getByRole('listitem')
      await given.nth(1).waitFor()
      const told = (await given.allInnerTexts()).join('\n')
      assert.match(told, /ChatGPT/)
      assert.match(told, /\.csv/)
      await page.evaluate((id) => { location.hash = `#/library/${id}` }, ids['is allergic'])
      await me.detail().getByText(t('library.given.count', { count: 2 }), { exact: true }).waitFor()
    })

    it('come back by one press when they are deleted', async () => {
      await me.go('circles')
      await me.button('circles.drop').click()
      await me.button('circles.drop.do').click()
      await said('circles.empty.title').waitFor()
      await page.getByRole('button', { name: t('undo.do'), exact: true }).click()
      await said('circles.leaves', { leaves: 3, count: 4 }).waitFor()
      await page.getByText(t('undo.undone.circle-delete')).waitFor()
    })
  })
}
