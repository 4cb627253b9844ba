import { cleanup, configure, render, screen, waitFor, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { use } from '../lib/backend';
import { Fake, type FakeOptions } from '../lib/backend/fake';
import { speak } from '../lib/i18n';
import { preferences } from '../lib/preferences.svelte';
import { place } from '../lib/route.svelte';
import App from './App.svelte';

// The whole window is drawn, and much is typed.
vi.setConfig({ testTimeout: 60_000 });
configure({ asyncUtilTimeout: 10_000 });
import { deed, folded } from '../features/security/deeds';
import { farewell } from '../features/security/farewell.svelte';

afterEach(async () => {
  cleanup();
  farewell.end();
  await speak('en');
});

/** open shows a part of Security & data, in the whole window. */
async function open(part: string, options: FakeOptions = {}) {
  const fake = new Fake(options);
  const asked = vi.spyOn(fake, 'call');
  use(fake);
  place.go('security', part);
  await preferences.start();
  render(App);
  await screen.findByRole('heading', { level: 1, name: 'Security & data' });
  const args = (name: string) => asked.mock.calls.findLast(([called]) => called === name)?.[1];
  return { fake, user: userEvent.setup(), args };
}

const button = (name: string | RegExp) => screen.getByRole('button', { name });
const region = (name: string) => within(screen.getByRole('region', { name }));

describe('keeping the vault whole', () => {
  it('says what copies there are, and why there is no newer one', async () => {
    const { fake } = await open('');
    expect(await screen.findByText(/3 copies, the newest of/)).toBeTruthy();
    fake.care.copies = { ...fake.care.copies, count: 0, problem: { code: 'too_large', reason: 'disk-full', message: 'The disk is full.', hint: '', args: {} } };
    fake.tell('vault', { unlocked: true });
    expect(await screen.findByText('The disk is full.')).toBeTruthy();
    expect(screen.getByText(/No copy yet/)).toBeTruthy();
  });

  it('makes a backup, says what is in it and when the last was made', async () => {
    const { user } = await open('');
    expect(screen.getByText('No backup was made yet.')).toBeTruthy();
    await user.click(button('Back up…'));
    expect(await screen.findByText(/read back and is whole: 60 memories, 15 conversations, 4,064 messages,? and 88 attachments/)).toBeTruthy();
    expect(screen.getByText('/home/marina/Documents')).toBeTruthy();
    expect(await screen.findByText(/^Last backup/)).toBeTruthy();
  });

  it('offers the backup for download in a browser', async () => {
    const { user } = await open('', { shell: 'browser' });
    await user.click(button('Back up…'));
    expect((await screen.findByRole<HTMLAnchorElement>('link', { name: 'Download' })).download).toBe('keepsake-2025-10-19.backup');
    expect(screen.getByText(/It waits here until you lock the vault/)).toBeTruthy();
  });

  it('looks into a backup with its own secret', async () => {
    const { user, args } = await open('');
    await user.click(button('Check a backup…'));
    const sheet = within(await screen.findByRole('dialog', { name: 'Check a backup' }));
    await user.click(sheet.getByRole('button', { name: 'Choose the backup' }));
    await user.type(await sheet.findByLabelText('Passphrase'), 'wrong one{Enter}');
    expect((await sheet.findByRole('alert')).textContent).toContain('does not open');
    await user.click(sheet.getByRole('button', { name: 'Use the recovery key' }));
    await user.type(sheet.getByLabelText('Recovery key'), 'k7qm2 x4td9 3hnpa wzr8e j5vcy b6fgs{Enter}');
    expect(await sheet.findByText('The backup is whole.')).toBeTruthy();
    expect(args('Care.VerifyBackup')?.[1]).toBe('');
    expect(sheet.queryByRole('button', { name: 'Make this the vault' })).toBeNull();
  });

  it('checks everything, and names what is damaged with what to do', async () => {
    const { user, fake } = await open('');
    await user.click(button('Check now'));
    expect(await screen.findByText('Everything is as it was written.')).toBeTruthy();
    expect(screen.getByText(/71,204 sealed values/)).toBeTruthy();
    fake.care.check = { ...fake.care.check, whole: false, missing: 1, damaged: [{ what: 'attachment', name: 'a1b2', fault: { code: 'damaged', reason: 'x', message: 'It does not open.', hint: '', args: {} } }] };
    await user.click(button('Check now'));
    expect(await screen.findByText('Not everything is as it was written.')).toBeTruthy();
    expect(screen.getByText(/It does not open/)).toBeTruthy();
    expect(screen.getByText(/Make a backup now/)).toBeTruthy();
  });

  it('says what compacting gave back', async () => {
    const { user } = await open('');
    await user.click(button('Compact'));
    expect(await screen.findByText(/It had 268 MB and has 201 MB now/)).toBeTruthy();
  });

  it('shows what could be put away and why, and puts away what is ticked', async () => {
    const { user, args } = await open('keep');
    const part = region('Memories to put away');
    await user.click(part.getByRole('button', { name: 'See what there is' }));
    const apply = await part.findByRole('button', { name: 'Put away' });
    expect((apply as HTMLButtonElement).disabled).toBe(true);
    expect(part.getByRole('checkbox', { name: /^Usa uma caneta-tinteiro/ }).closest('label')?.textContent).toContain('stays: “Writes the journal with a fountain pen”');
    await user.click(part.getByRole('checkbox', { name: /^Planning the Rota Vicentina/ }));
    await user.click(part.getByRole('checkbox', { name: /^Drinks loose leaf tea/ }));
    await user.click(part.getByRole('button', { name: 'Put 2 away' }));
    expect(await part.findByText(/1 memory is archived.*2 proposals wait in the Inbox/)).toBeTruthy();
    expect(args('Care.ApplyCompaction')).toEqual([['c-1', 'm-5']]);
    expect(part.queryByText('Drinks loose leaf tea')).toBeNull();
    await user.click(part.getByText('From when on this counts'));
    const days = part.getByRole('spinbutton', { name: 'Days without being imported, opened or changed' });
    await user.clear(days);
    await user.type(days, '30{Tab}');
    await waitFor(() => expect(args('Care.SetCompactionLimits')).toEqual([{ tokens: 0, messages: 0, days: 30 }]));
  });

  it('reports what is held, by category and where it is from', async () => {
    const { user, args } = await open('keep');
    const part = region('What is held about you');
    await user.click(part.getByRole('button', { name: 'Show what is held' }));
    const row = within(await part.findByRole('row', { name: /^Preferences/ }));
    expect(row.getByText('14')).toBeTruthy();
    expect(row.getByText('Claude 14')).toBeTruthy();
    expect(part.getByRole('status').textContent).toContain('214 messages');
    expect(args('Care.Held')).toEqual([]);
  });

  it('freezes: a banner stands over every screen, and what would change says why it is off', async () => {
    const { user, args } = await open('');
    await user.click(button('Freeze the vault'));
    expect(args('Care.Freeze')).toEqual([true]);
    const banner = within(await screen.findByRole('region', { name: 'Frozen' }));
    expect(button('Compact')).toHaveProperty('disabled', true);
    expect(screen.getByText('The vault is frozen, so nothing can be changed.')).toBeTruthy();
    place.go('library');
    await waitFor(() => expect(screen.getAllByRole<HTMLButtonElement>('button', { name: 'New memory' }).every((b) => b.disabled)).toBe(true));
    await user.click(banner.getByRole('button', { name: 'End the freeze' }));
    await waitFor(() => expect(screen.queryByRole('region', { name: 'Frozen' })).toBeNull());
    expect(args('Care.Freeze')).toEqual([false]);
  });
});

describe('the ways in', () => {
  it('changes the passphrase: a wrong old one is told at its field, a short new one before asking', async () => {
    const { user, args } = await open('ways');
    await user.click(button('Change the passphrase…'));
    const sheet = within(await screen.findByRole('dialog'));
    await user.type(sheet.getByLabelText('Present passphrase'), 'not it');
    await user.type(sheet.getByLabelText('New passphrase'), 'short');
    await user.click(sheet.getByRole('button', { name: 'Change it' }));
    expect(sheet.getByText('At least 8 characters, please.')).toBeTruthy();
    expect(args('Keys.ChangePassphrase')).toBeUndefined();
    await user.type(sheet.getByLabelText('New passphrase'), ' no longer');
    await user.type(sheet.getByLabelText('The same once more'), 'short no longer');
    await user.click(sheet.getByRole('button', { name: 'Change it' }));
    expect(await sheet.findByText('This passphrase does not open the vault.')).toBeTruthy();
    await user.clear(sheet.getByLabelText('Present passphrase'));
    await user.type(sheet.getByLabelText('Present passphrase'), 'correct horse');
    await user.click(sheet.getByRole('button', { name: 'Change it' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(args('Keys.ChangePassphrase')).toEqual(['correct horse', 'short no longer']);
  });

  it('puts a new recovery key into use only when its groups were typed back', async () => {
    const { user, args } = await open('ways');
    await user.click(button('New recovery key…'));
    const sheet = within(await screen.findByRole('dialog'));
    await user.type(sheet.getByLabelText('Passphrase'), 'correct horse{Enter}');
    const groups = (await within(await sheet.findByRole('list', { name: 'Recovery key, in groups' })).findAllByRole('listitem')).map((li) => li.lastChild?.textContent ?? '');
    expect(groups).toHaveLength(6);
    await user.click(sheet.getByRole('button', { name: 'I have kept it' }));
    const fields = sheet.getAllByLabelText<HTMLInputElement>(/^Group \d$/);
    expect(fields).toHaveLength(2);
    for (const field of fields) await user.type(field, 'XXXXX');
    await user.click(sheet.getByRole('button', { name: 'Use the new key' }));
    expect(await sheet.findByText(/not the groups of the recovery key/)).toBeTruthy();
    for (const field of fields) {
      const number = Number(/\d/.exec(field.labels?.[0]?.textContent ?? '')?.[0]);
      await user.clear(field);
      await user.type(field, groups[number - 1] ?? '');
    }
    await user.click(sheet.getByRole('button', { name: 'Use the new key' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(args('Keys.ConfirmRecovery')?.[0]).toHaveLength(2);
  });

  it('allows the keychain with the passphrase, and takes that back', async () => {
    const { user } = await open('ways');
    await user.click(await screen.findByRole('button', { name: 'Allow the keychain…' }));
    await user.type(screen.getByLabelText('Passphrase', { selector: 'input' }), 'correct horse{Enter}');
    expect(await screen.findByText('The keychain opens this vault.')).toBeTruthy();
    await user.click(button('Take that back'));
    expect(await screen.findByRole('button', { name: 'Allow the keychain…' })).toBeTruthy();
  });

  it('renews the data key with progress, to be paused', async () => {
    const { user, fake } = await open('ways');
    await user.click(await screen.findByRole('button', { name: 'Begin' }));
    await screen.findByRole('button', { name: 'Pause' });
    fake.tell('keys', { running: true, paused: false, keyVersion: 2, done: 50, total: 200 });
    await waitFor(() => expect(screen.getByRole('progressbar', { name: 'Sealing anew' }).getAttribute('aria-valuenow')).toBe('25'));
    await user.click(button('Pause'));
    expect(await screen.findByRole('button', { name: 'Go on' })).toBeTruthy();
  });

  it('renews every key after a leak, once the word was typed', async () => {
    const { user, args } = await open('ways');
    await user.click(button('Renew every key…'));
    const sheet = within(await screen.findByRole('dialog'));
    await user.type(sheet.getByLabelText('Present passphrase'), 'correct horse');
    await user.type(sheet.getByLabelText('New passphrase'), 'another horse');
    await user.type(sheet.getByLabelText('The same once more'), 'another horse');
    await user.click(sheet.getByRole('button', { name: 'Show the new key' }));
    const groups = (await within(await sheet.findByRole('list', { name: 'Recovery key, in groups' })).findAllByRole('listitem')).map((li) => li.lastChild?.textContent ?? '');
    await user.click(sheet.getByRole('button', { name: 'I have kept it' }));
    for (const field of sheet.getAllByLabelText<HTMLInputElement>(/^Group \d$/)) {
      await user.type(field, groups[Number(/\d/.exec(field.labels?.[0]?.textContent ?? '')?.[0]) - 1] ?? '');
    }
    expect(sheet.getByRole('button', { name: 'Renew every key' })).toHaveProperty('disabled', true);
    await user.type(sheet.getByLabelText('Type “renew” to begin'), 'renew');
    await user.click(sheet.getByRole('button', { name: 'Renew every key' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(args('Keys.BeginRekey')).toEqual(['correct horse', 'another horse']); // what refuses it shows no key
    expect(args('Keys.Rekey')?.slice(0, 2)).toEqual(['correct horse', 'another horse']);
  });
});

it('restores a backup in the place of a vault, whose folder is put aside', async () => {
  const fake = new Fake({ vault: 'locked' });
  use(fake);
  await preferences.start();
  render(App);
  const user = userEvent.setup();
  await user.click(await screen.findByRole('button', { name: 'Restore a backup…' }));
  const sheet = within(await screen.findByRole('dialog', { name: 'Restore a backup' }));
  await user.click(sheet.getByRole('button', { name: 'Choose the backup' }));
  await user.type(await sheet.findByLabelText('Passphrase'), 'correct horse{Enter}');
  expect(await sheet.findByText('The backup is whole.')).toBeTruthy();
  await user.click(sheet.getByRole('button', { name: 'Make this the vault' }));
  expect(await sheet.findByText('vault.before-20251019T091500Z')).toBeTruthy();
});

describe('the log', () => {
  it('says in words what was done, page by page', async () => {
    const { user } = await open('log');
    expect(await screen.findByText('Whole: 214 entries, each bound to the one before')).toBeTruthy();
    expect(screen.getAllByText('Unlock failed').length).toBeGreaterThan(0);
    expect(screen.getAllByText('Passphrase changed').length).toBeGreaterThan(0);
    expect(screen.getByText('1 to 50 of 214')).toBeTruthy();
    await user.click(button('Older'));
    expect(await screen.findByText('51 to 100 of 214')).toBeTruthy();
    await user.click(button('Newer'));
    expect(await screen.findByText('1 to 50 of 214')).toBeTruthy();
    await user.click(button('Export the log…'));
    expect(await screen.findByText('keepsake-log-2025-10-19.json')).toBeTruthy();
  });

  it('logs own reading only where that is turned on', async () => {
    const { user, args } = await open('log');
    const reading = await screen.findByRole('switch', { name: 'Log my own reading' });
    expect(reading).toHaveProperty('checked', false);
    await user.click(reading);
    expect(await screen.findByText('Own reading logged from here on')).toBeTruthy();
    expect(reading).toHaveProperty('checked', true);
    await user.click(reading);
    await waitFor(() => expect(args('Care.LogReading')).toEqual([false]));
    expect(reading).toHaveProperty('checked', false);
  });

  it('window finding 15: says once what several entries of a day in a row say, and how often', () => {
    const entry = (seq: number, at: string, action: string, count = 0) => ({ seq, at, actor: 'you', action, count });
    const lines = folded([
      entry(6, '2025-10-19T10:41:00', 'update'), entry(5, '2025-10-19T10:20:00', 'update'), entry(4, '2025-10-19T10:05:00', 'update'),
      entry(3, '2025-10-19T10:00:00', 'unlock'), entry(2, '2025-10-18T09:00:00', 'update'), entry(1, '2025-10-17T09:00:00', 'update'),
    ]);
    expect(lines.map(({ seq, text }) => [seq, text])).toEqual([[6, 'Changed, 3 times'], [3, 'Unlocked'], [2, 'Changed'], [1, 'Changed']]);
    expect(lines[0]?.when).toMatch(/October 19, 2025.*10:05\s*–\s*10:41/);
    expect(folded([entry(2, '2025-10-19T10:41:00', 'store', 3), entry(1, '2025-10-19T10:20:00', 'store', 4)]).map(({ text }) => text)).toEqual(['3 things stored', '4 things stored']);
  });

  it('shows a word that it does not know as it is, and who did it', () => {
    expect(deed({ seq: 1, at: '', actor: 'you', action: 'something new', count: 0 }).text).toBe('something new');
    expect(deed({ seq: 1, at: '', actor: 'claude-desktop', action: 'export', count: 3 }).text).toBe('Exported: 3 memories · claude-desktop');
    expect(deed({ seq: 1, at: '', actor: 'claude-desktop', action: 'agent-call', count: 1 })).toMatchObject({ text: 'An assistant was answered: 1 memory · claude-desktop', icon: 'bot' });
    expect(deed({ seq: 1, at: '', actor: 'watched folder', action: 'session-taken', count: 0 })).toMatchObject({ text: 'A session was taken · watched folder', icon: 'bot' });
    expect(deed({ seq: 1, at: '', actor: 'cursor', action: 'agent-refused', count: 0 }).text).toBe('An assistant was refused · cursor');
    expect(deed({ seq: 1, at: '', actor: 'you', action: 'rotation-begun 3', count: 0 }).text).toBe('Sealing everything anew under a new key: begun');
  });
});

describe('forgetting', () => {
  const sheet = async () => within(await screen.findByRole('dialog', { name: /^Forg/ }));

  it('shows what goes, what stays and how far; forgets at the typed word; and says what was reached', async () => {
    const { user, args, fake } = await open('erase');
    place.go('library');
    await user.click((await within(await screen.findByRole('listbox', { name: 'Memories' })).findAllByRole('option'))[0] as HTMLElement);
    await user.click(await screen.findByRole('button', { name: 'Forget this memory…' }));
    const dialog = await sheet();
    expect(await dialog.findByText(/^1 memory/)).toBeTruthy();
    expect(dialog.getByText(/original export of the assistant/)).toBeTruthy();
    expect(dialog.getByText(/full-disk encryption/)).toBeTruthy();
    expect(dialog.getByRole('button', { name: 'Forget for good' })).toHaveProperty('disabled', true);
    const [{ ids }] = args('Care.PlanForget') as [{ ids: string[] }];
    await user.type(dialog.getByLabelText('Type “forget” to erase it for good'), 'Forget{Enter}');
    expect(await screen.findByText('Gone from every file of the vault')).toBeTruthy();
    expect(screen.getByText(/Yours to remove/)).toBeTruthy();
    await expect(fake.call('Library.Get', ids)).rejects.toThrow();
    await user.click(screen.getAllByRole('button', { name: 'Close' }).at(-1) as HTMLElement);
    place.go('security', 'erase');
    expect(await screen.findByText('Erased and searched for')).toBeTruthy();
  });

  it('says so when it could not be erased everywhere yet', async () => {
    const { user, fake } = await open('erase');
    fake.care.erased = false;
    await user.type(screen.getByLabelText('Older than'), '2035-01-01');
    await user.click(button('Forget…'));
    await user.type(await (await sheet()).findByLabelText(/^Type “forget/), 'forget{Enter}');
    expect(await screen.findByText('Out of the vault, not yet out of every file')).toBeTruthy();
  });

  it('forgets what the library is narrowed to, as it is narrowed', async () => {
    const { user, args } = await open('erase');
    place.go('library');
    await user.type(await screen.findByRole('textbox', { name: 'Search memories' }), 'train');
    await user.click(await screen.findByRole('button', { name: /^Forget these? \d+ memor/ }));
    await (await sheet()).findByText(/memor(y|ies)/);
    expect(args('Care.PlanForget')).toMatchObject([{ ids: [], library: { text: 'train' } }]);
  });

  it('shows apart what is close in meaning, and forgets of it only what is ticked', async () => {
    const { user, args, fake } = await open('erase');
    fake.care.near = [{ kind: 'memory', id: 'm-40', text: 'Viaja de comboio.' }, { kind: 'memory', id: 'm-41', text: 'Fährt gern Bahn.' }];
    place.go('library');
    await user.type(await screen.findByRole('textbox', { name: 'Search memories' }), 'train');
    await user.click(await screen.findByRole('button', { name: /^Forget these? \d+ memor/ }));
    const dialog = await sheet();
    const near = within(await dialog.findByRole('list', { name: 'Also close in meaning' }));
    const times = (text: string) => dialog.queryAllByText(text).length; // once where it is offered, and once more in what goes
    expect(times('Viaja de comboio.')).toBe(1);
    await user.click(near.getByRole('checkbox', { name: 'Viaja de comboio.' }));
    await waitFor(() => expect(times('Viaja de comboio.')).toBe(2));
    expect(times('Fährt gern Bahn.')).toBe(1);
    expect(args('Care.PlanForget')).toMatchObject([{ library: { text: 'train' }, also: ['m-40'] }]);
    await user.click(near.getByRole('checkbox', { name: 'Viaja de comboio.' }));
    await waitFor(() => expect(times('Viaja de comboio.')).toBe(1));
    expect(args('Care.PlanForget')).toMatchObject([{ also: [] }]);
  });

  it('forgets a conversation from its own page, and leaves it with the receipt', async () => {
    const { user, fake } = await open('erase');
    const { items } = (await fake.call('Conversations.List', [{ text: '', platforms: [], accounts: [], since: '', until: '', sort: '-updated', offset: 0, limit: 5 }])) as { items: { id: string }[] };
    place.go('conversations', items[1]?.id);
    await user.click(await screen.findByRole('button', { name: 'Forget this conversation…' }));
    const dialog = await sheet();
    expect(await dialog.findByText(/^1 conversation with \d+ messages?/)).toBeTruthy();
    await user.type(dialog.getByLabelText(/^Type “forget/), 'forget{Enter}');
    expect(await screen.findByText('Gone from every file of the vault')).toBeTruthy();
    await user.click(screen.getAllByRole('button', { name: 'Close' }).at(-1) as HTMLElement);
    await waitFor(() => expect(place.now.id).toBe(''));
  });

  it('says why it is off while the vault is frozen', async () => {
    const { user, fake } = await open('erase');
    await fake.call('Care.Freeze', [true]);
    await user.type(screen.getByLabelText('Older than'), '2035-01-01');
    await user.click(button('Forget…'));
    const dialog = await sheet();
    expect(await dialog.findByText('The vault is frozen, so nothing can be changed.')).toBeTruthy();
    expect(dialog.queryByLabelText(/^Type “forget/)).toBeNull();
  });
});

describe('destroying', () => {
  it('needs the typed name, the passphrase and a place for the receipt, and says what became of it', async () => {
    const { user, args } = await open('erase');
    await user.click(button('Destroy the vault…'));
    const sheet = within(await screen.findByRole('dialog'));
    const act = sheet.getByRole('button', { name: 'Destroy the vault for good' });
    await sheet.findByText('/home/marina/tea/CLAUDE.md'); // a kept file, which stays
    await user.type(sheet.getByLabelText(/Type the vault's name/), 'Keepsake');
    expect(act).toHaveProperty('disabled', true);
    await user.click(sheet.getByRole('button', { name: 'Choose where it goes' }));
    expect(act).toHaveProperty('disabled', true);
    await user.type(sheet.getByLabelText('Passphrase'), 'lantern harbor');
    await waitFor(() => expect(act).toHaveProperty('disabled', false));
    await user.click(act);
    expect(await screen.findByRole('heading', { name: 'The vault is gone.' })).toBeTruthy();
    expect(args('Care.Destroy')).toEqual(['Keepsake', 'lantern harbor', '', expect.stringMatching(/^offer-/)]);
    expect(screen.getByText(/saved as keepsake-destroyed/)).toBeTruthy();
    await user.click(button('Go to the beginning'));
    expect(await screen.findByRole('button', { name: 'Create a vault' })).toBeTruthy();
  });

  it('gives the receipt on the last page of a browser', async () => {
    const { user } = await open('erase', { shell: 'browser' });
    await user.click(button('Destroy the vault…'));
    const sheet = within(await screen.findByRole('dialog'));
    await user.click(sheet.getByRole('button', { name: 'Use the recovery key' }));
    await user.type(sheet.getByLabelText('Recovery key'), 'AAAA-BBBB');
    await user.type(sheet.getByLabelText(/Type the vault's name/), 'Keepsake');
    await user.click(sheet.getByRole('button', { name: 'Destroy the vault for good' }));
    expect(await screen.findByRole('button', { name: 'Download the receipt' })).toBeTruthy();
  });
});

describe('copies that a restore put aside', () => {
  it('go with the passphrase only, and say so where it is wrong', async () => {
    const { user, fake, args } = await open('erase', { passphrase: 'lantern harbor' });
    const aside = { path: '/home/marina/vault.before-restore-20251019T091500Z', at: '2025-10-19T09:15:00Z', same: true };
    fake.care.asides = [aside, { ...aside, path: '/home/marina/vault.before-restore-20240101T091500Z', same: false }];
    await user.click(button('Destroy the vault…'));
    const sheet = within(await screen.findByRole('dialog'));
    await user.click(await sheet.findByRole('button', { name: 'Remove it' }));
    const asked = within(await screen.findByRole('dialog', { name: 'Remove the copies put aside' }));
    expect(args('Care.RemoveAsides')).toBeUndefined();
    await user.type(asked.getByLabelText('Passphrase'), 'not it{Enter}');
    expect(await asked.findByText(/This passphrase does not open the vault/)).toBeTruthy();
    expect(fake.care.asides).toHaveLength(2);
    await user.clear(asked.getByLabelText('Passphrase'));
    await user.type(asked.getByLabelText('Passphrase'), 'lantern harbor{Enter}');
    expect(await screen.findByText('1 copy that was put aside is removed.')).toBeTruthy();
    expect(args('Care.RemoveAsides')).toEqual(['lantern harbor', '']);
    expect(args('Care.Destroy')).toBeUndefined();
    expect(fake.care.asides).toHaveLength(1);
  });
});

it('speaks Portuguese throughout', async () => {
  await speak('pt-BR');
  use(new Fake({ preferences: { language: 'pt-BR', theme: 'system', systemTheme: '', autoLock: 10, alwaysProtect: false } }));
  place.go('security');
  await preferences.start();
  render(App);
  expect(await screen.findByRole('heading', { level: 1, name: 'Segurança e dados' })).toBeTruthy();
  expect(region('Congelar').getByRole('button', { name: 'Congelar o cofre' })).toBeTruthy();
});
