// The protocol's inspector on the command line lists the tools and calls each one against a real owner:
// over standard input and output by the older protocol, over HTTP by the newest.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { after, before, describe, it } from 'node:test'
import { allow, answers, calls, fill, keepsake, overHTTP, reads, tool, usual } from '../lib/agents.mjs'
import { headless } from '../lib/program.mjs'

// The name of the client by each door.
const doors = { 'standard input and output': 'inspector-lines', HTTP: 'inspector-http' }

describe('the inspector', () => {
  let place, owner, server, inside, others
  const ask = (client, ...args) => new Promise((done) => {
    const [node, inspector] = tool('inspector')
    const how = client === doors.HTTP
      ? ['--server-url', server.url, '--transport', 'http', '--header', `Authorization: Bearer ${server.token}`, '--protocol-era', 'modern', '--stored-auth-only', ...args]
      : [...args, '--protocol-era', 'legacy', '--', headless, 'mcp', '--client', client]
    execFile(node, [inspector, '--cli', '--format', 'json', '-q', ...how], { env: { PATH: process.env.PATH, ...place.few } }, (error, stdout, stderr) => done({ error, stderr, ...(stdout ? JSON.parse(stdout).result : {}) }))
  })
  const call = (client, name, args) => ask(client, '--method', 'tools/call', '--tool-name', name, '--tool-args-json', JSON.stringify(args))

  before(async () => {
    place = usual()
    ;({ inside, others } = fill(place.env))
    owner = await answers(place.env)
    server = await overHTTP(place.few, doors.HTTP)
    for (const client of Object.values(doors)) {
      const { isError, content, stderr } = await call(client, 'get_context', {})
      assert.ok(isError, stderr)
      assert.match(content[0].text, /waits for permission/)
    }
    await owner.end()
    for (const client of Object.values(doors)) allow(place.env, client)
    owner = await answers(place.env)
  })
  after(async () => {
    await server?.end()
    await owner?.end()
    place?.remove()
  })

  describe('finds the tools', { concurrency: true }, () => {
    for (const [i, [door, client]] of Object.entries(doors).entries()) {
      it(`over ${door}, and each one answers`, async () => {
        const { tools, error, stderr } = await ask(client, '--method', 'tools/list', '--strict')
        const all = calls(inside, others[i])
        assert.deepEqual(tools.map(({ name }) => name).sort(), Object.keys(all).sort())
        assert.equal(error, null, stderr) // every schema is one that clients can read
        for (const [name, args] of Object.entries(all)) {
          const { isError, structuredContent, stderr } = await call(client, name, args)
          assert.ok(!isError && structuredContent, `${name} ${stderr}`)
          const text = JSON.stringify(structuredContent)
          if (reads.includes(name)) assert.match(text, /programs in Go/, name)
          assert.doesNotMatch(text, /bees/, name)
        }
      })
    }
  })

  it('leaves a line of each call in the log', async () => {
    await owner.end()
    owner = undefined
    const { items } = keepsake(place.env, 'agents', 'log', '--limit', '1000')
    for (const client of Object.values(doors)) {
      const tools = items.filter(({ agent, refused }) => agent === client && !refused).map((one) => one.tool)
      assert.deepEqual(tools.sort(), Object.keys(calls()).sort())
    }
  })
})
