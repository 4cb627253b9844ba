// Text of an export is never trusted: whatever stands in it is shown as text,
// runs nothing, asks nobody and leads nowhere.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { clean, launch, visit } from '../lib/browser.mjs'
import { at } from '../lib/keepsake.mjs'
import { fixtures, home, serve } from '../lib/program.mjs'
import { words } from '../lib/words.mjs'

describe('hostile text', () => {
  const t = words('en')
  let browser, place, server, page, seen, context, origin, me, made

  before(async () => {
    made = await fixtures()
    browser = await launch()
    place = home()
    server = await serve(place.env)
    ;({ page, seen, context, origin } = await visit(browser, server.address))
    page.setDefaultTimeout(20_000)
    me = at(page, t)
    await me.create()
    await me.importing([made.path('hostile.zip')])
  })
  after(async () => {
    await browser?.close()
    await server?.stop()
    place?.remove()
  })

  // foreign lists what must not have come out of text.
  const foreign = () => page.evaluate(() => [...document.querySelectorAll(
    'script:not([src^="/assets/"]), iframe, frame, object, embed, form[action], base, meta[http-equiv="refresh"], svg script, style:not([data-owner])')]
    .filter((e) => !(e instanceof HTMLStyleElement && document.head.contains(e)))
    .concat([...document.querySelectorAll('*')].filter((e) => [...e.attributes].some((a) => /^on/i.test(a.name) || /^\s*(javascript|data|smb|wails|vbscript):/i.test(a.value))))
    .map((e) => e.outerHTML.slice(0, 200)))

  it('is text in the library', async () => {
    await me.button('import.report.library').click()
    await me.screen('library')
    const rows = page.getByRole('listbox', { name: t('library.list.label') }).getByRole('option')
    await rows.first().waitFor()
    assert.equal(await rows.count(), made.truth.hostile.memories.length)
    for (let i = 0; i < made.truth.hostile.memories.length; i++) {
      await rows.nth(i).click()
      await me.detail().waitFor()
    }
    await page.getByText("<script>alert('memory')</script>").first().waitFor()
    assert.deepEqual(await foreign(), [])
  })

  it('is text in a conversation', async () => {
    await me.go('conversations')
    await page.getByRole('listbox', { name: t('conversations.list') }).getByRole('option').first().click()
    const text = page.getByRole('region', { name: t('conversations.text') })
    await text.getByText("alert('svg')").first().waitFor()
    // Every message has been drawn once the last one was reached.
    for (let i = 0; i < 60; i++) {
      await text.evaluate((e) => e.scrollBy(0, e.clientHeight))
      await page.evaluate(() => new Promise(requestAnimationFrame))
      assert.deepEqual(await foreign(), [])
    }
    await text.getByText('Done.').waitFor()
  })

  it('leads nowhere when it is pressed, and says where it would', async () => {
    const text = page.getByRole('region', { name: t('conversations.text') })
    const links = text.getByRole('link')
    await text.evaluate((e) => e.scrollTo(0, 0))
    await me.reach(text, links)
    const shown = []
    for (const link of await links.all()) {
      await link.click()
      const asked = page.getByRole('dialog')
      await asked.waitFor()
      await asked.getByText(/beacon\.invalid/).first().waitFor() // the address is looked at in Go
      shown.push(await asked.innerText())
      await page.keyboard.press('Escape')
      await asked.waitFor({ state: 'hidden' })
    }
    assert.ok(shown.length > 0, 'there is a link to press')
    for (const words of shown) assert.match(words, /beacon\.invalid/)
    assert.equal(new URL(page.url()).origin, origin)
    assert.equal(context.pages().length, 1, 'a window was opened')
  })

  it('ran nothing and asked nobody outside', () => clean(seen))

  it('cannot be run by the page even if it wanted to', async () => {
    // In a task of the page's own: what a debugger runs is above the policy.
    const tries = await page.evaluate(() => new Promise((answer) => setTimeout(async () => {
      const done = {}
      try { done.eval = (0, eval)('1') } catch (e) { done.eval = e.name }
      try { const d = document.createElement('div'); d.innerHTML = '<b>x</b>'; done.html = d.firstChild?.nodeName } catch (e) { done.html = e.name }
      try {
        const script = document.createElement('script')
        script.text = 'window.ran = true'
        document.body.append(script)
      } catch (e) { done.script = e.name }
      done.ran = window.ran === true
      done.fetch = await fetch('https://beacon.invalid/').then(() => 'asked', (e) => e.name)
      answer(done)
    })))
    assert.equal(tries.eval, 'EvalError')
    assert.equal(tries.html, 'TypeError')
    assert.equal(tries.ran, false)
    assert.equal(tries.fetch, 'TypeError')
  })
})
