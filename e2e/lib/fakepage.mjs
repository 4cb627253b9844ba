// The page on made-up data, without a program behind it: every state of a screen is
// one address away.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { extname, join } from 'node:path'
import { results, root } from './program.mjs'

const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.woff2': 'font/woff2', '.json': 'application/json' }

// buildFakePage returns the folder of a page that it built.
export function buildFakePage() {
  mkdirSync(results, { recursive: true })
  const folder = mkdtempSync(join(results, 'page-fake-'))
  execFileSync('npx', ['vite', 'build', '--mode', 'fake', '--outDir', folder, '--emptyOutDir'], { cwd: join(root, 'frontend'), stdio: 'ignore' })
  return folder
}

// fakePage gives the page to whoever asks on this machine. It builds it, unless
// KEEPSAKE_FAKE_PAGE names the folder of one that was just built.
export async function fakePage() {
  const built = process.env.KEEPSAKE_FAKE_PAGE
  const folder = built || buildFakePage()
  const server = createServer((asked, answer) => {
    const path = new URL(asked.url, 'http://x').pathname
    const file = join(folder, path === '/' ? 'index.html' : path)
    if (!existsSync(file)) return answer.writeHead(404).end()
    answer.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' }).end(readFileSync(file))
  })
  await new Promise((done) => server.listen(0, '127.0.0.1', done))
  const base = `http://127.0.0.1:${server.address().port}/`
  return {
    close: () => {
      server.close()
      if (!built) rmSync(folder, { recursive: true, force: true })
    },
    // open visits a screen in a fresh profile; query begins with & and says what the
    // made-up vault is like.
    async open(browser, screen, { query = '', vault = 'open', ...options } = {}) {
      const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, reducedMotion: 'reduce', ...options })
      const page = await context.newPage()
      const errors = []
      page.on('pageerror', (error) => errors.push(String(error)))
      await page.goto(`${base}?vault=${vault}${query}#/${screen}`)
      await page.locator('h1').first().waitFor()
      await page.waitForFunction(() => document.fonts.status === 'loaded')
      await page.waitForTimeout(250) // the fake answers in a few frames
      return { page, context, errors }
    },
  }
}
