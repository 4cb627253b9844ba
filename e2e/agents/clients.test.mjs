// The official clients of the Model Context Protocol, in TypeScript and Python, against a real owner
// in another process: every tool that a grant allows, and what is outside of it.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { allow, answers, calls, fill, keepsake, reads, usual } from '../lib/agents.mjs'
import { headless, results, root } from '../lib/program.mjs'

// python returns an interpreter with the pinned SDK of e2e/agents/requirements.txt.
function python() {
  const folder = join(results, 'mcp-python')
  const program = join(folder, 'bin/python3')
  if (!existsSync(join(folder, 'ready'))) {
    execFileSync('python3', ['-m', 'venv', '--clear', folder])
    execFileSync(program, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', join(root, 'e2e/agents/requirements.txt')], { stdio: ['ignore', 'ignore', 'inherit'] })
    writeFileSync(join(folder, 'ready'), '')
  }
  return program
}

describe('the official clients', () => {
  let place, owner, inside, others, outside
  const client = async (name, env = place.few) => {
    const c = new Client({ name, version: '1' })
    await c.connect(new StdioClientTransport({ command: headless, args: ['mcp', '--client', name], env }))
    return c
  }

  before(async () => {
    place = usual()
    ;({ inside, others, outside } = fill(place.env))
    owner = await answers(place.env)
    for (const name of ['typescript', 'python']) { // the first call asks for permission
      const c = await client(name)
      const { isError, content } = await c.callTool({ name: 'get_context', arguments: {} })
      assert.ok(isError)
      assert.match(content[0].text, /waits for permission/)
      await c.close()
    }
    await owner.end()
    for (const name of ['typescript', 'python']) allow(place.env, name)
    owner = await answers(place.env)
  })
  after(async () => {
    await owner?.end()
    place?.remove()
  })

  it('in TypeScript: every tool answers in the form that it promises, and of the circle only', async () => {
    const c = await client('typescript')
    const { tools } = await c.listTools()
    assert.deepEqual(tools.map(({ name }) => name).sort(), Object.keys(calls(inside, others[0])).sort())
    assert.ok(JSON.stringify(tools).length < 8192)
    for (const name of reads) {
      const { isError, structuredContent } = await c.callTool({ name, arguments: calls(inside, others[0])[name] })
      assert.ok(!isError, name)
      const text = JSON.stringify(structuredContent)
      assert.match(text, /programs in Go/, name)
      assert.doesNotMatch(text, /bees/, name)
    }
    for (const id of [outside, 'never']) {
      const { isError, content } = await c.callTool({ name: 'get_memory', arguments: { id } })
      assert.ok(isError)
      assert.equal(content[0].text, `There is no memory with the id ${id}.`)
    }
    const proposed = await c.callTool({ name: 'propose_memory', arguments: calls(inside, others[0]).propose_memory })
    assert.equal(proposed.structuredContent.status, 'proposed')
    assert.deepEqual((await c.callTool({ name: 'update_memory', arguments: calls(inside, others[0]).update_memory })).structuredContent, { changed: true })
    const { completion } = await c.complete({ ref: { type: 'ref/resource', uri: 'keepsake://topic/{tag}' }, argument: { name: 'tag', value: 'co' } })
    assert.deepEqual(completion, { values: ['code'], total: 1 })
    const imported = await c.callTool({ name: 'import_memory', arguments: calls(inside, others[0]).import_memory })
    assert.deepEqual(imported.structuredContent, { proposed: 1, changed: 0, skipped: 0, not_taken: 0 })
    const forgets = await c.callTool({ name: 'forget_memories', arguments: calls(inside, others[0]).forget_memories })
    assert.equal(forgets.structuredContent.status, 'waiting-for-person')
    assert.match((await c.callTool({ name: 'get_memory', arguments: { id: inside } })).content[0].text, /programs in Go/)
    await c.close()
  })

  it('in Python: the same', () => {
    const out = execFileSync(python(), [join(root, 'e2e/agents/client.py'), headless, 'python', JSON.stringify(Object.fromEntries(reads.map((name) => [name, calls(inside, others[0])[name]])))],
      { env: { ...process.env, ...place.few }, encoding: 'utf8' })
    for (const [name, text] of Object.entries(JSON.parse(out))) {
      assert.match(text, /programs in Go/, name)
      assert.doesNotMatch(text, /bees/, name)
    }
  })

  it('propose the changes that they may not write, and the person decides', async () => {
    let c = await client('proposer')
    await c.callTool({ name: 'get_context', arguments: {} }) // asks for permission
    await c.close()
    await owner.end()
    const id = keepsake(place.env, 'add', 'Robin rows on Sundays').id
    keepsake(place.env, 'circles', 'add', 'work', id)
    keepsake(place.env, 'agents', 'allow', 'proposer', '--circle', 'work', '--may', 'read,propose')
    owner = await answers(place.env)
    c = await client('proposer')
    const { tools } = await c.listTools()
    const changes = { update_memory: { id, content: 'Robin rows on Mondays' }, retract_memory: { id: others[1] }, relate_memories: { from: id, type: 'supports', to: inside } }
    for (const [name, args] of Object.entries(changes)) {
      const { annotations } = tools.find((tool) => tool.name === name)
      assert.deepEqual([annotations.readOnlyHint ?? false, annotations.destructiveHint], [false, false], name)
      assert.deepEqual((await c.callTool({ name, arguments: args })).structuredContent, { changed: false, status: 'proposed' }, name)
    }
    for (const never of [outside, 'never']) {
      const { isError, content } = await c.callTool({ name: 'retract_memory', arguments: { id: never } })
      assert.ok(isError)
      assert.equal(content[0].text, `There is no memory with the id ${never}.`)
    }
    assert.match((await c.callTool({ name: 'get_memory', arguments: { id } })).content[0].text, /on Sundays/)
    await c.close()
    await owner.end()
    const waiting = keepsake(place.env, 'review', 'changes').items
    assert.deepEqual(waiting.map(({ by, change }) => `${by} ${change.kind}`).sort(), ['proposer relate', 'proposer retract', 'proposer update'])
    const of = (kind) => waiting.find(({ change }) => change.kind === kind).id
    keepsake(place.env, 'reject', of('retract'))
    assert.deepEqual(keepsake(place.env, 'accept', of('relate'), of('update')), { accepted: 2, left: 0 })
    assert.equal(keepsake(place.env, 'show', id).content, 'Robin rows on Mondays')
    const { proposed, accepted } = keepsake(place.env, 'agents', 'list').find(({ name }) => name === 'proposer')
    assert.deepEqual([proposed, accepted], [3, 2])
    keepsake(place.env, 'undo')
    assert.equal(keepsake(place.env, 'show', id).content, 'Robin rows on Sundays')
    assert.equal(keepsake(place.env, 'review', 'changes').total, 2)
    owner = await answers(place.env)
  })

  it('are the same with all variables of a session', async () => {
    const c = await client('typescript', { ...process.env, ...place.env })
    assert.match((await c.callTool({ name: 'get_memory', arguments: { id: inside } })).content[0].text, /programs in Go/)
    await c.close()
  })

  it('are told what to do once the owner was killed, and are answered by the next one', async () => {
    const c = await client('typescript')
    const get = async () => (await c.callTool({ name: 'get_memory', arguments: { id: inside } })).content[0].text
    assert.match(await get(), /programs in Go/)
    await owner.end('SIGKILL')
    assert.match(await get(), /Keepsake (is not open|was closed)/)
    owner = await answers(place.env)
    let said
    for (let tries = 0; tries < 100 && !/programs in Go/.test(said); tries++) { // it listens a moment later
      said = await get()
      await pause(50)
    }
    assert.match(said, /programs in Go/)
    await c.close()
  })

  it('leave a line each in the log', async () => {
    await owner.end()
    owner = undefined
    const { items, total } = keepsake(place.env, 'agents', 'log', '--limit', '1000')
    assert.equal(items.length, total)
    const by = (agent) => items.filter((one) => one.agent === agent)
    assert.equal(by('python').length, 1 + reads.length)
    assert.equal(by('typescript').filter(({ refused }) => refused === 'no-memory').length, 2)
    assert.ok(!JSON.stringify(items).includes(outside))
  })
})
