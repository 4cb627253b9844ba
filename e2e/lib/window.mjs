// The real window on a virtual display: starting it, looking at it, and
// driving it through WebKitWebDriver.
import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { family } from './memory.mjs'
import { results, root, windowed } from './program.mjs'

// until asks again and again, until there is an answer or time is up.
export async function until(what, ask, { seconds = 15, every = 40 } = {}) {
  const end = Date.now() + seconds * 1000
  for (;;) {
    const answer = await ask()
    if (answer) return answer
    if (Date.now() > end) throw new Error(`waited ${seconds} s for ${what}`)
    await pause(every)
  }
}

export function tool(name, ...args) {
  return new Promise((done) => {
    execFile(name, args, { maxBuffer: 16 << 20 }, (error, stdout) => done({ code: error ? (error.code ?? 1) : 0, stdout: stdout.trim() }))
  })
}

// open starts the program with its window; files are what a double click names.
export function open(env, files = [], options = {}) {
  const child = spawn(windowed, files, { env: { ...process.env, ...env }, stdio: ['ignore', 'inherit', 'inherit'], ...options })
  const ended = once(child, 'exit')
  return {
    child, ended,
    // quit asks the window to end, and makes it end when a dialog keeps it.
    async quit() {
      if (child.exitCode !== null || child.signalCode !== null) return (await ended)[0]
      const all = family(child.pid)
      child.kill('SIGTERM')
      const late = new AbortController()
      const [code, signal] = await Promise.race([ended, pause(10_000, null, { signal: late.signal }).then(() => {
        child.kill('SIGKILL')
        return ended
      })])
      late.abort()
      await gone(all)
      return code ?? signal
    },
  }
}

// shown waits for the visible window of a process and returns its X id.
export function shown(pid, seconds = 20) {
  return until('the window', async () => (await windows(pid))[0], { seconds })
}

// windows are the X ids of the visible windows of a process; without --all,
// xdotool gives those of every process that has the name.
export async function windows(pid) {
  const found = await tool('xdotool', 'search', '--all', '--onlyvisible', '--pid', String(pid), '--name', '^Keepsake$')
  return found.stdout.split('\n').filter(Boolean)
}

