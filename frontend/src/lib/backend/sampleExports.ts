import { whyNot } from './sampleCircles';
import type { ExportOptionsView, MemoryView, PastExportView } from './types';

// What the fake backend knows of exports and of the type registry.

export const REGISTERED: Record<string, string> = {
  medical_condition: 'Known medical condition or diagnosis',
  security_clearance: 'Security clearance level held by the user',
};

/** reasonToStay is why a memory does not leave, '' when it does. */
export function reasonToStay(m: MemoryView, o: ExportOptionsView, shared: Parameters<typeof whyNot>[2]): string {
  const misses = (chosen: string[], has: string[]) => chosen.length > 0 && !chosen.some((name) => has.includes(name));
  if (!m.exportable) return 'not-exportable';
  if (misses(o.statuses, [m.status])) return 'status';
  if (misses(o.types, [m.type])) return 'type';
  if (misses(o.tags, m.tags)) return 'tag';
  if (misses(o.platforms, [m.provenance.platform])) return 'platform';
  if (misses(o.conversations, [m.provenance.conversationRef])) return 'conversation';
  const reason = o.for === '' ? '' : whyNot(m, o.for, shared);
  if (reason !== '') return reason;
  return o.incremental && m.createdAt < '2025-10-10' ? 'unchanged' : '';
}

const plain = { format: 'pam', baseId: '', relations: 10, conversations: 0, embeddings: 0, checksum: `sha256:${'9f2c61b07ad4e835'.repeat(4)}`, signed: true, encrypted: false, selection: [], for: '' };
const told = { ...plain, format: 'handoff', incremental: false, bytes: 2_410, relations: 0, checksum: '', signed: false };

/** GIVEN are the memories that an export gave, by its id; of older ones it is not known. */
export const GIVEN: Readonly<Record<string, readonly string[]>> = {
  'e-5': ['m-2', 'm-8', 'm-9', 'm-13', 'm-18', 'm-19', 'm-24', 'm-25', 'm-31', 'm-48'],
  'e-4': ['m-3', 'm-5', 'm-15', 'm-34', 'm-40'],
  'e-2': ['m-0', 'm-3', 'm-6', 'm-13', 'm-24', 'm-27', 'm-59'],
  'e-3': ['m-33', 'm-55'],
};

/** EXPORTS were made before, and texts handed to assistants, the newest first. */
export const EXPORTS: PastExportView[] = [
  { ...told, id: 'e-5', at: '2025-10-16T18:20:00Z', name: 'chatgpt', memories: 10, for: 'work-assistant' },
  { ...plain, id: 'e-4', at: '2025-10-13T20:05:00Z', incremental: false, format: 'html', name: 'keepsake-2025-10-13.html', bytes: 14_800, memories: 5, relations: 0, signed: false, for: 'family' },
  { ...plain, id: 'e-2', at: '2025-10-12T09:00:00Z', incremental: true, baseId: 'e-1', name: 'keepsake-2025-10-12-incremental.pam.json', bytes: 9_120, memories: 7 },
  { ...plain, id: 'e-1', at: '2025-10-10T09:00:00Z', incremental: false, name: 'keepsake-2025-10-10.pam.json', bytes: 181_004, memories: 52 },
  { ...plain, id: 'e-3', at: '2025-09-01T09:00:00Z', incremental: false, name: 'keepsake-2025-09-01.pam.json.age', bytes: 6_204, memories: 2, relations: 0, signed: false, encrypted: true, for: 'dr-lima' },
  { ...plain, id: 'e-0', at: '2025-08-01T09:00:00Z', incremental: false, name: 'keepsake-2025-08-01.pam.json', bytes: 150_220, memories: 41 },
];

/** buildsOn tells whether one's own incremental export can build on an export. */
export const buildsOn = (e: PastExportView): boolean => e.format === 'pam' && !e.incremental && e.for === '';

/** fileNameOf is the name that an export is offered under. */
export function fileNameOf(options: ExportOptionsView, parts: boolean): string {
  const name = `keepsake-2025-10-18${options.incremental ? '-incremental' : ''}`;
  if (options.format === '') return `${name}.pam.${parts ? 'zip' : 'json'}`;
  if (options.format === 'mif') return `${name}.mif.${options.form}`;
  if (options.format.startsWith('personal')) return `${name}.personal.${options.format === 'personal' ? 'json' : 'md'}`;
  return options.format === 'html' || options.format === 'csv' ? `${name}.${options.format}` : `${name}-${options.format}.zip`;
}
