// @vitest-environment jsdom
import { describe, expect, it } from 'vitest';
import type { MemoryRowView } from '../../lib/backend';
import { groupKey, groupOf } from './grouping';
import { moved, moveFor } from './keyboard';
import { Layout, withHeads } from './layout';
import { STATUSES, steps } from './lifecycle';
import { PAGE, Pages } from './pages';
import { origin, spot } from './provenance';
import { clear, everything, key, narrowed, queryOf, toggle, view } from './query';
import { tagFrom, withTag } from './tags';

const row: MemoryRowView = {
  id: 'm1', type: 'fact', customType: '', content: 'c', clipped: false, removed: false, status: 'active', tags: [], platform: 'chatgpt',
  createdAt: '2025-05-03T12:00:00Z', updatedAt: '', confidence: 0.9, relations: 0, exportable: true,
};

describe('query', () => {
  it('adds and takes out a facet, never changing the query it was given', () => {
    const one = toggle(everything, 'types', 'fact');
    expect(one.types).toEqual(['fact']);
    expect(toggle(one, 'types', 'fact').types).toEqual([]);
    expect(everything.types).toEqual([]);
  });

  it('asks the vault for the trimmed text and one window', () => {
    const asked = view({ ...everything, text: '  tea ', related: true }, 200, 100);
    expect(asked).toMatchObject({ text: 'tea', hasRelations: true, sort: '-created', offset: 200, limit: 100 });
  });

  it('asks for years as numbers, and a kept view gives them back', () => {
    const query = { ...everything, years: ['2024'], projects: ['Posters'], confidence: ['low'] };
    expect(view(query, 0, 0)).toMatchObject({ years: [2024], projects: ['Posters'], confidence: ['low'] });
    expect(queryOf(view(query, 0, 0))).toEqual(query);
  });

  it('knows when something is left out, and clears it without touching the order', () => {
    const query = { ...everything, tags: ['food'], sort: 'type' as const };
    expect(narrowed(query)).toBe(true);
    expect(narrowed({ ...everything, text: '  ' })).toBe(false);
    expect(clear(query)).toEqual({ ...everything, sort: 'type' });
  });

  it('has one key for what selects the same rows', () =>
    expect(key({ ...everything, text: 'a ' })).toBe(key({ ...everything, text: 'a' })));
});

describe('pages', () => {
  it('asks for every page once', () => {
    const pages = new Pages<string>();
    pages.reset(10_000);
    expect(pages.missing(95, 205)).toEqual([0, PAGE, 2 * PAGE]);
    expect(pages.missing(95, 205)).toEqual([]);
    pages.failed(PAGE);
    expect(pages.missing(95, 205)).toEqual([PAGE]);
  });

  it('never asks beyond the end', () => {
    const pages = new Pages<string>();
    pages.reset(150);
    expect(pages.missing(140, 900)).toEqual([PAGE]);
  });

  it('keeps rows by their place and forgets all on reset', () => {
    const pages = new Pages<string>();
    pages.put(100, ['a', 'b'], 102);
    expect([pages.at(101), pages.total, pages.find((r) => r === 'b')]).toEqual(['b', 102, 101]);
    pages.reset();
    expect([pages.at(101), pages.total]).toEqual([undefined, 0]);
  });
});

