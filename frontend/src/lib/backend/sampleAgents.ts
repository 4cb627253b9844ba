import { fault } from './sampleVault';
import type { AgentCallGivenView, AgentCallQueryView, AgentCallView, AgentGrantView, AgentView, Methods } from './types';

// Assistants that asked the made-up vault, and their calls.

/** SampleCall is a call with the ids of the memories in its answer. */
type SampleCall = AgentCallView & { given: readonly string[] };
type Counts = { size: number; answered?: number | undefined; waiting?: number | undefined };

const NO_GRANT: AgentGrantView = { circle: '', permissions: [], conversations: 'none', memories: 0, bytes: 0, until: '', types: [], tags: [], platforms: [], projects: [], createdSince: '', createdBefore: '', unredacted: false };
const WORK: AgentGrantView = { ...NO_GRANT, circle: 'work-assistant', permissions: ['read', 'propose'], memories: 500, bytes: 1_000_000 };

const bare = { paused: false, firstAsk: '2025-09-01T08:00:00Z', lastCall: '', calls: 0, memories: 0, refused: 0, proposed: 0, accepted: 0, circleName: '', grant: NO_GRANT, forgets: [] };
const USUAL: AgentView[] = [
  { ...bare, name: 'claude-desktop', state: 'allowed', grant: { ...WORK, permissions: [...WORK.permissions, 'delete'] }, forgets: [{ token: 'f-1', at: '2025-10-18T08:30:00Z', ids: ['m-1', 'm-3'] }] },
  { ...bare, name: 'cursor', state: 'allowed', paused: true, grant: { ...WORK, conversations: 'titles', types: ['skill', 'project'], tags: ['computer'], until: '2030-11-01T00:00:00Z' } },
  { ...bare, name: 'old-script', state: 'refused' },
];
// Names that Go refuses, for the page shows whatever comes.
const NAMES = ['an-assistant-with-as-many-letters-as-fit', 'notes\u202Egnp.exe', 'zero\u200Bwidth', 'مساعد', '<b>bold</b>'];
const WAITING = ['gemini-cli', 'lm-studio'];

const TOOLS: [tool: string, memories: number, refused: string][] = [
  ['search_memories', 3, ''], ['get_memory', 1, ''], ['propose_memory', 0, ''], ['get_context', 8, ''], ['search_conversations', 0, 'agent-no-conversations'], ['list_memories', 10, ''],
  ['update_memory', 0, 'agent-not-permitted'],
];
const DAY = Date.UTC(2025, 9, 18, 9);
const STEP = 47 * 60_000; // between two calls
const CALLS = 130;

function callsOf(agent: string, count: number, size: number): SampleCall[] {
  return Array.from({ length: count }, (_, i) => {
    const [tool, memories, refused] = TOOLS[i % TOOLS.length] ?? ['get_memory', 1, ''];
    const given = Array.from({ length: Math.min(memories, size) }, (_, n) => `m-${(i + n * 2) % size}`);
    return { number: 0, agent, at: new Date(DAY - i * STEP).toISOString(), tool, memories: given.length, bytes: refused ? 0 : 180 + 412 * given.length, refused, given };
  });
}

function named(names: readonly string[], count: number, prefix: string): string[] {
  return Array.from({ length: count }, (_, i) => names[i] ?? `${prefix}-${i + 1}`);
}

/** SampleAgents stands for Go's agents. */
export class SampleAgents {
  private list: AgentView[];
  private readonly calls: SampleCall[];

  constructor({ size, answered = USUAL.length, waiting = 0 }: Counts, private readonly changed: () => void, private readonly circleName: (entity: string) => string, private readonly content: (id: string) => string) {
    const more = named(NAMES, Math.max(0, answered - USUAL.length), 'agent').map((name): AgentView => ({ ...bare, name, state: 'allowed', grant: WORK }));
    this.list = [...named(WAITING, waiting, 'asking').map((name): AgentView => ({ ...bare, name, state: 'waiting' })), ...USUAL.slice(0, answered), ...more];
    this.calls = answered === 0 ? [] : [...callsOf('claude-desktop', CALLS, size), ...callsOf('cursor', 4, size)].sort((a, b) => b.at.localeCompare(a.at)).map((call, i, all) => ({ ...call, number: all.length - i }));
  }

