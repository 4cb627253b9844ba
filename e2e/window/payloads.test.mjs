// A hundred hostile texts in the real window: what WebKit makes of them.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { passphrase } from '../lib/keepsake.mjs'
import { command, fixtures, home, windowed } from '../lib/program.mjs'
import { drive, until } from '../lib/window.mjs'

describe('hostile text in the window', () => {
  let place, window, made
  before(async () => {
    made = await fixtures()
    place = home()
    const secret = ['--passphrase-file', '-']
    for (const args of [['init', '--kdf', 'test', ...secret], ['import', made.path('payloads.zip'), ...secret]]) {
      const { code, stderr } = await command(place.env, args, { program: windowed, input: `${passphrase}\n` })
      assert.equal(code, 0, stderr)
    }
    window = await drive(place.env)
  })
  after(async () => {
    await window?.close()
    place?.remove()
  })

  it('opens nothing, asks nobody and calls nothing', async () => {
    await until('the page', () => window.run('return document.querySelector("h1") !== null'))
    const unlocked = await window.call('return await window.go.bridge.Vault.Unlock(args[0])', passphrase)
    assert.equal(unlocked.error, undefined)
    const { value } = await window.call(`
      const list = await window.go.bridge.Conversations.List({ text: "", platforms: [], since: "", until: "", sort: "created", offset: 0, limit: 200 })
      window.dialogs = []
      for (const name of ["alert", "confirm", "prompt", "open", "print"]) window[name] = () => { window.dialogs.push(name) }
      window.calls = []
      for (const [struct, methods] of Object.entries(window.go.bridge)) for (const [name, method] of Object.entries(methods)) {
        methods[name] = (...given) => { window.calls.push(struct + "." + name); return method(...given) }
      }
      return list.items.map((one) => one.id)`)
    const drawn = new Set()
    // The beginning of each conversation: a stretch of every kind.
    for (const id of value) {
      await window.run('location.hash = "#/conversations/" + arguments[0]', id)
      await until('a payload', () => window.run('return /payload \\d{4}\\./.test(document.querySelector(".sheet")?.innerText ?? "")'))
      const { value: marks } = await window.call(`
        const e = document.querySelector('[role=region][tabindex]')
        const marks = new Set()
        for (let i = 0; i < 6; i++) {
          for (const [mark] of e.innerText.matchAll(/payload \\d{4}\\./g)) marks.add(mark)
          e.scrollBy(0, e.clientHeight * 0.8)
          await new Promise((next) => setTimeout(next, 60))
        }
        return [...marks]`)
      for (const mark of marks ?? []) drawn.add(mark)
    }
    assert.ok(drawn.size >= 100, `${drawn.size} payloads were drawn`)
    const after = await window.run(`return { dialogs: window.dialogs, calls: [...new Set(window.calls)], href: location.href,
      outside: performance.getEntriesByType('resource').map((e) => e.name).filter((name) => !name.startsWith('wails://') && !name.startsWith('blob:')) }`)
    assert.deepEqual(after.dialogs, [])
    assert.deepEqual(after.outside, [])
    assert.match(after.href, /^wails:\/\/wails\//)
    assert.deepEqual(after.calls.filter((name) => !/^(Conversations\.(Thread|List)|Library\.(List|Facets|Get|Drafts|SavedViews)|Vault\.(State|Present)|Search\.(Find|Similar)|Settings\.Get|Keys\.Rotation|Imports\.(Opened|List)|Inbox\.List)$/.test(name)), [])
    console.log(`# ${drawn.size} payloads in the window: 0 dialogs, 0 requests, 0 calls`)
  })
})
