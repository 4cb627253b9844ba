// Pictures of every screen, light and dark, in both languages: docs/images holds
// what the README and the guides show, build/test/screens the rest.
import assert from 'node:assert/strict'
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { launch, visit } from './lib/browser.mjs'
import { at, firstScreen, passphrase } from './lib/keepsake.mjs'
import { fixtures, home, prepare, results, root, serve } from './lib/program.mjs'
import { words } from './lib/words.mjs'
import { memory, store } from './lib/writers.mjs'

const kept = join(root, 'docs/images')
const rest = join(results, 'screens')
mkdirSync(kept, { recursive: true })
mkdirSync(rest, { recursive: true })

// What the README and the guides show; Portuguese by day only.
const SHOWN = new Set(['welcome', 'portrait', 'library', 'palette', 'inbox', 'conversations', 'graph', 'insights', 'search', 'import', 'verify', 'compare', 'handoff', 'todos', 'security', 'settings', 'export'])
const nameOf = (name, language, theme) => `${name}-${theme}${language === 'en' ? '' : `-${language}`}.png`
const placeOf = (name, language, theme) => join(SHOWN.has(name) && (language === 'en' || theme === 'light') ? kept : rest, nameOf(name, language, theme))

// What the memories of the sample have to do with each other, by words of theirs.
const RELATED = [
  ['Work context', 'extends', 'Works as a landscape'],
  ['Works as a landscape', 'supports', 'Role: landscape'],
  ['Preferred name', 'related_to', 'Role: landscape'],
  ['A garden for', 'derived_from', 'Work context'],
  ['Prices are in euros', 'extends', 'A garden for'],
  ['Rui: Helps with', 'supports', 'A garden for'],
  ['Rui: Helps with', 'derived_from', 'Rui: Is Marina'],
  ['Speaks Portuguese', 'supports', 'Answer in the language'],
  ['Marina prefers metric', 'extends', 'Answer in the language'],
  ['Wants sources named', 'contradicts', 'Marina prefers metric'],
  ['Likes drawings', 'related_to', 'Wants sources named'],
  ['Marina is redoing', 'supports', 'Marina prefers metric'],
  ['Marina is allergic', 'related_to', 'Marina is redoing'],
  ['Marina é vegetariana', 'related_to', 'Marina is allergic'],
  ['Marina prefers trains', 'supports', 'Marina plans to travel'],
]

const TASK = { content: '', status: 'todo', priority: 'none', dueDate: '', project: '', notes: '', tags: [] }

const made = await fixtures()
const browser = await launch()
for (const [language, theme] of [['en', 'light'], ['en', 'dark'], ['pt-BR', 'light'], ['pt-BR', 'dark']]) {
  const t = words(language)
  const place = home()
  const server = await serve(place.env)
  const { page } = await visit(browser, server.address, { language, theme, width: 1360, height: 860 })
  const me = at(page, t)
  const shoot = (name) => page.screenshot({ path: placeOf(name, language, theme) })
  await me.heading('welcome.title').waitFor()
  await shoot('welcome')
  await me.button('welcome.sample').click()
  await me.screen(firstScreen)
  await shoot('portrait')
  await me.go('library')
  await page.getByRole('listbox', { name: t('library.list.label') }).getByRole('option').first().click()
  await me.detail().waitFor()
  await shoot('library')
  await page.keyboard.press('ControlOrMeta+k')
  await page.getByRole('combobox', { name: t('palette.field') }).fill('train')
  await page.getByText(t('palette.found'), { exact: true }).waitFor()
  await shoot('palette')
  await page.keyboard.press('Escape')
  await relate(me)
  for (const screen of ['graph', 'insights', 'inbox']) {
    await me.go(screen)
    if (screen === 'graph') await page.locator('.graph[data-way] canvas').first().waitFor()
    if (screen === 'insights') await page.getByRole('figure').first().waitFor()
    if (screen === 'inbox') {
      await me.button('inbox.look').click()
      await page.getByRole('listbox', { name: t('inbox.list') }).getByRole('option').first().waitFor()
    }
    await page.waitForTimeout(800) // pictures come to rest
    await shoot(screen)
  }
  await me.button('toast.dismiss').click()
  await me.go('conversations')
  await page.getByRole('listbox', { name: t('conversations.list') }).getByRole('option').first().click()
  await page.getByRole('region', { name: t('conversations.text') }).waitFor()
  await shoot('conversations')
  await me.go('search')
  await page.getByRole('textbox', { name: t('search.field') }).fill('train')
  await page.getByRole('listbox', { name: t('search.results') }).getByRole('option').first().waitFor()
  await shoot('search')
  await me.go('import')
  await me.hand('import.choose', [made.path('chatgpt.zip'), made.path('claude.zip')])
  await me.button('import.plan.begin').waitFor({ timeout: 60_000 })
  await shoot('import')
  await me.call('Todos.Add', { ...TASK, content: 'Ask Rui about the plans of the terrace.', dueDate: '2026-12-04', priority: 'high' })
  await me.call('Todos.Add', { ...TASK, content: 'Order the bulbs for March.', status: 'in_progress', tags: ['garden'] })
  await me.call('Todos.Add', { ...TASK, content: 'Send the list of trees to the nursery.' })
  for (const screen of ['todos', 'handoff', 'circles', 'agents', 'security', 'settings']) {
    await me.go(screen)
    if (screen === 'todos') await page.getByRole('list', { name: t('todos.list') }).waitFor()
    if (screen === 'handoff') await page.locator('main section').first().waitFor()
    await page.waitForTimeout(400)
    await shoot(screen)
  }
  await page.keyboard.press('ControlOrMeta+e')
  await me.button('export.start').click()
  await page.getByRole('article', { name: t('export.card') }).waitFor({ timeout: 60_000 })
  await shoot('export')
  const [signed] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: t('export.download') }).click()])
  const file = join(place.folder, signed.suggestedFilename())
  await signed.saveAs(file)
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await me.go('verify')
  await me.hand('verify.choose', [file])
  await me.button('verify.another').waitFor()
  await shoot('verify')
  await server.stop()
  place.remove()
  await care(language, theme)
  await comparing(language, theme)
  await claiming(language, theme)
}
await browser.close()

