// The real window shows what Chromium shows: ten screens of one vault, in one size and
// with the same fonts, block by block. docs/design.md says how much may differ and why.
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { launch, visit } from '../lib/browser.mjs'
import { at, firstScreen, passphrase } from '../lib/keepsake.mjs'
import { command, fixtures, home, prepare, results, serve } from '../lib/program.mjs'
import { drive, says, screenshot, shown, tool, until } from '../lib/window.mjs'
import { words } from '../lib/words.mjs'
import { zip } from '../lib/writers.mjs'

// Two engines draw the same letters a little differently: they differ within the blocks,
// hardly in their means. They also round heights of lines differently, so that a block is
// looked for a few pixels around. What is cut off, wrapped or draws through something
// differs in whole blocks.
const BLOCK = 12 // CSS pixels a side
const UNLIKE = 24 // how far the means of a block lie apart, of 255 in the channel that differs most
const AROUND = 3 // CSS pixels that a block may stand elsewhere to either side,
const DOWN = 9 // and up or down: half a line, for WebKit rounds the height of each one down
const SHARE = 0.01 // of all blocks may be unlike
const RUN = 8 // so many unlike blocks may touch, in a row or a heap

const t = words('en')
const RECIPE = 'كيف أخبز الخبز؟'
const ANSWER = ['إليك الخطوات:', '', ...Array.from({ length: 12 }, (_, i) => `${i + 1}. **الخطوة** رقم كذا: اخلط الدقيق مع الماء ثم اتركه حتى يرتفع`), '', '- ملح', '- خميرة', '', '> كما قالت جدتي', '', '| اليوم | الكمية |', '|--|--|', '| الأول | كوب |'].join('\n')

// export holds one conversation as ChatGPT gives it out.
function exported() {
  const said = (id, parent, role, text, children) => [id, {
    id, parent, children, message: { id, author: { role }, create_time: 1.76e9, content: { content_type: 'text', parts: [text] }, status: 'finished_successfully', metadata: {} },
  }]
  return zip({ 'conversations.json': JSON.stringify([{
    title: RECIPE, conversation_id: 'c-bread', id: 'c-bread', create_time: 1.76e9, update_time: 1.76e9, current_node: 'b',
    mapping: Object.fromEntries([['root', { id: 'root', parent: null, children: ['a'], message: null }], said('a', 'root', 'user', RECIPE, ['b']), said('b', 'a', 'assistant', ANSWER, [])]),
  }]) })
}

// What is done on a screen before it is looked at. Both engines run the same steps.
const press = (key, more = {}) => `window.dispatchEvent(new KeyboardEvent('keydown', ${JSON.stringify({ key, bubbles: true, cancelable: true, ...more })}))`
const type = (selector, text) => `{
  const field = document.querySelector(${JSON.stringify(selector)})
  field.value = ${JSON.stringify(text)}
  field.dispatchEvent(new Event('input', { bubbles: true }))
}`

