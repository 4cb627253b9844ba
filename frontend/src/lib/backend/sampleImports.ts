import type { CompareView, ComparedView, FaultView, FinishView, MergedView, Offer, PlanSourceView, PlanView, ProgressView, ReportView } from './types';

// What an import of the made-up person looks like, step by step.

const zip = 214_380_112;

/** OFFERS are what the fake dialog and the fake drop hand over. */
export const OFFERS: Offer[] = [
  { token: 'offer-chatgpt', name: 'chatgpt-export-2025-10-18.zip', size: zip, folder: false },
  { token: 'offer-claude', name: 'data-2025-10-17-21-04-11-batch-0000.zip', size: 31_204_556, folder: false },
];

const problem = (reason: string, message: string, hint: string, args: Record<string, string> = {}): FaultView => ({
  code: 'invalid', reason, message, hint, args,
});

const chatgpt: PlanSourceView = {
  names: ['chatgpt-export-2025-10-18.zip'], provider: 'chatgpt', providerName: 'ChatGPT', format: 'chatgpt/2026.07',
  importerVersion: 'chatgpt/2026.07', certain: true, accounts: ['marina.duarte@example.org'], takesAccount: false, account: '', missing: [], bytes: zip, files: 1_318,
  new: 1_161, updated: 12, unchanged: 31, memories: 86, memoriesNew: 79, preview: [], problems: [], changes: [], changesTotal: 0,
};

const claude: PlanSourceView = {
  names: ['data-2025-10-17-21-04-11-batch-0000.zip'], provider: 'claude', providerName: 'Claude', format: 'claude/2026.05',
  importerVersion: 'claude/2026.05', certain: true, accounts: ['marina@example.org'], takesAccount: false, account: '', missing: ['batch-0001'], bytes: 31_204_556, files: 6,
  new: 208, updated: 0, unchanged: 0, memories: 14, memoriesNew: 12, preview: [], problems: [], changes: [], changesTotal: 0,
};

const pam: PlanSourceView = {
  names: ['keepsake-2025-10-18.pam.json'], provider: 'pam', providerName: 'Portable AI Memory', format: 'store', importerVersion: 'pam/2026.11', preview: [], problems: [], certain: true,
  accounts: [], takesAccount: false, account: '', missing: [], bytes: 184_311, files: 1, new: 0, updated: 0, unchanged: 15, memories: 61, memoriesNew: 40,
  document: {
    verdict: 'unknown', words: ['amber', 'canal', 'ivory', 'lantern', 'pepper', 'violet'], fingerprint: '4F7A 91C2 0B6E D358', signedAt: '2025-10-18T09:00:00Z',
    problems: [], changed: [], holder: '', knownSince: '', incremental: false, knownBase: false, asksBroken: false, asksBase: false, asksUnsigned: false, claims: '',
  },
  changes: [
    {
      kind: 'memory', id: 'm-1', taken: false, why: 'other-signer',
      fields: [
        { path: '/content', ours: '"Drinks green tea at noon."', theirs: '"Drinks white tea."' },
        { path: '/access/visibility', ours: '"private"', theirs: '"public"' },
      ],
    },
    { kind: 'memory', id: 'm-2', taken: true, why: '', fields: [{ path: '/tags', ours: '["food"]', theirs: '["food","tea"]' }] },
    { kind: 'relation', id: 'm-1', taken: false, why: 'not-covered', fields: [{ path: '/relations/supersedes', ours: '', theirs: 'm-2' }] },
  ],
  changesTotal: 4,
};

const mif: PlanSourceView = {
  ...claude, names: ['shodh.mif.json'], provider: 'mif', providerName: 'Memory Interchange Format', format: 'mif-1', importerVersion: 'mif/2026.11', accounts: [], missing: [], bytes: 48_220, files: 1, new: 0, memories: 41, memoriesNew: 31,
  merging: { new: 31, same: 4, changed: 3, said: 2, tasks: 1 },
};

