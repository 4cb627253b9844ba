// The whole job of somebody who begins, in the real window: from Welcome to a signed file
// that verifies in it and outside of it.
import assert from 'node:assert/strict'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { passphrase } from '../lib/keepsake.mjs'
import { command, fixtures, home } from '../lib/program.mjs'
import { drag, drive, press, saveAs, says, screenshot, shown, until } from '../lib/window.mjs'
import { words } from '../lib/words.mjs'

const t = words('en')

describe('the main job in the window', () => {
  let made, place, window, id, file
  before(async () => {
    made = await fixtures()
    place = home()
    window = await drive(place.env)
    id = await shown(await window.pid())
  })
  after(async () => {
    await window?.close()
    place?.remove()
  })

  // fill types into the field with a label, as the page hears it.
  const fill = (label, text) => until(`the field “${label}”`, () => window.run(`
    const field = [...document.querySelectorAll('input, textarea')].find((one) => (one.labels?.[0]?.innerText.trim() ?? one.getAttribute('aria-label')) === arguments[0] || one.getAttribute('aria-label') === arguments[0])
    if (!field) return false
    field.focus()
    field.value = arguments[1]
    field.dispatchEvent(new Event('input', { bubbles: true }))
    return true`, label, text))
  const listed = (text) => until(`the row “${text}”`, () => window.run("return [...document.querySelectorAll('[role=listbox] [role=option]')].some((row) => row.innerText.includes(arguments[0]))", text))
  const named = (label) => until(`“${label}”`, () => window.run(`
    const button = document.querySelector('button[aria-label="' + arguments[0] + '"]')
    button?.click()
    return button !== null`, label))

  it('makes a vault, whose recovery key is typed back once', async () => {
    await says(window, t('welcome.title'))
    await press(window, t('welcome.create'))
    await fill(t('create.passphrase'), passphrase)
    await fill(t('create.again'), passphrase)
    await press(window, t('create.submit'))
    await says(window, t('recovery.title'), 60)
    await screenshot('job-1-recovery-key', id)
    const groups = await window.run('return [...document.querySelectorAll(\'ol[aria-label="\' + arguments[0] + \'"] li\')].map((li) => li.lastChild.textContent.trim())', t('recovery.label'))
    assert.equal(groups.length, 6)
    await press(window, t('recovery.next'))
    await says(window, t('check.title'))
    const asked = await window.run('return [...document.querySelectorAll("main form input")].map((one) => one.labels[0].innerText.trim())')
    assert.equal(asked.length, 2, 'two groups are typed back')
    for (const [i, group] of groups.entries()) {
      const label = t('check.group', { number: i + 1 })
      if (asked.includes(label)) await fill(label, group.toLowerCase())
    }
    await press(window, t('check.submit'))
    await says(window, t('import.choose'))
  })

  it('takes a ChatGPT export that is dragged onto it, and reads it', async () => {
    const zip = join(place.folder, 'chatgpt-export.zip')
    copyFileSync(made.path('chatgpt.zip'), zip)
    await drag([zip], id)
    await says(window, t('import.plan.export', { provider: 'ChatGPT' }))
    await screenshot('job-2-plan', id)
    await press(window, t('import.plan.begin'))
    await says(window, t('import.report.library'), 60)
    await says(window, t('import.report.conversations', { count: made.truth.chatgpt.conversations }))
    await screenshot('job-3-report', id)
    await press(window, t('import.report.library'))
    await listed(made.truth.chatgpt.memories.at(-1))
    await screenshot('job-4-memories', id)
  })

  it('finds a memory, opens it and puts it right', async () => {
    await fill(t('library.search'), made.truth.chatgpt.memories.at(-1))
    await says(window, t('library.count', { count: 1 }))
    await until('the memory to open', () => window.run(`
      document.querySelector('[role=listbox] [role=option]')?.click()
      return document.querySelector('article[aria-label="' + arguments[0] + '"]') !== null`, t('library.detail.label')))
    await named(t('library.detail.edit'))
    await fill(t('library.detail.content'), 'Prefers tea to coffee, whatever the assistant thought.')
    await press(window, t('library.detail.done'))
    await says(window, t('library.done.edit'))
    await fill(t('library.search'), 'whatever the assistant')
    await listed('Prefers tea to coffee, whatever the assistant thought.')
    await screenshot('job-5-memory', id)
  })

  it('writes a signed file where it is told to, and shows what it signed', async () => {
    file = join(place.folder, 'mine.pam.json')
    await press(window, t('shell.export'))
    await saveAs(window, file, () => press(window, t('export.start')))
    await says(window, t('export.done'), 60)
    await says(window, 'mine.pam.json')
    await says(window, t('export.reveal'))
    await screenshot('job-6-certificate', id)
  })

  it('says that it is signed by oneself, and that a copy that was changed is broken', async () => {
    await press(window, t('export.verify'))
    await says(window, t('verify.verdict.own'))
    await says(window, 'mine.pam.json')
    await screenshot('job-7-signed-by-you', id)
    const changed = join(place.folder, 'changed.pam.json')
    writeFileSync(changed, readFileSync(file, 'utf8').replace('Prefers tea to coffee', 'Prefers coffee to tea'))
    await drag([changed], id)
    await says(window, t('verify.verdict.broken'))
    await says(window, 'changed.pam.json')
    await screenshot('job-8-broken', id)
  })

  it('has written what verifies outside of it', async () => {
    const verified = await command(place.env, ['verify', '--json', file])
    assert.equal(verified.code, 0, verified.stdout + verified.stderr)
    assert.equal(JSON.parse(verified.stdout).valid, true)
    assert.ok(readFileSync(file, 'utf8').includes('Prefers tea to coffee, whatever the assistant thought.'), 'what was put right is in it')
  })
})
