// Every screen, every state of it that decides something, and every sheet in a window of
// 1,280 by 800 at 200 % and in one that is 320 wide: nothing runs out of the page, and
// whoever goes through it with Tab sees what has the focus, whole and uncovered.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { launch } from '../lib/browser.mjs'
import { fakePage } from '../lib/fakepage.mjs'
import { words } from '../lib/words.mjs'

const SIZES = [['200 %', { width: 640, height: 400 }], ['320 wide', { width: 320, height: 512 }]]

// Each: where, and the steps to it with the words of a language.
const PLACES = {
  portrait: ['portrait'],
  'news of the portrait': ['portrait', async () => {}, { query: '&news' }],
  library: ['library'],
  'a memory': ['library/m-3'],
  inbox: ['inbox'],
  tasks: ['todos'],
  conversations: ['conversations'],
  'a conversation': ['conversations/c-notebooks'],
  'a conversation with branches': ['conversations/c-tea'],
  'finding in a conversation': ['conversations/c-tea', ({ page }) => page.keyboard.press('ControlOrMeta+f')],
  graph: ['graph'],
  insights: ['insights'],
  search: ['search'],
  'what was found': ['search', async ({ page, t }) => { await page.getByRole('textbox', { name: t('search.field') }).fill('tea') }],
  import: ['import'],
  verify: ['verify'],
  'a verified file': ['verify/offer-own'],
  'a broken file': ['verify/offer-broken'],
  compare: ['compare'],
  'two files': ['compare/offer-a'],
  'hand off': ['handoff'],
  circles: ['circles'],
  'no circle': ['circles', async () => {}, { query: '&circles=0' }],
  'two hundred circles': ['circles', async () => {}, { query: '&circles=200' }],
  agents: ['agents'],
  'no agent': ['agents', async () => {}, { query: '&agents=0' }],
  'an agent that asks': ['agents', async () => {}, { query: '&waiting=1' }],
  'sixty agents': ['agents', async () => {}, { query: '&agents=60' }],
  'a notice that one asks': ['insights', async () => {}, { query: '&waiting=2' }],
  'who gets a memory': ['library/m-59', ({ page, t }) => page.getByRole('button', { name: t('library.property.circles') }).click()],
  keeping: ['security'],
  'ways in': ['security/ways'],
  erasing: ['security/erase'],
  log: ['security/log'],
  settings: ['settings'],
  frozen: ['library', async ({ page, press }) => {
    await page.evaluate(() => { location.hash = '#/security' })
    await press('security.freeze.do')
  }],
  welcome: ['', async () => {}, { vault: 'none' }],
  'a new passphrase': ['', ({ press }) => press('welcome.create'), { vault: 'none' }],
  'the recovery key': ['', newVault, { vault: 'none' }],
  'the check of the recovery key': ['', async (at) => {
    await newVault(at)
    await at.press('recovery.next')
  }, { vault: 'none' }],
  unlock: ['', async () => {}, { vault: 'locked' }],
  'unlock with the recovery key': ['', ({ press }) => press('unlock.useRecovery'), { vault: 'locked' }],
  'a damaged vault': ['', async ({ page, t, press }) => {
    await page.getByLabel(t('unlock.passphrase'), { exact: true }).fill('correct horse')
    await press('unlock.submit')
    await page.getByText(t('recover.title')).waitFor()
  }, { vault: 'locked', query: '&damaged' }],
  'the plan of an import': ['import', ({ press }) => press('import.choose')],
  'a running import': ['import', importing, { query: '&import=60000' }],
  'the report of an import': ['import', imported, { query: '&import=0' }],
  'undoing an import': ['import', async (at) => {
    await imported(at)
    await at.press('import.undo')
  }, { query: '&import=0', sheet: true }],
  'pasted text': ['import', ({ press }) => press('import.paste'), { sheet: true }],
  'the export sheet': ['library', ({ page }) => page.keyboard.press('ControlOrMeta+e'), { sheet: true }],
  'redaction in the export sheet': ['library', async ({ page, press }) => {
    await page.keyboard.press('ControlOrMeta+e')
    await press('redaction.look')
  }, { sheet: true }],
  'the certificate': ['library', async ({ page, press }) => {
    await page.keyboard.press('ControlOrMeta+e')
    await press('export.start')
  }, { sheet: true }],
  shortcuts: ['library', ({ page }) => page.keyboard.press('?'), { sheet: true }],
  palette: ['library', ({ page }) => page.keyboard.press('ControlOrMeta+k'), { sheet: true }],
  'a new memory': ['library', ({ page }) => page.keyboard.press('ControlOrMeta+n'), { sheet: true }],
  relating: ['library/m-3', ({ press }) => press('library.relations.add')],
  forgetting: ['library/m-3', ({ press }) => press('forget.memory'), { sheet: true }],
  'a new task': ['todos', ({ press }) => press('todos.new'), { sheet: true }],
  'a new circle': ['circles', ({ press }) => press('circles.new'), { sheet: true }],
  'a circle that is deleted': ['circles', ({ press }) => press('circles.drop'), { sheet: true }],
  'what an agent may': ['agents', ({ press }) => press('agents.change'), { sheet: true }],
  'an agent that is removed': ['agents', ({ press }) => press('agents.remove'), { sheet: true }],
  'the assistants that can be connected': ['agents', connecting(), { sheet: true }],
  'a change to the settings of an assistant': ['agents', connecting('Gemini CLI'), { sheet: true }],
  'settings that cannot be changed': ['agents', connecting('Zed'), { sheet: true }],
  'an assistant that is not known': ['agents', connecting('Outro assistente'), { sheet: true }],
  'a backup that is checked': ['security', ({ press }) => press('security.backups.check'), { sheet: true }],
  'a new passphrase of the vault': ['security/ways', ({ press }) => press('keys.passphrase.change'), { sheet: true }],
  'a new recovery key': ['security/ways', ({ press }) => press('keys.recovery.new'), { sheet: true }],
  'a leaked passphrase': ['security/ways', ({ press }) => press('keys.leak.do'), { sheet: true }],
  destroying: ['security/erase', ({ press }) => press('destroy.ask'), { sheet: true }],
  'a key that is added': ['settings', ({ press }) => press('signers.add'), { sheet: true }],
  'a key that is replaced': ['settings', ({ press }) => press('signers.rotate'), { sheet: true }],
  'a key that is revoked': ['settings', ({ press }) => press('signers.revoke'), { sheet: true }],
}

