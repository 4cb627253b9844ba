import { backend, type AgentView, type EventName, type Stop } from './backend';
import { Live } from './live.svelte';

/** Milliseconds between two questions, however many events come: each call of an assistant is one. */
const PAUSE = 400;

/** throttled calls fn at an event, and once more after a pause where others came meanwhile. */
export function throttled(events: readonly EventName[], fn: () => void): Stop {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let again = false;
  const begin = () => {
    again = false;
    fn();
    timer = setTimeout(() => {
      timer = undefined;
      if (again) begin();
    }, PAUSE);
  };
  const stops = events.map((event) => backend.on(event, () => (timer === undefined ? begin() : (again = true))));
  return () => {
    clearTimeout(timer);
    stops.forEach((stop) => stop());
  };
}

/** AgentList are the assistants that asked, those that wait for an answer first. */
export class AgentList extends Live<AgentView[]> {
  constructor() {
    super(() => backend.Library.Agents());
  }

  readonly waiting = $derived<AgentView[]>((this.value ?? []).filter((agent) => agent.state === 'waiting'));

  override start(): Stop {
    // A circle may get another name, too.
    const stops = [super.start(), throttled(['agents', 'library'], () => void this.refresh())];
    return () => stops.forEach((stop) => stop());
  }
}
