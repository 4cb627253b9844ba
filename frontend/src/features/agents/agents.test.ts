import axe from 'axe-core';
import { cleanup, render, screen, waitFor, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ANY_CALL, didWhat, whyRefused } from '../../lib/agents';
import { AgentList } from '../../lib/agents.svelte';
import { BackendError, use, type AgentView, type VaultView } from '../../lib/backend';
import { Fake, type FakeOptions } from '../../lib/backend/fake';
import { speak } from '../../lib/i18n';
import { toasts } from '../../lib/toasts.svelte';
import { vault } from '../../lib/vault.svelte';
import Agents from './Agents.svelte';
import { GrantEdit, untilOf } from './grant.svelte';
import { didSaid, maySaid, stateOf } from './words';

let stop = () => {};
afterEach(async () => {
  stop();
  cleanup();
  toasts.clear();
  vault.set((await new Fake().call('Vault.State', [])) as VaultView);
  await speak('en');
});

async function show(options: FakeOptions = {}, fake = new Fake(options)) {
  const calls = vi.spyOn(fake, 'call');
  use(fake);
  const known = new AgentList();
  stop = known.start();
  forgetting.mockClear();
  const { container } = render(Agents, { known, onforget: forgetting });
  const asked = (name: string) => calls.mock.calls.filter(([called]) => called === name).map(([, args]) => args);
  const nav = () => within(screen.getByRole('navigation', { name: 'Assistants that asked' }));
  return { user: userEvent.setup(), fake, container, asked, nav };
}

const heading = (name: string) => screen.findByRole('heading', { level: 2, name });
const said = (text: string) => waitFor(() => expect(toasts.list.at(-1)).toMatchObject({ text }));

const forgetting = vi.fn();
const grant = { circle: 'w', permissions: ['read', 'propose'], conversations: 'none', memories: 500, bytes: 1_000_000, until: '', types: [], tags: [], platforms: [], projects: [], createdSince: '', createdBefore: '', unredacted: false };
const agent: AgentView = { name: 'claude', state: 'allowed', paused: false, firstAsk: '2025-10-01T08:00:00Z', lastCall: '', calls: 0, memories: 0, refused: 0, proposed: 0, accepted: 0, circleName: 'Work', grant, forgets: [] };

describe('what is said of an assistant', () => {
  it.each([
    [{}, 'may read Work'],
    [{ state: 'waiting' }, 'waits for your answer'],
    [{ state: 'refused' }, 'refused'],
    [{ paused: true }, 'paused'],
    [{ grant: { ...grant, until: '2025-10-02T00:00:00Z' } }, 'its time has ended'],
    [{ grant: { ...grant, until: '2025-10-04T00:00:00Z' } }, 'may read Work'],
    [{ circleName: '' }, 'its circle was deleted'],
    [{ circleName: '', grant: { ...grant, circle: '' } }, 'may read no memory'],
    [{ grant: { ...grant, permissions: ['propose'] } }, 'may read no memory'],
    [{ grant: { ...grant, permissions: ['write'] } }, 'may read Work'],
  ])('is where it stands: %j', (is, words) => expect(stateOf({ ...agent, ...is }, Date.parse('2025-10-03T00:00:00Z'))).toBe(words));

  it('is what it may', () => {
    const lines = (of: AgentView) => maySaid(of).map(({ name, said }) => `${name}: ${said}`);
    expect(lines(agent)).toEqual([
      'Circle: Work', 'It may: Read memories · Propose memories', 'Conversations: None', 'In an hour: at most 500 memories and at most 1 MB of text', 'Until: No end',
      'Numbers, e-mail addresses and keys: hidden',
    ]);
    expect(lines({ ...agent, grant: { ...grant, permissions: [], conversations: 'all', memories: 0, bytes: 0, types: ['skill'], tags: ['go'], platforms: ['claude'], projects: ['x'], unredacted: true } })).toEqual([
      'Circle: Work', 'It may: No permission', 'Conversations: Titles and what was said', 'Only: Skill · go · Claude · x', 'In an hour: any number of memories and any amount of text', 'Until: No end',
      'Numbers, e-mail addresses and keys: not hidden',
    ]);
  });

  it('is what it asked for, where it did', () => {
    expect(didSaid(agent)).toEqual([]);
    expect(didSaid({ ...agent, calls: 1, memories: 2, lastCall: new Date().toISOString() }).slice(1)).toEqual(['1 call', '2 memories given']);
    expect(didSaid({ ...agent, calls: 1, lastCall: new Date().toISOString(), proposed: 3, accepted: 1 }).slice(3)).toEqual(['3 proposals', '1 accepted']);
    expect([didWhat('get_memory'), didWhat('new_tool'), whyRefused('agent-paused'), whyRefused('new-reason')]).toEqual(['Open a memory', 'new_tool', 'it was paused', 'new-reason']);
  });

  it('ends when the person says', () => {
    const now = new Date(2025, 9, 18, 9, 30);
    const local = (choice: string) => new Date(untilOf(choice, now)).toLocaleString('sv');
    expect([untilOf('none', now), local('day'), local('week'), local('month')]).toEqual(['', '2025-10-19 00:00:00', '2025-10-25 09:30:00', '2025-11-18 09:30:00']);
    expect(untilOf('2031-01-01T00:00:00Z', now)).toBe('2031-01-01T00:00:00Z');
  });

  it('is changed without losing what the form does not show', () => {
    const before = { ...grant, projects: ['garden'], tags: ['a'], memories: 7, until: '2031-01-01T00:00:00Z' };
    expect(new GrantEdit(before).grant(new Date())).toEqual(before);
  });
});

