// The list of what was found, on made-up data: where it stands, how it is moved through,
// and how it fits where it is.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { launch } from '../lib/browser.mjs'
import { fakePage } from '../lib/fakepage.mjs'
import { words } from '../lib/words.mjs'

describe('what was found', () => {
  const t = words('en')
  let browser, fake
  before(async () => {
    fake = await fakePage()
    browser = await launch()
  })
  after(async () => {
    await browser?.close()
    fake?.close()
  })

  // searching opens the search of a vault with so many made-up memories more.
  async function searching(text, { size = 900, ...options } = {}) {
    const visit = await fake.open(browser, 'search', { query: `&lang=en&size=${size}`, ...options })
    const { page } = visit
    page.setDefaultTimeout(10_000)
    const field = page.getByRole('textbox', { name: t('search.field') })
    const list = page.getByRole('listbox', { name: t('search.results') })
    await field.fill(text)
    await list.getByRole('option').first().waitFor()
    const top = () => page.locator('main .scroll').first().evaluate((box) => Math.round(box.scrollTop))
    const scroll = (to) => page.locator('main .scroll').first().evaluate((box, y) => { box.scrollTop = y }, to)
    return { ...visit, field, list, top, scroll }
  }

  it('begins at its top with every new question', async () => {
    const { page, field, list, top, scroll, context, errors } = await searching('the')
    await scroll(1500)
    await page.waitForTimeout(200)
    assert.ok(await top() > 1000, 'it was scrolled')
    await field.fill('in')
    await page.waitForTimeout(500)
    assert.equal(await top(), 0)
    await page.locator('#hit-0').waitFor()
    assert.equal(await list.getByRole('option').first().getAttribute('aria-posinset'), '1')
    assert.deepEqual(errors, [])
    await context.close()
  })

  it('is as narrow as the window, however wide it was', async () => {
    const { page, context } = await searching('the', { viewport: { width: 1280, height: 860 } })
    for (const width of [1280, 700, 400]) {
      await page.setViewportSize({ width, height: 860 })
      await page.waitForTimeout(300)
      const wide = await page.evaluate(() => {
        const box = document.querySelector('main .scroll')
        return Math.max(box.scrollWidth - box.clientWidth, document.documentElement.scrollWidth - innerWidth)
      })
      assert.ok(wide <= 0, `${wide} too wide in a window of ${width}`)
    }
    await context.close()
  })

  it('shows the row of the cursor below the bar, however high that is', async () => {
    const { page, field, context } = await searching('the', { viewport: { width: 400, height: 860 } })
    const high = await page.locator('main .scroll .ask').evaluate((bar) => bar.offsetHeight)
    assert.ok(high > 220, `the bar is ${high} high, which tells nothing`)
    await field.press('ArrowDown')
    await page.keyboard.press('PageDown')
    await page.keyboard.press('PageDown')
    await page.keyboard.press('PageDown')
    for (let row = 17; row > 2; row--) {
      await page.keyboard.press('ArrowUp')
      const under = await page.evaluate(() => {
        const row = document.querySelector('[role=option][aria-selected=true]').getBoundingClientRect()
        return Math.round(document.querySelector('main .scroll .ask').getBoundingClientRect().bottom - row.top)
      })
      assert.ok(under <= 0, `row ${row} is ${under} under the bar`)
    }
    await context.close()
  })
})
