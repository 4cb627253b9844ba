import { cleanup, render, screen } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it } from 'vitest';
import { use } from '../../lib/backend';
import { Fake } from '../../lib/backend/fake';
import { home, place } from '../../lib/route.svelte';
import { pickTwo, sameGroup } from './recovery';
import { judge } from '../../components/strength';
import Welcome from './Welcome.svelte';

afterEach(cleanup);

describe('typing a group back', () => {
  it.each([
    ['k7qm2', 'K7QM2', true],
    [' K7-QM 2', 'K7QM2', true],
    ['OIL23', '01123', true],
    ['K7QM3', 'K7QM2', false],
    ['', '', false],
  ])('%j for %j is %j', (typed, group, same) => expect(sameGroup(typed, group)).toBe(same));

  it('asks for two different groups, and for each of them some time', () => {
    const seen = new Set<number>();
    for (let i = 0; i < 500; i++) {
      const [a, b] = pickTwo(6);
      expect(a).toBeLessThan(b);
      seen.add(a).add(b);
    }
    expect([...seen].sort()).toEqual([0, 1, 2, 3, 4, 5]);
  });
});

describe('strength', () => {
  it('knows the words of both languages', async () => {
    const judged = await judge();
    expect(judged('password').score).toBe(0);
    expect(judged('senha123').score).toBeLessThan(2);
    for (const common of ['flamengo', 'minhasenha', 'deusefiel', 'brasil123', 'corinthians1']) expect(judged(common).score, common).toBeLessThan(2); // window finding 17
    expect(judged('saudade').score).toBeLessThan(2);
    expect(judged('keepsake').score).toBeLessThan(2);
    expect(judged('walrus meadow copper lantern').score).toBe(4);
  });

  it('bears a passphrase of any length', async () => {
    expect((await judge())('lantern '.repeat(5_000)).score).toBeGreaterThanOrEqual(0);
  });
});

describe('a new vault', () => {
  const passphrase = 'walrus meadow copper lantern';

  async function toRecovery() {
    const user = userEvent.setup();
    render(Welcome, { busy: false, waiting: '', onrestore: () => {} });
    await user.click(screen.getByRole('button', { name: 'Create a vault' }));
    await user.type(screen.getByLabelText('Passphrase'), passphrase);
    await user.type(screen.getByLabelText('The same once more'), passphrase);
    await user.click(screen.getByRole('button', { name: 'Create the vault' }));
    await screen.findByRole('heading', { name: 'Your recovery key' });
    return user;
  }

  it('says how long opening takes here, measured', async () => {
    use(new Fake({ vault: 'none' }));
    const user = userEvent.setup();
    render(Welcome, { busy: false, waiting: '', onrestore: () => {} });
    await user.click(screen.getByRole('button', { name: 'Create a vault' }));
    expect(await screen.findByText(/about 0.8 seconds on this computer/)).toBeTruthy();
  });

  it('opens the sample at the first screen, wherever the page was', async () => {
    use(new Fake({ vault: 'none' }));
    place.go('settings');
    render(Welcome, { busy: false, waiting: '', onrestore: () => {} });
    await userEvent.setup().click(screen.getByRole('button', { name: 'Try with sample data' }));
    expect(place.now).toEqual(home);
  });

  it('wants a passphrase of some length, twice the same', async () => {
    use(new Fake({ vault: 'none' }));
    const user = userEvent.setup();
    render(Welcome, { busy: false, waiting: '', onrestore: () => {} });
    await user.click(screen.getByRole('button', { name: 'Create a vault' }));
    await user.type(screen.getByLabelText('Passphrase'), 'short');
    await user.click(screen.getByRole('button', { name: 'Create the vault' }));
    expect(screen.getByText('At least 8 characters, please.')).toBeTruthy();
    await user.type(screen.getByLabelText('Passphrase'), ' no more');
    await user.click(screen.getByRole('button', { name: 'Create the vault' }));
    expect(screen.getByText('The two are not the same.')).toBeTruthy();
  });

  it('shows the recovery key once, and goes on only when two groups were typed back', async () => {
    use(new Fake({ vault: 'none' }));
    const user = await toRecovery();
    const groups = screen.getAllByRole('listitem').map((item) => item.textContent.replace(/^\d\s*/, '').trim());
    await user.click(screen.getByRole('button', { name: 'I have kept it' }));
    await user.click(screen.getByRole('button', { name: 'Go to my vault' }));
    expect(screen.getAllByText('This is not that group.')).toHaveLength(2);
    expect(screen.queryByText(groups[0] ?? '')).toBeNull();
    for (const field of screen.getAllByRole('textbox')) {
      const number = Number(screen.getByText((_text, element) => element?.getAttribute('for') === field.id).textContent.replace(/\D/g, ''));
      await user.type(field, (groups[number - 1] ?? '').toLowerCase());
    }
    await user.click(screen.getByRole('button', { name: 'Go to my vault' }));
    expect(place.now.screen).toBe('import');
    expect(screen.queryByText('Is it in safe hands?')).toBeNull();
  });

  it('tells that a file is waiting', () => {
    use(new Fake({ vault: 'none' }));
    render(Welcome, { busy: false, waiting: '1 file waits to be read.', onrestore: () => {} });
    expect(screen.getByRole('status').textContent).toContain('1 file waits');
  });
});
