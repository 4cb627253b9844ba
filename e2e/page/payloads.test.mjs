// More than a thousand hostile texts, drawn one by one by the page: none opens a
// dialog, asks anybody, or calls what the reader did not ask for.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { clean, launch, visit } from '../lib/browser.mjs'
import { at } from '../lib/keepsake.mjs'
import { fixtures, home, prepare, serve } from '../lib/program.mjs'
import { words } from '../lib/words.mjs'

// What reading conversations needs; anything else would be something a text did.
const READING = new Set(['Conversations.Thread', 'Conversations.List', 'Library.List', 'Library.Facets', 'Library.Get', 'Library.Drafts', 'Library.SavedViews',
  'Vault.State', 'Vault.Present', 'Search.Find', 'Search.Similar', 'Settings.Get', 'Keys.Rotation', 'Imports.Opened', 'Imports.List', 'Inbox.List', 'Library.Agents'])

describe('a thousand payloads', () => {
  const t = words('en')
  let browser, place, server, page, seen, made

  before(async () => {
    made = await fixtures()
    browser = await launch()
    place = home()
    await prepare(place.env, ['import', made.path('payloads.zip')])
    server = await serve(place.env)
    ;({ page, seen } = await visit(browser, server.address))
    page.setDefaultTimeout(30_000)
    await at(page, t).enter('library')
  })
  after(async () => {
    await browser?.close()
    await server?.stop()
    place?.remove()
  })

  it('are drawn, and do nothing', async () => {
    const { conversations, messages } = made.truth.payloads
    assert.ok(messages >= 1000, `${messages} payloads`)
    const { items } = await at(page, t).call('Conversations.List', { text: '', platforms: [], since: '', until: '', sort: 'created', offset: 0, limit: 200 })
    assert.equal(items.length, conversations)
    const called = []
    page.on('request', (request) => { if (request.url().endsWith('/api/call')) called.push(JSON.parse(request.postData() ?? '{}').name) })
    const drawn = new Set()
    for (const { id } of items) {
      await page.evaluate((to) => { location.hash = `#/conversations/${to}` }, id)
      const text = page.getByRole('region', { name: t('conversations.text') })
      await text.getByText(/payload \d{4}\./).first().waitFor()
      for (const mark of await walk(page, text)) drawn.add(mark)
      assert.deepEqual(await foreign(page), [], `in ${id}`)
    }
    assert.equal(drawn.size, messages, 'every payload was drawn')
    assert.deepEqual(called.filter((name) => !READING.has(name)), [], 'calls that a text made')
    clean(seen)
    assert.equal(page.context().pages().length, 1, 'a window was opened')
    console.log(`# ${drawn.size} payloads: 0 dialogs, ${seen.outside.length} requests, 0 calls`)
  })
})

// walk scrolls a conversation through and lists the payloads it drew.
async function walk(page, text) {
  return text.evaluate(async (e) => {
    const marks = new Set()
    const frame = () => new Promise(requestAnimationFrame)
    for (let still = 0; still < 4;) {
      for (const [mark] of e.innerText.matchAll(/payload \d{4}\./g)) marks.add(mark)
      const before = e.scrollTop
      e.scrollBy(0, e.clientHeight * 0.8)
      await frame()
      await frame()
      await new Promise((next) => setTimeout(next, 15))
      for (let wait = 0; wait < 400 && e.querySelector('.ghost'); wait++) await frame() // a busy machine reads later than it scrolls
      still = e.scrollTop === before ? still + 1 : 0
    }
    return [...marks]
  })
}

// foreign lists nodes that must never come out of text.
function foreign(page) {
  return page.evaluate(() => [...document.querySelectorAll('.markdown *')]
    .filter((e) => !/^(p|br|hr|em|strong|del|sup|code|pre|blockquote|ul|ol|li|h[3-6]|table|thead|tbody|tr|th|td|a|span|div|button|mark)$/.test(e.localName) && e.namespaceURI !== 'http://www.w3.org/1998/Math/MathML'
      || [...e.attributes].some((a) => /^(on|href|src|style|srcdoc|action|xlink)/i.test(a.name)))
    .map((e) => e.outerHTML.slice(0, 160)))
}
