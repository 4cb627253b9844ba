import axe from 'axe-core';
import { cleanup, render, screen, waitFor } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { use } from '../../lib/backend';
import { Fake } from '../../lib/backend/fake';
import { toasts } from '../../lib/toasts.svelte';
import Todos from './Todos.svelte';
import { tagsIn } from './todos.svelte';

let fake: Fake;

beforeEach(() => {
  fake = new Fake();
  use(fake);
});
afterEach(cleanup);

const show = async () => {
  const { container } = render(Todos);
  await screen.findByText('Send the index to the publisher');
  return container;
};

describe('the tasks', () => {
  it('show what is left to do, and the rest when it is asked for', async () => {
    await show();
    expect(screen.queryByText('Water the lemon tree')).toBeNull();
    expect(screen.getByText('2 tasks to do')).toBeTruthy();
    await userEvent.click(screen.getByRole('checkbox', { name: 'Show finished ones too' }));
    expect(await screen.findByText('Water the lemon tree')).toBeTruthy();
  });

  it('stay where they cannot be read again, and it is said beside them', async () => {
    await show();
    const again = vi.spyOn(fake, 'call').mockRejectedValueOnce(new Error('The disk went away.'));
    fake.tell('library', {});
    expect((await screen.findByRole('alert')).textContent).toContain('Something went wrong');
    again.mockRestore();
    expect(screen.getByText('Send the index to the publisher')).toBeTruthy();
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
    await waitFor(() => expect(screen.queryByRole('alert')).toBeNull());
  });

  it('are ticked off', async () => {
    await show();
    await userEvent.click(screen.getByRole('checkbox', { name: 'Done: Send the index to the publisher' }));
    await waitFor(() => expect(screen.queryByText('Send the index to the publisher')).toBeNull());
    expect(fake.todos.items.find((t) => t.id === 'todo-1')?.status).toBe('done');
    expect(toasts.list.at(-1)).toMatchObject({ text: 'The task is done.', action: 'Undo' });
    await userEvent.click(screen.getByRole('checkbox', { name: 'Show finished ones too' }));
    await userEvent.click(await screen.findByRole('checkbox', { name: 'Done: Send the index to the publisher' }));
    await waitFor(() => expect(toasts.list.at(-1)).toMatchObject({ text: 'The task is to be done again.', action: 'Undo' }));
  });

  it('are written down and changed', async () => {
    await show();
    await userEvent.click(screen.getByRole('button', { name: 'New task' }));
    await userEvent.type(await screen.findByRole('textbox', { name: 'What is to be done' }), 'Buy tea');
    await userEvent.type(screen.getByRole('textbox', { name: 'Tags, separated by commas' }), 'home, tea');
    await userEvent.click(screen.getByRole('button', { name: 'Keep' }));
    await waitFor(() => expect(fake.todos.items.some((t) => t.content === 'Buy tea' && t.tags.length === 2)).toBe(true));
    await waitFor(() => expect(toasts.list.at(-1)).toMatchObject({ text: 'The task is kept.', action: 'Undo' }));
    await userEvent.click(await screen.findByRole('button', { name: /^Buy tea/ }));
    await userEvent.selectOptions(await screen.findByRole('combobox', { name: 'Priority' }), 'urgent');
    await userEvent.click(screen.getByRole('button', { name: 'Keep' }));
    await waitFor(() => expect(fake.todos.items.find((t) => t.content === 'Buy tea')?.priority).toBe('urgent'));
    await waitFor(() => expect(toasts.list.at(-1)).toMatchObject({ text: 'The task is changed.', action: 'Undo' }));
  });

  it('are gone through and ticked by keys alone, and the keyboard stays among them', async () => {
    await show();
    const user = userEvent.setup();
    const [first, second] = screen.getAllByRole('listitem').map((row) => row.querySelector('button'));
    await user.keyboard('j');
    expect(document.activeElement).toBe(first);
    await user.keyboard('j');
    expect(document.activeElement).toBe(second);
    await user.keyboard('jk');
    expect(document.activeElement).toBe(first);
    const id = fake.todos.items.find((t) => first?.textContent?.includes(t.content))?.id;
    await user.keyboard('x');
    await waitFor(() => expect(fake.todos.items.find((t) => t.id === id)?.status).toBe('done'));
    await waitFor(() => expect(document.activeElement).toBe(screen.getAllByRole('listitem')[0]?.querySelector('button')));
    await user.keyboard('{Enter}');
    expect(await screen.findByRole('textbox', { name: 'What is to be done' })).toBeTruthy();
  });

  it('are removed, which can be undone', async () => {
    await show();
    await userEvent.click(screen.getByRole('button', { name: /^Send the index/ }));
    await userEvent.click(await screen.findByRole('button', { name: 'Remove' }));
    await waitFor(() => expect(fake.todos.items).toHaveLength(2));
    expect(toasts.list.at(-1)?.action).toBe('Undo');
  });

  it('can be used by everybody', async () => {
    const container = await show();
    expect((await axe.run(container)).violations).toEqual([]);
  });

  it('have tags between commas', () => expect(tagsIn(' a, ,b c ')).toEqual(['a', 'b c']));
});
