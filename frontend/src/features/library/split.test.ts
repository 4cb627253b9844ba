import { cleanup, render, screen, waitFor, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { use } from '../../lib/backend';
import { Fake } from '../../lib/backend/fake';
import { toasts } from '../../lib/toasts.svelte';
import { undo } from '../../lib/undo';
import LibraryScreen from './Library.svelte';

afterEach(() => {
  cleanup();
  toasts.clear();
});

async function open(id: string) {
  const fake = new Fake();
  const calls = vi.spyOn(fake, 'call');
  use(fake);
  render(LibraryScreen, { id, onshow: vi.fn(), onimport: vi.fn() });
  await screen.findByRole('article');
  const asked = (name: string) => calls.mock.calls.filter(([called]) => called === name);
  return { fake, user: userEvent.setup(), asked };
}

const card = () => within(screen.getByRole('article'));

describe('a memory that holds several facts', () => {
  it('is split into those that one keeps, as one change', async () => {
    const { user, fake, asked } = await open('m-9');
    expect(card().queryByRole('button', { name: 'Split into single facts' })).toBeNull();
    await fake.call('Library.Edit', ['m-9', { content: 'Has a dog; keeps bees; plays the oboe' }]);
    await user.click(await card().findByRole('button', { name: 'Split into single facts' }));
    const sheet = within(await screen.findByRole('dialog', { name: 'Split into single facts' }));
    await user.click(sheet.getByRole('button', { name: 'Leave out fact 2' }));
    await user.type(sheet.getByLabelText('Fact 1'), ' called Rex');
    await user.click(sheet.getByRole('button', { name: 'Make 2 memories' }));
    await waitFor(async () => expect(await fake.call('Library.Get', ['m-9'])).toMatchObject({ status: 'archived' }));
    expect(asked('Portrait.Split').map(([, args]) => args)).toEqual([['m-9', ['Has a dog called Rex', 'plays the oboe']]]);
    await waitFor(() => expect(card().queryByRole('button', { name: 'Split into single facts' })).toBeNull());
    await undo();
    expect(await fake.call('Library.Get', ['m-9'])).toMatchObject({ status: 'active' });
  });

  it('is split by its key, and stays whole where one leaves the sheet', async () => {
    const { user, fake, asked } = await open('m-9');
    await fake.call('Library.Edit', ['m-9', { content: 'Has a dog; keeps bees' }]);
    await card().findByRole('button', { name: 'Split into single facts' });
    await user.keyboard('f');
    await screen.findByRole('dialog');
    await user.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(asked('Portrait.Split')).toEqual([]);
  });
});
