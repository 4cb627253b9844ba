import type { FaultView } from './backend/types';

/** What a toast says: a sentence or a fault, and at most one thing to do. */
export type Saying = {
  text?: string;
  fault?: FaultView;
  /** What it is about: a later word on it puts the earlier one away. */
  about?: string;
  action?: string;
  onaction?: () => void;
};

export type Toast = Saying & { id: number };

// Long enough to read a sentence twice and to reach for Undo; WCAG asks that a
// time limit can be escaped, so pointing at a toast or focusing it stops it.
const STAYS = 8_000;
const MOST = 3;

class Toasts {
  list = $state.raw<readonly Toast[]>([]);
  private count = 0;
  private readonly timers = new Map<number, ReturnType<typeof setTimeout>>();

  /** show says something; a fault stays until it is dismissed. */
  show(saying: Saying): number {
    const id = ++this.count;
    for (const old of this.list) if (saying.about && old.about === saying.about) this.dismiss(old.id);
    for (const old of this.list.slice(0, Math.max(0, this.list.length - MOST + 1))) this.dismiss(old.id);
    this.list = [...this.list, { ...saying, id }];
    this.release(id);
    return id;
  }

  dismiss(id: number): void {
    this.hold(id);
    this.list = this.list.filter((toast) => toast.id !== id);
  }

  act(toast: Toast): void {
    this.dismiss(toast.id);
    toast.onaction?.();
  }

  /** hold keeps a toast while somebody looks at it; release lets it go on. */
  hold(id: number): void {
    clearTimeout(this.timers.get(id));
    this.timers.delete(id);
  }

  release(id: number): void {
    const toast = this.list.find((one) => one.id === id);
    if (!toast || toast.fault) return;
    this.hold(id);
    this.timers.set(id, setTimeout(() => this.dismiss(id), STAYS));
  }

  clear(): void {
    for (const { id } of this.list) this.hold(id);
    this.list = [];
  }
}

export const toasts = new Toasts();