// relate joins the memories of the sample, so that there is a graph to look at.
async function relate(me) {
  const { items } = await me.call('Library.List', { text: '', types: [], statuses: [], platforms: [], tags: [], conversation: '', hasRelations: false, since: '', until: '', sort: 'created', offset: 0, limit: 24 })
  const called = (part) => {
    const found = items.find((m) => m.content.includes(part))
    assert.ok(found, `the sample has a memory with “${part}”`)
    return found.id
  }
  for (const [from, kind, to] of RELATED) await me.call('Library.Relate', called(from), kind, called(to))
}

// care shows what a vault of one's own has besides: its parts of Security & data,
// the sheets on them, and what a damaged vault looks like.
async function care(language, theme) {
  const t = words(language)
  const place = home()
  let server = await serve(place.env)
  let { page } = await visit(browser, server.address, { language, theme, width: 1360, height: 860 })
  let me = at(page, t)
  const shoot = (name) => page.screenshot({ path: join(rest, nameOf(name, language, theme)) })
  await me.create()
  for (const content of ['Keeps bees on the roof.', 'Never eats coriander.', 'Learns the oboe.']) {
    await me.call('Library.Add', { type: 'fact', customType: '', content, tags: [] })
  }
  const { folder } = await me.call('Vault.State')
  await me.go('security')
  await me.button('security.backups.make').click()
  await page.getByRole('link', { name: t('security.file.download') }).waitFor()
  await shoot('security-keeping')
  for (const part of ['ways', 'erase', 'log']) {
    await page.getByRole('link', { name: t(`security.part.${part}`), exact: true }).click()
    await page.getByRole('heading', { level: 2 }).first().waitFor()
    await page.waitForFunction(() => !document.querySelector('.ghosts')) // all of it is here
    await shoot(`security-${part}`)
    if (part === 'ways') await sheet('keys.leak.do', 'rekey')
    if (part === 'ways') await sheet('keys.recovery.new', 'recovery-key')
    if (part === 'erase') await sheet('destroy.ask', 'destroy')
  }
  await me.go('library')
  await (await me.find('coriander', 1)).first().click()
  await me.detail().waitFor()
  await me.button('forget.memory').click()
  await me.button('forget.do').waitFor()
  await shoot('forget')
  await page.context().close()
  await server.stop()
  truncateSync(join(folder, 'vault.db'), 4096)
  server = await serve(place.env)
  ;({ page } = await visit(browser, server.address, { language, theme, width: 1360, height: 860 }))
  me = at(page, t)
  const secret = page.getByLabel(t('unlock.passphrase'), { exact: true })
  await secret.fill(passphrase)
  await me.button('unlock.submit').click()
  await me.button('recover.try').waitFor()
  await shoot('damaged')
  await secret.fill(passphrase)
  await me.button('recover.try').click()
  await page.getByText(t('recover.lost.none')).waitFor()
  await me.button('recover.readable').click()
  await shoot('recovery')
  await server.stop()
  place.remove()

  async function sheet(key, name) {
    await me.button(key).click()
    await page.getByRole('dialog').waitFor()
    await shoot(name)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }
}

