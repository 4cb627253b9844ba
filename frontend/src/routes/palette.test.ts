import { cleanup, render, screen, waitFor } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { use, type FoundView, type SearchView } from '../lib/backend';
import { Fake } from '../lib/backend/fake';
import type { Deeds } from './commands';
import { DEED_KEYS } from '../features/library/deeds';
import { chosen } from '../lib/chosen.svelte';
import { caps } from '../lib/keys';
import Palette from './Palette.svelte';
import Shortcuts from './Shortcuts.svelte';

let fake: Fake;
beforeEach(() => {
  fake = new Fake();
  use(fake);
});
afterEach(cleanup);

const nothing = () => {};
const deeds: Deeds = { go: nothing, view: nothing, seek: nothing, write: nothing, send: nothing, undo: nothing, redo: nothing, lock: nothing, keys: nothing, light: nothing };
const NONE = 'Nothing is called that, and no memory, conversation or message says it.';

async function open(changed: Partial<Deeds> = {}) {
  render(Palette, { open: true, deeds: { ...deeds, ...changed }, frozen: false, onhit: vi.fn() });
  return screen.findByRole('combobox', { name: 'Do, go to or find…' });
}

const hits = () => screen.queryAllByRole('option').filter((line) => line.classList.contains('said'));

// held keeps the answer to a search back until it is let go.
function held(text: string) {
  const real = fake.call.bind(fake);
  const one = { answer: () => {}, asked: undefined as SearchView | undefined, real };
  vi.spyOn(fake, 'call').mockImplementation(async (name, args) => {
    const result = await real(name, args);
    if (name !== 'Search.Find' || (args[0] as SearchView).text !== text) return result;
    one.asked = args[0] as SearchView;
    await new Promise<void>((resolve) => (one.answer = resolve));
    return result;
  });
  return one;
}

// searching types a text, whose answer is held back, and knows it.
async function searching(text: string) {
  const user = userEvent.setup();
  const one = held(text);
  await user.type(await open(), text);
  await waitFor(() => expect(one.asked).toBeDefined());
  if (!one.asked) throw new Error('nothing was asked');
  const { asker, run } = one.asked;
  const all = (await one.real('Search.Find', [one.asked])) as FoundView;
  return { user, one, asker, run, all };
}

describe('window finding 14: the chosen memories', () => {
  afterEach(() => chosen.clear());

  it('come first, with their keys, and act once the sheet is gone', async () => {
    const act = vi.fn(() => expect(screen.queryByRole('dialog')).toBeNull());
    chosen.offer('Keeps bees.', [{ id: 'retracted', text: 'Retract…', keys: 'n', act }, { id: 'forget', text: 'Forget this memory…', keys: 'delete', act }]);
    const user = userEvent.setup();
    const field = await open();
    const lines = () => screen.getAllByRole('option').map((line) => line.textContent?.trim().replace(/\s+/g, ' '));
    expect(lines().slice(0, 2)).toEqual(['Retract… N', 'Forget this memory… Del']);
    expect(screen.getByText('Keeps bees.')).toBeTruthy();
    await user.type(field, 'retr');
    expect(lines()[0]).toBe('Retract… N');
    await user.keyboard('{Enter}');
    await waitFor(() => expect(act).toHaveBeenCalledOnce());
  });
});

describe('the keys of the library', () => {
  it('are each for one thing, and all in the list of keys', () => {
    const moves = ['j', 'k', 'e', 'x', 'r', 'enter', 'escape', 'arrowdown', 'arrowup', 'home', 'end', 'pagedown', 'pageup', 'b', 'v', '/', '?'];
    const own = Object.entries(DEED_KEYS).filter(([name]) => name !== 'edit' && name !== 'relate').map(([, key]) => key);
    expect(new Set([...moves, ...own]).size).toBe(moves.length + own.length);
    render(Shortcuts, { open: true });
    const told = [...(screen.getByRole('heading', { name: 'In the library' }).closest('section')?.querySelectorAll('dd') ?? [])].map((dd) => dd.textContent);
    for (const key of Object.values(DEED_KEYS)) expect(told.filter((keys) => keys === caps(key).join(''))).toHaveLength(1);
  });
});

