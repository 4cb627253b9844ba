import { cleanup, render, screen } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it } from 'vitest';
import { use, type VaultView } from '../../lib/backend';
import { Fake, type FakeOptions } from '../../lib/backend/fake';
import { vault as store } from '../../lib/vault.svelte';
import Unlock from './Unlock.svelte';

afterEach(cleanup);

async function open(options: FakeOptions = {}) {
  const fake = new Fake({ vault: 'locked', ...options });
  use(fake);
  render(Unlock, { vault: (await fake.call('Vault.State', [])) as VaultView, waiting: '' });
  return userEvent.setup();
}

describe('unlocking', () => {
  it('opens the vault, and leaves no passphrase in the field', async () => {
    const user = await open();
    const field = screen.getByLabelText<HTMLInputElement>('Passphrase');
    expect(document.activeElement).toBe(field);
    await user.type(field, 'correct horse{Enter}');
    expect(store.value?.unlocked).toBe(true);
    expect(field.value).toBe('');
  });

  it('says of a wrong passphrase that it is wrong, at the field', async () => {
    const user = await open();
    const field = screen.getByLabelText('Passphrase');
    await user.type(field, 'nope{Enter}');
    expect(field.getAttribute('aria-invalid')).toBe('true');
    expect(screen.getByRole('alert').textContent).toContain('This passphrase does not open the vault.');
    expect(screen.queryByText(/files are not as Keepsake wrote them/)).toBeNull();
  });

  it('says of a damaged vault that the passphrase is not the problem', async () => {
    const user = await open({ damaged: true });
    const field = screen.getByLabelText('Passphrase');
    await user.type(field, 'correct horse{Enter}');
    expect(field.getAttribute('aria-invalid')).toBeNull();
    expect(screen.getByRole('alert').textContent).toContain('Your passphrase is not the problem');
  });

  it('takes the recovery key as people type it', async () => {
    const user = await open();
    await user.click(screen.getByRole('button', { name: 'Use the recovery key' }));
    await user.type(screen.getByLabelText('Recovery key'), 'k7qm2 x4td9 3hnpa wzr8e j5vcy b6fgs{Enter}');
    expect(store.value?.unlocked).toBe(true);
  });

  it('shows what is typed when asked, and says that caps lock is on', async () => {
    const user = await open();
    const field = screen.getByLabelText<HTMLInputElement>('Passphrase');
    await user.click(screen.getByRole('button', { name: 'Show what is typed' }));
    expect(field.type).toBe('text');
    await user.click(field);
    await user.keyboard('{CapsLock}a');
    expect(screen.getByText('Caps lock is on.')).toBeTruthy();
  });
});
