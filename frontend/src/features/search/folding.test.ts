import { cleanup, render, screen, waitFor } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Fake } from '../../lib/backend/fake';
import { use, type FoundView, type HitView, type SearchView } from '../../lib/backend';
import { finder } from './finder.svelte';
import Search from './Search.svelte';

let fake: Fake;

beforeEach(() => {
  fake = new Fake();
  use(fake);
  finder.forget();
});
afterEach(cleanup);

const nothing: FoundView = { hits: [], next: 0, total: 0, exact: true, widened: [], missing: 0, archived: 0 };
const hit = (kind: string, id: string, more: Partial<HitView> = {}): HitView => ({
  kind, id, conversationId: `c-${id}`, title: '', platform: 'claude', role: 'user', type: 'fact', status: 'active', createdAt: '',
  snippet: [{ text: 'kettle', marked: true }], toolCalls: false, close: false, alike: [], same: id, ...more,
});

// Two pages; the second begins at 5 and says once more what the first says three times.
const pages: Record<number, HitView[]> = {
  0: [
    hit('memory', 'm'), hit('conversation', 't'),
    hit('message', 'q1', { same: 'again', alike: [hit('message', 'q2'), hit('message', 'q3')] }),
  ],
  5: [hit('message', 'q4', { same: 'again' }), hit('message', 'w', { role: 'tool', toolCalls: true })],
};

it('window finding 2: shows groups in their order, and what says the same as one line that opens', async () => {
  const user = userEvent.setup();
  const real = fake.call.bind(fake);
  vi.spyOn(fake, 'call').mockImplementation(async (name, args) => {
    const { offset = 0, text } = (args[0] ?? {}) as SearchView;
    if (name !== 'Search.Find' || text !== 'kettle') return real(name, args);
    return { ...nothing, hits: pages[offset] ?? [], next: offset === 0 ? 5 : 0, total: 7 };
  });
  render(Search, { onmemory: vi.fn(), onmessage: vi.fn() });
  await user.type(screen.getByRole('textbox', { name: 'Search memories and messages' }), 'kettle');
  await waitFor(() => expect(finder.hits.length).toBeGreaterThan(2));
  await finder.further(); // where the page has not done so by itself
  const fold = await screen.findByText('and 3 alike');
  expect([...document.querySelectorAll('.group')].map((head) => head.textContent)).toEqual(['Memories', 'Conversations', 'Messages', 'What tools were asked and answered']);
  expect(finder.lines).toHaveLength(5);
  await user.click(fold);
  expect(finder.lines.map((line) => line.hit.id)).toEqual(['m', 't', 'q1', 'q1', 'q2', 'q3', 'q4', 'w']);
  await user.click(screen.getByText('and 3 alike, shown below'));
  expect(finder.lines).toHaveLength(5);
});

it('says that other spellings were looked for only where they were', async () => {
  const user = userEvent.setup();
  const real = fake.call.bind(fake);
  let widened: string[] = [];
  vi.spyOn(fake, 'call').mockImplementation(async (name, args) => {
    const result = await real(name, args);
    return name === 'Search.Find' ? { ...(result as FoundView), widened } : result;
  });
  render(Search, { onmemory: vi.fn(), onmessage: vi.fn() });
  const field = screen.getByRole('textbox', { name: 'Search memories and messages' });
  await user.type(field, 'xyzzyx');
  await screen.findByText('Nothing found for “xyzzyx”');
  expect(screen.queryByText(/spelled almost/)).toBeNull();
  widened = ['xyzzyxy'];
  await user.type(field, 'y');
  expect(await screen.findByText('Words spelled almost like xyzzyxy were looked for too.')).toBeTruthy();
});
