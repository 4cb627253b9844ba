// Measures a cold start: from the start of the process to the first painted
// Welcome screen, five times on a fresh home. Figures, not a verdict.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { home } from './lib/program.mjs'
import { drive, until } from './lib/window.mjs'

// coldStart returns the milliseconds of one start.
export async function coldStart() {
  const at = home()
  const window = await drive(at.env)
  try {
    const painted = await until('the first paint', () => window.run(
      `const paint = performance.getEntriesByName('first-contentful-paint')[0]
       return document.querySelector('main, h1') && paint ? performance.timeOrigin + paint.startTime : 0`))
    return painted - Number(readFileSync(window.startFile, 'utf8'))
  } finally {
    await window.close()
    at.remove()
  }
}

export async function median(rounds) {
  const all = []
  for (let i = 0; i < rounds; i++) all.push(await coldStart())
  all.sort((a, b) => a - b)
  return { median: all[Math.floor(rounds / 2)], all }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { median: middle, all } = await median(5)
  console.log(`cold start to the painted Welcome screen: median ${middle.toFixed(0)} ms (${all.map((ms) => ms.toFixed(0)).join(', ')})`)
}
