// Readers of what leaves, as a stranger would write them: none of the program's code.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { crc32, inflateRawSync } from 'node:zlib'

// unzip gives the texts of a zip by name, from its central directory.
export function unzip(bytes) {
  const end = bytes.lastIndexOf('PK\x05\x06', undefined, 'latin1')
  assert.ok(end >= 0, 'a zip has an end')
  const texts = new Map()
  let at = bytes.readUInt32LE(end + 16)
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left--) {
    assert.equal(bytes.readUInt32LE(at), 0x02014b50, 'an entry of the directory')
    const [method, sum, packed] = [bytes.readUInt16LE(at + 10), bytes.readUInt32LE(at + 16), bytes.readUInt32LE(at + 20)]
    const [name, extra, comment, local] = [bytes.readUInt16LE(at + 28), bytes.readUInt16LE(at + 30), bytes.readUInt16LE(at + 32), bytes.readUInt32LE(at + 42)]
    const from = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28)
    const raw = bytes.subarray(from, from + packed)
    const text = method === 0 ? raw : inflateRawSync(raw)
    assert.equal(crc32(text), sum, 'the sum of an entry')
    texts.set(bytes.toString('utf8', at + 46, at + 46 + name), text.toString('utf8'))
    at += 46 + name + extra + comment
  }
  return texts
}

// table gives the rows of RFC 4180 as objects by the names of the first row.
export function table(bytes) {
  const text = bytes.toString('utf8')
  assert.equal(text[0], '\uFEFF', 'a byte order mark')
  const rows = text.slice(1).split('\r\n').filter(Boolean)
    .map((row) => [...row.matchAll(/"((?:[^"]|"")*)"(?:,|$)/g)].map(([, cell]) => cell.replaceAll('""', '"')))
  const [names, ...cells] = rows
  return cells.map((row) => {
    assert.equal(row.length, names.length, 'as many cells as names')
    return Object.fromEntries(row.map((cell, i) => [names[i], cell]))
  })
}

// note gives the front matter and the words of a note.
export function note(text) {
  const [, front, words] = text.match(/^---\n([\s\S]*?)\n---\n\n([\s\S]*?)\n?$/) ?? assert.fail(`no note: ${text}`)
  return { ...Object.fromEntries(front.split('\n').map((line) => line.match(/^(\w+): (.*)$/).slice(1)).map(([k, v]) => [k, v.startsWith('"') ? JSON.parse(v) : v])), words }
}

// checksum is that of MIF: SHA-256 over the canonical JSON of its memories.
export function checksum(memories) {
  return `sha256:${createHash('sha256').update(canonical(memories)).digest('hex')}`
}

function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  return `{${Object.keys(value).sort().map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(',')}}`
}
