import { cleanup, render, screen, waitFor } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { use } from '../../lib/backend';
import { Fake } from '../../lib/backend/fake';
import { speak } from '../../lib/i18n';
import Verify from './Verify.svelte';

afterEach(async () => {
  cleanup();
  await speak('en');
});

function open(token = '') {
  use(new Fake());
  const onchoose = vi.fn();
  const onimport = vi.fn();
  const oncompare = vi.fn();
  render(Verify, { token, onchoose, onimport, oncompare });
  return { user: userEvent.setup(), onchoose, onimport, oncompare };
}

describe('the verdict in words', () => {
  it.each([
    ['own', 'Signed by you', 'Assinado por você'],
    ['retired', 'Signed by you', 'Assinado por você'],
    ['known', 'Signed by Ana Souza', 'Assinado por Ana Souza'],
    ['x-unknown', 'Signed by a key you do not know', 'Assinado por uma chave desconhecida'],
    ['unsigned', 'Not signed', 'Não assinado'],
    ['broken', 'The seal is broken', 'O selo está quebrado'],
    ['invalid', 'As it was signed, but not a valid document', 'Como foi assinado, mas não é um documento válido'],
    ['invalid-unsigned', 'Not signed, and not a valid document', 'Não assinado, e não é um documento válido'],
    ['revoked', 'The key is revoked', 'A chave foi revogada'],
    ['claims', 'Stop: this is not the key of Ana Souza', 'Pare: esta não é a chave de Ana Souza'],
    ['claims-own', 'It says it is yours, and is not signed by you', 'Diz que é seu e não foi assinado por você'],
    ['sealed', 'This file is locked', 'Este arquivo está criptografado'],
    ['uncheckable', 'Cannot be checked', 'Não pode ser verificado'],
  ])('%s: %s / %s', async (token, english, portuguese) => {
    open(token);
    await screen.findByRole('heading', { name: english });
    cleanup();
    await speak('pt-BR');
    open(token);
    await screen.findByRole('heading', { name: portuguese });
  });

  it.each([['own', 'Import it'], ['x-unknown', 'Import it'], ['broken', 'Check another file'], ['invalid', 'Check another file'], ['revoked', 'Check another file'], ['claims', 'Check another file']])('%s is offered first: %s', async (token, first) => {
    open(token);
    await screen.findByRole('article');
    const filled = screen.getAllByRole('button').filter((button) => button.classList.contains('primary'));
    expect(filled.map((button) => button.textContent.trim())).toEqual([first]);
  });

  it('names what is wrong and where', async () => {
    open('broken');
    const report = await screen.findByRole('article');
    expect(report.textContent).toContain('integrity-checksum');
    expect(report.textContent).toContain('/memories/12/content_hash');
    expect(report.textContent).toContain('1 fault found in 31 checks');
    expect(report.textContent.split('/memories/12/content_hash')).toHaveLength(2); // once
  });

  it('tells a changed memory by its words, and claims nothing that a broken seal does not hold (window finding 11)', async () => {
    open('broken');
    const report = await screen.findByRole('article');
    expect(report.textContent).toContain('1 memory was changed after the file was made');
    expect(report.textContent).toContain('Drinks green tea in the morning, without sugar.');
    expect(report.textContent).toContain('Drinks black tea in the morning, with sugar.');
    expect(screen.getByText(/is not the checksum/).closest('details')?.open).toBe(false); // sums are for those who ask
    expect(report.textContent).not.toContain('every memory');
    expect(screen.queryByRole('button', { name: 'Import it' })).toBeNull();
  });

  it('shows no fingerprint where nobody signed', async () => {
    open('unsigned');
    await screen.findByRole('heading', { name: 'Not signed' });
    expect(screen.queryByText('Fingerprint of the key')).toBeNull();
  });
});

describe('what comes next', () => {
  it('is to take the file in, or to hold it against the vault', async () => {
    const { user, onimport, oncompare } = open('x-unknown');
    await user.click(await screen.findByRole('button', { name: 'Import it' }));
    await user.click(screen.getByRole('button', { name: 'Compare with the vault' }));
    expect(onimport.mock.calls).toEqual([['x-unknown', 'keepsake-2025-10-18.pam.json']]);
    expect(oncompare.mock.calls).toEqual([['x-unknown']]);
  });
});

describe('a key that is not known', () => {
  it('gets a name from the person, and no name that another key has', async () => {
    const { user } = open('x-unknown');
    const name = await screen.findByLabelText('Name');
    await user.type(name, 'Ana Souza');
    await user.click(screen.getByRole('button', { name: 'Remember this key' }));
    expect((await screen.findByRole('alert')).textContent).toContain('Ana Souza is known by another key');
    await user.clear(name);
    await user.type(name, 'Bea');
    await user.click(screen.getByRole('button', { name: 'Remember this key' }));
    await waitFor(() => expect(screen.queryByRole('alert')).toBeNull());
  });

  it.each(['own', 'known', 'claims', 'claims-own', 'unsigned', 'invalid', 'broken'])('gets none from a file that is %s', async (token) => {
    open(token);
    await screen.findByRole('article');
    expect(screen.queryByLabelText('Name')).toBeNull();
  });
});

describe('what the signatures cover', () => {
  it('is everything in a bundle with a digest', async () => {
    open('whole');
    const report = await screen.findByRole('article');
    expect(report.textContent).toContain('everything in the bundle');
    expect(report.textContent).not.toContain('Does not cover');
  });

  it('is said where it is not everything', async () => {
    open('own');
    expect((await screen.findByRole('article')).textContent).toMatch(/Does not cover.*relations.*numbers for searching/);
  });
});

describe('a file that is encrypted', () => {
  it('asks for its passphrase, says when it is wrong, and is then looked into', async () => {
    const { user } = open('sealed');
    const look = await screen.findByRole('button', { name: 'Look into it' });
    await user.type(screen.getByLabelText('Passphrase of the file'), 'wrong');
    await user.click(look);
    await screen.findByText('This passphrase does not open the file.');
    await user.type(screen.getByLabelText('Passphrase of the file'), 'correct horse');
    await user.click(screen.getByRole('button', { name: 'Look into it' }));
    await screen.findByRole('heading', { name: 'Signed by you' });
  });
});

describe('window finding 7: a file that is gone', () => {
  it('is asked for again, and is no error', async () => {
    open('gone');
    expect(await screen.findByText('The file that was shown here is no longer at hand.')).toBeTruthy();
    expect(screen.queryByRole('alert')).toBeNull();
    expect(screen.getByRole('button', { name: 'Choose a file' })).toBeTruthy();
  });

  it('can still be downloaded from where it is verified', async () => {
    use(new Fake({ shell: 'browser' }));
    render(Verify, { token: 'own', made: { name: 'me.pam.json', url: '#download' }, onchoose: vi.fn(), onimport: vi.fn(), oncompare: vi.fn() });
    expect((await screen.findByRole('link', { name: 'Download' })).getAttribute('download')).toBe('me.pam.json');
  });
});

describe('choosing a file', () => {
  it('asks for one and passes on which it was', async () => {
    const { user, onchoose } = open();
    await user.click(screen.getByRole('button', { name: 'Choose a file' }));
    expect(onchoose.mock.calls).toEqual([[expect.stringMatching(/^offer-/)]]);
  });
});
