import { cleanup, render, screen, waitFor, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { AgentList } from '../../lib/agents.svelte';
import { use } from '../../lib/backend';
import { Fake, type FakeOptions } from '../../lib/backend/fake';
import { toasts } from '../../lib/toasts.svelte';
import Agents from './Agents.svelte';

let stop = () => {};
afterEach(() => {
  stop();
  cleanup();
  toasts.clear();
});

async function begin(options: FakeOptions = {}) {
  const fake = new Fake(options);
  const calls = vi.spyOn(fake, 'call');
  use(fake);
  const known = new AgentList();
  stop = known.start();
  render(Agents, { known });
  const user = userEvent.setup();
  if (options.agents !== 0) await user.click(await screen.findByRole('button', { name: 'What runs by itself' }));
  const section = within(await screen.findByRole('region', { name: 'What runs by itself' }));
  const asked = (name: string) => calls.mock.calls.filter(([called]) => called === name).map(([, args]) => args);
  return { user, section, asked };
}

const toast = async (text: RegExp | string) => waitFor(() => expect(toasts.list.some((one) => 'text' in one && one.text?.match(text))).toBe(true));

describe('what runs by itself', () => {
  it('is one list of watched folders, hooks and kept files, each with how it stands', async () => {
    const { section } = await begin();
    await section.findByText(/^12 sessions taken · the last one/);
    expect((section.getByRole('switch', { name: 'Take the sessions of Claude Code' }) as HTMLInputElement).checked).toBe(true);
    expect((section.getByRole('switch', { name: 'Take the sessions of Codex' }) as HTMLInputElement).checked).toBe(false);
    section.getByText('This folder is not on this computer.');
    section.getByText('The last one was not taken. session-4.jsonl is larger than 256 MiB.');
    section.getByText('/home/marina/.claude/settings.json');
    section.getByText('/home/marina/tea/CLAUDE.md');
    section.getByText('Not written any more. The block that Keepsake wrote in AGENTS.md is not there any more.');
  });

  it('has nothing on where nobody switched anything on, and is there before any assistant asked', async () => {
    const { section, user, asked } = await begin({ agents: 0 });
    const watch = await section.findByRole<HTMLInputElement>('switch', { name: 'Take the sessions of Claude Code' });
    expect(section.getAllByRole<HTMLInputElement>('switch').map(({ checked }) => checked)).toEqual([false, false, false, false]);
    expect(section.getByRole('switch', { name: 'Show new exports' })).toBeTruthy();
    expect(section.queryAllByRole('button')).toEqual([]);
    await user.click(watch);
    await toast('The sessions of Claude Code are taken as they end.');
    expect(asked('Library.WatchSessions')).toEqual([['claude-code', true]]);
    await section.findByText('0 sessions taken');
  });

  it('stops each from there', async () => {
    const { section, user, asked } = await begin();
    await user.click(await section.findByRole('switch', { name: 'Take the sessions of Claude Code' }));
    await toast(/not taken any more/);
    expect(asked('Library.WatchSessions')).toEqual([['claude-code', false]]);

    await user.click(section.getByRole('button', { name: 'Stop: CLAUDE.md' }));
    await toast('CLAUDE.md is not kept any more, and what Keepsake wrote there is out.');
    await waitFor(() => expect(section.queryByText('/home/marina/tea/CLAUDE.md')).toBeNull());
    await user.click(section.getByRole('button', { name: 'Stop: AGENTS.md' }));
    await toast(/^AGENTS.md is not kept any more, but what stands there stayed/);
    expect(asked('Library.StopKeeping')).toEqual([['k-1'], ['k-2']]);

    await user.click(section.getByRole('button', { name: 'Stop: Claude Code' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Stop the hooks of Claude Code' }));
    dialog.getByText('/home/marina/.claude/settings.json');
    expect(asked('Clients.Write')).toEqual([]);
    await user.click(dialog.getByRole('button', { name: 'Take them out' }));
    await toast('Claude Code does not start Keepsake at its sessions any more.');
    await waitFor(() => expect(section.queryByRole('button', { name: 'Stop: Claude Code' })).toBeNull());
    expect(asked('Clients.Write')).toEqual([['change-claude-code-false']]);
  });
});

describe('disconnecting in the window', () => {
  it('takes out the hooks of the command line, too', async () => {
    const { user, asked } = await begin();
    await user.click(await screen.findByRole('button', { name: 'Connect an assistant…' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Connect an assistant' }));
    await user.click(await dialog.findByRole('button', { name: /^Claude Code/ }));
    await user.click(await dialog.findByRole('button', { name: 'Disconnect…' }));
    await dialog.findByText(/keepsake-cli hook claude-code/);
    await user.click(await dialog.findByRole('button', { name: /Take/ }));
    await dialog.findByText('/home/marina/.claude/settings.json.keepsake-backup');
    expect(asked('Clients.Write')).toEqual([['change-claude-code-false']]);
  });
});
