import type { ExportOptionsView, MemoryView, PastExportView } from './types';

// What the fake backend knows of exports and of the type registry.

export const REGISTERED: Record<string, string> = {
  medical_condition: 'Known medical condition or diagnosis',
  security_clearance: 'Security clearance level held by the user',
};

/** reasonToStay is why a memory does not leave, '' when it does. */
export function reasonToStay(m: MemoryView, o: ExportOptionsView): string {
  const misses = (chosen: string[], has: string[]) => chosen.length > 0 && !chosen.some((name) => has.includes(name));
  if (!m.exportable) return 'not-exportable';
  if (misses(o.statuses, [m.status])) return 'status';
  if (misses(o.types, [m.type])) return 'type';
  if (misses(o.tags, m.tags)) return 'tag';
  if (misses(o.platforms, [m.provenance.platform])) return 'platform';
  if (misses(o.conversations, [m.provenance.conversationRef])) return 'conversation';
  const shared = m.visibility === 'public' || (m.visibility === 'shared' && m.sharedWith.some((g) => g.entity === o.for && g.permissions.includes('read')));
  if (o.for !== '' && !shared) return 'not-shared';
  return o.incremental && m.createdAt < '2025-10-10' ? 'unchanged' : '';
}

const plain = { baseId: '', relations: 10, conversations: 0, embeddings: 0, checksum: `sha256:${'9f2c61b07ad4e835'.repeat(4)}`, signed: true, encrypted: false, selection: [], for: '' };

/** EXPORTS were made before, the newest first. */
export const EXPORTS: PastExportView[] = [
  { ...plain, id: 'e-2', at: '2025-10-12T09:00:00Z', incremental: true, baseId: 'e-1', name: 'keepsake-2025-10-12-incremental.pam.json', bytes: 9_120, memories: 7 },
  { ...plain, id: 'e-1', at: '2025-10-10T09:00:00Z', incremental: false, name: 'keepsake-2025-10-10.pam.json', bytes: 181_004, memories: 52 },
  {
    ...plain, id: 'e-3', at: '2025-09-01T09:00:00Z', incremental: true, baseId: 'e-0', name: 'keepsake-2025-09-01.pam.zip.age', bytes: 3_181_004, memories: 48, conversations: 12,
    signed: false, encrypted: true, for: 'dr-lima',
  },
  { ...plain, id: 'e-0', at: '2025-08-01T09:00:00Z', incremental: false, name: 'keepsake-2025-08-01.pam.json', bytes: 150_220, memories: 41 },
];

/** fileNameOf is the name that an export is offered under. */
export function fileNameOf(options: ExportOptionsView, parts: boolean): string {
  const name = `keepsake-2025-10-18${options.incremental ? '-incremental' : ''}`;
  if (options.format === '') return `${name}.pam.${parts ? 'zip' : 'json'}`;
  if (options.format === 'mif') return `${name}.mif.${options.form}`;
  if (options.format.startsWith('personal')) return `${name}.personal.${options.format === 'personal' ? 'json' : 'md'}`;
  return options.format === 'html' || options.format === 'csv' ? `${name}.${options.format}` : `${name}-${options.format}.zip`;
}
