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
};

const ICONS = { image: 'image', audio: 'play', video: 'play', document: 'file-text', file: 'file' } as const;

/** filesOf lists attachments and parts that are files; the same bytes once. */
export function filesOf(message: MessageView): File[] {
  const parts = message.parts
    .filter((p) => p.type !== 'text' && p.type !== 'code' && (p.url !== '' || p.text === ''))
    .map((p) => ({ type: p.type, name: '', mimeType: p.mimeType, size: -1, url: p.url }));
  const seen = new Set<string>();
  const files: File[] = [];
  // Attachments know their names, so they come before the parts that repeat them.
  for (const file of [...message.attachments, ...parts]) {
    const place = file.url.split('?')[0] ?? '';
    if (place !== '' && seen.has(place)) continue;
    seen.add(place);
    const kind = kindOf(file.type, file.mimeType);
    files.push({ name: file.name, kind, size: file.size, url: file.url, show: showOf(kind, file.url), icon: ICONS[kind] });
  }
  return files;
}

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