  /** ask is a call of an assistant that the vault did not know. */
  ask(name: string): void {
    this.list = [{ ...bare, name, state: 'waiting', firstAsk: new Date().toISOString() }, ...this.list];
    this.changed();
  }

  private view(agent: AgentView): AgentView {
    const calls = this.calls.filter((call) => call.agent === agent.name);
    return {
      ...agent, circleName: this.circleName(agent.grant.circle), calls: calls.length, memories: calls.reduce((sum, call) => sum + call.memories, 0),
      refused: calls.filter((call) => call.refused !== '').length, lastCall: calls[0]?.at ?? '',
    };
  }

  private set(name: string, set: Partial<AgentView>): void {
    if (!this.list.some((agent) => agent.name === name)) throw fault('not_found', 'no-agent', `No agent called ${name} has asked.`, { name });
    const order = ['waiting', 'allowed', 'refused'];
    this.list = this.list.map((agent) => (agent.name === name ? { ...agent, ...set } : agent)).sort((a, b) => order.indexOf(a.state) - order.indexOf(b.state));
    this.changed();
  }

  private callsFor({ agent, memory, tool, outcome, since, until }: AgentCallQueryView): AgentCallView[] {
    const isIn = (at: string) => (since === '' || at >= since) && (until === '' || at < until);
    const fits = (call: SampleCall) => (agent === '' || call.agent === agent) && (memory === '' || call.given.includes(memory)) && (tool === '' || call.tool === tool)
      && (outcome === '' || (outcome === 'refused') === (call.refused !== '')) && isIn(call.at);
    return this.calls.filter(fits).map(({ number, agent: name, at, tool: asked, memories, bytes, refused }) => ({ number, agent: name, at, tool: asked, memories, bytes, refused }));
  }

  private gave(number: number): AgentCallGivenView {
    const call = this.calls.find((one) => one.number === number);
    if (!call) throw fault('not_found', 'no-agent-call', 'This call of an assistant is no longer kept.');
    const left = call.given.length > 5 ? 1 : 0; // it was forgotten since
    const memories = call.given.slice(left).map((id) => ({ id, content: this.content(id), clipped: false }));
    return { memories, total: memories.length, gone: left };
  }

  methods(): Pick<Methods['Library'], 'Agents' | 'AllowAgent' | 'RefuseAgent' | 'PauseAgents' | 'RemoveAgent' | 'AgentCalls' | 'AgentCallGave' | 'DeclineForget'> {
    return {
      Agents: async () => this.list.map((agent) => this.view(agent)),
      AllowAgent: async (name, grant) => this.set(name, { state: 'allowed', paused: false, grant }),
      RefuseAgent: async (name) => this.set(name, { state: 'refused', grant: NO_GRANT }),
      PauseAgents: async (name, on) => {
        for (const agent of name === '' ? this.list.map((one) => one.name) : [name]) this.set(agent, { paused: on });
      },
      RemoveAgent: async (name) => {
        this.set(name, {});
        this.list = this.list.filter((agent) => agent.name !== name);
        this.changed();
      },
      DeclineForget: async (token) => {
        this.list = this.list.map((agent) => ({ ...agent, forgets: agent.forgets.filter((one) => one.token !== token) }));
        this.changed();
      },
      AgentCalls: async (query) => {
        const all = this.callsFor(query);
        return { items: all.slice(query.offset, query.offset + (query.limit || 100)), total: all.length };
      },
      AgentCallGave: async (number) => this.gave(number),
    };
  }
}
