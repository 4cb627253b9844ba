import { backend } from './backend';

/** download saves a finished file under its name; its address is asked for when it is needed. */
export async function download(event: Event, url: string, name: string): Promise<void> {
  event.preventDefault();
  const link = document.createElement('a');
  link.href = await backend.locate(url);
  link.download = name;
  link.click();
}
