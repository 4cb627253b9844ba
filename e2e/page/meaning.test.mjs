// What is found by meaning, with the real model: a question that shares no word with the
// memory it finds, what is like that memory, and what a conversation touches.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { accessible, clean, launch, opened, unbroken } from '../lib/browser.mjs'
import { home, prepare, serve } from '../lib/program.mjs'
import { languages, words } from '../lib/words.mjs'

const CAT = 'The cat is called Bolota.'
const KITTEN = 'A kitten sleeps on the sofa.'
const OTHERS = ['Works four days a week as an archivist.', 'Prefers trains to planes.', 'Bakes a dense sourdough bread.', 'Learning German before the conference.', 'Swims on Tuesdays.']
const ENGINEER = ['Works as a senior data engineer at a logistics company in Rotterdam.', 'User is a senior data engineer who works for a logistics firm.']
const ROOF = ['Saves 20,000 euros for a new roof.', 'Saves 35,000 euros for a new roof.']
const QUESTION = 'which pets are there'

for (const language of languages) {
  describe(`what is close in meaning, in ${language}`, () => {
    const t = words(language)
    let browser, place, server, page, seen, me

    before(async () => {
      place = home()
      await prepare(place.env, ...[CAT, KITTEN, ...OTHERS, ...ENGINEER, ...ROOF].map((text) => ['add', text]))
      server = await serve(place.env)
      browser = await launch()
      ;({ page, seen, me } = await opened(browser, server.address, 30_000, { language }))
    })
    after(async () => {
      await browser?.close()
      assert.equal(await server?.stop(), 0, 'serve ends in order')
      place?.remove()
    })

    unbroken(() => seen)

    const list = () => page.getByRole('listbox', { name: t('search.results') })

    it('tells when every memory can be found so', async () => {
      await me.go('insights')
      await page.getByText(t('insights.meaning.all'), { exact: true }).waitFor()
      await accessible(page, 'Insights with how far the search by meaning is')
    })

    it('finds a memory that has no word of the question, marks it and says so', async () => {
      const own = CAT.toLowerCase().match(/\w+/g)
      assert.ok(QUESTION.split(' ').every((word) => !own.includes(word)), 'no word in common')
      await page.keyboard.press('ControlOrMeta+Shift+f')
      await page.getByRole('textbox', { name: t('search.field') }).fill(QUESTION)
      await list().getByRole('option').filter({ hasText: CAT }).filter({ hasText: t('search.near.mark') }).waitFor()
      await page.getByRole('status').filter({ hasText: t('search.near.only', { text: QUESTION }) }).waitFor()
      await list().getByText(t('search.group.close'), { exact: true }).waitFor()
      const count = await list().getByRole('option').count()
      await page.getByText(t('search.near.count', { count }), { exact: true }).waitFor()
      await accessible(page, 'a search that found only what is close in meaning')
    })

    it('opens it, and from there what is like it', async () => {
      await list().getByRole('option').filter({ hasText: CAT }).click()
      await me.detail().getByText(CAT).waitFor()
      const like = me.detail().getByRole('region', { name: t('similar.like') })
      await like.getByRole('button').filter({ hasText: KITTEN }).waitFor()
      await accessible(page, 'a memory with what is like it')
      await like.getByRole('button').filter({ hasText: KITTEN }).click()
      await me.detail().getByRole('region', { name: t('similar.like') }).getByRole('button').filter({ hasText: CAT }).waitFor()
    })

    it('is in the palette, too', async () => {
      await page.keyboard.press('ControlOrMeta+k')
      await page.getByRole('combobox', { name: t('palette.field') }).fill(QUESTION)
      await page.getByRole('option').filter({ hasText: CAT }).filter({ hasText: t('search.near.mark') }).waitFor()
      await accessible(page, 'the palette with what is close in meaning')
      await page.keyboard.press('Escape')
    })

    it('is shown in pairs to compare, which one key decides and undo takes back', async () => {
      await me.go('inbox')
      const kind = (name) => page.getByRole('region', { name: new RegExp(`^${t(`pairs.kind.${name}`)}`) })
      for (const text of ENGINEER) await kind('near').getByRole('link', { name: text }).waitFor()
      for (const text of ROOF) await kind('contradict').getByRole('link', { name: text }).waitFor()
      await kind('contradict').getByText(t('pairs.reason.number'), { exact: true }).waitFor()
      await accessible(page, 'pairs to compare')
      await page.keyboard.press('1')
      await page.getByText(t('pairs.merged'), { exact: true }).waitFor()
      await kind('near').getByRole('link', { name: ENGINEER[1] }).waitFor({ state: 'detached' })
      await me.button('undo.do').click()
      await kind('near').getByRole('link', { name: ENGINEER[1] }).waitFor()
      clean(seen)
    })
  })
}
