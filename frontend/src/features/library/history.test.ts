import { cleanup, render, screen, waitFor } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { allMemories, use } from '../../lib/backend';
import { Fake } from '../../lib/backend/fake';
import { place } from '../../lib/route.svelte';
import { toasts } from '../../lib/toasts.svelte';
import { redo, undo } from '../../lib/undo';
import { diff } from '../../lib/diff';
import { Library as Store } from './library.svelte';
import Library from './Library.svelte';
import { Marks } from './marks.svelte';

afterEach(() => {
  cleanup();
  toasts.clear();
});

async function opened() {
  const fake = new Fake({ vault: 'open' });
  use(fake);
  const library = new Store();
  await library.refresh();
  return { fake, library };
}

describe('a change in words', () => {
  it.each([
    ['Likes tea.', 'Likes green tea.', [['same', 'Likes '], ['new', 'green '], ['same', 'tea.']]],
    ['Has two cats.', 'Has a cat.', [['same', 'Has '], ['gone', 'two cats'], ['new', 'a cat'], ['same', '.']]],
    ['', 'New.', [['new', 'New.']]],
    ['Same.', 'Same.', [['same', 'Same.']]],
  ])('%s → %s', (before, after, expected) => {
    const pieces = diff(before, after);
    expect(pieces.filter((p) => p.kind !== 'new').map((p) => p.text).join('')).toBe(before);
    expect(pieces.filter((p) => p.kind !== 'gone').map((p) => p.text).join('')).toBe(after);
    if (before !== 'Has two cats.') expect(pieces.map((p) => [p.kind, p.text])).toEqual(expected);
  });

  it('shows very long texts whole, one after the other', () => {
    const long = 'word '.repeat(2_000);
    expect(diff(long, `${long}more`).map((p) => p.kind)).toEqual(['gone', 'new']);
  });
});

describe('many at once', () => {
  it('marks a run, changes it as one, and undoes and redoes it', async () => {
    const { library } = await opened();
    const marks = new Marks(library);
    marks.toggle(library.row(0), 0);
    marks.extend(2);
    expect(marks.count).toBe(3);
    expect(await marks.apply({ addTags: ['kept'] })).toEqual({ changed: 3, left: 0 });
    expect(marks.count).toBe(0);
    const tagged = async () => (await import('../../lib/backend')).backend.Library.Facets(allMemories).then((f) => f.tags.find((c) => c.name === 'kept')?.count ?? 0);
    expect(await tagged()).toBe(3);
    await undo();
    expect(await tagged()).toBe(0);
    await redo();
    expect(await tagged()).toBe(3);
    await redo();
    expect(toasts.list.at(-1)?.fault?.reason).toBe('nothing-to-redo');
  });

  it('changes all that the list shows, and says what could not follow', async () => {
    const { library } = await opened();
    library.toggle('statuses', 'archived');
    await library.refresh(true);
    const marks = new Marks(library);
    marks.everything();
    expect(marks.count).toBe(library.total);
    expect(await marks.apply({ status: 'retracted' })).toEqual({ changed: 0, left: 1 });
  });
});

describe('undo', () => {
  it('takes no import back by one press, and points to where it says what would go', async () => {
    const fake = new Fake();
    use(fake);
    const real = fake.call.bind(fake);
    const asked: string[] = [];
    vi.spyOn(fake, 'call').mockImplementation(async (name, args) => {
      asked.push(name);
      return name === 'Library.LastChange' ? { id: 'c', at: '', kind: 'import', subjects: [] } : real(name, args);
    });
    await undo();
    expect(asked).not.toContain('Library.Undo');
    expect(toasts.list.at(-1)).toMatchObject({ text: 'The newest change is an import. It can be undone in its report, which says what would go.', action: 'Show imports' });
    toasts.list.at(-1)?.onaction?.();
    await waitFor(() => expect(place.now.screen).toBe('import'));
  });
});

describe('the library', () => {
  it('marks by key, keeps a view and shows a history', async () => {
    use(new Fake({ vault: 'open' }));
    const user = userEvent.setup();
    render(Library, { onshow: () => {}, onimport: () => {} });
    await user.type(await screen.findByRole('textbox', { name: 'Search memories' }), 'tea');
    await screen.findByRole('button', { name: 'Keep this view' });
    screen.getAllByRole('listbox')[0]?.focus();
    await user.keyboard('v');
    await user.keyboard('About tea{Enter}');
    expect(await screen.findByRole('button', { name: 'About tea', pressed: true })).toBeTruthy();
    await user.click(screen.getByRole('button', { name: 'Remove the view About tea' }));
    await waitFor(() => expect(screen.queryByRole('button', { name: 'About tea' })).toBeNull());
    const said = toasts.list.at(-1);
    expect(said).toMatchObject({ text: 'The view About tea is removed.', action: 'Undo' });
    said?.onaction?.();
    expect(await screen.findByRole('button', { name: 'About tea', pressed: true })).toBeTruthy();
    const list = screen.getAllByRole('listbox')[0];
    list?.focus();
    await user.keyboard('jx');
    expect(await screen.findByText('1 marked')).toBeTruthy();
    await user.keyboard('b');
    expect(document.activeElement?.closest('[role=toolbar]')).toBeTruthy();
    await user.keyboard('{Escape}');
    expect(screen.queryByText('1 marked')).toBeNull();
  });
});
