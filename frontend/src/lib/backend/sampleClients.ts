import { fault } from './sampleVault';
import type { ByItselfView, ClientChangeView, ClientFileView, ClientPlanView, ClientView, DiffLineView, Methods, SavedView } from './types';

// Assistants on the made-up computer, and their settings.

const HOME = '/home/marina';
const HOOKS = `${HOME}/.claude/settings.json`;
const at = (id: string, name: string, file: string, rest: Partial<ClientView> = {}): ClientView => ({ id, name, file: `${HOME}/${file}`, found: true, connected: false, current: false, hooks: false, ...rest });
const line = (op: string, text: string): DiffLineView => ({ op, text });
const mistake = () => fault('invalid', 'client-file-syntax', 'settings.json has a mistake in line 12, so that it cannot be edited.', { name: 'settings.json', line: '12', client: 'Zed' });
const entry = (id: string) => ['    "keepsake": {', '      "command": "/usr/bin/keepsake-cli",', `      "args": ["mcp", "--client", "${id}"]`, '    }'];

/** SampleClients stands for Go's settings of assistants. */
export class SampleClients {
  private list: ClientView[] = [
    at('claude-desktop', 'Claude Desktop', '.config/Claude/claude_desktop_config.json', { connected: true, current: true }),
    at('claude-code', 'Claude Code', '.claude.json'),
    at('cursor', 'Cursor', '.cursor/mcp.json', { connected: true }),
    at('vscode', 'VS Code', '.config/Code/User/mcp.json', { found: false }),
    at('codex', 'Codex', '.codex/config.toml', { found: false }),
    at('gemini-cli', 'Gemini CLI', '.gemini/settings.json'),
    at('antigravity', 'Antigravity', '.gemini/config/mcp_config.json', { found: false }),
    at('lm-studio', 'LM Studio', '.lmstudio/mcp.json', { found: false }),
    at('zed', 'Zed', '.config/zed/settings.json', { problem: mistake().fault }),
  ];
  private planned: { token: string; id: string; change: Partial<ClientView>; files: ClientFileView[] } | undefined;
  /** Another program changes a file before it is written. */
  changedMeanwhile = false;

  constructor(private readonly browser: boolean) {}

  methods(): Methods['Clients'] {
    return {
      List: async () => this.list,
      PlanConnect: async (id) => this.plan(id),
      PlanDisconnect: async (id) => this.leave(id, true),
      PlanStopHooks: async (id) => this.leave(id, false),
      Write: async (token) => this.write(token),
      Snippet: async (id, name) => this.snippet(id, name),
      SaveBundle: async (): Promise<SavedView> => ({ token: 'bundle', url: this.browser ? '#download' : '', name: 'keepsake.mcpb', folder: this.browser ? '' : `${HOME}/Downloads` }),
    };
  }

  private one(id: string): ClientView {
    const client = this.list.find((one) => one.id === id);
    if (!client) throw fault('not_found', 'client-unknown', `Keepsake does not know how to connect an assistant called ${id}.`, { name: id });
    return client;
  }

  /** hook writes the hooks that the command line would. */
  hook(id: string): void {
    this.list = this.list.map((one) => (one.id === id ? { ...one, hooks: true } : one));
  }

  hooks(): ByItselfView['hooks'] {
    return this.list.filter(({ hooks }) => hooks).map(({ id, name }) => ({ id, name, file: HOOKS }));
  }

  private put(id: string, change: Partial<ClientView>, files: ClientFileView[]): ClientPlanView {
    if (files.length === 0) return { token: '', files: [{ file: this.one(id).file, exists: this.one(id).found, lines: [] }] };
    const token = `change-${id}-${change.connected ?? change.hooks}`;
    this.planned = { token, id, change, files };
    return { token, files };
  }

  private plan(id: string): ClientPlanView {
    const client = this.one(id);
    if (id === 'zed') throw mistake();
    const lines = entry(id).map((text) => line('+', text));
    const file = { file: client.file, exists: client.found, lines: client.found ? [line(' ', '{'), line(' ', '  "mcpServers": {'), ...lines, line(' ', '  }'), line(' ', '}')] : [line('+', '{'), line('+', '  "mcpServers": {'), ...lines, line('+', '  }'), line('+', '}')] };
    return this.put(id, { found: true, connected: true, current: true }, client.current ? [] : [file]);
  }

  /** leave takes out the hooks, and the entry too where that is asked for. */
  private leave(id: string, entirely: boolean): ClientPlanView {
    const client = this.one(id);
    if (id === 'zed') throw mistake();
    const lines = entry(id).map((text) => line('-', text));
    const files = entirely && client.connected ? [{ file: client.file, exists: true, lines: [line(' ', '{'), line(' ', '  "mcpServers": {'), ...lines, line(' ', '  }'), line(' ', '}')] }] : [];
    if (client.hooks) files.push({ file: HOOKS, exists: true, lines: [line(' ', '  "hooks": {'), line('-', `    "SessionEnd": [{"hooks": [{"type": "command", "command": "/usr/bin/keepsake-cli hook ${id}"}]}]`), line(' ', '  }')] });
    return this.put(id, entirely ? { connected: false, current: false, hooks: false } : { hooks: false }, files);
  }

  private write(token: string): ClientChangeView[] {
    const { planned } = this;
    this.planned = undefined;
    if (planned?.token !== token) throw fault('not_found', 'client-plan-gone', 'This change is no longer at hand, so nothing was written.');
    const client = this.one(planned.id);
    if (this.changedMeanwhile) {
      this.changedMeanwhile = false;
      throw fault('conflict', 'client-file-changed', `Another program changed ${client.file.split('/').at(-1)} meanwhile.`, { name: client.file.split('/').at(-1) ?? '' });
    }
    this.list = this.list.map((one) => (one.id === planned.id ? { ...one, ...planned.change } : one));
    return planned.files.map(({ file, exists }) => ({ file, backup: exists ? `${file}.keepsake-backup` : '' }));
  }

  private snippet(id: string, name: string): string {
    if (id === '' && !/^[a-z0-9][a-z0-9._-]{0,39}$/.test(name)) {
      throw fault('invalid', 'agent-name', `An agent cannot be called ${name}: its name has small letters, digits, dots, hyphens and underscores, at most 40.`, { name });
    }
    return ['{', '  "mcpServers": {', ...entry(id || name), '  }', '}', ''].join('\n');
  }
}
