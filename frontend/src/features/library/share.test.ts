import { cleanup, render, screen, waitFor, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { use } from '../../lib/backend';
import { Fake } from '../../lib/backend/fake';
import { speak } from '../../lib/i18n';
import { pathOf } from './certainty';
import { permissionsOf, powerOf } from './grants';
import LibraryScreen from './Library.svelte';

afterEach(async () => {
  cleanup();
  await speak('en');
});

async function open(id: string) {
  const fake = new Fake();
  const calls = vi.spyOn(fake, 'call');
  use(fake);
  render(LibraryScreen, { id, onshow: vi.fn(), onimport: vi.fn() });
  const card = within(await screen.findByRole('article'));
  const asked = (name: string) => calls.mock.calls.filter(([called]) => called === name).map(([, args]) => args);
  return { user: userEvent.setup(), card, asked };
}

describe('sharing a memory', () => {
  it('names whom, and what they may do, and takes it back', async () => {
    const { user, card, asked } = await open('m-0');
    const group = within(card.getByRole('group', { name: 'Shared with' }));
    expect(group.getByText('nobody')).toBeTruthy();
    await user.click(group.getByRole('button', { name: 'Share with' }));
    await user.type(group.getByLabelText('Name of a person or program'), 'doctor');
    await user.selectOptions(group.getByLabelText('What they may do'), 'read-write');
    await user.click(group.getByRole('button', { name: 'Share with' }));
    await waitFor(() => expect(group.getByText('may read and change')).toBeTruthy());
    expect(asked('Library.Grant')).toEqual([['m-0', 'doctor', ['read', 'write']]]);
    expect(card.getByLabelText<HTMLSelectElement>('Visible to').value).toBe('shared');
    await user.click(group.getByRole('button', { name: 'No longer share with doctor' }));
    await waitFor(() => expect(group.getByText('nobody')).toBeTruthy());
    expect(asked('Library.Grant').at(-1)).toEqual(['m-0', 'doctor', []]);
  });

  it('speaks of permissions as people do', () => {
    expect(powerOf({ entity: 'x', permissions: ['write', 'read'] })).toBe('read-write');
    expect(powerOf({ entity: 'x', permissions: ['delete'] })).toBeUndefined();
    expect(permissionsOf('read-write-delete')).toEqual(['read', 'write', 'delete']);
  });
});

describe('the certainty of a memory', () => {
  it('is drawn as it fades, with a word for who cannot see it', async () => {
    const { card } = await open('m-9');
    expect(card.getByRole('img', { name: 'Certainty from 98% to 25%, 80% now' })).toBeTruthy();
    expect(card.getByText('fades with time')).toBeTruthy();
  });
  it('is a bar where it does not', async () => {
    const { card } = await open('m-0');
    expect(card.queryByRole('img', { name: /^Certainty/ })).toBeNull();
    expect(card.getByText('96%')).toBeTruthy();
  });
  it('begins at the top where nobody doubts', () => expect(pathOf([1, 0.5, 0], 72, 20)).toBe('M0.0 0.0L36.0 10.0L72.0 20.0'));
});

describe('a type of one’s own', () => {
  it('is chosen from those that are known, which say what they mean', async () => {
    const { user, card, asked } = await open('m-0');
    await user.selectOptions(card.getByLabelText('Type'), 'custom');
    const name = card.getByLabelText<HTMLInputElement>('Name of your type');
    await waitFor(() => expect([...(name.list?.options ?? [])].map((o) => o.value)).toContain('security_clearance'));
    await user.type(name, 'medical_condition{Tab}');
    await card.findByText('Known medical condition or diagnosis', { selector: 'span' });
    expect(asked('Library.Edit').at(-1)).toEqual(['m-0', { type: 'custom', customType: 'medical_condition' }]);
  });
});
