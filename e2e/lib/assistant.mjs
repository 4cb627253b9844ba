// An assistant that asks a vault by `keepsake mcp`.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { headless } from './program.mjs'

// assistant starts one under a name; call resolves to the text of an answer and whether it is an error.
export async function assistant(env, name) {
  const child = spawn(headless, ['mcp', '--client', name], { env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'inherit'] })
  const open = new Map()
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id, result, error } = JSON.parse(line)
    open.get(id)?.(error ? Promise.reject(new Error(error.message)) : result)
    open.delete(id)
  })
  let last = 0
  const tell = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const ask = (method, params) => new Promise((done) => {
    open.set(++last, done)
    tell({ id: last, method, params })
  })
  await ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name, version: '1' } })
  tell({ method: 'notifications/initialized' })
  return {
    async call(tool, input = {}) {
      const { content, isError = false } = await ask('tools/call', { name: tool, arguments: input })
      return { text: content.map((part) => part.text).join('\n'), isError }
    },
    end: () => child.stdin.end(),
  }
}