// connecting chooses an assistant of those that can be connected, or none.
function connecting(name) {
  return async ({ page, press }) => {
    await press('connect.begin')
    const one = page.getByRole('dialog').getByRole('button', { name: new RegExp(`^${name ?? 'Cursor'}`) })
    await one.waitFor()
    if (name) await one.click()
  }
}

async function newVault({ page, t, press }) {
  await press('welcome.create')
  for (const key of ['create.passphrase', 'create.again']) await page.getByLabel(t(key), { exact: true }).fill('lantern harbor walnut copper')
  await press('create.submit')
}

async function importing({ press }) {
  await press('import.choose')
  await press('import.plan.begin')
}

async function imported(at) {
  await importing(at)
  await at.page.getByRole('button', { name: at.t('import.report.library'), exact: true }).waitFor()
}

describe('a small window', () => {
  const t = words('pt-BR') // whose words are the longer ones
  let browser, fake
  before(async () => {
    fake = await fakePage()
    browser = await launch()
  })
  after(async () => {
    await browser?.close()
    fake?.close()
  })

  for (const [name, [screen, steps = async () => {}, { sheet = false, query = '', ...options } = {}]] of Object.entries(PLACES)) {
    it(`shows ${name} without losing anything`, async () => {
      const { page, context, errors } = await fake.open(browser, screen, { ...options, query: `&lang=pt-BR${query}`, viewport: SIZES[0][1] })
      page.setDefaultTimeout(10_000)
      const press = (key) => page.getByRole('button', { name: t(key), exact: true }).first().click()
      await steps({ page, t, press })
      if (sheet) await page.getByRole('dialog').waitFor()
      await page.waitForTimeout(250) // the fake answers in a few frames
      const found = []
      for (const [size, viewport] of SIZES) {
        await page.setViewportSize(viewport)
        // A text is drawn only where it is looked at: its beginning here, its end after the walk.
        await page.evaluate(async () => {
          for (const room of document.querySelectorAll('.reader .scroll')) room.scrollTop = 0
          for (let i = 0; i < 6; i++) await new Promise(requestAnimationFrame)
        })
        if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${name.replaceAll(' ', '-')}-${viewport.width}.png` })
        for (const fault of new Set([...await cutOff(page), ...await walked(page), ...await cutOff(page)])) found.push(`${size}: ${fault}`)
      }
      assert.deepEqual(found, [])
      assert.deepEqual(errors, [])
      await context.close()
    })
  }

  // A short duration is not none: each property would arrive a frame late, the room above a text too.
  it('changes at once for who asked for less motion', async () => {
    const { page, context } = await fake.open(browser, 'conversations/c-notebooks', { viewport: SIZES[0][1] })
    await page.locator('.reader article').first().waitFor()
    const late = await page.evaluate(() => [...document.querySelectorAll('body, body *')].filter((e) => {
      e.style.paddingTop = '77px'
      return getComputedStyle(e).paddingTop !== '77px'
    }).map((e) => e.className || e.localName))
    assert.deepEqual(late, [])
    await context.close()
  })

  it('is not made wider by the words of a control', async () => {
    const { page, context } = await fake.open(browser, 'search', { query: '&lang=pt-BR', viewport: SIZES[0][1] })
    await page.getByRole('textbox', { name: t('search.field') }).fill('tea')
    await page.getByRole('button', { name: t('search.clear'), exact: true }).hover()
    await page.locator('.tip').waitFor()
    // After the window became narrower they stand for a few frames where they stood before.
    const wide = await page.locator('.tip').evaluate((tip) => {
      Object.assign(tip.parentElement.style, { transition: 'none', transform: `translate(${innerWidth}px, 125px)` })
      return document.documentElement.scrollWidth - innerWidth
    })
    assert.ok(wide <= 0, `the page is ${wide} wider than the window`)
    await context.close()
  })
})

// cutOff lists what cannot be read by any scrolling: what is wider than the page, and
// words in a box that hides what runs over.
function cutOff(page) {
  return page.evaluate(() => {
    const found = []
    const within = document.querySelector('[role=dialog]') ?? document.body
    const named = (e) => `${e.localName}.${[...e.classList].filter((c) => !c.startsWith('svelte')).join('.')} “${(e.textContent || e.getAttribute('aria-label') || '').trim().slice(0, 40)}”`
    if (document.documentElement.scrollWidth > innerWidth + 1) found.push(`the page is ${document.documentElement.scrollWidth} wide in ${innerWidth}`)
    for (const e of [within, ...within.querySelectorAll('*')]) {
      const style = getComputedStyle(e)
      if (style.clipPath !== 'none' || e.closest('svg, canvas, .katex, [role=option] .facts') || e.clientWidth < 2) continue // a row says first what its memory says in full
      const hides = (way) => style[`overflow${way}`] === 'hidden' || style[`overflow${way}`] === 'clip'
      const tells = style.textOverflow === 'ellipsis' || style.webkitLineClamp !== 'none'
      if (hides('Y') && !tells && e.scrollHeight > e.clientHeight + 2 && e.innerText?.trim()) found.push(`cut below: ${named(e)}, ${e.scrollHeight} in ${e.clientHeight}`)
      if (hides('X') && !tells && e.scrollWidth > e.clientWidth + 2 && e.innerText?.trim()) found.push(`cut beside: ${named(e)}, ${e.scrollWidth} in ${e.clientWidth}`)
      if (/auto|scroll/.test(style.overflowX) && e.scrollWidth > e.clientWidth + 2 && !e.matches('pre, :has(> table)')) found.push(`scrolls both ways: ${named(e)}, ${e.scrollWidth} in ${e.clientWidth}`)
    }
    return [...new Set(found)].slice(0, 8)
  })
}

// walked goes through the page with Tab until it comes round, and lists what has the
// focus without being seen.
async function walked(page) {
  const found = new Set()
  const reached = new Set()
  let last = ''
  for (let i = 0; i < 120; i++) {
    await page.keyboard.press('Tab')
    let { key, problem } = await focused(page)
    if (problem.startsWith('out of sight')) { // a text is measured while it is gone through
      await page.evaluate(async () => { for (let i = 0; i < 12; i++) await new Promise(requestAnimationFrame) })
      ;({ key, problem } = await focused(page))
    }
    if (problem) found.add(problem)
    if (reached.has(key) && key !== last) break // a date has several stops in one field
    last = key
    if (key) reached.add(key)
  }
  if (reached.size === 0) found.add('nothing can be reached with Tab')
  return [...found].slice(0, 8)
}

// focused says what has the focus, and whether it can be seen.
function focused(page) {
  return page.evaluate(() => {
    const e = document.activeElement
    if (!e || e === document.body) return { key: '', problem: '' }
    const numbers = (window.walkedOver ??= new Map())
    if (!numbers.has(e)) numbers.set(e, numbers.size + 1)
    const key = String(numbers.get(e))
    // What is drawn for a control that is hidden itself is its label.
    const small = e.getBoundingClientRect().width < 4
    const shown = small ? (e.closest('label') ?? e.parentElement) : e
    const box = shown.getBoundingClientRect()
    const name = `${e.localName}.${[...e.classList].filter((c) => !c.startsWith('svelte')).join('.')} “${(e.getAttribute('aria-label') || e.innerText || e.labels?.[0]?.innerText || '').trim().slice(0, 40)}”`
    const [top, bottom] = [Math.max(box.top, 0), Math.min(box.bottom, innerHeight)]
    const [left, right] = [Math.max(box.left, 0), Math.min(box.right, innerWidth)]
    if (bottom - top < Math.min(box.height, 24) - 1 || right - left < Math.min(box.width, 24) - 1) return { key, problem: `out of sight: ${name}` }
    if (box.right > innerWidth + 1 || box.left < -1) return { key, problem: `partly beside the page: ${name}` }
    const points = [0.5, 0.2, 0.8].flatMap((x) => [0.5, 0.15, 0.85].map((y) => [left + (right - left) * x, top + (bottom - top) * y]))
    const free = points.filter(([x, y]) => {
      const hit = document.elementFromPoint(x, y)
      return hit && (shown.contains(hit) || hit.contains(shown) && !hit.matches('body, html'))
    })
    if (free.length < points.length / 2) return { key, problem: `covered: ${name}` }
    const drawn = (style) => style.outlineStyle !== 'none' || style.boxShadow !== 'none'
    const ringed = [e, shown, e.nextElementSibling, e.parentElement].some((one) => one && (drawn(getComputedStyle(one)) || drawn(getComputedStyle(one, '::after'))))
    return { key, problem: ringed || e.matches('[role=dialog], [role=combobox]') ? '' : `no ring: ${name}` }
  })
}
