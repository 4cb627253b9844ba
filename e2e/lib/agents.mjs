// An owner of a vault in a process of its own, and who asks it.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { passphrase } from './keepsake.mjs'
import { headless, home, root } from './program.mjs'

const secret = ['--passphrase-file', '-']

// keepsake runs a command on the vault of a home and returns its JSON.
export function keepsake(env, ...args) {
  const out = execFileSync(headless, [...args, '--json', ...secret], { env: { ...process.env, ...env }, input: `${passphrase}\n`, encoding: 'utf8', stdio: ['pipe', 'pipe', 'ignore'] })
  return JSON.parse(out)
}

// answers starts keepsake agent and waits until it answers.
export async function answers(env) {
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

// usual is a home whose folders are the usual ones. Its owner has the variables of a session; a program
// that a client starts has only HOME and what else the SDK gives it, such as PATH.
export function usual() {
  const { folder, env, remove } = home()
  const session = { XDG_DATA_HOME: join(folder, '.local/share'), XDG_CONFIG_HOME: join(folder, '.config'), XDG_CACHE_HOME: join(folder, '.cache'), XDG_RUNTIME_DIR: join(folder, 'runtime') }
  mkdirSync(session.XDG_RUNTIME_DIR, { mode: 0o700 })
  return { env: { ...env, ...session }, few: { HOME: folder }, remove }
}


// fill makes a vault with memories within the circle Work, inside and others, and one outside of it.
export function fill(env) {
  keepsake(env, 'init', '--kdf', 'test')
  const inside = keepsake(env, 'add', 'Robin writes programs in Go').id
  const others = ['Robin tests programs at night', 'Robin reads programs on paper'].map((text) => keepsake(env, 'add', text).id)
  const outside = keepsake(env, 'add', 'Robin keeps bees behind the house').id
  keepsake(env, 'circles', 'make', 'Work')
  keepsake(env, 'circles', 'add', 'work', inside, ...others)
  return { inside, others, outside }
}

// allow lets a client that asked do everything within that circle.
export const allow = (env, name, ...flags) => keepsake(env, 'agents', 'allow', name, '--circle', 'work', '--may', 'read,propose,write,delete', ...flags)

// calls has arguments for each tool that such a client may call, of two memories, the last of which is
// retracted; reads are those that tell of memories.
export const calls = (inside, other) => ({
  search_memories: { query: 'programs' }, get_memory: { id: inside }, list_memories: { limit: 5 }, get_context: { topic: 'programs' },
  propose_memory: { content: 'Robin likes trains', reason: 'said so' }, update_memory: { id: inside, tags: ['code'] }, relate_memories: { from: inside, type: 'supports', to: other },
  forget_memories: { memory_ids: [other] }, retract_memory: { id: other }, export_memory: {}, import_memory: { data: JSON.stringify({ mif_version: '1.0', export_id: 'e', user_id: 'u', created_at: '2026-01-01T00:00:00Z',
    memories: [{ id: 'm', content: 'Robin sings', type: 'Observation', created_at: '2026-01-01T00:00:00Z', importance: 0.5 }] }) },
})
export const reads = ['search_memories', 'get_memory', 'list_memories', 'get_context', 'export_memory']

// tool is a program of a package of e2e/node_modules, and the Node that it needs, which may be newer
// than the one that runs the tests.
export const tool = (name) => [join(root, 'e2e/node_modules/.bin/node'), join(root, 'e2e/node_modules/.bin', name)]

// overHTTP starts keepsake mcp --http for a client and returns its address and token.
export async function overHTTP(env, name) {
  const child = spawn(headless, ['mcp', '--client', name, '--http', '127.0.0.1:0'], { env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'pipe'] })
  const said = {}
  for await (const line of createInterface({ input: child.stderr })) {
    said.url ??= line.match(/^Assistants can ask at (.*)$/)?.[1]
    said.file ??= line.match(/^Their token is in (.*)$/)?.[1]
    if (line.startsWith('Ctrl+C')) break
  }
  return {
    ...said, token: readFileSync(said.file, 'utf8').trim(),
    async end(signal = 'SIGTERM') {
      child.kill(signal)
      await once(child, 'exit')
    },
  }
}
