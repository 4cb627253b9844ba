// An assistant is connected in the window: the change is shown and written, and the official
// client, started as that file says, makes the first call, which the window ticks at once.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { accessible, launch, opened, unbroken } from '../lib/browser.mjs'
import { home, prepare, serve } from '../lib/program.mjs'
import { languages, words } from '../lib/words.mjs'

const SETTINGS = '{\n  // mine\n  "theme": "dark",\n  "mcpServers": {\n    "files": { "command": "npx" }\n  },\n  "a": 1,\n  "b": 2,\n  "key": "what stands elsewhere"\n}\n'

let browser
before(async () => { browser = await launch() })
after(() => browser?.close())

for (const language of languages) {
  describe(`connecting an assistant in ${language}`, () => {
    const t = words(language)
    let place, server, page, seen, me, file, client

    before(async () => {
      place = home()
      file = join(place.folder, '.cursor/mcp.json')
      mkdirSync(dirname(file))
      writeFileSync(file, SETTINGS)
      await prepare(place.env)
      server = await serve(place.env)
      ;({ page, seen, me } = await opened(browser, server.address, 15_000, { language }))
      await me.go('agents')
    })
    after(async () => {
      await client?.close()
      assert.equal(await server?.stop(), 0, 'serve ends in order')
      place?.remove()
    })

    unbroken(() => seen)

    const dialog = () => page.getByRole('dialog', { name: t('connect.title') })
    const press = (key) => dialog().getByRole('button', { name: t(key), exact: true }).click()
    const choose = (name) => dialog().getByRole('button', { name: new RegExp(`^${name}`) }).click()

    it('is begun and chosen by the keyboard', async () => {
      await page.getByRole('button', { name: t('connect.begin') }).focus()
      await page.keyboard.press('Enter')
      const cursor = dialog().getByRole('button', { name: /^Cursor/ })
      await cursor.getByText(t('connect.state.not'), { exact: true }).waitFor()
      await dialog().getByRole('button', { name: /^Zed/ }).getByText(t('connect.state.notFound')).waitFor()
      await accessible(page, 'the assistants that can be connected')
      await cursor.focus()
      await page.keyboard.press('Enter')
      await page.waitForFunction((name) => document.activeElement?.textContent === name, 'Cursor')
    })

    it('shows what changes with the lines beside it alone, and writes that beside a copy', async () => {
      await dialog().getByText('"--client", "cursor"').first().waitFor()
      assert.ok(!(await page.content()).includes('what stands elsewhere'))
      assert.equal(readFileSync(file, 'utf8'), SETTINGS, 'nothing is written yet')
      await accessible(page, 'the change to the settings of an assistant')
      await press('connect.write')
      await dialog().getByText(t('connect.waiting', { name: 'Cursor' })).waitFor()
      const backup = `${file}.keepsake-backup`
      await dialog().getByText(backup, { exact: true }).waitFor()
      assert.equal(readFileSync(backup, 'utf8'), SETTINGS)
      const now = readFileSync(file, 'utf8')
      assert.ok(now.startsWith('{\n  // mine\n  "theme": "dark",\n') && now.includes('what stands elsewhere'), now)
      await accessible(page, 'an assistant that has not asked yet')
    })

    it('ticks once the official client, started as the file says, asks', async (test) => {
      const { command, args } = JSON.parse(readFileSync(file, 'utf8').replace('// mine', '')).mcpServers.keepsake
      client = new Client({ name: 'cursor', version: '1' })
      const tick = dialog().getByText(t('connect.asked', { name: 'Cursor' }))
      assert.equal(await tick.count(), 0)
      const began = performance.now()
      await client.connect(new StdioClientTransport({ command, args, env: { ...process.env, ...place.env } }))
      const { isError } = await client.callTool({ name: 'get_context', arguments: {} })
      assert.ok(isError, 'nobody has said what it may see')
      await tick.waitFor()
      test.diagnostic(`the tick came ${Math.round(performance.now() - began)} ms after the client was started`)
      await accessible(page, 'an assistant that has asked')
    })

    it('asks what it may see, as of any other', async () => {
      await press('connect.answer')
      await page.getByRole('heading', { level: 2, name: t('agents.ask', { name: 'cursor' }) }).waitFor()
      await me.button('agents.allow').click()
      await page.getByRole('heading', { level: 2, name: 'cursor', exact: true }).waitFor()
    })

    it('takes it out again, and the file is as it was', async () => {
      await page.getByRole('button', { name: t('connect.begin') }).click()
      await dialog().getByRole('button', { name: /^Cursor/ }).getByText(t('connect.state.connected')).waitFor()
      await choose('Cursor')
      await press('connect.leave')
      await press('connect.leave.do')
      await dialog().getByText(t('connect.left', { name: 'Cursor' })).waitFor()
      assert.equal(readFileSync(file, 'utf8'), SETTINGS)
      await press('connect.back')
    })

    it('says what is wrong with a file, in its own words, and leaves it', async () => {
      writeFileSync(file, '{\n"mcpServers": ]\n')
      await choose('Cursor')
      await dialog().getByRole('alert').getByText(/mcp\.json .*2/).waitFor()
      await accessible(page, 'settings that cannot be changed')
      assert.equal(readFileSync(file, 'utf8'), '{\n"mcpServers": ]\n')
      await press('connect.back')
    })

    it('hands out the extension of Claude Desktop, which starts this program', async () => {
      await choose('Claude Desktop')
      await dialog().getByText(t('connect.bundle'), { exact: true }).click()
      await press('connect.bundle.save')
      const [download] = await Promise.all([page.waitForEvent('download'), dialog().getByRole('link', { name: t('export.download') }).click()])
      assert.equal(download.suggestedFilename(), 'keepsake.mcpb')
      const at = await download.path()
      assert.ok(existsSync(at) && readFileSync(at).includes('manifest.json'))
    })

    it('is named on the lock screen where it asks then', async () => {
      await page.keyboard.press('Escape')
      await dialog().waitFor({ state: 'detached' })
      await page.getByRole('button', { name: t('shell.lock') }).click()
      await page.getByRole('heading', { name: t('unlock.title') }).waitFor()
      const said = page.getByText(t('unlock.asking', { count: 1, names: 'cursor' }), { exact: true })
      assert.equal(await said.count(), 0, 'nobody has asked since')
      const { isError } = await client.callTool({ name: 'get_context', arguments: {} })
      assert.ok(isError)
      await said.waitFor()
      await accessible(page, 'a lock screen where an assistant asked')
    })
  })
}
