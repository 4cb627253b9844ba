import axe from 'axe-core';
import { cleanup, render, screen, waitFor, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { use, type VaultView } from '../../lib/backend';
import { Fake, type FakeOptions } from '../../lib/backend/fake';
import { speak, t } from '../../lib/i18n';
import { toasts } from '../../lib/toasts.svelte';
import { vault } from '../../lib/vault.svelte';
import Circles from './Circles.svelte';
import { listed } from './circles.svelte';
import { leaving, staying } from '../../lib/leaving';

afterEach(async () => {
  cleanup();
  vault.set((await new Fake().call('Vault.State', [])) as VaultView);
  await speak('en');
});

async function show(options: FakeOptions = {}) {
  const fake = new Fake(options);
  const calls = vi.spyOn(fake, 'call');
  use(fake);
  const onexport = vi.fn();
  const onhandoff = vi.fn();
  const { container } = render(Circles, { onexport, onhandoff });
  const asked = (name: string) => calls.mock.calls.filter(([called]) => called === name).map(([, args]) => args);
  const nav = () => within(screen.getByRole('navigation', { name: 'Circles' }));
  return { user: userEvent.setup(), fake, container, onexport, onhandoff, asked, nav };
}

const circle = (name: string) => screen.findByRole('heading', { level: 2, name });
const preview = { circle: { entity: 'x', name: 'X', types: [], tags: [], domains: [], topics: [], without: [], members: 12, unconfirmed: 0 }, leaves: 9, stays: [{ name: 'sensitive', count: 2 }, { name: 'status', count: 1 }], topics: [{ name: 'health', count: 2 }], byWords: 0, waiting: 0 };

describe('what leaves for a circle', () => {
  it.each([
    ['some', preview, ['9 of 12 memories leave.', '2 stay because they seem to be about health.', '1 stays because it is no longer current.']],
    ['of several topics', { ...preview, topics: [{ name: 'health', count: 2 }, { name: 'names', count: 1 }] }, ['9 of 12 memories leave.', '2 stay because they seem to be about health or names of others.', '1 stays because it is no longer current.']],
    ['all', { ...preview, leaves: 12, stays: [], topics: [] }, ['All 12 memories leave.']],
    ['nobody’s', { ...preview, leaves: 11, stays: [{ name: 'not-exportable', count: 1 }], topics: [] }, ['11 of 12 memories leave.', '1 stays because it is for nobody.']],
    ['none', { ...preview, leaves: 0, stays: [], circle: { ...preview.circle, members: 0 } }, ['No memory is in it yet.']],
  ])('is said of %s', (_, of, said) => expect([leaving(of), ...staying(of)]).toEqual(said));

  it('is said in Portuguese', async () => {
    await speak('pt-BR');
    expect([leaving(preview), ...staying(preview)]).toEqual(['Saem 9 de 12 memórias.', '2 ficam porque parecem ser sobre saúde.', '1 fica porque não vale mais.']);
  });
});

describe('the circles', () => {
  it('are listed with how many memories are in each, and what documents of others put there', async () => {
    const { nav } = await show();
    await circle('Dr. Lima');
    expect(nav().getAllByRole('button').map((b) => b.textContent.trim().replace(/\s+/g, ' '))).toEqual([
      'New circle…', 'Dr. Lima 5 memories', 'Family 7 memories 1 named by a document of somebody else', 'Work assistant 13 memories',
    ]);
    expect(nav().getByText('Nobody: 4 memories that never leave')).toBeTruthy();
    expect(nav().getByText('Everybody: 1 memory that is in every circle')).toBeTruthy();
  });

  it('say what leaves and what stays, what they are made of, and what was given', async () => {
    const { user, nav } = await show();
    await circle('Dr. Lima');
    await user.click(nav().getByRole('button', { name: /^Work assistant/ }));
    await circle('Work assistant');
    await screen.findByText('11 of 13 memories leave.');
    expect(screen.getByText('1 stays because it seems to be about names of others.')).toBeTruthy();
    expect(screen.getByText('1 stays because it is no longer current.')).toBeTruthy();
    expect(screen.getByText('Skill, Project, Instruction, Environment, Goal, or Preference')).toBeTruthy();
    expect(screen.getAllByRole('checkbox', { checked: true })).toHaveLength(8);
    const given = within(screen.getByRole('region', { name: 'Given until now' }));
    expect((await given.findAllByRole('listitem')).map((row) => row.textContent)).toEqual(['October 16, 202510 memories, as a text for ChatGPT']);
  });

  it('are filled when that is asked for, which one press undoes', async () => {
    const { user, asked } = await show();
    await circle('Dr. Lima');
    const add = await screen.findByRole('button', { name: /^Add/ }).catch(() => undefined);
    expect(add).toBeUndefined(); // what is about health is in it
    await user.click(screen.getByRole('button', { name: /^Family/ }));
    await screen.findByText(/^\d+ memories fit and are not in it\.$/);
    await user.click(screen.getByRole('button', { name: 'Add them' }));
    await waitFor(() => expect(toasts.list.at(-1)).toMatchObject({ text: expect.stringMatching(/^\d+ memories were added\.$/), action: 'Undo' }));
    expect(asked('Library.FillCircle')).toEqual([['family']]);
    await waitFor(() => expect(screen.queryByRole('button', { name: /^Add/ })).toBeNull());
  });

  it('take what a document of somebody else put there when that is asked for', async () => {
    const { user, asked } = await show();
    await circle('Dr. Lima');
    await user.click(screen.getByRole('button', { name: /^Family/ }));
    await user.click(await screen.findByRole('button', { name: 'Put it in' }));
    await waitFor(() => expect(toasts.list.at(-1)).toMatchObject({ text: '1 memory was added.', action: 'Undo' }));
    expect(asked('Library.ConfirmCircle')).toEqual([['family']]);
    await waitFor(() => expect(screen.queryByRole('button', { name: 'Put it in' })).toBeNull());
  });

  it('hold back a topic at once where it is ticked', async () => {
    const { user } = await show();
    await circle('Dr. Lima');
    await screen.findByText('3 of 5 memories leave.');
    await user.click(screen.getByRole('checkbox', { name: 'Family' }));
    await screen.findByText('3 of 5 memories leave.');
    expect(toasts.list.at(-1)).toMatchObject({ text: 'Dr. Lima is changed.', action: 'Undo' });
    await user.click(screen.getByRole('button', { name: /^Family 7/ }));
    await circle('Family');
    await user.click(screen.getByRole('checkbox', { name: 'Family' }));
    await screen.findByText(/seem to be about family\.$/);
  });

  it('are made, and a name that cannot be told from another is refused beside it', async () => {
    const { user, nav } = await show();
    await circle('Dr. Lima');
    await user.click(nav().getByRole('button', { name: 'New circle…' }));
    const name = await screen.findByRole('textbox', { name: 'Name' });
    await user.type(name, 'FAMILY');
    await user.click(screen.getByRole('button', { name: 'Make it' }));
    await within(screen.getByRole('dialog')).findByText(/There is a circle called Family/);
    await user.clear(name);
    await user.type(name, 'Orchestra');
    await user.click(screen.getByRole('button', { name: 'Skill' }));
    await user.type(screen.getByRole('textbox', { name: 'Tags, separated by commas' }), 'Music, music');
    await user.click(screen.getByRole('button', { name: 'Make it' }));
    await circle('Orchestra');
    expect(screen.getByText('music')).toBeTruthy();
    expect(toasts.list.at(-1)).toMatchObject({ text: 'Orchestra is made.' });
  });

  it('are deleted after a question, and the keyboard goes on in the list', async () => {
    const { user, asked, nav } = await show();
    await circle('Dr. Lima');
    await user.click(screen.getByRole('button', { name: 'Delete…' }));
    await screen.findByText(/Its memories stay/);
    await user.click(screen.getByRole('button', { name: 'Delete the circle' }));
    await circle('Family');
    expect(asked('Library.DropCircle')).toEqual([['dr-lima']]);
    expect(toasts.list.at(-1)).toMatchObject({ text: 'Dr. Lima is deleted. Its memories stay.', action: 'Undo' });
    await waitFor(() => expect(document.activeElement).toBe(nav().getByRole('button', { name: /^Family/ })));
  });

  it('lead to an export and to a text for them', async () => {
    const { user, onexport, onhandoff } = await show();
    await circle('Dr. Lima');
    await user.click(screen.getByRole('button', { name: 'Export for Dr. Lima' }));
    await user.click(screen.getByRole('button', { name: 'Hand off for Dr. Lima' }));
    expect(onexport).toHaveBeenCalledWith('dr-lima');
    expect(onhandoff).toHaveBeenCalledWith('dr-lima');
  });

  it('are gone through by keys', async () => {
    const { user } = await show();
    await circle('Dr. Lima');
    await user.keyboard('j');
    await circle('Family');
    expect(document.activeElement?.textContent).toContain('Family');
    await user.keyboard('{ArrowDown}{ArrowDown}k');
    await circle('Family');
  });

  it('are suggested where there are none, each made with one press', async () => {
    const { user, container, asked } = await show({ circles: 0 });
    await screen.findByText('Who gets what?');
    expect((await axe.run(container)).violations).toEqual([]);
    await user.click(screen.getByRole('button', { name: 'Work assistant' }));
    await circle('Work assistant');
    expect(asked('Library.MakeCircle')).toMatchObject([[{ types: ['skill', 'project', 'instruction', 'environment', 'goal', 'preference'] }]]);
    await screen.findByText('1 memory is in it, and leaves.'); // the one for everybody
  });

  it('show names that hide something, as many as there are', async () => {
    const { nav, container } = await show({ circles: 200 });
    await circle('Dr. Lima');
    expect(nav().getAllByRole('listitem')).toHaveLength(200);
    expect(nav().getByText('RLO')).toBeTruthy();
    expect(nav().getByText('ZWSP')).toBeTruthy();
    expect((await axe.run(container)).violations).toEqual([]);
  });

  it('say what went wrong, and ask again', async () => {
    const fake = new Fake();
    const real = fake.call.bind(fake);
    const call = vi.spyOn(fake, 'call').mockImplementation((name, args) => (name === 'Library.Circles' ? Promise.reject(new Error('The disk went away.')) : real(name, args)));
    use(fake);
    render(Circles, { onexport: vi.fn(), onhandoff: vi.fn() });
    await screen.findByRole('alert');
    call.mockImplementation(real);
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
    await circle('Dr. Lima');
  });

  it('are only read in a frozen vault', async () => {
    const { fake, nav, user } = await show();
    await circle('Dr. Lima');
    vault.set({ ...((await fake.call('Vault.State', [])) as VaultView), frozen: true });
    await waitFor(() => expect(screen.getByRole('button', { name: 'Delete…' })).toHaveProperty('disabled', true));
    expect(nav().getByRole('button', { name: 'New circle…' })).toHaveProperty('disabled', true);
    for (const box of screen.getAllByRole('checkbox')) expect(box).toHaveProperty('disabled', true);
    await user.click(nav().getByRole('button', { name: /^Family/ }));
    await circle('Family');
    expect(await screen.findByRole('button', { name: 'Add them' })).toHaveProperty('disabled', true);
    expect(screen.getByRole('button', { name: 'Export for Family' })).toHaveProperty('disabled', false);
  });

  it('can be used by everybody', async () => {
    const { container } = await show();
    await circle('Dr. Lima');
    await screen.findByText(/memories leave/);
    expect((await axe.run(container)).violations).toEqual([]);
    expect(t('screen.circles')).toBe('Circles');
  });

  it('have tags between commas', () => expect(listed(' a, ,b c ,a')).toEqual(['a', 'b c']));
});
