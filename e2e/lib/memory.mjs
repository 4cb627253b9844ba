// What stands in the memory of a process and of its children. Only root, or
// whoever may trace them, can look.
import { closeSync, openSync, readFileSync, readSync, readdirSync } from 'node:fs'

const WINDOW = 4 << 20

// family lists a process and everything it started, with their names.
export function family(pid) {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map((name) => {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
      const [, comm, rest] = stat.match(/^\d+ \((.*)\) (.*)$/s)
      return { pid: Number(name), name: comm, parent: Number(rest.split(' ')[1]) }
    } catch {
      return undefined // it has ended meanwhile
    }
  }).filter(Boolean)
  const found = all.filter((one) => one.pid === pid)
  for (const one of found) found.push(...all.filter((other) => other.parent === one.pid))
  return found
}

// copies counts how often a text stands in the writable memory of a process, as
// bytes and as UTF-16.
export function copies(pid, text) {
  const needles = [Buffer.from(text), Buffer.from(text, 'utf16le')]
  let mem
  try {
    mem = openSync(`/proc/${pid}/mem`, 'r')
  } catch (error) {
    if (error.code === 'ENOENT') return 0 // it has ended meanwhile, and its memory with it
    throw error
  }
  const window = Buffer.alloc(WINDOW)
  let count = 0
  try {
    for (const line of readFileSync(`/proc/${pid}/maps`, 'utf8').split('\n')) {
      const region = line.match(/^([0-9a-f]+)-([0-9a-f]+) rw/)
      if (!region) continue
      const to = BigInt(`0x${region[2]}`)
      for (let at = BigInt(`0x${region[1]}`); at < to; at += BigInt(WINDOW - 256)) {
        const most = Math.min(WINDOW, Number(to - at))
        let read = 0
        try {
          read = readSync(mem, window, 0, most, at)
        } catch {
          continue // a hole
        }
        const fresh = at + BigInt(read) < to ? WINDOW - 256 : read
        for (const needle of needles) {
          for (let hit = window.indexOf(needle); hit >= 0 && hit < fresh && hit + needle.length <= read; hit = window.indexOf(needle, hit + 1)) count++
        }
      }
    }
  } finally {
    closeSync(mem)
  }
  return count
}