describe('the window and Chromium', () => {
  let place, window, server, browser, page, judge, id, screens
  const taken = new Map()

  before(async () => {
    const made = await fixtures()
    place = home()
    const file = join(place.folder, 'bread.zip')
    writeFileSync(file, exported())
    await prepare(place.env, ['import', made.path('chatgpt.zip')], ['import', file], ['index', 'update'])
    const settings = join(place.env.XDG_CONFIG_HOME, 'keepsake', 'settings.json')
    mkdirSync(dirname(settings), { recursive: true })
    writeFileSync(settings, JSON.stringify({ language: 'en', theme: 'light', window: { width: 1280, height: 860, maximised: false } }))
    const listed = async (what, of) => JSON.parse((await command(place.env, ['list', what, '--json', '--passphrase-file', '-'], { input: `${passphrase}\n` })).stdout).items.find(of)
    const bread = (await listed('conversations', (one) => one.title === RECIPE)).id
    const first = (await listed('memories', () => true)).id
    screens = {
      library: ['library'], memory: [`library/${first}`], 'right to left': [`conversations/${bread}`], insights: ['insights'], handoff: ['handoff'], security: ['security'],
      search: ['search', type('main input', 'lemon')],
      palette: [`library/${first}`, press('k', { ctrlKey: true })], export: ['library', press('e', { ctrlKey: true })], keys: ['conversations', press('?')],
    }
  })

  after(async () => {
    await window?.close()
    await browser?.close()
    await server?.stop()
    place?.remove()
  })

  // SETTLED waits until the fonts are there, nothing moves, and the page stays as it is for
  // longer than it waits before it asks for what is like that which is shown.
  const SETTLED = `
    await document.fonts.ready
    const look = () => document.body.innerText + [...document.querySelectorAll('*')].length
    let before = ''
    for (let still = 0, n = 0; still < 10 && n < 150; n++) {
      await new Promise((next) => setTimeout(next, 40))
      const moving = document.getAnimations().some((a) => a.playState === 'running' && a.effect?.getTiming().iterations !== Infinity)
      still = moving || look() !== before || document.querySelector('[aria-busy=true], .ghosts') ? 0 : still + 1
      before = look()
    }
    document.activeElement?.blur?.() // a caret blinks
    await new Promise((next) => setTimeout(next, 60))
    return [innerWidth, innerHeight, devicePixelRatio]`
  const LEAVE = `for (const close of document.querySelectorAll('[role=dialog]')) close.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, cancelable: true }))`

  it('are looked at in the window', async () => {
    window = await drive(place.env)
    await says(window, t('unlock.title'))
    const { error } = await window.call('return await window.go.bridge.Vault.Unlock(args[0])', passphrase)
    assert.equal(error, undefined)
    await says(window, t(`screen.${firstScreen}`))
    id = await shown(window.pid())
    for (const [name, [hash, step]] of Object.entries(screens)) {
      await window.run(`location.hash = ${JSON.stringify(`#/${hash}`)}`)
      await window.call(SETTLED)
      if (name === 'palette') await scrollList()
      if (step) await window.run(step)
      const { value, error: failed } = await window.call(SETTLED)
      assert.equal(failed, undefined)
      const file = await screenshot(`pictures-${name.replaceAll(' ', '-')}-window`, id)
      taken.set(name, { file, size: value, scrolled: await window.run('return document.querySelector("[role=listbox]")?.scrollTop ?? 0') })
      await window.run(LEAVE)
      await until('the sheet to go', () => window.run('return document.querySelector("[role=dialog]") === null'))
    }
    await window.close()
    window = undefined
  })

  // scrollList turns the wheel over the list, as a hand does: its scroll bar is shown then.
  async function scrollList() {
    const box = await window.run(`const { x, y, width, height } = document.querySelector('[role=listbox]').getBoundingClientRect(); return [x + width - 20, y + height - 40]`) // below the sheet, that none of its lines is pointed at
    await tool('xdotool', 'mousemove', '--window', id, ...box.map((n) => String(Math.round(n))))
    for (let i = 0; i < 3; i++) await tool('xdotool', 'click', '5')
    await until('the list to be scrolled', () => window.run('return document.querySelector("[role=listbox]").scrollTop > 0'))
  }

  it('are alike', async () => {
    server = await serve(place.env)
    browser = await launch()
    const [width, height, scale] = taken.get('library').size
    assert.equal(scale, 1)
    ;({ page } = await visit(browser, server.address, { width, height }))
    const me = at(page, t)
    await me.enter()
    judge = await (await browser.newContext()).newPage()
    const unlike = []
    for (const [name, [hash, step]] of Object.entries(screens)) {
      const { file, scrolled } = taken.get(name)
      await page.evaluate((to) => { location.hash = to }, `#/${hash}`)
      await page.evaluate(`(async () => {${SETTLED}})()`)
      if (name === 'palette') await page.locator('[role=listbox]').first().evaluate((list, top) => { list.scrollTop = top }, scrolled)
      if (step) await page.evaluate(step)
      await page.evaluate(`(async () => {${SETTLED}})()`)
      const shot = await page.screenshot({ path: file.replace('-window.png', '-chromium.png') })
      await page.evaluate(LEAVE)
      const found = await judge.evaluate(difference, { pictures: [readFileSync(file).toString('base64'), shot.toString('base64')], BLOCK, UNLIKE, AROUND, DOWN })
      console.log(`${name}: ${(100 * found.share).toFixed(2)} % of the blocks are unlike, ${found.run} beside each other`)
      if (found.share <= SHARE && found.run <= RUN) continue
      writeFileSync(file.replace('-window.png', '-difference.png'), Buffer.from(found.picture.split(',')[1], 'base64'))
      unlike.push(`${name}: ${(100 * found.share).toFixed(2)} %, ${found.run} beside each other (${file.replace('-window.png', '-{window,chromium,difference}.png')})`)
    }
    assert.deepEqual(unlike, [], `more than ${100 * SHARE} % of the blocks are unlike, or more than ${RUN} that touch`)
  })
})

// difference compares the means of blocks. It runs in a page of its own.
async function difference({ pictures, BLOCK, UNLIKE, AROUND, DOWN }) {
  const drawn = await Promise.all(pictures.map(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
    const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }))
    const canvas = new OffscreenCanvas(image.width, image.height)
    const pen = canvas.getContext('2d')
    pen.drawImage(image, 0, 0)
    return { canvas, pen, width: image.width, height: image.height, data: pen.getImageData(0, 0, image.width, image.height).data }
  }))
  const [a, b] = drawn
  const [width, height] = [Math.min(a.width, b.width), Math.min(a.height, b.height)]
  const [across, down] = [Math.ceil(width / BLOCK), Math.ceil(height / BLOCK)]
  // Sums of everything above and to the left give the mean of any block at once.
  const summed = ({ data, width: row }, channel) => {
    const sums = new Float64Array((width + 1) * (height + 1))
    for (let y = 0; y < height; y++) {
      for (let x = 0, line = 0; x < width; x++) {
        line += data[(y * row + x) * 4 + channel]
        sums[(y + 1) * (width + 1) + x + 1] = sums[y * (width + 1) + x + 1] + line
      }
    }
    return sums
  }
  const [sumsA, sumsB] = [a, b].map((one) => [0, 1, 2].map((channel) => summed(one, channel)))
  const clamp = (n, most) => Math.min(most, Math.max(0, n))
  const mean = (sums, x, y) => {
    const [left, right, top, bottom] = [clamp(x, width - 1), clamp(x + BLOCK, width), clamp(y, height - 1), clamp(y + BLOCK, height)]
    const at = (row, column) => sums[row * (width + 1) + column]
    return (at(bottom, right) - at(top, right) - at(bottom, left) + at(top, left)) / ((right - left) * (bottom - top))
  }
  // alike tells whether a block of one picture is in the other, about there.
  const alike = (from, to, x, y) => {
    const means = from.map((sums) => mean(sums, x, y))
    for (let dy = -DOWN; dy <= DOWN; dy++) {
      for (let dx = -AROUND; dx <= AROUND; dx++) if (to.every((sums, channel) => Math.abs(means[channel] - mean(sums, x + dx, y + dy)) <= UNLIKE)) return true
    }
    return false
  }
  const unlike = new Set()
  for (let by = 0; by < down; by++) {
    for (let bx = 0; bx < across; bx++) {
      if (!alike(sumsA, sumsB, bx * BLOCK, by * BLOCK) || !alike(sumsB, sumsA, bx * BLOCK, by * BLOCK)) unlike.add(by * across + bx)
    }
  }
  const rest = new Set(unlike)
  let run = 0
  for (const first of unlike) {
    const heap = rest.delete(first) ? [first] : []
    for (const at of heap) {
      const near = [at - across, at + across, ...(at % across ? [at - 1] : []), ...(at % across < across - 1 ? [at + 1] : [])]
      for (const next of near) if (rest.delete(next)) heap.push(next)
    }
    run = Math.max(run, heap.length)
  }
  // Chromium's picture, faintly, with what is unlike in red.
  const picture = document.createElement('canvas')
  ;[picture.width, picture.height] = [width, height]
  const pen = picture.getContext('2d')
  pen.globalAlpha = 0.3
  pen.drawImage(b.canvas, 0, 0)
  pen.globalAlpha = 0.5
  pen.fillStyle = 'red'
  for (const at of unlike) pen.fillRect((at % across) * BLOCK, Math.floor(at / across) * BLOCK, BLOCK, BLOCK)
  const sized = a.width === b.width && a.height === b.height
  return { share: sized ? unlike.size / (across * down) : 1, run, picture: picture.toDataURL() }
}
