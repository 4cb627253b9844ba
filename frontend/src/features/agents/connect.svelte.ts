import { backend, cancelled, faultOf, type AgentView, type ClientChangeView, type ClientPlanView, type ClientView, type FaultView, type SavedView } from '../../lib/backend';
import type { AgentList } from '../../lib/agents.svelte';
import { Live } from '../../lib/live.svelte';

/** OTHER stands for an assistant that Keepsake does not know. */
export const OTHER = '';
const NAME = 'assistant'; // of it, unless another is typed

/** Connecting is the way of one assistant from the list to its first call, or out of its settings again. */
export class Connecting {
  readonly clients = new Live(() => backend.Clients.List());
  /** Id of the one that was chosen, OTHER, or undefined while none is. */
  chosen = $state<string | undefined>(undefined);
  name = $state(NAME);
  leaving = $state(false); // it is to be disconnected
  plan = $state.raw<ClientPlanView | undefined>(undefined);
  written = $state.raw<ClientChangeView[] | undefined>(undefined);
  snippet = $state('');
  saved = $state.raw<SavedView | undefined>(undefined);
  fault = $state.raw<FaultView | undefined>(undefined);
  busy = $state(false);
  /** When each that was known had asked last before this one could start Keepsake. */
  private before = $state.raw<ReadonlyMap<string, string>>(new Map());

  constructor(private readonly known: AgentList) {}

  /** Those that are on this computer first. */
  readonly list = $derived.by<ClientView[]>(() => {
    const all = this.clients.value ?? [];
    return [...all.filter(({ found }) => found), ...all.filter(({ found }) => !found)];
  });
  readonly client = $derived(this.list.find(({ id }) => id === this.chosen));
  /** What people call it. */
  readonly called = $derived(this.client?.name ?? this.name);
  /** The agent as which it asks, once it has. */
  readonly asked = $derived.by<AgentView | undefined>(() => {
    const name = this.chosen === OTHER ? this.name.trim().toLowerCase() : this.chosen;
    const now = (this.known.value ?? []).find((agent) => agent.name === name);
    return now && this.before.get(now.name) !== now.lastCall ? now : undefined;
  });

  async choose(id: string): Promise<void> {
    Object.assign(this, { chosen: id, leaving: false, plan: undefined, written: undefined, snippet: '', saved: undefined, fault: undefined, name: NAME });
    this.remember();
    if (id === OTHER) await this.show();
    else await Promise.all([this.look(), this.show()]);
  }

  /** back goes to the list. */
  async back(): Promise<void> {
    this.chosen = undefined;
    await this.clients.refresh();
  }

  /** leave shows what would take Keepsake out of its settings. */
  async leave(): Promise<void> {
    this.leaving = true;
    await this.look();
  }

  async write(): Promise<void> {
    const token = this.plan?.token ?? '';
    this.remember();
    if (!(await this.try(async () => (this.written = await backend.Clients.Write(token))))) await this.lookAgain();
  }

  async show(): Promise<void> {
    const [id, name] = [this.chosen ?? OTHER, this.name];
    try {
      const text = await backend.Clients.Snippet(id, name);
      if (id !== this.chosen || name !== this.name) return;
      this.snippet = text;
      if (id === OTHER) this.fault = undefined;
    } catch (error) {
      this.snippet = '';
      if (id === OTHER) this.fault = faultOf(error);
    }
  }

  async save(): Promise<void> {
    await this.try(async () => (this.saved = await backend.Clients.SaveBundle()));
  }

  private async look(): Promise<void> {
    const id = this.chosen ?? OTHER;
    this.plan = undefined;
    await this.try(async () => {
      const plan = await (this.leaving ? backend.Clients.PlanDisconnect(id) : backend.Clients.PlanConnect(id));
      if (id === this.chosen) this.plan = plan;
    });
  }

  /** lookAgain leaves the fault where it stands beside the change as it is now. */
  private async lookAgain(): Promise<void> {
    const { fault } = this;
    await this.look();
    this.fault ??= fault;
  }

  private remember(): void {
    this.before = new Map((this.known.value ?? []).map(({ name, lastCall }) => [name, lastCall]));
  }

  /** try reports whether what it did was done. */
  private async try(what: () => Promise<unknown>): Promise<boolean> {
    this.busy = true;
    this.fault = undefined;
    try {
      await what();
      return true;
    } catch (error) {
      if (!cancelled(error)) this.fault = faultOf(error);
      return false;
    } finally {
      this.busy = false;
    }
  }
}
