// How long the page takes to answer a hand, with 1,000 and with 100,000 memories:
// from the key or the click to the frame that shows what it asked for. Figures, not
// a verdict; sizes on the command line take the place of the two.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { launch, visit } from './lib/browser.mjs'
import { at, passphrase } from './lib/keepsake.mjs'
import { command, home, serve } from './lib/program.mjs'
import { words } from './lib/words.mjs'

const ROUNDS = 25
const GOAL = 100 // milliseconds, at the median
const t = words('en')
const sizes = process.argv.slice(2).map(Number)

const WORDS = 'bees coriander oboe garden river lantern walnut archive letter window harbor violin meadow copper station bread'.split(' ')

// memories is what mem0 would give out; the same every time.
function memories(count) {
  const results = Array.from({ length: count }, (_, i) => ({
    id: `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`,
    memory: `Keeps the ${WORDS[i % 16]} by the ${WORDS[(i * 7 + 3) % 16]}, number ${i}`,
    created_at: new Date(1.6e12 + i * 600_000).toISOString(), updated_at: null, user_id: 'u', metadata: null,
  }))
  return JSON.stringify({ results })
}

const browser = await launch()
const missed = []
for (const size of sizes.length > 0 ? sizes : [1_000, 100_000]) {
  const place = home()
  const file = join(place.folder, 'mem0.json')
  writeFileSync(file, memories(size))
  for (const args of [['init', '--kdf', 'test'], ['import', file]]) {
    const { code, stderr } = await command(place.env, [...args, '--passphrase-file', '-'], { input: `${passphrase}\n` })
    if (code !== 0) throw new Error(stderr)
  }
  const server = await serve(place.env)
  const { page } = await visit(browser, server.address)
  page.setDefaultTimeout(120_000)
  const me = at(page, t)
  await me.enter('library')
  const count = page.getByText(t('library.count', { count: size }), { exact: true })
  await count.waitFor()
  await indexed(me)
  console.log(`${size.toLocaleString('en')} memories`)
  for (const [name, one] of Object.entries({ 'open a memory': open, 'type in search': type, 'switch screen': turn, scroll })) {
    const all = []
    for (let i = 0; i < ROUNDS; i++) all.push(await one(page, i))
    all.sort((a, b) => a - b)
    const median = all[ROUNDS >> 1]
    console.log(`  ${name.padEnd(16)} median ${median.toFixed(0).padStart(4)} ms   p95 ${all[Math.floor(ROUNDS * 0.95)].toFixed(0).padStart(4)} ms   worst ${all.at(-1).toFixed(0).padStart(4)} ms`)
    if (median > GOAL) missed.push(`${name}, ${size}`)
  }
  await server.stop()
  place.remove()
}
await browser.close()
console.log(missed.length > 0 ? `over ${GOAL} ms at the median: ${missed.join('; ')}` : `every median is at most ${GOAL} ms`)

// indexed waits until everything can be found.
async function indexed(me) {
  for (;;) {
    const { missing } = await me.call('Search.Find', { text: 'bees', asYouType: true, in: 'all', platforms: [], since: '', until: '', offset: 0, limit: 1 })
    if (missing === 0) return
    await new Promise((next) => setTimeout(next, 500))
  }
}

// timed waits, frame by frame, for what an action asked for, and counts from the
// moment the browser saw the action.
async function timed(page, events, shown, act, given) {
  await page.evaluate(({ events, shown, given }) => void (window.timed = new Promise((done) => {
    const holds = new Function('given', `return ${shown}`)
    const began = (event) => {
      for (const name of events) removeEventListener(name, began, true)
      const look = () => (holds(given) ? requestAnimationFrame(() => done(performance.now() - event.timeStamp)) : requestAnimationFrame(look))
      requestAnimationFrame(look)
    }
    for (const name of events) addEventListener(name, began, true)
  })), { events, shown, given })
  await act()
  return page.evaluate(() => window.timed)
}

async function open(page, round) {
  const list = page.getByRole('listbox', { name: t('library.list.label') })
  await list.focus()
  if (round === 0) await page.keyboard.press('Home')
  const before = await page.evaluate(() => document.querySelector('article .scroll')?.textContent ?? '')
  return timed(page, ['keydown'], "(document.querySelector('article .scroll')?.textContent ?? given) !== given", () => page.keyboard.press('j'), before)
}

async function type(page, round) {
  const box = page.getByRole('textbox', { name: t('library.search') })
  const row = page.locator('[data-index] .content').first()
  await box.fill('')
  await row.waitFor()
  await page.waitForTimeout(250)
  await box.focus()
  await page.keyboard.type(WORDS[round % 16].slice(0, -1))
  await page.waitForTimeout(250)
  await row.waitFor() // what "z" then takes away
  const before = await page.evaluate(() => document.querySelector('[data-index]')?.textContent + document.querySelector('.told p')?.textContent)
  const gone = await timed(page, ['keydown'], "document.querySelector('[data-index]')?.textContent + document.querySelector('.told p')?.textContent !== given", () => page.keyboard.press('z'), before)
  if (round === ROUNDS - 1) await box.fill('')
  return gone
}

async function turn(page, round) {
  const to = ['conversations', 'library', 'insights', 'library'][round % 4]
  const ready = { conversations: "document.querySelector('.empty, [role=option]')", library: "document.querySelector('[data-index] .content')", insights: "document.querySelector('figure')" }[to]
  return timed(page, ['click'], `document.querySelector('h1').textContent === given && ${ready} !== null`, () => page.getByRole('navigation', { name: t('shell.rail') }).getByRole('link', { name: t(`screen.${to}`), exact: true }).click(), t(`screen.${to}`))
}

async function scroll(page) {
  if (await page.locator('[data-index]').count() === 0) await page.getByRole('link', { name: t('screen.library'), exact: true }).click()
  const list = page.getByRole('listbox', { name: t('library.list.label') })
  await list.hover()
  const first = await page.evaluate(() => document.querySelector('[data-index]')?.dataset.index)
  return timed(page, ['wheel'], "document.querySelector('[data-index]')?.dataset.index !== given && document.querySelector('[data-index] .ghost') === null", () => page.mouse.wheel(0, 2400), first)
}
