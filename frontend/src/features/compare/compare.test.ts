import { cleanup, render, screen, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { use } from '../../lib/backend';
import { Fake } from '../../lib/backend/fake';
import { speak } from '../../lib/i18n';
import Compare from './Compare.svelte';
import { picksOf } from './comparison.svelte';

afterEach(async () => {
  cleanup();
  await speak('en');
});

function open(token: string, other = '') {
  use(new Fake());
  const onchoose = vi.fn();
  const onapply = vi.fn();
  render(Compare, { token, other, onchoose, onapply });
  return { user: userEvent.setup(), onchoose, onapply };
}

const cards = () => screen.findAllByRole('listitem');

describe('what can be done with a memory', () => {
  it('keeps what changed on both sides unless something else is chosen', () => expect(picksOf('conflict')[0]).toBe('keep'));
  it('has no choice where the file says nothing', () => expect(picksOf('ours')).toEqual([]));
});

describe('a file against the vault', () => {
  it('shows conflicts first, and what each side says', async () => {
    open('offer-1');
    const [first] = await cards();
    expect(first?.textContent).toContain('Changed on both sides');
    expect(first?.textContent).toContain('Drinks green tea at noon.');
    expect(first?.textContent).toContain('Drinks white tea.');
    expect(within(first as HTMLElement).getByText('/temporal/updated_at')).toBeTruthy();
  });

  it('takes over what was picked, memory by memory', async () => {
    const { user, onapply } = open('offer-1');
    const [first, , third] = await cards();
    await user.selectOptions(within(first as HTMLElement).getByRole('combobox'), 'Keep both');
    await user.selectOptions(within(third as HTMLElement).getByRole('combobox'), 'Leave it out');
    await user.click(screen.getByRole('button', { name: 'Take over 2 memories' }));
    expect(onapply.mock.calls).toEqual([
      ['offer-1', { acceptBroken: false, anyBase: false, keepOriginal: false, onConflict: '', merge: '', picking: true, picks: [{ id: 'm-1', take: 'both' }, { id: 'm-2', take: 'theirs' }] }],
    ]);
  });

  it('has nothing to take over where all is kept', async () => {
    const { user } = open('offer-1');
    await cards();
    await user.click(screen.getByRole('button', { name: 'Keep everything as it is here' }));
    expect(screen.getByRole('button', { name: 'Take over 0 memories' }).hasAttribute('disabled')).toBe(true);
  });
});

it('shows two files side by side and takes nothing over', async () => {
  const { user, onchoose } = open('offer-1', 'offer-2');
  await cards();
  expect(screen.queryByRole('combobox')).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Compare with the vault' }));
  expect(onchoose.mock.calls).toEqual([['offer-2', '']]);
});

it('asks for a file where there is none', async () => {
  const { user, onchoose } = open('');
  await user.click(screen.getByRole('button', { name: 'Choose a file' }));
  expect(onchoose.mock.calls).toEqual([[expect.stringMatching(/^offer-/), '']]);
});
