import { cleanup, render, screen } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { use, type VaultView } from '../../lib/backend';
import { Fake, type FakeOptions } from '../../lib/backend/fake';
import { vault as store } from '../../lib/vault.svelte';
import Unlock from './Unlock.svelte';

afterEach(cleanup);

const onrestore = vi.fn();

async function open(options: FakeOptions = {}) {
  const fake = new Fake({ vault: 'locked', ...options });
  use(fake);
  render(Unlock, { vault: (await fake.call('Vault.State', [])) as VaultView, waiting: '', onrestore });
  return { user: userEvent.setup(), fake };
}

async function damaged() {
  const { user, fake } = await open({ damaged: true });
  await user.type(screen.getByLabelText('Passphrase'), 'correct horse{Enter}');
  await screen.findByRole('heading', { name: "The vault's files are damaged." });
  return { user, fake };
}

describe('unlocking', () => {
  it('opens the vault, and leaves no passphrase in the field', async () => {
    const { user } = await open();
    const field = screen.getByLabelText<HTMLInputElement>('Passphrase');
    expect(document.activeElement).toBe(field);
    await user.type(field, 'correct horse{Enter}');
    expect(store.value?.unlocked).toBe(true);
    expect(field.value).toBe('');
  });

  it('names the assistants that asked meanwhile, and tells somebody who looks elsewhere once', async () => {
    const { fake } = await open();
    expect(screen.queryByText(/asked for memories/)).toBeNull();
    vi.spyOn(document, 'hasFocus').mockReturnValue(false);
    for (const all of [['cursor'], ['cursor', 'zed\u202E']]) {
      fake.lockedOut = all;
      fake.tell('agents', {});
      await screen.findByText(all.length === 1 ? 'cursor asked for memories. Once you unlock, it can ask again.' : /^cursor and zed.+ asked for memories\. Once you unlock, they can ask again\.$/);
    }
    expect(document.body.textContent).not.toContain('\u202E');
    expect(fake.noticed).toEqual(['asked']);
    vi.restoreAllMocks();
  });

  it('says of a wrong passphrase that it is wrong, at the field', async () => {
    const { user } = await open();
    const field = screen.getByLabelText('Passphrase');
    await user.type(field, 'nope{Enter}');
    expect(field.getAttribute('aria-invalid')).toBe('true');
    expect(screen.getByRole('alert').textContent).toContain('This passphrase does not open the vault.');
    expect(screen.queryByText(/files are damaged/)).toBeNull();
  });

  it('says of a damaged vault that the passphrase is not the problem, and what was found', async () => {
    const { user } = await damaged();
    expect(screen.getByText(/Your passphrase is not the problem/)).toBeTruthy();
    expect(await screen.findByText('3 copies, the newest of October 18, 2025 at 8:12 AM')).toBeTruthy();
    expect(screen.getByText('7 changes since that copy')).toBeTruthy();
    await user.click(screen.getByRole('button', { name: 'Try to open it again' }));
    expect(screen.getByLabelText('Passphrase')).toBeTruthy();
  });

  it('leads from a vault that was found damaged while it was open to what brings it back', async () => {
    const fake = new Fake({ vault: 'open', damaged: true });
    use(fake);
    fake.lock('damaged');
    render(Unlock, { vault: (await fake.call('Vault.State', [])) as VaultView, waiting: '', onrestore });
    const user = userEvent.setup();
    expect(screen.getByRole('heading', { name: "The vault's files are damaged." })).toBeTruthy();
    expect(screen.getByText(/was found to be damaged/)).toBeTruthy();
    await user.type(await screen.findByLabelText('Passphrase'), 'correct horse');
    await user.click(screen.getByRole('button', { name: 'Try it out' }));
    expect(await screen.findByRole('button', { name: 'Bring the vault back' })).toBeTruthy();
    await user.click(screen.getByRole('button', { name: 'Try to open it again' }));
    expect(screen.getByRole('heading', { name: 'Welcome back.' })).toBeTruthy();
  });

  it('brings a damaged vault back: tried out first, then done, then opened', async () => {
    const { user, fake } = await damaged();
    const asked = vi.spyOn(fake, 'call');
    await user.type(await screen.findByLabelText('Passphrase'), 'nope');
    await user.click(screen.getByRole('button', { name: 'Try it out' }));
    expect(screen.getByText(/This passphrase does not open the vault/)).toBeTruthy();
    await user.clear(screen.getByLabelText('Passphrase'));
    await user.type(screen.getByLabelText('Passphrase'), 'correct horse{Enter}');
    expect(await screen.findByText('Nothing is lost.')).toBeTruthy();
    expect(asked.mock.lastCall).toEqual(['Care.Recover', ['correct horse', '', true]]);
    await user.click(screen.getByRole('button', { name: 'Bring the vault back' }));
    expect(await screen.findByText('vault.db.damaged-20251019T091500Z')).toBeTruthy();
    expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('The vault is back.');
    await user.click(screen.getByRole('button', { name: 'Open the vault' }));
    expect(store.value?.unlocked).toBe(true);
  });

  it('says how much would be lost, before it is', async () => {
    const { user, fake } = await damaged();
    fake.care.lost = 2;
    await user.type(await screen.findByLabelText('Passphrase'), 'correct horse{Enter}');
    expect(await screen.findByText('2 changes are in no copy and would be lost.')).toBeTruthy();
  });

  it('asks for a backup to restore', async () => {
    const { user } = await open();
    await user.click(screen.getByRole('button', { name: 'Restore a backup…' }));
    expect(onrestore).toHaveBeenCalled();
  });

  it('gives the vault a new passphrase for who forgot the old one', async () => {
    const { user, fake } = await open();
    const asked = vi.spyOn(fake, 'call');
    await user.click(screen.getByRole('button', { name: 'Use the recovery key' }));
    await user.type(screen.getByLabelText('Recovery key'), 'k7qm2 x4td9 3hnpa wzr8e j5vcy b6fgs');
    await user.click(screen.getByLabelText(/I forgot the passphrase/));
    await user.type(screen.getByLabelText('New passphrase'), 'another horse');
    await user.type(screen.getByLabelText('The same once more'), 'another horse{Enter}');
    expect(asked.mock.lastCall?.[0]).toBe('Keys.UseRecovery');
    expect(asked.mock.lastCall?.[1][1]).toBe('another horse');
  });

  it('takes the recovery key as people type it', async () => {
    const { user } = await open();
    await user.click(screen.getByRole('button', { name: 'Use the recovery key' }));
    await user.type(screen.getByLabelText('Recovery key'), 'k7qm2 x4td9 3hnpa wzr8e j5vcy b6fgs{Enter}');
    expect(store.value?.unlocked).toBe(true);
  });

  it('shows what is typed when asked, and says that caps lock is on', async () => {
    const { user } = await open();
    const field = screen.getByLabelText<HTMLInputElement>('Passphrase');
    await user.click(screen.getByRole('button', { name: 'Show what is typed' }));
    expect(field.type).toBe('text');
    await user.click(field);
    await user.keyboard('{CapsLock}a');
    expect(screen.getByText('Caps lock is on.')).toBeTruthy();
  });
});
