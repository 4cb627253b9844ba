// The protocol's own conformance suite against `keepsake mcp --http` and a real owner. conformance.yaml
// has what is known to fail.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { answers, fill, overHTTP, tool, usual } from '../lib/agents.mjs'
import { results, root } from '../lib/program.mjs'

const baseline = join(root, 'e2e/agents/conformance.yaml')

// withToken forwards requests to a server with its token, which the suite cannot send. It changes only
// its own address to the server's, so that foreign ones arrive as they are.
async function withToken({ url, token }) {
  const to = new URL(url)
  const proxy = createServer((asked, answer) => {
    const headers = { ...asked.headers, authorization: `Bearer ${token}` }
    for (const name of ['host', 'origin']) headers[name] &&= headers[name].replace(`127.0.0.1:${proxy.address().port}`, to.host)
    const forwarded = request(new URL(asked.url, to), { method: asked.method, headers }, (got) => {
      answer.writeHead(got.statusCode, got.headers)
      got.pipe(answer)
    })
    forwarded.on('error', () => answer.destroy())
    asked.pipe(forwarded)
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  return {
    url: `http://127.0.0.1:${proxy.address().port}${to.pathname}`,
    end() {
      proxy.close()
      proxy.closeAllConnections()
    },
  }
}

describe('the conformance suite', () => {
  let place, owner, server, proxy
  before(async () => {
    place = usual()
    fill(place.env)
    owner = await answers(place.env)
    server = await overHTTP(place.env, 'conformance')
    proxy = await withToken(server)
  })
  after(async () => {
    proxy?.end()
    await server?.end()
    await owner?.end()
    place?.remove()
  })

  it('fails nowhere but where it is known to', async () => {
    const [node, suite] = tool('conformance')
    const output = join(results, 'conformance')
    rmSync(output, { recursive: true, force: true })
    const { error, stdout } = await new Promise((done) => {
      execFile(node, [suite, 'server', '--url', proxy.url, '--suite', 'all', '--expected-failures', baseline, '--output-dir', output], (error, stdout, stderr) => done({ error, stdout: stdout + stderr }))
    })
    const known = readFileSync(baseline, 'utf8').match(/^ {2}- .*$/gm)
    for (const line of known) assert.match(line, /^ {2}- [\w-]+ # \S/, 'each has its reason')
    const ran = stdout.match(/^[✓✗] .*$/gm) ?? []
    assert.equal(error, null, stdout)
    assert.ok(ran.length > known.length, stdout)
    for (const name of ['server-initialize', 'ping', 'tools-list', 'resources-list', 'prompts-list', 'dns-rebinding-protection']) {
      assert.match(ran.find((line) => line.includes(` ${name}: `)), /[1-9]\d* passed, 0 failed/)
    }
  })
})
