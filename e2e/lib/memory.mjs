// What stands in the memory of a process and of its children. Only root, or
// whoever may trace them, can look.
import { closeSync, openSync, readFileSync, readSync, readdirSync } from 'node:fs'

const PAGE = 4096
const PAGES = 1024 // looked at in one piece at most

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

// runs yields the stretches of a region that hold anything, as [page, pages]:
// engines reserve many gigabytes and use few of them.
function* runs(pagemap, from, to) {
  const entries = Buffer.alloc(8 * 65536)
  let start, length = 0
  for (let page = from / PAGE; page < to / PAGE;) {
    const most = Math.min(65536, to / PAGE - page)
    const got = readSync(pagemap, entries, 0, 8 * most, 8 * page) / 8
    if (got < 1) break
    for (let i = 0; i < got; i++, page++) {
      const there = (entries[8 * i + 7] & 0xc0) !== 0 // in memory, or swapped out
      if (there && length > 0 && length < PAGES) length++
      else {
        if (length > 0) yield [start, length]
        start = page
        length = there ? 1 : 0
      }
    }
  }
  if (length > 0) yield [start, length]
}

const shown = (bytes) => bytes.toString('latin1').replace(/[^ -~]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16).padStart(2, '0')}`)

// copies counts how often each text stands in the writable memory of a process,
// as bytes and as UTF-16. One that lies across two pieces is not seen. at is told where
// each one lies: its address, its region of /proc/pid/maps and the bytes around it.
export function copies(pid, texts, at = () => {}) {
  const counts = texts.map(() => 0)
  let mem, pagemap, maps
  try {
    mem = openSync(`/proc/${pid}/mem`, 'r')
    pagemap = openSync(`/proc/${pid}/pagemap`, 'r')
    maps = readFileSync(`/proc/${pid}/maps`, 'utf8')
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ESRCH') return counts // it has ended, and its memory with it
    throw error
  }
  const window = Buffer.alloc(PAGE * PAGES)
  for (const line of maps.split('\n')) {
    const region = line.match(/^([0-9a-f]+)-([0-9a-f]+) rw/)
    if (!region) continue
    for (const [page, pages] of runs(pagemap, parseInt(region[1], 16), parseInt(region[2], 16))) {
      let read = 0
      try {
        read = readSync(mem, window, 0, pages * PAGE, page * PAGE)
      } catch {
        continue // given back meanwhile, or a device
      }
      const piece = window.subarray(0, read)
      texts.forEach((text, i) => {
        for (const needle of [Buffer.from(text), Buffer.from(text, 'utf16le')]) {
          for (let hit = piece.indexOf(needle); hit >= 0; hit = piece.indexOf(needle, hit + 1)) {
            counts[i]++
            at(`${(page * PAGE + hit).toString(16)} in ${line}: ${shown(piece.subarray(Math.max(0, hit - 64), hit + needle.length + 64))}`)
          }
        }
      })
    }
  }
  closeSync(mem)
  closeSync(pagemap)
  return counts
}
