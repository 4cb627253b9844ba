import { cleanup, render, screen, waitFor } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it } from 'vitest';
import { use } from '../lib/backend';
import { Fake } from '../lib/backend/fake';
import { preferences } from '../lib/preferences.svelte';
import { place } from '../lib/route.svelte';
import App from './App.svelte';

afterEach(cleanup);

const SOON = 1_000; // milliseconds from a first call to the notice

async function open(waiting = 0) {
  const fake = new Fake({ waiting });
  use(fake);
  place.go('insights');
  await preferences.start();
  render(App);
  await screen.findByRole('heading', { level: 1, name: 'Insights' });
  return { fake, user: userEvent.setup() };
}

const notice = () => screen.queryByRole('region', { name: 'Assistants that wait' });

it('says on every screen that an assistant asks, and leads to its question', async () => {
  const { fake, user } = await open();
  expect(notice()).toBeNull();
  fake.agents.ask('zed');
  await waitFor(() => expect(notice()?.textContent).toContain('zed asks for memories'), { timeout: SOON });
  expect(notice()?.closest('[role=status]')).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Agents', description: '1 assistant waits for your answer' })).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Answer' }));
  await screen.findByRole('heading', { level: 2, name: 'zed asks for memories' });
  expect(notice()).toBeNull(); // the question itself is there
});

it('is told once, and again when another one asks', async () => {
  const { fake, user } = await open(2);
  await screen.findByText('gemini-cli and 1 other ask for memories');
  await user.click(screen.getByRole('button', { name: 'Later' }));
  expect(notice()).toBeNull();
  fake.tell('agents', {});
  fake.agents.ask('x\u202Ey');
  await waitFor(() => expect(notice()?.textContent).toMatch(/x.*RLO.*y asks for memories/), { timeout: SOON });
});
