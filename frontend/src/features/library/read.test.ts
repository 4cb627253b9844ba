import axe from 'axe-core';
import { cleanup, render, screen, waitFor } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';
import { ANY_CALL } from '../../lib/agents';
import { use, type AgentCallsView } from '../../lib/backend';
import { Fake } from '../../lib/backend/fake';
import ReadBy from './ReadBy.svelte';

afterEach(cleanup);

const call = (agent: string, at: string, tool = 'get_memory') => ({ number: 1, agent, at, tool, memories: 1, bytes: 200, refused: '' });

function show(answer: AgentCallsView) {
  const fake = new Fake();
  const real = fake.call.bind(fake);
  const asked = vi.spyOn(fake, 'call').mockImplementation((name, args) => (name === 'Library.AgentCalls' ? Promise.resolve(answer) : real(name, args)));
  use(fake);
  return { ...render(ReadBy, { of: 'm-3' }), fake, asked };
}

it('says which assistant read a memory, how often, and opens the list', async () => {
  const { container, asked } = show({ total: 2, items: [call('cursor', '2025-10-18T09:00:00Z'), call('cursor', '2025-10-02T09:00:00Z', 'new_tool')] });
  await userEvent.click(await screen.findByText('Read by cursor, 2 times, last October 18, 2025'));
  expect(screen.getAllByRole('listitem').map((row) => row.querySelector('span')?.textContent)).toEqual(['cursor · Open a memory', 'cursor · new_tool']);
  expect(asked).toHaveBeenCalledWith('Library.AgentCalls', [{ ...ANY_CALL, memory: 'm-3', limit: 100 }]);
  expect((await axe.run(container)).violations).toEqual([]);
});

it.each([
  ['several', { total: 2, items: [call('cursor', '2025-10-18T09:00:00Z'), call('zed', '2025-10-02T09:00:00Z')] }, 'Read 2 times, last by cursor, October 18, 2025'],
  ['more than are listed', { total: 300, items: [call('cursor', '2025-10-18T09:00:00Z')] }, 'Read 300 times, last by cursor, October 18, 2025'],
])('names the last of %s, for others may be among them', async (_, answer, said) => {
  show(answer);
  await screen.findByText(said);
});

it('says nothing where none did, and tells what is read meanwhile', async () => {
  const { fake, asked } = show({ total: 0, items: [] });
  await waitFor(() => expect(asked).toHaveBeenCalledTimes(1));
  expect(screen.queryByText(/^Read/)).toBeNull();
  asked.mockResolvedValue({ total: 1, items: [call('zed', '2025-10-18T09:00:00Z')] });
  fake.tell('agents', {});
  await screen.findByText('Read by zed, 1 time, last October 18, 2025', {}, { timeout: 2_000 });
});
