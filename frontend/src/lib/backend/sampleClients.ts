import { fault } from './sampleVault';
import type { ClientPlanView, ClientView, DiffLineView, Methods, SavedView } from './types';

// Assistants on the made-up computer, and their settings.

const HOME = '/home/marina';
const at = (id: string, name: string, file: string, rest: Partial<ClientView> = {}): ClientView => ({ id, name, file: `${HOME}/${file}`, found: true, connected: false, current: false, ...rest });
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
  private planned: { token: string; id: string; connected: boolean } | undefined;
  /** Another program changes a file before it is written. */
  changedMeanwhile = false;

  constructor(private readonly browser: boolean) {}

  methods(): Methods['Clients'] {
    return {
      List: async () => this.list,
      PlanConnect: async (id) => this.plan(id, true),
      PlanDisconnect: async (id) => this.plan(id, false),
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

  private plan(id: string, connect: boolean): ClientPlanView {
    const client = this.one(id);
    if (id === 'zed') throw mistake();
    const view = { token: '', file: client.file, exists: client.found, lines: [] as DiffLineView[] };
    if (connect ? client.current : !client.connected) return view;
    const token = `change-${id}-${connect}`;
    this.planned = { token, id, connected: connect };
    const lines = entry(id).map((text) => line(connect ? '+' : '-', text));
    return { ...view, token, lines: client.found ? [line(' ', '{'), line(' ', '  "mcpServers": {'), ...lines, line(' ', '  }'), line(' ', '}')] : [line('+', '{'), line('+', '  "mcpServers": {'), ...lines, line('+', '  }'), line('+', '}')] };
  }

  private write(token: string) {
    const { planned } = this;
    this.planned = undefined;
    if (planned?.token !== token) throw fault('not_found', 'client-plan-gone', 'This change is no longer at hand, so nothing was written.');
    const client = this.one(planned.id);
    if (this.changedMeanwhile) {
      this.changedMeanwhile = false;
      throw fault('conflict', 'client-file-changed', `Another program changed ${client.file.split('/').at(-1)} meanwhile.`, { name: client.file.split('/').at(-1) ?? '' });
    }
    this.list = this.list.map((one) => (one.id === planned.id ? { ...one, found: true, connected: planned.connected, current: planned.connected } : one));
    return { file: client.file, backup: client.found ? `${client.file}.keepsake-backup` : '' };
  }

  private snippet(id: string, name: string): string {
    if (id === '' && !/^[a-z0-9][a-z0-9._-]{0,39}$/.test(name)) {
      throw fault('invalid', 'agent-name', `An agent cannot be called ${name}: its name has small letters, digits, dots, hyphens and underscores, at most 40.`, { name });
    }
    return ['{', '  "mcpServers": {', ...entry(id || name), '  }', '}', ''].join('\n');
  }
}