describe('layout', () => {
  const layout = new Layout(10_000, 64, 32, [0, 3, 500]);

  it('puts heads above the rows that open a group', () => {
    expect([0, 1, 3, 4, 500, 501].map((i) => layout.top(i))).toEqual([0, 96, 224, 320, 32_064, 32_160]);
    expect(layout.height).toBe(10_000 * 64 + 3 * 32);
  });

  it('finds the row at every height, the inverse of top', () => {
    for (const i of [0, 1, 2, 3, 4, 499, 500, 501, 9_999]) {
      expect(layout.at(layout.top(i))).toBe(i);
      if (i > 0) expect(layout.at(layout.top(i) - 1)).toBe(i - 1);
    }
    expect(layout.at(1e9)).toBe(9_999);
  });

  it('draws a few dozen rows of ten thousand', () => {
    const slots = layout.window(300_000, 900);
    expect(slots.length).toBeLessThan(40);
    expect(slots.some((s) => s.top <= 300_000)).toBe(true);
    expect(slots.at(-1)?.top).toBeGreaterThan(300_900);
  });

  it('names the group that covers a row', () => expect([layout.group(2), layout.group(3), layout.group(9_999)]).toEqual([0, 3, 500]));

  it('scrolls just far enough to show a row clear of the stuck head', () => {
    expect(layout.reveal(2, 0, 900)).toBe(0);
    expect(layout.reveal(40, 0, 900)).toBe(layout.top(40) + 64 - 900);
    expect(layout.reveal(4, 1_000, 900)).toBe(layout.top(4) - 32);
  });

  it('is empty when nothing was found', () => {
    const none = new Layout(0, 64, 32, []);
    expect([none.height, none.window(0, 900)]).toEqual([0, []]);
  });

  it('sees a head only between rows that stand side by side', () => {
    const rows = new Map([[0, 'a'], [1, 'a'], [2, 'b'], [100, 'c'], [101, 'c'], [102, 'd']]);
    const first = withHeads([], 0, 3, (i) => rows.get(i));
    expect(first).toEqual([0, 2]);
    expect(withHeads(first, 100, 103, (i) => rows.get(i))).toEqual([0, 2, 102]);
  });

  it('forgets a head when what stands around it changed', () => {
    const rows = ['a', 'a', 'a', 'b'];
    expect(withHeads([0, 2, 3], 0, 3, (i) => rows[i])).toEqual([0, 3]);
  });

  it('finds the head between two pages, whichever came first', () => {
    const rows = new Map([[2, 'b'], [3, 'b']]);
    const second = withHeads([], 2, 4, (i) => rows.get(i));
    expect(second).toEqual([]);
    rows.set(0, 'a').set(1, 'a');
    expect(withHeads(second, 0, 2, (i) => rows.get(i))).toEqual([0, 2]);
  });
});

describe('grouping follows the order', () => {
  it.each([
    ['-created', 'month:2025:4'],
    ['-updated', 'month:2025:4'],
    ['type', 'type:fact'],
    ['platform', 'platform:chatgpt'],
    ['-confidence', 'confidence:high'],
    ['confidence', 'confidence:high'],
  ] as const)('%s → %s', (sort, expected) => expect(groupKey(groupOf(row, sort))).toBe(expected));

  it('names a band by the confidence that is in it', () =>
    expect([1, 0.8, 0.79, 0.5, 0.49, 0, -1].map((confidence) => groupKey(groupOf({ ...row, confidence }, 'confidence')).slice('confidence:'.length)))
      .toEqual(['high', 'high', 'middle', 'middle', 'low', 'low', 'none']));

  it('has a place for what has no date', () => expect(groupOf({ ...row, createdAt: '' }, 'created')).toEqual({ by: 'undated' }));
});

describe('lifecycle offers legal steps only', () => {
  const all = [...STATUSES];
  it.each([
    ['active', ['archived', 'deprecated', 'superseded', 'retracted']],
    ['superseded', ['archived']],
    ['deprecated', ['archived', 'retracted']],
    ['retracted', []],
    ['archived', []],
    ['nonsense', []],
  ])('%s', (status, expected) => {
    expect(steps(status, all).map((s) => s.to)).toEqual(expected);
    expect(steps(status, [])).toEqual([]);
  });

  it('never leads back to active', () => {
    for (const status of STATUSES) expect(steps(status, all).map((s) => s.to)).not.toContain('active');
  });

  it('asks which memory takes over, and explains retracting', () => {
    const offered = steps('active', all);
    expect(offered.filter((s) => s.asksSuccessor).map((s) => s.to)).toEqual(['superseded']);
    expect(offered.filter((s) => s.explains).map((s) => s.to)).toEqual(['retracted']);
  });
});