/** COMPARED is a file held against the made-up vault. */
const COMPARED: CompareView = {
  same: 57, ours: 1, theirs: 1, differing: 1, conflicts: 1, forgotten: 1, total: 4, beside: false, unknown: [], names: ['keepsake-2025-10-18.pam.json'], newer: [],
  items: [
    {
      id: 'm-1', standing: 'conflict', type: 'preference', ours: 'Drinks green tea at noon.', theirs: 'Drinks white tea.',
      fields: [
        { path: '/content', ours: '"Drinks green tea at noon."', theirs: '"Drinks white tea."', pickable: true },
        { path: '/tags', ours: '["food"]', theirs: '["food","tea"]', pickable: true },
        { path: '/temporal/updated_at', ours: '"2025-10-12T09:00:00Z"', theirs: '"2025-10-14T18:30:00Z"', pickable: false },
        { path: '/temporal/valid_until', ours: '', theirs: '"2026-10-14T18:30:00Z"', pickable: true },
      ],
    },
    { id: 'm-2', standing: 'differs', type: 'fact', ours: 'Lives in Lisbon.', theirs: 'Lives in Porto.', fields: [{ path: '/content', ours: '"Lives in Lisbon."', theirs: '"Lives in Porto."', pickable: true }] },
    { id: 'm-3', standing: 'theirs', type: 'goal', ours: '', theirs: 'Is learning to restore clocks.', fields: [] },
    { id: 'm-4', standing: 'ours', type: 'skill', ours: 'Plays the cello.', theirs: '', fields: [] },
  ],
};

/** comparison is the fake answer of Exports.Compare. */
export function comparison(files: boolean, offset: number): CompareView {
  const { document } = pam;
  if (!files) return { ...COMPARED, items: COMPARED.items.slice(offset), ...(document && { document }) };
  const items = COMPARED.items.slice(offset).map((item) => (item.standing === 'conflict' ? { ...item, standing: 'differs' } : item));
  return { ...COMPARED, items, differing: 2, conflicts: 0, forgotten: 0, beside: true, unknown: [{ name: 'memory:mood', count: 4 }], names: ['keepsake-2025-10-18.pam.json', 'other-program.pam.zip'], newer: ['other-program.pam.zip'] };
}

/** threeWay is the fake answer of Exports.Compare with the file that both come from. */
export function threeWay(offset: number): CompareView {
  const two = comparison(true, offset);
  const items = two.items.map((item): ComparedView => {
    if (item.id === 'm-1') {
      const by: Record<string, [string, string]> = { '/content': ['conflict', '"Drinks green tea."'], '/tags': ['theirs', '["food"]'], '/temporal/valid_until': ['theirs', ''] };
      return { ...item, standing: 'conflict', suggested: 'theirs', fields: item.fields.map((field) => ({ ...field, by: by[field.path]?.[0] ?? '', base: by[field.path]?.[1] ?? '' })) };
    }
    if (item.id === 'm-2') return { ...item, suggested: 'keep', fields: item.fields.map((field) => ({ ...field, by: 'ours', base: '"Lives in Porto."' })) };
    return { ...item, gone: item.id === 'm-4' };
  });
  return { ...two, items, differing: 1, conflicts: 1, common: 'keepsake-2025-09-01.pam.json' };
}

/** MERGED is what became of two files. */
export const MERGED: MergedView = {
  token: 'offer-merged', url: '', name: 'merged-2025-10-18.pam.zip', folder: '/home/ana/Documents', bytes: 2_184_311, encrypted: false,
  memories: 60, relations: 12, conversations: 3, attachments: 1, embeddings: 0,
  leftOut: [{ name: 'not-picked', count: 1 }, { name: 'signature', count: 1 }],
  taken: { count: 1, items: [{ kind: 'conversation', id: 'c-17', title: 'A week in the archive', why: '', fields: [] }] },
  kept: { count: 0, items: [] },
};

const unknown: PlanSourceView = {
  ...chatgpt, provider: '', providerName: '', format: '', certain: false, accounts: [], new: 0, updated: 0, unchanged: 0, memories: 0, memoriesNew: 0,
  problem: problem('unknown-export', 'Keepsake does not recognise this file as an export.', 'Choose the zip exactly as the assistant sent it.'),
};

const pasted: PlanSourceView = {
  ...claude, names: ['pasted.txt'], provider: 'pasted', providerName: 'Pasted text', format: 'dated-list', importerVersion: 'pasted/2026.09',
  accounts: [], takesAccount: true, missing: [], bytes: 96, files: 1, new: 0, memories: 2, memoriesNew: 1,
  preview: [
    { type: 'preference', content: 'Prefers metric units.', section: 'Preferences', createdAt: '2026-02-02T00:00:00Z', known: false },
    { type: 'identity', content: 'Works as a gardener in Porto.', section: 'Identity', createdAt: '', known: true },
  ],
  problems: [{ path: 'pasted.txt', at: '', fault: problem('paste-more-remain', 'pasted.txt ends by saying that there are more memories; this is only a part of them.', 'Ask the assistant to go on, and paste the rest as well. Nothing is taken twice.', { name: 'pasted.txt' }) }],
};

