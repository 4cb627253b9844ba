import { cleanup, render, screen, waitFor, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { use, type MessageView } from '../../lib/backend';
import { Fake } from '../../lib/backend/fake';
import { toasts } from '../../lib/toasts.svelte';
import ConversationsScreen from './Conversations.svelte';
import { foundAt, NOWHERE } from './find';
import { Reader } from './reader.svelte';
import MessageItem from './MessageItem.svelte';

afterEach(() => {
  cleanup();
  toasts.clear();
});

async function open(id = '', message = '') {
  const fake = new Fake();
  const calls = vi.spyOn(fake, 'call');
  use(fake);
  const onopen = vi.fn();
  const onmemory = vi.fn();
  render(ConversationsScreen, { id, message, onopen, onmemory });
  await screen.findByText('15 conversations');
  if (id !== '') await waitFor(() => expect(text().querySelector('article')).not.toBeNull());
  return { fake, user: userEvent.setup(), onopen, onmemory, asked: (name: string) => calls.mock.calls.filter(([called]) => called === name) };
}

const text = () => screen.getByRole('region', { name: 'Text of the conversation' });

describe('the list of conversations', () => {
  it('opens one by mouse and by keyboard', async () => {
    const { user, onopen } = await open();
    const list = screen.getByRole('listbox', { name: 'Conversations' });
    await user.click(within(list).getByText('Rota Vicentina in eleven days'));
    list.focus();
    await user.keyboard('jk{ArrowDown}{Enter}');
    expect(onopen.mock.calls).toEqual([['c-route'], ['c-letters']]);
  });

  it('searches titles and says when none fits', async () => {
    const { user } = await open();
    await user.type(screen.getByLabelText('Search titles'), 'telhado');
    await screen.findByText('1 conversation');
    await user.type(screen.getByLabelText('Search titles'), 'zzz');
    await screen.findByText('No title holds these words.');
  });
});

describe('the reader', () => {
  it('names the memories that a conversation touches, below its text', async () => {
    const { user, onmemory } = await open('c-tea');
    const fold = await screen.findByText('Memories it touches');
    expect(text().contains(fold)).toBe(false);
    await user.click(fold);
    const [first] = within(fold.closest('details') ?? document.body).getAllByRole('button');
    if (!first) throw new Error('it touches none');
    await user.click(first);
    expect(onmemory).toHaveBeenCalledExactlyOnceWith(expect.stringMatching(/^m-/));
  });

  it('shows what the person thought of an answer, and where the conversation was shared', async () => {
    const { user, fake } = await open('c-tea');
    const notes = () => [...text().querySelectorAll('.rating')].map((note) => note.textContent.replaceAll(/\s+/g, ' ').trim());
    expect(notes()).toEqual(['You liked this answer The table is what I needed.']);
    const link = screen.getByText(/^https:\/\/chatgpt\.com\/share\//);
    expect(link.closest('a, [href], [src]')).toBeNull();
    await user.click(screen.getByRole('button', { name: 'Copy the link' }));
    expect(fake.clipboard).toBe(link.textContent);
    await user.click(within(text()).getByRole('button', { name: 'Version after' }));
    await waitFor(() => expect(notes()).toEqual(['You did not like this answer']));
  });

  it('goes from message to message by j and k, and makes a memory of one by m', async () => {
    const { user } = await open('c-tea');
    const at = () => text().querySelector('[aria-current]');
    await user.keyboard('j');
    await waitFor(() => expect(at()).not.toBeNull());
    const first = at();
    await user.keyboard('jj');
    await waitFor(() => expect(at()).not.toBe(first));
    await user.keyboard('kk');
    await waitFor(() => expect(at()).toBe(first));
    while (at()?.classList.contains('said') === false) {
      const now = at();
      await user.keyboard('j');
      await waitFor(() => expect(at()).not.toBe(now));
    }
    await user.keyboard('m');
    const dialog = await screen.findByRole('dialog');
    const words = (within(dialog).getByRole('textbox') as HTMLTextAreaElement).value;
    expect(words.length).toBeGreaterThan(3);
    expect(at()?.textContent).toContain(words.slice(0, 20));
  });

  it('says nothing of either where there is none', async () => {
    await open('c-notebooks');
    expect(document.querySelector('.rating, .shared, .from')).toBeNull();
  });

  it('leads to what it goes on from', async () => {
    const fake = new Fake();
    const call = fake.call.bind(fake);
    vi.spyOn(fake, 'call').mockImplementation(async (name, args) => {
      const answer: unknown = await call(name, args);
      return (name === 'Conversations.Thread' ? { ...(answer as object), continues: { id: 'c-tea', message: 'm1' } } : answer) as never;
    });
    use(fake);
    const onopen = vi.fn();
    render(ConversationsScreen, { id: 'c-notebooks', onopen, onmemory: vi.fn() });
    await userEvent.setup().click(await screen.findByRole('button', { name: 'Show what this goes on from' }));
    expect(onopen.mock.calls).toEqual([['c-tea', 'm1']]);
  });

  it('folds what was not said: system, thinking, tools', async () => {
    const { user } = await open('c-tea');
    const used = within(text()).getByRole('button', { name: 'Used its memory' });
    expect(used.getAttribute('aria-expanded')).toBe('false');
    expect(within(text()).getByRole('button', { name: 'What ChatGPT was told about you' })).toBeTruthy();
    expect(text().textContent).not.toMatch(/You are ChatGPT|lives in Lisbon/);
    await user.click(used);
    expect(text().textContent).toContain('Prefers loose leaf');
    await user.click(within(text()).getByRole('button', { name: 'Answer of its memory' }));
    expect(text().textContent).toContain('Model set context updated.');
  });

  it('takes another way at a fork and comes back', async () => {
    const { user } = await open('c-tea');
    const fork = within(text()).getByRole('group', { name: 'Version 2 of 3' });
    expect(text().textContent).toContain('Sencha');
    await user.click(within(fork).getByRole('button', { name: 'Version after' }));
    await within(text()).findByRole('group', { name: 'Version 3 of 3' });
    expect(text().textContent).toContain('Let it stand for four minutes');
    expect(within(text()).getByRole('button', { name: 'Version after' })).toHaveProperty('disabled', true);
    await user.click(within(text()).getByRole('button', { name: 'Version before' }));
    await waitFor(() => expect(text().textContent).toContain('Sencha'));
  });

  it('sets the memory beside the message it came from', async () => {
    const { user, onmemory } = await open('c-tea');
    const note = await within(text()).findByRole('button', { name: /Remembered.*Drinks tea/ });
    await user.click(note);
    expect(onmemory).toHaveBeenCalledWith('m-0');
  });

  it('marks the message it was asked to show', async () => {
    await open('c-tea', 'm3');
    await waitFor(() => expect(text().querySelector('.marked')?.textContent).toContain('Remember that I drink tea'));
  });

  it('asks before it leads out, and shows the host as it is', async () => {
    const { user, asked } = await open('c-hostile');
    await user.click(within(text()).getByRole('link', { name: 'Your bank' }));
    const dialog = await screen.findByRole('dialog');
    await within(dialog).findByText('xn--bnk-5cd.example');
    expect(asked('Conversations.OpenLink')).toEqual([]);
    await user.click(within(dialog).getByRole('button', { name: 'Open in the browser' }));
    expect(asked('Conversations.OpenLink').map(([, args]) => args)).toEqual([['https://xn--bnk-5cd.example/login']]);
  });

  it('shows hostile text as text: no picture, no script, one link to press', async () => {
    await open('c-hostile');
    expect(text().querySelector('img, script, iframe, [href], [src], [style*="url"]')).toBeNull();
    expect(within(text()).getAllByRole('link').length).toBe(1);
    expect(text().textContent).toContain('Picture from tracker.example, not loaded');
    expect(text().textContent).toContain('<script>alert(1)</script>');
    expect(text().textContent).toContain('invoiceRLOfdp.exe');
  });

  it('shows pictures of the vault, names files, and fetches sound only when asked', async () => {
    const fetched = vi.spyOn(globalThis, 'fetch').mockResolvedValue(new Response(new Blob(['x'])));
    URL.createObjectURL = vi.fn(() => 'blob:here');
    URL.revokeObjectURL = vi.fn();
    const { user } = await open('c-notebooks');
    expect(text().querySelector('img')?.getAttribute('src')).toBe('/vault/spine');
    expect(text().textContent).toContain('volumes.csv');
    expect(text().textContent).toContain('not in the export');
    expect(fetched).not.toHaveBeenCalled();
    await user.click(within(text()).getByRole('button', { name: /note on the glue/ }));
    await waitFor(() => expect(text().querySelector('audio')?.getAttribute('src')).toBe('blob:here'));
    expect(fetched).toHaveBeenCalledWith('/vault/voice');
  });

  it('finds words in the whole of a long conversation and draws little of it', async () => {
    const { user } = await open('c-long');
    expect(text().querySelectorAll('article').length).toBeLessThan(60);
    await user.keyboard('{Control>}f{/Control}');
    await user.type(await screen.findByRole('textbox', { name: 'Find in this conversation' }), 'Confraternity');
    await screen.findByText('Place 1 of 400', undefined, { timeout: 5_000 });
    expect(text().querySelectorAll('article').length).toBeLessThan(60);
  });

  it('counts anew on another way, and stays where that was taken', async () => {
    const { user } = await open('c-tea');
    await user.keyboard('{Control>}f{/Control}');
    await user.type(await screen.findByRole('textbox', { name: 'Find in this conversation' }), 'descale');
    await screen.findByText('Place 1 of 1', undefined, { timeout: 5_000 });
    await user.click(within(text()).getByRole('button', { name: 'Version after' }));
    await screen.findByText('Not found', undefined, { timeout: 5_000 });
    await user.click(await within(text()).findByRole('button', { name: 'Version before' }));
    await screen.findByText('1 place', undefined, { timeout: 5_000 });
  });

  it('marks several, which leave or are printed together', async () => {
    use(new Fake());
    const onexport = vi.fn();
    render(ConversationsScreen, { onopen: vi.fn(), onmemory: vi.fn(), onexport });
    const user = userEvent.setup();
    await screen.findByText('15 conversations');
    const list = screen.getByRole('listbox', { name: 'Conversations' });
    list.focus();
    await user.keyboard('jx{Shift>}J{/Shift}');
    expect(within(list).getAllByRole('option', { selected: true })).toHaveLength(2);
    await user.click(screen.getByRole('button', { name: 'Export…' }));
    expect(onexport.mock.calls[0]?.[0]).toHaveLength(2);

    Object.defineProperty(document, 'fonts', { value: { ready: Promise.resolve() }, configurable: true }); // jsdom has none
    const printed: string[] = [];
    const print = vi.spyOn(window, 'print').mockImplementation(() => void printed.push(...[...document.querySelectorAll('.papers h2')].map((h) => h.textContent)));
    await user.click(screen.getByRole('button', { name: 'Print' }));
    await waitFor(() => expect(print).toHaveBeenCalledOnce());
    expect(new Set(printed).size).toBe(2);
    await waitFor(() => expect(document.querySelector('.papers')).toBeNull());
    list.focus();
    await user.keyboard('{Escape}');
    expect(screen.queryByRole('toolbar')).toBeNull();
  });
});

describe('a message of very many words', () => {
  const long = (more: { full?: boolean; whole?: boolean; clipped?: boolean } = {}) => {
    const { clipped = false, ...props } = more;
    const message: MessageView = {
      id: 'm', role: 'assistant', model: '', createdAt: '', parts: [{ type: 'text', text: `${'word '.repeat(6_000)}end`, language: '', clipped, next: 30_003 }],
      hidden: '', siblings: [], at: 0, citations: [], attachments: [], toolCalls: [], memories: [],
    } as unknown as MessageView;
    const nothing = () => {};
    const onmore = vi.fn();
    return { onmore, ...render(MessageItem, { message, platform: 'chatgpt', memories: [], marked: false, ...props, onlink: nothing, oncopy: nothing, onturn: nothing, onmemory: nothing, onmore }) };
  };

  it('is shown in part until all of it is asked for', async () => {
    const { container, onmore, rerender } = long();
    expect(container.textContent).not.toContain('end');
    await userEvent.setup().click(screen.getByRole('button', { name: 'Show the whole message' }));
    expect(onmore).toHaveBeenCalledWith(0);
    await rerender({ whole: true });
    expect(container.textContent).toContain('end');
    expect(screen.queryByRole('button')).toBeNull();
  });

  it('goes on where more of it is not here', async () => {
    const { container, onmore } = long({ whole: true, clipped: true });
    expect(container.textContent).toContain('end');
    await userEvent.setup().click(screen.getByRole('button', { name: 'Show more' }));
    expect(onmore).toHaveBeenCalledWith(0);
  });

  it('is printed whole', () => {
    expect(long({ full: true }).container.textContent).toContain('end');
    expect(screen.queryByRole('button')).toBeNull();
  });
});

// A message of one part, as Go gives it.
function saidOf(id: string, part: object) {
  return { id, role: 'user', model: '', createdAt: '', hidden: '', isThought: false, siblings: [], citations: [], attachments: [], toolCalls: [], memories: [], parts: [{ type: 'text', clipped: false, next: 0, language: '', mimeType: '', url: '', ...part }] };
}

// Of a conversation of hundreds of thousands of messages.
describe('a message far down', () => {
  const total = 200_000;
  const head = { id: 'c', platform: 'chatgpt', title: 'Long', createdAt: '', branches: 0, derived: 0 };

  // A reader, and at which messages it asked for some.
  function reads() {
    const fake = new Fake();
    const asked: number[] = [];
    const answers: Record<string, (args: unknown[]) => unknown> = {
      'Conversations.Find': () => ({ at: [7, 150_000], times: [1, 2] }),
      'Conversations.Thread': (args) => {
        const [, leaf, offset, limit] = args as [string, string, number, number];
        asked.push(offset);
        const messages = Array.from({ length: limit }, (_, i) => saidOf(`m${offset + i}`, { text: `number ${offset + i}` }));
        return { head, messages, offset, total, said: total, leaf: `m${total - 1}`, at: leaf === '' ? -1 : Number(leaf.slice(1)), shared: [] };
      },
    };
    vi.spyOn(fake, 'call').mockImplementation((name, args) => Promise.resolve(answers[name]?.(args as unknown[])) as never);
    use(fake);
    return { reader: new Reader(), asked };
  }

  it('is gone to at once', async () => {
    const { reader, asked } = reads();
    await reader.open('c', 'm150000', ['number']);
    expect(asked).toEqual([0, 150_000]);
    expect(reader.target).toBe(150_000);
    expect(reader.message(reader.target)?.id).toBe('m150000');
  });

  it('is looked at again, and not what stands between, where something was remembered', async () => {
    const { reader, asked } = reads();
    await reader.open('c', 'm150000', ['number']);
    await reader.remembered();
    expect(asked).toEqual([0, 150_000, 0, 150_000]);
  });

  it('is found without what stands before it', async () => {
    const { reader, asked } = reads();
    await reader.open('c');
    const found = foundAt((await reader.find('number')) ?? NOWHERE, 1);
    expect(found).toEqual({ index: 150_000, nth: 0, count: 2 });
    await reader.reach(150_000, 'number', 0);
    expect(asked).toEqual([0, 150_000]);
    expect(reader.message(150_000)?.id).toBe('m150000');
  });
});

// A conversation of one message that comes in pieces, as Go gives it.
describe('words that led to a message', () => {
  const pieces = [`${'word '.repeat(8_000)}`, `${'more '.repeat(8_000)}the zimbelstern sounds `, 'and the end'];
  const painted = new Map<string, Range[]>();

  function comesInPieces() {
    const fake = new Fake();
    const head = { id: 'c', platform: 'chatgpt', title: 'Organs', createdAt: '', branches: 0, derived: 0 };
    const message = { ...saidOf('m', { text: pieces[0], clipped: true, next: 1 }), role: 'assistant', isThought: true };
    const answers: Record<string, (args: unknown[]) => unknown> = {
      'Conversations.Thread': ([, leaf]) => ({ head, messages: [message], offset: 0, total: 1, said: 1, leaf: 'm', at: leaf === 'm' ? 0 : -1, shared: [] }),
      'Conversations.Find': ([, , , text]) => ({ at: [0], times: [pieces.join('').split(text as string).length - 1] }),
      'Conversations.Further': ([, , , from]) => ({ text: pieces[from as number], clipped: from === 1, next: (from as number) + 1 }),
    };
    const call = fake.call.bind(fake);
    const calls = vi.spyOn(fake, 'call').mockImplementation((name, args) => (answers[name] ? Promise.resolve(answers[name](args as unknown[])) : call(name, args)) as never);
    use(fake);
    return () => calls.mock.calls.filter(([name]) => name === 'Conversations.Further').map(([, args]) => (args as unknown[])[3]);
  }

  beforeEach(() => {
    painted.clear();
    vi.stubGlobal('CSS', { highlights: painted });
    vi.stubGlobal('Highlight', class extends Array<Range> {});
  });
  afterEach(() => vi.unstubAllGlobals());

  const marks = (name: string) => [...(painted.get(name) ?? [])].map((range) => range.toString());

  it('are loaded, unfolded and marked, and no more than that is read', async () => {
    const further = comesInPieces();
    render(ConversationsScreen, { id: 'c', message: 'm', words: ['Zimbelstern'], onopen: vi.fn(), onmemory: vi.fn() });
    await waitFor(() => expect(marks('find')).toEqual(['zimbelstern']), { timeout: 5_000 });
    expect(further()).toEqual([1]);
    expect(text().textContent).not.toContain('the end');
    await userEvent.setup().click(within(text()).getByRole('button', { name: 'Show more' }));
    await waitFor(() => expect(text().textContent).toContain('the end'));
    expect(further()).toEqual([1, 2]);
  });

  it('are read to in what a tool answered, which can be read to its end', async () => {
    const fake = new Fake();
    const output = { text: 'much '.repeat(100), clipped: true, next: 1 };
    const message = { ...saidOf('m', { text: 'Looked.' }), role: 'assistant', toolCalls: [{ id: '', name: 'grep', input: { text: 'organs', clipped: false, next: 6 }, output }] };
    const asked: unknown[] = [];
    const answers: Record<string, (args: unknown[]) => unknown> = {
      'Conversations.Thread': () => ({ head: { id: 'c', platform: 'chatgpt', title: 'Organs', createdAt: '', branches: 0, derived: 0 }, messages: [message], offset: 0, total: 1, said: 1, leaf: 'm', at: 0, shared: [] }),
      'Conversations.Further': ([, , part, from]) => {
        asked.push([part, from]);
        return from === 1 ? { text: 'and the zimbelstern ', clipped: true, next: 2 } : { text: 'and the end', clipped: false, next: 3 };
      },
    };
    vi.spyOn(fake, 'call').mockImplementation((name, args) => Promise.resolve(answers[name]?.(args as unknown[])) as never);
    use(fake);
    render(ConversationsScreen, { id: 'c', message: 'm', words: ['zimbelstern'], onopen: vi.fn(), onmemory: vi.fn() });
    await waitFor(() => expect(marks('find')).toEqual(['zimbelstern']), { timeout: 5_000 });
    expect(asked).toEqual([[2, 1]]);
    await userEvent.setup().click(within(text()).getByRole('button', { name: 'Show more' }));
    await waitFor(() => expect(text().textContent).toContain('and the end'));
    expect(asked).toEqual([[2, 1], [2, 2]]);
    expect(within(text()).queryByRole('button', { name: 'Show more' })).toBeNull();
  });

  it('are marked in the name of a file', async () => {
    const fake = new Fake();
    const message = { ...saidOf('m', { text: 'Here it is.' }), attachments: [{ type: 'file', name: 'Tour-plan.pdf', mimeType: '', size: 9, url: '' }] };
    vi.spyOn(fake, 'call').mockResolvedValue({ head: { id: 'c', platform: 'chatgpt', title: 'Tours', createdAt: '', branches: 0, derived: 0 }, messages: [message], offset: 0, total: 1, said: 1, leaf: 'm', at: 0, shared: [] });
    use(fake);
    render(ConversationsScreen, { id: 'c', message: 'm', words: ['tour'], onopen: vi.fn(), onmemory: vi.fn() });
    await waitFor(() => expect(marks('find')).toEqual(['Tour']), { timeout: 5_000 });
  });

  it('are marked until something else is typed to be found, which is found to the end', async () => {
    const further = comesInPieces();
    render(ConversationsScreen, { id: 'c', message: 'm', words: ['Zimbelstern'], onopen: vi.fn(), onmemory: vi.fn() });
    const user = userEvent.setup();
    await waitFor(() => expect(marks('find')).toHaveLength(1), { timeout: 5_000 });
    await user.keyboard('{Control>}f{/Control}');
    await user.type(await screen.findByRole('textbox', { name: 'Find in this conversation' }), 'and the end');
    await screen.findByText('Place 1 of 1', undefined, { timeout: 5_000 });
    await waitFor(() => expect([marks('find'), marks('found')]).toEqual([[], ['and the end']]), { timeout: 5_000 });
    expect(further()).toEqual([1, 2]);
    await user.keyboard('{Escape}');
    await waitFor(() => expect([marks('find'), marks('found')]).toEqual([[], []]));
  });
});
