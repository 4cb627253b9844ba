// The notes that leave for Markdown and Obsidian, drawn by a reader of Markdown that
// lets HTML and every link through: nothing in them runs, loads or leads to a program.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { launch } from '../lib/browser.mjs'
import { fixtures, home, prepare, root } from '../lib/program.mjs'

const forms = ['markdown', 'obsidian']

describe('notes of a thousand payloads', () => {
  let browser, place, made

  before(async () => {
    made = await fixtures()
    browser = await launch()
    place = home()
    await prepare(place.env, ['import', made.path('payloads.zip')], ...forms.map((form) => ['export', form, '-o', `${join(place.folder, form)}/`, '--include', 'conversations']))
  })
  after(async () => {
    await browser?.close()
    place?.remove()
  })

  for (const form of forms) {
    it(`${form} draws words alone`, async () => {
      const folder = join(place.folder, form)
      const notes = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.md')).map((name) => readFileSync(join(folder, name), 'utf8'))
      const page = await (await browser.newContext()).newPage()
      const asked = []
      page.on('dialog', (dialog) => { asked.push(dialog.message()); void dialog.dismiss() })
      page.on('request', (request) => asked.push(request.url()))
      await page.addScriptTag({ path: join(root, 'frontend/node_modules/markdown-it/dist/browser/markdown-it.umd.min.js') })
      const foreign = await page.evaluate(draw, notes)
      assert.deepEqual(foreign, [])
      assert.deepEqual(asked, [], 'what the notes asked for')
      const drawn = new Set(notes.join('\n').match(/payload \d{4}\./g))
      assert.equal(drawn.size, made.truth.payloads.messages, 'every payload was drawn')
      console.log(`# ${drawn.size} payloads in ${notes.length} notes`)
    })
  }
})

// draw puts notes into the page and lists what must never come out of one.
async function draw(notes) {
  const reader = window.markdownit({ html: true, linkify: true })
  reader.validateLink = () => true
  const foreign = []
  for (const note of notes) {
    document.body.innerHTML = reader.render(note)
    await new Promise(requestAnimationFrame)
    for (const e of document.body.querySelectorAll('*')) {
      const leads = e.localName === 'a' && /^(https?:|mailto:)|^[^:]*$|^[^:]*[/?#]/i.test(e.getAttribute('href'))
      const plain = /^(p|br|hr|em|strong|s|code|pre|blockquote|ul|ol|li|h[1-6]|table|thead|tbody|tr|th|td)$/.test(e.localName)
      const named = [...e.attributes].some((a) => !/^(href|title|class|start|style)$/.test(a.name) || a.name === 'style' && !/^text-align:(left|right|center)$/.test(a.value))
      if (!leads && !plain || named) foreign.push(e.outerHTML.slice(0, 160))
    }
  }
  return foreign
}
