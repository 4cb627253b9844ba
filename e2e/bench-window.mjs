// What the real window (WebKitGTK) does with much: whether it has WebGL, how long
// the frames of a graph of 10,000 memories and of a list of 100,000 take. Figures,
// not a verdict; scripts/xvfb.sh runs it on a display of its own.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { passphrase } from './lib/keepsake.mjs'
import { command, home } from './lib/program.mjs'
import { drive, until } from './lib/window.mjs'
import { words } from './lib/words.mjs'

const MEMORIES = 100_000
const NODES = 10_000
const t = words('en')

const id = (i) => `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`

// store is an unsigned document of PAM with many memories; of the first 10,000 each is
// related to two others, near and far.
function store() {
  const at = '2025-06-01T09:00:00Z'
  const memories = Array.from({ length: MEMORIES }, (_, i) => ({
    id: id(i), type: ['fact', 'preference', 'skill', 'goal'][i % 4], content: `Memory number ${i}`, status: 'active',
    temporal: { created_at: new Date(1.6e12 + i * 600_000).toISOString().replace('.000', '') }, provenance: { platform: 'manual', extracted_at: at },
  }))
  const types = ['supports', 'extends', 'related_to', 'derived_from']
  const relations = Array.from({ length: 2 * NODES }, (_, i) => ({
    id: `10000000-0000-4000-8000-${String(i).padStart(12, '0')}`, from: id(i % NODES), to: id(i < NODES ? Math.floor(i / 7) : (i * 31 + 1) % NODES), type: types[i % 4], created_at: at,
  })).filter((r) => r.from !== r.to)
  return { schema: 'portable-ai-memory', schema_version: '1.0', owner: { id: 'bench' }, export_date: at, memories, relations }
}

const place = home()
const file = join(place.folder, 'many.json')
writeFileSync(file, JSON.stringify(store()))
for (const args of [['init', '--kdf', 'test'], ['import', file, '--accept-broken']]) {
  const { code, stdout, stderr } = await command(place.env, [...args, '--passphrase-file', '-'], { input: `${passphrase}\n` })
  if (code !== 0) throw new Error(stdout + stderr)
}

// The first frame of WebGL without a graphics card is waited for as well.
const window = await drive(place.env, [], { patience: 180_000 })
try {
  await until('the window', () => window.call('return await window.go.bridge.Vault.State()').then(({ value }) => value?.exists, () => false))
  const opened = await window.call('return await window.go.bridge.Vault.Unlock(args[0])', passphrase)
  if (opened.error) throw new Error(opened.error)
  console.log(await window.run(`
    const gl = document.createElement('canvas').getContext('webgl2')
    const info = gl?.getExtension('WEBGL_debug_renderer_info')
    return gl ? 'WebGL 2: ' + gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER) : 'no WebGL'`))
  await scroll()
  await window.run(`window.real = HTMLCanvasElement.prototype.getContext
    HTMLCanvasElement.prototype.getContext = function (kind, ...more) { return kind.startsWith('webgl') ? null : real.call(this, kind, ...more) }`)
  await graph('WebGL taken away')
  await window.run('HTMLCanvasElement.prototype.getContext = real')
  await graph('as it is')
} finally {
  await window.close()
  place.remove()
}

async function go(screen) {
  await window.run(`location.hash = '#/${screen}'`)
}

// graph pans and zooms by the wheel and the pointer, and tells the frames.
async function graph(how) {
  await go('library')
  await go('graph')
  const way = await until('the graph', () => window.run("return document.querySelector('.graph .room canvas') && document.querySelector('.graph').dataset.way"), { seconds: 180 })
  await window.run(`window.stage = [...document.querySelectorAll('.graph .room canvas')].at(-1)`)
  const still = await settled()
  const at = `const box = stage.parentElement.getBoundingClientRect(), x = box.left + box.width / 2, y = box.top + box.height / 2
    const told = { bubbles: true, cancelable: true, clientX: x, clientY: y, pointerId: 1, button: 0 }`
  const panned = await frames(`${at}
    if (i === 0) stage.dispatchEvent(new MouseEvent('mousedown', told)), stage.dispatchEvent(new PointerEvent('pointerdown', { ...told, buttons: 1 }))
    const next = { ...told, buttons: 1, clientX: x + 120 * Math.sin(i / 8), clientY: y + 80 * Math.sin(i / 5) }
    stage.dispatchEvent(new MouseEvent('mousemove', next)); stage.dispatchEvent(new PointerEvent('pointermove', next))
    if (i === last) stage.dispatchEvent(new MouseEvent('mouseup', next)), stage.dispatchEvent(new PointerEvent('pointerup', next))`)
  const zoomed = await frames(`${at}
    stage.dispatchEvent(new WheelEvent('wheel', { ...told, deltaY: i < last / 2 ? -60 : 60 }))`)
  console.log(`graph of ${NODES.toLocaleString('en')}, ${how} (${way}): settled after ${(still / 1000).toFixed(1)} s; pan ${panned}; zoom ${zoomed}`)
}

// settled waits until frames come as quickly as they do where nothing moves.
async function settled() {
  const began = Date.now()
  for (let quiet = 0; quiet < 10 && Date.now() - began < 45_000;) {
    const { value } = await window.call(`
      await new Promise(requestAnimationFrame)
      const began = performance.now()
      await new Promise(requestAnimationFrame)
      return performance.now() - began`)
    quiet = value < 25 ? quiet + 1 : 0
  }
  return Date.now() - began
}

async function scroll() {
  await go('library')
  await until('the list', () => window.run("return document.querySelector('[data-index] .content') !== null"), { seconds: 30 })
  await window.run(`window.list = document.querySelector('[role=listbox][aria-label="${t('library.list.label')}"]')`)
  console.log(`list of ${MEMORIES.toLocaleString('en')}: by 120 px a frame ${await frames('list.scrollTop += 120')}; by 2,400 px ${await frames('list.scrollTop += 2400')}`)
}

// frames does a step in each of 120 frames, for twenty seconds at most, and tells
// how long these took.
async function frames(step) {
  const { value, error } = await window.call(`
    const all = [], last = 119, end = performance.now() + 20_000
    for (let i = 0, then = performance.now(); i <= last && performance.now() < end; i++) {
      ${step}
      await new Promise(requestAnimationFrame)
      const now = performance.now()
      all.push(now - then)
      then = now
    }
    return all.sort((a, b) => a - b)`)
  if (error) throw new Error(error)
  const part = (share) => value[Math.floor(value.length * share)].toFixed(0)
  return `median ${part(0.5)} ms, p95 ${part(0.95)} ms, worst ${value.at(-1).toFixed(0)} ms a frame`
}
