import { cleanup, render, screen, waitFor } from '@testing-library/svelte';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { use } from '../../lib/backend';
import { Fake } from '../../lib/backend/fake';
import { progressAt, report } from '../../lib/backend/sampleImports';
import { place } from '../../lib/route.svelte';
import { toasts } from '../../lib/toasts.svelte';
import { Desk, desk } from './desk.svelte';
import Import from './Import.svelte';
import Report from './Report.svelte';

afterEach(cleanup);

describe('window finding 15: an import', () => {
  it.each([
    ['has finished', 'import-9', undefined, 'The import has finished.'],
    ['has failed', '', { code: 'too_large', reason: 'disk-full', message: 'The disk is full.', hint: '', args: {} }, undefined],
  ])('says on another screen that it %s, and leads to its report', async (_how, importId, problem, text) => {
    toasts.clear();
    place.go('library');
    const fake = new Fake();
    use(fake);
    const here = new Desk();
    here.start(() => {});
    fake.tell('progress', progressAt('job-7', 0.5));
    fake.tell('import-done', { job: 'job-7', importId, ...(problem && { problem }) });
    await vi.waitFor(() => expect(toasts.list).toHaveLength(1));
    expect(toasts.list[0]?.text).toBe(text);
    expect(toasts.list[0]?.fault).toEqual(problem);
    toasts.list[0]?.onaction?.();
    await vi.waitFor(() => expect(place.now.screen).toBe('import'));
    fake.tell('progress', progressAt('job-8', 0.5));
    toasts.clear();
    fake.tell('import-done', { job: 'job-8', importId: '' });
    await vi.waitFor(() => expect(here.job).toBeUndefined());
    expect(toasts.list).toHaveLength(0); // here it is seen
    place.go('library');
  });

  it('tells how much of what was laid down it has looked at', async () => {
    const fake = new Fake();
    const call = fake.call.bind(fake);
    let answer = () => {};
    fake.call = async (name, args) => {
      if (name === 'Imports.Plan') await new Promise<void>((done) => (answer = done));
      return call(name, args);
    };
    use(fake);
    desk.clear();
    const stop = desk.start(() => {});
    render(Import, { onreport: vi.fn(), onlibrary: vi.fn(), oncompare: vi.fn() });
    await desk.choose();
    await waitFor(() => expect(desk.planning).toBe(true));
    fake.tell('look', { done: 500_000_000, total: 2_000_000_000 });
    expect(await screen.findByText('500 MB of 2 GB')).toBeTruthy();
    expect(screen.getByRole('progressbar').getAttribute('aria-valuenow')).toBe('25');
    answer();
    await waitFor(() => expect(desk.plan).toBeDefined());
    expect(desk.looked).toBeUndefined();
    desk.clear();
    stop();
  });

  it('does not say that no conversation was read where there were only memories', () => {
    const kept = report('import-9', '2025-10-18T09:00:00Z');
    render(Report, { report: { ...kept, new: 0, updated: 0, unchanged: 0 }, onclose: vi.fn(), onlibrary: vi.fn() });
    expect(screen.getByRole('heading', { level: 2, name: /Found \d+ memories/ })).toBeTruthy();
    expect(screen.queryByText(/Read 0/)).toBeNull();
  });
});
