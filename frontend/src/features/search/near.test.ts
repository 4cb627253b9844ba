import axe from 'axe-core';
import { cleanup, render, screen, waitFor, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Fake, type FakeOptions } from '../../lib/backend/fake';
import { use, type FoundView, type HitView, type SearchView } from '../../lib/backend';
import { finder } from './finder.svelte';
import Search from './Search.svelte';

let fake: Fake;

const begin = (options: FakeOptions = {}) => {
  fake = new Fake(options);
  use(fake);
  finder.forget();
};
beforeEach(() => begin());
afterEach(cleanup);

const options = async () => within(await screen.findByRole('listbox', { name: 'What was found' })).findAllByRole('option');
const heads = () => [...document.querySelectorAll('.group')].map((head) => head.textContent);

// searching types a text into the search.
async function searching(text: string) {
  const user = userEvent.setup();
  const onmemory = vi.fn();
  render(Search, { onmemory, onmessage: vi.fn() });
  await user.type(screen.getByRole('textbox', { name: 'Search memories and messages' }), text);
  return { user, onmemory };
}

// answering changes what a search answers.
function answering(change: (found: FoundView, query: SearchView) => Partial<FoundView>) {
  const real = fake.call.bind(fake);
  vi.spyOn(fake, 'call').mockImplementation(async (name, args) => {
    const result = await real(name, args);
    return name === 'Search.Find' ? { ...(result as FoundView), ...change(result as FoundView, args[0] as SearchView) } : result;
  });
}

const hit = (kind: string, id: string, more: Partial<HitView> = {}): HitView => ({
  kind, id, conversationId: `c-${id}`, title: '', platform: 'claude', role: 'user', type: 'fact', status: 'active', createdAt: '',
  snippet: [{ text: id, marked: false }], toolCalls: false, close: false, alike: [], same: id, ...more,
});

describe('close in meaning', () => {
  it('is a group of its own, said of each hit, and counted apart', async () => {
    await searching('drink');
    await waitFor(() => expect(heads()).toContain('Close in meaning'));
    expect(heads().slice(0, 2)).toEqual(['Memories', 'Close in meaning']);
    const all = await options();
    const close = all.filter((option) => option.textContent.includes('close in meaning'));
    expect(close.length).toBeGreaterThan(0);
    expect(close.some((option) => option.querySelector('mark'))).toBe(false);
    expect(screen.getByText(`${all.length - close.length} found and ${close.length} close in meaning`)).toBeTruthy();
    expect(screen.queryByText(/has every word/)).toBeNull();
  });

  it('is said to be all there is where no text has the words', async () => {
    const { user, onmemory } = await searching('vehicle');
    await screen.findByText(/^No text has every word of “vehicle”\. What follows is close in meaning, which is less sure/);
    expect(heads()).toEqual(['Close in meaning']);
    expect(screen.queryByText(/Nothing found|\d found/)).toBeNull();
    expect(screen.getByText(`${(await options()).length} close in meaning`)).toBeTruthy();
    const { violations } = await axe.run(document.body, { rules: { region: { enabled: false }, 'color-contrast': { enabled: false } } });
    expect(violations.map((v) => v.id)).toEqual([]);
    await user.keyboard('{ArrowDown}{Enter}');
    expect(onmemory).toHaveBeenCalledExactlyOnceWith(expect.any(String), []);
  });

  it.each<[string, Partial<FoundView>, RegExp]>([
    ['vehicle', { missing: 3 }, /^None of the texts searched has every word of “vehicle”/],
    ['vehicle', { exact: false }, /^None of the texts searched has every word of “vehicle”/],
    ['vehicle since:2020', {}, /^None of the texts searched has every word of “vehicle since:2020”/],
    ['vehicle', { archived: 2 }, /^Of the texts searched, only archived memories have every word of “vehicle”/],
  ])('says of %s with %o no more than is known', async (text, change, said) => {
    answering(() => change);
    await searching(text);
    await screen.findByText(said);
    expect(screen.queryByText(/^No text has/)).toBeNull();
  });

  it('says so of what the search was narrowed to', async () => {
    const { user } = await searching('vehicle');
    await user.click(screen.getByRole('radio', { name: 'Memories' }));
    await screen.findByText(/^None of the texts searched has/);
  });

  it('is not there where the program compares nothing by meaning', async () => {
    begin({ compares: false });
    await searching('vehicle');
    await screen.findByText('Nothing found for “vehicle”');
  });

  it('stays together while further pages come, and is by words what has them, too', async () => {
    const pages: Record<number, FoundView> = {
      0: { hits: [hit('memory', 'a'), hit('memory', 'near', { close: true }), hit('memory', 'both', { close: true })], next: 1, total: 6, exact: true, widened: [], missing: 0, archived: 0 },
      1: { hits: [hit('memory', 'both'), hit('memory', 'b'), hit('message', 'c')], next: 0, total: 4, exact: true, widened: [], missing: 0, archived: 0 },
    };
    answering((found, { text, offset }) => (text === 'kettle' ? (pages[offset] ?? {}) : found));
    await searching('kettle');
    await waitFor(() => expect(finder.hits.length).toBeGreaterThan(2));
    await finder.further(); // where the page has not done so by itself
    await waitFor(() => expect(finder.hits.map((one) => one.id)).toEqual(['a', 'both', 'b', 'near', 'c']));
    expect(finder.hits.filter((one) => one.close).map((one) => one.id)).toEqual(['near']);
    expect(heads()).toEqual(['Memories', 'Close in meaning', 'Messages']);
    expect(screen.getByText('4 found and 1 close in meaning')).toBeTruthy();
  });
});
