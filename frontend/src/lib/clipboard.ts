import { backend } from './backend';

// What was copied is taken back. In the window Go does it; in a browser the page
// does what it may: it cannot look at the clipboard without being allowed to, and
// must not clear what somebody copied elsewhere.
const STAYS = 30_000;

let ours: { text: string; timer: ReturnType<typeof setTimeout> } | undefined;
let left = false; // somebody may have copied something elsewhere since

/** copy puts text on the clipboard and says whether it got there. */
export async function copy(text: string): Promise<boolean> {
  try {
    if (backend.shell === 'window') await backend.Vault.Copy(text);
    else await write(text);
    return true;
  } catch {
    return false;
  }
}

async function write(text: string): Promise<void> {
  await navigator.clipboard.writeText(text);
  clearTimeout(ours?.timer);
  left = false;
  for (const sign of ['copy', 'cut', 'blur']) window.addEventListener(sign, leave, { once: true });
  ours = { text, timer: setTimeout(() => void takeBack(), STAYS) };
}

const leave = () => (left = true);

/** takeBack clears the clipboard where it is known to hold what the page put there. */
export async function takeBack(): Promise<void> {
  const mine = ours;
  ours = undefined;
  clearTimeout(mine?.timer);
  if (!mine) return;
  try {
    if (left && (!(await mayRead()) || (await navigator.clipboard.readText()) !== mine.text)) return;
    await navigator.clipboard.writeText('');
  } catch {
    // A page that is not looked at may not touch the clipboard.
  }
}

async function mayRead(): Promise<boolean> {
  const { state } = await navigator.permissions.query({ name: 'clipboard-read' as PermissionName });
  return state === 'granted';
}
