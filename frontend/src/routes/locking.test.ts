import { cleanup, render, screen, waitFor, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it } from 'vitest';
import { use, type DraftView, type ReportView } from '../lib/backend';
import { Fake, type FakeOptions } from '../lib/backend/fake';
import { speak } from '../lib/i18n';
import { preferences } from '../lib/preferences.svelte';
import { place } from '../lib/route.svelte';
import App from './App.svelte';

afterEach(async () => {
  cleanup();
  await speak('en');
});

async function open(options: FakeOptions = {}) {
  const fake = new Fake(options);
  use(fake);
  place.go('library');
  await preferences.start();
  render(App);
  await screen.findByText(/^[\d,.]+ memories/);
  return { fake, user: userEvent.setup() };
}

const rows = () => within(screen.getByRole('listbox', { name: 'Memories' })).queryAllByRole('option');

const draft: DraftView = { memoryId: '', content: 'A thought half', type: 'goal', customType: '', tags: ['half'] };

describe('a lock', () => {
  it('leaves nothing of the vault in the document, and says what it was for', async () => {
    const { fake } = await open();
    const text = rows()[0]?.textContent ?? '';
    expect(text.length).toBeGreaterThan(20);
    const words = text.trim().slice(0, 20);
    expect(document.body.textContent).toContain(words);
    fake.lock('idle');
    await screen.findByText('It was locked because nobody was here for a while.');
    expect(document.body.textContent).not.toContain(words);
  });

  it('keeps what was being written in a memory', async () => {
    const { fake, user } = await open();
    await user.click(rows()[0] as HTMLElement);
    await user.click(await screen.findByRole('button', { name: 'Edit the text' }));
    await user.type(screen.getByRole('textbox', { name: 'Text of the memory' }), ' and then');
    await user.keyboard('{Control>}l{/Control}');
    await screen.findByLabelText('Passphrase');
    const [kept] = (await fake.call('Library.Drafts', [])) as DraftView[];
    expect(kept?.content).toMatch(/ and then$/);
    await user.type(screen.getByLabelText('Passphrase'), 'correct horse{Enter}');
    const offer = within(await screen.findByRole('region', { name: 'Not finished' }));
    await user.click(offer.getByRole('button', { name: 'Go on writing' }));
    await waitFor(() => expect((screen.getByRole('textbox', { name: 'Text of the memory' }) as HTMLTextAreaElement).value).toMatch(/ and then$/));
    expect(screen.queryByRole('region', { name: 'Not finished' })).toBeNull();
    await user.keyboard('{Escape}');
    await waitFor(async () => expect(await fake.call('Library.Drafts', [])).toEqual([]));
  });

  it('tells after the unlock of an import that broke off, and goes on with it (window finding 10)', async () => {
    const { fake, user } = await open({ brokenOff: true });
    const notice = within(await screen.findByRole('region', { name: 'An import that broke off' }));
    expect(notice.getByText(/chatgpt-export-2025-10-18\.zip on October 18, 2025 broke off/)).toBeTruthy();
    await user.click(notice.getByRole('button', { name: 'Finish it' }));
    await screen.findByRole('heading', { name: 'ChatGPT export' });
    expect(screen.queryByRole('region', { name: 'An import that broke off' })).toBeNull();
    const [kept] = (await fake.call('Imports.List', [])) as ReportView[];
    expect(kept?.told).toBe(true);
  });

  it('offers a new memory that was being written, as far as it was', async () => {
    const { user, fake } = await open({ drafts: [draft] });
    await user.click(await screen.findByRole('button', { name: 'Go on writing' }));
    const sheet = within(await screen.findByRole('dialog'));
    expect(sheet.getByDisplayValue('A thought half')).toBeTruthy();
    expect(sheet.getByText('half')).toBeTruthy();
    await user.click(sheet.getByRole('button', { name: 'Keep it' }));
    await waitFor(async () => expect(await fake.call('Library.Drafts', [])).toEqual([]));
  });

  it('lets a draft be thrown away', async () => {
    const { user, fake } = await open({ drafts: [draft] });
    await user.click(await screen.findByRole('button', { name: 'Throw away' }));
    expect(screen.queryByRole('region', { name: 'Not finished' })).toBeNull();
    expect(await fake.call('Library.Drafts', [])).toEqual([]);
  });

  it('that waits for an import says so, until it waits no more', async () => {
    const { fake } = await open();
    fake.tell('locking', { reason: 'idle' });
    await screen.findByText(/The vault locks as soon as the import has finished/);
    fake.tell('locking', { reason: '' });
    await waitFor(() => expect(screen.queryByText(/The vault locks as soon as/)).toBeNull());
  });

  it('comes when it was chosen to', async () => {
    const { user, fake } = await open();
    place.go('settings');
    const choice = await screen.findByLabelText('Lock when nobody is here');
    expect(choice.textContent + ((choice as HTMLSelectElement).value ?? '')).toMatch(/10/);
    await preferences.choose({ autoLock: 0 });
    expect(await fake.call('Settings.Get', [])).toMatchObject({ autoLock: 0 });
    void user;
  });
});
