// The main job by keys alone, from Welcome to a signed file that the command line
// verifies; and two memories brought together, by the mouse and by keys.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { clean, launch, unbroken, visit } from '../lib/browser.mjs'
import { at, passphrase } from '../lib/keepsake.mjs'
import { command, fixtures, home, serve } from '../lib/program.mjs'
import { words } from '../lib/words.mjs'

const STOPS = 80 // more than any screen has

describe('by keys alone', () => {
  const t = words('en')
  let browser, made, place, server, page, seen, me

  before(async () => {
    made = await fixtures()
    place = home()
    server = await serve(place.env)
    browser = await launch()
    ;({ page, seen } = await visit(browser, server.address))
    page.setDefaultTimeout(60_000)
    me = at(page, t)
    await page.evaluate(() => addEventListener('pointerdown', () => { window.pointed = true }, true))
  })
  after(async () => {
    await browser?.close()
    assert.equal(await server?.stop(), 0, 'serve ends in order')
    place?.remove()
  })

  unbroken(() => seen)

  // reach goes on with Tab until something has the focus, and sees that it shows it.
  async function reach(target) {
    await target.waitFor()
    for (let stop = 0; stop < STOPS; stop++) {
      if (await target.evaluate((e) => e === document.activeElement)) {
        const shown = await target.evaluate((e) => [e, e.parentElement].some((x) => ['', '::before', '::after'].some((part) => ['outlineStyle', 'boxShadow'].some((way) => getComputedStyle(x, part)[way] !== 'none'))))
        assert.ok(shown, 'what has the focus shows it')
        return
      }
      await page.keyboard.press('Tab')
    }
    assert.fail(`${STOPS} presses of Tab do not lead to ${target}`)
  }

  async function press(target, key = 'Enter') {
    await reach(target)
    await page.keyboard.press(key)
  }

  async function write(target, text) {
    await reach(target)
    await page.keyboard.type(text)
  }

  const field = (key, params) => page.getByLabel(t(key, params), { exact: true })
  const list = () => page.getByRole('listbox', { name: t('library.list.label') })
  const related = () => me.detail().getByRole('listitem').filter({ hasText: t('library.relation.related_to.out') })
  const untouched = async () => assert.equal(await page.evaluate(() => window.pointed), undefined, 'no mouse')

  it('creates a vault', async () => {
    await press(me.button('welcome.create'))
    await write(field('create.passphrase'), passphrase)
    await write(field('create.again'), passphrase)
    await press(me.button('create.submit'))
    await me.heading('recovery.title').waitFor()
    const groups = await page.getByRole('list', { name: t('recovery.label') }).getByRole('listitem').evaluateAll(
      (items) => items.map((item) => item.lastChild.textContent.trim()))
    await press(me.button('recovery.next'))
    await me.heading('check.title').waitFor()
    for (const [i, group] of groups.entries()) {
      const asked = field('check.group', { number: i + 1 })
      if (await asked.count()) await write(asked, group.toLowerCase())
    }
    await press(me.button('check.submit'))
    await me.screen('import')
    await untouched()
  })

  it('reads an export into it', async () => {
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), press(me.button('import.choose'))])
    await chooser.setFiles([made.path('chatgpt.zip')]) // the dialog is the system's
    await press(me.button('import.plan.begin'))
    await press(me.button('import.report.library'))
    await me.screen('library')
    await untouched()
  })

  it('does not take the whole import back by one press of undo', async () => {
    const { memories } = await me.call('Vault.State')
    assert.ok(memories >= made.truth.chatgpt.memories.length)
    await reach(list())
    await page.keyboard.press('ControlOrMeta+z')
    await page.getByText(t('undo.import')).waitFor()
    assert.equal((await me.call('Vault.State')).memories, memories)
    await press(me.button('undo.import.show'))
    await me.screen('import')
    await page.keyboard.press('ControlOrMeta+2')
    await me.screen('library')
    await untouched()
  })

  it('finds a memory, mends it and relates it', async () => {
    const wanted = made.truth.chatgpt.memories.at(-1)
    await page.keyboard.press('ControlOrMeta+f')
    await page.keyboard.type(wanted)
    await page.getByText(t('library.count', { count: 1 }), { exact: true }).waitFor()
    await reach(list())
    await page.keyboard.press('j')
    await me.detail().getByText(wanted).first().waitFor()
    await page.keyboard.press('e')
    const words = page.getByRole('textbox', { name: t('library.detail.content') })
    await reach(words)
    await page.keyboard.press('ControlOrMeta+End')
    await page.keyboard.type(' It goes along the river.')
    await press(me.button('library.detail.done'))
    await me.detail().getByText('It goes along the river.').first().waitFor()
    assert.equal(await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle), 'none', 'no frame stays around what was edited')
    await reach(list())
    await page.keyboard.press('r')
    await write(page.getByRole('combobox', { name: t('library.relations.search') }), made.truth.chatgpt.memories[0].slice(0, 30))
    await page.getByRole('listbox', { name: t('library.relations.search') }).getByRole('option').first().waitFor()
    await page.keyboard.press('Enter')
    await related().waitFor()
    await untouched()
  })

  it('retracts it from the palette, and takes that back from its history', async () => {
    const status = async () => (await me.call('Library.List', { text: 'It goes along the river', statuses: [], limit: 1 })).items[0].status
    await page.keyboard.press('ControlOrMeta+k')
    await page.getByRole('combobox', { name: t('palette.field') }).waitFor()
    await page.keyboard.type(t('library.lifecycle.retracted').slice(0, -1))
    await page.getByRole('option', { name: t('library.lifecycle.retracted') }).waitFor()
    await page.keyboard.press('Enter')
    await press(me.button('library.lifecycle.retracted.yes'))
    await me.detail().getByText(t('library.lifecycle.end.retracted')).waitFor()
    assert.equal(await status(), 'retracted')
    await press(me.detail().locator('summary').filter({ hasText: t('library.history') }))
    await press(me.detail().getByRole('list').getByRole('button', { name: t('library.lifecycle.back', { status: t('status.active') }) }))
    await me.button('library.lifecycle.archived').waitFor()
    assert.equal(await status(), 'active')
    await reach(list())
    await page.keyboard.press('p') // a key for each
    await me.detail().getByText(t('library.circles.nobody'), { exact: true }).waitFor()
    await page.keyboard.press('l')
    await me.detail().getByText(t('library.circles.me'), { exact: true }).waitFor()
    await untouched()
  })

  it('exports it signed, and the file verifies', async () => {
    await page.keyboard.press('ControlOrMeta+e')
    await press(me.button('export.start'))
    await page.getByRole('article', { name: t('export.card') }).waitFor()
    const [download] = await Promise.all([page.waitForEvent('download'), press(page.getByRole('link', { name: t('export.download') }))])
    const file = join(place.folder, download.suggestedFilename())
    await download.saveAs(file)
    const verified = await command(place.env, ['verify', '--json', file])
    assert.equal(verified.code, 0, verified.stdout + verified.stderr)
    const { valid, verdict } = JSON.parse(verified.stdout)
    assert.deepEqual([valid, verdict], [true, 'unknown'], 'signed; whose key it is, only the vault knows')
    await page.keyboard.press('Escape')
    await untouched()
  })

  // carry takes the first row by the mouse and lets it go over another, or, with
  // Escape, nowhere.
  async function carry(to, giveUp = false) {
    const rows = list().getByRole('option')
    const [from, goal] = [await rows.nth(0).boundingBox(), await rows.nth(to).boundingBox()]
    await page.mouse.move(from.x + 120, from.y + from.height / 2)
    await page.mouse.down()
    await page.mouse.move(goal.x + 140, goal.y + goal.height / 2, { steps: 8 })
    if (giveUp) await page.keyboard.press('Escape')
    await page.mouse.up()
  }

  it('relates a memory that is dragged onto another', async () => {
    const facts = made.truth.chatgpt.memories
    await me.go('library')
    await page.getByRole('textbox', { name: t('library.search') }).fill('')
    await list().getByRole('option').nth(3).waitFor()
    const dialog = page.getByRole('dialog', { name: t('library.relate.title') })
    const relations = async () => (await me.call('Vault.State')).relations
    const before = await relations()
    assert.ok(facts.length > 2)
    await carry(2, true)
    await carry(0)
    assert.equal(await dialog.count(), 0, 'nothing was dropped on anything')
    await carry(2)
    await dialog.waitFor()
    await me.button('library.relate.do').click()
    await dialog.waitFor({ state: 'detached' })
    assert.equal(await relations(), before + 1)
    await list().focus()
    await page.keyboard.press('ControlOrMeta+z')
    for (let i = 0; i < 600 && (await relations()) !== before; i++) await page.waitForTimeout(100)
    assert.equal(await relations(), before, 'it is undone')
  })

  it('asked nobody outside', () => clean(seen))
})
