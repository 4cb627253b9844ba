import axe from 'axe-core';
import { cleanup, render, screen } from '@testing-library/svelte';
import { afterEach, describe, expect, it } from 'vitest';
import { speak } from '../lib/i18n';
import SensitiveTopics from './SensitiveTopics.svelte';

afterEach(async () => {
  cleanup();
  await speak('en');
});

const NONE = 'None of these memories was found to be about health, family, where somebody lives, money, beliefs or sexuality, or to hold names of others or numbers of documents or accounts.';
const none = { total: 0, topics: [], byWords: 0, items: [] };
const some = { total: 6, topics: [{ name: 'names', count: 4 }, { name: 'health', count: 3 }], byWords: 0, items: [] };
const item = (i: number) => ({ id: `m-${i}`, text: `Ana\u202E ${i}`, topics: ['names', 'health'] });
const said = () => [...document.querySelectorAll('p')].map((p) => p.textContent.replaceAll('\u00a0', ' '));

describe('the sensitive topics of what leaves', () => {
  it('are nothing until they are known', () => {
    render(SensitiveTopics, { summary: undefined });
    expect(document.body.textContent.trim()).toBe('');
  });

  it.each([
    ['some', some, false, ['6 memories seem to be about private topics. They leave, too.', 'Names of others 4 · Health 3']],
    ['one', { ...some, total: 1, topics: [{ name: 'numbers', count: 1 }] }, false, ['1 memory seems to be about a private topic. It leaves, too.', 'Document numbers 1']],
    ['none', none, false, [NONE]],
    ['none by words', { ...none, byWords: 2 }, false, [NONE, 'Of 2 memories only the words were looked at so far.']],
    ['some beside conversations', some, true, ['6 memories seem to be about private topics. They leave, too.', 'Names of others 4 · Health 3', 'Conversations are not looked at for these topics.']],
  ])('says %s', async (_, summary, conversations, texts) => {
    const { container } = render(SensitiveTopics, { summary, conversations });
    expect(said()).toEqual(texts);
    expect((await axe.run(container)).violations).toEqual([]);
  });

  it('says which, as many as can be looked at, and how many more there are', async () => {
    const { container } = render(SensitiveTopics, { summary: { ...some, total: 240, items: Array.from({ length: 200 }, (_, i) => item(i)) } });
    const which = screen.getByText('Which?');
    which.click();
    const rows = screen.getAllByRole('listitem');
    expect(rows).toHaveLength(21);
    expect(rows[0]?.textContent).toBe('AnaRLO 0 Names of others and Health');
    expect(rows.at(-1)?.textContent).toBe('and 220 more');
    expect((await axe.run(container)).violations).toEqual([]);
  });

  it('says it in Portuguese', async () => {
    await speak('pt-BR');
    render(SensitiveTopics, { summary: some });
    expect(said()).toEqual(['6 memórias parecem ser sobre assuntos delicados. Elas também saem.', 'Nomes de outras pessoas 4 · Saúde 3']);
    expect(screen.queryByText(/nenhuma/i)).toBeNull();
  });
});
