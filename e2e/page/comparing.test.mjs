// Compare, on files of other programs: a file against the vault and one bundle
// against another, memory by memory and detail by detail, with what a newer version
// added, what both have and differs, and a reference that leaves its bundle.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { accessible, clean, launch, opened, unbroken } from '../lib/browser.mjs'
import { command, home, prepare, serve } from '../lib/program.mjs'
import { unzip } from '../lib/readers.mjs'
import { languages, words } from '../lib/words.mjs'
import { conversation, entry, memory, store, zip } from '../lib/writers.mjs'

let browser
before(async () => { browser = await launch() })
after(() => browser?.close())

const TITLE = 'A week in the archive'
const later = new Date(Date.now() + 3_600_000).toISOString().replace(/\.\d+/, '') // than any edit of this run
const from = (conversation) => ({ provenance: { platform: 'chatgpt', conversation_ref: conversation } })
const index = (ref) => ({ conversations_index: [entry('c-1', TITLE, ref, ['m-tea'])] })

const first = zip({
  'memory-store.json': store([
    memory('m-tea', 'Drinks green tea.', { ...from('c-1'), tags: ['food'] }), memory('m-city', 'Lives in Lisbon.'),
    memory('m-cello', 'Plays the cello.'), memory('m-same', 'Has a sister.'), memory('m-road', 'Walks to work.'),
  ], index('conversations/c-1.json')),
  'conversations/c-1.json': conversation('c-1', TITLE, ['Which shelf?', 'The third.']),
  'attachments/aa': 'a map',
})
const second = zip({
  'memory-store.json': store([
    memory('m-tea', 'Drinks white tea.', { ...from('c-1'), tags: ['food', 'tea'], mood: 'calm', temporal: { created_at: '2026-01-01T00:00:00Z', updated_at: later, valid_until: '2027-01-01T00:00:00Z' } }),
    memory('m-city', 'Lives in Porto.', { temporal: { created_at: '2026-01-01T00:00:00Z', updated_at: '2026-03-01T00:00:00Z' } }),
    memory('m-clocks', 'Restores clocks.'), memory('m-same', 'Has a sister.'), memory('m-road', 'Walks to work.'),
  ], { ...index('talks/first.json'), schema_version: '1.2', export_id: 'f' }),
  'talks/first.json': conversation('c-1', TITLE, ['Which shelf?', 'The fourth.'], { schema_version: '1.2', era: 'late' }),
  'attachments/aa': 'another map',
  'attachments/bb': 'a letter',
  'readme.txt': 'not of a bundle',
})
const single = (...memories) => zip({ 'memory-store.json': store(memories) })
const common = single(memory('m-tea', 'Drinks tea.'), memory('m-city', 'Lives in Lisbon.'), memory('m-cello', 'Plays the cello.'))
const left = single(memory('m-tea', 'Drinks black tea.'), memory('m-city', 'Lives in Lisbon.', { summary: 'Lisbon' }), memory('m-cello', 'Plays the cello.'))
const right = single(memory('m-tea', 'Drinks white tea.'), memory('m-city', 'Lives in Lisbon.', { tags: ['home'] }))
const outside = zip({
  'memory-store.json': store([memory('m-city', 'Lives in Faro.')], { conversations_index: [entry('c-9', 'Elsewhere', '../secret.json')] }),
  'attachments/cc': 'x',
})
const newest = zip({ 'memory-store.json': store([memory('m-city', 'Lives in Faro.')], { schema_version: '2.0' }) })