describe('keys', () => {
  const press = (key: string, more = {}) => moveFor({ key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...more }, 10);

  it('moves with j and k like with the arrows', () => {
    expect(press('j')).toEqual(press('ArrowDown'));
    expect(press('k')).toEqual(press('ArrowUp'));
    expect(press('Enter')).toEqual({ do: 'open' });
    expect(press('Escape')).toEqual({ do: 'close' });
  });

  it('leaves chords to the window', () => {
    expect(press('k', { ctrlKey: true })).toBeUndefined();
    expect(press('e', { metaKey: true })).toBeUndefined();
  });

  it('stays inside the list', () => {
    expect(moved(0, { do: 'move', by: -1 }, 5)).toBe(0);
    expect(moved(4, { do: 'move', by: 10 }, 5)).toBe(4);
    expect(moved(-1, { do: 'move', by: 1 }, 5)).toBe(0);
    expect(moved(2, { do: 'last' }, 5)).toBe(4);
    expect(moved(-1, { do: 'move', by: 1 }, 0)).toBe(-1);
  });
});

describe('provenance', () => {
  const provenance = { platform: 'chatgpt', platformUserId: '', conversationRef: '', messageRef: '', method: '', extractedAt: '', extractor: '' };
  const source = { platform: 'chatgpt', account: '', importId: 'i', conversationRef: 'c1', messageRef: 'm9', saidAt: '2025-05-03T10:00:00Z' };
  const createdAt = '2025-05-04T00:00:00Z';
  const of = (more: object, sources = [source], extra: object = {}) => origin({ provenance: { ...provenance, ...more }, sources, createdAt, createdFrom: '', updatedAt: '2026-02-01T00:00:00Z', corrected: false, ...extra });

  it('was told where the person said it in a message', () =>
    expect(of({ method: 'explicit_user_input' })).toEqual({ how: 'told', platform: 'chatgpt', at: '2025-05-03T10:00:00Z' }));

  it('was set where no message is known', () => expect(of({ method: 'explicit_user_input' }, []).how).toBe('set'));
  it('was noted where the assistant inferred it', () => expect(of({ method: 'llm_inference' }).how).toBe('noted'));
  it('was written here', () => expect(of({ method: 'manual', platform: 'keepsake' }, [])).toEqual({ how: 'written', platform: 'keepsake', at: createdAt }));
  it('was written by hand elsewhere where it comes from no assistant', () => expect(of({ platform: 'manual' }, [])).toEqual({ how: 'hand', platform: 'manual', at: createdAt }));
  it('was read from an export where nothing more is known', () => expect(of({ method: 'api_export' }, []).how).toBe('read'));

  it('was corrected where the person gave it other words', () =>
    expect(of({ method: 'manual' }, [source], { corrected: true })).toEqual({ how: 'corrected', platform: 'chatgpt', at: '2026-02-01T00:00:00Z' }));
  it('was there at the export or the import where nobody says since when', () => {
    const undated = { ...source, saidAt: '' };
    expect(of({ method: 'llm_inference' }, [undated], { createdFrom: 'export' })).toEqual({ how: 'exported', platform: 'chatgpt', at: createdAt });
    expect(of({ method: 'llm_inference' }, [undated], { createdFrom: 'import' }).how).toBe('imported');
    expect(of({ method: 'llm_inference' }, [source], { createdFrom: 'day' }).how).toBe('noted');
  });

  it('points to the message, by its own reference first', () => {
    expect(spot({ provenance: { ...provenance, conversationRef: 'c2', messageRef: 'm1' }, sources: [source] })).toEqual({ conversation: 'c2', message: 'm1' });
    expect(spot({ provenance, sources: [source] })).toEqual({ conversation: 'c1', message: 'm9' });
    expect(spot({ provenance, sources: [] })).toBeUndefined();
  });
});

describe('tags', () => {
  it.each([
    ['São Paulo', 'sao-paulo'],
    ['  Tea & cake ', 'tea-cake'],
    ['__x', 'x'],
    ['日本', ''],
    ['keep_it-so', 'keep_it-so'],
  ])('%j becomes %j', (typed, tag) => expect(tagFrom(typed)).toBe(tag));

  it('keeps each tag once', () => expect(withTag(['tea'], 'Tea')).toEqual(['tea']));
});
