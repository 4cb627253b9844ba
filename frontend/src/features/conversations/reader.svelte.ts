import { allMemories, backend, faultOf, type ConversationHeadView, type FaultView, type MemoryRowView, type MessageView } from '../../lib/backend';
import { find, type Hit } from './find';
import { Heights } from './heights';
import { plain, shapeOf } from './shape';

// How many messages are asked for at a time; the answer may hold fewer.
const STEP = 60;

/**
 * Reader is one way through one conversation. Messages come in windows; a
 * search asks for all that are missing and looks through them here.
 */
export class Reader {
  head = $state.raw<ConversationHeadView | undefined>(undefined);
  total = $state(0);
  /** said is how many of them a person sees. */
  said = $state(0);
  leaf = $state('');
  /** Addresses under which the conversation was shown to others. */
  shared = $state.raw<string[]>([]);
  fault = $state.raw<FaultView | undefined>(undefined);
  /** Grows when messages or heights changed: both live outside of Svelte's reach. */
  version = $state(0);
  /** Memories that came from this conversation, by id. */
  memories = $state.raw<Map<string, MemoryRowView>>(new Map());
  /** The message to be brought into view, -1 for none. */
  target = $state(-1);

  heights = new Heights(0, () => 0);
  private messages: (MessageView | undefined)[] = [];
  private readonly asked = new Set<number>();
  private run = 0;
  private through = '';

  message(index: number): MessageView | undefined {
    void this.version;
    return this.messages[index];
  }

  /** open shows a conversation, at a message where one is given. */
  async open(id: string, message = ''): Promise<void> {
    const mine = ++this.run;
    if (this.head?.id !== id) this.memories = new Map();
    await this.enter(id, message, mine);
    if (mine !== this.run || this.fault) return;
    if (message !== '') await this.aim(message, mine);
    if (this.memories.size === 0 && this.head && this.head.derived > 0) await this.remember(id, mine);
  }

  /** turn takes the other way at a fork, and keeps the fork in view. */
  async turn(sibling: string): Promise<void> {
    if (!this.head) return;
    const mine = ++this.run;
    await this.enter(this.head.id, sibling, mine);
    if (mine === this.run) await this.aim(sibling, mine);
  }

  private async enter(id: string, through: string, mine: number): Promise<void> {
    try {
      const thread = await backend.Conversations.Thread(id, through, 0, STEP);
      if (mine !== this.run) return;
      this.through = through;
      this.head = thread.head;
      this.total = thread.total;
      this.said = thread.said;
      this.leaf = thread.leaf;
      this.shared = thread.shared;
      this.fault = undefined;
      this.target = -1;
      this.messages = new Array<MessageView | undefined>(thread.total).fill(undefined);
      this.asked.clear();
      this.heights = new Heights(thread.total, () => 160);
      this.put(0, thread.messages);
    } catch (error) {
      if (mine === this.run) this.fault = faultOf(error);
    }
  }

  /** need loads the messages of a window that are not here. */
  async need(from: number, to: number): Promise<void> {
    const mine = this.run;
    for (let at = from; at < Math.min(to, this.total); at++) {
      if (this.messages[at] || this.asked.has(at)) continue;
      for (let k = at; k < at + STEP; k++) this.asked.add(k);
      await this.fetch(at, mine);
    }
  }

  private async fetch(offset: number, mine: number): Promise<number> {
    if (!this.head) return 0;
    try {
      const thread = await backend.Conversations.Thread(this.head.id, this.through, offset, STEP);
      if (mine !== this.run) return 0;
      this.put(thread.offset, thread.messages);
      // What the answer had no room for is asked for when it is needed.
      for (let k = offset + thread.messages.length; k < offset + STEP; k++) this.asked.delete(k);
      return thread.messages.length;
    } catch (error) {
      if (mine === this.run) this.fault = faultOf(error);
      return 0;
    }
  }

  private put(offset: number, messages: MessageView[]): void {
    messages.forEach((message, i) => {
      this.messages[offset + i] = message;
      if (!this.heights.measured(offset + i)) this.heights.guess(offset + i, guess(message));
    });
    this.version++;
  }

  /** measure keeps the drawn height of a message and returns by how much it moved what is below. */
  measure(index: number, height: number): number {
    const change = this.heights.set(index, height);
    if (change !== 0) this.version++;
    return change;
  }

  /** all loads every message that is missing; it stops when another conversation is opened. */
  async all(): Promise<void> {
    const mine = this.run;
    for (let at = 0; at < this.total && mine === this.run; at++) {
      if (!this.messages[at] && (await this.fetch(at, mine)) === 0) return;
    }
  }

  find(text: string): Hit[] {
    return find(this.messages, text);
  }

  private async aim(id: string, mine: number): Promise<void> {
    for (let at = 0; at < this.total && mine === this.run; at++) {
      if (!this.messages[at] && (await this.fetch(at, mine)) === 0) return;
      if (this.messages[at]?.id !== id) continue;
      this.target = at;
      return;
    }
  }

  /** remembered looks again at what came from this conversation: there is one more. */
  async remembered(): Promise<void> {
    const { head } = this;
    if (!head) return;
    const mine = this.run;
    await this.remember(head.id, mine);
    const shown = [...this.messages.keys()].filter((at) => this.messages[at]);
    for (let at = shown[0] ?? 0; at <= (shown.at(-1) ?? -1) && mine === this.run; ) at += Math.max(1, await this.fetch(at, mine));
  }

  private async remember(id: string, mine: number): Promise<void> {
    try {
      const page = await backend.Library.List({ ...allMemories, conversation: id, sort: 'created', limit: 200 });
      if (mine === this.run) this.memories = new Map(page.items.map((row) => [row.id, row]));
    } catch {
      // The marks in the margin then stay without their words.
    }
  }
}

// A first guess, so that the scrollbar of a long conversation does not lie much.
function guess(message: MessageView): number {
  const shape = shapeOf(message);
  if (shape === 'empty') return 0;
  if (shape !== 'said') return 48;
  return 72 + Math.ceil(plain(message).length / 72) * 27 + message.attachments.length * 56;
}
