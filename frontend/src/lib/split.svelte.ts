import { backend, type MemoryView } from './backend';

/** Splitting is the single facts that a memory may be split into; fewer than two where it is one fact. */
export class Splitting {
  facts = $state.raw<readonly string[]>([]);
  private asked = '';

  /** look asks for the facts of a memory, anew where its words are others. */
  async look(memory: Pick<MemoryView, 'id' | 'content'> | undefined): Promise<void> {
    const asked = memory ? `${memory.id} ${memory.content}` : '';
    if (asked === this.asked) return;
    this.asked = asked;
    this.facts = [];
    // Where it fails nothing is offered: the memory was changed or forgotten meanwhile.
    const plan = memory ? await backend.Portrait.PlanSplit(memory.id).catch(() => undefined) : undefined;
    if (asked === this.asked) this.facts = plan?.facts ?? [];
  }

  get offered(): boolean {
    return this.facts.length > 1;
  }
}
