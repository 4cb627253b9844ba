import { afterEach, expect, it, vi } from 'vitest';
import { backend, BackendError } from './backend';
import { download } from './download';
import { toasts } from './toasts.svelte';

afterEach(() => {
  vi.restoreAllMocks();
  toasts.clear();
});

/** clicked is a link to a finished file, after a click. */
function clicked(): Event {
  const link = document.createElement('a');
  link.href = '/download/T';
  link.download = 'me.pam.json';
  link.addEventListener('click', download);
  const event = new MouseEvent('click', { cancelable: true });
  link.dispatchEvent(event);
  return event;
}

it('asks for the address of the file that was clicked, and saves it under its name', async () => {
  const locate = vi.spyOn(backend, 'locate').mockResolvedValue('/download/T?ticket=x');
  const saved = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => undefined);
  expect(clicked().defaultPrevented).toBe(true);
  await vi.waitFor(() => expect(saved).toHaveBeenCalledOnce());
  expect(locate).toHaveBeenCalledWith('/download/T');
  const link = saved.mock.contexts[0] as HTMLAnchorElement;
  expect([link.getAttribute('href'), link.download]).toEqual(['/download/T?ticket=x', 'me.pam.json']);
});

it('says so where there is no address', async () => {
  const fault = { code: 'internal', reason: 'x', message: 'Keepsake does not answer.', hint: '', args: {} };
  vi.spyOn(backend, 'locate').mockRejectedValue(new BackendError(fault as never));
  clicked();
  await vi.waitFor(() => expect(toasts.list[0]?.fault?.message).toBe('Keepsake does not answer.'));
});
