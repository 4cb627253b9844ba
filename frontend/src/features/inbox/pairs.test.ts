import axe from 'axe-core';
import { cleanup, render, screen, waitFor, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Fake } from '../../lib/backend/fake';
import { backend, use } from '../../lib/backend';
import { toasts } from '../../lib/toasts.svelte';
import Inbox from './Inbox.svelte';

let fake: Fake;

beforeEach(() => {
  fake = new Fake();
  use(fake);
  fake.inbox.pairs = [fake.inbox.pairOf('near', 0, 1), fake.inbox.pairOf('contradict', 2, 3, 'number'), fake.inbox.pairOf('relations', 4, 5)];
});
afterEach(cleanup);

const show = async () => {
  const onmemory = vi.fn();
  const { container } = render(Inbox, { onshow: vi.fn(), onmemory, onimport: vi.fn() });
  await userEvent.click(await screen.findByRole('button', { name: 'Pairs to compare 3' }));
  return { onmemory, container };
};
const left = () => screen.queryAllByRole('heading', { level: 2 }).map((heading) => heading.textContent?.trim());
const memory = (n: number) => backend.Library.Get(`m-${n}`);
const statuses = async (...all: number[]) => (await Promise.all(all.map(memory))).map(({ status }) => status);

describe('pairs to compare', () => {
  it('stand by kind, both memories with where they come from, and lead to them', async () => {
    const { onmemory, container } = await show();
    expect(left()).toEqual(['They may say the same 1', 'They may contradict each other 1', 'They may belong together 1']);
    expect(screen.getByText('They differ in a number.')).toBeTruthy();
    const first = await memory(0);
    const link = screen.getByRole('link', { name: first.content });
    expect(within(screen.getAllByRole('listitem')[0] as HTMLElement).getAllByRole('link')).toHaveLength(2);
    await userEvent.click(link);
    expect(onmemory).toHaveBeenCalledWith('m-0');
    expect((await axe.run(container)).violations).toEqual([]);
  });

  it('are decided by single keys, and by nothing else', async () => {
    await show();
    await userEvent.keyboard('or'); // of two that say the same neither is newer, and nothing is to be related
    expect(left()).toHaveLength(3);
    await userEvent.keyboard('2');
    await waitFor(() => expect(left()).toEqual(['They may contradict each other 1', 'They may belong together 1']));
    expect(await statuses(0, 1)).toEqual(['superseded', 'active']);
    expect(toasts.list.at(-1)).toMatchObject({ text: 'The two are one now, with the sources of both.', action: 'Undo' });
    await userEvent.keyboard('1');
    await waitFor(() => expect(left()).toEqual(['They may belong together 1']));
    expect(await statuses(2, 3)).toEqual(['active', 'retracted']);
    await userEvent.keyboard('12o'); // neither of two that belong together goes
    expect(left()).toHaveLength(1);
    await userEvent.keyboard('r');
    await screen.findByText('Every pair is decided');
    expect((await memory(5)).relations.map(({ type, other }) => [type, other.id])).toContainEqual(['related_to', 'm-4']);
  });

  it('can be put away, and that can be taken back', async () => {
    await show();
    await userEvent.keyboard('jb');
    await waitFor(() => expect(left()).toHaveLength(2));
    expect(left()).not.toContain('They may contradict each other 1');
    expect(await statuses(2, 3)).toEqual(['active', 'active']);
    toasts.list.at(-1)?.onaction?.();
    await waitFor(() => expect(left()).toHaveLength(3));
  });

  it('let the newer one take the place of the older', async () => {
    await show();
    await userEvent.keyboard('jo');
    await waitFor(() => expect(left()).toHaveLength(2));
    expect(await statuses(2, 3)).toEqual(['superseded', 'active']);
    expect((await memory(2)).supersededBy).toBe('m-3');
  });

  it('are shown at once where there is no proposal, and say what is not compared yet', async () => {
    fake.inbox.items = [];
    fake.inbox.missing = 7;
    render(Inbox, { onshow: vi.fn(), onmemory: vi.fn(), onimport: vi.fn() });
    await screen.findByText('7 memories and conversations are not compared yet.');
    expect(left()).toHaveLength(3);
  });

  it('wait behind the offer to look for proposals', async () => {
    fake.inbox.items = [];
    fake.inbox.allowed = false;
    await show();
    await userEvent.click(screen.getByRole('button', { name: 'Proposals 0' }));
    expect(await screen.findByRole('button', { name: 'Look for them' })).toBeTruthy();
    cleanup();
    render(Inbox, { onshow: vi.fn(), onmemory: vi.fn(), onimport: vi.fn() });
    expect(await screen.findByRole('button', { name: 'Look for them' })).toBeTruthy();
  });

  it('are not spoken of where there are none', async () => {
    fake.inbox.pairs = [];
    render(Inbox, { onshow: vi.fn(), onmemory: vi.fn(), onimport: vi.fn() });
    await screen.findAllByRole('option');
    expect(screen.queryByRole('button', { name: /Pairs/ })).toBeNull();
  });

  it('take no key while proposals are shown', async () => {
    render(Inbox, { onshow: vi.fn(), onmemory: vi.fn(), onimport: vi.fn() });
    await screen.findByRole('button', { name: 'Pairs to compare 3' });
    await userEvent.keyboard('1');
    expect(await statuses(0, 1)).toEqual(['active', 'active']);
  });
});
