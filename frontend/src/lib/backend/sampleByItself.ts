import type { SampleClients } from './sampleClients';
import { fault } from './sampleVault';
import type { ByItselfView, DownloadView, FaultView, Methods, Offer } from './types';

// What runs by itself on the made-up computer.

const HOME = '/home/marina';
type Watched = ByItselfView['watched'][number];
const off = { found: true, on: false, since: '', taken: 0, last: '' };

/** SampleByItself stands for Go's watched folders, hooks and kept files. */
export class SampleByItself {
  private watched: Watched[] = [
    { ...off, kind: 'claude-code', name: 'Claude Code', folder: `${HOME}/.claude/projects` },
    { ...off, kind: 'codex', name: 'Codex', folder: `${HOME}/.codex/sessions`, found: false },
    { ...off, kind: 'gemini-cli', name: 'Gemini CLI', folder: `${HOME}/.gemini/tmp` },
    { ...off, kind: 'downloads', name: '', folder: `${HOME}/Downloads` },
  ];
  private kept: ByItselfView['kept'] = [];
  private found: DownloadView[] = [{ id: 'd-1', file: 'chatgpt-2025-10-18.zip', provider: 'chatgpt', name: 'ChatGPT', written: '2025-10-18T09:12:00Z' }];

  /** nothing: nobody has switched anything on. */
  constructor(private readonly clients: SampleClients, nothing: boolean, private readonly changed: () => void) {
    if (nothing) return;
    this.clients.hook('claude-code');
    this.set('claude-code', { on: true, since: '2025-10-01T08:00:00Z', taken: 12, last: '2025-10-18T08:30:00Z' });
    this.set('downloads', { on: true, since: '2025-10-02T08:00:00Z' });
    this.set('gemini-cli', { on: true, since: '2025-10-02T08:00:00Z', taken: 1, last: '2025-10-04T08:30:00Z', refused: fault('too_large', 'session-file-too-large', 'session-4.jsonl is larger than 256 MiB.', { name: 'session-4.jsonl', limit: '256' }).fault });
    const file = { target: 'claude-md', circle: 'Work', memories: 14, written: '2025-10-17T16:20:00Z', stopped: undefined as FaultView | undefined };
    this.kept = [
      { ...file, id: 'k-1', file: `${HOME}/tea/CLAUDE.md` },
      { ...file, id: 'k-2', file: `${HOME}/notes/AGENTS.md`, target: 'agents-md', stopped: fault('not_found', 'kept-block-gone', 'The block that Keepsake wrote in AGENTS.md is not there any more.', { name: 'AGENTS.md' }).fault },
    ];
  }

  private set(kind: string, set: Partial<Watched>): void {
    this.watched = this.watched.map((one) => (one.kind === kind ? { ...one, ...set } : one));
  }

  /** downloads are those of the downloads folder; offers is what one is handed over as. */
  downloads(offers: () => Offer[]): Pick<Methods['Imports'], 'Downloads' | 'TakeDownload' | 'PassDownload'> {
    return {
      Downloads: async () => (this.watched.some((one) => one.kind === 'downloads' && one.on) ? this.found : []),
      TakeDownload: async () => offers(),
      PassDownload: async (id) => void (this.found = this.found.filter((one) => one.id !== id)),
    };
  }

  methods(): Pick<Methods['Library'], 'ByItself' | 'WatchSessions' | 'StopKeeping'> {
    return {
      ByItself: async () => ({ watched: this.watched, hooks: this.clients.hooks(), kept: this.kept }),
      WatchSessions: async (kind, on) => {
        this.set(kind, { on, since: on ? new Date().toISOString() : '', taken: 0, last: '', refused: undefined });
        this.changed();
      },
      StopKeeping: async (id) => {
        const file = this.kept.find((one) => one.id === id);
        if (!file) throw fault('not_found', 'no-kept-file', `Keepsake writes no hand-off into ${id}.`, { name: id });
        this.kept = this.kept.filter((one) => one !== file);
        return { left: file.stopped };
      },
    };
  }
}
