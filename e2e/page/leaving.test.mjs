// What leaves otherwise than as PAM: MIF, notes, a page, a table, the personal forms
// and a hand-off. Each is previewed, reviewed (one finding kept, the others hidden),
// written, and read again as a stranger would.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { accessible, clean, launch, opened, unbroken } from '../lib/browser.mjs'
import { command, home, prepare, serve } from '../lib/program.mjs'
import { checksum, note, table, unzip } from '../lib/readers.mjs'
import { languages, words } from '../lib/words.mjs'

let browser
before(async () => { browser = await launch() })
after(() => browser?.close())

const KEPT = 'ana@example.com'
const GONE = 'robin@example.com'
const uuid = (n) => `0000000${n}-1111-4222-8333-000000000001`
const document = (drink, ...more) => JSON.stringify({
  mif_version: '1.0',
  memories: [`Robin likes ${drink}`, `Write to ${GONE}`, `Ana is at ${KEPT}`, ...more]
    .map((content, i) => ({ id: `mem_${uuid(i + 1)}`, content, type: 'Observation', created_at: `2026-01-0${i + 1}T00:00:00Z` })),
  todos: [{ id: `todo_${uuid(9)}`, content: `Ask ${GONE}`, status: 'todo', created_at: '2026-01-01T00:00:00Z' }],
})
const told = ['Robin likes coffee', 'Write to [REDACTED:email]', `Ana is at ${KEPT}`, 'Robin sings']

