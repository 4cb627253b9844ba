import axe from 'axe-core';
import { cleanup, render, screen, waitFor } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';
import { use, type ProposalView } from '../../lib/backend';
import { Fake } from '../../lib/backend/fake';
import Inbox from './Inbox.svelte';

afterEach(cleanup);

const proposal: ProposalView = {
  id: 'p-1', type: 'fact', content: 'Keeps bees.', rule: '', confidence: 1, platform: 'cursor', conversationId: '', messageId: '', saidAt: '2025-10-18T09:12:00Z', by: 'cursor', tags: ['garden'],
  reason: 'You said so while we planned the shed.', instructs: false,
};

async function show(of: Partial<ProposalView> = {}) {
  const fake = new Fake();
  fake.inbox.items = [{ ...proposal, ...of }, { ...proposal, id: 'p-2', content: 'Has two sheds.' }];
  const calls = vi.spyOn(fake, 'call');
  use(fake);
  const { container } = render(Inbox, { onshow: vi.fn(), onmemory: vi.fn(), onimport: vi.fn() });
  await screen.findByRole('article');
  return { fake, container, asked: (name: string) => calls.mock.calls.filter(([called]) => called === name).map(([, args]) => args) };
}

it('says who proposed a memory, why, and with which tags', async () => {
  const { container } = await show();
  expect(screen.getByText('Proposed by cursor on October 18, 2025.')).toBeTruthy();
  expect(screen.getByText('Its reason: You said so while we planned the shed.')).toBeTruthy();
  expect(screen.getByText('Tags: garden')).toBeTruthy();
  expect(screen.queryByText(/tells an assistant what to do/)).toBeNull();
  for (const name of ['Show me where', /^Mark the/]) expect(screen.queryByRole('button', { name })).toBeNull();
  expect((await axe.run(container)).violations).toEqual([]);
});

it('warns of one that tells an assistant what to do', async () => {
  await show({ instructs: true, reason: '', by: 'x\u202Ey', tags: [] });
  expect(screen.getByText('This tells an assistant what to do. Accept it only if you want that.')).toBeTruthy();
  expect(screen.getByText('It gave no reason.')).toBeTruthy();
  expect(screen.getAllByText('RLO').length).toBeGreaterThan(0);
});

it('keeps its tags when its words are changed', async () => {
  const { asked } = await show();
  await userEvent.keyboard('e');
  await userEvent.type(screen.getByRole('textbox', { name: 'The words of the memory' }), ' Two hives.');
  await userEvent.click(screen.getByRole('button', { name: 'Keep it so' }));
  await waitFor(() => expect(asked('Inbox.Accept')).toEqual([['p-1', { content: 'Keeps bees. Two hives.', type: 'fact', tags: ['garden'] }]]));
});
