import type { IconName } from '../../components/icons';
import type { MessageView } from '../../lib/backend';

/** A file of a message, and how it can be shown. */
export type File = {
  name: string;
  kind: 'image' | 'audio' | 'video' | 'document' | 'file';
  size: number;
  url: string;
  show: 'picture' | 'sound' | 'name';
  icon: IconName;
  /** The part of the message in whose place it stands; -1 where it is only attached. */
  part: number;
};

const ICONS = { image: 'image', audio: 'play', video: 'play', document: 'file-text', file: 'file' } as const;

/** filesOf lists attachments and parts that are files; the same bytes once. */
export function filesOf(message: MessageView): File[] {
  const parts = message.parts
    .map((p, part) => ({ type: p.type, name: '', mimeType: p.mimeType, size: -1, url: p.url, text: p.text, part }))
    .filter((p) => p.type !== 'text' && p.type !== 'code' && (p.url !== '' || p.text === ''));
  const partOf = (place: string) => (place === '' ? -1 : (parts.find((p) => placeOf(p.url) === place)?.part ?? -1));
  const seen = new Set<string>();
  const files: File[] = [];
  // Attachments know their names, so they come before the parts that repeat them.
  for (const file of [...message.attachments.map((a) => ({ ...a, part: partOf(placeOf(a.url)) })), ...parts]) {
    const place = placeOf(file.url);
    if (place !== '' && seen.has(place)) continue;
    seen.add(place);
    const kind = kindOf(file.type, file.mimeType);
    files.push({ name: file.name, kind, size: file.size, url: file.url, show: showOf(kind, file.url), icon: ICONS[kind], part: file.part });
  }
  return files;
}

// The same bytes, by whichever name they are saved.
const placeOf = (url: string) => url.split('?')[0] ?? '';

function kindOf(type: string, mimeType: string): File['kind'] {
  const named = mimeType.split('/')[0];
  if (type === 'image' || type === 'audio' || type === 'video') return type;
  if (named === 'image' || named === 'audio' || named === 'video') return named;
  return type === 'document' ? 'document' : 'file';
}

// Only what the vault itself serves is shown; an export could name any address.
function showOf(kind: File['kind'], url: string): File['show'] {
  if (!url.startsWith('/vault/')) return 'name';
  if (kind === 'image') return 'picture';
  return kind === 'audio' ? 'sound' : 'name';
}
