import { backend, type Stop } from './backend';
import { vault } from './vault.svelte';

// Go locks the vault when nobody is there; the page tells it of every few
// seconds in which somebody was.
const EVERY = 5_000;
const SIGNS = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'] as const;

/** watchPresence tells Go that somebody is there; the result stops it. */
export function watchPresence(now: () => number = () => performance.now()): Stop {
  let told = -Infinity;
  const sign = () => {
    if (!vault.value?.unlocked || now() - told < EVERY) return;
    told = now();
    backend.Vault.Present().catch(() => (told = -Infinity)); // the next sign tries again
  };
  for (const name of SIGNS) window.addEventListener(name, sign, { capture: true, passive: true });
  return () => SIGNS.forEach((name) => window.removeEventListener(name, sign, { capture: true }));
}
