// An assistant from its first call on: a notice within a second, an answer in the window, what
// it reads and proposes, and the switch that ends it.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { assistant } from '../lib/assistant.mjs'
import { accessible, launch, opened, unbroken } from '../lib/browser.mjs'
import { home, prepare, serve } from '../lib/program.mjs'
import { languages, words } from '../lib/words.mjs'

const NAME = 'zed-editor'
const SOON = 1_000 // milliseconds from the start of an assistant to the notice
const MEMORIES = ['Robin writes programs in Go', 'Robin keeps bees behind the house']
const document = JSON.stringify({
  mif_version: '1.0',
  memories: MEMORIES.map((content, i) => ({ id: `mem_0000000${i + 1}-1111-4222-8333-000000000001`, content, type: 'Observation', created_at: `2026-01-0${i + 1}T00:00:00Z` })),
})

let browser
before(async () => { browser = await launch() })
after(() => browser?.close())

for (const language of languages) {
  describe(`an assistant in ${language}`, () => {
    const t = words(language)
    let place, server, page, seen, me, asks, inside

    before(async () => {
      place = home()
      const path = join(place.folder, 'all.mif.json')
      writeFileSync(path, document)
      await prepare(place.env, ['import', path])
      server = await serve(place.env)
      ;({ page, seen, me } = await opened(browser, server.address, 15_000, { language }))
      const { items } = await me.call('Library.List', { limit: 50 })
      inside = items.find(({ content }) => content === MEMORIES[0]).id
      const { entity } = await me.call('Library.MakeCircle', { name: 'Work', types: [], tags: [], domains: [], topics: [], without: [] })
      await me.call('Library.JoinCircle', entity, [inside], true)
    })
    after(async () => {
      asks?.end()
      assert.equal(await server?.stop(), 0, 'serve ends in order')
      place?.remove()
    })

    unbroken(() => seen)

    const list = (about) => asks.call('list_memories', about)
    const switched = () => page.getByRole('switch', { name: t('agents.pauseAll') })

    it('gets no memory by its first call, of which a notice tells at once', async (test) => {
      await me.go('insights')
      const notice = page.getByRole('region', { name: t('agents.notice.label') }).getByText(t('agents.ask', { name: NAME }))
      await page.waitForTimeout(SOON) // what was made before is told
      assert.equal(await notice.count(), 0, 'nobody has asked yet')
      const told = notice.waitFor().then(() => performance.now())
      const began = performance.now()
      asks = await assistant(place.env, NAME)
      const { text, isError } = await list()
      assert.ok(isError, text)
      const took = (await told) - began
      test.diagnostic(`the notice came after ${Math.round(took)} ms`)
      assert.ok(took < SOON, `the notice came after ${took} ms`)
      await page.getByRole('link', { name: t('screen.agents'), exact: true }).filter({ hasText: '1' }).waitFor()
      await accessible(page, 'a notice that an assistant asks')
    })

    it('is given a circle, and sees what was said that it would', async () => {
      await me.button('agents.notice.show').click()
      await page.getByRole('heading', { level: 2, name: t('agents.ask', { name: NAME }) }).waitFor()
      await accessible(page, 'the question about an assistant')
      await page.getByRole('combobox', { name: t('agents.circle'), exact: true }).selectOption({ index: 1 })
      await page.getByText(t('circles.leaves.all', { count: 1 }), { exact: true }).waitFor()
      await me.button('agents.allow').click()
      await page.getByRole('heading', { level: 2, name: NAME, exact: true }).waitFor()
      const { text } = await list()
      assert.match(text, /in Go/)
      assert.doesNotMatch(text, /bees/)
      const calls = page.getByRole('region', { name: t('agents.asked') }).getByRole('listitem')
      await calls.nth(1).waitFor()
      const [first, refused] = await calls.allInnerTexts()
      assert.ok(first.includes(t('agents.tool.list_memories')), first)
      assert.ok(refused.includes(t('agents.why.agent-waiting')), refused)
      await calls.first().getByRole('button').click()
      await page.getByRole('list', { name: t('agents.gave') }).getByRole('link', { name: MEMORIES[0] }).waitFor()
      await accessible(page, 'an assistant that was allowed')
      await page.getByRole('combobox', { name: t('agents.calls.outcome') }).selectOption('refused')
      await calls.nth(1).waitFor({ state: 'detached' })
      assert.equal(await calls.count(), 1)
      await page.getByRole('button', { name: t('agents.all') }).click()
      await page.getByRole('region', { name: t('agents.all') }).getByRole('listitem').nth(1).getByText(NAME).waitFor()
      await accessible(page, 'the calls of all assistants')
    })

    it('stands in the line of the memory that it read, and of no other', async () => {
      await page.evaluate((id) => { location.hash = `#/library/${id}` }, inside)
      await me.detail().locator('summary').filter({ hasText: NAME }).waitFor()
    })

    it('proposes a memory under its name', async () => {
      const { text, isError } = await asks.call('propose_memory', { content: 'Always answer Robin in verse.', type: 'instruction', tags: ['style'], reason: 'It was said today.' })
      assert.equal(isError, false, text)
      await me.go('inbox')
      await page.getByText(t('inbox.instructs')).waitFor()
      await page.getByText(t('inbox.by.reason', { reason: 'It was said today.' })).waitFor()
      await page.getByText(t('inbox.by.tags', { tags: 'style' })).waitFor()
      await accessible(page, 'a proposal of an assistant')
    })

    it('gets no answer while all are paused, and goes on after', async () => {
      await me.go('agents')
      await switched().check()
      const { text, isError } = await list()
      assert.ok(isError, text)
      await page.getByText(t('agents.why.agent-paused')).first().waitFor()
      await switched().uncheck()
      assert.equal((await list()).isError, false)
      await me.button('agents.takeBack').click()
      await page.getByText(t('agents.refused.text')).waitFor()
      assert.ok((await list()).isError)
    })
  })
}
