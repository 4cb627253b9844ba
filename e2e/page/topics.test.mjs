// What the memories are about, with the real model: Insights names it, the graph shows it, and
// what is forgotten is in no name.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { accessible, launch, opened, unbroken } from '../lib/browser.mjs'
import { passphrase } from '../lib/keepsake.mjs'
import { command, home, prepare, serve } from '../lib/program.mjs'
import { languages, words } from '../lib/words.mjs'

const RUNNING = ['Runs ten kilometres three times a week.', 'Trains for a half marathon in October.', 'Ran a marathon in May.', 'Wears trail running shoes.', 'Corre no parque antes do trabalho.']
const DOG = ['Adopted a greyhound called Pretzel.', 'The greyhound gets dry food twice a day.', 'Takes the dog to the vet in spring.', 'O cachorro late quando o vizinho passa.']
const OTHER = 'Was born in 1987.'

for (const language of languages) {
  describe(`topics, in ${language}`, () => {
    const t = words(language)
    let browser, place, server, page, seen, me

    before(async () => {
      place = home()
      await prepare(place.env, ...[...RUNNING, ...DOG, OTHER].map((text) => ['add', text]))
      server = await serve(place.env)
      browser = await launch()
      ;({ page, seen, me } = await opened(browser, server.address, 30_000, { language }))
    })
    after(async () => {
      await browser?.close()
      assert.equal(await server?.stop(), 0, 'serve ends in order')
      place?.remove()
    })

    unbroken(() => seen)

    const list = () => page.getByRole('listbox', { name: t('graph.list') })
    const topics = () => page.getByRole('region', { name: t('insights.topics') })

    it('lists them with words of the memories once all are compared', async () => {
      await me.go('insights')
      await topics().getByRole('button').filter({ hasText: 'marathon' }).waitFor()
      const own = [...RUNNING, ...DOG, OTHER].join(' ')
      for (const name of await topics().locator('.name').allTextContents()) {
        for (const word of name.split(', ')) assert.ok(own.includes(word), `${word} of ${name} stands in a memory`)
      }
      await accessible(page, 'Insights with topics')
    })

    it('opens one in the graph, which lists its memories and no others', async () => {
      await topics().getByRole('button').filter({ hasText: 'marathon' }).click()
      await list().getByRole('option').filter({ hasText: RUNNING[1] }).waitFor()
      const shown = await list().getByRole('option').allTextContents()
      assert.ok(shown.length >= 3 && shown.every((text) => RUNNING.some((own) => text.includes(own))), shown.join('\n'))
      assert.ok(!page.url().includes('marathon'), 'no word of a memory stands in the address')
      await accessible(page, 'the graph with a topic')
    })

    it('shows the others again, though no relation joins any', async () => {
      await me.button('graph.topic.all').click()
      await list().getByRole('option').filter({ hasText: DOG[0] }).waitFor()
      await accessible(page, 'the graph of memories without relations')
    })
  })
}

describe('topics of what is forgotten', () => {
  it('are gone at once', async () => {
    const place = home()
    try {
      await prepare(place.env, ...[...RUNNING, ...DOG].map((text) => ['add', text]))
      const run = (...args) => command(place.env, [...args, '--json', '--passphrase-file', '-'], { input: `${passphrase}\n` })
      const before = JSON.parse((await run('topics')).stdout).topics
      const running = before.find(({ name }) => name.includes('marathon'))
      assert.ok(running, JSON.stringify(before))
      assert.equal((await run('forget', ...running.memories.flatMap((id) => ['--id', id]), '--yes')).code, 0)
      const left = (await run('topics')).stdout
      assert.ok(!/marathon/i.test(left), left)
    } finally {
      place.remove()
    }
  })
})
