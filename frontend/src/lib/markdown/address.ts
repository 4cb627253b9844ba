// What an address in imported text may do. Nothing here opens anything: a link
// that passes is still only shown, and the program asks before it is opened.

const OPENABLE = new Set(['http', 'https', 'mailto']);

export type Address = { openable: true; address: string } | { openable: false; scheme: string };

/** judge decides by the scheme alone; what has none leads nowhere here. */
export function judge(raw: string): Address {
  const address = raw.trim();
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(strip(address))?.[1]?.toLowerCase() ?? '';
  // A control character or a blank inside is how schemes are disguised.
  if (!OPENABLE.has(scheme) || strip(address) !== address) return { openable: false, scheme };
  return { openable: true, address };
}

/** hostOf names the host of a web address for people, '' when there is none. */
export function hostOf(raw: string): string {
  try {
    const url = new URL(raw.trim());
    return url.protocol === 'http:' || url.protocol === 'https:' ? url.host : '';
  } catch {
    return '';
  }
}

function strip(address: string): string {
  return address.replace(/[\u0000-\u0020\u007F-\u00A0\u200B-\u200F\u2028-\u202E\u2060-\u206F\uFEFF]/g, '');
}
