import { backend, faultOf, type ByItselfView, type ClientPlanView, type FaultView, type Stop } from '../../lib/backend';
import { throttled } from '../../lib/agents.svelte';
import { faultText, t } from '../../lib/i18n';
import { Live } from '../../lib/live.svelte';
import { toasts } from '../../lib/toasts.svelte';

/** ByItself is what runs by itself: watched folders, hooks and kept files. */
export class ByItself extends Live<ByItselfView> {
  busy = $state(false);
  /** The hooks that are to be taken out, with the lines that would go. */
  leaving = $state.raw<{ name: string; plan: ClientPlanView } | undefined>(undefined);
  problem = $state.raw<FaultView | undefined>(undefined); // of taking them out

  constructor() {
    super(() => backend.Library.ByItself());
  }

  override start(): Stop {
    const stops = [super.start(), throttled(['agents', 'library'], () => void this.refresh())];
    return () => stops.forEach((stop) => stop());
  }

  watch(kind: string, name: string, on: boolean): Promise<void> {
    return this.try(async () => {
      await backend.Library.WatchSessions(kind, on);
      const said = kind === 'downloads' ? { begun: t('itself.downloads.begun'), ended: t('itself.downloads.ended') } : { begun: t('itself.watch.begun', { name }), ended: t('itself.watch.ended', { name }) };
      toasts.show({ text: on ? said.begun : said.ended });
    });
  }

  stopKeeping(id: string, file: string): Promise<void> {
    return this.try(async () => {
      const { left } = await backend.Library.StopKeeping(id);
      toasts.show({ text: left ? t('itself.kept.left', { file, why: faultText(left).text }) : t('itself.kept.ended', { file }) });
    });
  }

  /** lookAtHooks shows what would take the hooks out. */
  lookAtHooks(id: string, name: string): Promise<void> {
    return this.try(async () => {
      this.problem = undefined;
      this.leaving = { name, plan: await backend.Clients.PlanStopHooks(id) };
    });
  }

  async stopHooks(): Promise<void> {
    const { leaving } = this;
    if (!leaving) return;
    this.busy = true;
    try {
      await backend.Clients.Write(leaving.plan.token);
      this.leaving = undefined;
      toasts.show({ text: t('itself.hooks.ended', { name: leaving.name }) });
    } catch (error) {
      this.problem = faultOf(error);
    }
    await this.refresh();
    this.busy = false;
  }

  private async try(what: () => Promise<void>): Promise<void> {
    this.busy = true;
    try {
      await what();
    } catch (error) {
      toasts.show({ fault: faultOf(error) });
    }
    await this.refresh();
    this.busy = false;
  }
}
