// What a person does on the page, in the words of the page.
import assert from 'node:assert/strict'

export const passphrase = 'lantern harbor walnut copper'

// firstScreen is what an unlock shows.
export const firstScreen = 'portrait'

// at returns the steps on one page, in one language.
export function at(page, t) {
  const button = (key, params) => page.getByRole('button', { name: t(key, params), exact: true })
  const heading = (key, params) => page.getByRole('heading', { name: t(key, params) })
  const me = { button, heading }

  // unlock types the passphrase and opens the vault.
  me.unlock = async () => {
    await page.getByLabel(t('unlock.passphrase'), { exact: true }).fill(passphrase)
    await button('unlock.submit').click()
  }

  // enter opens the vault, and goes from the first screen to another.
  me.enter = async (screen = firstScreen) => {
    await me.unlock()
    await me.screen(firstScreen)
    if (screen !== firstScreen) await me.go(screen)
  }

  // create makes a vault, from Welcome to the first screen. seen is called on
  // every screen on the way.
  me.create = async (seen = async () => {}) => {
    await heading('welcome.title').waitFor()
    await seen('Welcome')
    await button('welcome.create').click()
    await heading('create.title').waitFor()
    await page.getByLabel(t('create.passphrase'), { exact: true }).fill(passphrase)
    await page.getByLabel(t('create.again'), { exact: true }).fill(passphrase)
    await seen('a new passphrase')
    await button('create.submit').click()
    await heading('recovery.title').waitFor({ timeout: 60_000 })
    await seen('the recovery key')
    const groups = await page.getByRole('list', { name: t('recovery.label') }).getByRole('listitem').evaluateAll(
      (items) => items.map((item) => item.lastChild.textContent.trim()))
    await button('recovery.next').click()
    await heading('check.title').waitFor()
    let asked = 0
    for (const [i, group] of groups.entries()) {
      const field = page.getByLabel(t('check.group', { number: i + 1 }), { exact: true })
      if (await field.count() === 0) continue
      await field.fill(group.toLowerCase())
      asked++
    }
    assert.equal(asked, 2, 'two groups are typed back')
    await seen('the check of the recovery key')
    await button('check.submit').click()
    await me.screen('import')
    return groups.join('-')
  }

  // screen waits until a screen is shown.
  me.screen = (name) => page.getByRole('heading', { level: 1, name: t(`screen.${name}`), exact: true }).waitFor()

  // go opens a screen by the rail; Tasks, which stands there only once there is one, by the palette.
  me.go = async (name) => {
    if (name === 'todos') {
      await page.keyboard.press('ControlOrMeta+k')
      await page.getByRole('combobox', { name: t('palette.field') }).fill(t('screen.todos'))
      await page.getByRole('option').filter({ hasText: t('palette.go') }).filter({ hasText: t('screen.todos') }).click()
    } else {
      await page.getByRole('navigation', { name: t('shell.rail') }).getByRole('link', { name: t(`screen.${name}`), exact: true }).click()
    }
    await me.screen(name)
  }

  // hand gives files over by the file field of the browser.
  me.hand = async (key, files) => {
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), button(key).click()])
    await chooser.setFiles(files)
  }

  // importing reads files into the vault, from the Import screen to its report.
  me.importing = async (files, seen = async () => {}) => {
    await me.hand('import.choose', files)
    await button('import.plan.begin').waitFor({ timeout: 60_000 })
    await seen('the plan of an import')
    await button('import.plan.begin').click()
    await button('import.report.library').waitFor({ timeout: 120_000 })
    await seen('the report of an import')
  }

  // find narrows the list to a text and returns its rows.
  me.find = async (text, count) => {
    await page.getByRole('textbox', { name: t('library.search') }).fill(text)
    await page.getByText(t('library.count', { count }), { exact: true }).waitFor()
    return page.getByRole('listbox', { name: t('library.list.label') }).getByRole('option')
  }

  // reach scrolls a text, drawn only where it is looked at, down to something.
  me.reach = async (text, target) => {
    for (let i = 0; i < 100 && (await target.count()) === 0; i++) {
      await text.evaluate((e) => e.scrollBy(0, e.clientHeight / 2))
      await page.evaluate(() => new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next))))
    }
    await target.first().scrollIntoViewIfNeeded()
  }

  // call asks as the page does.
  me.call = (name, ...args) => page.evaluate(async ([name, args]) => {
    const reply = await fetch('/api/call', { method: 'POST', headers: { 'X-Keepsake': sessionStorage.getItem('keepsake-secret') }, body: JSON.stringify({ name, args }) })
    const { result, error } = await reply.json()
    if (error) throw new Error(error.message)
    return result
  }, [name, args])

  me.detail = () => page.getByRole('article', { name: t('library.detail.label') })
  return me
}
