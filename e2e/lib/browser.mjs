// A real Chromium, and what every visit to a page must hold.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { afterEach } from 'node:test'
import { chromium } from 'playwright-core'
import { at } from './keepsake.mjs'
import { words } from './words.mjs'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

// The shell is the same engine without the frame of a browser around it, and takes two thirds of the processor time.
export const executable = [process.env.CHROMIUM, '/usr/bin/chromium-headless-shell', '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'].find((path) => path && existsSync(path))

export async function launch() {
  assert.ok(executable, 'no Chromium on this machine')
  return chromium.launch({
    executablePath: executable,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
      '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage'],
  })
}

// visit opens the printed address in a fresh profile and watches what the page
// does: errors, words of the policy, and requests that leave. prepare is given the
// profile before anything is opened in it.
export async function visit(browser, address, { language = 'en', theme = 'light', width = 1280, height = 860, prepare = async () => {} } = {}) {
  const context = await browser.newContext({
    permissions: ['clipboard-write'], // what a browser with a window lets a press do, the shell has to be told
    locale: language, colorScheme: theme, viewport: { width, height }, reducedMotion: 'reduce', acceptDownloads: true,
  })
  await prepare(context)
  const page = await context.newPage()
  const origin = new URL(address).origin
  const seen = { errors: [], outside: [], requests: 0 }
  page.on('pageerror', (error) => seen.errors.push(String(error)))
  page.on('console', (message) => { if (message.type() === 'error') seen.errors.push(message.text()) })
  page.on('dialog', (dialog) => { seen.errors.push(`dialog: ${dialog.message()}`); void dialog.dismiss() })
  context.on('request', (request) => {
    const url = request.url()
    seen.requests++
    if (!url.startsWith(`${origin}/`) && !url.startsWith('blob:') && !url.startsWith('data:')) seen.outside.push(url)
  })
  await page.goto(address)
  return { context, page, seen, origin }
}

// opened is a visit whose vault is unlocked, at its library, and the steps on it; patience
// is how long a step may take, in ms.
export async function opened(browser, address, patience, { language = 'en' } = {}) {
  const visited = await visit(browser, address, { language })
  visited.page.setDefaultTimeout(patience)
  const me = at(visited.page, words(language))
  await me.enter('library')
  return { ...visited, me }
}

// unbroken demands of every test of a suite that no error came up in it on the page
// that is visited then.
export function unbroken(seen) {
  let [errors, counted] = [[], 0]
  afterEach(() => {
    if (seen().errors !== errors) [errors, counted] = [seen().errors, 0] // another visit
    const fresh = errors.slice(counted)
    counted = errors.length
    assert.deepEqual(fresh, [], 'errors on the page')
  })
}

// clean demands that nothing went wrong on the way.
export function clean(seen) {
  assert.deepEqual(seen.errors, [], 'errors on the page')
  assert.deepEqual(seen.outside, [], 'requests that left this machine')
  assert.ok(seen.requests > 0)
}

// accessible demands that axe finds nothing on what is shown now, in either theme.
export async function accessible(page, where) {
  const before = await page.evaluate(() => (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'))
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme })
    await settled(page)
    await check(page, `${where}, ${colorScheme}`)
  }
  await page.emulateMedia({ colorScheme: before })
}

// settled waits until what moves has arrived, and what follows it too: half a
// transition has colours that no theme has.
async function settled(page) {
  await page.evaluate(async () => {
    const moving = () => document.getAnimations().some((a) => a.playState === 'running' && a.effect?.getTiming().iterations !== Infinity)
    for (let still = 0, frames = 0; still < 5 && frames < 300; frames++) {
      await new Promise(requestAnimationFrame)
      still = moving() ? 0 : still + 1
    }
  })
}

async function check(page, where) {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe)
  const { violations } = await page.evaluate(async () => window.axe.run(document, {
    runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  }))
  const found = violations.map((v) => `${v.id}: ${v.nodes.map((n) => `${n.target.join(' ')} (${n.failureSummary?.split('\n')[1]?.trim() ?? ''})`).slice(0, 3).join('; ')}`)
  assert.deepEqual(found, [], `axe on ${where}`)
}
