// What a first load of the page weighs; heavy parts come when they are needed.
import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { root } from '../lib/program.mjs'

const MOST = 500_000 // bytes, gzipped

it('a first load is under 500 KB gzipped', () => {
  const dist = join(root, 'frontend/dist')
  const html = readFileSync(join(dist, 'index.html'), 'utf8')
  const first = new Set()
  const take = (name) => {
    if (first.has(name)) return
    first.add(name)
    const text = readFileSync(join(dist, 'assets', name), 'utf8')
    // Imports that are written out are loaded at once; import() waits.
    for (const [, next] of text.matchAll(/(?:^|[;}\n])import(?:[^"'()]*from)?["']\.\/([^"']+\.js)["']/g)) take(next)
  }
  for (const [, name] of html.matchAll(/(?:src|href)="\/assets\/([^"]+\.(?:js|css))"/g)) take(name)
  const weigh = (name) => gzipSync(readFileSync(join(dist, 'assets', name))).length
  const sum = [...first].reduce((all, name) => all + weigh(name), 0)
  const later = readdirSync(join(dist, 'assets')).filter((name) => /\.(js|css)$/.test(name) && !first.has(name))
  console.log(`# first load: ${(sum / 1000).toFixed(0)} KB gzipped in ${first.size} files; ${later.length} files wait until they are needed`)
  assert.ok(first.size >= 2)
  assert.ok(sum < MOST, `${sum} bytes`)
  for (const heavy of ['katex', 'webgl', 'languages']) {
    const file = later.find((name) => name.startsWith(heavy))
    assert.ok(file, `${heavy} waits`)
  }
})
