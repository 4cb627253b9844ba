import { cleanup, render, screen, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { use, type IndexView } from '../../lib/backend';
import { Fake } from '../../lib/backend/fake';
import { beforeYear, heat, monthsOf } from './figures';
import Insights from './Insights.svelte';

afterEach(() => cleanup());

describe('figures', () => {
  it('fill the months between, and sum the platforms', () => {
    const months = monthsOf([{ month: '2025-11', platform: 'a', count: 2 }, { month: '2025-11', platform: 'b', count: 1 }, { month: '2026-02', platform: 'a', count: 4 }]);
    expect(months.map((m) => [m.month, m.total])).toEqual([['2025-11', 3], ['2025-12', 0], ['2026-01', 0], ['2026-02', 4]]);
    expect(monthsOf([])).toEqual([]);
  });

  it('know how much room the name of the first month has before that of a year', () => {
    const from = (first: string, last: string) => beforeYear(monthsOf([{ month: first, platform: 'a', count: 1 }, { month: last, platform: 'a', count: 1 }]));
    expect(from('2025-11', '2026-06')).toBe(2);
    expect(from('2025-01', '2026-06')).toBe(12);
    expect(from('2026-02', '2026-05')).toBeGreaterThanOrEqual(12); // nothing follows it
  });

  it('lay a year out by week and weekday, ending with the newest day', () => {
    const days = heat([{ day: '2026-03-04', conversations: 1, messages: 40 }, { day: '2026-03-05', conversations: 2, messages: 1 }]);
    expect(days.at(-1)).toMatchObject({ day: '2026-03-05', week: 52, weekday: 3, level: 1 });
    expect(days.at(-2)).toMatchObject({ messages: 40, level: 4 });
    expect(days[0]).toMatchObject({ week: 0, weekday: 0, level: 0 });
  });
});

describe('the screen', () => {
  it('can be read as tables that say what the pictures show', async () => {
    use(new Fake());
    const onview = vi.fn();
    render(Insights, { onview, onimport: vi.fn(), onexport: vi.fn(), ongraph: vi.fn() });
    const user = userEvent.setup();
    const figure = await screen.findByRole('figure', { name: 'Kinds of memories' });
    expect(within(figure).getByRole('img').getAttribute('aria-label')).toContain('60 memories');
    await user.click(within(figure).getByRole('button', { name: 'As a table' }));
    const sum = within(figure).getAllByRole('row').slice(1).flatMap((row) => within(row).getAllByRole('cell').map((cell) => Number(cell.textContent))).reduce((a, b) => a + b, 0);
    expect(sum).toBe(60);
    await user.click(screen.getByRole('button', { name: /last said or changed over a year ago/ }));
    expect(onview).toHaveBeenCalled();
  });

  it('says first what assistants mostly remember, of all and since a month', async () => {
    use(new Fake());
    render(Insights, { onview: vi.fn(), onimport: vi.fn(), onexport: vi.fn(), ongraph: vi.fn() });
    const list = await screen.findByRole('region', { name: 'What they mostly remember' });
    expect(within(list).getAllByRole('listitem').map((item) => item.textContent)).toEqual([
      'Most of what ChatGPT remembers is in the chapter “Work”: 14 of 24.',
      'Since May 2026, most of what Claude remembers is in the chapter “Home”: 7 of 9, before that 2 of 14.',
    ]);
  });

  it('lists what the memories are about, the largest first, and opens it', async () => {
    const fake = new Fake();
    use(fake);
    const ongraph = vi.fn();
    render(Insights, { onview: vi.fn(), onimport: vi.fn(), onexport: vi.fn(), ongraph });
    const list = await screen.findByRole('region', { name: 'What your memories are about' });
    const rows = within(list).getAllByRole('button').map((row) => row.textContent ?? '');
    const counts = rows.map((row) => Number(/(\d+)\D*$/.exec(row)?.[1]));
    expect(counts).toEqual(counts.toSorted((a, b) => b - a));
    expect(rows[0]).toMatch(/^Debian, Emacs, Python\s*\d+\s*memories$/);
    await userEvent.setup().click(within(list).getByRole('button', { name: /^orchestra/ }));
    expect(ongraph).toHaveBeenCalledWith('orchestra, viola, conducts');
  });

  it('asks anew what they are about once the last one is compared', async () => {
    const fake = new Fake({ missing: 6 });
    use(fake);
    const calls = vi.spyOn(fake, 'call');
    const asked = () => calls.mock.calls.filter(([method]) => method === 'Library.Topics').length;
    render(Insights, { onview: vi.fn(), onimport: vi.fn(), onexport: vi.fn(), ongraph: vi.fn() });
    await screen.findByText(/the rest follows while nobody waits/);
    const before = asked();
    fake.index(3);
    await screen.findByText(new RegExp(String(((await fake.call('Search.State', [])) as IndexView).records - 3)));
    expect(asked()).toBe(before);
    fake.index(0);
    await screen.findByText(/not only by its words/);
    expect(asked()).toBe(before + 1);
  });

  it('says how far the search by meaning is, and follows it', async () => {
    const fake = new Fake({ missing: 6 });
    use(fake);
    render(Insights, { onview: vi.fn(), onimport: vi.fn(), onexport: vi.fn(), ongraph: vi.fn() });
    const { records } = (await fake.call('Search.State', [])) as IndexView;
    await screen.findByText(`${records - 6} of ${records} memories and conversations can be found by meaning; the rest follows while nobody waits.`);
    fake.index(0);
    await screen.findByText('Every memory and every conversation can be found by meaning, not only by its words.');
  });

  it('says that the rest waits for the mains', async () => {
    use(new Fake({ missing: 6, onBattery: true }));
    render(Insights, { onview: vi.fn(), onimport: vi.fn(), onexport: vi.fn(), ongraph: vi.fn() });
    await screen.findByText(/can be found by meaning; the rest follows once this computer is plugged in\.$/);
  });

  it('says why no more can be found by meaning for now', async () => {
    const failed = { code: 'busy', reason: 'embedding-server-silent', message: 'The embedding server at http://127.0.0.1:11434 does not answer.', hint: '', args: {} };
    use(new Fake({ missing: 6, comparingFails: failed }));
    render(Insights, { onview: vi.fn(), onimport: vi.fn(), onexport: vi.fn(), ongraph: vi.fn() });
    await screen.findByText(failed.message);
  });

  it('says that a program without the model goes by words alone', async () => {
    use(new Fake({ compares: false }));
    render(Insights, { onview: vi.fn(), onimport: vi.fn(), onexport: vi.fn(), ongraph: vi.fn() });
    await screen.findByText('This copy of Keepsake was built without its language model, so search goes by words alone.');
    expect(screen.queryByText(/by meaning/)).toBeNull();
    expect(screen.queryByText('What your memories are about')).toBeNull();
  });
});
