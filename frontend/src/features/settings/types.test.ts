import { cleanup, render, screen, waitFor, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it } from 'vitest';
import { use } from '../../lib/backend';
import { Fake } from '../../lib/backend/fake';
import { toasts } from '../../lib/toasts.svelte';
import Types from './Types.svelte';

afterEach(cleanup);

const row = (name: string) => screen.getAllByRole('listitem').find((item) => item.textContent?.includes(name));

describe('types of memories in Settings', () => {
  it('lists what is registered, what is used and what is described', async () => {
    use(new Fake());
    render(Types, { frozen: false });
    await screen.findByText('household_rule');
    expect(row('household_rule')?.textContent).toContain('1 memory');
    expect(row('household_rule')?.textContent).toContain('No description yet');
    expect(row('medical_condition')?.textContent).toContain('In the public list of types');
  });

  it('describes one, and takes the description away', async () => {
    const user = userEvent.setup();
    use(new Fake());
    render(Types, { frozen: false });
    await screen.findByText('household_rule');
    await user.type(screen.getByLabelText('Name'), 'Household rule');
    await user.type(screen.getByLabelText('What it means'), 'What we agreed on at home');
    await user.click(screen.getByRole('button', { name: 'Describe' }));
    await waitFor(() => expect(row('household_rule')?.textContent).toContain('What we agreed on at home'));
    expect(screen.getByLabelText<HTMLInputElement>('Name').value).toBe('');
    await user.click(within(row('household_rule') as HTMLElement).getByRole('button', { name: 'Remove the description of household_rule' }));
    await waitFor(() => expect(row('household_rule')?.textContent).toContain('No description yet'));
    const said = toasts.list.at(-1);
    expect(said).toMatchObject({ text: 'The description of household_rule is removed.', action: 'Undo' });
    said?.onaction?.();
    await waitFor(() => expect(row('household_rule')?.textContent).toContain('What we agreed on at home'));
  });

  it('changes nothing while the vault is frozen', async () => {
    use(new Fake());
    render(Types, { frozen: true });
    await screen.findByText('household_rule');
    expect(screen.getByRole('button', { name: 'Describe' })).toHaveProperty('disabled', true);
  });
});
