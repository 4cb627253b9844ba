// Two assistants and the page of the window work at once, while now the process of one and now that
// which has the vault open is killed. KEEPSAKE_SOAK lets it go on for a minute.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { allow, answers, fill, keepsake, overHTTP, usual } from '../lib/agents.mjs'
import { passphrase } from '../lib/keepsake.mjs'
import { headless, serve } from '../lib/program.mjs'

const lasts = process.env.KEEPSAKE_SOAK ? 60_000 : 5_000
const writes = 40 // of each assistant; 50 an hour are allowed

// windowed opens the vault in keepsake serve, and asks as its page does.
async function windowed(env) {
  const { address, child } = await serve(env)
  let secret = (await (await fetch(address)).text()).match(/"keepsake-secret" content="([^"]+)"/)[1]
  const call = async (name, ...args) => {
    const reply = await fetch(new URL('/api/call', address), { method: 'POST', headers: { 'X-Keepsake': secret }, body: JSON.stringify({ name, args }) })
    secret = reply.headers.get('X-Keepsake') ?? secret
    const { result, error } = await reply.json()
    assert.equal(error, undefined, `${name}: ${error?.message}`)
    return result
  }
  await call('Vault.Unlock', passphrase)
  return {
    call,
    async end(signal = 'SIGTERM') {
      child.kill(signal)
      await once(child, 'exit')
    },
  }
}

// An assistant whose process is started by itself, and one that asks over HTTP. Each has a client while
// its process runs.
const lines = (place) => ({
  name: 'lines',
  async start() {
    const transport = new StdioClientTransport({ command: headless, args: ['mcp', '--client', this.name], env: place.few })
    await (this.client = new Client({ name: this.name, version: '1' })).connect(transport)
    this.end = (signal) => process.kill(transport.pid, signal)
  },
})
const http = (place) => ({
  name: 'http',
  async start() {
    const { url, token, end } = await overHTTP(place.few, this.name)
    this.end = end
    await (this.client = new Client({ name: this.name, version: '1' })).connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { Authorization: `Bearer ${token}` } } }))
  },
})

// Why a call may be refused meanwhile.
const said = /^Keepsake (is not open|was closed before it answered|is locked)|^What may be seen changed meanwhile/

describe('two assistants and the window', () => {
  let place, inside, others, agents, owner
  const answered = { lines: 0, http: 0 }
  const kept = [] // what was answered to be written
  const tags = { lines: [undefined], http: [undefined] } // of the memory of each: one of those that it may have
  const kills = { lines: 0, http: 0, owner: 0 }

  before(async () => {
    place = usual()
    ;({ inside, others } = fill(place.env))
    owner = await answers(place.env)
    agents = [lines(place), http(place)]
    for (const one of agents) {
      await one.start()
      await one.client.callTool({ name: 'get_context', arguments: {} }) // asks for permission
    }
    await owner.end()
    for (const { name } of agents) allow(place.env, name, '--memories', '0', '--bytes', '0')
    owner = await windowed(place.env)
  })
  after(async () => {
    for (const one of agents ?? []) {
      await one.client?.close()
      if (one.name === 'http' && !one.killed) await one.end?.('SIGTERM')
    }
    await owner?.end()
    place?.remove()
  })

  // call returns whether a tool answered; else it said why, or its process was killed.
  const call = async (one, name, args) => {
    try {
      const { isError, content } = await one.client.callTool({ name, arguments: args })
      if (isError) assert.match(content[0].text, said)
      else answered[one.name]++
      return !isError
    } catch (error) {
      if (error instanceof assert.AssertionError || !one.killed) throw error
      return false
    }
  }

  async function assist(one, i, until) {
    for (let n = 0; Date.now() < until(); n++) {
      if (one.killed) {
        await one.start()
        one.killed = false
      }
      const found = await call(one, 'get_memory', { id: inside })
      if (n < writes && found) {
        const tag = `${one.name}-${n}`
        tags[one.name].push(tag)
        if (await call(one, 'update_memory', { id: others[i], tags: [tag] })) tags[one.name] = [tag]
        const content = `What ${one.name} learned, number ${n}`
        if (await call(one, 'propose_memory', { content })) kept.push(content)
      }
      await pause(lasts / 2 / writes)
    }
  }

  async function write(until) {
    for (let n = 0; Date.now() < until(); n++) {
      const content = `What the person wrote, number ${n}`
      const page = owner
      try {
        await page.call?.('Library.Add', { type: 'fact', customType: '', content, tags: [] })
        if (page.call) kept.push(content)
      } catch (error) {
        if (!page.killed) throw error
      }
      await pause(20)
    }
  }

  async function kill(until) {
    for (let n = 0; Date.now() < until(); n++) {
      await pause(200 + Math.random() * 600) // at any call
      const one = agents[n % 3]
      if (one && !one.killed) {
        one.killed = true
        kills[one.name]++
        await one.end('SIGKILL')
      } else if (!one) {
        owner.killed = true
        kills.owner++
        await owner.end('SIGKILL')
        owner = await (n % 2 ? answers : windowed)(place.env)
      }
    }
  }

  it('lose nothing that was answered, and each next call works or says why', async (t) => {
    const end = Date.now() + lasts
    let stopped = false
    const until = () => (stopped ? 0 : end)
    const all = [assist(agents[0], 0, until), assist(agents[1], 1, until), write(until), kill(until)]
    await Promise.all(all.map((one) => one.catch((error) => {
      stopped = true // the others end, too
      throw error
    })))
    await owner.end()
    owner = undefined
    keepsake(place.env, 'check')
    const contents = ['memories', 'proposals'].flatMap((kind) => keepsake(place.env, 'list', kind, '--limit', '100000').items.map(({ content, memory }) => content ?? memory?.content))
    assert.deepEqual(kept.filter((content) => contents.filter((one) => one === content).length !== 1), [])
    for (const [i, { name }] of agents.entries()) {
      const { tags: has } = keepsake(place.env, 'show', others[i])
      assert.ok(tags[name].includes(has?.[0]), `${name}: ${has}, not of ${tags[name]}`)
      assert.ok(keepsake(place.env, 'agents', 'log', '--agent', name).total >= answered[name] && answered[name] > 0, `${name}: ${answered[name]}`)
    }
    for (const times of Object.values(kills)) assert.ok(times > 0, JSON.stringify(kills))
    t.diagnostic(JSON.stringify({ kept: kept.length, answered, kills }))
  })
})