// alive says whether a process runs; one that nobody has collected yet does not.
function alive(pid) {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

// gone waits until processes have ended: those of a web view write into its folders
// for a moment after the program is over.
function gone(all) {
  return until('the web view to end', () => !all.some(({ pid }) => alive(pid)))
}

export async function screenshot(name, id = 'root') {
  const file = join(results, `${name}.png`)
  await tool('import', '-window', id, file)
  return file
}

// colours counts the different colours of a picture: a blank window has few.
export async function colours(file) {
  return Number((await tool('identify', '-format', '%k', file)).stdout)
}

export function shim() {
  const source = join(root, 'e2e/lib/autoshim.c')
  const object = join(results, 'autoshim.so')
  if (!existsSync(object) || statSync(object).mtimeMs < statSync(source).mtimeMs) {
    const flags = execFileSync('pkg-config', ['--cflags', '--libs', 'webkit2gtk-4.1'], { encoding: 'utf8' }).trim().split(/\s+/)
    execFileSync('gcc', ['-shared', '-fPIC', '-O1', '-Wall', '-o', object, source, ...flags])
  }
  return object
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}

// drive opens the window under WebKitWebDriver and returns a small client; patience is
// how many milliseconds an answer of the page may take, program what is started.
export async function drive(env, files = [], { patience = 30_000, program = windowed } = {}) {
  const script = join(results, `driven-${process.pid}.sh`)
  const quote = (text) => `'${text.replaceAll("'", "'\\''")}'`
  const settings = Object.entries(env).map(([name, value]) => `export ${name}=${quote(value)}`).join('\n')
  const pidFile = join(results, `driven-${process.pid}.pid`)
  writeFileSync(script, `#!/bin/sh\n${settings}\necho "$$" >${quote(pidFile)}\ndate +%s%3N >${quote(pidFile)}.start\nLD_PRELOAD=${quote(shim())} exec ${quote(program)} ${files.map(quote).join(' ')}\n`)
  chmodSync(script, 0o755)
  const port = await freePort()
  const driver = spawn('WebKitWebDriver', [`--port=${port}`], { env: { ...process.env, ...env }, stdio: 'ignore' })
  const base = `http://127.0.0.1:${port}`
  const ask = async (method, path, body) => {
    const response = await fetch(base + path, {
      method, body: body === undefined ? undefined : JSON.stringify(body), signal: AbortSignal.timeout(patience),
    })
    const { value } = await response.json()
    if (!response.ok) throw new Error(`${path}: ${value?.error} ${value?.message}`)
    return value
  }
  await until('WebKitWebDriver', () => ask('GET', '/status').then(() => true, () => false))
  const { sessionId } = await ask('POST', '/session', {
    capabilities: { alwaysMatch: { 'webkitgtk:browserOptions': { binary: script, args: [] } } },
  }).catch((error) => {
    driver.kill('SIGTERM') // else the test would not end
    throw error
  })
  const session = `/session/${sessionId}`
  return {
    startFile: `${pidFile}.start`,
    pid: () => Number(readFileSync(pidFile, 'utf8')),
    run: (text, ...args) => ask('POST', `${session}/execute/sync`, { script: text, args }),
    // call runs text as the body of an async function.
    call: (text, ...args) => ask('POST', `${session}/execute/async`, {
      script: `const done = arguments[arguments.length - 1], args = [...arguments].slice(0, -1);
        (async () => { ${text} })().then((value) => done({ value }), (error) => done({ error: String(error?.message ?? error) }))`, args,
    }),
    screenshot: () => ask('GET', `${session}/screenshot`),
    // close ends the window, and returns when it and its web view are gone: the
    // driver lets go of it while it still closes its vault, and knows nothing of a
    // window whose page was thrown away.
    async close() {
      const pid = Number(readFileSync(pidFile, 'utf8'))
      const all = family(pid)
      await ask('DELETE', session).catch(() => {}) // the window is gone before it answers
      driver.kill('SIGTERM')
      if (driver.exitCode === null && driver.signalCode === null) await once(driver, 'exit')
      if (alive(pid)) await tool('kill', '-TERM', String(pid))
      await until('the program to end', () => !alive(pid), { seconds: 20 }).catch(async () => {
        await tool('kill', '-KILL', String(pid))
        await until('the program to be gone', () => !alive(pid))
      })
      await gone(all)
      for (const file of [script, pidFile, `${pidFile}.start`]) rmSync(file, { force: true })
    },
  }
}

// says waits until the page shows a text.
export const says = (window, text, seconds = 20) => until(`the page to say “${text}”`,
  () => window.run('return document.body.innerText.includes(arguments[0])', text), { seconds })

// press clicks a button by its name, once this is answered: the page may go with it.
export const press = (window, text) => until(`the button “${text}”`, () => window.run(`
  const button = [...document.querySelectorAll('button')].find((one) => one.innerText.trim() === arguments[0] && !one.disabled)
  setTimeout(() => button?.click(), 200)
  return button !== undefined`, text))

// saveAs answers the dialog of the system that ask brings up with the path of a file.
// The dialog is one more window of the same name. It is there before it listens, and it
// completes names while one types: one that a busy machine has confused is cancelled and
// asked for again.
export async function saveAs(window, file, ask) {
  const before = await windows(window.pid())
  const dialog = async () => (await windows(window.pid())).find((id) => !before.includes(id))
  const gone = () => until('the dialog to go', async () => !await dialog(), { seconds: 5 }).then(() => true, () => false)
  for (let left = 3; left > 0; left--) {
    await ask()
    await until('the dialog of the system', dialog)
    await pause(1500)
    await tool('xdotool', 'windowfocus', '--sync', await dialog())
    await tool('xdotool', 'key', 'alt+n') // its field of the name
    await tool('xdotool', 'key', 'ctrl+a')
    await tool('xdotool', 'type', '--delay', '20', file)
    await pause(500)
    await tool('xdotool', 'key', 'Return')
    if (await gone()) break
    await screenshot('window-dialog-confused')
    await tool('xdotool', 'key', 'Escape')
    if (!await gone()) await tool('xdotool', 'key', 'Escape') // the first one closed what it completed
  }
}

// drag pulls what dragsource.py offers onto a point of a window, in the small
// steps in which a hand moves.
export async function drag(paths, windowId, { x = 300, y = 300 } = {}) {
  const source = spawn('/usr/bin/python3', [join(root, 'e2e/lib/dragsource.py'), ...paths], { stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  source.stdout.on('data', (text) => { said += text })
  try {
    await until('the drag source', () => said.includes('ready'))
    const from = await until('the window to drag from', async () => (await tool('xdotool', 'search', '--onlyvisible', '--name', '^keepsake drag source$')).stdout.split('\n')[0])
    await tool('xdotool', 'windowmove', '--sync', windowId, '260', '60')
    await tool('xdotool', 'windowmove', '--sync', from, '10', '60')
    await tool('xdotool', 'windowraise', from)
    await pause(300) // the window manager has no way to say that it is done
    const at = Object.fromEntries((await tool('xdotool', 'getwindowgeometry', '--shell', from)).stdout.split('\n').map((l) => l.split('=')))
    const to = Object.fromEntries((await tool('xdotool', 'getwindowgeometry', '--shell', windowId)).stdout.split('\n').map((l) => l.split('=')))
    const [x0, y0] = [Number(at.X) + 60, Number(at.Y) + 60]
    const [x1, y1] = [Number(to.X) + x, Number(to.Y) + y]
    await tool('xdotool', 'mousemove', String(x0), String(y0))
    await tool('xdotool', 'mousedown', '1')
    for (let step = 1; step <= 20; step++) {
      await tool('xdotool', 'mousemove', String(Math.round(x0 + ((x1 - x0) * step) / 20)), String(Math.round(y0 + ((y1 - y0) * step) / 20)))
      await pause(25)
    }
    await pause(400) // what is under the pointer has to say that it takes files
    await tool('xdotool', 'mouseup', '1')
    await until('the end of the drag', () => said.includes('drag ended'))
  } finally {
    source.kill('SIGTERM')
  }
}
