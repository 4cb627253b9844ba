import { cleanup, render, screen, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { use, type ComparedView } from '../../lib/backend';
import { Fake } from '../../lib/backend/fake';
import { comparison, MERGED } from '../../lib/backend/sampleImports';
import { speak } from '../../lib/i18n';
import Compare from './Compare.svelte';
import { picksOf } from './comparison.svelte';

afterEach(async () => {
  cleanup();
  await speak('en');
});

function open(token: string, other = '') {
  const fake = new Fake();
  const calls = vi.spyOn(fake, 'call');
  use(fake);
  const onchoose = vi.fn();
  const onapply = vi.fn();
  const onverify = vi.fn();
  render(Compare, { token, other, onchoose, onapply, onverify });
  return { user: userEvent.setup(), onchoose, onapply, onverify, calls };
}

const cards = () => screen.findAllByRole('listitem');

const memory = (standing: string, paths: string[] = []): ComparedView => ({
  id: 'm', standing, type: 'fact', ours: 'a', theirs: 'b', fields: paths.map((path) => ({ path, ours: '1', theirs: '2', pickable: true })),
});

it('asks again for a file that is gone (window finding 7)', async () => {
  open('gone');
  expect(await screen.findByText('The file that was shown here is no longer at hand.')).toBeTruthy();
  expect(screen.queryByRole('alert')).toBeNull();
});

describe('what can be done with a memory', () => {
  it('keeps what changed on both sides unless something else is chosen', () => expect(picksOf(memory('conflict'), false)[0]).toBe('keep'));
  it('keeps what is older, hidden or of a stranger in the file likewise', () => expect(['older', 'hidden', 'not-signed'].map((standing) => picksOf(memory(standing), false)[0])).toEqual(['keep', 'keep', 'keep']));
  it('keeps what is of a stranger in the second of two files', () => expect(picksOf(memory('not-signed'), true)).toEqual(['keep', 'theirs']));
  it('has no choice where the file says nothing', () => expect(picksOf(memory('ours'), false)).toEqual([]));
  it('can leave out what only one of two files has', () => expect(picksOf(memory('ours'), true)).toEqual(['keep', 'theirs']));
  it('offers single details where more than one differs', () => {
    expect(picksOf(memory('differs', ['/a']), true)).toEqual(['theirs', 'keep']);
    expect(picksOf(memory('differs', ['/a', '/b']), false)).toEqual(['theirs', 'keep', 'both', 'fields']);
  });
});

describe('a file against the vault', () => {
  it('shows conflicts first, and what each side says', async () => {
    open('offer-1');
    const [first] = await cards();
    expect(first?.textContent).toContain('Changed on both sides');
    expect(first?.textContent).toContain('Drinks green tea at noon.');
    expect(first?.textContent).toContain('Drinks white tea.');
    expect(within(first as HTMLElement).getByText('Changed on')).toBeTruthy();
  });

  it('takes over what was picked, memory by memory', async () => {
    const { user, onapply } = open('offer-1');
    const [first, , third] = await cards();
    await user.selectOptions(within(first as HTMLElement).getByRole('combobox'), 'Keep both');
    await user.selectOptions(within(third as HTMLElement).getByRole('combobox'), 'Leave it out');
    await user.click(screen.getByRole('button', { name: 'Take over 2 memories' }));
    expect(onapply.mock.calls).toEqual([
      ['offer-1', { acceptBroken: false, acceptUnsigned: false, anyBase: false, keepOriginal: false, onConflict: '', merge: '', picking: true, picks: [{ id: 'm-1', take: 'both', fields: [] }, { id: 'm-2', take: 'theirs', fields: [] }], take: [] }],
    ]);
  });

  it('takes over single details', async () => {
    const { user, onapply } = open('offer-1');
    const [first, second, third] = await cards();
    await user.selectOptions(within(first as HTMLElement).getByRole('combobox'), 'Choose detail by detail');
    const tags = within(first as HTMLElement).getByRole('group', { name: 'Tags' });
    await user.click(within(tags).getByRole('radio', { name: /In the file/ }));
    for (const card of [second, third]) await user.selectOptions(within(card as HTMLElement).getByRole('combobox'), card === second ? 'Keep it as it is here' : 'Leave it out');
    await user.click(screen.getByRole('button', { name: 'Take over 1 memory' }));
    expect(onapply.mock.calls[0]?.[1].picks).toEqual([{ id: 'm-1', take: 'theirs', fields: ['/tags'] }]);
  });

  it('has nothing to take over where all is kept', async () => {
    const { user } = open('offer-1');
    await cards();
    await user.click(screen.getByRole('button', { name: 'Keep everything as it is here' }));
    expect(screen.getByRole('button', { name: 'Take over 0 memories' }).hasAttribute('disabled')).toBe(true);
  });
});

it('writes two files as one, as it was picked, and says what came of it', async () => {
  const { user, onchoose, onverify, calls } = open('offer-1', 'offer-2');
  const [first, , , last] = await cards();
  await user.selectOptions(within(first as HTMLElement).getByRole('combobox'), 'Choose detail by detail');
  await user.click(within(within(first as HTMLElement).getByRole('group', { name: 'What it says' })).getByRole('radio', { name: /Second file/ }));
  await user.selectOptions(within(last as HTMLElement).getByRole('combobox'), 'Leave it out');
  await user.click(screen.getByRole('button', { name: 'Write both as one file' }));
  expect(calls.mock.calls.filter(([name]) => name === 'Exports.Merge').map(([, args]) => args)).toEqual([[
    'offer-1', 'offer-2', '', true,
    [{ id: 'm-1', take: 'theirs', fields: ['/content'] }, { id: 'm-2', take: 'theirs', fields: [] }, { id: 'm-3', take: 'theirs', fields: [] }, { id: 'm-4', take: 'theirs', fields: [] }],
  ]]);
  const card = await screen.findByRole('article', { name: 'One file was written' });
  for (const said of ['60 memories', '3 conversations', '1 thing is in both files and differs', 'A week in the archive', '1 memory was left out', 'not signed', 'anyone who has it can read it']) expect(card.textContent).toContain(said);
  await user.click(within(card).getByRole('button', { name: 'Verify' }));
  expect(onverify.mock.calls).toEqual([['offer-merged']]);
  await user.click(screen.getByRole('button', { name: 'Compare with the vault' }));
  expect(onchoose.mock.calls).toEqual([['offer-2', '']]);
});

it('says why a second file changes nothing by itself, and what stayed', async () => {
  const fake = new Fake();
  const user = userEvent.setup();
  use(fake);
  const files: ComparedView = { id: 'm-1', standing: 'not-signed', type: 'fact', ours: 'Drinks green tea.', theirs: 'Drinks white tea.', fields: [{ path: '/content', ours: '"Drinks green tea."', theirs: '"Drinks white tea."', pickable: true }] };
  vi.spyOn(fake, 'call').mockImplementation(async (name) => {
    if (name === 'Exports.Compare') return { ...comparison(true, 0), refused: 'other-signer', items: [files], total: 3 };
    return { ...MERGED, taken: { count: 0, items: [] }, kept: { count: 2, items: [{ kind: 'relation', id: 'r-1', title: '', why: 'not-covered', fields: [{ path: '/type', ours: '"supports"', theirs: '"contradicts"' }] }] } };
  });
  render(Compare, { token: 'offer-1', other: 'offer-2', onchoose: vi.fn(), onapply: vi.fn(), onverify: vi.fn() });
  const [card] = await cards();
  expect(screen.getByText(/not signed by you or by whoever signed the first\. What the first one says stays/)).toBeTruthy();
  expect(screen.getByText('2 more are not shown; where the files differ, the first one counts.')).toBeTruthy();
  expect(card?.textContent).toContain('which may not change it');
  expect((within(card as HTMLElement).getByRole('combobox') as HTMLSelectElement).value).toBe('keep');
  await user.click(screen.getByRole('button', { name: 'Write both as one file' }));
  const article = await screen.findByRole('article', { name: 'One file was written' });
  for (const said of ['2 things differ in the second file and stayed as they were', 'Relation r-1 (the signature of the second file does not cover it)', 'supports → contradicts', 'And 1 more.']) expect(article.textContent).toContain(said);
});

describe('two files and the one that both come from', () => {
  async function three() {
    const shown = open('offer-1', 'offer-2');
    await shown.user.click(await screen.findByRole('button', { name: 'Choose the file both come from' }));
    await screen.findByText('keepsake-2025-09-01.pam.json');
    return { ...shown, cards: await cards() };
  }

  it('says what both changed, what it was, and what one has no more', async () => {
    const { user, cards: [first, , , last], calls } = await three();
    expect(calls.mock.calls.filter(([name]) => name === 'Exports.Compare').map(([, args]) => args)).toEqual([['offer-1', 'offer-2', '', 0], ['offer-1', 'offer-2', expect.stringMatching(/^offer-/), 0]]);
    expect(screen.getByText('changed on both sides').previousSibling?.textContent).toBe('1');
    for (const said of ['Changed on both sides', 'Drinks green tea.', 'Drinks green tea at noon.', 'Drinks white tea.']) expect(first?.textContent).toContain(said);
    expect(last?.textContent).toContain('no longer has it');
    await user.selectOptions(within(first as HTMLElement).getByRole('combobox'), 'Choose detail by detail');
    const names = (group: string) => within(within(first as HTMLElement).getByRole('group', { name: group })).getAllByRole('radio').map((radio) => [radio.closest('label')?.querySelector('small')?.textContent, (radio as HTMLInputElement).checked]);
    expect(names('What it says')).toEqual([['First file · changed', false], ['Second file · changed', true]]);
    expect(names('Tags')).toEqual([['First file', false], ['Second file · changed', true]]);
  });

  it('writes what one file changed as that one has it, and can go back', async () => {
    const { user, calls, cards: [first] } = await three();
    await user.selectOptions(within(first as HTMLElement).getByRole('combobox'), 'As in the first file');
    await user.click(screen.getByRole('button', { name: 'Each as suggested' }));
    await user.click(screen.getByRole('button', { name: 'Write both as one file' }));
    const picked = (i: number) => calls.mock.calls.filter(([name]) => name === 'Exports.Merge').at(i)?.[1];
    expect(picked(0)).toEqual(['offer-1', 'offer-2', expect.stringMatching(/^offer-/), true, [
      { id: 'm-1', take: 'theirs', fields: [] }, { id: 'm-2', take: 'keep', fields: [] }, { id: 'm-3', take: 'theirs', fields: [] }, { id: 'm-4', take: 'keep', fields: [] },
    ]]);
    await user.click(screen.getByRole('button', { name: 'Compare without it' }));
    await screen.findByRole('button', { name: 'Choose the file both come from' });
    await user.click(screen.getByRole('button', { name: 'Write both as one file' }));
    expect(picked(1)?.[2]).toBe('');
    expect(picked(1)?.[4]).toContainEqual({ id: 'm-2', take: 'theirs', fields: [] });
  });

  it('stays with the two where the third cannot be read', async () => {
    const { user, calls } = open('offer-1', 'offer-2');
    await cards();
    calls.mockImplementationOnce(async () => ({ token: 'offer-9' })).mockImplementationOnce(async () => { throw new Error('no'); });
    await user.click(screen.getByRole('button', { name: 'Choose the file both come from' }));
    await screen.findByRole('alert');
    expect(await cards()).toHaveLength(4);
    expect(screen.getByRole('button', { name: 'Choose the file both come from' })).toBeTruthy();
  });
});

it('asks for a file where there is none', async () => {
  const { user, onchoose } = open('');
  await user.click(screen.getByRole('button', { name: 'Choose a file' }));
  expect(onchoose.mock.calls).toEqual([[expect.stringMatching(/^offer-/), '']]);
});
