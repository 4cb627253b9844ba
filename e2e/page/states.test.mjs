// Every screen of a frozen vault, every screen when Go answers with an error, and what is
// waited for when it answers late: what cannot be done is disabled or refused, in words,
// and nothing is changed.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { accessible, clean, launch, opened, unbroken } from '../lib/browser.mjs'
import { talks } from '../lib/much.mjs'
import { fixtures, home, prepare, serve } from '../lib/program.mjs'
import { words } from '../lib/words.mjs'

const t = words('en')

// What writes, by its screen.
const WRITES = {
  library: ['library.new', 'library.detail.edit', 'library.relations.add'],
  inbox: ['inbox.never', /^Keep/, /^Edit/, /^Reject/],
  todos: ['todos.new'],
  circles: ['circles.new'],
}

// What a screen asks for first, which is answered with an error.
const ASKS = {
  library: 'Library.List', inbox: 'Inbox.List', todos: 'Todos.List', conversations: 'Conversations.List', graph: 'Library.Graph',
  insights: 'Library.Insights', search: 'Search.Find', import: 'Imports.List', handoff: 'Handoffs.Preview', circles: 'Library.Circles', agents: 'Library.Agents', security: 'Care.Copies', settings: 'Settings.About',
}

const MESSAGE = 'The disk went away.'
const fault = JSON.stringify({ error: { code: 'internal', reason: 'disk-gone', message: MESSAGE, hint: '', args: {} } })

