import { findingsIn, FOUND } from './sampleFindings';
import type { HandoffOptionsView, HandoffPartView, HandoffRulesView, HandoffTargetView, HandoffView, Methods } from './types';

// What the fake backend hands to other assistants: the same few entries in each
// one's form.

const DATED = '2026-09-30';
const part = (name: string, limit: number, source: string) => ({ name, limit, source, dated: DATED, own: false });
const target = (name: string, training: string, parts: HandoffTargetView['parts']): HandoffTargetView => ({ target: name, training, parts, rules: { types: [], withoutTags: [], projects: false, limits: [] } });

const TARGETS = [
  target('chatgpt', 'setting', [part('custom-instructions', 1500, 'documented'), part('remember', 8000, 'reported')]),
  target('claude', 'setting', [part('import', 6000, 'reported'), part('project-instructions', 8000, 'ours')]),
  target('gemini', 'trains', [part('import', 8000, 'ours'), part('gem', 4000, 'ours')]),
  target('system-prompt', '', [part('system-prompt', 4000, 'ours')]),
  target('claude-md', '', [part('file', 25_000, 'documented')]),
  target('agents-md', '', [part('file', 8000, 'ours')]),
];

const FILES: Record<string, string> = { 'claude-md': 'CLAUDE.md', 'agents-md': 'AGENTS.md' };

const ENTRIES = [
  'Answer in European Portuguese unless asked otherwise, and keep it short.',
  'Her name is Marina Duarte; she restores books in Porto.',
  'Prefers metric units and 24-hour times.',
  'Restoring the bindings of her grandfather’s field notebooks (1948–1971): eleven volumes, four done.',
  'Wants to open the workshop to apprentices by next spring.',
  'Knows how to sew on raised cords and to make wheat-starch paste.',
];
const MORE = ['Lives with her sister Lúcia above the workshop.', 'The light in the back room is best before noon.', 'Her first press came from a printer in Braga.'];
const LEFT = ['A long account of how the house in Braga was sold in 1998, with the names of everybody who was there …', 'The tram stops running at half past midnight.'];

const lines = (entries: string[], mark: string) => entries.map((e) => `${mark}${e}`).join('\n');

function messagesOf(name: string, part: string, told: string[]): string[] {
  if (part === 'custom-instructions') return [lines(told, '')];
  if (part === 'remember') return [MORE.slice(0, 2), MORE.slice(2)].map((some) => `Please remember these things about me, each as its own memory:\n${lines(some, '- ')}`);
  if (name === 'claude' && part === 'import') return [`\`\`\`text\n# 1. Instructions\n\n${lines(told, '[2025-09-02] - ')}\n\`\`\``];
  if (name === 'gemini' && part === 'import') return [`1. Demographics Information\n\n${lines(told, '* ')}\n\nImported from: Keepsake`];
  if (part === 'file') return [`# About the person you work with\n\n## How to work with me\n\n${lines(told, '- ')}`];
  return [`What you should know about the person you are working with.\n\nHow to work with me:\n${lines(told, '- ')}`];
}

/** SampleHandoffs stands for Go's Handoffs. */
export class SampleHandoffs {
  private rules = new Map<string, HandoffRulesView>();
  taken: string[] = [];

  private targets(): HandoffTargetView[] {
    return TARGETS.map((t) => {
      const rules = this.rules.get(t.target) ?? t.rules;
      const parts = t.parts.map((p) => {
        const own = rules.limits.find((l) => l.name === p.name);
        return own ? { ...p, limit: own.count, own: true } : p;
      });
      return { ...t, rules, parts };
    });
  }

  private make(name: string, options: HandoffOptionsView): HandoffView {
    const to = this.targets().find((t) => t.target === name) ?? TARGETS[0];
    if (!to) throw new Error('no targets');
    const findings = findingsIn(FOUND.slice(0, 2), options.redact !== 'off', options.keep);
    const shown = findings.items.map((f) => `${f.before}${f.kept ? f.text : `[REDACTED:${f.kind}]`}${f.after}`);
    const parts = to.parts.filter((p) => options.part === '' || p.name === options.part).map((p): HandoffPartView => {
      const messages = messagesOf(name, p.name, [...ENTRIES, ...shown]);
      const size = messages.join('').length;
      const left = p.name === 'custom-instructions' ? [] : LEFT;
      return {
        ...p, follows: p.name === 'remember', messages, codePoints: size, utf16: size, taken: p.name === 'remember' ? 3 : 8, leftOutTotal: left.length,
        leftOut: left.map((content, i) => ({ id: `left-${i}`, reason: i === 0 ? 'too-long' : 'no-room', content })),
      };
    });
    const excluded = [{ name: 'not-exportable', count: 4 }, { name: 'status', count: 3 }, { name: 'not-shared', count: 1 }];
    return { target: name, training: to.training, file: FILES[name] ?? `${name}.txt`, parts, memories: 10, excluded, findings };
  }

  methods(shell: 'window' | 'browser'): Methods['Handoffs'] {
    return {
      Targets: async () => this.targets(),
      SetRules: async (name, rules) => void this.rules.set(name, rules),
      Preview: async (name, options) => this.make(name, options),
      Take: async (name, options) => {
        this.taken.push(name);
        return this.make(name, options);
      },
      Save: async (name) => ({ token: 'handoff-1', url: shell === 'browser' ? '#download' : '', name: FILES[name] ?? `${name}.txt`, folder: shell === 'browser' ? '' : '/home/marina/Documents' }),
    };
  }
}
