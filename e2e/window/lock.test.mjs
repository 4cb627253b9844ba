// What a lock leaves in the memory of the real window and of its web view.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, describe, it } from 'node:test'
import { leaks, missed } from '../lib/leaks.mjs'
import { firstScreen } from '../lib/keepsake.mjs'
import { copies, family } from '../lib/memory.mjs'
import { command, home, results, windowed } from '../lib/program.mjs'
import { drive, screenshot, shown, tool, until } from '../lib/window.mjs'
import { words } from '../lib/words.mjs'

const t = words('en')
let place, window
after(async () => {
  await window?.close()
  place?.remove()
})

// Every text of the vault begins with this; no other text does.
const mark = `zq${randomBytes(6).toString('hex')}`
const secret = `pp${randomBytes(8).toString('hex')} lantern`
const texts = Array.from({ length: 200 }, (_, i) => `User likes ${mark}-${i} and more of it`)

const says = (text, seconds = 40) => until(`the page to say “${text}”`,
  () => window.run('return document.body.innerText.includes(arguments[0])', text).catch(() => false), { seconds })

// unlock types the passphrase as a person does.
async function unlock() {
  await says(t('unlock.title'))
  await until('the field', () => window.run(`
    const field = document.querySelector('input[autocomplete=current-password]')
    if (!field) return false
    field.value = arguments[0]
    field.dispatchEvent(new Event('input', { bubbles: true }))
    field.form.requestSubmit()
    return true`, secret))
  await says(t(`screen.${firstScreen}`))
}

const census = () => family(window.pid()).map((one) => {
  const places = []
  const [found, secrets] = copies(one.pid, [mark, secret], (place) => places.length < 5 && places.push(place))
  return { ...one, texts: found, secrets, places }
})

const line = (name, all) => `${name}: ${all.map((one) => `${one.name} ${one.texts} texts, ${one.secrets} passphrases`).join('; ')}\n`

describe('a lock of the window', () => {
  it('comes by itself, throws the page away, and leaves nothing of the vault in the web view', async () => {
    place = home()
    const settings = join(place.env.XDG_CONFIG_HOME, 'keepsake', 'settings.json')
    mkdirSync(dirname(settings), { recursive: true })
    writeFileSync(settings, JSON.stringify({ auto_lock_minutes: 1 }))
    const init = await command(place.env, ['init', '--kdf', 'test', '--passphrase-file', '-'], { program: windowed, input: `${secret}\n` })
    assert.equal(init.code, 0, init.stderr)
    const recovery = init.stdout.match(/(?:[0-9A-HJKMNP-TV-Z]{5}-){5}[0-9A-HJKMNP-TV-Z]{5}/)?.[0]
    assert.ok(recovery, 'init shows the recovery key')
    window = await drive(place.env)
    await unlock()
    const added = await window.call(`
      for (const content of args[0]) await window.go.bridge.Library.Add({ type: 'fact', customType: '', content, tags: [] })
      return (await window.go.bridge.Library.List({ text: '', types: [], statuses: [], platforms: [], tags: [], conversation: '', hasRelations: false, since: '', until: '', sort: '', offset: 0, limit: 200 })).total`, texts)
    assert.equal(added.value, 200, added.error)
    await says('and more of it') // not the mark: WebDriver's own messages would be found
    const open = census()
    console.log(line('open', open))
    assert.ok(open.find((one) => one.name.startsWith('WebKitWeb'))?.texts > 0, 'the scan finds what is there')
    const view = open.find((one) => one.name.startsWith('WebKitWeb')).pid
    // Nobody touches anything for a minute.
    const began = Date.now()
    await until('the vault to lock by itself', async () => !family(window.pid()).some((one) => one.pid === view), { seconds: 120, every: 500 })
    assert.ok(Date.now() - began > 30_000, 'not at once')
    await new Promise((next) => setTimeout(next, 5_000)) // the bar of row 15
    const locked = census()
    const said = line('open', open) + line('locked', locked)
    console.log(said)
    appendFileSync(join(results, 'memory.txt'), said)
    assert.ok(locked.length > 1, 'the window lives on')
    // What it takes for none to be left in the window's own process: docs/decisions/0030-what-a-lock-throws-away.md.
    for (const one of locked) assert.deepEqual([one.texts, one.secrets], [0, 0], [one.name, ...one.places].join('\n'))
    // WebDriver went with the process that it spoke to; a keyboard still does.
    const id = await shown(window.pid())
    await screenshot('window-locked', id)
    await tool('xdotool', 'windowfocus', '--sync', id)
    await tool('xdotool', 'type', '--delay', '20', secret)
    await tool('xdotool', 'key', 'Return')
    await until('the memories to be shown again', () => census().some((one) => one.name.startsWith('WebKitWeb') && one.texts > 0), { seconds: 40, every: 1_000 })
    await screenshot('window-unlocked-again', id)
    // Of all that the program and its web view wrote, nothing can be read: vault,
    // settings, caches, profile, logs, temporary files.
    await window.close()
    window = undefined
    const { found, read } = leaks(place.folder, [mark, secret, recovery, recovery.replaceAll('-', '')])
    console.log(`${read} files in ${place.folder}: words of the vault in ${found.length}`)
    assert.ok(read > 5, 'there is something to look through')
    assert.deepEqual(found, [])
    assert.deepEqual(missed(place.folder, mark), [], 'the search would find them')
  })
})
