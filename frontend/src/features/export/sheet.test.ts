import { cleanup, render, screen, waitFor } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { use, type ExportOptionsView, type ExportPreviewView } from '../../lib/backend';
import { Fake, type FakeOptions } from '../../lib/backend/fake';
import { speak } from '../../lib/i18n';
import { preferences } from '../../lib/preferences.svelte';
import ExportSheet from './ExportSheet.svelte';

afterEach(async () => {
  cleanup();
  await speak('en');
});

async function open(options: FakeOptions = {}) {
  const fake = new Fake(options);
  const calls = vi.spyOn(fake, 'call');
  use(fake);
  const onverify = vi.fn();
  render(ExportSheet, { open: true, onverify });
  await screen.findByText('56');
  const asked = (name: string) => calls.mock.calls.filter(([called]) => called === name).map(([, args]) => args[0] as ExportOptionsView);
  return { user: userEvent.setup(), fake, onverify, asked };
}

describe('the export sheet', () => {
  it('says what leaves, what stays and why, and that the file is plain', async () => {
    await open();
    expect(screen.getByText('4 stay: you said that they may not leave.')).toBeTruthy();
    expect(screen.getByText('A plain file: anyone who has it can read it.')).toBeTruthy();
  });

  it.each([
    [[], 0, true],
    [[{ name: 'not-exportable', count: 1 }], 0, false],
    [[], 2, false],
  ])('says that no memory stays where that is so: %j, %i waiting', async (excluded, waiting, none) => {
    const fake = new Fake();
    const real = fake.call.bind(fake);
    vi.spyOn(fake, 'call').mockImplementation(async (name, args) => {
      const result = await real(name, args);
      return name === 'Exports.Preview' ? { ...(result as ExportPreviewView), excluded } : result;
    });
    use(fake);
    render(ExportSheet, { open: true, waiting, onverify: vi.fn() });
    await screen.findByText('56');
    expect(screen.queryByText('No memory stays behind.') !== null).toBe(none);
    expect(screen.queryByText(/^\d stays?: |wait in the Inbox/) === null).toBe(none);
  });

  it('says what looks private, and hides it where that is wanted', async () => {
    const { user, asked } = await open();
    expect(screen.getByText('4 places look like e-mail addresses, numbers or keys. They are written as they stand.')).toBeTruthy();
    await user.click(screen.getByRole('switch', { name: 'Hide e-mail addresses, numbers and keys' }));
    await screen.findByText('4 of 4 places are hidden. What is in your vault stays as it is.');
    await user.click(screen.getByRole('button', { name: 'Look at them' }));
    await user.click(await screen.findByRole('button', { name: 'Hidden: +351 912 345 678' }));
    await screen.findByText('3 of 4 places are hidden. What is in your vault stays as it is.');
    expect(screen.getByRole('checkbox', { name: 'Their pictures and files' })).toHaveProperty('disabled', true);
    await user.click(screen.getByRole('button', { name: 'Sign and save' }));
    await screen.findByText('3 e-mail addresses, numbers and keys were hidden.');
    expect(asked('Exports.Start')).toMatchObject([{ redact: 'on', keep: ['11f1a2b3c4d5e6f7'] }]);
  });

  it('says how many of the memories that leave are about private topics, and that they leave', async () => {
    const { user } = await open();
    // The allergy may not leave, so health is not among them.
    const sentence = await screen.findByText('10 memories seem to be about private topics. They leave, too.');
    expect(sentence.nextElementSibling?.textContent).toBe('Names of others\u00a05 · Family\u00a04 · Where somebody lives\u00a02');
    expect(screen.queryByText(/^Conversations are not looked at/)).toBeNull();
    await user.click(screen.getByRole('checkbox', { name: 'Whole conversations' }));
    await screen.findByText('Conversations are not looked at for these topics.');
  });

  it('counts again when conversations come along', async () => {
    const { user, asked } = await open();
    expect(screen.getByRole('checkbox', { name: 'Their pictures and files' })).toHaveProperty('disabled', true);
    await screen.findByText(/and a list of 15 conversations/);
    await user.click(screen.getByRole('checkbox', { name: 'Whole conversations' }));
    await screen.findByText(/and 15 conversations/);
    expect(asked('Exports.Preview').at(-1)).toMatchObject({ includeConversations: true, includeAttachments: false });
  });

  it('builds on the last full export where that is wanted', async () => {
    const { user, asked } = await open();
    await user.click(await screen.findByRole('radio', { name: 'Only what is new or changed' }));
    await screen.findByText(/what is new or changed since/);
    expect(screen.getByText(/have not changed since/)).toBeTruthy();
    await user.click(screen.getByRole('button', { name: 'Sign and save' }));
    const card = await screen.findByRole('article', { name: 'Certificate of the export' });
    expect(card.textContent).toContain('what is new or changed since');
    expect(asked('Exports.Start')).toMatchObject([{ incremental: true, base: '' }]);
  });

  it('builds on another full export that is chosen', async () => {
    const { user, asked } = await open();
    await user.click(await screen.findByRole('radio', { name: 'Only what is new or changed' }));
    await user.selectOptions(await screen.findByLabelText('Since the export of'), 'e-0');
    expect(asked('Exports.Preview').at(-1)).toMatchObject({ incremental: true, base: 'e-0' });
    await screen.findByText(/August 1, 2025$/);
    await user.click(screen.getByRole('radio', { name: 'Everything' }));
    expect(asked('Exports.Preview').at(-1)).toMatchObject({ incremental: false, base: '' });
  });

  it('says how many titles leave, and leaves them out where that is wanted (window finding 12)', async () => {
    const { user, asked } = await open();
    await screen.findByText('15 titles of conversations stand in the list that leaves with the memories.');
    await user.click(screen.getByRole('checkbox', { name: 'Titles of the conversations' }));
    await screen.findByText(/without titles and tags/);
    await user.click(screen.getByRole('button', { name: 'Sign and save' }));
    const card = await screen.findByRole('article', { name: 'Certificate of the export' });
    expect(card.textContent).not.toContain('titles of conversations');
    expect(asked('Exports.Start')).toMatchObject([{ withoutTitles: true }]);
  });

  it('lists what left before, and whether others can read it', async () => {
    const { user } = await open();
    const fold = await screen.findByRole('button', { name: '6 earlier exports and texts' });
    expect(screen.queryByText('keepsake-2025-09-01.pam.json.age')).toBeNull();
    await user.click(fold);
    const rows = screen.getAllByRole('listitem').filter((row) => row.textContent.includes('.pam.'));
    expect(rows.map((row) => row.querySelector('strong')?.textContent)).toEqual([
      'keepsake-2025-10-12-incremental.pam.json', 'keepsake-2025-10-10.pam.json', 'keepsake-2025-09-01.pam.json.age', 'keepsake-2025-08-01.pam.json',
    ]);
    expect(rows[0]?.textContent).toMatch(/7 memories.*only what was new or changed.*signed.*plain/s);
    expect(rows[2]?.textContent).toMatch(/2 memories.*full.*not signed.*for Dr\. Lima.*protected with a passphrase/s);
    const told = screen.getAllByRole('listitem').find((row) => row.querySelector('strong')?.textContent === 'ChatGPT');
    expect(told?.textContent).toMatch(/10 memories.*a text for an assistant.*for Work assistant/s);
    expect(told?.textContent).not.toMatch(/signed|plain|passphrase/);
  });

  it('writes the Memory Interchange Format, with what is hidden', async () => {
    const { user, asked } = await open();
    await user.selectOptions(screen.getByRole('combobox', { name: 'Format' }), 'mif');
    await screen.findByText(/and 3 tasks/);
    expect(screen.queryByRole('checkbox', { name: 'Whole conversations' })).toBeNull();
    await user.selectOptions(screen.getByRole('combobox', { name: 'Version' }), '2');
    await user.selectOptions(screen.getByRole('combobox', { name: 'Written as' }), 'jsonl');
    await screen.findByText('4 of 4 places are hidden. What is in your vault stays as it is.');
    await user.click(screen.getByRole('checkbox', { name: 'Street addresses, too' }));
    await user.click(screen.getByRole('button', { name: 'Look at them' }));
    await user.click(await screen.findByRole('button', { name: 'Hidden: +351 912 345 678' }));
    await user.click(screen.getByRole('button', { name: 'Write the file' }));
    const card = await screen.findByRole('article', { name: 'Certificate of the export' });
    expect(card.textContent).toContain('3 e-mail addresses, numbers and keys were hidden.');
    expect(card.textContent).toContain('Not signed');
    expect(asked('Exports.Start')).toMatchObject([{ format: 'mif', version: '2', form: 'jsonl', redact: '', keep: ['11f1a2b3c4d5e6f7'], addresses: true, includeConversations: false }]);
  });

  it('reviews the conversations that come along', async () => {
    const { user } = await open();
    await user.click(screen.getByRole('checkbox', { name: 'Whole conversations' }));
    await screen.findByText('15 conversations were not looked through; they are once this is on.');
    await user.click(screen.getByRole('switch', { name: 'Hide e-mail addresses, numbers and keys' }));
    await screen.findByText('5 of 5 places are hidden. What is in your vault stays as it is.');
    expect(screen.queryByText(/were not looked through/)).toBeNull();
    await user.click(screen.getByRole('button', { name: 'Look at them' }));
    const row = (await screen.findByText('marina@caderno.example')).closest('li');
    expect(row?.textContent).toContain('Conversation');
  });

  it('writes only the categories that are wanted, without metadata', async () => {
    const { user, asked } = await open();
    await user.selectOptions(screen.getByRole('combobox', { name: 'Format' }), 'Personal memory (JSON)');
    expect(screen.queryByRole('checkbox', { name: 'Whole conversations' })).toBeNull();
    await screen.findByText(/and 15 conversations/);
    expect(asked('Exports.Preview').at(-1)).toMatchObject({ categories: [], bare: false, includeConversations: true });
    await user.click(screen.getByRole('checkbox', { name: 'Conversations' }));
    await user.click(screen.getByRole('checkbox', { name: 'Preferences' }));
    await user.click(screen.getByRole('checkbox', { name: 'Work patterns' }));
    expect(screen.getByRole('checkbox', { name: 'Learned context' })).toHaveProperty('disabled', true);
    await user.click(screen.getByRole('checkbox', { name: 'Without metadata' }));
    expect(asked('Exports.Preview').at(-1)).toMatchObject({ categories: ['learned_context'], bare: true, includeConversations: false });
  });

  it.each([
    ['Markdown notes', 'keepsake-2025-10-18-markdown.zip', 4],
    ['Obsidian notes', 'keepsake-2025-10-18-obsidian.zip', 4],
    ['One page for a browser (HTML)', 'keepsake-2025-10-18.html', 4],
    ['Table for a spreadsheet (CSV)', 'keepsake-2025-10-18.csv', 4],
    ['Personal memory (JSON)', 'keepsake-2025-10-18.personal.json', 5],
    ['Personal memory (Markdown)', 'keepsake-2025-10-18.personal.md', 5],
  ])('writes %s to be read, not signed', async (name, file, places) => {
    const { user, asked } = await open();
    await user.selectOptions(screen.getByRole('combobox', { name: 'Format' }), name);
    expect(screen.queryByRole('checkbox', { name: 'Their pictures and files' })).toBeNull();
    await user.click(screen.getByRole('switch', { name: 'Hide e-mail addresses, numbers and keys' }));
    await user.click(screen.getByRole('button', { name: 'Write the file' }));
    const card = await screen.findByRole('article', { name: 'Certificate of the export' });
    for (const said of [name, file, 'Not signed', `${places} e-mail addresses, numbers and keys were hidden.`]) expect(card.textContent).toContain(said);
    expect(screen.queryByRole('button', { name: 'Verify' })).toBeNull();
    expect(asked('Exports.Start')).toMatchObject([{ redact: 'on', incremental: false, includeAttachments: false }]);
  });

  it('narrows what leaves and counts with every choice', async () => {
    const { user, asked } = await open();
    await user.click(screen.getByRole('button', { name: 'Choose which memories' }));
    const goal = await screen.findByRole('button', { name: /^Goal/ });
    await user.click(goal);
    expect(goal.getAttribute('aria-pressed')).toBe('true');
    await screen.findByText(/because of their type/);
    await user.click(screen.getByRole('checkbox', { name: 'Leave out the ids that services gave you' }));
    expect(asked('Exports.Preview').at(-1)).toMatchObject({ types: ['goal'], stripIds: true });
    expect(screen.getByRole('button', { name: /2 choices made/ })).toBeTruthy();
  });

  it('makes one for somebody without the conversations', async () => {
    const { user, asked } = await open();
    await user.click(screen.getByRole('checkbox', { name: 'Whole conversations' }));
    const chooser = screen.getByRole<HTMLSelectElement>('combobox', { name: 'For' });
    await waitFor(() => expect([...chooser.options].map((o) => o.text)).toEqual(['Yourself', 'Dr. Lima (5 memories)', 'Family (7 memories)', 'Work assistant (13 memories)']));
    await user.selectOptions(chooser, 'work-assistant');
    await screen.findByText(/they are not in this circle/);
    expect(screen.getByText('1 stays: it seems to be about a topic that never leaves for this circle.')).toBeTruthy();
    expect(asked('Exports.Preview').at(-1)).toMatchObject({ for: 'work-assistant', includeConversations: false });
    expect(screen.getByRole('checkbox', { name: 'Whole conversations' })).toHaveProperty('disabled', true);
    expect(screen.getByText('Only what is in this circle leaves. Conversations stay.')).toBeTruthy();
  });

  it('begins with the circle that was asked for on another screen', async () => {
    use(new Fake());
    render(ExportSheet, { open: true, circle: 'family', onverify: vi.fn() });
    await waitFor(() => expect(screen.getByRole<HTMLSelectElement>('combobox', { name: 'For' }).selectedOptions[0]?.text).toBe('Family (7 memories)'));
    expect(document.querySelector('.number')?.textContent).toBe('6');
  });

  it('signs with one press and ends as a certificate', async () => {
    const { user, asked } = await open();
    await user.click(screen.getByRole('button', { name: 'Sign and save' }));
    const card = await screen.findByRole('article', { name: 'Certificate of the export' });
    expect(card.textContent).toContain('linenharborcopperwalnutmeadowlantern');
    expect(card.textContent).toContain('4F7A 91C2 0B6E D358');
    expect(card.textContent).toContain('every memory, the number of the export, its date');
    expect(card.textContent).toContain('4 memories stayed in the vault.');
    expect(asked('Exports.Start')).toMatchObject([{ unsigned: false, passphrase: '' }]);
  });

  it('protects the file only with a passphrase typed twice', async () => {
    const { user, asked } = await open();
    const sign = screen.getByRole('button', { name: 'Sign and save' });
    await user.click(screen.getByRole('checkbox', { name: 'Protect it with a passphrase' }));
    expect(sign).toHaveProperty('disabled', true);
    await user.type(screen.getByLabelText('Passphrase of the file'), 'correct horse');
    await user.type(screen.getByLabelText('Once more'), 'correct hors');
    expect(screen.getByText('The two are not the same.')).toBeTruthy();
    await user.type(screen.getByLabelText('Once more'), 'e');
    await user.click(sign);
    await screen.findByText(/Protected: it opens with the passphrase you chose/);
    expect(asked('Exports.Start').at(-1)?.passphrase).toBe('correct horse');
    expect(asked('Exports.Preview').every((options) => options.passphrase === '')).toBe(true);
  });

  it('calls a plain file that, and makes it again protected', async () => {
    const { user, asked } = await open();
    await user.click(screen.getByRole('button', { name: 'Sign and save' }));
    const card = await screen.findByRole('article', { name: 'Certificate of the export' });
    expect(card.textContent).toContain('A plain file: anyone who has it can read it.');
    await user.click(screen.getByRole('button', { name: 'Protect it' }));
    expect(screen.getByRole('checkbox', { name: 'Protect it with a passphrase' })).toHaveProperty('checked', true);
    expect(screen.getByText('The plain file stays where it is until you delete it.')).toBeTruthy();
    await user.type(screen.getByLabelText('Passphrase of the file'), 'correct horse');
    await user.type(screen.getByLabelText('Once more'), 'correct horse');
    await user.click(screen.getByRole('button', { name: 'Sign and save' }));
    await screen.findByText(/Protected: it opens with the passphrase you chose/);
    expect(asked('Exports.Start').map((o) => o.passphrase)).toEqual(['', 'correct horse']);
  });

  it('begins protected where the settings say so', async () => {
    await preferences.choose({ alwaysProtect: true });
    await open();
    expect(screen.getByRole('checkbox', { name: 'Protect it with a passphrase' })).toHaveProperty('checked', true);
    await preferences.choose({ alwaysProtect: false });
  });

  it('covers everything where conversations come along', async () => {
    const { user } = await open();
    await user.click(screen.getByRole('checkbox', { name: 'Whole conversations' }));
    await user.click(screen.getByRole('button', { name: 'Sign and save' }));
    expect((await screen.findByRole('article', { name: 'Certificate of the export' })).textContent).toContain('everything in the bundle');
  });

  it('stays as it is when the dialog is closed, and says what went wrong otherwise', async () => {
    const { user, fake } = await open();
    const real = fake.call.bind(fake);
    let code = 'cancelled';
    vi.spyOn(fake, 'call').mockImplementation(async (name, args) => {
      if (name === 'Exports.Start') throw new Error(JSON.stringify({ code, reason: 'x', message: 'The disk is full.', hint: '', args: {} }));
      return real(name, args);
    });
    await user.click(screen.getByRole('button', { name: 'Sign and save' }));
    expect(screen.queryByRole('alert')).toBeNull();
    code = 'too_large';
    await user.click(screen.getByRole('button', { name: 'Sign and save' }));
    expect((await screen.findByRole('alert')).textContent).toContain('The disk is full.');
  });

  it('asks before a file that was not downloaded is let go', async () => {
    const { user } = await open({ shell: 'browser' });
    await user.click(screen.getByRole('button', { name: 'Sign and save' }));
    await screen.findByRole('heading', { name: 'Ready to download' });
    await user.keyboard('{Escape}');
    expect(screen.getByRole('alert').textContent).toContain('not downloaded yet');
    await user.click(screen.getByRole('button', { name: 'Back to the file' }));
    await user.click(screen.getByRole('link', { name: 'Download' }));
    await screen.findByRole('heading', { name: 'Downloaded' }); // window finding 15
    expect(screen.queryByRole('heading', { name: 'Ready to download' })).toBeNull();
    for (const close of screen.getAllByRole('button', { name: 'Close' }).slice(-1)) await user.click(close);
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });

  it('says why an empty vault cannot be exported', async () => {
    use(new Fake({ size: 0 }));
    render(ExportSheet, { open: true, onverify: vi.fn() });
    await screen.findByText(/There is nothing to export yet/);
    expect(screen.getByRole('button', { name: 'Sign and save' })).toHaveProperty('disabled', true);
  });

  it('shows in the folder, copies the checksum whole, and hands over to verifying', async () => {
    const { user, fake, onverify, asked } = await open();
    await user.click(screen.getByRole('button', { name: 'Sign and save' }));
    await user.click(await screen.findByRole('button', { name: 'Show in folder' }));
    await waitFor(() => expect(asked('Exports.Reveal')).toEqual(['export-1']));
    await user.click(screen.getByRole('button', { name: 'Copy checksum' }));
    expect(fake.clipboard).toBe(`sha256:${'9f2c61b07ad4e835'.repeat(4)}`);
    await user.click(screen.getByRole('button', { name: 'Verify' }));
    expect(onverify).toHaveBeenCalledWith('export-1', undefined);
  });
});
