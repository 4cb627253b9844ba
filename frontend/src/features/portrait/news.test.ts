import axe from 'axe-core';
import { cleanup, render, screen, waitFor, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { use } from '../../lib/backend';
import { Fake } from '../../lib/backend/fake';
import { speak } from '../../lib/i18n';
import { toasts } from '../../lib/toasts.svelte';
import Portrait from './Portrait.svelte';

afterEach(async () => {
  cleanup();
  toasts.clear();
  await speak('en');
});

async function show(news = true) {
  const fake = new Fake({ news });
  const calls = vi.spyOn(fake, 'call');
  use(fake);
  const { container } = render(Portrait, { onmemory: vi.fn(), onimport: vi.fn(), onwrite: vi.fn(), onlibrary: vi.fn() });
  await waitFor(() => expect(container.querySelector('.ghosts')).toBeNull());
  const asked = (name: string) => calls.mock.calls.filter(([called]) => called === name).map(([, args]) => args);
  return { user: userEvent.setup(), container, asked, fake };
}

const part = async (name: string) => within(await screen.findByRole('region', { name }));

describe('what is new since last time', () => {
  it('tells what was learned, changed and dropped, since when, and how much of each', async () => {
    const { user, container } = await show();
    const news = await part('New since last time');
    expect(news.getByText('ChatGPT, since March 3, 2025')).toBeTruthy();
    expect(news.getAllByRole('heading', { level: 3 }).map((h) => h.textContent)).toEqual(['Learned 20', 'Says in other words 1', 'No longer in its export 2']);
    expect(news.getAllByRole('listitem')).toHaveLength(12 + 1 + 2);
    expect(container.querySelector('del')?.textContent).toContain('Perhaps');
    await user.click(news.getByRole('button', { name: 'Show all 20' }));
    await waitFor(() => expect(news.getAllByRole('listitem')).toHaveLength(20 + 1 + 2));
    expect((await axe.run(container, { rules: { region: { enabled: false } } })).violations).toEqual([]);
  });

  it('takes what is said of a sentence, and keeps what is wrong struck through', async () => {
    const { user, asked } = await show();
    const news = await part('New since last time');
    await user.click(news.getAllByRole('button', { name: 'True' })[0] as HTMLElement);
    await waitFor(() => expect(asked('Portrait.Confirm')).toHaveLength(1));
    await waitFor(() => expect(toasts.list.at(-1)?.text).toBe('1 sentence is true.'));
    const over = news.queryAllByText('Retracted').length;
    await user.click(news.getAllByRole('button', { name: 'Wrong' })[0] as HTMLElement);
    await waitFor(() => expect(news.getAllByText('Retracted')).toHaveLength(over + 1));
  });

  it('is not there where nothing differs', async () => {
    await show(false);
    await screen.findByRole('region', { name: /^You / });
    expect(screen.queryByRole('region', { name: 'New since last time' })).toBeNull();
    expect(screen.queryByRole('region', { name: 'To delete there' })).toBeNull();
  });
});

describe('what to delete at an assistant', () => {
  it('gives words to paste, and is ticked off', async () => {
    const { user, asked, fake } = await show();
    const there = await part('To delete there');
    const before = there.getAllByRole('listitem').length;
    expect(before).toBeGreaterThan(1);
    expect(there.getAllByText(/^Please forget this about me: “/)).toHaveLength(before);
    await user.click(there.getByRole('button', { name: `Copy all ${before}` }));
    const copied = fake.clipboard;
    expect(copied.split('\n')).toHaveLength(before + 1);
    expect(copied).toMatch(/^Please forget the following about me:\n- /);
    await user.click(there.getAllByRole('button', { name: 'I asked' })[0] as HTMLElement);
    await waitFor(() => expect(there.getAllByRole('listitem')).toHaveLength(before - 1));
    expect(asked('Portrait.Asked')[0]?.[0]).toBe('chatgpt');
    toasts.list.at(-1)?.onaction?.();
    await waitFor(() => expect(there.getAllByRole('listitem')).toHaveLength(before));
  });

  it('leads to the memory page only after showing where that is', async () => {
    const { user, asked } = await show();
    const there = await part('To delete there');
    await user.click(there.getByRole('button', { name: 'Its memory page' }));
    const dialog = within(await screen.findByRole('dialog'));
    await dialog.findByText('chatgpt.com');
    expect(asked('Conversations.OpenLink')).toEqual([]);
    await user.click(dialog.getByRole('button', { name: 'Open in the browser' }));
    await waitFor(() => expect(asked('Conversations.OpenLink')).toEqual([['https://chatgpt.com/#settings/Personalization']]));
  });

  it('speaks Portuguese', async () => {
    await speak('pt-BR');
    await show();
    const there = await part('Para apagar lá');
    expect(there.getAllByText(/^Por favor, esqueça isto sobre mim: “/).length).toBeGreaterThan(0);
  });
});
