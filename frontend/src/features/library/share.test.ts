import axe from 'axe-core';
import { cleanup, render, screen, waitFor, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { use, type MemoryView, type VaultView } from '../../lib/backend';
import { Fake, type FakeOptions } from '../../lib/backend/fake';
import { blank } from '../../lib/backend/sampleMemories';
import { speak } from '../../lib/i18n';
import { vault } from '../../lib/vault.svelte';
import { pathOf } from './certainty';
import { Library } from './library.svelte';
import LibraryScreen from './Library.svelte';
import { Marks } from './marks.svelte';
import { besides, whoGets } from './whoGets';

afterEach(async () => {
  cleanup();
  await speak('en');
});

async function open(id: string, options: FakeOptions = {}) {
  const fake = new Fake(options);
  const calls = vi.spyOn(fake, 'call');
  use(fake);
  render(LibraryScreen, { id, onshow: vi.fn(), onimport: vi.fn() });
  const card = within(await screen.findByRole('article'));
  const asked = (name: string) => calls.mock.calls.filter(([called]) => called === name).map(([, args]) => args);
  return { user: userEvent.setup(), fake, card, asked };
}

const line = (card: ReturnType<typeof within>) => card.findByRole('button', { name: /^Who gets it / });
const said = async (card: ReturnType<typeof within>) => (await line(card)).textContent.trim();

describe('who gets a memory', () => {
  it.each([
    ['m-0', 'Only me'],
    ['m-5', 'Family'],
    ['m-59', 'Work assistant (stays: it seems to be about a private topic)'],
    ['m-4', 'Nobody, so it does not leave for Dr. Lima'],
    ['m-45', 'Nobody, so it does not leave for Dr. Lima or Family'],
    ['m-26', 'Nobody'],
    ['m-36', 'Everybody'],
    ['m-20', 'Only me'],
  ])('is one line: %s, %s', async (id, text) => {
    const { card } = await open(id);
    expect(await said(card)).toBe(text);
  });

  it('says where a memory stays that is no longer current, and what a circle may do beside reading', async () => {
    const outdated = await open('m-21');
    expect(await said(outdated.card)).toBe('Work assistant');
    expect(outdated.card.getByText('It leaves for no circle, because it is no longer current.')).toBeTruthy();
    cleanup();
    const { card } = await open('m-13');
    expect(await card.findByText('Work assistant may also change it.')).toBeTruthy();
  });

  it('is changed by a tick for each circle, by keys alone', async () => {
    const { user, card, asked } = await open('m-0');
    (await line(card)).focus();
    await user.keyboard('{Enter}');
    const box = await card.findByRole('checkbox', { name: 'Dr. Lima' });
    expect(document.activeElement).toBe(box);
    await user.keyboard(' ');
    await waitFor(async () => expect(await said(card)).toBe('Dr. Lima'));
    expect(asked('Library.JoinCircle')).toEqual([['dr-lima', ['m-0'], true]]);
    await user.keyboard(' ');
    await waitFor(async () => expect(await said(card)).toBe('Only me'));
    await user.keyboard('{Escape}');
    expect(document.activeElement).toBe(await line(card));
    expect(card.queryByRole('checkbox', { name: 'Dr. Lima' })).toBeNull();
  });

  it('keeps what else a circle may do where another one is ticked', async () => {
    const { user, card, fake } = await open('m-13');
    await user.click(await line(card));
    await user.click(await card.findByRole('checkbox', { name: 'Family' }));
    await waitFor(async () => expect(await said(card)).toBe('Family and Work assistant'));
    const { sharedWith } = (await fake.call('Library.Get', ['m-13'])) as MemoryView;
    expect(sharedWith).toContainEqual({ entity: 'work-assistant', permissions: ['read', 'write'] });
  });

  it('is nobody, or everybody, where that is said', async () => {
    const { user, card, asked } = await open('m-5');
    await user.click(await line(card));
    await user.click(await card.findByRole('switch', { name: 'Nobody: it never leaves' }));
    await waitFor(async () => expect(await said(card)).toBe('Nobody, so it does not leave for Family'));
    await user.click(card.getByRole('switch', { name: 'Nobody: it never leaves' }));
    await user.click(card.getByRole('checkbox', { name: 'Everybody: every circle gets it' }));
    await waitFor(async () => expect(await said(card)).toBe('Everybody, but it stays for Work assistant: it seems to be about a private topic'));
    expect(card.getByRole('checkbox', { name: 'Dr. Lima' })).toMatchObject({ checked: true, disabled: true });
    await user.click(card.getByRole('checkbox', { name: 'Everybody: every circle gets it' }));
    await waitFor(async () => expect(await said(card)).toBe('Family'));
    expect(asked('Library.Edit').map(([, edit]) => edit)).toEqual([{ exportable: false }, { exportable: true }, { visibility: 'public' }, { visibility: 'shared' }]);
  });

  it('may be a circle that is made here', async () => {
    const { user, card } = await open('m-0');
    await user.click(await line(card));
    await user.type(await card.findByLabelText('Name of a new circle'), 'Neighbours{Enter}');
    await waitFor(async () => expect(await said(card)).toBe('Neighbours'));
    expect(card.getByRole('checkbox', { name: 'Neighbours' })).toHaveProperty('checked', true);
  });

  it('is not whom a document of somebody else names, before it is added', async () => {
    const { user, card } = await open('m-20');
    expect(await card.findByText('Named by a document of somebody else: Family')).toBeTruthy();
    await user.click(card.getByRole('button', { name: 'Add it' }));
    await waitFor(async () => expect(await said(card)).toBe('Family'));
    expect(card.queryByText(/^Named by a document/)).toBeNull();
  });

  it('may be given what is about a private topic where the person puts it in by hand', async () => {
    const { user, card } = await open('m-59');
    await user.click(await card.findByRole('button', { name: 'Let it leave for Work assistant' }));
    await waitFor(async () => expect(await said(card)).toBe('Work assistant'));
  });

  it('can be read and not changed in a frozen vault', async () => {
    const { card, fake } = await open('m-5');
    await line(card);
    vault.set({ ...((await fake.call('Vault.State', [])) as VaultView), frozen: true });
    await waitFor(async () => expect((await line(card)).closest('fieldset')).toHaveProperty('disabled', true));
    vault.set((await fake.call('Vault.State', [])) as VaultView);
  });

  it('can be found among many, by everybody', async () => {
    const { user, card } = await open('m-0', { circles: 200 });
    await user.click(await line(card));
    await user.type(await card.findByRole('searchbox', { name: 'Find a circle' }), 'group 12');
    expect(card.getAllByRole('checkbox').filter((box) => box.closest('li'))).toHaveLength(11);
    const editor = card.getByRole('list', { name: 'Circles' }).parentElement as HTMLElement;
    expect((await axe.run(editor)).violations).toEqual([]);
  });

  it('was given when and how', async () => {
    const { card } = await open('m-13');
    const heading = await card.findByText('Given until now');
    const rows = [...(heading.closest('details') as HTMLElement).querySelectorAll('li')];
    expect(rows.map((row) => row.textContent)).toEqual(['October 16, 2025To Work assistant: a text for ChatGPT', 'October 12, 2025In your own export: keepsake-2025-10-12-incremental.pam.json']);
  });

  it('does not take a permission to change for one to read', () => {
    const memory = { ...blank('m'), visibility: 'shared', sharedWith: [{ entity: 'e', permissions: ['write', 'delete'] }] };
    const circle = { entity: 'e', name: 'Ana\u202E', stays: 'unconfirmed' };
    expect(whoGets(memory, [circle])).toBe('Only me');
    expect(besides(memory, circle)).toBe('Ana[RLO] may change and delete it, but not read it.');
    expect(besides({ ...memory, visibility: 'private' }, circle)).toBe('');
  });

  it('knows more names than can be said', () => {
    const many = Array.from({ length: 40 }, (_, i) => ({ entity: `e${i}`, name: `N${i}`, stays: '' }));
    expect(whoGets({ ...blank('m'), visibility: 'shared' }, many)).toBe('N0, N1, N2, N3, N4, N5, N6, N7, and 32 more');
  });
});

describe('many memories', () => {
  it('are put into a circle together', async () => {
    const { user, asked } = await open('m-0');
    const rows = within(screen.getByRole('listbox', { name: 'Memories' }));
    await rows.findAllByRole('option');
    await user.keyboard('x');
    screen.getByRole('listbox', { name: 'Memories' }).focus();
    await user.keyboard('{Shift>}j{/Shift}c');
    const chooser = await screen.findByRole('combobox', { name: 'Circle' });
    await user.selectOptions(chooser, 'family');
    await user.click(screen.getByRole('button', { name: 'Put in' }));
    await waitFor(() => expect(asked('Library.JoinCircle')).toHaveLength(1));
    const [entity, ids, into] = asked('Library.JoinCircle')[0] ?? [];
    expect([entity, into]).toEqual(['family', true]);
    expect((ids as string[]).length).toBeGreaterThan(0);
  });

  it('are asked for page by page where all are marked', async () => {
    const fake = new Fake({ size: 450 });
    use(fake);
    const library = new Library();
    await library.refresh();
    const marks = new Marks(library);
    marks.everything();
    expect(await marks.join('family', true)).toBe(450 - 6);
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
