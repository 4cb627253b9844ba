import axe from 'axe-core';
import { cleanup, render, screen, waitFor } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Fake } from '../../lib/backend/fake';
import { use } from '../../lib/backend';
import { fault } from '../../lib/backend/sampleVault';
import { toasts } from '../../lib/toasts.svelte';
import Inbox from './Inbox.svelte';

let fake: Fake;

beforeEach(() => {
  fake = new Fake();
  use(fake);
});
afterEach(cleanup);

const show = async () => {
  const onshow = vi.fn();
  const onmemory = vi.fn();
  const { container } = render(Inbox, { onshow, onmemory, onimport: vi.fn() });
  await waitFor(() => expect(fake.inbox.allowed && fake.inbox.items.length > 0 ? screen.queryAllByRole('option').length : 1).toBeGreaterThan(0));
  return { onshow, onmemory, container };
};

describe('the Inbox', () => {
  it('shows what was said, and leads to the message', async () => {
    const { onshow } = await show();
    await userEvent.click(screen.getByRole('button', { name: 'Show me where' }));
    expect(onshow).toHaveBeenCalledWith('c-tea', 'm1');
  });

  it('keeps, rejects and merges by single keys, and undoes what it kept', async () => {
    await show();
    await userEvent.keyboard('a');
    await waitFor(() => expect(screen.getAllByRole('option')).toHaveLength(4));
    expect(toasts.list.at(-1)?.text).toBe('1 memory was kept.');
    // Now the second stands first, and a memory is near it.
    expect(await screen.findByRole('heading', { name: 'Memories like this one' })).toBeTruthy();
    expect(screen.getByText('71% of the words shared · close in meaning')).toBeTruthy();
    await userEvent.keyboard('m');
    await waitFor(() => expect(screen.getAllByRole('option')).toHaveLength(3));
    await userEvent.keyboard('r');
    await waitFor(() => expect(screen.getAllByRole('option')).toHaveLength(2));
    expect(toasts.list.at(-1)?.action).toBe('Undo');
  });

  it('says in what a memory is like what was said, and gives no percent of a meaning', async () => {
    const of = (id: string, words: number, meaning: number) => ({ id, content: `Memory ${id}`, status: 'active', words, meaning });
    fake.inbox.near['proposal-0'] = [of('abroad', 0, 0.95), of('words', 0.6, 0)];
    await show();
    const [abroad, words] = await screen.findAllByRole('link', { name: /^Memory/ });
    expect(abroad?.parentElement?.querySelector('.alike')?.textContent).toBe('close in meaning');
    expect(words?.parentElement?.querySelector('.alike')?.textContent).toBe('60% of the words shared');
  });

  it('says how many sentences say again what was rejected', async () => {
    fake.inbox.allowed = false;
    fake.inbox.items = [];
    fake.inbox.repeated = 2;
    await show();
    await userEvent.click(await screen.findByRole('button', { name: 'Look for them' }));
    await waitFor(() => expect(toasts.list.at(-1)?.text).toBe('Looked through 96 messages of yours: 0 new proposals. 2 sentences say the same as what you rejected, in other words, and were left out.'));
  });

  it('keeps other words under another type', async () => {
    await show();
    await userEvent.keyboard('e');
    const words = await screen.findByRole('textbox', { name: 'The words of the memory' });
    await userEvent.clear(words);
    await userEvent.type(words, 'Allergic to hazelnuts.');
    await userEvent.keyboard('{Control>}{Enter}{/Control}');
    await waitFor(() => expect(screen.getAllByRole('option')).toHaveLength(4));
expect(toasts.list.at(-1)?.text).toBe('1 memory was kept.');
  });

  it('says where more wait than it lists', async () => {
    const [one] = fake.inbox.items;
    if (!one) throw new Error('the sample has no proposals');
    fake.inbox.items = Array.from({ length: 201 }, (_, i) => ({ ...one, id: `p-${i}` }));
    await show();
    expect(screen.getAllByRole('option')).toHaveLength(200);
    expect(screen.getByText('These are the first 200. The next come as you decide on these.')).toBeTruthy();
    await userEvent.keyboard('r');
    await waitFor(() => expect(screen.queryByText(/^These are the first/)).toBeNull());
    expect(screen.getAllByRole('option')).toHaveLength(200);
  });

  it('decides what is marked at once', async () => {
    await show();
    await userEvent.keyboard('xjx');
    expect(screen.getByText('2 marked')).toBeTruthy();
    await userEvent.click(screen.getByRole('button', { name: /^Reject 2/ }));
    await waitFor(() => expect(screen.getAllByRole('option')).toHaveLength(3));
  });

  it('says in words why it proposes, and marks what was said in the same way', async () => {
    fake.inbox.items = fake.inbox.items.map((p, i) => ({ ...p, rule: ['en/allergy', 'en/allergy', 'en/summary'][i] ?? p.rule }));
    const { container } = await show();
    expect(screen.getByText(/^It says something about you that lasts\./)).toBeTruthy();
    await userEvent.click(screen.getByRole('button', { name: 'Mark the 2 said in the same way' }));
    expect(screen.getByText('2 marked')).toBeTruthy();
    await userEvent.keyboard('{Escape}jj');
    expect(await screen.findByText(/^From a conversation with ChatGPT\./)).toBeTruthy();
    expect(screen.queryByRole('button', { name: /in the same way/ })).toBeNull();
    expect(container.textContent).not.toMatch(/allergy|summary/);
  });

  it('does not look before the person says so', async () => {
    fake.inbox.allowed = false;
    fake.inbox.items = [];
    await show();
    await userEvent.click(await screen.findByRole('button', { name: 'Look for them' }));
    await waitFor(() => expect(fake.inbox.allowed).toBe(true));
    expect(await screen.findByText('Everything is decided')).toBeTruthy();
  });

  it('says that it is looking until it has looked, and not that everything is decided', async () => {
    fake.inbox.allowed = false;
    fake.inbox.items = [];
    await show();
    const call = fake.call.bind(fake);
    let [looked, asked] = [() => {}, 0];
    const read = new Promise<void>((done) => (looked = done));
    vi.spyOn(fake, 'call').mockImplementation(async (name, args) => {
      const answer = await call(name, args);
      if (name === 'Inbox.Allow') await read;
      if (name === 'Inbox.List') asked++;
      return answer;
    });
    await userEvent.click(await screen.findByRole('button', { name: 'Look for them' }));
    await waitFor(() => expect(fake.inbox.allowed).toBe(true));
    await waitFor(() => expect(asked).toBeGreaterThan(0));
    await new Promise((done) => setTimeout(done)); // what was asked is shown
    expect(screen.getByText('Looking…')).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Stop looking' })).toBeTruthy();
    expect(screen.queryByText('Everything is decided')).toBeNull();
    looked();
    expect(await screen.findByText('Everything is decided')).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Stop looking' })).toBeNull(); // window finding 15
    expect(screen.getByRole('button', { name: 'Do not look through new imports' })).toBeTruthy();
  });

  it('window finding 15: stops a look that goes on, and says so', async () => {
    fake.inbox.allowed = false;
    fake.inbox.items = [];
    await show();
    const call = fake.call.bind(fake);
    let stop = () => {};
    vi.spyOn(fake, 'call').mockImplementation(async (name, args) => {
      if (name !== 'Inbox.Allow') return call(name, args);
      if (args[0] === true) await new Promise<void>((_, refuse) => (stop = () => refuse(fault('cancelled', 'look-stopped', 'Stopped.'))));
      stop();
      return call(name, args);
    });
    await userEvent.click(await screen.findByRole('button', { name: 'Look for them' }));
    await userEvent.click(await screen.findByRole('button', { name: 'Stop looking' }));
    await waitFor(() => expect(toasts.list.at(-1)?.text).toBe('Keepsake no longer looks for proposals. What waits here stays.'));
    expect(screen.queryByRole('button', { name: 'Stop looking' })).toBeNull();
  });

  it('keeps what is shown where it cannot be read again, and says so beside it', async () => {
    await show();
    const again = vi.spyOn(fake, 'call').mockRejectedValueOnce(new Error('The disk went away.'));
    fake.tell('library', {});
    expect((await screen.findByRole('alert')).textContent).toContain('Something went wrong');
    again.mockRestore();
    expect(screen.getAllByRole('option').length).toBeGreaterThan(0);
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
    await waitFor(() => expect(screen.queryByRole('alert')).toBeNull());
  });

  it('has no fault that axe knows', async () => {
    const { container } = await show();
    const { violations } = await axe.run(container);
    expect(violations.map((v) => v.id)).toEqual([]);
  });
});
