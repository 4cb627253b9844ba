import { cleanup, render, screen, waitFor } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Fake } from '../lib/backend/fake';
import { use, type SimilarView } from '../lib/backend';
import SimilarMemories from './SimilarMemories.svelte';

let fake: Fake;
const answers = new Map<string, SimilarView[]>();

beforeEach(() => {
  fake = new Fake();
  use(fake);
  answers.clear();
  const real = fake.call.bind(fake);
  vi.spyOn(fake, 'call').mockImplementation(async (name, args) => (name === 'Search.Similar' ? (answers.get(args[0] as string) ?? []) : real(name, args)));
});
afterEach(cleanup);

const memory = (id: string, content: string): SimilarView => ({ id, type: 'preference', customType: '', content, similarity: 0.9 });
const asked = () => vi.mocked(fake.call).mock.calls.filter(([name]) => name === 'Search.Similar').map(([, args]) => args[0]);

describe('memories that are like another', () => {
  it('are named by their words and type, and open', async () => {
    answers.set('m-1', [memory('m-2', 'Drinks tea.'), memory('m-3', 'Never drinks coffee.')]);
    const onopen = vi.fn();
    render(SimilarMemories, { of: 'm-1', title: 'Like this one', onopen });
    await screen.findByRole('region', { name: 'Like this one' });
    expect(screen.getAllByRole('button').map((one) => one.textContent.trim())).toEqual(['Drinks tea.', 'Never drinks coffee.']);
    await userEvent.setup().click(screen.getByRole('button', { name: 'Preference Never drinks coffee.' }));
    expect(onopen).toHaveBeenCalledExactlyOnceWith('m-3');
  });

  it('are nothing where there are none, and come with what happens in the vault', async () => {
    render(SimilarMemories, { of: 'm-1', title: 'Like this one', onopen: vi.fn() });
    await waitFor(() => expect(asked()).toEqual(['m-1']));
    expect(document.body.textContent.trim()).toBe('');
    answers.set('m-1', [memory('m-2', 'Drinks tea.')]);
    fake.tell('search', {});
    await screen.findByText('Drinks tea.');
    answers.set('m-1', []);
    fake.tell('library', {});
    await waitFor(() => expect(screen.queryByText('Like this one')).toBeNull());
  });

  it('are asked for only where somebody stays, and never shown beside another memory', async () => {
    answers.set('m-1', [memory('m-2', 'Drinks tea.')]);
    answers.set('m-9', [memory('m-4', 'Keeps bees.')]);
    const { rerender } = render(SimilarMemories, { of: 'm-1', title: 'Like this one', onopen: vi.fn() });
    await screen.findByText('Drinks tea.');
    await rerender({ of: 'm-5' });
    expect(screen.queryByText('Drinks tea.')).toBeNull();
    await rerender({ of: 'm-9' });
    await screen.findByText('Keeps bees.');
    expect(asked()).toEqual(['m-1', 'm-9']);
  });

  it('are folded in a conversation, where their number is said', async () => {
    answers.set('c-1', [memory('m-2', 'Drinks tea.')]);
    render(SimilarMemories, { of: 'c-1', title: 'Memories it touches', folded: true, onopen: vi.fn() });
    const fold = await screen.findByText('Memories it touches');
    expect(fold.textContent).toBe('Memories it touches 1');
    expect(fold.closest('details')?.open).toBe(false);
  });
});
