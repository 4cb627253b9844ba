import type { EventName, Events, Stop } from './types';

type Listener<E extends EventName> = (payload: Events[E]) => void;

/** Listeners hands events on to whoever asked for them. */
export class Listeners {
  private readonly lists: { [E in EventName]?: Set<Listener<E>> } = {};

  on<E extends EventName>(event: E, listener: Listener<E>): Stop {
    const list = this.list(event);
    list.add(listener);
    return () => list.delete(listener);
  }

  tell<E extends EventName>(event: E, payload: Events[E]): void {
    for (const listener of [...this.list(event)]) listener(payload);
  }

  private list<E extends EventName>(event: E): Set<Listener<E>> {
    const lists = this.lists as Partial<Record<EventName, Set<Listener<E>>>>;
    return (lists[event] ??= new Set());
  }
}
