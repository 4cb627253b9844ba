import { cleanup, render, screen, waitFor, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Fake } from '../../lib/backend/fake';
import { use } from '../../lib/backend';
import { finder } from './finder.svelte';
import Search from './Search.svelte';

let fake: Fake;

beforeEach(() => {
  fake = new Fake();
  use(fake);
  finder.forget();
  finder.where = 'all';
});
afterEach(cleanup);

// The list of what was found; the choice of a time has options, too.
const found = async () => within(await screen.findByRole('listbox', { name: 'What was found' })).findAllByRole('option');

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
    await user.click(screen.getByRole('button', { name: 'tea OR coffee' }));
    expect((field as HTMLInputElement).value).toBe('tea OR coffee');
  });

  it('finds as one types, marks the words, and opens what is chosen', async () => {
    const user = userEvent.setup();
    const { field, onmemory } = show();
    await user.type(field, 'the');
    const hits = await found();
    expect(hits[0]?.querySelector('mark')?.textContent?.toLowerCase()).toBe('the');
    await user.keyboard('{ArrowDown}{Enter}');
    expect(onmemory).toHaveBeenCalledOnce();
  });

  it('looks in messages only, and opens a message in its conversation', async () => {
    const user = userEvent.setup();
    const { field, onmessage } = show();
    await user.click(screen.getByRole('radio', { name: 'Messages' }));
    await user.type(field, 'the');
    const [first] = await found();
    if (!first) throw new Error('nothing found');
    await user.click(first);
    const [conversation, message] = onmessage.mock.calls[0] as [string, string];
    expect(conversation).not.toBe('');
    expect(message).not.toBe('');
  });

  it('says that nothing was found, and what is not searchable yet', async () => {
    const user = userEvent.setup();
    const { field } = show();
    await user.type(field, 'xyzzyx');
    expect(await screen.findByText('Nothing has these words.')).toBeTruthy();
    fake.index(12);
    expect(await screen.findByText('12 items are still being made searchable.')).toBeTruthy();
    fake.index(0);
    await waitFor(() => expect(screen.queryByText(/being made searchable/)).toBeNull());
  });

  it('tells a faulty query under the field and keeps it', async () => {
    const user = userEvent.setup();
    vi.spyOn(fake, 'call').mockRejectedValueOnce(new Error('x'));
    const { field } = show();
    await user.type(field, 'a*');
    expect((field as HTMLInputElement).value).toBe('a*');
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
