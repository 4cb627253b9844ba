// The official clients of the Model Context Protocol, in TypeScript and Python, against a real owner
// in another process: every tool that a grant allows, and what is outside of it.
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { passphrase } from '../lib/keepsake.mjs'
import { headless, home, results, root } from '../lib/program.mjs'

const secret = ['--passphrase-file', '-']

// keepsake runs a command on the vault of a home and returns its JSON.
function keepsake(env, ...args) {
  const out = execFileSync(headless, [...args, '--json', ...secret], { env: { ...process.env, ...env }, input: `${passphrase}\n`, encoding: 'utf8', stdio: ['pipe', 'pipe', 'ignore'] })
  return JSON.parse(out)
}

// answers starts keepsake agent and waits until it answers.
async function answers(env) {
  const child = spawn(headless, ['agent', ...secret], { env: { ...process.env, ...env }, stdio: ['pipe', 'ignore', 'pipe'] })
  child.stdin.end(`${passphrase}\n`)
  for await (const text of child.stderr) if (String(text).includes('Answering assistants')) break
  return {
    async end(signal = 'SIGTERM') {
      child.kill(signal)
      await once(child, 'exit')
    },
  }
}

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

// usual is a home whose folders are the usual ones. Its owner has the variables of a session; a program
// that a client starts has only HOME and what else the SDK gives it, such as PATH.
function usual() {
  const { folder, env, remove } = home()
  const session = { XDG_DATA_HOME: join(folder, '.local/share'), XDG_CONFIG_HOME: join(folder, '.config'), XDG_CACHE_HOME: join(folder, '.cache'), XDG_RUNTIME_DIR: join(folder, 'runtime') }
  mkdirSync(session.XDG_RUNTIME_DIR, { mode: 0o700 })
  return { env: { ...env, ...session }, few: { HOME: folder }, remove }
}

describe('the official clients', () => {
  let place, owner, inside, outside
  const client = async (name, env = place.few) => {
    const c = new Client({ name, version: '1' })
    await c.connect(new StdioClientTransport({ command: headless, args: ['mcp', '--client', name], env }))
    return c
  }

  before(async () => {
    place = usual()
    keepsake(place.env, 'init', '--kdf', 'test')
    inside = keepsake(place.env, 'add', 'Robin writes programs in Go').id
    outside = keepsake(place.env, 'add', 'Robin keeps bees behind the house').id
    keepsake(place.env, 'circles', 'make', 'Work')
    keepsake(place.env, 'circles', 'add', 'work', inside)
    owner = await answers(place.env)
    for (const name of ['typescript', 'python']) { // the first call asks for permission
      const c = await client(name)
      const { isError, content } = await c.callTool({ name: 'get_context', arguments: {} })
      assert.ok(isError)
      assert.match(content[0].text, /waits for permission/)
      await c.close()
    }
    await owner.end()
    for (const name of ['typescript', 'python']) keepsake(place.env, 'agents', 'allow', name, '--circle', 'work', '--may', 'read,propose,write,delete')
    owner = await answers(place.env)
  })
  after(async () => {
    await owner?.end()
    place?.remove()
  })

  const calls = () => ({
    search_memories: { query: 'programs' }, get_memory: { id: inside }, list_memories: { limit: 5 }, get_context: { topic: 'programs' },
    propose_memory: { content: 'Robin likes trains', reason: 'said so' }, update_memory: { id: inside, tags: ['code'] }, relate_memories: { from: inside, type: 'supports', to: inside },
    retract_memory: { id: inside }, forget_memories: { memory_ids: [inside] }, export_memory: {}, import_memory: { data: JSON.stringify({ mif_version: '1.0', export_id: 'e', user_id: 'u', created_at: '2026-01-01T00:00:00Z',
      memories: [{ id: 'm', content: 'Robin sings', type: 'Observation', created_at: '2026-01-01T00:00:00Z', importance: 0.5 }] }) },
  })
  const reads = ['search_memories', 'get_memory', 'list_memories', 'get_context', 'export_memory']

  it('in TypeScript: every tool answers in the form that it promises, and of the circle only', async () => {
    const c = await client('typescript')
    const { tools } = await c.listTools()
    assert.deepEqual(tools.map(({ name }) => name).sort(), Object.keys(calls()).sort())
    assert.ok(JSON.stringify(tools).length < 8192)
    for (const name of reads) {
      const { isError, structuredContent } = await c.callTool({ name, arguments: calls()[name] })
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
    const proposed = await c.callTool({ name: 'propose_memory', arguments: calls().propose_memory })
    assert.equal(proposed.structuredContent.status, 'proposed')
    assert.deepEqual((await c.callTool({ name: 'update_memory', arguments: calls().update_memory })).structuredContent, { changed: true })
    const imported = await c.callTool({ name: 'import_memory', arguments: calls().import_memory })
    assert.deepEqual(imported.structuredContent, { proposed: 1, changed: 0, skipped: 0, not_taken: 0 })
    const forgets = await c.callTool({ name: 'forget_memories', arguments: calls().forget_memories })
    assert.equal(forgets.structuredContent.status, 'waiting-for-person')
    assert.match((await c.callTool({ name: 'get_memory', arguments: { id: inside } })).content[0].text, /programs in Go/)
    await c.close()
  })

  it('in Python: the same', () => {
    const out = execFileSync(python(), [join(root, 'e2e/agents/client.py'), headless, 'python', JSON.stringify(Object.fromEntries(reads.map((name) => [name, calls()[name]])))],
      { env: { ...process.env, ...place.few }, encoding: 'utf8' })
    for (const [name, text] of Object.entries(JSON.parse(out))) {
      assert.match(text, /programs in Go/, name)
      assert.doesNotMatch(text, /bees/, name)
    }
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
