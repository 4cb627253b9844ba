// What a program on another port of this computer gets of an open vault: the cookie,
// since browsers do not tell ports apart in cookies, and nothing for it.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { launch, opened, visit } from '../lib/browser.mjs'
import { at, passphrase } from '../lib/keepsake.mjs'
import { home, prepare, serve } from '../lib/program.mjs'
import { words } from '../lib/words.mjs'

const t = words('en')

describe('a program on another port', () => {
  let browser, place, server, me, page, context, origin, stolen, thief, address
  before(async () => {
    place = home()
    await prepare(place.env, ['add', '--type', 'fact', 'Keeps bees'])
    server = await serve(place.env)
    browser = await launch()
    ;({ page, context, origin, me } = await opened(browser, server.address, 10_000))
    thief = createServer((asked, answer) => {
      stolen = asked.headers.cookie ?? stolen
      answer.writeHead(200, { 'content-type': 'text/html' }).end('<script>fetch("/second")</script>')
    })
    await new Promise((done) => thief.listen(0, '127.0.0.1', done))
    address = `http://127.0.0.1:${thief.address().port}`
  })
  after(async () => {
    thief?.close()
    await browser?.close()
    await server?.stop()
    place?.remove()
  })

  // steal sends the browser to the other program, as any page can.
  async function steal() {
    const tab = await context.newPage()
    await tab.goto(`${address}/start`)
    await tab.waitForLoadState('networkidle')
    await tab.close()
    assert.match(stolen ?? '', /^keepsake-\d+=/, 'the browser hands the cookie to every port')
  }

  const ask = (path, { method = 'GET', body, headers = {} } = {}) => fetch(origin + path, { method, body, headers: { cookie: stolen, ...headers } })

  it('reads nothing, asks nothing and destroys nothing with the cookie', async () => {
    await steal()
    const state = await me.call('Vault.State')
    const calls = ['Vault.State', 'Vault.Lock', 'Library.List', 'Exports.Start', 'Care.Backup', 'Care.Freeze', 'Care.Destroy', 'Settings.About', 'Vault.Unlock']
    let tried = 0
    for (const headers of [{}, { 'X-Keepsake': '1' }, { 'X-Keepsake': stolen.split('=')[1] }, { origin, 'sec-fetch-site': 'same-origin', 'X-Keepsake': 'x' }]) {
      for (const name of calls) {
        const args = name === 'Care.Destroy' ? [state.name, passphrase, '', ''] : name === 'Vault.Unlock' ? [passphrase] : []
        const answer = await ask('/api/call', { method: 'POST', headers, body: JSON.stringify({ name, args }) })
        assert.equal(answer.status, 401, `${name} with ${JSON.stringify(headers)}`)
        assert.equal(answer.headers.get('X-Keepsake'), null)
        tried++
      }
      for (const [path, method] of [['/api/events', 'GET'], ['/api/upload?name=x', 'POST'], ['/api/ticket', 'POST'], ['/vault/x', 'GET'], ['/download/x', 'GET']]) {
        assert.equal((await ask(path, { method, headers })).status, 401, path)
        tried++
      }
    }
    console.log(`${tried} requests with the cookie, 0 answered`)
    assert.equal((await me.call('Vault.State')).unlocked, true)
  })

  it('finds no secret in the built files, nor in the address of the page', async () => {
    for (const path of ['/', '/index.html']) assert.doesNotMatch(await (await ask(path)).text(), /keepsake-secret" content/)
    assert.equal(new URL(page.url()).pathname, '/')
    assert.equal(await page.evaluate(() => document.querySelector('meta[name=keepsake-secret]')), null)
  })

  it('fetches no download without a ticket, and none with one that was used', async () => {
    await page.keyboard.press('ControlOrMeta+e')
    await me.button('export.start').click()
    const link = page.getByRole('link', { name: t('export.download') })
    await link.waitFor()
    const bare = await link.getAttribute('href')
    assert.equal((await ask(bare)).status, 401)
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()])
    const { pathname, search } = new URL(download.url())
    assert.equal(pathname, bare)
    assert.match(search, /^\?ticket=/)
    await download.path()
    assert.equal((await ask(pathname + search)).status, 401)
  })
})

describe('two pages of one browser', () => {
  let browser, place, server
  before(async () => {
    place = home()
    await prepare(place.env)
    server = await serve(place.env)
    browser = await launch()
  })
  after(async () => {
    await browser?.close()
    await server?.stop()
    place?.remove()
  })

  it('both go on after either unlocks, and after a reload', async () => {
    const { page, context, origin } = await visit(browser, server.address)
    await page.getByLabel(t('unlock.passphrase'), { exact: true }).waitFor()
    const second = await context.newPage()
    await second.goto(`${origin}/`)
    await at(second, t).unlock()
    await at(second, t).screen('library')
    for (const one of [page, second]) {
      assert.equal((await at(one, t).call('Vault.State').catch(() => ({}))).unlocked, true)
      await one.reload()
      await one.getByRole('navigation', { name: t('shell.rail') }).waitFor()
    }
  })
})
