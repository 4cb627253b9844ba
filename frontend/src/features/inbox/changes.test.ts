import axe from 'axe-core';
import { cleanup, render, screen, waitFor, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { use, type ProposalView } from '../../lib/backend';
import { Fake } from '../../lib/backend/fake';
import { speak } from '../../lib/i18n';
import { toasts } from '../../lib/toasts.svelte';
import Inbox from './Inbox.svelte';

afterEach(async () => {
  cleanup();
  toasts.clear();
  await speak('en');
});

type Change = NonNullable<ProposalView['change']>;

const memory = (id: string, content: string) => ({ id, type: 'fact', customType: '', status: 'active', content, clipped: false, tags: ['garden'] });
const update: Change = { kind: 'update', standing: '', memories: [memory('m-0', 'Grows red tomatoes.')], content: 'Grows green tomatoes.', type: '', tags: [], retags: false, relation: '' };
const retract: Change = { ...update, kind: 'retract', content: '' };
const relate: Change = { ...retract, kind: 'relate', relation: 'supports', memories: [memory('m-0', 'Grows tomatoes.'), memory('m-1', 'Has a garden.')] };

const proposal = (id: string, change?: Change): ProposalView => ({
  id, type: change ? '' : 'fact', content: change ? '' : 'Keeps bees.', rule: '', confidence: 1, platform: 'cursor', conversationId: '', messageId: '', saidAt: '2025-10-18T09:12:00Z', by: 'cursor', tags: [], reason: '', instructs: false,
  ...(change ? { change } : {}),
});

async function show(...items: ProposalView[]) {
  const fake = new Fake();
  fake.inbox.items = items;
  const calls = vi.spyOn(fake, 'call');
  use(fake);
  const onmemory = vi.fn();
  const { container } = render(Inbox, { onshow: vi.fn(), onmemory, onimport: vi.fn() });
  await screen.findByRole('article');
  return { container, onmemory, asked: (name: string) => calls.mock.calls.filter(([called]) => called === name).map(([, args]) => args) };
}

const article = () => within(screen.getByRole('article'));

describe('a change that an assistant proposes', () => {
  it('shows the memory, and word by word what would become of it', async () => {
    const { container, onmemory, asked } = await show(proposal('p-1', { ...update, type: 'skill', tags: ['food'], retags: true }));
    expect(article().getByText('cursor proposes to change this memory:')).toBeTruthy();
    const quote = container.querySelector('blockquote');
    expect([quote?.querySelector('del')?.textContent, quote?.querySelector('ins')?.textContent]).toEqual(['red', 'green']);
    expect([...container.querySelectorAll('.field')].map((row) => row.textContent)).toEqual(['TypeFact→Skill', 'Tagsgarden→food']);
    for (const name of [/^Edit/, /^Keep/]) expect(screen.queryByRole('button', { name })).toBeNull();
    await userEvent.keyboard('e');
    expect(screen.queryByRole('textbox')).toBeNull();
    await userEvent.click(article().getByRole('link', { name: 'Open the memory' }));
    expect(onmemory).toHaveBeenCalledWith('m-0');
    expect((await axe.run(container)).violations).toEqual([]);
    await userEvent.keyboard('a');
    await waitFor(() => expect(asked('Inbox.AcceptAll')).toEqual([[['p-1']]]));
    expect(toasts.list.at(-1)).toMatchObject({ text: '1 change was made.', action: 'Undo' });
  });

  it('shows what would be retracted, and what linked', async () => {
    const { container } = await show(proposal('p-1', retract), proposal('p-2', relate));
    expect(article().getByText('cursor proposes to retract this memory, as no longer true:')).toBeTruthy();
    expect(article().getByRole('button', { name: 'Retract it' })).toBeTruthy();
    expect(within(screen.getByRole('listbox')).getByRole('option', { selected: true }).textContent).toContain('Retraction of a memory');
    await userEvent.keyboard('j');
    expect(article().getByText('cursor proposes to link these two memories:')).toBeTruthy();
    expect(container.querySelector('.relation')?.textContent).toBe('supports');
    expect([...container.querySelectorAll('blockquote')].map((quote) => quote.textContent)).toEqual(['Grows tomatoes.', 'Has a garden.']);
    expect((await axe.run(container)).violations).toEqual([]);
  });

  it.each([['changed', /has changed since/], ['inactive', /not active any more/], ['gone', /no longer here/], ['outside', /cursor may not see/], ['hidden', /cursor is not shown all of this/]])(
    'cannot be accepted where the memory is %s', async (standing, says) => {
      const { asked } = await show(proposal('p-1', { ...update, standing, memories: standing === 'gone' ? [] : update.memories }));
      expect(article().getByRole('note').textContent).toMatch(says);
      expect(article().getByRole<HTMLButtonElement>('button', { name: 'Change it' }).disabled).toBe(true);
      await userEvent.keyboard('a');
      expect(asked('Inbox.AcceptAll')).toEqual([]);
      await userEvent.keyboard('r');
      await waitFor(() => expect(asked('Inbox.Reject')).toEqual([[['p-1']]]));
    });

  it('is accepted among others, without those that cannot be', async () => {
    const { asked } = await show(proposal('p-1', update), proposal('p-2'), proposal('p-3', { ...update, standing: 'changed' }));
    await userEvent.keyboard('xjxjx');
    await userEvent.click(screen.getByRole('button', { name: 'Accept 2' }));
    await waitFor(() => expect(asked('Inbox.AcceptAll')).toEqual([[['p-1', 'p-2']]]));
    expect(toasts.list.at(-1)?.text).toBe('2 proposals were accepted.');
  });

  it('can be listed alone, and the rest comes back after the last', async () => {
    const { asked } = await show(proposal('p-1', update), proposal('p-2'));
    await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Which proposals' }), 'Changes to memories');
    await waitFor(() => expect(screen.getAllByRole('option', { name: /cursor/ })).toHaveLength(1));
    expect(asked('Inbox.List').at(-1)).toEqual(['changes']);
    await userEvent.click(screen.getByRole('option', { name: /cursor/ }));
    await userEvent.keyboard('r');
    expect(await screen.findByText('Keeps bees.', { selector: '#said *, #said' })).toBeTruthy();
    await waitFor(() => expect(asked('Inbox.List').at(-1)).toEqual(['']));
  });

  it('speaks Portuguese, and shows what hides in a name', async () => {
    await speak('pt-BR');
    await show({ ...proposal('p-1', update), by: 'x\u202Ey' });
    expect(article().getByText('RLO', { selector: '#said *' })).toBeTruthy();
    expect(article().getByRole('button', { name: 'Alterar' })).toBeTruthy();
  });
});
