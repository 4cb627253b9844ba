// A hit leads to the very place, however long its message is: the words are marked and
// seen, the find bar goes to them, and a long message can be read to its end.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { clean, launch, opened, unbroken } from '../lib/browser.mjs'
import { home, prepare, results, serve } from '../lib/program.mjs'
import { languages, words } from '../lib/words.mjs'
import { conversation, entry, memory, store, zip } from '../lib/writers.mjs'

// text is so many paragraphs of 180 bytes, with words in some of them.
function text(paragraphs, said) {
  return Array.from({ length: paragraphs }, (_, i) => `Paragraph ${i} ${said[i] ?? 'of nothing'} ${'goes on for a while and says little. '.repeat(4)}`).join('\n\n')
}

const MESSAGES = [
  { kilobytes: 9, word: 'zimbelstern', paragraphs: 52, places: [50] },
  { kilobytes: 60, word: 'quetzalcoatl', paragraphs: 340, places: [310, 325] },
  { kilobytes: 300, word: 'xylophagous', paragraphs: 1_700, places: [1_500, 1_690] },
]
// A conversation of very many messages, with a word in one of them.
const FAR = { word: 'serpentone', messages: 20_000, at: 15_001 }
const many = Array.from({ length: FAR.messages }, (_, i) => (i === FAR.at ? `Here is the **${FAR.word}** at last.` : `Number ${i} says little.`))
const texts = MESSAGES.flatMap(({ word, paragraphs, places }) => ['And now?', text(paragraphs, Object.fromEntries(places.map((at) => [at, `with a **${word}** in it,`])))])
const bundle = zip({
  'memory-store.json': store([memory('m-1', text(40, { 39: 'with a bombardon in it,' }).replace(/\s+/g, ' ').trim(), { provenance: { platform: 'chatgpt', conversation_ref: 'c-1' } }), memory('m-2', 'Keeps a bassanello at home.')], { conversations_index: [entry('c-1', 'Long ones', 'conversations/c-1.json'), entry('c-2', 'Many', 'conversations/c-2.json')] }),
  'conversations/c-1.json': conversation('c-1', 'Long ones', texts),
  'conversations/c-2.json': conversation('c-2', 'Many', many),
})

let browser, place, server
before(async () => {
  browser = await launch()
  place = home()
  const file = join(place.folder, 'long.pam.zip')
  writeFileSync(file, bundle)
  await prepare(place.env, ['import', file])
  server = await serve(place.env)
})
after(async () => {
  assert.equal(await server?.stop(), 0, 'serve ends in order')
  place?.remove()
  await browser?.close()
})

