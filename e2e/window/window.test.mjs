// The real window, on a virtual display of its own.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, before, describe, it } from 'node:test'
import { median } from '../coldstart.mjs'
import { firstScreen, passphrase } from '../lib/keepsake.mjs'
import { family } from '../lib/memory.mjs'
import { command, fixtures, home, results, root, windowed } from '../lib/program.mjs'
import { colours, drag, drive, open, press, saveAs, says, screenshot, shown, tool, until, windows } from '../lib/window.mjs'
import { words } from '../lib/words.mjs'
import { memory, store } from '../lib/writers.mjs'

const t = words('en')
let made, place, running = []

before(async () => { made = await fixtures() })
afterEach(async () => {
  for (const one of running.splice(0)) await (one.close ?? one.quit)()
  place?.remove()
})

const fresh = () => (place = home())
const start = (...args) => { const one = open(...args); running.push(one); return one }
const driven = async (...args) => { const one = await drive(...args); running.push(one); return one }

describe('the window', () => {
  it('starts, shows Welcome, and ends in order', async () => {
    const { env } = fresh()
    const one = start(env)
    const id = await shown(one.child.pid)
    const file = await until('Welcome to be painted', async () => {
      const shot = await screenshot('window-welcome', id)
      return (await colours(shot)) > 200 && shot
    })
    assert.ok(existsSync(file))
    assert.equal(await one.quit(), 0, 'SIGTERM ends it in order')
  })

  it('comes back as large as it was left, and no larger than the screen', async () => {
    const { env } = fresh()
    const size = async (id) => {
      const { stdout } = await tool('xdotool', 'getwindowgeometry', '--shell', id)
      return [/WIDTH=(\d+)/, /HEIGHT=(\d+)/].map((field) => Number(stdout.match(field)?.[1]))
    }
    const seen = async (want) => {
      const one = start(env)
      const id = await shown(one.child.pid)
      await until('a window of the size that was kept', async () => want(...(await size(id))))
      assert.equal(await one.quit(), 0)
    }
    // left changes a window, waits until it knows, and has it end as a person does.
    const left = async (change, knows) => {
      const window = await driven(env)
      await says(window, t('welcome.title'))
      const pid = await window.pid()
      await change(window, await shown(pid))
      await until('the window to know what it has become', async () => (await window.call(`return ${knows}`)).value)
      await window.run('setTimeout(() => window.runtime.Quit(), 100)') // this is answered first
      await until('the window to go', async () => (await windows(pid)).length === 0)
      await running.pop().close()
    }
    await left((_, id) => tool('xdotool', 'windowsize', '--sync', id, '900', '640'), '(await window.runtime.WindowGetSize()).w === 900')
    await seen((width, height) => width === 900 && height === 640)
    await left((window) => window.run('window.runtime.WindowMaximise()'), 'await window.runtime.WindowIsMaximised()')
    const kept = join(env.XDG_CONFIG_HOME, 'keepsake', 'settings.json')
    const preferences = JSON.parse(readFileSync(kept, 'utf8'))
    assert.deepEqual([preferences.window.width, preferences.window.height, preferences.window.maximised], [900, 640, true], 'the size to come back to')
    await seen((width, height) => width >= 1500 && height >= 900)
    writeFileSync(kept, JSON.stringify({ ...preferences, window: { width: 5000, height: 4000, maximised: false } }))
    await seen((width, height) => width <= 1600 && height <= 1000)
  })

  it('shows Welcome in words, with nothing open and nothing asked outside', async () => {
    const { env } = fresh()
    const window = await driven(env)
    await says(window, t('welcome.title'))
    const state = await window.call('return await window.go.bridge.Vault.State()')
    assert.equal(state.error, undefined)
    assert.equal(state.value.exists, false)
    const failed = await window.call('return await window.go.bridge.Library.Get("nothing")')
    assert.equal(JSON.parse(failed.error).reason, 'no-vault')
    assert.equal(await window.run('return document.querySelectorAll("iframe, frame, object, embed").length'), 0)
    const asked = await window.run('return performance.getEntriesByType("resource").map((e) => e.name)')
    assert.deepEqual(asked.filter((url) => !url.startsWith('wails://')), [])
  })

  it('holds the policy', async () => {
    const { env } = fresh()
    const window = await driven(env)
    await says(window, t('welcome.title'))
    const tried = await window.call(`
      const done = {}
      await new Promise((next) => setTimeout(next))
      try { done.eval = (0, eval)('1') } catch (e) { done.eval = e.name }
      done.fetch = await fetch('https://beacon.invalid/').then(() => 'asked', () => 'refused')
      const frame = document.createElement('iframe')
      frame.src = 'data:text/html,x'
      document.body.append(frame)
      await new Promise((next) => setTimeout(next, 200))
      done.frame = frame.contentWindow?.length
      frame.remove()
      return done`)
    assert.equal(tried.value.eval, 'EvalError')
    assert.equal(tried.value.fetch, 'refused')
  })

  it('reads a zip that is dragged onto it from another window', async () => {
    const { env, folder } = fresh()
    const file = join(folder, 'ChatGPT data ü & more.zip')
    copyFileSync(made.path('chatgpt.zip'), file)
    const window = await driven(env)
    await says(window, t('welcome.title'))
    await makeVault(window)
    const id = await shown(await window.pid())
    await drag([file], id)
    await says(window, t('import.plan.export', { provider: 'ChatGPT' }))
    await says(window, 'ChatGPT data ü & more.zip')
    assert.match(await window.run('return location.href'), /^wails:\/\/wails\/(#|$)/, 'the page was not replaced by the file')
    await screenshot('window-dropped', id)
    await press(window, t('import.plan.begin'))
    await says(window, t('import.report.library'), 60)
    const list = await window.call('return await window.go.bridge.Library.List({ text: "", types: [], statuses: [], platforms: [], tags: [], conversation: "", hasRelations: false, since: "", until: "", sort: "", offset: 0, limit: 10 })')
    assert.ok(list.value.total >= made.truth.chatgpt.memories.length, `${list.value?.total} memories`)
  })

  it('opens a file named on its command line, once there is a vault', async () => {
    const { env } = fresh()
    const init = await command({ ...env }, ['init', '--kdf', 'test', '--passphrase-file', '-'], { program: windowed, input: `${passphrase}\n` })
    assert.equal(init.code, 0, init.stderr)
    const window = await driven(env, [made.path('chatgpt.zip')])
    await says(window, t('unlock.title'))
    const unlocked = await window.call('return await window.go.bridge.Vault.Unlock(args[0])', passphrase)
    assert.equal(unlocked.error, undefined)
    await says(window, t('import.plan.export', { provider: 'ChatGPT' }))
    await says(window, 'chatgpt.zip')
  })

  it('takes the files of a second start over, which ends at once', async () => {
    const { env, folder } = fresh()
    const window = await driven(env)
    await says(window, t('welcome.title'))
    await makeVault(window)
    mkdirSync(join(folder, 'elsewhere'))
    copyFileSync(made.path('chatgpt.zip'), join(folder, 'elsewhere', 'second.zip'))
    const second = start(env, ['second.zip'], { cwd: join(folder, 'elsewhere') })
    const [code] = await second.ended
    assert.equal(code, 0)
    await says(window, 'second.zip')
  })

  it('is in the menu once it is installed, and a double click on a PAM file opens it there', async () => {
    const { env, folder } = fresh()
    const install = (...args) => spawnSync('sh', ['scripts/install.sh', ...args], { cwd: root, env: { ...process.env, ...env, XDG_BIN_HOME: join(folder, 'bin') }, encoding: 'utf8' })
    const done = install()
    assert.equal(done.status, 0, done.stderr)
    const entry = join(env.XDG_DATA_HOME, 'applications', 'keepsake.desktop')
    assert.equal((await tool('desktop-file-validate', entry)).code, 0, 'the entry of the menu is valid')
    const window = await driven(env)
    await says(window, t('welcome.title'))
    await makeVault(window)
    const file = join(folder, 'What I keep.pam.json')
    writeFileSync(file, store([memory('00000000-0000-4000-8000-000000000001', 'Marina plays the oboe')]))
    const clicked = spawnSync('gio', ['open', file], { env: { ...process.env, ...env }, encoding: 'utf8' })
    assert.equal(clicked.status, 0, clicked.stderr)
    await says(window, 'What I keep.pam.json')
    assert.match(spawnSync('gio', ['mime', 'application/zip'], { env: { ...process.env, ...env }, encoding: 'utf8' }).stdout, /^(?!.*keepsake)/s, 'zips stay with what opens them')
    assert.equal(install('away').status, 0)
    assert.deepEqual(readdirSync(env.XDG_DATA_HOME, { recursive: true }).filter((name) => name.endsWith('.desktop') || /hicolor.*keepsake|keepsake\.xml/.test(name)), [])
    assert.ok(existsSync(join(env.XDG_DATA_HOME, 'keepsake')), 'the vault stays')
  })

  it('says outside of itself that something ended, in words of its own', async () => {
    const { env } = fresh()
    const bus = spawn('dbus-monitor', ['--session', "interface='org.freedesktop.Notifications'"], { stdio: ['ignore', 'pipe', 'ignore'] })
    running.push({ close: async () => { bus.kill() } })
    let heard = ''
    bus.stdout.on('data', (more) => { heard += more })
    await until('the bus to be listened to', () => heard !== '')
    const window = await driven(env)
    await says(window, t('welcome.title'))
    const refused = await window.call('return await window.go.bridge.Settings.Notify(args[0], "en")', 'words of a hostile page')
    assert.equal(JSON.parse(refused.error).reason, 'unknown-notice')
    const told = await window.call('return await window.go.bridge.Settings.Notify("import", "pt-BR")')
    assert.equal(told.error, undefined)
    await until('the bus to be asked', () => heard.includes('member=Notify') && heard.includes('A importação terminou.'))
    assert.ok(!heard.includes('hostile'))
  })

  it('destroys a vault: asks where its receipt is to lie, says the last word, and lives on', async () => {
    const { env, folder } = fresh()
    const init = await command(env, ['init', '--kdf', 'test', '--passphrase-file', '-'], { program: windowed, input: `${passphrase}\n` })
    assert.equal(init.code, 0, init.stderr)
    const window = await driven(env)
    await says(window, t('unlock.title'))
    const { value: vault } = await window.call('return await window.go.bridge.Vault.Unlock(args[0])', passphrase)
    await until('the vault to be open', () => window.run('return document.querySelector("nav") !== null'))
    await window.run('location.hash = "#/security/erase"')
    await press(window, t('destroy.ask'))
    const main = await shown(window.pid())
    const receipt = join(folder, 'receipt.json')
    await saveAs(window, receipt, () => press(window, t('destroy.receipt.choose')))
    await says(window, t('destroy.receipt.elsewhere'))
    await window.run(`
      const fields = document.querySelectorAll('[role=dialog] input')
      for (const [i, value] of [...arguments].entries()) {
        fields[i].value = value
        fields[i].dispatchEvent(new Event('input', { bubbles: true }))
      }`, vault.name, passphrase)
    assert.ok(existsSync(vault.folder))
    await press(window, t('destroy.do'))
    await says(window, t('destroy.done'))
    await says(window, t('destroy.done.saved', { name: 'receipt.json' }))
    await screenshot('window-destroyed', main)
    assert.ok(!existsSync(join(vault.folder, 'vault.db')), 'the vault is gone')
    const said = JSON.parse(readFileSync(receipt, 'utf8'))
    assert.equal(said.vault_id, vault.vaultId)
    assert.ok(said.signature)
    // The page goes with its last word; WebDriver ends with the process that it spoke to.
    const view = family(window.pid()).find((one) => one.name.startsWith('WebKitWeb')).pid
    await press(window, t('destroy.done.end'))
    await until('the page to be thrown away', () => !family(window.pid()).some((one) => one.pid === view))
    await until('Welcome to be painted', async () => (await colours(await screenshot('window-begins-anew', await shown(window.pid())))) > 200)
  })

  it('brings a damaged vault back from its own copies', async () => {
    const { env } = fresh()
    for (const args of [['init', '--kdf', 'test'], ['import', made.path('chatgpt.zip')]]) {
      const { code, stderr } = await command(env, [...args, '--passphrase-file', '-'], { program: windowed, input: `${passphrase}\n` })
      assert.equal(code, 0, stderr)
    }
    truncateSync(join(env.XDG_DATA_HOME, 'keepsake', 'vault', 'vault.db'), 4096)
    const window = await driven(env)
    const type = () => until('the field', () => window.run(`
      const field = document.querySelector('input[autocomplete=current-password]')
      if (!field) return false
      field.value = arguments[0]
      field.dispatchEvent(new Event('input', { bubbles: true }))
      return true`, passphrase))
    await says(window, t('unlock.title'))
    await type()
    await press(window, t('unlock.submit'))
    await says(window, t('recover.title'))
    await type()
    await press(window, t('recover.try'))
    await says(window, t('recover.lost.none'))
    await screenshot('window-recovery', await shown(window.pid()))
    await press(window, t('recover.do'))
    await says(window, t('recover.done'))
    await press(window, t('unlock.submit'))
    await says(window, t(`screen.${firstScreen}`))
    assert.ok(readdirSync(join(env.XDG_DATA_HOME, 'keepsake', 'vault')).some((name) => name.startsWith('vault.db.damaged-')), 'the damaged file is kept')
  })

  it('says in one line that there is no display, and what to do', async () => {
    const { env } = fresh()
    const said = await command({ ...env, DISPLAY: '', WAYLAND_DISPLAY: '' }, [], { program: windowed })
    assert.notEqual(said.code, 0)
    assert.match(said.stderr, /^keepsake: there is no display here\..*keepsake serve.*\n$/)
  })

  it('runs commands without a display', async () => {
    const { env } = fresh()
    const said = await command({ ...env, DISPLAY: '', WAYLAND_DISPLAY: '' }, ['version'], { program: windowed })
    assert.equal(said.code, 0)
    assert.match(said.stdout, /^keepsake \d+\.\d+\.\d+/)
  })

  it('measures a cold start (a figure, not a verdict)', async () => {
    const { median: middle, all } = await median(3)
    const line = `cold start to the painted Welcome screen: median ${middle.toFixed(0)} ms of ${all.map((ms) => ms.toFixed(0)).join(', ')}`
    console.log(line)
    writeFileSync(join(results, 'coldstart.txt'), `${line}\n`)
    assert.ok(middle > 0)
  })
})

// makeVault makes one through the bound call and lets the page find out.
async function makeVault(window) {
  const created = await window.call('return await window.go.bridge.Vault.Create(args[0], "calibrated")', passphrase)
  assert.equal(created.error, undefined)
  await says(window, t(`screen.${firstScreen}`), 30)
}