it('says that it is looking, and only then that nothing is there', async () => {
  const user = userEvent.setup();
  const one = held('xyzzyx');
  await user.type(await open(), 'xyzzyx');
  await screen.findByText('Looking in your vault…');
  await waitFor(() => expect(one.asked).toBeDefined());
  expect(screen.queryByText(NONE)).toBeNull();
  one.answer();
  await screen.findByText(NONE);
});

it('shows what was found so far, then the answer', async () => {
  const { one, asker, run, all } = await searching('"loose leaf"');
  const part = { ...all, hits: all.hits.slice(0, 1), total: 1, exact: false };
  fake.tell('found', { asker: 'somebody else', run, found: part });
  fake.tell('found', { asker, run: run - 1, found: part });
  expect(hits()).toHaveLength(0);
  fake.tell('found', { asker, run, found: part });
  await waitFor(() => expect(hits()).toHaveLength(1));
  one.answer();
  await waitFor(() => expect(hits()).toHaveLength(all.hits.length));
  fake.tell('found', { asker, run, found: part }); // late
  await Promise.resolve();
  expect(hits()).toHaveLength(all.hits.length);
});

it('stays on the line that somebody moved to', async () => {
  const { user, one, asker, run, all } = await searching('"loose leaf"');
  const [first, second, ...others] = all.hits;
  if (!first || !second) throw new Error('too few');
  fake.tell('found', { asker, run, found: { ...all, hits: [...others, first, second], exact: false } });
  await waitFor(() => expect(hits()).toHaveLength(all.hits.length));
  await user.keyboard('{ArrowUp}');
  const on = () => screen.getByRole('option', { selected: true }).textContent;
  const before = on();
  one.answer();
  await waitFor(() => expect(hits().at(-1)?.textContent).not.toBe(before));
  expect(on()).toBe(before);
});

it('leads to what was put away where that is all there is', async () => {
  const user = userEvent.setup();
  const seek = vi.fn();
  await user.type(await open({ seek }), 'Marburg'); // one archived memory says it
  const line = await screen.findByRole('option', { name: '1 archived memory fits too. Show archived' });
  expect(screen.queryByText(NONE)).toBeNull();
  await user.click(line);
  expect(seek).toHaveBeenCalledExactlyOnceWith('Marburg status:archived');
});

it.each([
  ['xyzzyx', 'Only part of your vault was looked through', { exact: false }],
  ['xyzzyx', '7 records are still being indexed', { missing: 7 }],
  ['"', 'words in quotes', {}],
  ['since:2026-0', 'The filter since takes a date', {}],
])('never says that nothing says %s where it does not know: %s', async (text, said, answer) => {
  const user = userEvent.setup();
  const real = fake.call.bind(fake);
  vi.spyOn(fake, 'call').mockImplementation(async (name, args) => {
    const result = await real(name, args);
    return name === 'Search.Find' ? { ...(result as FoundView), ...answer } : result;
  });
  await user.type(await open(), text);
  await screen.findByText(new RegExp(said));
  expect(screen.queryByText(NONE)).toBeNull();
});

it('has a group for what is close in meaning, and says so where no text has the words', async () => {
  const user = userEvent.setup();
  const field = await open();
  const heads = () => [...document.querySelectorAll('.head')].map((head) => head.textContent);
  await user.type(field, 'vehicle');
  await screen.findByText('No text has every word of “vehicle”.');
  expect(heads()).toEqual(['Close in meaning']);
  for (const line of hits()) expect(line.textContent).toContain('close in meaning');
  await user.clear(field);
  await user.type(field, 'drink');
  await waitFor(() => expect(heads()).toEqual(['In your vault', 'Close in meaning']));
  expect(screen.queryByText(/^No text has/)).toBeNull();
});
