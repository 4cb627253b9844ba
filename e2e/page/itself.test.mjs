// What runs by itself: one place for watched folders, hooks and kept files, on made-up data, in both languages.
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { accessible, launch } from '../lib/browser.mjs'
import { fakePage } from '../lib/fakepage.mjs'
import { results } from '../lib/program.mjs'
import { languages, words } from '../lib/words.mjs'

describe('what runs by itself', () => {
  let browser, fake
  const shots = join(results, 'itself')
  before(async () => {
    mkdirSync(shots, { recursive: true })
    fake = await fakePage()
    browser = await launch()
  })
  after(async () => {
    await browser?.close()
    fake?.close()
  })

  for (const language of languages) {
    const t = words(language)
    it(`is clean for axe in both themes, and stops what it lists, in ${language}`, async () => {
      const { page, context, errors } = await fake.open(browser, 'agents', { locale: language })
      await page.getByRole('button', { name: t('itself.title') }).click()
      const section = page.getByRole('region', { name: t('itself.title') })
      await section.getByText('/home/marina/tea/CLAUDE.md').waitFor()
      await accessible(page, 'what runs by itself')
      for (const colorScheme of ['light', 'dark']) {
        await page.emulateMedia({ colorScheme })
        await page.screenshot({ path: join(shots, `${colorScheme}-${language}.png`) })
      }
      await section.getByRole('button', { name: t('itself.stop.of', { name: 'Claude Code' }) }).click()
      const dialog = page.getByRole('dialog', { name: t('itself.hooks.leave', { name: 'Claude Code' }) })
      await dialog.getByText('/home/marina/.claude/settings.json').waitFor()
      await accessible(page, 'the hooks that go')
      await page.screenshot({ path: join(shots, `hooks-${language}.png`) })
      await dialog.getByRole('button', { name: t('itself.hooks.leave.do') }).click()
      await section.getByText(t('itself.hooks.none')).waitFor()
      assert.deepEqual(errors, [])
      await context.close()
    })
  }

  it('is there before any assistant asked, and holds in narrow windows', async () => {
    const { page, context } = await fake.open(browser, 'agents', { query: '&agents=0', viewport: { width: 400, height: 860 } })
    const t = words('en')
    await page.getByRole('switch', { name: t('itself.watch.of', { name: 'Codex' }) }).waitFor()
    await accessible(page, 'nothing runs by itself')
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
    assert.ok(wide <= 0, `runs over by ${wide} px`)
    await page.screenshot({ path: join(shots, 'narrow.png') })
    await context.close()
  })
})
