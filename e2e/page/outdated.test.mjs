// A web view that is older than the page's target: it says what is needed instead of
// staying blank. The view here is none, so that the page's styles ask for a colour function
// that no view has, and no script runs.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { launch } from '../lib/browser.mjs'
import { results, root } from '../lib/program.mjs'

const dist = join(root, 'frontend/dist')
const outdated = (text) => text.replaceAll('light-dark(', 'no-such-function(')

it('an outdated web view is told what Keepsake needs, in both languages', async () => {
  const browser = await launch()
  const context = await browser.newContext({ viewport: { width: 480, height: 480 }, javaScriptEnabled: false })
  const page = await context.newPage()
  await page.route('**/*', (route) => {
    const path = new URL(route.request().url()).pathname
    const file = join(dist, path === '/' ? 'index.html' : path)
    return path.endsWith('.css') ? route.fulfill({ contentType: 'text/css', body: outdated(readFileSync(file, 'utf8')) }) : route.fulfill({ path: file })
  })
  await page.goto('http://keepsake.test/')
  const [english, portuguese] = await page.locator('#outdated p').all()
  assert.match(await english.innerText(), /WebKitGTK 2\.44 on Linux.*Your vault is as it was/s)
  assert.match(await portuguese.innerText(), /WebKitGTK 2\.44 no Linux.*Seu cofre está como estava/s)
  const [box, text] = [await portuguese.boundingBox(), await portuguese.evaluate((e) => getComputedStyle(e).color)]
  assert.ok(box.y + box.height <= 480 && box.x + box.width <= 480, 'all of it fits into the smallest window')
  assert.equal(text, 'rgb(0, 0, 0)')
  await page.screenshot({ path: join(results, 'outdated.png') })
  await browser.close()
})