// claiming shows what says what was found and what was done: the end of an import,
// what an export hides, and what could be put away.
async function claiming(language, theme) {
  const t = words(language)
  const place = home()
  const server = await serve(place.env)
  const { page } = await visit(browser, server.address, { language, theme, width: 1360, height: 860 })
  const me = at(page, t)
  const shoot = (name) => page.screenshot({ path: join(rest, nameOf(name, language, theme)) })
  await me.create()
  await me.importing([made.path('chatgpt.zip'), made.path('claude.zip')])
  await shoot('import-report')
  for (const content of ['Write to rui@example.com about the terrace.', 'The nursery answers at +351 912 345 678.', 'Keeps bees on the roof.', 'Keeps bees on the roof!']) {
    await me.call('Library.Add', { type: 'fact', customType: '', content, tags: [] })
  }
  await me.go('library')
  await page.keyboard.press('ControlOrMeta+e')
  await page.getByRole('switch', { name: t('redaction.title') }).click()
  await me.button('redaction.look').click()
  await page.getByRole('dialog').getByText('rui@example.com', { exact: true }).scrollIntoViewIfNeeded()
  await shoot('redaction')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await me.go('security')
  await me.button('compaction.look').click()
  await page.getByRole('checkbox', { name: /^Keeps bees/ }).scrollIntoViewIfNeeded()
  await shoot('compaction')
  await page.getByRole('checkbox', { name: /^Keeps bees/ }).check()
  await me.button('compaction.apply', { count: 1 }).click()
  await page.getByText(t('compaction.archived', { count: 1 })).waitFor()
  await shoot('compaction-done')
  await server.stop()
  place.remove()
}

// comparing shows a file that was changed elsewhere against a vault that was changed
// too, memory by memory and detail by detail, and two files as one.
async function comparing(language, theme) {
  const t = words(language)
  const place = home()
  const early = (more) => ({ temporal: { created_at: '2026-01-01T00:00:00Z', ...more } })
  const later = new Date(Date.now() + 3_600_000).toISOString().replace(/\.\d+/, '') // than what is edited here
  const files = {
    'january.pam.json': [
      memory('tea', 'Drinks green tea, and never after four in the afternoon.', { tags: ['food'] }), memory('city', 'Lives in Lisbon.'),
      memory('cello', 'Plays the cello.'), memory('road', 'Walks to work.'), memory('sister', 'Has a sister in Coimbra.'), memory('cat', 'Has a cat called Azul.'),
    ],
    'autumn.pam.json': [
      memory('tea', 'Drinks tea.', { tags: ['food'] }), memory('city', 'Lives in Lisbon.'), memory('cello', 'Plays the cello.'), memory('road', 'Walks to work.'), memory('sister', 'Has a sister in Coimbra.'),
    ],
    'laptop.pam.json': [
      memory('tea', 'Drinks white tea.', { tags: ['food', 'tea'], ...early({ updated_at: later, valid_until: '2027-01-01T00:00:00Z' }) }),
      memory('city', 'Lives in Porto, near the river.', early({ updated_at: '2026-03-01T00:00:00Z' })),
      memory('clocks', 'Restores clocks on Sundays.'), memory('road', 'Walks to work.'), memory('sister', 'Has a sister in Coimbra.'), memory('cat', 'Has a cat called Azul.'),
    ],
  }
  const path = (name) => join(place.folder, name)
  for (const [name, memories] of Object.entries(files)) writeFileSync(path(name), store(memories))
  await prepare(place.env, ['import', path('january.pam.json')], ['edit', 'tea', '--content', 'Drinks green tea at noon.'], ['edit', 'road', '--content', 'Cycles to work.'])
  const server = await serve(place.env)
  const { page } = await visit(browser, server.address, { language, theme, width: 1360, height: 860 })
  const me = at(page, t)
  const shoot = (name) => page.screenshot({ path: placeOf(name, language, theme) })
  const card = (text) => page.getByRole('main').getByRole('listitem').filter({ hasText: text }).filter({ has: page.getByRole('heading', { level: 2 }) })
  const pick = (label) => card('white tea').getByRole('combobox').selectOption({ label: t(label) })
  await me.heading('unlock.title').waitFor()
  await shoot('unlock')
  await me.enter('verify')
  await me.hand('verify.choose', [path('laptop.pam.json')])
  await me.button('verify.compare').click()
  await card('white tea').waitFor()
  await shoot('compare')
  await pick('compare.pick.fields')
  await card('white tea').scrollIntoViewIfNeeded()
  await shoot('compare-details')
  await me.hand('compare.another', [path('january.pam.json')])
  await page.getByText(t('compare.lead.files')).waitFor()
  await shoot('compare-files')
  await me.hand('compare.common.choose', [path('autumn.pam.json')])
  await card('white tea').getByText(t('compare.standing.conflict'), { exact: true }).waitFor()
  await pick('compare.pick.fields')
  await shoot('compare-common')
  await card('white tea').scrollIntoViewIfNeeded()
  await shoot('compare-common-details')
  await me.button('compare.merge').click()
  await page.getByRole('article', { name: t('compare.merged') }).scrollIntoViewIfNeeded()
  await shoot('compare-merged')
  await server.stop()
  place.remove()
}
