import { cleanup, render, screen } from '@testing-library/svelte';
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
    ['known', 'Signed by a key you know', 'Assinado por uma chave conhecida'],
    ['x-unknown', 'Signed by a key you do not know', 'Assinado por uma chave desconhecida'],
    ['unsigned', 'Not signed', 'Não assinado'],
    ['broken', 'The seal is broken', 'O selo está quebrado'],
    ['uncheckable', 'Cannot be checked', 'Não pode ser verificado'],
  ])('%s: %s / %s', async (token, english, portuguese) => {
    open(token);
    await screen.findByRole('heading', { name: english });
    cleanup();
    await speak('pt-BR');
    open(token);
    await screen.findByRole('heading', { name: portuguese });
  });

  it('names what is wrong and where', async () => {
    open('broken');
    const report = await screen.findByRole('article');
    expect(report.textContent).toContain('integrity-checksum');
    expect(report.textContent).toContain('/memories/12/content_hash');
    expect(report.textContent).toContain('1 fault found in 31 checks');
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

describe('choosing a file', () => {
  it('asks for one and passes on which it was', async () => {
    const { user, onchoose } = open();
    await user.click(screen.getByRole('button', { name: 'Choose a file' }));
    expect(onchoose.mock.calls).toEqual([[expect.stringMatching(/^offer-/)]]);
  });
});
