// Draws the icons of every platform from build/appicon.svg in a real browser:
// PNGs for Linux and Wails, an .ico for Windows, the window's own.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const { launch } = await import('../e2e/lib/browser.mjs')
const svg = readFileSync(join(root, 'build/appicon.svg'), 'utf8')
const browser = await launch()

async function draw(size) {
  const page = await browser.newPage({ viewport: { width: size, height: size } })
  await page.setContent(`<style>html,body{margin:0;background:transparent}svg{display:block;width:${size}px;height:${size}px}</style>${svg}`)
  const png = await page.screenshot({ omitBackground: true })
  await page.close()
  return png
}

function write(path, bytes) {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), bytes)
}

// ico holds PNGs as they are, which Windows reads since Vista.
function ico(pictures) {
  const head = Buffer.alloc(6 + 16 * pictures.length)
  head.writeUInt16LE(1, 2)
  head.writeUInt16LE(pictures.length, 4)
  let offset = head.length
  pictures.forEach(({ size, png }, i) => {
    const at = 6 + 16 * i
    head.writeUInt8(size % 256, at)
    head.writeUInt8(size % 256, at + 1)
    head.writeUInt16LE(1, at + 4)
    head.writeUInt16LE(32, at + 6)
    head.writeUInt32LE(png.length, at + 8)
    head.writeUInt32LE(offset, at + 12)
    offset += png.length
  })
  return Buffer.concat([head, ...pictures.map((p) => p.png)])
}

const pictures = []
for (const size of [16, 24, 32, 48, 64, 128, 256]) {
  const png = await draw(size)
  pictures.push({ size, png })
  if (size !== 24) write(`build/linux/icons/hicolor/${size}x${size}/apps/keepsake.png`, png)
}
write('build/linux/icons/hicolor/scalable/apps/keepsake.svg', svg)
write('build/windows/icon.ico', ico(pictures))
write('app/desktop/icon.png', pictures.find((p) => p.size === 128).png)
write('build/appicon.png', await draw(1024))
await browser.close()
