// Pictures of every screen on the sample, for the README and for looking at:
// docs/images holds what is committed, build/test/screens the rest.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { launch, visit } from './lib/browser.mjs'
import { at } from './lib/keepsake.mjs'
import { home, results, root, serve } from './lib/program.mjs'
import { words } from './lib/words.mjs'

const kept = join(root, 'docs/images')
const rest = join(results, 'screens')
mkdirSync(kept, { recursive: true })
mkdirSync(rest, { recursive: true })

const browser = await launch()
for (const [language, theme] of [['en', 'light'], ['en', 'dark'], ['pt-BR', 'light']]) {
  const t = words(language)
  const place = home()
  const server = await serve(place.env)
  const { page } = await visit(browser, server.address, { language, theme, width: 1360, height: 860 })
  const me = at(page, t)
  const shoot = (name) => page.screenshot({ path: join(name === 'library' && language === 'en' ? kept : rest, `${name}-${language === 'en' ? theme : language}.png`) })
  await me.heading('welcome.title').waitFor()
  await shoot('welcome')
  await me.button('welcome.sample').click()
  await me.screen('library')
  await page.getByRole('listbox', { name: t('library.list.label') }).getByRole('option').first().click()
  await me.detail().waitFor()
  await shoot('library')
  await me.go('conversations')
  await page.getByRole('listbox', { name: t('conversations.list') }).getByRole('option').first().click()
  await page.getByRole('region', { name: t('conversations.text') }).waitFor()
  await shoot('conversations')
  await me.go('search')
  await page.getByRole('textbox', { name: t('search.field') }).fill('train')
  await page.getByRole('listbox', { name: t('search.results') }).getByRole('option').first().waitFor()
  await shoot('search')
  for (const screen of ['import', 'verify', 'security', 'settings']) {
    await me.go(screen)
    await shoot(screen)
  }
  await page.keyboard.press('ControlOrMeta+e')
  await me.button('export.start').click()
  await page.getByRole('article', { name: t('export.card') }).waitFor({ timeout: 60_000 })
  await shoot('export')
  await server.stop()
  place.remove()
}
await browser.close()
