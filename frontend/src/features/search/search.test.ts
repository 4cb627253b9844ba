import axe from 'axe-core';
import { cleanup, render, screen, waitFor, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { tick } from 'svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Fake } from '../../lib/backend/fake';
import { backend, use, type FoundView, type HitView, type SearchView } from '../../lib/backend';
import { finder, spanOf } from './finder.svelte';
import Search from './Search.svelte';

let fake: Fake;

beforeEach(() => {
  fake = new Fake();
  use(fake);
  finder.forget();
  Object.assign(finder, { where: 'all', when: 'any', category: 'any', close: 'any' });
});
afterEach(cleanup);

// The list of what was found; the choice of a time has options, too.
const found = async () => within(await screen.findByRole('listbox', { name: 'What was found' })).findAllByRole('option');

// What scrolls: the bar and the list below it.
const scroller = () => {
  const box = document.querySelector<HTMLElement>('.scroll');
  if (!box) throw new Error('nothing scrolls');
  return box;
};

// A look that takes no time: an alarm comes by itself after a while.
const alarm = () => document.querySelector('[role=alert]');

const scrolled = (to: number) => {
  const box = scroller();
  box.scrollTop = to;
  box.dispatchEvent(new Event('scroll'));
};

const one: HitView = { kind: 'memory', id: 'h', conversationId: '', title: '', platform: 'claude', role: '', type: 'fact', status: 'active', createdAt: '', snippet: [{ text: 'kettle', marked: true }], toolCalls: false, close: false, alike: [], same: 'h' };

const show = () => {
  const onmemory = vi.fn();
  const onmessage = vi.fn();
  render(Search, { onmemory, onmessage });
  return { onmemory, onmessage, field: screen.getByRole('textbox', { name: 'Search memories and messages' }) };
};

describe('search', () => {
  it('says what one can type, and tries an example', async () => {
    const user = userEvent.setup();
    const { field } = show();
    await user.click(screen.getByRole('button', { name: /^tea OR coffee/ }));
    expect((field as HTMLInputElement).value).toBe('tea OR coffee');
  });

  it('finds as one types, marks the words, and opens what is chosen', async () => {
    const user = userEvent.setup();
    const { field, onmemory } = show();
    await user.type(field, 'in:memories "loose leaf"');
    await waitFor(async () => expect((await found())[0]?.querySelector('mark')?.textContent).toBe('Loose leaf'));
    await user.keyboard('{ArrowDown}{Enter}');
    expect(onmemory).toHaveBeenCalledExactlyOnceWith(expect.any(String), ['Loose leaf']); // marked where it leads
  });

  it('looks in messages only, and opens a message in its conversation', async () => {
    const user = userEvent.setup();
    const { field, onmessage } = show();
    await user.click(screen.getByRole('radio', { name: 'Messages' }));
    await user.type(field, 'the');
    const first = (await found()).find((option) => option.querySelector('.what')?.textContent === 'Message'); // titles come before
    if (!first) throw new Error('nothing found');
    await user.click(first);
    const [conversation, message, words] = onmessage.mock.calls[0] as [string, string, string[]];
    expect(words.map((word) => word.toLowerCase())).toEqual(['the']);
    expect(conversation).not.toBe('');
    expect(message).not.toBe('');
  });

  it('asks for one category, and for what is close', async () => {
    const user = userEvent.setup();
    const { field } = show();
    await user.selectOptions(screen.getByRole('combobox', { name: 'Category' }), 'Preferences');
    await user.type(field, 'the');
    for (const hit of await found()) expect(hit.textContent).toMatch(/Preference|Instruction/);
    const asked = vi.spyOn(fake, 'call');
    await user.selectOptions(screen.getByRole('combobox', { name: 'How close' }), 'Closer matches');
    await waitFor(() => expect(asked).toHaveBeenCalledWith('Search.Find', [expect.objectContaining({ categories: ['preference'], minScore: 0.5 })]));
  });

  it('says that nothing was found, and what is not searchable yet', async () => {
    const user = userEvent.setup();
    const { field } = show();
    await user.type(field, 'xyzzyx');
    expect(await screen.findByText('Nothing found for “xyzzyx”')).toBeTruthy();
    fake.index(12);
    expect(await screen.findByText('12 records are still being indexed.')).toBeTruthy();
    fake.index(0);
    await waitFor(() => expect(screen.queryByText(/being indexed/)).toBeNull());
  });

  it('never says that nothing was found where only part was looked through', async () => {
    const user = userEvent.setup();
    const real = fake.call.bind(fake);
    vi.spyOn(fake, 'call').mockImplementation(async (name, args) => {
      const result = await real(name, args);
      return name === 'Search.Find' ? { ...(result as FoundView), exact: false } : result;
    });
    const { field } = show();
    await user.type(field, 'xyzzyx');
    await screen.findByText('Only part of the texts was looked through');
    expect(screen.getByText(/add since: or until:/)).toBeTruthy();
    expect(screen.getByText('None found so far')).toBeTruthy();
    expect(screen.queryByText(/Nothing found|At least/)).toBeNull();
    fake.index(12);
    await screen.findByText(/as soon as they are indexed/);
  });

  it('tells a faulty query under the field and keeps it, and what was found before', async () => {
    const user = userEvent.setup();
    const { field } = show();
    await user.type(field, 'tea ');
    const before = (await found()).length;
    await user.type(field, 'since:soon ');
    expect((await screen.findByRole('alert')).textContent).toContain('The filter since takes a date');
    expect((field as HTMLInputElement).value).toBe('tea since:soon ');
    expect((await found()).length).toBe(before);
  });

  it.each([
    ['q', 'from the second letter on'],
    ['"', 'words in quotes'],
    ['type:', 'type: wants a value'],
    ['tag:', 'tag: wants a value'],
    ['since:2026-0', 'The filter since takes a date'],
    ['in:mess', 'The filter in takes one of these'],
  ])('waits for the end of %s, with what can be typed or what was found', async (text, hint) => {
    const user = userEvent.setup();
    const { field } = show();
    await user.click(field);
    await user.paste(text);
    expect((await screen.findByText(new RegExp(hint))).closest('[role=status]')).toBeTruthy();
    expect(alarm()).toBeNull();
    expect(screen.queryByText(/Nothing found/)).toBeNull();
    expect(screen.getByText('What you can type')).toBeTruthy();
    await user.clear(field);
    await user.type(field, 'kettle ');
    const before = (await found()).length;
    await user.paste(text);
    await waitFor(async () => expect(await found()).toHaveLength(before));
    expect(screen.queryByText(/Nothing found/)).toBeNull();
  });

  it('raises an alert once typing has rested, or Enter was pressed', async () => {
    const user = userEvent.setup();
    const { field } = show();
    await user.type(field, 'since:2026-0');
    await screen.findByText(/The filter since takes a date/);
    expect(alarm()).toBeNull();
    expect((await screen.findByRole('alert', undefined, { timeout: 3000 })).textContent).toContain('The filter since takes a date');
    await user.type(field, '1-');
    await waitFor(() => expect(alarm()).toBeNull());
    await screen.findByText(/The filter since takes a date/);
    await user.keyboard('{Enter}');
    expect(screen.getByRole('alert').textContent).toContain('The filter since takes a date');
    expect(screen.getAllByText(/The filter since takes a date/)).toHaveLength(1);
  });

  it('keeps no hits from elsewhere for a question that lacks something', async () => {
    const user = userEvent.setup();
    const { field } = show();
    await user.type(field, 'kettle ');
    await found();
    await user.type(field, 'q');
    await screen.findByText(/from the second letter on/);
    expect(await found()).not.toHaveLength(0);
    await user.click(screen.getByRole('radio', { name: 'Memories' }));
    await screen.findByRole('heading', { name: 'What you can type' });
    expect(screen.queryByRole('listbox', { name: 'What was found' })).toBeNull();
  });

  it('says which words were looked for in other spellings, too', async () => {
    const user = userEvent.setup();
    const { field } = show();
    await user.type(field, 'kettel');
    expect((await found())[0]?.querySelector('mark')?.textContent?.toLowerCase()).toBe('kettle');
    expect(screen.getByText('Also looked for words close to kettel.')).toBeTruthy();
  });

  it('leaves archived memories out, says so, and shows them when asked', async () => {
    const user = userEvent.setup();
    const all = await backend.Search.Find({ text: 'loose leaf in:memories', asYouType: false, in: 'all', platforms: [], categories: [], since: '', until: '', minScore: 0, offset: 0, limit: 0, asker: '', run: 0 });
    const away = all.hits[0];
    if (!away || all.archived > 0) throw new Error('none to put away');
    await backend.Library.SetStatus(away.id, 'archived', '');
    const { field } = show();
    await user.type(field, 'loose leaf in:memories');
    await screen.findByText('1 archived memory fits too.');
    expect(screen.queryAllByRole('option', { selected: false }).filter((one) => one.id.startsWith('hit-'))).toHaveLength(all.total - 1);
    await user.click(screen.getByRole('button', { name: 'Show archived' }));
    expect((field as HTMLInputElement).value).toBe('loose leaf in:memories status:archived');
    await waitFor(async () => expect(await found()).toHaveLength(1));
    expect(screen.queryByText('1 archived memory fits too.')).toBeNull();
  });

  it('narrows by platform and time, and offers to look everywhere', async () => {
    const user = userEvent.setup();
    const { field } = show();
    await user.type(field, 'telhado');
    await found();
    await user.click(await screen.findByRole('button', { name: 'Claude' }));
    await screen.findByText('Nothing found for “telhado”');
    await user.click(screen.getByRole('button', { name: 'Search everything, at any time' }));
    await found();
    expect(screen.getByRole('button', { name: 'Claude' }).getAttribute('aria-pressed')).toBe('false');
  });

  it('has a chip for a platform of which all conversations are old', async () => {
    const real = fake.call.bind(fake);
    vi.spyOn(fake, 'call').mockImplementation(async (name, args) => {
      const result = await real(name, args);
      const [platform] = (args[0] as { platforms?: string[] } | undefined)?.platforms ?? [];
      if (name === 'Conversations.List') return { ...(result as object), total: platform === undefined ? 900 : platform === 'grok' ? 3 : 0 };
      if (name === 'Imports.List') return ['grok', 'gemini', 'chatgpt'].map((provider) => ({ sources: [{ provider }] }));
      return result;
    });
    show();
    expect(await screen.findByRole('button', { name: 'Grok' })).toBeTruthy();
    expect(screen.getByRole('button', { name: 'ChatGPT' })).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Gemini' })).toBeNull();
  });

  it('clears the filters while there are hits, and keeps the words', async () => {
    const user = userEvent.setup();
    const { field } = show();
    await user.type(field, 'the');
    const all = (await found()).length;
    expect(screen.queryByRole('button', { name: 'Clear filters' })).toBeNull();
    await user.click(screen.getByRole('radio', { name: 'Memories' }));
    await user.selectOptions(screen.getByRole('combobox', { name: 'When' }), 'This year');
    await user.click(screen.getByRole('button', { name: 'Clear filters' }));
    await waitFor(async () => expect(await found()).toHaveLength(all));
    expect((field as HTMLInputElement).value).toBe('the');
    expect((screen.getByRole('radio', { name: 'Everything' }) as HTMLInputElement).checked).toBe(true);
    expect((screen.getByRole('combobox', { name: 'When' }) as HTMLSelectElement).value).toBe('any');
    expect(document.activeElement).toBe(field);
    expect(screen.queryByRole('button', { name: 'Clear filters' })).toBeNull();
  });

  it('is as it was left when one comes back, with the keyboard on what was opened', async () => {
    const user = userEvent.setup();
    const { field, onmessage } = show();
    await user.type(field, 'kettle in:messages');
    await found();
    await user.keyboard('{ArrowDown}{End}{Enter}');
    expect(onmessage).toHaveBeenCalledOnce();
    cleanup();
    const again = show();
    expect((again.field as HTMLInputElement).value).toBe('kettle in:messages');
    const list = screen.getByRole('listbox', { name: 'What was found' });
    await waitFor(() => expect(document.activeElement).toBe(list));
    expect(within(list).getAllByRole('option').at(-1)?.getAttribute('aria-selected')).toBe('true');
  });

  it('shows the top of a new answer, and stays where it is when the same is asked again', async () => {
    const user = userEvent.setup();
    const { field } = show();
    await user.type(field, 'the');
    await found();
    scrolled(500);
    const asked = vi.spyOn(fake, 'call');
    fake.tell('library', {});
    await waitFor(() => expect(asked.mock.results.length).toBeGreaterThan(2));
    await Promise.all(asked.mock.results.map((result) => result.value as Promise<unknown>));
    await tick();
    expect(scroller().scrollTop).toBe(500);
    await user.type(field, ' ke');
    await waitFor(() => expect(scroller().scrollTop).toBe(0));
    scrolled(500);
    await user.click(screen.getByRole('radio', { name: 'Messages' }));
    await waitFor(() => expect(scroller().scrollTop).toBe(0));
  });

  it('keeps what was loaded, the cursor and the place when one comes back or something is kept', async () => {
    const user = userEvent.setup();
    const real = fake.call.bind(fake);
    const sizes: number[] = [];
    vi.spyOn(fake, 'call').mockImplementation(async (name, args) => {
      const result = await real(name, args);
      const { offset, limit, text } = (args[0] ?? {}) as SearchView;
      if (name !== 'Search.Find' || text !== 'kettle') return result;
      sizes.push(limit);
      const [hit] = (result as FoundView).hits;
      const hits = Array.from({ length: Math.min(limit, 470 - offset) }, (_, i) => ({ ...(hit ?? one), id: `h-${offset + i}`, alike: [], same: `h-${offset + i}` }));
      return { ...(result as FoundView), hits, next: offset + hits.length < 470 ? offset + hits.length : 0, total: 470 };
    });
    const { field } = show();
    await user.type(field, 'kettle');
    await found();
    while (finder.hits.length < 450) await finder.further();
    finder.cursor = 420;
    scrolled(9000);
    const kept = async () => {
      await waitFor(() => expect(sizes.length).toBeGreaterThan(2));
      await new Promise((done) => setTimeout(done, 50));
      expect(finder.hits.map((hit) => hit.id)).toEqual(Array.from({ length: 450 }, (_, i) => `h-${i}`));
      expect(finder.cursor).toBe(420);
      expect(finder.scroll).toBe(9000);
      expect(Math.max(...sizes)).toBeLessThanOrEqual(200); // what one answer may hold
      sizes.length = 0;
    };
    sizes.length = 0;
    fake.tell('library', {});
    fake.tell('search', {}); // while that is under way
    await kept();
    finder.left = 'h-420';
    cleanup();
    show();
    await kept();
    expect(scroller().scrollTop).toBe(9000);
  });

  it('keeps the place that was left, whatever becomes of the list', async () => {
    const user = userEvent.setup();
    const { field } = show();
    await user.type(field, 'kettle');
    await found();
    scrolled(700);
    const gone = scroller();
    gone.remove();
    gone.scrollTop = 0;
    gone.dispatchEvent(new Event('scroll'));
    expect(finder.scroll).toBe(700);
  });

  it('goes on loading where something is kept meanwhile', async () => {
    const user = userEvent.setup();
    const real = fake.call.bind(fake);
    vi.spyOn(fake, 'call').mockImplementation(async (name, args) => {
      const result = await real(name, args);
      const { offset, limit, text } = (args[0] ?? {}) as SearchView;
      if (name !== 'Search.Find' || text !== 'kettle') return result;
      return { ...(result as FoundView), hits: Array.from({ length: limit }, (_, i) => ({ ...one, id: `h-${offset + i}`, same: `h-${offset + i}` })), next: offset + limit, total: 1000 };
    });
    const { field } = show();
    await user.type(field, 'kettle');
    await found();
    fake.tell('library', {});
    await finder.further();
    await waitFor(() => expect(finder.hits).toHaveLength(100));
  });

  it('keeps a long answer while it is asked for again', async () => {
    const user = userEvent.setup();
    const asked = vi.spyOn(fake, 'call');
    const { field } = show();
    await user.type(field, 'the');
    const { length } = await found();
    const before = asked.mock.calls.length;
    fake.tell('search', {});
    const [, args] = asked.mock.calls.slice(before).find(([name]) => name === 'Search.Find') ?? [];
    const { asker, run } = (args?.[0] ?? {}) as SearchView;
    fake.tell('found', { asker, run, found: { hits: [one], next: 0, total: 1, exact: false, widened: [], missing: 0, archived: 0 } });
    await tick();
    expect(await found()).toHaveLength(length);
  });

  it('drops an answer to an older question', async () => {
    const user = userEvent.setup();
    const real = fake.call.bind(fake);
    let late = () => {};
    vi.spyOn(fake, 'call').mockImplementation(async (name, args) => {
      const answer = await real(name, args);
      if (name === 'Search.Find' && (args[0] as { text: string }).text === 'tea') await new Promise<void>((resolve) => (late = resolve));
      return answer;
    });
    const { field } = show();
    await user.type(field, 'tea');
    await waitFor(() => expect(vi.mocked(fake.call).mock.calls.some(([, args]) => (args[0] as { text?: string } | undefined)?.text === 'tea')).toBe(true));
    await user.type(field, 'zzzz');
    await screen.findByText('Nothing found for “teazzzz”');
    late();
    await Promise.resolve();
    expect(screen.queryByRole('listbox', { name: 'What was found' })).toBeNull();
  });

  it('shows what was found so far, then the answer', async () => {
    const user = userEvent.setup();
    const real = fake.call.bind(fake);
    let answer = () => {};
    let asked: SearchView | undefined;
    vi.spyOn(fake, 'call').mockImplementation(async (name, args) => {
      const result = await real(name, args);
      if (name !== 'Search.Find' || (args[0] as SearchView).text !== '"loose leaf"') return result;
      asked = args[0] as SearchView;
      await new Promise<void>((resolve) => (answer = resolve));
      return result;
    });
    const { field } = show();
    await user.type(field, '"loose leaf"');
    await waitFor(() => expect(asked).toBeDefined());
    if (!asked) return;
    const { asker, run } = asked;
    const all = (await real('Search.Find', [asked])) as FoundView;
    const part = { ...all, hits: all.hits.slice(0, 1), total: 1, exact: false };
    fake.tell('found', { asker: 'somebody else', run, found: part });
    fake.tell('found', { asker, run: run - 1, found: part });
    expect(screen.queryByRole('listbox', { name: 'What was found' })).toBeNull();
    fake.tell('found', { asker, run, found: part });
    expect(await found()).toHaveLength(1);
    expect(screen.getByText('1 found so far…')).toBeTruthy();
    answer();
    await waitFor(async () => expect(await found()).toHaveLength(all.hits.length));
    expect(all.hits.length).toBeGreaterThan(1);
    fake.tell('found', { asker, run, found: part }); // late
    await Promise.resolve();
    expect(await found()).toHaveLength(all.hits.length);
    expect(screen.queryByText(/so far/)).toBeNull();
  });

  it('has spans of time that end where they should', () => {
    const now = new Date(2026, 4, 20, 12);
    expect(spanOf('lastYear', now)).toEqual({ since: new Date(2025, 0, 1).toISOString(), until: new Date(2026, 0, 1).toISOString() });
    expect(spanOf('months12', now).since).toBe(new Date(2025, 4, 20).toISOString());
    expect(spanOf('any', now)).toEqual({ since: '', until: '' });
  });

  it('has nothing that axe finds', async () => {
    const user = userEvent.setup();
    const { field } = show();
    await user.type(field, 'tea');
    await found();
    const { violations } = await axe.run(document.body, { rules: { region: { enabled: false }, 'color-contrast': { enabled: false } } });
    expect(violations.map((v) => v.id)).toEqual([]);
  });

  it('forgets everything when the vault is locked', async () => {
    const user = userEvent.setup();
    const { field } = show();
    await user.type(field, 'the');
    await found();
    finder.forget();
    expect(finder.text).toBe('');
    expect(finder.hits).toEqual([]);
  });
});
