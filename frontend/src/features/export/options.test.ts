import { describe, expect, it } from 'vitest';
import { speak } from '../../lib/i18n';
import { excluded, narrowed, obstacle, optionsOf, plainExport, short, toggled } from './options';

const preview = { memories: 2, relations: 0, conversations: 0, titles: 0, excluded: [], fileName: 'a', findings: 0, kinds: [], hidden: 0, embeddings: 0, hasEmbeddings: false, baseId: '', since: '', todos: 0, unread: 0, sensitive: { total: 0, topics: [], byWords: 0, items: [] } };

describe('what keeps an export from starting', () => {
  it('is nothing for one click', () => expect(obstacle(plainExport, preview)).toBeUndefined());
  it('is an empty vault', () => expect(obstacle(plainExport, { ...preview, memories: 0 })).toBe('nothing'));
  it.each([
    ['short', 'short', 'passphrase-short'],
    ['long enough', 'long enougt', 'passphrase-differs'],
    ['long enough', 'long enough', undefined],
  ])('%j twice as %j', (passphrase, again, expected) =>
    expect(obstacle({ ...plainExport, protect: true, passphrase, again }, preview)).toBe(expected));
});

describe('options', () => {
  it('sends no passphrase unless the file is to be protected', () => {
    expect(optionsOf({ ...plainExport, passphrase: 'typed before' }).passphrase).toBe('');
    expect(optionsOf({ ...plainExport, protect: true, passphrase: 'long enough' }).passphrase).toBe('long enough');
  });
  it('leaves titles out only of the list of conversations (window finding 12)', () => {
    expect(optionsOf(plainExport).withoutTitles).toBe(false);
    expect(optionsOf({ ...plainExport, withoutTitles: true }).withoutTitles).toBe(true);
    expect(optionsOf({ ...plainExport, withoutTitles: true, conversations: true }).withoutTitles).toBe(false);
  });
  it('takes attachments only with their conversations', () => {
    expect(optionsOf({ ...plainExport, attachments: true }).includeAttachments).toBe(false);
    expect(optionsOf({ ...plainExport, conversations: true, attachments: true }).includeAttachments).toBe(true);
  });
  it('keeps conversations from somebody else', () => {
    const options = optionsOf({ ...plainExport, conversations: true, attachments: true, entity: 'doctor' });
    expect(options).toMatchObject({ for: 'doctor', includeConversations: false, includeAttachments: false });
  });
  it('counts what was chosen, and lets it go again', () => {
    const tags = toggled(toggled(['work'], 'home'), 'work');
    expect(tags).toEqual(['home']);
    expect(narrowed({ ...plainExport, tags, only: ['c-1'] })).toBe(2);
    expect(narrowed(plainExport)).toBe(0);
  });
  it('says the language of what people read', async () => {
    expect(optionsOf(plainExport).language).toBe('en');
    await speak('pt-BR');
    expect(optionsOf(plainExport).language).toBe('pt-BR');
    await speak('en');
  });
  it('signs', () => expect(optionsOf(plainExport).unsigned).toBe(false));
  it('names only reasons that left something out', () =>
    expect(excluded({ ...preview, excluded: [{ name: 'status', count: 0 }, { name: 'not-exportable', count: 2 }] })).toEqual([{ reason: 'not-exportable', count: 2 }]));
  it('shortens a checksum to its ends', () => expect(short(`sha256:${'0123456789abcdef'.repeat(4)}`)).toBe('01234567…89abcdef'));
});
