// Changes that an assistant proposes, from its call to the person's decision: shown in the Inbox beside the
// memory, in both themes, decided by single keys and taken back by one undo.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { answers, fill, keepsake, usual } from '../lib/agents.mjs'
import { accessible, clean, launch, visit } from '../lib/browser.mjs'
import { at } from '../lib/keepsake.mjs'
import { headless, serve } from '../lib/program.mjs'
import { words } from '../lib/words.mjs'

describe('changes that an assistant proposes', () => {
  let browser, place, server, inside, others

  // ask lets the assistant call tools while keepsake agent answers.
  async function ask(...calls) {
    const owner = await answers(place.env)
    const client = new Client({ name: 'cursor', version: '1' })
    await client.connect(new StdioClientTransport({ command: headless, args: ['mcp', '--client', 'cursor'], env: place.few }))
    for (const [name, args] of calls) await client.callTool({ name, arguments: args })
    await client.close()
    await owner.end()
  }

  before(async () => {
    browser = await launch()
    place = usual()
    ;({ inside, others } = fill(place.env))
    await ask(['get_context', {}]) // asks for permission
    keepsake(place.env, 'agents', 'allow', 'cursor', '--circle', 'work', '--may', 'read,propose')
    await ask(
      ['update_memory', { id: inside, content: 'Robin writes programs in Rust', tags: ['code'] }],
      ['retract_memory', { id: others[1] }], ['relate_memories', { from: inside, type: 'supports', to: others[0] }])
    server = await serve(place.env)
  })
  after(async () => {
    await browser?.close()
    await server?.stop()
    place?.remove()
  })

  it('wait in the Inbox, and are decided there', async () => {
    const t = words('en')
    const { page, seen } = await visit(browser, server.address)
    const me = at(page, t)
    await me.unlock()
    await me.go('inbox')
    const rows = page.getByRole('listbox').getByRole('option')
    await rows.first().waitFor()
    assert.equal(await rows.count(), 3)
    for (const kind of ['update', 'retract', 'relate']) {
      await rows.filter({ hasText: t(`inbox.change.${kind}`) }).click()
      await page.getByText(t(`inbox.change.lead.${kind}`, { name: 'cursor' })).waitFor()
      await accessible(page, `the proposal to ${kind}`)
    }
    await rows.filter({ hasText: t('inbox.change.update') }).click()
    assert.deepEqual([await page.locator('blockquote del').innerText(), await page.locator('blockquote ins').innerText()], ['Go', 'Rust'])
    await page.keyboard.press('a')
    await page.getByText(t('inbox.change.accepted', { count: 1 })).waitFor()
    assert.equal((await me.call('Library.Get', inside)).content, 'Robin writes programs in Rust')
    await rows.filter({ hasText: t('inbox.change.relate') }).click()
    await page.getByText(t('inbox.change.standing.changed')).waitFor() // its text is another now
    await accessible(page, 'a proposal that cannot be accepted')
    assert.ok(await me.button('inbox.change.accept.relate').isDisabled())
    await page.keyboard.press('Control+z')
    await rows.filter({ hasText: t('inbox.change.update') }).waitFor()
    assert.equal((await me.call('Library.Get', inside)).content, 'Robin writes programs in Go')
    clean(seen)
  })
})
