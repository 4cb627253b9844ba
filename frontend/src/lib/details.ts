import { backend, type FaultView } from './backend';
import { place } from './route.svelte';

// What somebody may pass on about an error: which it is and where it came up. What it
// says is left out, for it may name a file or hold what somebody wrote.

const PUZZLING = ['internal', 'damaged', 'unsupported', 'too_large', 'busy'];

/** puzzling tells an error that somebody may have to ask about from an answer. */
export function puzzling(fault: FaultView): boolean {
  return PUZZLING.includes(fault.code);
}

/** detailsOf is an error without any content of the vault. */
export async function detailsOf(fault: FaultView): Promise<string> {
  const version = await backend.Settings.About().then((about) => about.version, () => '');
  return [
    `Keepsake ${version}`.trim(),
    `error: ${word(fault.code)} / ${word(fault.reason)}`,
    `screen: ${place.now.screen}, ${backend.shell}`,
    `page: ${navigator.userAgent}`,
    `time: ${new Date().toISOString()}`,
  ].join('\n');
}

// Codes and reasons are ours and plain; what is not is no code.
function word(text: string): string {
  return /^[a-z0-9_-]{1,64}$/.test(text) ? text : 'unknown';
}
