// What a program on another port of this computer gets of an open vault: the cookie,
// since browsers do not tell ports apart in cookies, and nothing for it; by itself, and by
// its own page in the person's browser.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import { launch, opened, visit } from '../lib/browser.mjs'
import { at, firstScreen, passphrase } from '../lib/keepsake.mjs'
import { home, prepare, serve } from '../lib/program.mjs'
import { words } from '../lib/words.mjs'

const t = words('en')

describe('a program on another port', () => {
  let browser, place, server, me, page, context, origin, stolen, thief, address, bare
  before(async () => {
    place = home()
    await prepare(place.env, ['add', '--type', 'fact', 'Keeps bees'])
    server = await serve(place.env)
    browser = await launch()
    ;({ page, context, origin, me } = await opened(browser, server.address, 10_000))
    thief = createServer((asked, answer) => {
      stolen = asked.headers.cookie ?? stolen
      answer.writeHead(200, { 'content-type': 'text/html' }).end(asked.url === '/start' ? '<script>fetch("/second")</script>' : '<title>Theirs</title>')
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
    bare = await link.getAttribute('href')
    assert.equal((await ask(bare)).status, 401)
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()])
    const { pathname, search } = new URL(download.url())
    assert.equal(pathname, bare)
    assert.match(search, /^\?ticket=/)
    await download.path()
    assert.equal((await ask(pathname + search)).status, 401)
  })

  it('has no request of its own page answered in the browser of the person', async () => {
    const tab = await context.newPage()
    await tab.goto(`${address}/theirs`)
    const answers = []
    tab.on('response', (response) => { if (response.url().startsWith(origin)) answers.push(`${response.status()} ${response.request().method()} ${response.url().slice(origin.length)}`) })
    const asked = []
    tab.on('request', (request) => { if (request.url().startsWith(origin)) asked.push(request.url()) })
    const told = await tab.evaluate(tryEverything, { origin, bare, passphrase })
    await tab.waitForLoadState('networkidle')
    assert.deepEqual(told, [], 'what the page of the other program was told')
    assert.ok(asked.length > 40, `${asked.length} requests reached the network`)
    assert.deepEqual(answers.filter((answer) => !/^40[0134] /.test(answer)), [], 'answered')
    console.log(`${asked.length} requests of a page on another port, ${answers.length} refusals, 0 answered`)
    await tab.close()
    assert.equal((await me.call('Vault.State')).unlocked, true)
    assert.equal((await me.call('Library.List', {})).total, 1)
  })
})

// tryEverything runs in the page of the other program, and returns what it was told.
async function tryEverything({ origin, bare, passphrase }) {
  const told = []
  const within = (ms, work) => Promise.race([work, new Promise((done) => setTimeout(done, ms))])
  const body = (name, ...args) => JSON.stringify({ name, args })
  const calls = [body('Library.List', {}), body('Vault.State'), body('Vault.Lock'), body('Vault.Unlock', passphrase), body('Care.Destroy', 'vault', passphrase, '', ''),
    body('Exports.Start', {}), body('Care.RemoveAsides', passphrase, '')]
  const paths = ['/', '/index.html', '/api/events', '/api/upload?name=x', '/api/ticket', '/vault/x', bare, `${bare}?ticket=x`]
  const read = async (what, answer) => { if (answer.type !== 'opaque') told.push(`${what}: ${answer.status} ${(await answer.text()).slice(0, 80)}`) }
  const works = []
  for (const mode of ['cors', 'no-cors']) {
    for (const headers of [{}, { 'Content-Type': 'text/plain' }, ...(mode === 'cors' ? [{ 'X-Keepsake': 'x' }] : [])]) {
      for (const call of calls) works.push(fetch(`${origin}/api/call`, { method: 'POST', mode, credentials: 'include', headers, body: call }).then((a) => read(call, a), () => {}))
      for (const path of paths) works.push(fetch(origin + path, { method: path.includes('upload') || path.includes('ticket') ? 'POST' : 'GET', mode, credentials: 'include', headers }).then((a) => read(path, a), () => {}))
    }
  }
  works.push(new Promise((done) => {
    const events = new EventSource(`${origin}/api/events`, { withCredentials: true })
    events.onopen = () => { told.push('the events'); done() }
    events.onerror = () => { events.close(); done() }
  }))
  for (const call of calls) navigator.sendBeacon(`${origin}/api/call`, call)
  for (const path of paths) {
    for (const [tag, name] of [['img', 'src'], ['script', 'src'], ['video', 'src']]) {
      works.push(new Promise((done) => {
        const element = Object.assign(document.createElement(tag), { onload: () => { told.push(`${tag} ${path}`); done() }, onloadeddata: () => { told.push(`${tag} ${path}`); done() }, onerror: done })
        element[name] = origin + path
        document.body.append(element)
      }))
    }
    const frame = document.createElement('iframe')
    frame.src = origin + path
    document.body.append(frame)
    works.push(new Promise((done) => { frame.onload = done }).then(() => { if (frame.contentDocument) told.push(`iframe ${path}`) }))
  }
  const form = Object.assign(document.createElement('form'), { action: `${origin}/api/call`, method: 'POST', enctype: 'text/plain', target: 'into' })
  const into = Object.assign(document.createElement('iframe'), { name: 'into' })
  const field = Object.assign(document.createElement('input'), { name: calls[0].slice(0, -1) + ',"x":"', value: '"}' })
  form.append(field)
  document.body.append(into, form)
  form.submit()
  for (const channel of ['keepsake-secret']) { // of another origin, ports included
    const other = new BroadcastChannel(channel)
    other.onmessage = ({ data }) => told.push(`the channel: ${JSON.stringify(data)}`)
    other.postMessage({ ask: true, not: 'x' })
  }
  if (sessionStorage.getItem('keepsake-secret')) told.push('the secret of the session')
  await within(5000, Promise.all(works))
  return told
}

describe('two pages of one browser', () => {
  let browser, place, server
  before(async () => {
    place = home()
    await prepare(place.env)
    browser = await launch()
  })
  beforeEach(async () => { server = await serve(place.env) })
  afterEach(() => server?.stop())
  after(async () => {
    await browser?.close()
    place?.remove()
  })

  it('both go on after either unlocks, and after a reload', async () => {
    const { page, context, origin } = await visit(browser, server.address)
    await page.getByLabel(t('unlock.passphrase'), { exact: true }).waitFor()
    const second = await context.newPage()
    await second.goto(`${origin}/`)
    await at(second, t).enter()
    for (const one of [page, second]) {
      assert.equal((await at(one, t).call('Vault.State').catch(() => ({}))).unlocked, true)
      await one.reload()
      await one.getByRole('navigation', { name: t('shell.rail') }).waitFor()
    }
  })

  it('neither loses the secret to a tab that was restored with an old one', async () => {
    const { page, context, origin } = await visit(browser, server.address)
    await page.getByLabel(t('unlock.passphrase'), { exact: true }).waitFor()
    await at(page, t).enter()
    const restored = await context.newPage()
    await restored.addInitScript(() => { if (!sessionStorage.getItem('keepsake-secret')) sessionStorage.setItem('keepsake-secret', 'of before') })
    await restored.goto(`${origin}/`)
    await at(restored, t).screen(firstScreen)
    await restored.evaluate(() => new BroadcastChannel('keepsake-secret').postMessage({ given: 'of before, too' }))
    for (const one of [page, restored]) {
      await at(one, t).go('import')
      await at(one, t).go('library')
      await one.reload()
      await at(one, t).screen('library')
    }
  })
})
