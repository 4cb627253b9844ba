// Writers of what comes in, as another program would write it: none of ours.
import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { checksum } from './readers.mjs'

const sha256 = (text) => `sha256:${createHash('sha256').update(text).digest('hex')}`

// zip holds texts by name, as they are.
export function zip(texts) {
  const parts = []
  const directory = []
  let at = 0
  for (const [name, text] of Object.entries(texts)) {
    const [path, bytes] = [Buffer.from(name), Buffer.from(text)]
    const said = Buffer.alloc(26) // what both headers say alike
    said.writeUInt16LE(20, 0)
    said.writeUInt16LE(0x0800, 2) // names are UTF-8
    said.writeUInt16LE(0x5b75, 8) // a day
    said.writeUInt32LE(crc32(bytes), 10)
    said.writeUInt32LE(bytes.length, 14)
    said.writeUInt32LE(bytes.length, 18)
    said.writeUInt16LE(path.length, 22)
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(at, 10)
    directory.push(Buffer.from('PK\x01\x02\x14\x00', 'latin1'), said, rest, path)
    parts.push(Buffer.from('PK\x03\x04', 'latin1'), said, path, bytes)
    at += 30 + path.length + bytes.length
  }
  const index = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(directory.length / 4, 8)
  end.writeUInt16LE(directory.length / 4, 10)
  end.writeUInt32LE(index.length, 12)
  end.writeUInt32LE(at, 16)
  return Buffer.concat([...parts, index, end])
}

// memory is one of Portable AI Memory, in plain small letters or not.
export function memory(id, content, more = {}) {
  return {
    id, content, type: 'fact', content_hash: sha256(content.toLowerCase()),
    temporal: { created_at: '2026-01-01T00:00:00Z' }, provenance: { platform: 'chatgpt' }, ...more,
  }
}

// store is a document of Portable AI Memory that agrees with its own sums.
export function store(memories, more = {}) {
  const sorted = [...memories].sort((a, b) => (a.id < b.id ? -1 : 1))
  return JSON.stringify({
    schema: 'portable-ai-memory', schema_version: '1.0', owner: { id: 'somebody' }, export_id: 'e', export_date: '2026-02-01T00:00:00Z', memories,
    integrity: { canonicalization: 'RFC8785', checksum: checksum(sorted), total_memories: memories.length }, ...more,
  })
}

// conversation is a companion file whose messages say texts, one after the other.
export function conversation(id, title, texts, more = {}) {
  return JSON.stringify({
    schema: 'portable-ai-memory-conversation', schema_version: '1.0', id, title, provider: { name: 'chatgpt' }, temporal: { created_at: '2026-01-01T00:00:00Z' },
    messages: texts.map((text, i) => ({
      id: `${id}-${i}`, role: i % 2 ? 'assistant' : 'user', created_at: '2026-01-01T00:00:00Z', content: { type: 'text', text },
      ...(i > 0 && { parent_id: `${id}-${i - 1}` }), ...(i + 1 < texts.length && { children_ids: [`${id}-${i + 1}`] }),
    })),
    ...more,
  })
}

// entry is what an index says of a conversation.
export function entry(id, title, ref, derived = []) {
  return { id, title, platform: 'chatgpt', temporal: { created_at: '2026-01-01T00:00:00Z' }, storage: { type: 'file', ref }, derived_memories: derived }
}
