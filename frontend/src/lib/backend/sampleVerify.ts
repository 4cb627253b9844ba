import type { VerifyView } from './types';

// What is said of signed files, by words in their names.

export const COVERS = ['memories', 'export_id', 'export_date', 'owner.id'];
export const NOT_COVERED = ['relations', 'conversations_index', 'type_registry', 'other owner fields', 'conversation files', 'attachments', 'embeddings'];
export const WORDS = ['linen', 'harbor', 'copper', 'walnut', 'meadow', 'lantern'];

// Kinds of files that share a verdict.
const KINDS: Record<string, string> = { whole: 'own', retired: 'own', revoked: 'broken', claims: 'unknown', 'claims-own': 'unknown', sealed: 'uncheckable' };

/** told is what a report of one kind says beyond its verdict. */
function told(kind: string): Partial<VerifyView> {
  const ana = { holder: 'Ana Souza', knownSince: '2025-03-03T09:12:00Z' };
  switch (kind) {
    case 'whole':
      return { name: 'keepsake-2025-10-18.pam.zip', whole: true, covers: [...COVERS, ...NOT_COVERED], notCovered: [] };
    case 'retired':
      return { retiredAt: '2025-11-02T10:30:00Z' };
    case 'revoked':
      return { ...ana, revokedAt: '2025-09-01T00:00:00Z', problems: [{ check: 'key-revoked', path: '/signature/signed_at', message: 'is after the key was revoked', expected: '', found: '' }] };
    case 'claims':
      return { ...ana, claims: 'known', valid: false, problems: [{ check: 'claimed-owner', path: '/owner/id', message: 'is the owner of files that another key signed before', expected: '', found: '' }] };
    case 'claims-own':
      return { claims: 'own', knownSince: '2025-02-11T18:00:00Z' };
    case 'sealed':
      return { name: 'keepsake-2025-10-18.pam.json.age', encrypted: true, signed: false, words: [], covers: [], notCovered: [] };
  }
  return {};
}

/** verification tells the kind of file from a word in its token. */
export function verification(token: string): VerifyView {
  const kind = /whole|retired|own|revoked|claims-own|claims|known|unknown|invalid-unsigned|invalid|unsigned|broken|sealed|uncheckable/.exec(token)?.[0] ?? 'own';
  return { ...report(KINDS[kind] ?? kind), ...told(kind) };
}

// What a verification finds wrong, a validation finds too.
const HASH = { check: 'content-hash', path: '/memories/12/content_hash', message: 'is not the hash of the content', expected: `sha256:${'4c1d61b07ad4e835'.repeat(4)}`, found: `sha256:${'9f2c61b07ad4e835'.repeat(4)}` };
const EXTRACTOR = { check: 'schema', path: '/memories/4/provenance/extractor', message: 'does not have the required form', expected: '^[a-z0-9-]+/\\d', found: 'a string of length 3' };

const CHANGED = [{ path: '/memories/12', before: 'Drinks green tea in the morning, without sugar.', now: 'Drinks black tea in the morning, with sugar.' }];

function report(verdict: string): VerifyView {
  const good = verdict === 'own' || verdict === 'known' || verdict === 'unknown';
  const invalid = verdict.startsWith('invalid');
  const unsigned = verdict.endsWith('unsigned');
  const problems = invalid ? [EXTRACTOR] : verdict === 'broken' ? [{ check: 'integrity-checksum', path: '/integrity/checksum', message: 'is not the checksum of the memories', expected: `sha256:${'9f2c61b07ad4e835'.repeat(4)}`, found: `sha256:${'0f2c61b07ad4e835'.repeat(4)}` }, HASH] : [];
  return {
    name: 'keepsake-2025-10-18.pam.json', kind: 'portable-ai-memory', verdict, signed: !unsigned, valid: good,
    algorithm: 'Ed25519', publicKey: 'z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK', fingerprint: '4F7A 91C2 0B6E D358', words: WORDS,
    keyId: 'key-1', signedAt: '2025-10-18T09:00:00Z', covers: unsigned ? [] : COVERS,
    notCovered: unsigned ? [] : NOT_COVERED, problems, changed: verdict === 'broken' ? CHANGED : [], whole: false, encrypted: false,
    holder: verdict === 'known' ? 'Ana Souza' : '', knownSince: verdict === 'known' ? '2025-03-03T09:12:00Z' : '', retiredAt: '', revokedAt: '', claims: '',
    document: {
      valid: verdict !== 'broken' && !invalid, checksRun: 31, warnings: verdict === 'known' ? [{ check: 'superseded-by', path: '/memories/3/temporal/superseded_by', message: 'is not a memory of this export', expected: 'the id of a memory of this export', found: 'mem-0c41' }] : [],
      errors: invalid ? [EXTRACTOR] : verdict === 'broken' ? [HASH] : [],
    },
  };
}
