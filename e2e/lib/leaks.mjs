// Looks through folders for words that must not be there.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'

// forms are the ways in which a word may be written down. Base64 shows it in
// three ways, by where it begins; the first and last letters there depend on
// what stands beside it.
const forms = (word) => [
  Buffer.from(word), Buffer.from(word, 'utf16le'), Buffer.from(Buffer.from(word).toString('hex')),
  ...[0, 1, 2].map((before) => Buffer.from(Buffer.from('x'.repeat(before) + word).toString('base64').slice(before ? 4 : 0).replace(/=+$/, '').slice(0, -2))),
]

function files(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    return entry.isDirectory() ? files(path) : entry.isFile() ? [path] : []
  })
}

// contents of a file; a program that runs may have removed it meanwhile.
function contents(path) {
  try {
    return readFileSync(path)
  } catch (error) {
    if (error.code === 'ENOENT') return Buffer.alloc(0)
    throw error
  }
}

// unpacked is every gzip stream that begins in the bytes.
function unpacked(bytes) {
  const out = []
  for (let at = bytes.indexOf('1f8b08', 0, 'hex'); at >= 0; at = bytes.indexOf('1f8b08', at + 1, 'hex')) {
    try { out.push(gunzipSync(bytes.subarray(at), { finishFlush: 2 })) } catch { /* no stream */ }
  }
  return out
}

// leaks names each file in which a word stands, and how many files were read.
export function leaks(folder, words) {
  const all = files(folder)
  const wanted = words.flatMap(forms)
  const found = all.filter((path) => {
    const bytes = contents(path)
    return [bytes, ...unpacked(bytes)].some((part) => wanted.some((form) => part.includes(form)))
  })
  return { found, read: all.length }
}

// missed writes a word into a folder in each way, and says which are not found.
export function missed(folder, word) {
  const text = `a line with ${word} in it`
  const ways = {
    plain: Buffer.from(text), utf16: Buffer.from(text, 'utf16le'), hex: Buffer.from(Buffer.from(text).toString('hex')), gzip: gzipSync(text),
    base64: Buffer.from(Buffer.from(text).toString('base64')), 'base64, one later': Buffer.from(Buffer.from(`.${text}`).toString('base64')),
    'base64, two later': Buffer.from(Buffer.from(`..${text}`).toString('base64')),
  }
  for (const [name, bytes] of Object.entries(ways)) writeFileSync(join(folder, `control ${name}`), bytes)
  const { found } = leaks(folder, [word])
  return Object.keys(ways).filter((name) => !found.some((path) => path.endsWith(`control ${name}`)))
}