describe('assistants', () => {
  it('are listed with what they may and what they did', async () => {
    const { nav } = await show();
    await heading('claude-desktop');
    const rows = nav().getAllByRole('listitem').map((row) => row.textContent.trim().replace(/\s+/g, ' '));
    expect(rows[0]).toMatch(/^claude-desktop may read Work assistant last call .* · 130 calls · \d+ memories given · \d+ refused$/);
    expect(rows[1]).toMatch(/^cursor paused/);
    expect(rows[2]).toBe('old-script refused');
    await screen.findByText('11 of 13 memories leave.');
    const may = within(screen.getByRole('region', { name: 'What it may' }));
    expect(may.getByText('Work assistant')).toBeTruthy();
  });

  it('show their calls, page by page', async () => {
    const { user, asked } = await show();
    const calls = within(await screen.findByRole('region', { name: 'What it asked for' }));
    expect(await calls.findAllByRole('listitem')).toHaveLength(50);
    expect(calls.getAllByText('Search memories').length).toBeGreaterThan(0);
    expect(calls.getAllByText('Refused: it may read no conversations').length).toBeGreaterThan(0);
    await user.click(calls.getByRole('button', { name: 'Older' }));
    await user.click(calls.getByRole('button', { name: 'Older' }));
    await calls.findByText('101 to 130 of 130');
    expect(asked('Library.AgentCalls').at(-1)).toEqual([{ ...ANY_CALL, agent: 'claude-desktop', offset: 100, limit: 50 }]);
  });

  it('show calls of a kind, an outcome and a time alone', async () => {
    const { user, asked } = await show();
    const calls = within(await screen.findByRole('region', { name: 'What it asked for' }));
    await calls.findByText('1 to 50 of 130');
    await user.click(calls.getByRole('button', { name: 'Older' }));
    await user.selectOptions(calls.getByRole('combobox', { name: 'What it asked for' }), 'Search conversations');
    await waitFor(() => expect(calls.queryByText('Search memories', { selector: 'span' })).toBeNull());
    expect(asked('Library.AgentCalls').at(-1)).toEqual([{ ...ANY_CALL, agent: 'claude-desktop', tool: 'search_conversations', limit: 50 }]);
    await user.selectOptions(calls.getByRole('combobox', { name: 'Outcome' }), 'Answered');
    await calls.findByText('No call fits this.');
    const began = Date.now();
    await user.selectOptions(calls.getByRole('combobox', { name: 'Time' }), 'The last 7 days');
    const [query] = asked('Library.AgentCalls').at(-1) as [{ since: string }];
    expect(began - Date.parse(query.since)).toBeLessThanOrEqual(7 * 86_400_000);
    expect(Date.now() - Date.parse(query.since)).toBeGreaterThanOrEqual(7 * 86_400_000);
    for (const [name, any] of [['What it asked for', 'Asked for anything'], ['Outcome', 'Answered or refused'], ['Time', 'At any time']] as const) await user.selectOptions(calls.getByRole('combobox', { name }), any);
    await calls.findByText('1 to 50 of 130');
  });

  it('open a call to the memories that it read', async () => {
    const { user } = await show();
    const calls = within(await screen.findByRole('region', { name: 'What it asked for' }));
    const [one, many] = [await calls.findAllByRole('button', { name: /^1 memory/ }), calls.getAllByRole('button', { name: /^8 memories/ })];
    await user.click(one[0] as HTMLElement);
    const given = within(await calls.findByRole('list', { name: 'Memories in the answer' }));
    expect(given.getAllByRole('link').map((link) => link.getAttribute('href'))).toEqual([expect.stringMatching(/^#\/library\/m-\d+$/)]);
    await user.click(one[0] as HTMLElement);
    expect(calls.queryByRole('list', { name: 'Memories in the answer' })).toBeNull();
    await user.click(many[0] as HTMLElement);
    await calls.findByText('1 memory of the answer is no longer in the vault.');
    expect(within(calls.getByRole('list', { name: 'Memories in the answer' })).getAllByRole('link')).toHaveLength(7);
  });

  it('show the calls of all of them, each with its name', async () => {
    const { user, asked, nav } = await show();
    await heading('claude-desktop');
    await user.click(nav().getByRole('button', { name: 'All calls' }));
    const calls = within(await screen.findByRole('region', { name: 'All calls' }));
    await calls.findAllByText('cursor');
    expect(calls.getAllByText('claude-desktop').length).toBeGreaterThan(0);
    expect(asked('Library.AgentCalls').at(-1)).toEqual([{ ...ANY_CALL, limit: 50 }]);
    await user.click(nav().getByRole('button', { name: /^cursor/ }));
    await heading('cursor');
    expect(screen.queryByRole('region', { name: 'All calls' })).toBeNull();
  });

  it('are asked about at their first call: a circle, and allowed', async () => {
    const { user, asked, nav } = await show({ waiting: 1 });
    await heading('gemini-cli asks for memories');
    expect(screen.getByText('1 assistant waits for your answer')).toBeTruthy();
    const ticked = () => screen.getAllByRole('checkbox', { checked: true }).map((box) => box.closest('label')?.textContent.trim());
    expect(ticked()).toEqual(['Read memories', 'Propose memories']);
    expect(screen.getByText('No memory, as long as it has no circle.')).toBeTruthy();
    await user.selectOptions(screen.getByRole('combobox', { name: 'Circle' }), 'Work assistant (13 memories)');
    await screen.findByText('11 of 13 memories leave.');
    await user.selectOptions(screen.getByRole('combobox', { name: 'Conversations' }), 'Titles only');
    await user.click(screen.getByRole('checkbox', { name: 'Propose memories' }));
    await user.click(screen.getByRole('button', { name: 'Allow' }));
    await said('gemini-cli may ask now.');
    expect(asked('Library.AllowAgent')).toEqual([['gemini-cli', { ...grant, circle: 'work-assistant', permissions: ['read'], conversations: 'titles' }]]);
    await heading('gemini-cli');
    await waitFor(() => expect(document.activeElement).toBe(nav().getByRole('button', { name: /^gemini-cli/ })));
  });

  it('are given a circle that is made with the answer, once', async () => {
    const fake = new Fake({ waiting: 1 });
    const real = fake.call.bind(fake);
    let fails = true;
    vi.spyOn(fake, 'call').mockImplementation((name, args) => {
      if (name !== 'Library.AllowAgent' || !fails) return real(name, args);
      fails = false;
      return Promise.reject(new BackendError({ code: 'conflict', reason: 'x', message: 'Not now.', hint: '', args: {} }));
    });
    const { user, asked } = await show({}, fake);
    await user.selectOptions(await screen.findByRole('combobox', { name: 'Circle' }), 'New circle…');
    expect(screen.getByRole('button', { name: 'Allow' })).toHaveProperty('disabled', true);
    await user.type(screen.getByRole('textbox', { name: 'Name of the new circle' }), 'Terminal');
    await user.click(screen.getByRole('button', { name: 'Allow' }));
    await screen.findByText('Not now.');
    await user.click(screen.getByRole('button', { name: 'Allow' }));
    await said('gemini-cli may ask now.');
    expect(asked('Library.MakeCircle')).toHaveLength(1);
  });

  it('are refused, and allowed later', async () => {
    const { user, asked } = await show({ waiting: 1 });
    await heading('gemini-cli asks for memories');
    await user.click(screen.getByRole('button', { name: 'Refuse' }));
    await said('gemini-cli gets no memory.');
    expect(asked('Library.RefuseAgent')).toEqual([['gemini-cli']]);
    await heading('gemini-cli');
    await user.click(screen.getByRole('button', { name: 'Allow…' }));
    await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Allow' }));
    await said('gemini-cli may ask now.');
  });

  it('are changed, paused, gone on with, taken back and removed', async () => {
    const { user, asked, nav } = await show();
    await heading('claude-desktop');
    await user.click(screen.getByRole('button', { name: 'Change…' }));
    const sheet = within(await screen.findByRole('dialog', { name: 'What claude-desktop may' }));
    await user.click(sheet.getByText('Narrow it further'));
    await user.click(sheet.getByRole('button', { name: 'Skill' }));
    await user.type(sheet.getByRole('textbox', { name: 'Tags, separated by commas' }), 'Go, go ,rust');
    expect(sheet.getByText('Of these only what it is narrowed to.')).toBeTruthy();
    await user.click(sheet.getByRole('switch', { name: 'Hide numbers, e-mail addresses and keys' }));
    await user.click(sheet.getByRole('button', { name: 'Keep' }));
    await said('claude-desktop is changed.');
    expect(asked('Library.AllowAgent')).toMatchObject([['claude-desktop', { types: ['skill'], tags: ['go', 'rust'], unredacted: true, circle: 'work-assistant' }]]);
    await user.click(screen.getByRole('button', { name: 'Pause' }));
    await said('claude-desktop is paused.');
    await user.click(await screen.findByRole('button', { name: 'Go on' }));
    await said('claude-desktop goes on.');
    await user.click(await screen.findByRole('button', { name: 'Take back' }));
    await said('claude-desktop gets no memory.');
    await user.click(screen.getByRole('button', { name: 'Remove…' }));
    await user.click(await screen.findByRole('button', { name: 'Remove it' }));
    await said('claude-desktop is removed.');
    expect(asked('Library.PauseAgents')).toEqual([['claude-desktop', true], ['claude-desktop', false]]);
    await waitFor(() => expect(nav().getAllByRole('listitem')).toHaveLength(2));
  });

  it('say that a change ends their pause', async () => {
    const { user, nav } = await show();
    await heading('claude-desktop');
    await user.click(nav().getByRole('button', { name: /^cursor/ }));
    await user.click(await screen.findByRole('button', { name: 'Change…' }));
    const sheet = within(await screen.findByRole('dialog', { name: 'What cursor may' }));
    expect(sheet.getByText('It is paused. With what you keep here it goes on.')).toBeTruthy();
    expect(sheet.getByRole('combobox', { name: 'Until' })).toHaveProperty('value', '2030-11-01T00:00:00Z');
    await user.click(sheet.getByRole('button', { name: 'Keep' }));
    await waitFor(() => expect(nav().queryByText('paused')).toBeNull());
  });

  it('are asked for at once and once after, however much one of them asks meanwhile', async () => {
    const { fake, asked } = await show();
    await heading('claude-desktop');
    const before = asked('Library.Agents').length;
    for (let i = 0; i < 50; i++) fake.tell('agents', {});
    expect(asked('Library.Agents')).toHaveLength(before + 1);
    await new Promise((done) => setTimeout(done, 1_000));
    expect(asked('Library.Agents')).toHaveLength(before + 2);
  });

  it('are all paused by one switch', async () => {
    const { user, asked, nav } = await show();
    await heading('claude-desktop');
    const all = screen.getByRole('switch', { name: 'Pause all' });
    expect(all).toHaveProperty('checked', false); // one of two is
    await user.click(all);
    await said('All assistants are paused.');
    expect(nav().getAllByText('paused')).toHaveLength(2);
    expect(all).toHaveProperty('checked', true);
    await user.click(all);
    await said('All assistants go on.');
    expect(asked('Library.PauseAgents')).toEqual([['', true], ['', false]]);
  });

  it('stay looked at when another asks', async () => {
    const { fake, nav } = await show();
    await heading('claude-desktop');
    fake.agents.ask('zed');
    await waitFor(() => expect(nav().getByText('waits for your answer')).toBeTruthy(), { timeout: 1_000 });
    expect(screen.getByRole('heading', { level: 2, name: 'claude-desktop' })).toBeTruthy();
  });

  it('are gone through by keys', async () => {
    const { user } = await show();
    await heading('claude-desktop');
    await user.keyboard('j');
    await heading('cursor');
    expect(document.activeElement?.textContent).toContain('cursor');
    await user.keyboard('{ArrowDown}{ArrowDown}k');
    await heading('cursor');
  });

  it('show names that hide something, as many as there are', async () => {
    const { nav, container } = await show({ agents: 60 });
    await heading('claude-desktop');
    expect(nav().getAllByRole('listitem')).toHaveLength(60);
    for (const hidden of ['RLO', 'ZWSP', '<b>bold</b>']) expect(nav().getByText(hidden)).toBeTruthy();
    expect((await axe.run(container)).violations).toEqual([]);
  });

  it('are none at first, which says what they are for', async () => {
    const { container } = await show({ agents: 0 });
    await screen.findByText(/None has asked yet\.$/);
    expect((await axe.run(container)).violations).toEqual([]);
  });

  it('say what went wrong, and are asked for again', async () => {
    const fake = new Fake();
    const real = fake.call.bind(fake);
    const call = vi.spyOn(fake, 'call').mockImplementation((name, args) => (name === 'Library.Agents' ? Promise.reject(new Error('The disk went away.')) : real(name, args)));
    use(fake);
    const known = new AgentList();
    render(Agents, { known });
    await screen.findByRole('alert');
    call.mockImplementation(real);
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
    await heading('claude-desktop');
  });

  it('ask to forget, and the person looks or keeps', async () => {
    const { user, asked } = await show();
    const region = within(await screen.findByRole('region', { name: 'It asks you to forget' }));
    expect(region.getByText(/^2 memories, asked/)).toBeTruthy();
    await user.click(region.getByRole('button', { name: 'Look at them…' }));
    expect(forgetting).toHaveBeenCalledWith(['m-1', 'm-3']);
    await user.click(region.getByRole('button', { name: 'Keep them' }));
    await said('They stay. The assistant is not told.');
    expect(asked('Library.DeclineForget')).toEqual([['f-1']]);
    await waitFor(() => expect(screen.queryByRole('region', { name: 'It asks you to forget' })).toBeNull());
  });

  it('are read and paused in a frozen vault, no more', async () => {
    const { fake } = await show({ waiting: 1 });
    await heading('gemini-cli asks for memories');
    vault.set({ ...((await fake.call('Vault.State', [])) as VaultView), frozen: true });
    for (const name of ['Allow', 'Refuse', 'Remove…']) await waitFor(() => expect(screen.getByRole('button', { name })).toHaveProperty('disabled', true));
    await userEvent.click(screen.getByRole('button', { name: /^claude-desktop/ }));
    for (const name of ['Change…', 'Take back']) expect(await screen.findByRole('button', { name })).toHaveProperty('disabled', true);
    await userEvent.click(screen.getByRole('switch', { name: 'Pause all' }));
    await userEvent.click(await screen.findByRole('button', { name: 'Go on' }));
    await screen.findByRole('button', { name: 'Pause' });
  });

  it('can be used by everybody, in Portuguese too', async () => {
    await speak('pt-BR');
    const { container } = await show({ waiting: 2 });
    await heading('gemini-cli pede memórias');
    await screen.findByText('2 assistentes esperam sua resposta');
    expect((await axe.run(container)).violations).toEqual([]);
  });
});
