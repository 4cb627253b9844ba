import { backend, faultOf, type AgentView, type FaultView } from '../../lib/backend';
import type { AgentList } from '../../lib/agents.svelte';
import { t } from '../../lib/i18n';
import { visible } from '../../lib/markdown';
import { toasts } from '../../lib/toasts.svelte';
import type { GrantEdit } from './grant.svelte';

/** Agents is which assistant is looked at, and what is decided about it. */
export class Agents {
  /** Name of the one that is looked at: it stays when another asks meanwhile. */
  private wanted = $state('');
  /** The calls of all are looked at, or what runs by itself, and no single one. */
  shown = $state<'one' | 'calls' | 'itself'>('one');
  busy = $state(false);

  constructor(private readonly known: AgentList) {}

  readonly list = $derived.by<AgentView[]>(() => this.known.value ?? []);
  readonly chosen = $derived<AgentView | undefined>(this.shown !== 'one' ? undefined : (this.list.find(({ name }) => name === this.wanted) ?? this.list[0]));
  /** Whether none of those that may ask gets an answer. */
  readonly allPaused = $derived(this.list.some(isAllowed) && this.list.filter(isAllowed).every(({ paused }) => paused));

  choose(name: string): void {
    this.wanted = name;
    this.shown = 'one';
  }

  /** allow gives an assistant what was chosen. */
  async allow({ name, state }: AgentView, edit: GrantEdit): Promise<FaultView | undefined> {
    this.busy = true;
    try {
      await edit.keep(name);
      toasts.show({ text: t(state === 'allowed' ? 'agents.changed' : 'agents.allowed', { name: visible(name) }) });
      await this.known.refresh();
      return undefined;
    } catch (error) {
      return faultOf(error);
    } finally {
      this.busy = false;
    }
  }

  refuse({ name }: AgentView): Promise<void> {
    return this.try(() => backend.Library.RefuseAgent(name), t('agents.refused', { name: visible(name) }));
  }

  pause({ name, paused }: AgentView): Promise<void> {
    return this.try(() => backend.Library.PauseAgents(name, !paused), t(paused ? 'agents.resumed' : 'agents.paused', { name: visible(name) }));
  }

  pauseAll(on: boolean): Promise<void> {
    return this.try(() => backend.Library.PauseAgents('', on), t(on ? 'agents.allPaused' : 'agents.allResumed'));
  }

  remove({ name }: AgentView): Promise<void> {
    return this.try(() => backend.Library.RemoveAgent(name), t('agents.removed', { name: visible(name) }));
  }

  decline(token: string): Promise<void> {
    return this.try(() => backend.Library.DeclineForget(token), t('agents.forgets.kept'));
  }

  private async try(what: () => Promise<void>, said: string): Promise<void> {
    this.busy = true;
    try {
      await what();
      toasts.show({ text: said });
    } catch (error) {
      toasts.show({ fault: faultOf(error) });
    }
    await this.known.refresh();
    this.busy = false;
  }
}

const isAllowed = ({ state }: AgentView) => state === 'allowed';