/** planOf recognises a file by its name, which is enough for looking at the page. */
export function planOf(offers: Offer[]): PlanView {
  const sources = offers.map((offer): PlanSourceView => {
    if (/broken.*\.pam/i.test(offer.name) && pam.document) {
      return { ...pam, names: [offer.name], document: { ...pam.document, verdict: 'broken', asksBroken: true, problems: [{ check: 'integrity-checksum', path: '/integrity/checksum', message: 'is not the checksum of the memories', expected: '', found: '' }] } };
    }
    if (/\.mif\./i.test(offer.name)) return { ...mif, names: [offer.name] };
    if (/\.pam\./i.test(offer.name)) return { ...pam, names: [offer.name] };
    if (/chatgpt|openai/i.test(offer.name)) return { ...chatgpt, names: [offer.name] };
    if (offer.name === 'pasted.txt') return pasted;
    if (/^data-|claude|batch/i.test(offer.name)) return { ...claude, names: [offer.name] };
    return { ...unknown, names: [offer.name], bytes: offer.size, files: 1 };
  });
  return { id: `plan-${offers.map((o) => o.token).join('-')}`, sources };
}

/** finishing is what an import that broke off was made of. */
export function finishing(importId: string): FinishView {
  const [first] = OFFERS;
  return importId === 'import-moved' || !first ? { offers: [], missing: [OFFERS[0]?.name ?? ''] } : { offers: [first], missing: [] };
}

/** progressAt is how far the fake job is after a share of its time. */
export function progressAt(job: string, share: number): ProgressView {
  const done = Math.min(1, share);
  return {
    job, phase: done < 0.86 ? 'reading' : 'storing', done: Math.round(zip * done), total: zip,
    conversations: Math.round(1_204 * done), messages: Math.round(31_872 * done), memories: Math.round(86 * done), importId: '',
  };
}

/** report is what is kept of an import. */
export function report(importId: string, startedAt: string): ReportView {
  return {
    importId, startedAt, state: 'partial', new: 1_161, updated: 12, unchanged: 31, skipped: 3, messagesNew: 31_872, messagesTotal: 32_940,
    memoriesFound: 86, memoriesKnown: 7, memoriesNew: 79, memoriesMerged: 4, memoriesUnchanged: 3, memoriesRetracted: 1, memoriesKept: 2, attachmentsStored: 412, attachmentsMissing: 9,
    sources: [
      {
        name: 'chatgpt-export-2025-10-18.zip', folder: '/home/marina/Downloads', provider: 'chatgpt', format: 'chatgpt/2026.07',
        importerVersion: 'chatgpt/2026.07', sha256: '1f9c'.repeat(16), canReveal: true,
      },
    ],
    problemsTotal: 3,
    problems: [
      { path: 'conversations-003.json', at: '#412', fault: problem('conversation-unreadable', 'Item #412 of conversations-003.json is not a conversation that Keepsake understands.', 'Everything else was taken.', { at: '#412', file: 'conversations-003.json' }) },
      { path: 'conversations-007.json', at: '#18', fault: problem('conversation-unreadable', 'Item #18 of conversations-007.json is not a conversation that Keepsake understands.', 'Everything else was taken.', { at: '#18', file: 'conversations-007.json' }) },
      { path: 'file-K4vWq2.dat', at: '', fault: problem('attachment-missing', 'A file that a message names is not in the export.', '') },
    ],
    unknown: [{ name: 'super_widget', count: 4 }],
    answersWithoutText: [{ name: 'call', count: 96 }, { name: 'image', count: 12 }, { name: 'metadata', count: 3 }],
    ledger: [
      {
        source: 'chatgpt-export-2025-10-18.zip', seen: 1_207, taken: 1_173, merged: 0, unchanged: 31,
        skipped: [{ name: 'conversation-unreadable', count: 2 }, { name: 'empty', count: 1 }], unknown: [{ name: 'super_widget', count: 4 }],
      },
    ],
    elapsedMs: 8_412,
  };
}
