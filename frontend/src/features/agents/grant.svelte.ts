import { backend, type AgentGrantView } from '../../lib/backend';

/** NEW stands for a circle that is made with the answer. */
export const NEW = '+';
export const PERMISSIONS = ['read', 'propose', 'write', 'delete'] as const;
export const LEVELS = ['none', 'titles', 'all'] as const;

const USUAL: AgentGrantView = {
  circle: '', permissions: ['read', 'propose'], conversations: 'none', memories: 500, bytes: 1_000_000, until: '', types: [], tags: [], platforms: [], projects: [],
  createdSince: '', createdBefore: '', unredacted: false,
};

/** GrantEdit is what an assistant may while it is chosen. */
export class GrantEdit {
  circle = $state('');
  /** Of the circle that is made. */
  name = $state('');
  permissions = $state.raw<readonly string[]>([]);
  conversations = $state('');
  memories = $state(0);
  bytes = $state(0);
  /** 'none', 'day', 'week', 'month', or an instant. */
  until = $state('');
  types = $state.raw<readonly string[]>([]);
  tags = $state('');
  platforms = $state('');
  hide = $state(true);
  /** What is kept as it was set elsewhere. */
  private readonly rest: Pick<AgentGrantView, 'projects' | 'createdSince' | 'createdBefore'>;

  constructor(before: AgentGrantView = USUAL) {
    this.circle = before.circle;
    this.permissions = before.permissions;
    this.conversations = before.conversations;
    this.memories = before.memories;
    this.bytes = before.bytes;
    this.until = before.until || 'none';
    this.types = before.types;
    this.tags = before.tags.join(', ');
    this.platforms = before.platforms.join(', ');
    this.rest = { projects: before.projects, createdSince: before.createdSince, createdBefore: before.createdBefore };
    this.hide = !before.unredacted;
  }

  readonly ready = $derived(this.circle !== NEW || this.name.trim() !== '');
  readonly narrowed = $derived(this.types.length + named(this.tags).length + named(this.platforms).length > 0);

  permit(permission: string, on: boolean): void {
    this.permissions = PERMISSIONS.filter((one) => (one === permission ? on : this.permissions.includes(one)));
  }

  /** keep makes the circle that is wanted, and gives the assistant what was chosen. */
  async keep(agent: string): Promise<void> {
    if (this.circle === NEW) {
      const made = await backend.Library.MakeCircle({ name: this.name, types: [], tags: [], domains: [], topics: [], without: [] });
      this.circle = made.entity;
    }
    await backend.Library.AllowAgent(agent, this.grant(new Date()));
  }

  grant(now: Date): AgentGrantView {
    return {
      circle: this.circle, permissions: [...this.permissions], conversations: this.conversations, memories: this.memories, bytes: this.bytes, until: untilOf(this.until, now),
      types: [...this.types], tags: named(this.tags), platforms: named(this.platforms), ...this.rest, unredacted: !this.hide,
    };
  }
}

/** named reads names in small letters between commas. */
function named(text: string): string[] {
  return [...new Set(text.toLocaleLowerCase().split(',').map((name) => name.trim()).filter((name) => name !== ''))];
}

/** untilOf is the instant that a choice means, '' for no end. */
export function untilOf(choice: string, now: Date): string {
  const until = new Date(now);
  if (choice === 'none') return '';
  if (choice === 'day') until.setHours(24, 0, 0, 0);
  else if (choice === 'week') until.setDate(until.getDate() + 7);
  else if (choice === 'month') until.setMonth(until.getMonth() + 1);
  else return choice;
  return until.toISOString();
}