describe('the very place of a hit', () => {
  const t = words(languages[0])
  let page, seen, me
  before(async () => ({ page, seen, me } = await opened(browser, server.address, 10_000, { language: languages[0] })))
  unbroken(() => seen)

  // shown waits until a word is marked as often as it should be, and its first place is
  // seen; centred until that lies in the middle of the text, once the message has settled.
  const shown = (word, count, box, off = 0) => page.waitForFunction(([word, count, box, off]) => {
    const ranges = ['found', 'find'].flatMap((name) => [...(CSS.highlights.get(name) ?? [])])
    const text = document.querySelector(box)?.getBoundingClientRect()
    const first = ranges[0]?.getBoundingClientRect()
    if (!text || ranges.length !== count || !ranges.every((range) => range.toString() === word)) return false
    const seen = first.height > 0 && first.top >= text.top && first.bottom <= text.bottom
    return seen && (off === 0 || Math.abs(first.top + first.height / 2 - text.top - text.height / 2) < off)
  }, [word, count, box, off])
  const centred = (word, count, box) => shown(word, count, box, 40)
  const reader = '.reader > .scroll'
  const unmarked = () => page.waitForFunction(() => !CSS.highlights.has('find') && !CSS.highlights.has('found'))
  const keep = async (name) => {
    if (!process.env.KEEPSAKE_SHOTS) return
    mkdirSync(join(results, 'shots'), { recursive: true })
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme })
      await page.waitForTimeout(200)
      await page.screenshot({ path: join(results, 'shots', `${name}-${colorScheme}.png`) })
    }
  }
  const find = async (word) => {
    await page.keyboard.press('ControlOrMeta+Shift+f')
    await page.getByRole('textbox', { name: t('search.field') }).fill(word)
    await page.getByRole('option').filter({ hasText: word }).first().waitFor()
  }

  it(`opens one of ${FAR.messages} messages at the word`, async () => {
    await find(FAR.word)
    await page.getByRole('option').filter({ hasText: FAR.word }).first().click()
    await centred(FAR.word, 1, reader)
    await keep('hit-far')
    await page.keyboard.press('Escape')
    await me.screen('search')
    await unmarked()
  })

  it(`finds in ${FAR.messages} messages without having them`, async () => {
    await page.evaluate(() => { location.hash = '#/conversations/c-2' })
    await page.locator('article.message').first().waitFor()
    await page.keyboard.press('ControlOrMeta+f')
    const field = page.getByRole('textbox', { name: t('conversations.find'), exact: true })
    const said = (at, count) => page.getByText(t('conversations.find.place', { at, count }), { exact: true }).waitFor()
    await field.fill(`the ${FAR.word} at`)
    await said(1, 1)
    await centred(`the ${FAR.word} at`, 1, reader)
    await keep('find-far')
    await field.fill('says little')
    await said(1, FAR.messages - 1)
    await page.keyboard.press('Shift+Enter')
    await said(FAR.messages - 1, FAR.messages - 1)
    await page.getByText(`Number ${FAR.messages - 1} says`).waitFor()
    await page.keyboard.press('Escape')
    await unmarked()
  })

  for (const { kilobytes, word, places } of MESSAGES) {
    it(`opens a message of ${kilobytes} KB at the word, from Search`, async () => {
      await find(word)
      await page.getByRole('option').filter({ hasText: word }).first().click()
      await centred(word, places.length, reader)
      await keep(`hit-${kilobytes}`)
      await page.keyboard.press('Escape')
      await me.screen('search')
      await unmarked()
    })

    it(`goes to a word in a message of ${kilobytes} KB by the find bar, and on to the next`, async () => {
      await page.goto(`${new URL(page.url()).origin}/#/library`)
      await page.evaluate(() => { location.hash = '#/conversations/c-1' })
      await page.locator('article.message').first().waitFor()
      await page.keyboard.press('ControlOrMeta+f')
      await page.getByRole('textbox', { name: t('conversations.find'), exact: true }).fill(word)
      for (const at of places.keys()) {
        await page.getByText(t('conversations.find.place', { at: at + 1, count: places.length }), { exact: true }).waitFor()
        await centred(word, places.length, reader)
        assert.match(await page.evaluate(() => [...CSS.highlights.get('found')][0].startContainer.parentElement.closest('p').textContent), new RegExp(`^Paragraph ${places[at]} `))
        await page.keyboard.press('Enter')
      }
      await keep(`find-${kilobytes}`)
      await page.keyboard.press('Escape')
      await unmarked()
    })
  }

  it('opens it from the palette, in a message that is open already', async () => {
    for (const { word, places } of [MESSAGES[2], MESSAGES[0]]) {
      await page.keyboard.press('ControlOrMeta+k')
      await page.getByRole('combobox', { name: t('palette.field') }).fill(word)
      await page.getByRole('option').filter({ hasText: word }).first().click()
      await centred(word, places.length, reader)
    }
  })

  it('goes on from the marks with another message, and with what is typed to be found', async () => {
    await page.keyboard.press('k')
    await unmarked()
    await find(MESSAGES[0].word)
    await page.getByRole('option').filter({ hasText: MESSAGES[0].word }).first().click()
    await shown(MESSAGES[0].word, 1, reader)
    await page.keyboard.press('ControlOrMeta+f')
    await page.getByRole('textbox', { name: t('conversations.find'), exact: true }).fill('nowhere in here')
    await page.getByText(t('conversations.find.none'), { exact: true }).waitFor()
    await unmarked()
    await page.keyboard.press('Escape')
  })

  it('leaves out on paper what goes on with a long message', async () => {
    await page.evaluate(() => { location.hash = '#/conversations' })
    await page.evaluate(() => { location.hash = '#/conversations/c-1/c-1-5' })
    await page.locator('[data-message="c-1-5"]').waitFor()
    // Of the button a copy is looked at: the list keeps only what is in view, and on paper there is no view.
    const copy = await me.button('conversations.more').first().evaluateHandle((e) => document.body.appendChild(e.cloneNode(true)))
    const seen = () => copy.evaluate((e) => e.checkVisibility())
    assert.equal(await seen(), true)
    await page.emulateMedia({ media: 'print' })
    const printed = await seen()
    await page.emulateMedia({ media: null })
    await copy.evaluate((e) => e.remove())
    assert.equal(printed, false)
  })

  it('shows a long message to its end, a part at a time', async () => {
    await page.evaluate(() => { location.hash = '#/conversations' })
    await page.evaluate(() => { location.hash = '#/conversations/c-1/c-1-5' })
    const more = me.button('conversations.more')
    for (let presses = 0; ; presses++) {
      await page.locator('[data-message="c-1-5"]').waitFor()
      const length = await page.locator('[data-message="c-1-5"]').evaluate((e) => e.textContent.length)
      if ((await more.count()) === 0) {
        assert.ok(length > 280_000 && presses >= 2, `${length} after ${presses}`)
        break
      }
      await more.click()
      await page.waitForFunction((length) => document.querySelector('[data-message="c-1-5"]').textContent.length > length, length)
    }
    assert.match(await page.locator('[data-message="c-1-5"]').textContent(), /Paragraph 1699 /)
  })

  it('marks the words in a memory, and shows the place', async () => {
    for (const [word, count] of [['bombardon', 1], ['bassanello', 1]]) {
      await find(word)
      await page.getByRole('option').filter({ hasText: word }).first().click()
      await me.screen('library')
      await shown(word, count, 'article.detail')
      await keep(`memory-${word}`)
    }
    await me.go('search')
    await unmarked()
  })

  it('asked nobody outside', () => clean(seen))
})
