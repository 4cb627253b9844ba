import { findingsIn, FOUND } from './sampleFindings';
import { tally } from './sampleOverview';
import { topicsIn } from './sampleSensitive';
import type { HandoffLineView, HandoffOptionsView, HandoffPartView, HandoffRulesView, HandoffTargetView, HandoffView, Methods } from './types';

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

const ENTRIES: [heading: number, text: string][] = [
  [0, 'My name is Marina Duarte; I restore books in Porto.'],
  [0, 'Prefers metric units and 24-hour times.'],
  [0, 'I know how to sew on raised cords and to make wheat-starch paste.'],
  [1, 'Answer in European Portuguese unless asked otherwise, and keep it short.'],
  [2, 'Restoring the bindings of her grandfather’s field notebooks (1948–1971): eleven volumes, four done.'],
  [2, 'I want to open the workshop to apprentices by next spring.'],
];
const MORE: [heading: number, text: string][] = [[0, 'I live with my sister Lúcia above the workshop.'], [0, 'The light in the back room is best before noon.'], [2, 'My first press came from a printer in Braga.']];
const LEFT = ['A long account of how the house in Braga was sold in 1998, with the names of everybody who was there …', 'The tram stops running at half past midnight.'];

const LANGUAGES = ['en', 'pt-BR', 'es', 'de', 'fr'];
const HEADINGS: Record<string, string[]> = { en: ['About me', 'How to answer', 'Projects'], 'pt-BR': ['Sobre mim', 'Como responder', 'Projetos'] };
const IMPORTED = ['2. Identity', '1. Instructions', '4. Projects'];

function linesOf(name: string, part: string, shown: string[], options: HandoffOptionsView): HandoffLineView[] {
  const headings = part === 'import' ? IMPORTED : (HEADINGS[options.language] ?? HEADINGS['en'] ?? []);
  const told = part === 'remember' ? MORE : [...ENTRIES, ...shown.map((text): [number, string] => [2, text])];
  const given = options.for === '' ? told : told.filter(([heading, text]) => heading > 0 && topicsIn(text).length === 0); // a circle gets what it is told to do, and the projects
  return given.map(([heading, text]) => {
    const i = told.findIndex(([, other]) => other === text);
    const id = `${part === 'remember' ? 'more' : 'told'}-${i}`;
    const edit = options.edits.find((e) => e.id === id);
    return { id, heading: headings[heading] ?? '', text: edit?.text ?? text, ticked: !options.without.includes(id), edited: edit !== undefined, shortened: id === 'told-4' && name === 'system-prompt' };
  });
}

function messagesOf(part: string, lines: HandoffLineView[]): string[] {
  const ticked = lines.filter((l) => l.ticked);
  const written = [...new Set(ticked.map((l) => l.heading))].map((heading) => `${heading}:\n${ticked.filter((l) => l.heading === heading).map((l) => `- ${l.text}`).join('\n')}`);
  if (written.length === 0) return [];
  if (part === 'remember') return written.map((some) => `Please remember these things about me, each as its own memory:\n\n${some}`);
  return [written.join('\n\n')];
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
      const lines = linesOf(name, p.name, shown, options);
      const messages = messagesOf(p.name, lines);
      const size = messages.join('').length;
      const left = p.name === 'custom-instructions' ? [] : LEFT;
      return {
        ...p, follows: p.name === 'remember', messages, lines, codePoints: size, utf16: size, taken: lines.filter((l) => l.ticked).length, leftOutTotal: left.length,
        leftOut: left.map((content, i) => ({ id: `left-${i}`, reason: i === 0 ? 'too-long' : 'no-room', content })),
      };
    });
    const excluded = [{ name: 'not-exportable', count: 4 }, { name: 'status', count: 3 }, { name: 'not-shared', count: options.for === '' ? 1 : 43 }, ...(options.for === '' ? [] : [{ name: 'sensitive', count: 2 }]), { name: 'repeat', count: 2 }];
    const ticked = [...new Map(parts.flatMap((p) => p.lines).filter((line) => line.ticked).map((line) => [line.id, line])).values()];
    const items = ticked.map(({ id, text }) => ({ id, text, topics: topicsIn(text) })).filter((item) => item.topics.length > 0);
    const sensitive = { total: items.length, topics: tally(items.flatMap((item) => item.topics)), byWords: 0, items };
    return { target: name, training: to.training, file: FILES[name] ?? `${name}.txt`, parts, memories: ticked.length, excluded, findings, language: options.language || 'en', languages: LANGUAGES, otherLanguages: [{ name: 'pt', count: 2 }], sensitive };
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
