import { backend, faultOf } from './backend';
import { toasts } from './toasts.svelte';

/** download saves the file of the link that was clicked; its address is asked for when it is needed. */
export function download(event: Event): void {
  event.preventDefault();
  void save(event.currentTarget as HTMLAnchorElement).catch((error: unknown) => toasts.show({ fault: faultOf(error) }));
}

async function save(shown: HTMLAnchorElement): Promise<void> {
  const link = document.createElement('a');
  link.download = shown.download;
  link.href = await backend.locate(shown.getAttribute('href') ?? '');
  link.click();
}
