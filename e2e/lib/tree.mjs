// The page as a screen reader has it: Chromium's tree of what can be reached by it, and
// what its live regions said.
import assert from 'node:assert/strict'

const CONTROLS = new Set(['button', 'link', 'textbox', 'searchbox', 'combobox', 'checkbox', 'radio', 'switch', 'slider', 'spinbutton', 'listbox',
  'option', 'tab', 'menuitem', 'DisclosureTriangle', 'Date', 'dialog'])

// tree returns the nodes that are there for a screen reader: their role, their name, and
// for a live region how urgent it is and what it says.
export async function tree(page) {
  const session = await page.context().newCDPSession(page)
  const { nodes } = await session.send('Accessibility.getFullAXTree')
  await session.detach()
  const byId = new Map(nodes.map((node) => [node.nodeId, node]))
  const property = (node, name) => node.properties?.find((one) => one.name === name)?.value.value
  // A region begins where a node is the root of its own.
  const begins = (node) => node.properties?.find((one) => one.name === 'root')?.value.relatedNodes?.[0]?.backendDOMNodeId === node.backendDOMNodeId
  const text = (node) => (node.role?.value === 'StaticText' ? [node.name?.value ?? ''] : (node.childIds ?? []).flatMap((id) => (byId.has(id) ? text(byId.get(id)) : [])))
  return nodes.filter((node) => !node.ignored).map((node) => ({
    role: node.role?.value ?? '', name: (node.name?.value ?? '').trim(), live: property(node, 'live') ?? '',
    ...(begins(node) && { region: true, says: text(node).join(' ').replace(/\s+/g, ' ').trim() }),
  }))
}

// named demands that every control has a name, and that no two live regions say the same.
export async function named(page, where) {
  const nodes = await tree(page)
  assert.deepEqual(nodes.filter((node) => CONTROLS.has(node.role) && node.name === '').map((node) => node.role), [], `${where}: controls without a name`)
  const said = nodes.filter((node) => node.region && node.says !== '').map((node) => node.says)
  assert.deepEqual(said.filter((text, i) => said.indexOf(text) !== i), [], `${where}: two live regions say the same`)
  assert.ok(nodes.some((node) => CONTROLS.has(node.role)), `${where}: there is something to press`)
}

// listening keeps what every live region of a page says, from before its first script
// on. A region is one that was there before its words: of one that comes with them, only
// an alert is sure to be heard.
export function listening(context) {
  return context.addInitScript(() => {
    const LIVE = '[role=status], [role=alert], [role=log], [aria-live=polite], [aria-live=assertive]'
    const before = new WeakMap()
    const heard = (window.heard = [])
    const words = (e) => e.innerText.replace(/\s+/g, ' ').trim()
    const look = () => {
      for (const e of document.querySelectorAll(LIVE)) {
        const was = before.get(e)
        const now = words(e)
        before.set(e, now)
        if (now === '' || now === was) continue
        const urgent = e.getAttribute('role') === 'alert' || e.getAttribute('aria-live') === 'assertive'
        if (was !== undefined || urgent) heard.push({ was: was ?? '', now, urgent })
        else heard.push({ was: now, now, urgent, mute: true })
      }
    }
    new MutationObserver(look).observe(document, { childList: true, characterData: true, subtree: true, attributes: true })
  })
}

// announced waits until a text was said, and demands that it was said once, as urgently
// as it should be, and that it stands in the tree. What came before is forgotten.
export async function announced(page, text, { urgent = false } = {}) {
  const told = () => page.evaluate((text) => window.heard.filter(({ was, now, mute }) => now.includes(text) && (mute || !was.includes(text))), text)
  const end = Date.now() + 15_000
  while ((await told()).length === 0) {
    if (Date.now() > end) assert.fail(`“${text}” was not announced; heard ${JSON.stringify(await page.evaluate(() => window.heard))}`)
    await page.waitForTimeout(20)
  }
  await page.waitForTimeout(100) // a second voice would come at once
  const said = await told()
  assert.deepEqual(said.map((one) => ({ urgent: one.urgent, mute: one.mute ?? false })), [{ urgent, mute: false }], `“${text}” is said once, in a region that was there before: ${JSON.stringify(said)}`)
  await page.evaluate(() => { window.heard.length = 0 })
}