describe('the states of every screen', () => {
  let browser, made, place, server, page, seen, me

  before(async () => {
    made = await fixtures()
    place = home()
    const talk = join(place.folder, 'conversations.json')
    writeFileSync(talk, talks(2, 6)) // in which somebody says what they prefer
    await prepare(place.env, ['import', made.path('chatgpt.zip'), talk])
    server = await serve(place.env)
    browser = await launch()
    ;({ page, seen, me } = await opened(browser, server.address, 30_000))
  })
  after(async () => {
    await browser?.close()
    assert.equal(await server?.stop(), 0, 'serve ends in order')
    place?.remove()
  })

  unbroken(() => seen)

  for (const [screen, method] of Object.entries(ASKS)) {
    it(`${screen} says that ${method} did not work`, async (test) => {
      await page.goto(`${new URL(page.url()).origin}/#/${screen === 'settings' ? 'library' : 'settings'}`)
      const asked = []
      const handler = async (route) => {
        const { name } = JSON.parse(route.request().postData())
        asked.push(name)
        return name === method ? route.fulfill({ contentType: 'application/json', body: fault }) : route.continue()
      }
      await page.route('**/api/call', handler)
      await me.go(screen)
      if (screen === 'search') await page.getByRole('textbox', { name: t('search.field') }).fill('river')
      const said = page.getByText(MESSAGE).first()
      await said.waitFor({ timeout: 8_000 }).catch(() => assert.fail(`nothing is said; asked for ${[...new Set(asked)].join(', ')}`))
      test.diagnostic(await said.evaluate((e) => e.closest('[role=alert], [role=status], [aria-live]')?.getAttribute('role') ?? 'not live'))
      await accessible(page, `${screen} with an error`)
      await page.unroute('**/api/call', handler)
    })
  }

  // What a screen waits for, and the steps to it; Go answers when it is told to.
  const SLOW = {
    portrait: ['portrait', 'Portrait.Read'], library: ['library', 'Library.List'], graph: ['graph', 'Library.Graph'], insights: ['insights', 'Library.Insights'],
    conversations: ['conversations', 'Conversations.List'], inbox: ['inbox', 'Inbox.List'], tasks: ['todos', 'Todos.List'], circles: ['circles', 'Library.Circles'],
    'the copies of the vault': ['security', 'Care.Copies'], 'the log': ['security', 'Care.Log', () => page.getByRole('link', { name: t('security.part.log'), exact: true }).click()],
    'the keychain of the system': ['security', 'Keys.Keychain', () => page.getByRole('link', { name: t('security.part.ways'), exact: true }).click()],
    'the change of keys': ['security', 'Keys.Rotation', () => page.getByRole('link', { name: t('security.part.ways'), exact: true }).click()],
    receipts: ['security', 'Care.Receipts', () => page.getByRole('link', { name: t('security.part.erase'), exact: true }).click()],
    'a memory': ['library', 'Library.Get', () => page.getByRole('listbox', { name: t('library.list.label') }).getByRole('option').nth(3).click()],
    'a conversation': ['conversations', 'Conversations.Thread', () => page.getByRole('listbox', { name: t('conversations.list') }).getByRole('option').first().click()],
    'a file to verify': ['verify', 'Exports.Verify', () => me.hand('verify.choose', [made.path('chatgpt.zip')])],
    'a file to compare': ['compare', 'Exports.Compare', () => me.hand('compare.choose', [made.path('chatgpt.zip')])],
    'what is searched for': ['search', 'Search.Find', () => field().fill('river'), 'library.list.loading', async () => {
      await me.go('search')
      await page.getByRole('listbox', { name: t('search.results') }).waitFor() // what went wrong before is over
      const nothing = page.waitForResponse((response) => response.request().postData()?.includes('"Search.Find"'))
      await field().fill('')
      await nothing
    }],
    'a text for an assistant': ['handoff', 'Handoffs.Preview', async () => {}, 'handoff.making'],
    'earlier imports': ['import', 'Imports.List', () => page.reload()], // they are kept from visit to visit
  }
  const field = () => page.getByRole('textbox', { name: t('search.field') })

  // late has Go answer to a method when it is told to.
  async function late(method) {
    let answered
    const answer = new Promise((done) => { answered = done })
    const handler = async (route) => {
      if (JSON.parse(route.request().postData()).name === method) await answer
      return route.continue()
    }
    await page.route('**/api/call', handler)
    return { answered, over: () => page.unroute('**/api/call', handler) }
  }

  for (const [what, [screen, method, steps = async () => {}, words = 'library.list.loading', before = async () => {}]] of Object.entries(SLOW)) {
    it(`${what} says that it is on its way, until it is here`, async () => {
      await before()
      await page.goto(`${new URL(page.url()).origin}/#/settings`)
      await me.screen('settings')
      const go = await late(method)
      await page.evaluate((screen) => { location.hash = `#/${screen}` }, screen)
      await me.screen(screen)
      await steps()
      const said = page.getByRole('status').filter({ hasText: t(words) })
      await said.first().waitFor({ state: 'attached' })
      await accessible(page, `${what} on its way`)
      go.answered()
      await said.first().waitFor({ state: 'detached' })
      await go.over()
    })
  }

  // What a button began.
  for (const [what, [method, key, working]] of Object.entries({
    'the check of everything': ['Care.Check', 'security.check.do', () => page.getByRole('progressbar', { name: t('security.check.working') })],
    'what is held': ['Care.Held', 'held.look', () => page.locator('button[aria-busy=true]', { hasText: t('held.look') })],
  })) {
    it(`${what} says that it is on its way, until it is here`, async () => {
      await me.go('security')
      const go = await late(method)
      await me.button(key).click()
      await working().waitFor()
      await accessible(page, `${what} on its way`)
      go.answered()
      await working().waitFor({ state: 'detached' })
      await go.over()
    })
  }

  it('is frozen', async () => {
    await me.go('inbox')
    await me.button('inbox.look').click()
    await page.getByRole('listbox', { name: t('inbox.list') }).getByRole('option').first().waitFor({ timeout: 60_000 })
    await me.go('security')
    await me.button('security.freeze.do').click()
    await page.getByRole('region', { name: t('frozen.label') }).waitFor()
  })

  for (const [screen, writes] of Object.entries({ ...Object.fromEntries(Object.keys(ASKS).map((s) => [s, []])), ...WRITES, verify: [] })) {
    it(`${screen} says that it is frozen, and writes nothing`, async () => {
      const { generation } = await me.call('Vault.State')
      await me.go(screen)
      await page.getByRole('region', { name: t('frozen.label') }).getByText(t('frozen.text')).waitFor()
      if (screen === 'library') {
        await page.getByRole('listbox', { name: t('library.list.label') }).getByRole('option').first().click()
        await me.detail().getByText(t('frozen.why')).waitFor()
        assert.equal(await me.button('library.lifecycle.archived').count(), 0)
      }
      for (const write of writes) {
        const button = typeof write === 'string' ? me.button(write) : page.getByRole('button', { name: write })
        await button.first().waitFor()
        for (const one of await button.all()) assert.ok(await one.isDisabled(), `${write} on ${screen} can be pressed`)
      }
      for (const key of { library: ['e', 'r'], inbox: ['a', 'e', 'r', 'm'] }[screen] ?? []) {
        await page.getByRole('listbox', { name: t(screen === 'inbox' ? 'inbox.list' : 'library.list.label') }).focus()
        await page.keyboard.press(key)
      }
      assert.equal(await page.getByRole('textbox', { name: t('inbox.words') }).count(), 0)
      await accessible(page, `a frozen ${screen}`)
      assert.equal((await me.call('Vault.State')).generation, generation)
    })
  }

  it('asked nobody outside', () => clean(seen))
})
