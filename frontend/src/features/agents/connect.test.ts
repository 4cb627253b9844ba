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
  await user.click(await screen.findByRole('button', { name: 'Connect an assistant…' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Connect an assistant' }));
  const press = async (name: string | RegExp) => user.click(await dialog.findByRole('button', { name }));
  const asked = (name: string) => calls.mock.calls.filter(([called]) => called === name).map(([, args]) => args);
  return { fake, user, dialog, press, asked };
}

const lines = (dialog: ReturnType<typeof within>) => within(dialog.getByRole('list', { name: 'What changes in the file' })).getAllByRole('listitem').map(({ textContent }) => textContent.replace(/\s+/g, ' '));

describe('connecting an assistant', () => {
  it('lists those that are there first, each with how it stands', async () => {
    const { dialog } = await begin();
    await dialog.findByRole('button', { name: /VS Code/ });
    const said = dialog.getAllByRole('listitem').map(({ textContent }) => textContent.replace(/\s+/g, ' ').trim());
    expect(said).toEqual([
      'Claude Desktop Connected', 'Claude Code Not connected', 'Cursor Starts another Keepsake', 'Gemini CLI Not connected', 'Zed Settings cannot be changed',
      'VS Code Not found on this computer', 'Codex Not found on this computer', 'Antigravity Not found on this computer', 'LM Studio Not found on this computer', 'Another assistant Put it in by hand',
    ]);
  });

  it('is where one begins who has none', async () => {
    const { dialog } = await begin({ agents: 0 });
    await dialog.findByRole('button', { name: /Cursor/ });
  });

  it('shows the change, writes that, and ticks when it asks', async () => {
    const { fake, dialog, press, asked, user } = await begin();
    await press(/Gemini CLI/);
    await dialog.findByText(/^Gemini CLI will start Keepsake.* A copy of the file as it is now is put beside it\.$/);
    expect(lines(dialog)).toEqual([' {', ' "mcpServers": {', '+ Comes: "keepsake": {', '+ Comes: "command": "/usr/bin/keepsake-cli",', '+ Comes: "args": ["mcp", "--client", "gemini-cli"]', '+ Comes: }', ' }', ' }']);
    expect(asked('Clients.Write')).toEqual([]);
    await press('Write it into the settings');
    await dialog.findByText('/home/marina/.gemini/settings.json.keepsake-backup');
    expect(asked('Clients.Write')).toEqual([['change-gemini-cli-true']]);
    await dialog.findByText(/^Waiting for the first call/);
    fake.agents.ask('another');
    await screen.findByText('another');
    expect(dialog.queryByText(/has asked/)).toBeNull();
    fake.agents.ask('gemini-cli');
    await dialog.findByText('Connected: Gemini CLI has asked.');
    await user.click(dialog.getByRole('button', { name: 'Say what it may see' }));
    await screen.findByRole('heading', { level: 2, name: 'gemini-cli asks for memories' });
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });

  it('takes no earlier call for the first one', async () => {
    const { dialog, press } = await begin();
    await press(/^Cursor/); // it has asked under another Keepsake
    await press('Write it into the settings');
    await dialog.findByText(/^Waiting for the first call/);
    expect(dialog.queryByText(/has asked/)).toBeNull();
  });

  it('shows a file that is made, of a client that it does not find', async () => {
    const { dialog, press } = await begin();
    await press(/VS Code/);
    await dialog.findByText('Keepsake finds no trace of VS Code on this computer. If it is installed all the same, you can connect it.');
    await dialog.findByText(/The file is made, because VS Code has none yet\.$/);
    await press('Write it into the settings');
    await dialog.findByText(/^Waiting for the first call/);
    expect(dialog.queryByText('The file as it was')).toBeNull();
  });

  it('takes it out again', async () => {
    const { dialog, press, asked } = await begin();
    await press(/Claude Desktop/);
    await dialog.findByText('Claude Desktop starts this Keepsake already.');
    expect(dialog.queryByRole('button', { name: 'Write it into the settings' })).toBeNull();
    await press('Disconnect…');
    await dialog.findByText(/^Claude Desktop will no longer start Keepsake/);
    expect(lines(dialog)).toContain('- Goes: "keepsake": {');
    await press('Take it out of the settings');
    await dialog.findByText('Keepsake is taken out of the settings of Claude Desktop.');
    expect(asked('Clients.Write')).toEqual([['change-claude-desktop-false']]);
    await press('All assistants');
    expect((await dialog.findByRole('button', { name: /Claude Desktop/ })).textContent).toContain('Not connected');
  });

  it('says why a file cannot be changed, and what to do by hand', async () => {
    const { dialog, press } = await begin();
    await press(/Zed/);
    await dialog.findByText('settings.json has a mistake in line 12, so that it cannot be edited.');
    expect(dialog.queryByRole('button', { name: 'Write it into the settings' })).toBeNull();
    expect(dialog.getByText(/"zed"/).checkVisibility?.() ?? true).toBe(true);
    expect(dialog.getByText('Put it in by hand').closest('details')?.open).toBe(true);
  });

  it('shows the change anew where another program changed the file meanwhile', async () => {
    const { fake, dialog, press, asked } = await begin();
    await press(/Gemini CLI/);
    fake.clients.changedMeanwhile = true;
    await press('Write it into the settings');
    await dialog.findByText('Another program changed settings.json meanwhile.');
    await press('Write it into the settings');
    await dialog.findByText(/^Waiting for the first call/);
    expect(asked('Clients.PlanConnect')).toHaveLength(2);
  });

  it('gives another assistant lines under a name', async () => {
    const { dialog, press, user } = await begin();
    await press(/Another assistant/);
    const name = await dialog.findByRole('textbox', { name: 'Name under which it asks' });
    await dialog.findByText(/"assistant"/);
    await user.clear(name);
    await user.type(name, 'my tool');
    await dialog.findByText(/^An agent cannot be called my tool/);
    expect(dialog.queryByRole('button', { name: 'Copy' })).toBeNull();
    await user.clear(name);
    await user.type(name, 'my-tool');
    await dialog.findByText(/"my-tool"/);
    await press('Copy');
    await dialog.findByText(/^Waiting for the first call/);
  });

  it('saves the extension of Claude Desktop, and of no other', async () => {
    const { dialog, press, user } = await begin();
    await press(/Claude Code/);
    await dialog.findByText('Put it in by hand');
    expect(dialog.queryByText('As an extension of Claude Desktop')).toBeNull();
    await press('All assistants');
    await press(/Claude Desktop/);
    await user.click(await dialog.findByText('As an extension of Claude Desktop'));
    await press('Save the extension…');
    await dialog.findByText(/keepsake\.mcpb, \/home\/marina\/Downloads/);
  });
});
