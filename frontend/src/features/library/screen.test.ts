import { cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { use, type VaultView } from '../../lib/backend';
import { chosen } from '../../lib/chosen.svelte';
import { vault } from '../../lib/vault.svelte';
import { Fake, type FakeOptions } from '../../lib/backend/fake';
import { speak } from '../../lib/i18n';
import { toasts } from '../../lib/toasts.svelte';
import { undo } from '../../lib/undo';
import LibraryScreen from './Library.svelte';

afterEach(async () => {
  cleanup();
  toasts.clear();
  await speak('en');
});

async function open(id = '', options: FakeOptions = {}) {
  const fake = new Fake(options);
  const calls = vi.spyOn(fake, 'call');
  use(fake);
  const onshow = vi.fn();
  render(LibraryScreen, { id, onshow, onimport: vi.fn() });
  await screen.findByText(/^[\d,.]+ (memor|mem[óo]r)/);
  if (id !== '') await screen.findByRole('article');
  const asked = (name: string) => calls.mock.calls.filter(([called]) => called === name);
  return { fake, user: userEvent.setup(), onshow, asked };
}

const card = () => within(screen.getByRole('article'));
const options = () => within(screen.getByRole('listbox', { name: 'Memories' })).queryAllByRole('option');
const facet = (name: RegExp) => within(screen.getByRole('navigation')).getByRole('button', { name });
const steps = () => within(card().getByRole('contentinfo')).queryAllByRole('button').map((b) => b.textContent?.trim());

describe('the list', () => {
  it('keeps a few dozen of ten thousand memories in the document', async () => {
    await open('', { size: 10_000 });
    expect(screen.getByText('10,000 memories')).toBeTruthy();
    expect(options().length).toBeGreaterThan(0);
    expect(options().length).toBeLessThan(60);
    expect(options()[0]?.getAttribute('aria-setsize')).toBe('10000');
  });

  it('asks once for what was typed, and says how many there are', async () => {
    const { asked } = await open();
    const before = asked('Library.List').length;
    // Faster than any hand, so that no key comes late on a busy machine.
    for (const value of ['t', 'te', 'tea']) void fireEvent.input(screen.getByLabelText('Search memories'), { target: { value } });
    await screen.findByText('2 memories');
    expect(asked('Library.List').length - before).toBe(1);
    expect(options().length).toBe(2);
  });

  it('narrows by a facet and shows all again', async () => {
    const { user } = await open();
    await user.click(facet(/^Skill/));
    await screen.findByText('4 memories');
    expect(facet(/^Skill/).getAttribute('aria-pressed')).toBe('true');
    await user.click(screen.getByRole('button', { name: 'Show all' }));
    await screen.findByText('60 memories');
  });

  it('moves by j and k, and Esc closes what was opened', async () => {
    const { user } = await open();
    screen.getByRole('listbox', { name: 'Memories' }).focus();
    await user.keyboard('jjk');
    const first = options()[0];
    expect(first?.getAttribute('aria-selected')).toBe('true');
    expect((await screen.findByRole('article')).textContent).toContain('Planning a week in Pelotas');
    await user.keyboard('{Escape}');
    expect(screen.queryByRole('article')).toBeNull();
    expect(document.activeElement?.getAttribute('role')).toBe('listbox');
  });

  it('opens the last of many by End, once it is here', async () => {
    const { user, asked } = await open('', { size: 10_000 });
    screen.getByRole('listbox', { name: 'Memories' }).focus();
    await user.keyboard('{End}');
    await screen.findByRole('article');
    expect(asked('Library.List').map(([, args]) => (args?.[0] as { offset: number }).offset)).toContain(9_900);
  });

  it('goes on to the memory by Enter, and to what relates it by r', async () => {
    const { user } = await open();
    await user.keyboard('j');
    const memory = await screen.findByRole('article');
    await user.keyboard('{Enter}');
    expect(document.activeElement).toBe(memory);
    await user.keyboard('r');
    const other = await screen.findByRole('combobox', { name: 'Which memory?' });
    expect(document.activeElement).toBe(other);
    await user.keyboard('{Escape}{Escape}');
    expect(screen.queryByRole('article')).toBeNull();
  });

  it('says what to do where nothing is found, and where there is nothing yet', async () => {
    const { user } = await open();
    await user.type(screen.getByLabelText('Search memories'), 'zzzz');
    await screen.findByText('No memory fits what you asked for.');
    expect(facet(/^Skill/).textContent).toContain('0');
    cleanup();
    use(new Fake({ size: 0 }));
    const onimport = vi.fn();
    render(LibraryScreen, { onshow: vi.fn(), onimport });
    await user.click(await screen.findByRole('button', { name: 'Import an export' }));
    expect(onimport).toHaveBeenCalled();
  });
});

it('window finding 15: pushes the head of a group away with the next, so that neither lies over the other', async () => {
  await open();
  const list = screen.getByRole('listbox', { name: 'Memories' });
  const heads = [...list.querySelectorAll<HTMLElement>('.slot:has(.head)')].map((slot) => Number(/translateY\((\d+)px\)/.exec(slot.style.transform)?.[1]));
  const next = heads.find((top) => top > 0) ?? expect.fail('one group only');
  const stuck = () => list.querySelector<HTMLElement>('.stuck')?.style.transform;
  for (const [scroll, moved] of [[next - 33, 0], [next - 32, 0], [next - 20, -12], [next - 1, -31], [next, 0]] as const) {
    list.scrollTop = scroll;
    await fireEvent.scroll(list);
    expect(stuck(), String(scroll - next)).toBe(`translateY(${moved}px)`);
  }
});

describe('where a memory comes from', () => {
  it.each([
    ['en', 'm-0', 'You told ChatGPT on'],
    ['en', 'm-3', 'You told Claude on'],
    ['en', 'm-5', 'ChatGPT noted this on'],
    ['en', 'm-2', 'You set this in Claude on'],
    ['pt-BR', 'm-0', 'Você contou ao ChatGPT em 3 de maio de 2025'],
    ['pt-BR', 'm-5', 'O ChatGPT anotou isto em 16 de março de 2025'],
    ['pt-BR', 'm-2', 'Você definiu isto no Claude em 19 de agosto de 2025'],
  ] as const)('%s, %s: %s', async (language, id, sentence) => {
    await speak(language);
    await open(id);
    expect(screen.getByRole('article').textContent).toContain(sentence);
  });

  it('shows where, at the very message', async () => {
    const { user, onshow } = await open('m-0');
    await user.click(card().getByRole('button', { name: 'Show me where' }));
    expect(onshow).toHaveBeenCalledWith('c-tea', 'm3');
  });

  it('does not offer a place it does not know', async () => {
    await open('m-5');
    expect(card().queryByRole('button', { name: 'Show me where' })).toBeNull();
  });
});

describe('the lifecycle', () => {
  it.each([
    ['active', 'm-0', ['Archive', 'Mark outdated', 'Replace…', 'Retract…']],
    ['deprecated', 'm-21', ['Archive', 'Retract…']],
    ['superseded', 'm-12', ['Archive']],
    ['retracted', 'm-32', []],
    ['archived', 'm-38', []],
  ])('%s offers its legal steps only', async (_status, id, offered) => {
    await open(id);
    expect(steps()).toEqual(offered);
  });

  it('explains retracting before it is done, draws it, and takes it back', async () => {
    const { user, fake } = await open('m-9');
    await user.click(card().getByRole('button', { name: 'Retract…' }));
    expect(card().getByText(/keeps the record/)).toBeTruthy();
    await user.click(card().getByRole('button', { name: 'Retract it' }));
    await card().findByText('Retracted: no longer true, the record is kept.');
    expect(screen.getByRole('article').querySelector('p.text.retracted')).not.toBeNull();
    expect(toasts.list.at(-1)?.text).toBe('Retracted. The record is kept.');
    toasts.list.at(-1)?.onaction?.();
    await waitFor(() => expect(steps()).toContain('Retract…'));
    expect(await fake.call('Library.Get', ['m-9'])).toMatchObject({ status: 'active' });
  });

  it('asks which memory takes over, and points to it', async () => {
    const { user, fake } = await open('m-9');
    await user.click(card().getByRole('button', { name: 'Replace…' }));
    const field = card().getByRole('combobox', { name: 'The memory that is right now' });
    await user.type(field, 'full draft');
    await card().findByRole('option', { name: /Finish a first full draft/ });
    await waitFor(() => expect(within(card().getByRole('listbox', { name: 'The memory that is right now' })).getAllByRole('option').length).toBe(1));
    await user.type(field, '{Enter}');
    await card().findByRole('button', { name: 'Show the memory that took its place' });
    expect(await fake.call('Library.Get', ['m-9'])).toMatchObject({ status: 'superseded', supersededBy: 'm-24' });
  });
});

describe('window finding 14: what can be done with the chosen memories', () => {
  const offered = () => chosen.commands.map(({ id }) => id);
  const run = (id: string) => chosen.commands.find((one) => one.id === id)?.act();

  it('is offered for the open one as it is now, and goes with the screen', async () => {
    await open('m-9');
    await waitFor(() => expect(offered()).toEqual(['edit', 'tag', 'type', 'circle', 'relate', 'archived', 'deprecated', 'superseded', 'retracted', 'stay', 'forget']));
    expect(chosen.said).not.toBe('');
    run('stay');
    await waitFor(() => expect(offered()).toContain('leave'));
    expect(offered()).not.toContain('stay');
    run('archived');
    await waitFor(() => expect(offered()).toEqual(['edit', 'tag', 'type', 'circle', 'relate', 'back', 'leave', 'forget']));
    cleanup();
    expect(offered()).toEqual([]);
  });

  it.each([
    ['a', 'archived', 'Archived.'],
    ['o', 'deprecated', 'Marked as outdated.'],
    ['n{Enter}', 'retracted', 'Retracted. The record is kept.'],
  ])('%s makes the open one %s', async (keys, status, said) => {
    const { user, fake } = await open('m-9');
    await waitFor(() => expect(offered()).toContain('archived'));
    await user.keyboard(keys);
    await waitFor(() => expect(toasts.list.at(-1)?.text).toBe(said));
    expect(await fake.call('Library.Get', ['m-9'])).toMatchObject({ status });
    await user.keyboard('u');
    await waitFor(() => expect(toasts.list.at(-1)?.text).toBe('It has the status that it had before.'));
    expect(await fake.call('Library.Get', ['m-9'])).toMatchObject({ status: 'active' });
  });

  it('has a key for each, which leads to where it is said', async () => {
    const { user, fake, asked } = await open('m-9');
    await waitFor(() => expect(offered()).toContain('tag'));
    await user.keyboard('t');
    expect(document.activeElement).toBe(card().getByLabelText('Add a tag'));
    await user.keyboard('night{Enter}');
    await waitFor(() => expect(asked('Library.Edit')).toHaveLength(1));
    card().getByLabelText('Add a tag').blur();
    await user.keyboard('y');
    expect(document.activeElement).toBe(card().getByLabelText('Type'));
    card().getByLabelText('Type').blur();
    await user.keyboard('s');
    await waitFor(() => expect(document.activeElement).toBe(card().getByRole('combobox', { name: 'The memory that is right now' })));
    await user.keyboard('{Escape}p');
    await waitFor(async () => expect(await fake.call('Library.Get', ['m-9'])).toMatchObject({ exportable: false, status: 'active' }));
    await user.keyboard('l');
    await waitFor(async () => expect(await fake.call('Library.Get', ['m-9'])).toMatchObject({ exportable: true }));
  });

  it('acts on all that are marked as one change, and two are related to each other', async () => {
    const { user, fake, asked } = await open();
    screen.getByRole('listbox', { name: 'Memories' }).focus();
    await user.keyboard('jxjx');
    await screen.findByText('2 marked');
    expect(offered()).toEqual(['tag', 'type', 'circle', 'relate', 'archived', 'retracted', 'back', 'stay', 'leave', 'forget']);
    expect(chosen.said).toBe('2 marked');
    await user.keyboard('r');
    await screen.findByRole('dialog', { name: 'How do they relate?' });
    await user.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    await user.keyboard('y');
    const type = within(screen.getByRole('toolbar')).getByRole('combobox', { name: 'Type' });
    expect(document.activeElement).toBe(type);
    await user.selectOptions(type, 'goal');
    await user.click(screen.getByRole('button', { name: 'Change it' }));
    await waitFor(() => expect(asked('Library.EditMany')).toHaveLength(1));
    expect(asked('Library.EditMany')[0]?.[1]?.[0]).toMatchObject({ type: 'goal', status: '', undoStatus: false });
    await waitFor(() => expect(toasts.list.at(-1)?.text).toContain('2 memories changed.'));
    await undo();
    screen.getByRole('listbox', { name: 'Memories' }).focus();
    await user.keyboard('x');
    await screen.findByText('1 marked');
    expect(offered()).not.toContain('relate');
    await user.keyboard('n{Enter}');
    await waitFor(() => expect(asked('Library.EditMany')).toHaveLength(2));
    const [id = ''] = (asked('Library.EditMany')[1]?.[1]?.[0] as { ids: string[] }).ids;
    expect(await fake.call('Library.Get', [id])).toMatchObject({ status: 'retracted' });
  });

  it('offers nothing in a vault that is frozen', async () => {
    vault.value = { ...((await new Fake().call('Vault.State', [])) as VaultView), frozen: true };
    await open('m-9');
    expect(offered()).toEqual([]);
    vault.value = undefined;
  });

  it('is taken back later from the history', async () => {
    const { user, fake } = await open('m-9');
    await waitFor(() => expect(offered()).toContain('deprecated'));
    run('deprecated');
    await card().findByText('Outdated');
    run('tag');
    await user.keyboard('late{Enter}');
    run('archived');
    await card().findByText('Archived.');
    await user.click(card().getByText('History'));
    await card().findByText('First kept');
    await user.click(within(screen.getByRole('article').querySelector<HTMLElement>('.history') ?? document.body).getByRole('button', { name: 'Back to “Outdated”' }));
    await waitFor(async () => expect(await fake.call('Library.Get', ['m-9'])).toMatchObject({ status: 'deprecated' }));
    await undo();
    await waitFor(async () => expect(await fake.call('Library.Get', ['m-9'])).toMatchObject({ status: 'archived' }));
  });
});

describe('mending', () => {
  it('edits the text in place and keeps it on Ctrl+Enter', async () => {
    const { user, fake } = await open('m-15');
    await user.click(card().getByRole('button', { name: 'Edit the text' }));
    const box = card().getByLabelText('Text of the memory');
    await user.clear(box);
    await user.type(box, 'The cat is called Bolota.{Control>}{Enter}{/Control}');
    await waitFor(() => expect(card().queryByLabelText('Text of the memory')).toBeNull());
    expect(await fake.call('Library.Get', ['m-15'])).toMatchObject({ content: 'The cat is called Bolota.' });
  });

  it('leaves the text as it was on Esc, and never keeps a blank one', async () => {
    const { user, asked } = await open('m-15');
    await user.click(card().getByRole('button', { name: 'Edit the text' }));
    await user.type(card().getByLabelText('Text of the memory'), ' and more{Escape}');
    await user.click(card().getByRole('button', { name: 'Edit the text' }));
    await user.clear(card().getByLabelText('Text of the memory'));
    await user.type(card().getByLabelText('Text of the memory'), '{Control>}{Enter}{/Control}');
    expect(asked('Library.Edit')).toEqual([]);
    expect(screen.getByRole('article').textContent).toContain('Bolota and is thirteen');
  });

  it('changes type, tags and whether it may leave', async () => {
    const { user, asked } = await open('m-15');
    await user.selectOptions(card().getByLabelText('Type'), 'context');
    await user.type(card().getByLabelText('Add a tag'), 'São João{Enter}');
    await user.click(await card().findByRole('button', { name: /^Who gets it/ }));
    await user.click(await card().findByRole('switch', { name: 'Nobody: it never leaves' }));
    await waitFor(() => expect(asked('Library.Edit').length).toBe(3));
    expect(asked('Library.Edit').map(([, [, edit]]) => edit)).toEqual([
      { type: 'context', customType: '' },
      { tags: ['home', 'cat', 'sao-joao'] },
      { exportable: false },
    ]);
    await card().findByText('Nobody, so it does not leave for Family');
  });

  it('says of a refused change why, where it happened', async () => {
    const { user, fake } = await open('m-15');
    const real = Fake.prototype.call.bind(fake);
    vi.spyOn(fake, 'call').mockImplementation(async (name, args) => {
      if (name === 'Library.Edit') throw new Error(JSON.stringify({ code: 'conflict', reason: 'same-memory', message: 'There is such a memory already.', hint: '', args: {} }));
      return real(name, args);
    });
    await user.selectOptions(card().getByLabelText('Type'), 'context');
    expect((await card().findByRole('alert')).textContent).toContain('There is such a memory already.');
  });

  it('relates two memories either way round, and removes the relation', async () => {
    const { user, fake } = await open('m-15');
    await user.click(card().getByRole('button', { name: 'Relate' }));
    await user.click(card().getByRole('radio', { name: 'contradicts' }));
    await user.click(card().getByRole('button', { name: 'Swap the two' }));
    expect(card().getByText('This memory is contradicted by …')).toBeTruthy();
    await user.type(card().getByRole('combobox', { name: 'Which memory?' }), 'sourdough');
    await user.click(await card().findByRole('option', { name: /sourdough/ }));
    await card().findByRole('button', { name: /is contradicted by.*sourdough/ });
    expect(await fake.call('Library.Get', ['m-47'])).toMatchObject({ relations: [{ type: 'contradicts', outgoing: true }] });
    await user.click(card().getByRole('button', { name: 'Remove the relation: is contradicted by' }));
    await card().findByText('Not related to another memory yet.');
  });

  it('opens the composer ready to write, and Esc puts away only that', async () => {
    const { user } = await open('m-15');
    await user.click(card().getByRole('button', { name: 'Relate' }));
    expect(document.activeElement).toBe(card().getByRole('combobox', { name: 'Which memory?' }));
    await user.keyboard('{Escape}');
    expect(card().queryByRole('combobox', { name: 'Which memory?' })).toBeNull();
    expect(document.activeElement).toBe(card().getByRole('button', { name: 'Relate' }));
  });

  it('writes a new memory and shows it', async () => {
    const { user } = await open();
    await user.click(screen.getAllByRole('button', { name: 'New memory' })[0] ?? document.body);
    await user.type(await screen.findByLabelText('What should be remembered'), 'Reads the last page first.');
    await user.click(screen.getByRole('radio', { name: 'Preference' }));
    await user.click(screen.getByRole('button', { name: 'Keep it' }));
    await screen.findByText('61 memories');
    expect(screen.getByRole('article').textContent).toContain('Reads the last page first.');
    expect(screen.getByRole('article').textContent).toContain('You wrote this here on');
  });

  it('shows a memory as it was once the last change is taken back', async () => {
    const { user } = await open('m-15');
    await user.click(card().getByRole('button', { name: 'Archive' }));
    await card().findByText('Archived.');
    await undo();
    await waitFor(() => expect(steps()).toContain('Archive'));
    expect(toasts.list.map((toast) => toast.text)).toEqual(['The memory is as it was.']);
  });
});

describe('window finding 13: how memories relate', () => {
  it('says nothing of a direction until a kind is chosen, and begins anew each time', async () => {
    const { user, fake } = await open('m-15');
    await user.click(card().getByRole('button', { name: 'Relate' }));
    expect(card().getByText('This memory is related to …')).toBeTruthy();
    await user.click(card().getByRole('radio', { name: 'contradicts' }));
    await user.click(card().getByRole('button', { name: 'Swap the two' }));
    await user.click(card().getByRole('button', { name: 'Relate' }));
    await user.click(card().getByRole('button', { name: 'Relate' }));
    await user.type(card().getByRole('combobox', { name: 'Which memory?' }), 'sourdough');
    await card().findByRole('option', { name: /sourdough/ });
    await user.keyboard('{Enter}');
    await card().findByRole('button', { name: /is related to.*sourdough/ });
    expect(await fake.call('Library.Get', ['m-15'])).toMatchObject({ relations: [{ type: 'related_to', outgoing: true, other: { id: 'm-47' } }] });
  });

  it('relates by Enter what was typed, and never a row from before', async () => {
    const { user, fake } = await open('m-15');
    await user.click(card().getByRole('button', { name: 'Relate' }));
    await card().findAllByRole('option');
    await user.keyboard('{Enter}');
    expect(await fake.call('Library.Get', ['m-15'])).toMatchObject({ relations: [] });
    await user.keyboard('sourdough{Enter}');
    await card().findByRole('button', { name: /is related to.*sourdough/ });
  });

  it('changes the kind of a relation, as one change that is taken back', async () => {
    const { user, fake } = await open('m-15');
    await user.click(card().getByRole('button', { name: 'Relate' }));
    await user.click(card().getByRole('radio', { name: 'supports' }));
    await user.type(card().getByRole('combobox', { name: 'Which memory?' }), 'sourdough{Enter}');
    await user.click(await card().findByRole('button', { name: 'Change the kind of relation: supports' }));
    await user.click(card().getByRole('radio', { name: 'contradicts' }));
    await user.click(card().getByRole('button', { name: 'Change it' }));
    await card().findByRole('button', { name: /^contradicts.*sourdough/ });
    expect(await fake.call('Library.Get', ['m-47'])).toMatchObject({ relations: [{ type: 'contradicts', outgoing: false }] });
    expect(await fake.call('Library.Undo', [])).toMatchObject({ kind: 'relation-kind' });
  });
});

it('shows what is like a memory, after the memory itself, and goes on to it', async () => {
  const { user, asked } = await open('m-3');
  expect(asked('Search.Similar')).toEqual([]);
  const section = await screen.findByRole('region', { name: 'Like this one' });
  const [first] = within(section).getAllByRole('button');
  if (!first) throw new Error('none is like it');
  const said = first.textContent.trim();
  await user.click(first);
  await waitFor(() => expect(card().getByText(said)).toBeTruthy());
});
