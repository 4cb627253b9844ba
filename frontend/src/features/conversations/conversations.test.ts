import { describe, expect, it } from 'vitest';
import type { MessageView } from '../../lib/backend';
import { fold, spans } from '../../lib/places';
import { filesOf } from './files';
import { foundAt, NOWHERE, placesOf } from './find';
import { Heights } from './heights';
import { cutOf, fork, plain, pretty, shapeOf, toolsOf } from './shape';

const base: MessageView = {
  id: 'm1', role: 'assistant', createdAt: '', model: '', isThought: false, hidden: '', parts: [], attachments: [], citations: [],
  toolCalls: [], siblings: [], memories: [],
};
const part = (text: string) => ({ type: 'text', text, clipped: false, next: text.length, language: '', mimeType: '', url: '' });
const nothing = { text: '', clipped: false, next: 0 };
const call = { id: '', name: 'web.search', input: nothing, output: nothing };
const file = { type: 'file', name: 'a.pdf', mimeType: '', size: 1, url: '' };

describe('how a message is set on the page', () => {
  it.each([
    ['words', { parts: [part('hi')] }, 'said'],
    ['only a file', { role: 'user', attachments: [file] }, 'said'],
    ['a picture', { parts: [{ ...part(''), type: 'image', url: '/vault/x' }] }, 'said'],
    ['thinking', { isThought: true, parts: [part('hm')] }, 'thought'],
    ['a tool call', { toolCalls: [call] }, 'tool'],
    ['a tool answer', { role: 'tool', parts: [part('{}')] }, 'tool'],
    ['system', { role: 'system', hidden: 'system', parts: [part('be nice')] }, 'system'],
    ['what the provider does not show', { role: 'user', hidden: 'context', parts: [part('profile')] }, 'unshown'],
    ['a node without a message', { role: 'system', hidden: 'root' }, 'empty'],
    ['blank', { parts: [part('  \n')] }, 'empty'],
  ])('%s', (_name, more, shape) => expect(shapeOf({ ...base, ...more })).toBe(shape));

  it('joins parts into plain words and names tools once', () => {
    expect(plain({ ...base, parts: [part('a'), part(''), part('b')] })).toBe('a\n\nb');
    expect(toolsOf({ ...base, toolCalls: [call, call] })).toEqual(['web.search']);
  });

  it('cuts a long text at the end of a line, where there is one', () => {
    expect(cutOf('short')).toBe(5);
    expect(cutOf('x'.repeat(30_000))).toBe(24_000);
    expect(cutOf(`${'x'.repeat(20_000)}\n${'y'.repeat(20_000)}`)).toBe(20_000);
  });

  it('knows its place at a fork', () => {
    expect(fork({ ...base, id: 'b', siblings: ['a', 'b', 'c'] })).toEqual({ at: 2, of: 3, before: 'a', after: 'c' });
    expect(fork({ ...base, id: 'a', siblings: ['a', 'b'] })).toEqual({ at: 1, of: 2, before: '', after: 'b' });
    expect(fork(base)).toBeUndefined();
  });

  it('indents JSON and leaves the rest', () => {
    expect(pretty('{"a":1}')).toBe('{\n  "a": 1\n}');
    expect(pretty('{broken')).toBe('{broken');
  });
});

describe('window finding 15: the files of a message', () => {
  const picture = (name: string) => ({ ...part(''), type: 'image', url: `/vault/attachment/${name}` });
  const named = (name: string) => ({ ...file, type: 'image', name: `${name}.png`, url: `/vault/attachment/${name}?name=${name}.png` });
  const places = (more: Partial<MessageView>) => filesOf({ ...base, ...more }).map(({ name, part }) => [name, part]);

  it('stand in the place of their part, with the name that the attachment has', () => {
    expect(places({ parts: [picture('a'), part('What is this?'), picture('b')], attachments: [named('b'), named('a'), named('c')] })).toEqual([['b.png', 2], ['a.png', 0], ['c.png', -1]]);
    expect(places({ parts: [part('x')], attachments: [file] })).toEqual([['a.pdf', -1]]);
    expect(places({ parts: [picture('a'), picture('a')] })).toEqual([['', 0]]);
  });
});

describe('find', () => {
  it('knows each place by its number', () => {
    const stands = { at: [4, 9], times: [2, 1] };
    expect([placesOf(stands), placesOf(NOWHERE)]).toEqual([3, 0]);
    expect([0, 1, 2, 3, -1].map((at) => foundAt(stands, at))).toEqual([{ index: 4, nth: 0, count: 2 }, { index: 4, nth: 1, count: 2 }, { index: 9, nth: 0, count: 1 }, undefined, undefined]);
  });

  it('points at the very characters, also where folding changes their number', () => {
    const text = 'o café é o Café';
    expect(spans(text, 'cafe').map(([from, to]) => text.slice(from, to))).toEqual(['café', 'Café']);
    expect(spans('ﬁn', 'x')).toEqual([]);
    expect(fold('ÀÉ')).toBe('ae');
  });
});

describe('heights', () => {
  const guess = () => 100;

  it('finds the message at any height among thousands', () => {
    const heights = new Heights(5_000, guess);
    expect([heights.total, heights.at(0), heights.at(99), heights.at(100), heights.at(499_999), heights.at(1e9)]).toEqual([500_000, 0, 0, 1, 4_999, 4_999]);
  });

  it('moves what stands below when a message turns out taller', () => {
    const heights = new Heights(10, guess);
    expect(heights.set(2, 350)).toBe(250);
    expect([heights.top(2), heights.top(3), heights.total, heights.at(400), heights.measured(2)]).toEqual([200, 550, 1250, 2, true]);
    expect(heights.set(2, 350)).toBe(0);
  });

  it('agrees with a plain sum after many changes', () => {
    const plainHeights = Array.from({ length: 300 }, (_, i) => 40 + ((i * 37) % 200));
    const heights = new Heights(300, guess);
    plainHeights.forEach((h, i) => heights.set(i, h));
    let sum = 0;
    plainHeights.forEach((h, i) => {
      expect(heights.top(i)).toBe(sum);
      expect(heights.at(sum)).toBe(i);
      sum += h;
    });
    expect(heights.total).toBe(sum);
  });

  it('draws a small window of a long conversation', () => {
    const [from, to] = new Heights(5_000, guess).window(250_000, 900);
    expect(to - from).toBeLessThan(30);
    expect(from).toBeLessThanOrEqual(2_500);
    expect(to).toBeGreaterThan(2_509);
    expect(new Heights(0, guess).window(0, 900)).toEqual([0, 0]);
  });
});