for (const language of languages) {
  describe(`what leaves in ${language}`, () => {
    const t = words(language)
    let place, server, page, seen, me
    const look = (where) => accessible(page, `${where} (${language})`)
    const hidden = (hidden, total) => page.getByText(t('redaction.hidden', { count: hidden, total })).waitFor()

    function file(name, text) {
      const path = join(place.folder, name)
      writeFileSync(path, text)
      return path
    }

    before(async () => {
      place = home()
      await prepare(place.env, ['import', file('first.mif.json', document('tea'))])
      server = await serve(place.env)
      ;({ page, seen, me } = await opened(browser, server.address, 10_000, { language }))
    })
    after(async () => {
      assert.equal(await server?.stop(), 0, 'serve ends in order')
      place?.remove()
    })

    unbroken(() => seen)

    it('says what a MIF file would do to what is here, and does what is chosen', async () => {
      await me.go('import')
      await me.hand('import.choose', [file('second.mif.json', document('coffee', 'Robin sings'))])
      await me.button('import.plan.begin').waitFor()
      await page.getByText(t('import.merge.new', { count: 1, same: 2 })).waitFor()
      await page.getByText(t('import.merge.skip_duplicates.note', { count: 1 })).waitFor()
      await look('what becomes of memories that are here')
      await page.getByRole('radio', { name: t('import.merge.overwrite'), exact: true }).check()
      await me.button('import.plan.begin').click()
      await me.button('import.report.library').click()
      const { items } = await me.call('Library.List', { limit: 50 })
      assert.deepEqual(items.map((m) => m.content).sort(), [`Ana is at ${KEPT}`, 'Robin likes coffee', 'Robin sings', `Write to ${GONE}`])
    })

    const choose = (label, value) => page.getByRole('combobox', { name: t(label), exact: true }).selectOption(value)

    // keepOne opens the review and lets one of the findings stay.
    async function keepOne(total, seen = async () => {}) {
      await hidden(total, total)
      await me.button('redaction.look').click()
      await page.getByRole('button', { name: `${t('redaction.goes')}: ${KEPT}` }).click()
      await page.getByRole('button', { name: `${t('redaction.stays')}: ${KEPT}` }).waitFor()
      await hidden(total - 1, total)
      await seen()
    }

    // saved takes what the browser is offered.
    async function saved(label) {
      const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: t(label) }).click()])
      const path = join(place.folder, download.suggestedFilename())
      await download.saveAs(path)
      return { path, bytes: readFileSync(path) }
    }

    // written makes an export of four memories in a form, gone through on the way.
    async function written(format, review) {
      await page.keyboard.press('ControlOrMeta+e')
      await choose('export.format', format)
      await page.getByText(t('export.memories', { count: 4 })).waitFor()
      const others = format === 'mif' ? 1 : 0 // the task
      if (!others) {
        await page.getByText(t('redaction.open', { count: 2 })).waitFor()
        await page.getByRole('switch', { name: t('redaction.title') }).click()
      }
      await review(2 + others)
      await me.button('export.mif.start').click()
      const card = page.getByRole('article', { name: t('export.card') })
      await card.getByText(t('export.card.memories', { count: 4 })).waitFor()
      await card.getByText(t('export.card.hidden', { count: 1 + others })).waitFor()
      const made = await saved('export.download')
      await page.getByRole('contentinfo').getByRole('button', { name: t('export.close'), exact: true }).click()
      await card.waitFor({ state: 'detached' })
      assert.ok(!made.bytes.includes(GONE), 'what was hidden is not in the file')
      return made
    }

    for (const [version, form, read] of [
      ['1', 'json', JSON.parse],
      ['2', 'jsonl', (text) => text.trim().split('\n').map((line) => JSON.parse(line)).reduce((head, memory, i) => (i ? { ...head, memories: [...(head.memories ?? []), memory] } : memory), {})],
      ['1', 'yaml', null],
    ]) {
      it(`writes MIF ${version} as ${form}`, async () => {
        const { path, bytes } = await written('mif', async (total) => {
          if (version !== '1') await choose('export.mif.version', version)
          if (form !== 'json') await choose('export.mif.form', form)
          await keepOne(total, async () => {
            if (form !== 'json') return
            await page.getByText(t('redaction.in.task'), { exact: true }).waitFor()
            await look('the findings of a MIF export')
          })
        })
        const validated = await command(place.env, ['validate', '--json', path])
        assert.equal(validated.code, 0, validated.stdout)
        if (!read) {
          for (const content of told.slice(0, 2)) assert.match(bytes.toString(), new RegExp(`^- content: ${content.replace(/[[\]]/g, '\\$&')}$`, 'm'))
          return
        }
        const document = read(bytes.toString())
        assert.equal(document.mif_version, `${version}.0`)
        assert.deepEqual(document.memories.map((m) => m.content).sort(), [...told].sort())
        assert.deepEqual(document.todos.map((d) => d.content), ['Ask [REDACTED:email]'])
        const { redactions } = document.memories.find((m) => m.content === told[1])
        assert.deepEqual(redactions, [{ type: 'email', original_length: GONE.length, position: [9, 9 + GONE.length] }])
        if (version === '1') assert.equal(document.export.checksum, checksum(document.memories))
      })
    }

    it('writes Markdown and Obsidian notes', async () => {
      for (const format of ['markdown', 'obsidian']) {
        const { bytes } = await written(format, keepOne)
        const texts = unzip(bytes)
        const notes = [...texts].filter(([name]) => name.startsWith('memories/')).map(([, text]) => note(text))
        assert.deepEqual(notes.map((n) => n.words).sort(), [...told].sort())
        assert.deepEqual(notes.map((n) => [n.id, n.type, n.created]).sort(), told.map((_, i) => [uuid(i + 1), 'fact', `2026-01-0${i + 1}T00:00:00Z`]))
        const links = texts.get('index.md').match(format === 'obsidian' ? /\[\[memories\/(?:.*?)\|/g : /\]\(.*memories\/.*\)/g)
        assert.equal(links?.length, 4, texts.get('index.md'))
      }
    })

    it('writes a page that shows the memories and asks nobody', async () => {
      const { path } = await written('html', keepOne)
      const reader = await browser.newPage()
      const asked = []
      reader.on('request', (request) => asked.push(request.url()))
      await reader.goto(`file://${path}`)
      for (const content of told) await reader.getByText(content, { exact: true }).first().waitFor()
      assert.equal(await reader.locator('script').count(), 0)
      assert.deepEqual(asked, [`file://${path}`])
      await reader.close()
    })

    it('writes a table', async () => {
      const { bytes } = await written('csv', keepOne)
      const rows = table(bytes)
      assert.deepEqual(rows.map((r) => [r.id, r.type, r.content]), told.map((content, i) => [uuid(i + 1), 'fact', content]))
    })

    it('writes the personal forms, by category', async () => {
      const { bytes } = await written('personal', async (total) => {
        await page.getByRole('checkbox', { name: t('export.category.preference'), exact: true }).uncheck()
        await page.getByRole('checkbox', { name: t('export.category.conversation'), exact: true }).uncheck()
        await keepOne(total, () => look('the choices of the personal form'))
      })
      const { record_count, categories } = JSON.parse(bytes)
      const { records } = categories.learned_context
      assert.deepEqual([record_count, records.length], [4, 4])
      assert.deepEqual(records.map((r) => [r.memory_id, r.content, r.metadata.type]), told.map((content, i) => [uuid(i + 1), content, 'fact']))
      assert.equal((await command(place.env, ['hash'], { input: told[1] })).stdout.trim(), records[1].content_hash, 'the hash of what the file says')
      const lines = (await written('personal-markdown', keepOne)).bytes.toString().split('\n')
      assert.match(lines[0], /^# /)
      assert.deepEqual(lines.filter((line) => told.includes(line)), told)
    })

    it('hands off to an assistant what was looked at', async () => {
      await me.go('handoff')
      const targets = page.getByRole('navigation', { name: t('handoff.targets') }).getByRole('button')
      await targets.nth(5).waitFor() // the list comes after the heading
      assert.equal(await targets.count(), 6)
      await targets.filter({ hasText: t('handoff.target.claude') }).first().click()
      const part = page.getByRole('region', { name: t('handoff.part.import'), exact: true })
      await part.getByRole('button', { name: t('handoff.pasted') }).click()
      const text = part.getByRole('region', { name: t('handoff.text', { part: t('handoff.part.import') }) })
      await text.filter({ hasText: 'Robin sings' }).waitFor()
      const before = await text.innerText()
      assert.ok(!before.includes('@') && before.includes('[REDACTED:email]'), before)
      await page.getByText(t('handoff.training.setting')).waitFor()
      await keepOne(2, () => look('a hand-off'))
      await text.filter({ hasText: KEPT }).waitFor()
      const shown = await text.innerText()
      await part.getByRole('button', { name: t('handoff.save') }).click()
      const { path, bytes } = await saved('handoff.download')
      assert.equal(bytes.toString().trim(), shown.trim(), 'what was looked at is what was written')
      assert.deepEqual(bytes.toString().match(/^\[2026-01-0\d\] - .*$/gm), told.map((content, i) => `[2026-01-0${i + 1}] - ${content}.`), path)
      const log = await me.call('Care.Log', 0, 1)
      assert.equal(log.entries[0].action, 'handoff', 'it is in the log')
    })

    it('hands a file to a coding agent', async () => {
      await page.getByRole('navigation', { name: t('handoff.targets') }).getByRole('button').filter({ hasText: t('handoff.target.agents-md') }).click()
      const part = page.getByRole('region', { name: t('handoff.part.file'), exact: true })
      await part.getByRole('checkbox', { name: 'Robin sings' }).waitFor()
      await part.getByRole('button', { name: t('handoff.save') }).click()
      const { path, bytes } = await saved('handoff.download')
      assert.ok(path.endsWith('AGENTS.md'), path)
      for (const content of told) assert.ok(bytes.includes(`- ${content}.\n`), bytes.toString())
    })

    it('met no error and asked nobody outside', () => clean(seen))
  })
}
