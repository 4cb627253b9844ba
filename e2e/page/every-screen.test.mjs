// Every screen, on made-up data: axe in both themes, in forced colours, at twice the size, and in a language whose words are longer than any.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { accessible, launch } from '../lib/browser.mjs'
import { fakePage } from '../lib/fakepage.mjs'

const SCREENS = ['portrait', 'library', 'library/m-3', 'inbox', 'todos', 'conversations', 'conversations/c-notebooks', 'conversations/c-tea', 'graph', 'insights', 'search', 'import', 'verify', 'compare', 'handoff', 'circles', 'agents',
  'security', 'security/ways', 'security/erase', 'security/log', 'settings']

describe('every screen', () => {
  let browser, fake
  before(async () => {
    fake = await fakePage()
    browser = await launch()
  })
  after(async () => {
    await browser?.close()
    fake?.close()
  })

  const open = (screen, options) => fake.open(browser, screen, options)

  for (const screen of SCREENS) {
    // Each visit is a page of its own that has to be read and run, so that one serves several looks.
    it(`${screen} is clean for axe in both themes, and keeps its focus in forced colours`, async () => {
      const { page, context, errors } = await open(screen)
      assert.equal(await page.getByRole('alert').count(), 0, 'what was asked for is there')
      await accessible(page, screen)
      await page.emulateMedia({ forcedColors: 'active' })
      await page.keyboard.press('Tab')
      const focus = await page.evaluate(() => {
        const style = getComputedStyle(document.activeElement)
        return document.activeElement !== document.body && (style.outlineStyle !== 'none' || style.boxShadow !== 'none')
      })
      assert.ok(focus, 'what has the focus shows it')
      assert.deepEqual(errors, [])
      await context.close()
    })

    it(`${screen} holds longer words, and twice the size, without running over`, async () => {
      const { page, context } = await open(screen, { query: '&lang=pseudo' })
      assert.deepEqual(await overflowing(page), [], `${screen} in the pseudo-language`)
      await page.setViewportSize({ width: 700, height: 700 })
      await painted(page)
      assert.deepEqual(await overflowing(page), [], `${screen} in a window of 700 pixels in the pseudo-language`)
      await context.close()
      const twice = await open(screen, { viewport: { width: 640, height: 430 }, deviceScaleFactor: 2 })
      assert.deepEqual(await overflowing(twice.page), [], `${screen} in 200 %`)
      await twice.context.close()
    })
  }

  it('writes in its charts as large as elsewhere, however wide they are', async () => {
    for (const width of [1600, 1280, 820, 640, 320]) {
      const { page, context } = await open('insights', { viewport: { width, height: 860 } })
      await page.getByRole('figure').first().waitFor()
      const sizes = await page.locator('figure svg text:not(.number)').evaluateAll((texts) => texts.map((text) => text.getScreenCTM().a * parseFloat(getComputedStyle(text).fontSize)))
      assert.ok(sizes.length >= 7, 'the life of a memory and two charts have words')
      for (const size of sizes) assert.ok(size > 9 && size < 12.5, `${size} px in a window of ${width}`)
      await context.close()
    }
  })

  it('moves nothing where nobody wants it to', async () => {
    const { page, context } = await open('library')
    await page.keyboard.press('ControlOrMeta+k')
    await page.getByRole('dialog').waitFor()
    const long = await page.evaluate(() => document.getAnimations().map((a) => a.effect?.getTiming().duration).filter((ms) => typeof ms === 'number' && ms > 20))
    assert.deepEqual(long, [])
    await context.close()
  })

  it('does the main things without a mouse', async () => {
    const { page, context } = await open('library')
    const says = (text) => page.getByText(text, { exact: true }).first().waitFor()
    await page.keyboard.press('ControlOrMeta+n')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.type('Walks to work along the river.')
    await page.keyboard.press('ControlOrMeta+Enter')
    await says('The memory is kept.')
    await page.keyboard.press('ControlOrMeta+z')
    await says('The new memory is gone again.')
    await page.keyboard.press('ControlOrMeta+Shift+z')
    await says('Done again.')
    await page.keyboard.press('ControlOrMeta+f')
    await page.keyboard.type('river')
    await says('1 memory')
    await page.keyboard.press('Enter')
    await page.keyboard.press('j')
    await page.getByRole('article').waitFor()
    await page.keyboard.press('x')
    await says('1 marked')
    await page.keyboard.press('Escape')
    await page.keyboard.press('ControlOrMeta+k')
    await page.keyboard.type('insi')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Insights' }).waitFor()
    await page.keyboard.press('ControlOrMeta+Shift+f')
    await page.keyboard.type('tea')
    await page.getByRole('listbox', { name: 'What was found' }).or(page.getByRole('listbox')).first().waitFor()
    await page.keyboard.press('?')
    await page.keyboard.press('ControlOrMeta+e')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('ControlOrMeta+l')
    await page.getByRole('heading', { level: 1 }).first().waitFor()
    await context.close()
  })
})

// painted waits until what follows the size of the window has followed it.
function painted(page) {
  return page.evaluate(async () => {
    for (let i = 0; i < 6; i++) await new Promise(requestAnimationFrame)
  })
}

// overflowing lists what is wider than its room, or words that are cut off where
// nothing says that they go on.
function overflowing(page) {
  return page.evaluate(() => {
    const found = []
    if (document.documentElement.scrollWidth > innerWidth + 1) found.push(`the page is ${document.documentElement.scrollWidth} wide in ${innerWidth}`)
    for (const e of document.querySelectorAll('button, a, label, h1, h2, h3, th, dt, legend, summary')) {
      const style = getComputedStyle(e)
      const box = e.getBoundingClientRect()
      if (box.width === 0 || style.clipPath !== 'none' || style.position === 'absolute') continue
      const tells = [e, ...e.querySelectorAll('*')].some((x) => getComputedStyle(x).textOverflow === 'ellipsis' || getComputedStyle(x).webkitLineClamp !== 'none')
      if (!tells && e.scrollWidth > e.clientWidth + 2 && style.display !== 'inline' && e.clientWidth > 0) found.push(`${e.localName}.${e.className} “${e.textContent.trim().slice(0, 40)}”`)
      if (box.right > innerWidth + 1 && box.left < innerWidth && !e.closest('[class*=scroll], .table, .md-table, .legend')) found.push(`out: ${e.localName} “${e.textContent.trim().slice(0, 40)}”`)
    }
    return [...new Set(found)].slice(0, 8)
  })
}
