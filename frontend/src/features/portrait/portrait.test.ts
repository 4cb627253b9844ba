import axe from 'axe-core';
import { cleanup, render, screen, waitFor, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { use, type VaultView } from '../../lib/backend';
import { Fake, type FakeOptions } from '../../lib/backend/fake';
import { speak } from '../../lib/i18n';
import { toasts } from '../../lib/toasts.svelte';
import { vault } from '../../lib/vault.svelte';
import Portrait from './Portrait.svelte';

afterEach(async () => {
  cleanup();
  toasts.clear();
  vault.set((await new Fake().call('Vault.State', [])) as VaultView);
  await speak('en');
});

async function show(options: FakeOptions = {}, state: Partial<VaultView> = {}) {
  const fake = new Fake(options);
  const calls = vi.spyOn(fake, 'call');
  use(fake);
  vault.set({ ...((await fake.call('Vault.State', [])) as VaultView), ...state });
  const onmemory = vi.fn();
  const [onimport, onwrite, onlibrary] = [vi.fn(), vi.fn(), vi.fn()];
  const { container } = render(Portrait, { onmemory, onimport, onwrite, onlibrary });
  const asked = (name: string) => calls.mock.calls.filter(([called]) => called === name).map(([, args]) => args);
  await waitFor(() => expect(container.querySelector('.ghosts')).toBeNull());
  const chapter = (name: string) => within(screen.getByRole('region', { name: new RegExp(`^${name} `) }));
  const on = () => container.querySelector('li[aria-current]');
  const left = () => Number((screen.getByRole('status').textContent ?? '').replace(/\D/g, ''));
  return { user: userEvent.setup(), fake, container, onmemory, onimport, onwrite, onlibrary, asked, chapter, on, left };
}

describe('the portrait', () => {
  it('shows sentences by chapters, and who told each', async () => {
    const { chapter, container } = await show();
    expect(screen.getAllByRole('heading', { level: 2 })[0]?.textContent).toMatch(/^You/);
    expect(chapter('People').getAllByRole('listitem').length).toBeGreaterThan(0);
    expect(screen.getAllByText(/^Told by ChatGPT$/).length).toBeGreaterThan(0);
    expect(screen.getAllByText(/^Told by .* and .*, 3 times$/).length).toBeGreaterThan(0);
    expect((await axe.run(container, { rules: { region: { enabled: false } } })).violations).toEqual([]);
  });

  it('counts what is left, and says when nothing is', async () => {
    const { user, fake, left } = await show({ size: 3 });
    const before = left();
    expect(before).toBeGreaterThan(0);
    await user.keyboard('1');
    await waitFor(() => expect(screen.getByRole('progressbar').getAttribute('value')).toBe('1'));
    for (let i = 1; i < before; i++) await user.keyboard('1');
    await screen.findByText('You have reviewed all of it.');
    await fake.call('Library.Undo', []);
    await waitFor(() => expect(left()).toBe(1));
  });

  it('is reviewed by three keys, each going on to the next sentence', async () => {
    const { user, asked, on } = await show();
    const first = on()?.id ?? '';
    await user.keyboard('1');
    await waitFor(() => expect(on()?.id).not.toBe(first));
    expect(asked('Portrait.Confirm')).toEqual([[[first.replace('sentence-', '')]]]);
    const second = on()?.id ?? '';
    await user.keyboard('3');
    await waitFor(() => expect(document.getElementById(second)).toBeNull());
    expect(asked('Portrait.Retract')).toEqual([[[second.replace('sentence-', '')]]]);
    await user.keyboard('u');
    await waitFor(() => expect(document.getElementById(second)).not.toBeNull());
  });

  it('asks since when something is not true any more, and what holds instead', async () => {
    const { user, asked, on } = await show();
    const id = on()?.id.replace('sentence-', '');
    await user.keyboard('2');
    const dialog = within(await screen.findByRole('dialog'));
    await user.type(dialog.getByLabelText('Since when, if you know'), '2026-05-01');
    await user.type(dialog.getByLabelText('What holds instead, if anything'), 'Lives in Braga');
    await user.click(dialog.getByRole('button', { name: 'Save' }));
    await screen.findByText('Lives in Braga');
    expect(asked('Portrait.End')).toEqual([[id, '2026-05-01T00:00:00Z', 'Lives in Braga']]);
    expect(document.getElementById(`sentence-${id}`)).toBeNull();
  });

  it('lets a sentence be edited in place, kept to oneself, moved and shown', async () => {
    const { user, asked, on, onmemory } = await show();
    const id = on()?.id.replace('sentence-', '') ?? '';
    await user.keyboard('e');
    const field = await screen.findByRole('textbox', { name: 'Text of the memory' });
    await user.clear(field);
    await user.type(field, 'Something else 123');
    await user.click(screen.getByRole('button', { name: 'Save' }));
    await screen.findByText('Something else 123');
    expect(asked('Portrait.Confirm')).toEqual([]); // what is typed is no key
    await user.keyboard('p');
    await waitFor(() => expect(within(on() as HTMLElement).getByText('Stays with you')).toBeTruthy());
    expect(asked('Portrait.Keep')).toEqual([[[id], true]]);
    await user.selectOptions(screen.getByRole('combobox', { name: 'Chapter' }), 'Health');
    await waitFor(() => expect(asked('Portrait.Move')).toEqual([[[id], 'health']]));
    await user.keyboard('{Enter}');
    await user.click(within(on() as HTMLElement).getByRole('button', { name: 'Show in Library' }));
    expect(onmemory).toHaveBeenCalledWith(id);
  });

  it('offers to split a sentence that holds several facts, and no key does anything else meanwhile', async () => {
    const { user, fake, asked, on } = await show();
    const id = (on()?.id ?? '').replace('sentence-', '');
    expect(screen.queryByRole('button', { name: /^Split/ })).toBeNull();
    await user.keyboard('f');
    expect(screen.queryByRole('dialog')).toBeNull();
    await fake.call('Library.Edit', [id, { content: 'Has a dog; keeps bees' }]);
    await user.click(await screen.findByRole('button', { name: /^Split/ }));
    const sheet = within(await screen.findByRole('dialog', { name: 'Split into single facts' }));
    sheet.getByRole('button', { name: 'Leave out fact 1' }).focus();
    await user.keyboard('3');
    expect(asked('Portrait.Retract')).toEqual([]);
    expect((await axe.run(document.body, { rules: { region: { enabled: false } } })).violations).toEqual([]);
    await user.click(sheet.getByRole('button', { name: 'Make 2 memories' }));
    await waitFor(() => expect(asked('Portrait.Split')).toEqual([[id, ['Has a dog', 'keeps bees']]]));
    await waitFor(() => expect(toasts.list.at(-1)?.text).toBe('2 memories made of it. The whole is archived.'));
  });

  it('offers all of a chapter as true only once all of it was shown', async () => {
    const { user, asked, chapter } = await show({ size: 200 });
    expect(chapter('You').queryByRole('button', { name: 'All true: You' })).toBeNull();
    await user.click(chapter('You').getByRole('button', { name: /^Show all/ }));
    const all = await chapter('You').findByRole('button', { name: 'All true: You' });
    const shown = chapter('You').getAllByRole('listitem').length;
    expect(shown).toBeGreaterThan(12);
    await user.click(all);
    await waitFor(() => expect(chapter('You').queryByRole('button', { name: 'All true: You' })).toBeNull());
    expect((asked('Portrait.Confirm')[0]?.[0] as string[]).length).toBeLessThanOrEqual(shown);
    expect(chapter('You').getAllByRole('img', { name: 'Reviewed' })).toHaveLength(shown);
  });

  it('teaches where there is nothing yet', async () => {
    const { user, onimport, onwrite } = await show({ size: 0 });
    await user.click(await screen.findByRole('button', { name: 'Import an export' }));
    expect(onimport).toHaveBeenCalled();
    await user.click(screen.getByRole('button', { name: 'New memory' }));
    expect(onwrite).toHaveBeenCalled();
  });

  it('does not say that nobody told anything where memories are not active', async () => {
    const { user, onlibrary } = await show({ size: 0 }, { memories: 2 });
    await screen.findByText(/^None of your memories is active/);
    expect(screen.queryByText('Nobody has told anything yet')).toBeNull();
    await user.click(screen.getByRole('button', { name: 'To the library' }));
    expect(onlibrary).toHaveBeenCalled();
  });

  it('changes nothing while the vault is frozen', async () => {
    const { user, asked } = await show({}, { frozen: true });
    await user.keyboard('123p');
    expect([...asked('Portrait.Confirm'), ...asked('Portrait.Retract'), ...asked('Portrait.Keep')]).toEqual([]);
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  it('speaks Portuguese', async () => {
    await speak('pt-BR');
    await show();
    expect(screen.getAllByText(/^Dito por ChatGPT$/).length).toBeGreaterThan(0);
    expect(screen.getAllByRole('button', { name: /^Não mais/ }).length).toBeGreaterThan(0);
  });
});
