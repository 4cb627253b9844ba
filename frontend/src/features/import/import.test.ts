import { cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { backend, use, type ReportView } from '../../lib/backend';
import { Fake } from '../../lib/backend/fake';
import { planOf, progressAt, report } from '../../lib/backend/sampleImports';
import { carried } from './carried';
import { Desk, desk } from './desk.svelte';
import History from './History.svelte';
import Import from './Import.svelte';
import { Pace } from './pace';
import { reasonName } from './reasons';
import PlanSource from './PlanSource.svelte';
import Report from './Report.svelte';
import { sums } from './sums';

const settled = () => new Promise((resolve) => setTimeout(resolve));

describe('pace', () => {
  it('says nothing for two seconds, then rate and time left', () => {
    let now = 0;
    const pace = new Pace(() => now);
    pace.begin();
    for (now = 500; now < 2_000; now += 500) {
      pace.note(now * 1000);
      expect(pace.rate()).toBeUndefined();
    }
    now = 2_000;
    pace.note(2_000_000);
    expect(pace.rate()).toBe(1_000_000);
    expect(pace.left(12_000_000)).toBe(10);
    expect(pace.left(2_000_000)).toBeUndefined();
  });

  it('forgets how fast it once was', () => {
    let now = 0;
    const pace = new Pace(() => now);
    pace.begin();
    for (now = 1_000; now <= 20_000; now += 1_000) pace.note(now <= 10_000 ? now * 10 : 100_000 + (now - 10_000));
    expect(pace.rate()).toBe(1_000);
  });
});

describe('what a drag carries', () => {
  const transfer = (types: string[], items: { kind: string; type: string }[]) => ({ types, items }) as unknown as DataTransfer;

  it('is nothing when it is text', () => expect(carried(transfer(['text/plain'], [{ kind: 'string', type: 'text/plain' }]))).toBeUndefined());
  it('is a zip', () => expect(carried(transfer(['Files'], [{ kind: 'file', type: 'application/zip' }]))).toEqual({ kind: 'zip', count: 1 }));
  it('is a file where the web view tells only addresses', () => expect(carried(transfer(['text/uri-list'], []))).toEqual({ kind: 'other', count: 1 }));
});

it('tells readable sources from refused ones', () => {
  const { sources } = planOf([{ token: 'a', name: 'chatgpt.zip', size: 1, folder: false }, { token: 'b', name: 'notes.txt', size: 1, folder: false }]);
  expect(sums(sources)).toEqual({ readable: 1, fresh: true });
  expect(sums(sources.slice(1))).toEqual({ readable: 0, fresh: false });
});

it('shows pasted text before anything is stored', async () => {
  use(new Fake());
  const desk = new Desk();
  await desk.paste('[2026-02-02] - Prefers metric units.');
  await desk.look();
  const source = desk.plan?.sources[0];
  if (!source) throw new Error('no plan');
  render(PlanSource, { source, busy: false, onunseal: async () => {}, onaccount: async () => {} });
  expect(screen.getByText('Prefers metric units.').isConnected).toBe(true);
  expect(screen.getByText(/Identity · in the vault already/).isConnected).toBe(true);
  expect(screen.getByText(/there are more memories/).isConnected).toBe(true);
  cleanup();
});

it('asks whose an export is that does not say so, and plans again with the answer', async () => {
  use(new Fake());
  const desk = new Desk();
  await desk.paste('[2026-02-02] - Prefers metric units.');
  await desk.look();
  const source = desk.plan?.sources[0];
  if (!source) throw new Error('no plan');
  const onaccount = vi.fn((names: string[], account: string) => desk.nameAccount(names, account));
  render(PlanSource, { source, busy: false, onunseal: async () => {}, onaccount });
  await fireEvent.click(screen.getByRole('button', { name: 'Name the account' }));
  await fireEvent.input(screen.getByLabelText('Name of the account'), { target: { value: ' work ' } });
  await fireEvent.click(screen.getByRole('button', { name: 'Use this name' }));
  await settled();
  expect(onaccount).toHaveBeenCalledWith(['pasted.txt'], 'work');
  expect(desk.plan?.sources[0]?.account).toBe('work');
  cleanup();
});

it('names a reason it does not know in its own words', () => {
  expect(reasonName('duplicate')).toBe('the same thing twice');
  expect(reasonName('brand-new_reason')).toBe('brand new reason');
});

describe('the desk', () => {
  it('hands on what was opened before it listened, and what is dropped later', async () => {
    const fake = new Fake();
    fake.open('early.zip');
    use(fake);
    const arrived = vi.fn();
    const stop = new Desk().start(arrived);
    await settled();
    fake.drop('late.zip');
    stop();
    fake.drop('too-late.zip');
    expect(arrived.mock.calls.map(([offers]) => offers[0].name)).toEqual(['early.zip', 'late.zip']);
  });

  it('plans everything that lies on it, also what comes while it looks', async () => {
    const fake = new Fake();
    use(fake);
    const here = new Desk();
    here.start((offers) => here.take(offers));
    fake.drop('chatgpt.zip');
    const looking = here.look();
    fake.drop('claude.zip');
    await looking;
    expect(here.plan?.sources.map((s) => s.providerName)).toEqual(['ChatGPT', 'Claude']);
  });

  it('lets go of what is not wanted', async () => {
    const fake = new Fake();
    use(fake);
    const here = new Desk();
    here.start((offers) => here.take(offers));
    fake.drop('chatgpt.zip');
    const [token] = here.waiting.map((offer) => offer.token);
    here.clear();
    await settled();
    await expect(fake.call('Imports.Plan', [[token]])).rejects.toThrow();
    expect(here.waiting).toEqual([]);
  });

  it('ends as a report, however quick the import was', async () => {
    use(new Fake({ importMs: 0 }));
    const here = new Desk();
    here.start(() => {});
    await here.choose();
    await here.look();
    await here.begin();
    expect(here.job).toBeUndefined();
    expect(here.report?.state).toBe('partial');
  });

  // What Go says and what it answers may overtake each other.
  it.each(['before Start answers', 'after Start answers', 'after a word that it is finished'])('ends as a report when its end is told %s', async (when) => {
    const fake = new Fake({ importMs: 0 });
    const call = fake.call.bind(fake);
    const end = () => fake.tell('import-done', { job: 'job-9', importId: 'import-9' });
    fake.call = async (name, args) => {
      if (name === 'Imports.Start') {
        if (when.startsWith('before')) end();
        else setTimeout(end, 20);
        return { id: 'job-9' };
      }
      if (name === 'Imports.Job') {
        if (when.startsWith('after a word')) return { ...progressAt('job-9', 1), phase: 'finished' };
        throw new Error('unknown');
      }
      return name === 'Imports.Report' ? report('import-9', '2025-10-18T09:00:00Z') : call(name, args);
    };
    use(fake);
    const here = new Desk();
    here.start(() => {});
    await here.choose();
    await here.look();
    await here.begin();
    await vi.waitFor(() => expect(here.report?.importId).toBe('import-9'));
    await vi.waitFor(() => expect(here.job).toBeUndefined());
  });

  it('shows a job that goes on after an unlock', async () => {
    const fake = new Fake();
    use(fake);
    const here = new Desk();
    here.start(() => {});
    fake.tell('progress', progressAt('job-7', 0.5));
    expect(here.job?.job).toBe('job-7');
    fake.tell('import-done', { job: 'job-7', importId: '' });
    await vi.waitFor(() => expect(here.job).toBeUndefined());
    fake.tell('progress', progressAt('job-7', 0.6));
    expect(here.job?.done).toBeGreaterThan(0);
  });

  it('stops when asked, keeps no job, and says what was kept', async () => {
    vi.useFakeTimers();
    use(new Fake({ importMs: 5_000 }));
    const here = new Desk();
    here.start(() => {});
    await here.choose();
    await here.look();
    await here.begin();
    await vi.advanceTimersByTimeAsync(300);
    expect(here.job?.done).toBeGreaterThan(0);
    await here.cancel();
    await vi.advanceTimersByTimeAsync(300);
    expect(here.job).toBeUndefined();
    expect(here.fault?.code).toBe('cancelled');
    vi.useRealTimers();
  });
});

describe('the screen', () => {
  beforeEach(() => {
    use(new Fake({ importMs: 0 }));
    desk.clear();
  });
  afterEach(cleanup);

  it('shows the plan, and stores nothing before it is told to', async () => {
    const user = userEvent.setup();
    const onlibrary = vi.fn();
    const stop = desk.start(() => {});
    render(Import, { onreport: () => {}, onlibrary, oncompare: () => {} });
    await user.click(screen.getByRole('button', { name: 'Choose files' }));
    expect(await screen.findByRole('heading', { name: 'ChatGPT export' })).toBeTruthy();
    expect(screen.getByText('1,161')).toBeTruthy();
    expect(desk.report).toBeUndefined();
    await user.click(screen.getByRole('button', { name: 'Read into the vault' }));
    expect(await screen.findByRole('heading', { name: /Read 1,204 conversations\s+and found 86 memories: 79 new, 7 here already\./ })).toBeTruthy();
    expect(screen.getByText('The original still lies in the open')).toBeTruthy();
    await user.click(screen.getByRole('button', { name: 'See the memories' }));
    expect(onlibrary).toHaveBeenCalledOnce();
    stop();
  });

  it('offers what came into the downloads folder, and takes nothing unasked', async () => {
    const user = userEvent.setup();
    const fake = new Fake({ importMs: 0 });
    use(fake);
    const asked = vi.spyOn(fake, 'call');
    render(Import, { onreport: () => {}, onlibrary: () => {}, oncompare: () => {} });
    await user.click(await screen.findByRole('button', { name: 'Look at it: chatgpt-2025-10-18.zip' }));
    await screen.findByRole('button', { name: 'Read into the vault' });
    expect(asked.mock.calls.map(([name]) => name)).not.toContain('Imports.Start');
    cleanup();
    desk.clear();
    render(Import, { onreport: () => {}, onlibrary: () => {}, oncompare: () => {} });
    await user.click(await screen.findByRole('button', { name: 'Not this one: chatgpt-2025-10-18.zip' }));
    await waitFor(() => expect(screen.queryByText('chatgpt-2025-10-18.zip')).toBeNull());
  });

  it('shows the way on where nothing can be read', async () => {
    const user = userEvent.setup();
    desk.take([{ token: 'offer-1', name: 'notes.txt', size: 0, folder: false }]);
    const fake = new Fake();
    use(fake);
    await fake.upload([]);
    vi.spyOn(fake, 'call').mockImplementation(async (name) =>
      name === 'Imports.Plan' ? planOf([{ token: 'a', name: 'notes.txt', size: 0, folder: false }]) : []);
    render(Import, { onreport: () => {}, onlibrary: () => {}, oncompare: () => {} });
    await screen.findByRole('heading', { name: 'This cannot be read' });
    expect(screen.queryByText(/0 byte/)).toBeNull();
    expect(screen.getByRole('heading', { name: 'How to get your export' })).toBeTruthy();
    await user.click(screen.getByRole('button', { name: 'Choose another file' }));
    await screen.findByRole('button', { name: 'Choose files' });
  });

  it('puts a report away once it was seen and left', async () => {
    desk.report = report('import-1', '2025-10-18T09:00:00Z');
    const shown = render(Import, { onreport: () => {}, onlibrary: () => {}, oncompare: () => {} });
    expect(screen.getByRole('button', { name: 'See the memories' })).toBeTruthy();
    shown.unmount();
    render(Import, { onreport: () => {}, onlibrary: () => {}, oncompare: () => {} });
    expect(screen.getByRole('button', { name: 'Choose files' })).toBeTruthy();
  });
});

describe('the report', () => {
  const kept = report('import-1', '2025-10-18T09:00:00Z');
  const show = (more: Partial<ReportView>) => render(Report, { report: { ...kept, ...more }, onclose: () => {}, onlibrary: () => {} });
  afterEach(cleanup);

  it('says only what happened', () => {
    show({ problemsTotal: 0, problems: [], memoriesRetracted: 0, memoriesKept: 0, attachmentsMissing: 0 });
    expect(screen.queryByText(/could not be read/)).toBeNull();
    expect(screen.queryByText(/stay as you edited/)).toBeNull();
  });

  it('counts what it changed among what it found', () => {
    show({ memoriesNew: 20, memoriesKnown: 3_048, memoriesFound: 3_068 });
    expect(screen.getByRole('heading', { name: /found 3,068 memories: 20 new, 3,048 here already\./ })).toBeTruthy();
    const tile = (name: string) => screen.getByText(name).previousElementSibling?.textContent;
    expect([tile('new memories'), tile('memories here already')]).toEqual(['20', '3,048']); // window finding 10: together what was found
  });

  it('counts what one export says twice once, and not as known before', () => {
    show({ memoriesNew: 16, memoriesFound: 16, memoriesKnown: 0, memoriesRepeated: 12 });
    expect(screen.getByRole('heading', { name: /found 16 memories\./ })).toBeTruthy();
    expect(screen.getByText('memories here already').previousElementSibling?.textContent).toBe('0');
    expect(screen.getByText(/12 more in the same export only repeat one of these/)).toBeTruthy();
  });

  it('says that the same files were read before', () => {
    show({ identical: 'import-0' });
    expect(screen.getByRole('heading', { name: /nothing to read again/ })).toBeTruthy();
  });

  it('says how to go on where it broke off, and that edits stay', () => {
    show({ open: true, memoriesKept: 2 });
    expect(screen.getByText(/only the rest is read/)).toBeTruthy();
    expect(screen.getByText('2 memories stay as you edited them here.')).toBeTruthy();
  });

  it('is marked among earlier imports where it broke off, and finished from there (window finding 10)', async () => {
    const onfinish = vi.fn();
    render(History, { reports: [{ ...kept, open: true }, { ...kept, importId: 'import-2' }], onopen: () => {}, onfinish });
    expect(screen.getAllByText('not finished')).toHaveLength(1);
    await userEvent.click(screen.getByRole('button', { name: 'Finish the import of ChatGPT' }));
    expect(onfinish.mock.calls).toEqual([['import-1']]);
  });

  it('asks again for a file that is not where it was (window finding 10)', async () => {
    use(new Fake({ vault: 'open' }));
    await desk.finish('import-moved');
    const shown = render(Import, { onreport: () => {}, onlibrary: () => {}, oncompare: () => {} });
    expect(await screen.findByText(/Choose chatgpt-export-2025-10-18\.zip again/)).toBeTruthy();
    await userEvent.click(screen.getByRole('button', { name: 'Choose files' }));
    await screen.findByRole('heading', { name: 'ChatGPT export' });
    expect(screen.queryByText(/Choose chatgpt-export/)).toBeNull();
    shown.unmount();
    desk.clear();
  });

  it('offers no undo where there is nothing left to undo', () => {
    show({ state: 'undone', undoneAt: '2025-10-19T09:00:00Z' });
    expect(screen.queryByRole('button', { name: 'Undo this import' })).toBeNull();
    expect(screen.getByText(/taken back on October 19, 2025/)).toBeTruthy();
  });

  it('says what goes and what stays before it takes an import back', async () => {
    const fake = new Fake({ vault: 'open' });
    use(fake);
    await backend.Imports.Start('plan');
    const id = (await backend.Imports.List()).map((r) => r.importId)[0] ?? '';
    let closed = false;
    render(Report, { report: { ...kept, importId: id }, onclose: () => (closed = true), onlibrary: () => {} });
    await userEvent.click(screen.getByRole('button', { name: 'Undo this import' }));
    const sheet = await screen.findByRole('dialog', { name: 'Undo this import?' });
    await waitFor(() => expect(sheet.textContent).toContain('4 proposals'));
    expect(sheet.textContent).toContain('5 things came from another import');
    expect(sheet.textContent).toContain('User prefers tea over coffee');
    expect((await backend.Imports.Report(id)).state).not.toBe('undone');
    await userEvent.click(within(sheet).getByRole('button', { name: 'Undo this import' }));
    await waitFor(() => expect(closed).toBe(true));
    expect((await backend.Imports.Report(id)).state).toBe('undone');
  });

  it('accounts for every item, by reason', () => {
    show({});
    const table = screen.getByRole('table');
    expect(table.textContent).toContain('unreadable conversations');
    expect(table.textContent).toContain('super widget');
    expect(screen.getByText(/111 answers have no text/).textContent).toContain('96 calls of tools');
  });
});

async function planned(name: string) {
  const fake = new Fake();
  use(fake);
  const calls = vi.spyOn(fake, 'call');
  desk.clear();
  desk.take(await fake.upload([new File(['{}'], name)]));
  const oncompare = vi.fn();
  render(Import, { onreport: () => {}, onlibrary: () => {}, oncompare });
  return { user: userEvent.setup(), begin: await screen.findByRole('button', { name: 'Read into the vault' }), oncompare, calls };
}

describe('a document of Portable AI Memory', () => {
  it('shows its verdict before anything is stored, and can be compared', async () => {
    const { user, oncompare } = await planned('me.pam.json');
    expect(screen.getByText('Signed by a key you do not know')).toBeTruthy();
    await user.click(screen.getByRole('button', { name: 'Compare, memory by memory' }));
    expect(oncompare).toHaveBeenCalledOnce();
  });

  it('shows what would change, before and after, and takes what is chosen', async () => {
    const { user, begin, calls } = await planned('me.pam.json');
    const changes = within(screen.getByRole('region', { name: '4 things that are here stand otherwise in the files' }));
    for (const text of ['Drinks green tea at noon.', 'Drinks white tea.', 'private', 'public', 'it changes: the file is signed by you, or by whoever it came from']) {
      expect(changes.getAllByText(text, { exact: false })[0], text).toBeTruthy();
    }
    expect(changes.getByText('And 1 more', { exact: false })).toBeTruthy();
    const boxes = changes.getAllByRole('checkbox', { name: 'Take it as the file has it' });
    expect(boxes).toHaveLength(1);
    await user.click(boxes[0] as HTMLElement);
    await user.click(begin);
    expect(calls.mock.calls.find(([name]) => name === 'Imports.Agree')?.[1][1]).toMatchObject({ onConflict: 'keep', take: ['m-1'] });
  });

  it('that is broken is taken in only by a yes', async () => {
    const { user, begin, calls } = await planned('broken.pam.json');
    expect(screen.getByText('The seal is broken')).toBeTruthy();
    expect(begin.hasAttribute('disabled')).toBe(true);
    await user.click(screen.getByRole('checkbox', { name: 'Take it in although it was changed or damaged after it was made' }));
    await user.selectOptions(screen.getByRole('combobox'), 'keep both');
    await user.click(begin);
    const agreed = calls.mock.calls.find(([name]) => name === 'Imports.Agree');
    expect(agreed?.[1][1]).toEqual({ acceptBroken: true, acceptUnsigned: false, anyBase: false, keepOriginal: false, onConflict: 'both', merge: 'skip_duplicates', picking: false, picks: [], take: [] });
  });
});

describe('a document of the Memory Interchange Format', () => {
  it('says what would become of how many memories, and does what is chosen', async () => {
    const { user, begin, calls } = await planned('shodh.mif.json');
    expect(screen.getByText('31 memories of the file are not here yet and come in; of 4 nothing changed.')).toBeTruthy();
    expect(screen.getByText('3 memories that the file says otherwise stay as they are here.')).toBeTruthy();
    expect(screen.getByText('5 memories of the file come in beside yours, under ids of their own.')).toBeTruthy();
    expect(screen.getByText('The same goes for 1 task.')).toBeTruthy();
    expect(screen.getByRole('radio', { name: 'Leave them as they are here' })).toHaveProperty('checked', true);
    await user.click(screen.getByRole('radio', { name: 'Take the file’s' }));
    await user.click(begin);
    const agreed = calls.mock.calls.find(([name]) => name === 'Imports.Agree');
    expect(agreed?.[1][1]).toMatchObject({ merge: 'overwrite' });
  });
});

describe('a file that is encrypted', () => {
  afterEach(() => {
    desk.clear();
    cleanup();
  });

  it('asks for its passphrase, says when it is wrong, and is then planned', async () => {
    const fake = new Fake();
    use(fake);
    render(Import, { onreport: () => {}, onlibrary: () => {}, oncompare: () => {} });
    const [offer] = await fake.upload([new File(['x'], 'chatgpt-export.zip.age')]);
    desk.take(offer ? [offer] : []);
    await desk.look();
    await screen.findByRole('heading', { name: 'chatgpt-export.zip.age is encrypted' });
    const user = userEvent.setup();
    await user.type(screen.getByLabelText('Passphrase of the file'), 'wrong');
    await user.click(screen.getByRole('button', { name: 'Look into it' }));
    await screen.findByText('This passphrase does not open the file.');
    await user.type(screen.getByLabelText('Passphrase of the file'), 'correct horse');
    await user.click(screen.getByRole('button', { name: 'Look into it' }));
    await screen.findByRole('heading', { name: 'ChatGPT export' });
  });
});