for (const language of languages) {
  describe(`comparing in ${language}`, () => {
    const t = words(language)
    let place, server, page, seen, me, paths
    const look = (where) => accessible(page, `${where} (${language})`)
    const card = (text) => page.getByRole('main').getByRole('listitem').filter({ hasText: text }).filter({ has: page.getByRole('heading', { level: 2 }) })
    const pick = (text, label) => card(text).getByRole('combobox').selectOption({ label: t(label) })
    const side = (text, field, label) => card(text).getByRole('group', { name: t(field), exact: true }).getByRole('radio', { name: new RegExp(`^${t(label)}`) }).check()

    before(async () => {
      place = home()
      paths = {}
      for (const [name, bytes] of Object.entries({ first, second, outside, newest, common, left, right })) {
        paths[name] = join(place.folder, `${name}.pam.zip`)
        writeFileSync(paths[name], bytes)
      }
      const key = join(place.folder, 'key')
      await prepare(place.env, ['keygen', '-o', key], ['sign', paths.left, '--key', key], ['sign', paths.right, '--key', key], ['import', paths.first], ['edit', 'm-tea', '--content', 'Drinks green tea at noon.'], ['edit', 'm-road', '--content', 'Cycles to work.'])
      server = await serve(place.env)
      ;({ page, seen, me } = await opened(browser, server.address, 10_000, { language }))
    })
    after(async () => {
      assert.equal(await server?.stop(), 0, 'serve ends in order')
      place?.remove()
    })

    unbroken(() => seen)

    it('holds a file against the vault, and says what is beyond it', async () => {
      await me.go('verify')
      await me.hand('verify.choose', [paths.second])
      await me.button('verify.compare').click()
      await me.screen('compare')
      await page.getByText(t('compare.lead.vault')).waitFor()
      await page.getByText('second.pam.zip', { exact: true }).waitFor()
      await page.getByText(t('compare.newer', { name: 'second.pam.zip' })).waitFor()
      await page.getByText(t('compare.unknown', { names: 'mood' })).waitFor()
      await card('white tea').getByText(t('compare.standing.conflict'), { exact: true }).waitFor()
      await card('Porto').getByText(t('compare.standing.not-signed.vault'), { exact: true }).waitFor()
      assert.equal(await card('Porto').getByRole('combobox').inputValue(), 'keep', 'a file that nobody signed changes nothing by itself')
      await card('Walks').getByText(t('compare.standing.older'), { exact: true }).waitFor()
      assert.equal(await card('Walks').getByRole('combobox').inputValue(), 'keep', 'what is older in the file stays as it is here')
      await card('clocks').getByText(t('compare.standing.theirs.vault'), { exact: true }).waitFor()
      await card('cello').getByText(t('compare.standing.ours.vault'), { exact: true }).waitFor()
      assert.equal(await card('cello').getByRole('combobox').count(), 0, 'nothing can be done with what is only here')
      await card('white tea').locator('summary').click()
      await card('white tea').getByRole('rowheader', { name: t('library.history.field.tags'), exact: true }).waitFor()
      await look('a file against the vault')
    })

    it('takes over what was picked, memory by memory and detail by detail', async () => {
      await pick('white tea', 'compare.pick.fields')
      await side('white tea', 'library.history.field.tags', 'compare.there')
      await side('white tea', 'library.history.field.temporal.valid_until', 'compare.there')
      await look('choosing detail by detail')
      await pick('Porto', 'compare.pick.theirs')
      await pick('clocks', 'compare.pick.leave')
      await me.button('compare.apply', { count: 2 }).click()
      await me.button('import.report.library').click()
      const { items } = await me.call('Library.List', { limit: 50 })
      assert.deepEqual(items.map((m) => m.content).sort(), ['Cycles to work.', 'Drinks green tea at noon.', 'Has a sister.', 'Lives in Porto.', 'Plays the cello.'])
      const { content, tags, validUntil } = await me.call('Library.Get', 'm-tea')
      assert.deepEqual([content, tags, validUntil], ['Drinks green tea at noon.', ['food', 'tea'], '2027-01-01T00:00:00Z'])
    })

    it('compares two bundles and writes them as one, as it was picked', async () => {
      await me.go('verify')
      await me.hand('verify.choose', [paths.first])
      await me.button('verify.compare').click()
      await me.hand('compare.another', [paths.second])
      await page.getByText(t('compare.lead.files')).waitFor()
      for (const name of ['first.pam.zip', 'second.pam.zip']) await page.getByText(name, { exact: true }).waitFor()
      await page.getByText(t('compare.newer', { name: 'second.pam.zip' })).waitFor()
      await page.getByText(t('compare.merge.why.beside')).waitFor()
      await page.getByText(t('compare.refused.not-signed')).waitFor()
      await card('Porto').getByText(t('compare.standing.not-signed.files'), { exact: true }).waitFor()
      assert.equal(await card('Porto').getByRole('combobox').inputValue(), 'keep', 'a file that nobody signed changes nothing of another one')
      await look('two bundles')
      await pick('white tea', 'compare.pick.fields')
      await side('white tea', 'library.history.field.tags', 'compare.second')
      await pick('clocks', 'compare.pick.leave')
      assert.equal(await card('white tea').getByRole('group', { name: 'mood', exact: true }).count(), 0, 'nobody can choose what does not come along')
      await look('two bundles, detail by detail')
      await me.button('compare.merge').click()
      const done = page.getByRole('article', { name: t('compare.merged') })
      for (const said of [
        t('compare.merged.memories', { count: 5 }), t('compare.merged.conversations', { count: 1 }), t('compare.merged.attachments', { count: 2 }),
        t('compare.merged.kept', { count: 2 }), `${t('compare.kind.conversation')} ${TITLE} (${t('compare.kept.not-signed')})`, t('compare.left.not-picked', { count: 1 }),
        t('compare.left.other-file', { count: 1 }), t('compare.left.unknown-member', { count: 2 }), t('compare.merged.unsigned'), t('export.plain.note'),
      ]) await done.getByText(said).first().waitFor()
      await look('two bundles as one')
      const [download] = await Promise.all([page.waitForEvent('download'), done.getByRole('link', { name: t('export.download') }).click()])
      const path = join(place.folder, download.suggestedFilename())
      await download.saveAs(path)
      const validated = await command(place.env, ['validate', '--json', path])
      assert.equal(validated.code, 0, validated.stdout)
      const texts = unzip(readFileSync(path))
      const { memories, schema_version } = JSON.parse(texts.get('memory-store.json'))
      assert.equal(schema_version, '1.0')
      assert.deepEqual(memories.map((m) => [m.id, m.content]), [['m-cello', 'Plays the cello.'], ['m-city', 'Lives in Lisbon.'], ['m-road', 'Walks to work.'], ['m-same', 'Has a sister.'], ['m-tea', 'Drinks green tea.']])
      assert.deepEqual(memories.at(-1).tags, ['food', 'tea'])
      assert.deepEqual([...texts.keys()].sort(), ['attachments/aa', 'attachments/bb', 'conversations/c-1.json', 'memory-store.json'])
      assert.deepEqual([texts.get('attachments/aa'), texts.get('attachments/bb')], ['a map', 'a letter'])
      const talk = JSON.parse(texts.get('conversations/c-1.json'))
      assert.deepEqual([talk.schema_version, talk.era, talk.messages[1].content.text], ['1.0', undefined, 'The third.'])
    })

    it('holds two files against the one that both come from, and takes what each changed', async () => {
      await me.go('verify')
      await me.hand('verify.choose', [paths.left])
      await me.button('verify.compare').click()
      await me.hand('compare.another', [paths.right])
      await page.getByText(t('compare.lead.files')).waitFor()
      await me.hand('compare.common.choose', [paths.common])
      await page.getByText('common.pam.zip', { exact: true }).waitFor()
      await card('black tea').getByText(t('compare.standing.conflict'), { exact: true }).waitFor()
      await card('black tea').getByText('Drinks tea.', { exact: true }).waitFor()
      await card('cello').getByText(t('compare.gone')).waitFor()
      assert.equal(await card('Lisbon').getByRole('combobox').inputValue(), 'fields', 'of each what it changed')
      await look('three files')
      await pick('black tea', 'compare.pick.keep.files')
      await me.button('compare.merge').click()
      const done = page.getByRole('article', { name: t('compare.merged') })
      const [download] = await Promise.all([page.waitForEvent('download'), done.getByRole('link', { name: t('export.download') }).click()])
      const path = join(place.folder, download.suggestedFilename())
      await download.saveAs(path)
      const { memories } = JSON.parse(readFileSync(path, 'utf8'))
      assert.deepEqual(memories.map((m) => [m.id, m.content, m.summary, (m.tags ?? []).join()]), [['m-cello', 'Plays the cello.', undefined, ''], ['m-city', 'Lives in Lisbon.', 'Lisbon', 'home'], ['m-tea', 'Drinks black tea.', undefined, '']])
      await me.button('compare.common.without').click()
      await me.button('compare.common.choose').waitFor()
      assert.equal(await card('Lisbon').getByRole('combobox').inputValue(), 'theirs', 'without it the second counts')
    })

    it('says on the spot which reference leaves its bundle, and writes nothing', async () => {
      await me.go('verify')
      await me.hand('verify.choose', [paths.first])
      await me.button('verify.compare').click()
      await me.hand('compare.another', [paths.outside])
      await card('Faro').waitFor()
      await me.button('compare.merge').click()
      const told = page.getByRole('alert').filter({ hasText: '/conversations_index/0/storage/ref' })
      await told.waitFor()
      assert.match(await told.innerText(), /outside\.pam\.zip/)
      assert.ok((await told.boundingBox()).y < page.viewportSize().height, 'it is in view')
      assert.equal(await page.getByRole('article', { name: t('compare.merged') }).count(), 0)
      await look('a reference outside of the bundle')
    })

    it('refuses another major version in words', async () => {
      await me.button('verify.compare').click()
      await page.getByText(t('compare.lead.vault')).waitFor()
      await me.hand('compare.another', [paths.newest])
      await page.getByRole('alert').filter({ hasText: '2.0' }).waitFor()
      await look('another major version')
    })

    it('met no error and asked nobody outside', () => clean(seen))
  })
}
