// The picture of many memories on a plain canvas: while a hand moves it, it is not
// painted; at rest it is, and shows the same.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { launch } from '../lib/browser.mjs'
import { fakePage } from '../lib/fakepage.mjs'

describe('a graph of thousands, without WebGL', () => {
  let browser, fake, page
  before(async () => {
    fake = await fakePage()
    browser = await launch()
    const opened = await fake.open(browser, 'library', { query: '&size=2600' })
    page = opened.page
    await page.evaluate(() => {
      const real = HTMLCanvasElement.prototype.getContext
      HTMLCanvasElement.prototype.getContext = function (kind, ...more) { return kind.startsWith('webgl') ? null : real.call(this, kind, ...more) }
      const clear = CanvasRenderingContext2D.prototype.clearRect
      window.painted = 0
      CanvasRenderingContext2D.prototype.clearRect = function (...box) { window.painted++; return clear.apply(this, box) }
      location.hash = '#/graph'
    })
    await page.locator('.graph[data-way=canvas] .room canvas').waitFor()
    await atRest()
  })
  after(async () => {
    await browser?.close()
    fake?.close()
  })

  const atRest = () => page.waitForFunction(async () => {
    const before = window.painted
    await new Promise((next) => setTimeout(next, 400))
    return before > 0 && window.painted === before && document.querySelector('.room canvas').style.transform === ''
  })

  // moved does what a hand does in single frames, and tells what was seen meanwhile
  // and how much of the picture is the same afterwards as where it was laid.
  const moved = (steps) => page.evaluate(async (steps) => {
    const canvas = document.querySelector('.room canvas')
    const { width, height, left, top } = canvas.parentElement.getBoundingClientRect()
    const frame = () => new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(next))))
    // A hand rests when it is told to, however slow the machine is.
    const [later, waiting] = [window.setTimeout, []]
    window.setTimeout = (what) => -waiting.push(what)
    const look = () => canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data
    const [first, before] = [window.painted, look()]
    for (const { name, x, y, ...more } of steps) {
      const Kind = name === 'wheel' ? WheelEvent : PointerEvent
      canvas.dispatchEvent(new Kind(name, { bubbles: true, cancelable: true, clientX: left + width / 2 + x, clientY: top + height / 2 + y, buttons: 1, ...more }))
      await frame()
    }
    const [meanwhile, lay] = [window.painted - first, new DOMMatrix(getComputedStyle(canvas).transform)]
    window.setTimeout = later
    waiting.forEach((what) => what())
    await frame()
    const now = look()
    const scale = devicePixelRatio
    let [dots, same] = [0, 0]
    for (let y = 0; y < height; y += 3) {
      for (let x = 0; x < width; x += 3) {
        const [tx, ty] = [lay.a * (x - width / 2) + lay.e + width / 2, lay.d * (y - height / 2) + lay.f + height / 2].map(Math.round)
        if (tx < 0 || ty < 0 || tx >= width || ty >= height) continue
        const [was, is] = [[x, y, before], [tx, ty, now]].map(([x, y, data]) => [...data.subarray(4 * (Math.round(y * scale) * canvas.width + Math.round(x * scale))).subarray(0, 4)])
        if (was[3] < 250) continue // a point, or a line where it is thick
        dots++
        if (is.every((part, i) => Math.abs(part - was[i]) < 24)) same++
      }
    }
    return { meanwhile, lay: [lay.a, lay.e, lay.f], after: window.painted - first - meanwhile, transform: canvas.style.transform, dots, share: same / dots }
  }, steps)

  it('is laid elsewhere while it is dragged, and painted there at rest', async () => {
    const seen = await moved([{ name: 'pointerdown', x: 0, y: 0 }, { name: 'pointermove', x: 20, y: 10 }, { name: 'pointermove', x: 60, y: 40 }])
    assert.deepEqual([seen.meanwhile, seen.lay], [0, [1, 60, 40]])
    assert.ok(seen.after >= 1 && seen.transform === '', 'it is painted anew at rest')
    assert.ok(seen.dots > 500 && seen.share > 0.9, `${seen.share} of ${seen.dots} are where they were laid`)
    await page.mouse.up()
  })

  it('is painted at once when much would be missing', async () => {
    const seen = await moved([{ name: 'pointerdown', x: 0, y: 0 }, { name: 'pointermove', x: -400, y: 0 }])
    assert.equal(seen.meanwhile, 1)
    await page.mouse.up()
  })

  it('is laid larger by the wheel', async () => {
    const seen = await moved([{ name: 'wheel', x: 0, y: 0, deltaY: -60 }, { name: 'wheel', x: 0, y: 0, deltaY: -60 }])
    assert.equal(seen.meanwhile, 0)
    assert.ok(Math.abs(seen.lay[0] - 1.15 ** 2) < 1e-6)
    assert.ok(seen.after >= 1 && seen.transform === '')
  })
})
