import axe from 'axe-core';
import { cleanup, render, screen, waitFor, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { BackendError } from '../../lib/backend/fault';
import { use } from '../../lib/backend';
import { Fake } from '../../lib/backend/fake';
import { undo } from '../../lib/undo';
import { vault } from '../../lib/vault.svelte';
import LibraryScreen from './Library.svelte';

afterEach(() => {
  vi.restoreAllMocks();
  cleanup();
});

const NONE = 'None of the eight topics was found';

// m-4 tells of an allergy, m-5 of a sister by name, m-0 of tea.
async function open(id: string, fails = '') {
  const fake = new Fake();
  const real = fake.call.bind(fake);
  const calls = vi.spyOn(fake, 'call').mockImplementation(async (name, args) => {
    if (name === fails) throw new BackendError({ code: 'internal', reason: 'internal', message: 'It did not work.', hint: '', args: {} });
    return real(name, args);
  });
  use(fake);
  render(LibraryScreen, { id, onshow: vi.fn(), onimport: vi.fn() });
  const card = within(await screen.findByRole('article'));
  const asked = (name: string) => calls.mock.calls.filter(([called]) => called === name).map(([, args]) => args);
  return { user: userEvent.setup(), card, asked };
}

const row = async () => within(await screen.findByRole('group', { name: 'Private topics' }));
const topics = () => [...screen.getByRole('group', { name: 'Private topics' }).querySelectorAll('.topic')].map((one) => one.textContent.trim().replace(/\s+/g, ' '));

describe('the private topics of a memory', () => {
  it('are named where there are some', async () => {
    const { asked } = await open('m-5');
    const group = await row();
    expect(topics()).toEqual(['Family', 'Names of others']);
    expect(group.queryByText(NONE)).toBeNull();
    expect(asked('Library.Sensitive')).toEqual([['m-5']]); // of the open memory alone
    expect((await axe.run(screen.getByRole('group', { name: 'Private topics' }))).violations).toEqual([]);
  });

  it('are said to be none only where none was found, and which were looked for', async () => {
    const { user } = await open('m-0');
    const group = await row();
    expect(group.getByText(NONE).textContent).toContain('health, family, where somebody lives, money, beliefs, sexuality, names of others, and document numbers');
    await user.click(group.getByRole('button', { name: 'Add' }));
    const offered = [...group.getByLabelText<HTMLSelectElement>('Private topic').options].map((option) => option.text);
    expect(offered).toEqual(['Health', 'Family', 'Where somebody lives', 'Money', 'Beliefs', 'Sexuality', 'Names of others', 'Document numbers']);
  });

  it('are taken away, added and left to the program again, and it says who said so', async () => {
    const { user, asked } = await open('m-4');
    const group = await row();
    await user.click(group.getByRole('button', { name: 'Not about health' }));
    await waitFor(() => expect(topics()).toEqual(['Not about health · you said so']));
    expect(group.queryByText(NONE)).toBeNull(); // one was found, and is none
    await user.click(group.getByRole('button', { name: 'Add' }));
    await user.selectOptions(group.getByLabelText('Private topic'), 'beliefs');
    await user.click(group.getByRole('button', { name: 'Add' }));
    await waitFor(() => expect(topics()).toEqual(['Not about health · you said so', 'Beliefs · you said so']));
    await user.click(group.getByRole('button', { name: 'Leave “Health” to Keepsake again' }));
    await waitFor(() => expect(topics()).toEqual(['Health', 'Beliefs · you said so']));
    expect(asked('Library.MarkSensitive')).toEqual([['m-4', 'health', 'no'], ['m-4', 'beliefs', 'yes'], ['m-4', 'health', '']]);
  });

  it('are as they were after an undo', async () => {
    const { user } = await open('m-4');
    const group = await row();
    await user.click(group.getByRole('button', { name: 'Not about health' }));
    await waitFor(() => expect(topics()).toEqual(['Not about health · you said so']));
    await undo();
    await waitFor(() => expect(topics()).toEqual(['Health']));
  });

  it('tell why they could not be read, and say nothing else', async () => {
    const { card } = await open('m-0', 'Library.Sensitive');
    await card.findByText(/It did not work/);
    expect(card.queryByText(NONE)).toBeNull();
  });

  it('tell why they could not be changed', async () => {
    const { user, card } = await open('m-4', 'Library.MarkSensitive');
    await user.click((await row()).getByRole('button', { name: 'Not about health' }));
    await card.findByText(/It did not work/);
    expect(topics()).toEqual(['Health']);
  });

  it('can only be read in a vault that is frozen', async () => {
    vi.spyOn(vault, 'frozen', 'get').mockReturnValue(true);
    await open('m-4');
    const buttons = (await row()).getAllByRole('button');
    expect(topics()).toEqual(['Health']);
    expect(buttons.every((button) => button.matches(':disabled'))).toBe(true);
  });
});
