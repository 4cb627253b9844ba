import { throttled } from '../../lib/agents.svelte';
import { backend, type DownloadView, type Stop } from '../../lib/backend';
import { Live } from '../../lib/live.svelte';

/** Downloads are exports in the downloads folder; 'agents' tells that something changed there. */
export class Downloads extends Live<DownloadView[]> {
  constructor() {
    super(() => backend.Imports.Downloads(), ['import-done']);
  }

  override start(): Stop {
    const stops = [super.start(), throttled(['agents'], () => void this.refresh())];
    return () => stops.forEach((stop) => stop());
  }
}
