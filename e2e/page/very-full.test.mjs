// Every screen of a vault that somebody filled for many years. Each answers, keeps little
// of it in the document and asks for little of it at once, and is clean for axe. With
// KEEPSAKE_SOAK there are 100,000 memories and 10,000 conversations; otherwise as many as
// a list must not hold at once, and no more. One conversation always has 10,000 messages.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { accessible, clean, launch, unbroken, visit } from '../lib/browser.mjs'
import { at } from '../lib/keepsake.mjs'
import { said, store, talks } from '../lib/much.mjs'
import { home, prepare, results, serve } from '../lib/program.mjs'
import { words } from '../lib/words.mjs'

const [MEMORIES, TALKS] = process.env.KEEPSAKE_SOAK ? [100_000, 10_000] : [3_000, 600]
const LONGEST = 10_000
const ELEMENTS = 4_000 // in the document: some hundred rows with all that is in them
const ANSWER = 1_000_000 // bytes over the bridge

describe('a very full vault', () => {
  const t = words('en')
  const large = []
  let browser, place, server, page, seen, me

  before(async () => {
    place = home()
    const memories = join(place.folder, 'many.json')
    writeFileSync(memories, store(MEMORIES, MEMORIES / 20))
    const talked = join(place.folder, 'export')
    mkdirSync(talked)
    writeFileSync(join(talked, 'conversations.json'), talks(TALKS, LONGEST))
    await prepare(place.env, ['import', memories, '--accept-broken'], ['import', talked])
    server = await serve(place.env)
    browser = await launch()
    ;({ page, seen } = await visit(browser, server.address))
    page.setDefaultTimeout(60_000)
    page.on('response', async (answer) => {
      if (!answer.url().endsWith('/api/call')) return
      const { length } = await answer.body().catch(() => '') // a page that is left takes it along
      if (length > ANSWER) large.push(`${JSON.parse(answer.request().postData()).name}: ${length}`)
    })
    me = at(page, t)
    await me.enter('library')
  })
  after(async () => {
    await browser?.close()
    assert.equal(await server?.stop(), 0, 'serve ends in order')
    place?.remove()
  })

  unbroken(() => seen)

  const options = (label) => page.getByRole('listbox', { name: t(label) }).getByRole('option')

  // bears is what a screen must hold when it shows as much as it ever will.
  async function bears(where) {
    const elements = await page.evaluate(() => document.querySelectorAll('*').length)
    assert.ok(elements < ELEMENTS, `${elements} elements on ${where}`)
    assert.deepEqual(large, [], 'answers over the bridge')
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${where} is no wider than its window`)
    await page.screenshot({ path: join(results, `very-full-${where}.png`) })
    await accessible(page, `a very full ${where}`)
  }

  it('lists every memory, from the newest to the oldest, by keys', async () => {
    await page.getByText(t('library.count', { count: MEMORIES }), { exact: true }).waitFor()
    await options('library.list.label').filter({ hasText: said(MEMORIES - 1) }).waitFor()
    await page.getByRole('listbox', { name: t('library.list.label') }).focus()
    await page.keyboard.press('End')
    await options('library.list.label').filter({ hasText: /number 0$|number 0\D/ }).waitFor()
    await page.keyboard.press('Enter')
    await me.detail().getByText(said(0)).first().waitFor()
    await bears('library')
  })

  it('finds one of them', async () => {
    await (await me.find(`number ${MEMORIES - 123}`, 1)).first().waitFor()
    await page.getByRole('textbox', { name: t('library.search') }).fill('')
  })

  it('lists every conversation and reads the longest to its end', async () => {
    await me.go('conversations')
    await page.getByText(t('conversations.count', { count: TALKS }), { exact: true }).waitFor()
    await options('conversations.list').first().click()
    const text = page.getByRole('region', { name: t('conversations.text') })
    await text.getByText('What do you say?').waitFor()
    await text.focus()
    await page.keyboard.press('End')
    await text.getByText(`That is answer ${LONGEST - 1} about`).waitFor()
    await page.waitForFunction((last) => {
      const said = [...document.querySelectorAll('main p')].find((p) => p.textContent.startsWith(last))
      return said && said.getBoundingClientRect().bottom <= innerHeight
    }, `That is answer ${LONGEST - 1} about`)
    await bears('conversations')
  })

  for (const [screen, shown] of Object.entries({
    graph: () => page.locator('.graph[data-way] canvas').first(),
    insights: () => page.getByRole('figure').first(),
    todos: () => page.getByText(t('todos.empty.title')),
    search: () => page.getByRole('textbox', { name: t('search.field') }),
    import: () => me.button('import.choose'),
    verify: () => me.button('verify.choose'),
    handoff: () => page.getByRole('region', { name: t('handoff.part.import'), exact: true }).or(page.locator('main section')).first(),
    circles: () => page.getByText(t('circles.empty.title')),
    security: () => me.button('security.backups.make'),
    settings: () => page.getByText(t('settings.network.none'), { exact: true }),
  })) {
    it(`shows ${screen}`, async () => {
      await me.go(screen)
      await shown().waitFor()
      await bears(screen)
    })
  }

  it('proposes what was said in all of them', async () => {
    await me.go('inbox')
    await me.button('inbox.look').click()
    await page.getByRole('region', { name: t('inbox.list') }).getByText(t('inbox.count', { count: TALKS }), { exact: true }).waitFor({ timeout: 180_000 })
    await options('inbox.list').first().waitFor()
    await bears('inbox')
  })

  it('finds a message among all of them', async () => {
    await me.go('search')
    await page.getByRole('textbox', { name: t('search.field') }).fill(`"message ${LONGEST - 2}"`)
    await options('search.results').first().locator('mark').first().waitFor()
  })

  it('says on the export sheet how much goes', async () => {
    await page.keyboard.press('ControlOrMeta+e')
    await me.button('export.start').click({ trial: true }) // it waits for the count
    await page.getByText(t('export.memories', { count: MEMORIES })).waitFor()
    await bears('export')
    await page.keyboard.press('Escape')
  })

  it('asked nobody outside', () => clean(seen))
})
