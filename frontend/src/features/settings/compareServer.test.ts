import { cleanup, render, screen, waitFor } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import axe from 'axe-core';
import { afterEach, expect, it, vi } from 'vitest';
import { use } from '../../lib/backend';
import { Fake } from '../../lib/backend/fake';
import CompareServer from './CompareServer.svelte';

afterEach(cleanup);

it('tries a program before it can be used, says what it answered and what it is sent, and stops', async () => {
  const user = userEvent.setup();
  const fake = new Fake();
  use(fake);
  const changed = vi.fn();
  const { container } = render(CompareServer, { onchange: changed });
  expect(screen.getByText(/nowhere else/)).toBeTruthy();
  const attempt = screen.getByRole('button', { name: 'Try it' });
  expect((attempt as HTMLButtonElement).disabled).toBe(true);
  await user.type(screen.getByLabelText('Model'), 'nomic-embed-text');
  expect(screen.queryByRole('button', { name: 'Use it' })).toBeNull();
  await user.click(attempt);
  await screen.findByText('It answered with 768 numbers for a text, in 21 ms.');
  expect(fake.server.view.address).toBe('');
  await user.click(screen.getByRole('button', { name: 'Use it' }));
  await screen.findByText('nomic-embed-text at http://127.0.0.1:11434 compares texts');
  expect(fake.server.view).toEqual({ api: 'ollama', address: 'http://127.0.0.1:11434', model: 'nomic-embed-text' });
  const { violations } = await axe.run(container, { rules: { 'color-contrast': { enabled: false }, region: { enabled: false } } });
  expect(violations.map((v) => v.id)).toEqual([]);
  await user.click(screen.getByRole('button', { name: 'Stop using it' }));
  await waitFor(() => expect(fake.server.view.address).toBe(''));
  expect(changed).toHaveBeenCalledTimes(2);
});

it('says why a program cannot be used, and offers no use of what was not tried', async () => {
  const user = userEvent.setup();
  use(new Fake());
  render(CompareServer, { onchange: () => {} });
  await user.type(screen.getByLabelText('Model'), 'm');
  await user.click(screen.getByRole('button', { name: 'Try it' }));
  await screen.findByRole('button', { name: 'Use it' });
  await user.type(screen.getByLabelText('Address'), '9');
  expect(screen.queryByRole('button', { name: 'Use it' })).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Try it' }));
  expect((await screen.findByRole('alert')).textContent).toContain('does not answer');
  expect(screen.queryByRole('button', { name: 'Use it' })).toBeNull();
});
