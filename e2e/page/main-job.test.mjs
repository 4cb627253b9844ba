// The main job, from an empty home to a signed file that verifies, in every
// language of the page, with axe finding nothing on the way in either theme.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { accessible, clean, launch, unbroken, visit } from '../lib/browser.mjs'
import { at, passphrase } from '../lib/keepsake.mjs'
import { command, fixtures, home, serve } from '../lib/program.mjs'
import { languages, words } from '../lib/words.mjs'

let browser, made
before(async () => {
  made = await fixtures()
  browser = await launch()
})
after(() => browser?.close())

for (const language of languages) {
  describe(`the main job in ${language}`, () => {
    const t = words(language)
    let place, server, page, seen, me, file, shown
    const look = (where) => accessible(page, `${where} (${language})`)

    before(async () => {
      place = home()
      server = await serve(place.env)
      ;({ page, seen } = await visit(browser, server.address, { language }))
      page.setDefaultTimeout(20_000)
      me = at(page, t)
    })
    after(async () => {
      assert.equal(await server?.stop(), 0, 'serve ends in order')
      place?.remove()
    })

    // Every step is to blame for its own errors.
    unbroken(() => seen)

    it('creates a vault and has the recovery key typed back', () => me.create(look))

    it('imports a ChatGPT and a Claude export', async () => {
      await look('Import')
      await me.importing([made.path('chatgpt.zip'), made.path('claude.zip')], async (where) => {
        for (const provider of where.startsWith('the plan') ? ['ChatGPT', 'Claude'] : []) {
          await page.getByRole('heading', { name: t('import.plan.export', { provider }) }).waitFor()
        }
        await look(where)
      })
      const held = await me.call('Conversations.List', { limit: 200 })
      const titles = held.items.map((c) => c.title)
      for (const planted of [...made.truth.chatgpt.titles, ...made.truth.claude.titles]) {
        assert.ok(titles.includes(planted), `“${planted}” is in the vault`)
      }
      await page.getByText(t('import.report.conversations', { count: held.total })).waitFor()
      await me.button('import.report.library').click()
      await me.screen('library')
    })

    it('searches the list', async () => {
      await look('Library')
      const wanted = made.truth.chatgpt.memories.at(-1)
      const rows = await me.find(wanted, 1)
      await rows.first().click()
      await me.detail().getByText(wanted).first().waitFor()
      await look('a memory')
    })

    it('edits a memory', async () => {
      const mended = 'Prefers tea to coffee, whatever the assistant thought.'
      await me.button('library.detail.edit').click()
      await page.getByRole('textbox', { name: t('library.detail.content') }).fill(mended)
      await me.button('library.detail.done').click()
      await me.detail().getByText(mended).waitFor()
      await me.find('whatever the assistant', 1)
    })

    it('relates it to another', async () => {
      const other = made.truth.claude.memories[0]
      await me.button('library.relations.add').click()
      await page.getByRole('combobox', { name: t('library.relations.search') }).fill(other.slice(0, 40))
      await look('relating')
      await page.getByRole('listbox', { name: t('library.relations.search') }).getByRole('option').first().click()
      await me.detail().getByRole('listitem').filter({ hasText: t('library.relation.related_to.out') }).waitFor()
    })

    it('retracts it, and takes a change back', async () => {
      await me.button('library.lifecycle.retracted').click()
      await me.button('library.lifecycle.retracted.yes').click()
      await me.detail().getByText(t('status.retracted'), { exact: true }).waitFor()
      await look('a retracted memory')
      await page.getByRole('listbox', { name: t('library.list.label') }).focus()
      await page.keyboard.press('ControlOrMeta+z')
      await me.button('library.lifecycle.retracted').waitFor()
      await me.button('library.lifecycle.retracted').click()
      await me.button('library.lifecycle.retracted.yes').click()
      await me.detail().getByText(t('status.retracted'), { exact: true }).waitFor()
    })

    it('reads a conversation and turns to its other branch', async () => {
      await me.go('conversations')
      await look('Conversations')
      const { titles } = made.truth.chatgpt
      await page.getByRole('textbox', { name: t('conversations.search') }).fill(titles[0])
      await page.getByRole('listbox', { name: t('conversations.list') }).getByRole('option').filter({ hasText: titles[0] }).click()
      const other = page.getByRole('button', { name: t('conversations.branch.before') }).first()
      const text = page.getByRole('region', { name: t('conversations.text') })
      await text.getByRole('article').first().waitFor()
      await me.reach(text, other)
      const before = await text.innerText()
      await other.click()
      await page.waitForFunction(
        ([label, said]) => document.querySelector(`[aria-label="${label}"]`).innerText !== said, [t('conversations.text'), before])
      await look('a conversation')
    })

    it('finds a message and a memory by their words', async () => {
      const { items } = await me.call('Conversations.List', { limit: 50 })
      const head = items.find((c) => c.platform === 'chatgpt' && c.messages > 2)
      const { messages } = await me.call('Conversations.Thread', head.id, '', 0, 200)
      const said = messages.find((m) => m.role === 'user' && m.hidden === '' && m.parts.some((p) => /\p{L}{6}/u.test(p.text))).parts.map((p) => p.text).join(' ')
      const wordsOf = said.match(/\p{L}{4,}/gu).slice(0, 4).join(' ')
      await page.keyboard.press('ControlOrMeta+Shift+f')
      await me.screen('search')
      await look('Search')
      const field = page.getByRole('textbox', { name: t('search.field') })
      const hits = page.getByRole('listbox', { name: t('search.results') }).getByRole('option')
      await field.fill('xyzzyx')
      await me.heading('search.nothing', { text: 'xyzzyx' }).waitFor()
      await page.getByText(t('search.in.messages'), { exact: true }).click()
      await field.fill(wordsOf)
      await hits.first().locator('mark').first().waitFor()
      await look('what was found')
      await hits.first().click()
      await me.screen('conversations')
      const articles = page.getByRole('region', { name: t('conversations.text') }).getByRole('article')
      await articles.filter({ hasText: wordsOf.split(' ')[0] }).first().waitFor()
      const target = page.locator('article[aria-current="true"]')
      await target.filter({ hasText: wordsOf.split(' ')[0] }).waitFor()
      const [box, view] = [await target.boundingBox(), page.viewportSize()]
      assert.ok(box.y >= 0 && box.y < view.height, 'the message is in view')
      await me.button('shell.back').click()
      await me.screen('search')
      assert.equal(await hits.first().getAttribute('aria-selected'), 'true', 'the selection is as it was left')
      assert.equal(await field.inputValue(), wordsOf, 'the search is as it was left')
      await page.getByText(t('search.in.memories'), { exact: true }).click()
      await field.fill('whatever the assis')
      await hits.first().filter({ hasText: /whatever the assis/i }).waitFor() // not what was found before
      await field.press('ArrowDown')
      await page.keyboard.press('Enter')
      await me.screen('library')
      await me.detail().getByText('whatever the assistant').first().waitFor()
    })

    it('exports signed, and the file verifies and validates', async () => {
      await me.go('library')
      await page.keyboard.press('ControlOrMeta+e')
      await me.button('export.start').waitFor()
      await look('the export sheet')
      await me.button('export.start').click()
      await page.getByRole('article', { name: t('export.card') }).waitFor({ timeout: 60_000 })
      await look('the certificate')
      const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: t('export.download') }).click()])
      file = join(place.folder, download.suggestedFilename())
      await download.saveAs(file)
      const verified = await command(place.env, ['verify', '--json', file])
      assert.equal(verified.code, 0, verified.stdout + verified.stderr)
      assert.equal(JSON.parse(verified.stdout).valid, true)
      const validated = await command(place.env, ['validate', '--json', file])
      assert.equal(validated.code, 0, validated.stdout + validated.stderr)
      const text = readFileSync(file, 'utf8')
      assert.ok(text.includes('whatever the assistant thought'), 'the mended memory is in it')
      writeFileSync(file, text.replace('whatever the assistant', 'just as the assistant'))
      assert.equal((await command(place.env, ['verify', file])).code, 1, 'a changed file does not verify')
    })

    it('verifies it on the page', async () => {
      await me.button('export.verify').click()
      await me.screen('verify')
      await page.getByText(t('verify.verdict.own')).first().waitFor()
      shown = await page.evaluate(() => location.hash)
      await look('Verify')
      await me.hand('verify.another', [file])
      await page.getByText(t('verify.verdict.broken')).first().waitFor()
      await look('a broken file')
    })

    it('imports the same again and changes nothing', async () => {
      const before = (await me.call('Library.List', { limit: 1 })).total
      await me.go('import')
      await me.importing([made.path('chatgpt.zip')])
      const [report] = await me.call('Imports.List')
      assert.deepEqual([report.new, report.updated, report.memoriesNew, report.unchanged], [0, 0, 0, made.truth.chatgpt.conversations])
      assert.equal((await me.call('Library.List', { limit: 1 })).total, before)
      await me.go('library')
      await me.find('whatever the assistant', 1)
    })

    it('names what cannot be read, and keeps the rest', async () => {
      await me.go('import')
      await me.hand('import.choose', [made.path('not-a-zip.zip'), made.path('nothing.zip')])
      await page.getByRole('heading', { name: t('import.plan.title.none') }).waitFor()
      assert.equal(await page.getByRole('heading', { name: t('import.plan.unknown') }).count(), 2)
      await look('files that cannot be read')
      await me.button('import.plan.cancel').click()
    })

    it('shows the settings', async () => {
      await me.go('settings')
      await page.getByText(t('settings.network.none'), { exact: true }).waitFor()
      await look('Settings')
    })

    it('locks, refuses a wrong passphrase, and unlocks', async () => {
      await page.evaluate((hash) => (location.hash = hash), shown)
      await page.getByText(t('verify.verdict.own')).first().waitFor()
      await page.getByRole('button', { name: t('shell.lock') }).click()
      await me.heading('unlock.title').waitFor()
      await look('Unlock')
      assert.ok(!(await page.content()).includes('whatever the assistant'), 'nothing of the vault stays on the page')
      await page.getByLabel(t('unlock.passphrase'), { exact: true }).fill('not the passphrase')
      await me.button('unlock.submit').click()
      await page.locator('[aria-invalid="true"]').waitFor()
      await look('a wrong passphrase')
      await me.unlock()
      await me.screen('verify') // the file that was made for this page is gone with the lock, which is no error
      await page.getByText(t('verify.gone.browser')).waitFor()
      assert.equal(await page.getByRole('alert').count(), 0)
      await me.go('library')
      await me.find('whatever the assistant', 1)
    })

    it('met no error and asked nobody outside', () => clean(seen))
  })
}
