import { cleanup, render, screen, waitFor, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it } from 'vitest';
import { use } from '../../lib/backend';
import { Fake } from '../../lib/backend/fake';
import Signers from './Signers.svelte';

afterEach(cleanup);

const STRANGER = 'did:key:z6MkpTHR8VNsBxYAAWHut2Geadd9jSwuBV8xRoAnwWsdvktH';

async function open(frozen = false) {
  const fake = new Fake();
  use(fake);
  render(Signers, { frozen });
  await screen.findByRole('article', { name: 'Your key' });
  return { fake, user: userEvent.setup() };
}

describe('signing keys', () => {
  it('shows the key in use, the earlier ones, and the people one knows', async () => {
    await open();
    expect(screen.getByRole('article', { name: 'Your key' }).textContent).toContain('linenharborcopperwalnutmeadowlantern');
    expect(screen.getByText('amber kettle orchid tunnel velvet prairie')).toBeTruthy();
    expect(screen.getByText('Ana Souza')).toBeTruthy();
    expect(screen.getByText(/known since .* from ana-2025-03\.pam\.json/)).toBeTruthy();
  });

  it('copies the key in both forms and saves it for others', async () => {
    const { fake, user } = await open();
    await user.click(screen.getByText('The key, for other programs'));
    await user.click(screen.getByRole('button', { name: 'Copy the key: did:key' }));
    expect(fake.clipboard).toBe('did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK');
    await user.click(screen.getByRole('button', { name: 'Copy the key: Short form' }));
    expect(fake.clipboard).toBe('z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK');
    await user.click(screen.getByRole('button', { name: 'Save it for others' }));
    await screen.findByText(/keepsake-public-key\.json, \/home/);
  });

  it('shows the key as a QR code', async () => {
    const { user } = await open();
    await user.click(screen.getByRole('button', { name: 'Show as QR code' }));
    const code = screen.getByRole('img', { name: 'Your key as a QR code' });
    // 56 characters in bytes at level M are a code of version 4: 33 modules and a margin of 4 on each side.
    expect(code.getAttribute('viewBox')).toBe('0 0 41 41');
  });

  it('makes a new key after saying what it means', async () => {
    const { user } = await open();
    await user.click(screen.getByRole('button', { name: 'New key' }));
    const sheet = await screen.findByRole('dialog');
    expect(sheet.textContent).toContain('the old one signs a statement');
    expect(sheet.textContent).toContain('Nobody else is told');
    await user.click(screen.getByRole('button', { name: 'Make a new key' }));
    await waitFor(() => expect(screen.getByRole('article', { name: 'Your key' }).textContent).toContain('gardenpilotmarble'));
    expect(screen.getByText('linen harbor copper walnut meadow lantern')).toBeTruthy();
  });

  it('revokes from a day on', async () => {
    const { fake, user } = await open();
    const list = screen.getByText('amber kettle orchid tunnel velvet prairie').closest('li');
    await user.click(within(list as HTMLElement).getByRole('button', { name: 'Revoke' }));
    const day = await screen.findByLabelText('It does not count since');
    await user.clear(day);
    await user.type(day, '2025-05-01');
    await user.click(screen.getByRole('button', { name: 'Revoke the key' }));
    await screen.findByText(/revoked since/);
    expect(fake.signers.view.own[1]?.revokedAt).toBe('2025-05-01T00:00:00Z');
  });

  it('renames and removes the key of somebody', async () => {
    const { user } = await open();
    await user.click(screen.getByRole('button', { name: 'Rename: Ana Souza' }));
    const name = screen.getByLabelText('Name');
    await user.clear(name);
    await user.type(name, 'Ana');
    await user.click(screen.getByRole('button', { name: 'Save' }));
    await user.click(await screen.findByRole('button', { name: 'Remove: Ana' }));
    await user.click(screen.getByRole('button', { name: 'Remove the key' }));
    await screen.findByText(/When you verify a file somebody signed/);
  });

  it('looks at a key before it gets a name', async () => {
    const { fake, user } = await open();
    await user.click(screen.getByRole('button', { name: 'Add a key' }));
    await user.type(await screen.findByLabelText('Key'), STRANGER);
    await user.click(screen.getByRole('button', { name: 'Look at it' }));
    await screen.findByText('velvet');
    expect(fake.signers.view.known).toHaveLength(1);
    await user.type(screen.getByLabelText('Name'), 'Bea');
    await user.click(screen.getByRole('button', { name: 'Remember this key' }));
    await screen.findByText('Bea');
  });

  it('stops at a name that another key has, and at what is no key', async () => {
    const { user } = await open();
    await user.click(screen.getByRole('button', { name: 'Add a key' }));
    await user.type(await screen.findByLabelText('Key'), 'hello');
    await user.click(screen.getByRole('button', { name: 'Look at it' }));
    expect((await screen.findByRole('alert')).textContent).toContain('not in a form that is known');
    await user.clear(screen.getByLabelText('Key'));
    await user.type(screen.getByLabelText('Key'), STRANGER);
    await user.click(screen.getByRole('button', { name: 'Look at it' }));
    await user.type(await screen.findByLabelText('Name'), 'ana souza');
    await user.click(screen.getByRole('button', { name: 'Remember this key' }));
    expect((await screen.findByRole('alert')).textContent).toContain('is known by another key');
  });

  it('changes nothing while the vault is frozen', async () => {
    await open(true);
    for (const name of ['New key', 'Add a key']) expect(screen.getByRole('button', { name })).toHaveProperty('disabled', true);
    expect(screen.queryByRole('button', { name: /Rename/ })).toBeNull();
  });
});
