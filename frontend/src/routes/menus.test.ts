import { cleanup, render, screen, waitFor } from '@testing-library/svelte';
import { afterEach, expect, it } from 'vitest';
import { use } from '../lib/backend';
import { Fake, type FakeOptions } from '../lib/backend/fake';
import { preferences } from '../lib/preferences.svelte';
import { place } from '../lib/route.svelte';
import App from './App.svelte';

afterEach(cleanup);

async function open(options: FakeOptions = {}) {
  const fake = new Fake(options);
  use(fake);
  place.go('library');
  await preferences.start();
  render(App);
  return fake;
}

const title = (name: string) => screen.findByRole('heading', { level: 1, name });

it('the menu bar does what the palette does', async () => {
  const fake = await open();
  await title('Library');
  for (const [command, name] of [['insights', 'Insights'], ['guides', 'Import'], ['about', 'Settings']] as const) {
    fake.tell('menu', { command });
    await title(name);
  }
  fake.tell('menu', { command: 'export' });
  await screen.findByRole('dialog', { name: 'Export signed PAM' });
  fake.tell('menu', { command: 'graph' }); // a dialog is answered first
  await title('Settings');
  fake.tell('menu', { command: 'lock' });
  await screen.findByLabelText('Passphrase');
});

it('the menu bar says what has to be done first', async () => {
  const fake = await open({ vault: 'locked' });
  await screen.findByLabelText('Passphrase');
  fake.tell('menu', { command: 'new' });
  await screen.findByText('Open the vault first.');
  expect(screen.queryByRole('dialog')).toBeNull();
});

it('the menu bar changes nothing that is frozen', async () => {
  const fake = await open();
  await title('Library');
  await fake.call('Care.Freeze', [true]);
  await screen.findByText('The vault is frozen.');
  fake.tell('menu', { command: 'new' });
  await waitFor(() => expect(screen.getAllByText('The vault is frozen, so nothing can be changed.').length).toBeGreaterThan(0));
  expect(screen.queryByRole('dialog')).toBeNull();
});
