// What is printed: only what is read, black on white whatever the theme is, and nothing
// that could be pressed.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { launch } from '../lib/browser.mjs'
import { fakePage } from '../lib/fakepage.mjs'

describe('paper', () => {
  let browser, fake
  before(async () => {
    fake = await fakePage()
    browser = await launch()
  })
  after(async () => {
    await browser?.close()
    fake?.close()
  })

  // printed looks at the page as it is when it is printed, and says what would be
  // pressed in vain and which words are too light for white paper.
  async function printed(page) {
    await page.emulateMedia({ media: 'print' })
    return page.evaluate(async () => {
      for (let still = 0; still < 5;) { // colours go over in a moment, one after what holds it
        await new Promise(requestAnimationFrame)
        still = document.getAnimations().length ? 0 : still + 1
      }

      const seen = (e) => e.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && e.getBoundingClientRect().width > 1
      const words = [...document.querySelectorAll('h2, p, li, td, th, time, code, span')].filter((e) => seen(e) && [...e.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
      const light = ([r, g, b]) => 0.2126 * (r / 255) ** 2.2 + 0.7152 * (g / 255) ** 2.2 + 0.0722 * (b / 255) ** 2.2
      return {
        icons: [...document.querySelectorAll('.icon-button, input, nav, [role=listbox]')].filter(seen).map((e) => e.getAttribute('aria-label') ?? e.localName),
        pale: words.filter((e) => light(getComputedStyle(e).color.match(/[\d.]+/g).map(Number)) > 0.18).map((e) => `${e.localName} “${e.textContent.trim().slice(0, 30)}”`),
        words: words.length,
      }
    })
  }

  for (const theme of ['light', 'dark']) {
    it(`holds a conversation and nothing else, in the ${theme} theme`, async () => {
      const { page, context, errors } = await fake.open(browser, 'conversations/c-notebooks', { query: `&theme=${theme}` })
      await page.getByText('animal glue').first().waitFor()
      const { icons, pale, words } = await printed(page)
      assert.ok(words > 30, `${words} words`)
      assert.deepEqual(icons, [])
      assert.deepEqual(pale, [])
      assert.deepEqual(errors, [])
      await context.close()
    })
  }

  it('holds several conversations, one after the other', async () => {
    const { page, context, errors } = await fake.open(browser, 'conversations')
    // Printing ends when the system's dialog does; here it is looked at meanwhile.
    await page.evaluate(() => {
      window.print = () => { window.papers = [...document.querySelectorAll('.papers > article')].map((one) => one.querySelector('h2').textContent) }
    })
    await page.getByRole('listbox', { name: 'Conversations' }).focus()
    for (const key of ['j', 'x', 'Shift+J']) await page.keyboard.press(key)
    await page.getByRole('toolbar').getByRole('button', { name: 'Print', exact: true }).click()
    await page.waitForFunction(() => window.papers)
    assert.deepEqual(await page.evaluate(() => window.papers), ['Lisboa a Pelotas em dezembro', 'Rota Vicentina in eleven days'])
    assert.deepEqual(errors, [])
    await context.close()
  })
})
