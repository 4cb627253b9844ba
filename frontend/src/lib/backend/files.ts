import { BackendError, unreachable } from './fault';

/** pickFiles opens the browser's own file field; none chosen is an empty list. */
export function pickFiles({ several }: { several: boolean }): Promise<File[]> {
  const field = document.createElement('input');
  field.type = 'file';
  field.multiple = several;
  field.hidden = true;
  document.body.append(field);
  return new Promise<File[]>((resolve) => {
    field.addEventListener('change', () => resolve([...(field.files ?? [])]), { once: true });
    field.addEventListener('cancel', () => resolve([]), { once: true });
    field.click();
  }).finally(() => field.remove());
}

/** sendFile streams one file; fetch cannot say how far it is, this can. */
export function sendFile(
  file: File,
  headers: Record<string, string>,
  onSent: (bytes: number) => void,
): Promise<{ status: number; text: string }> {
  const request = new XMLHttpRequest();
  request.open('POST', `/api/upload?name=${encodeURIComponent(file.name)}`);
  for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
  return new Promise((resolve, reject) => {
    request.upload.addEventListener('progress', (event) => onSent(event.loaded));
    request.addEventListener('load', () => {
      onSent(file.size);
      resolve({ status: request.status, text: request.responseText });
    });
    request.addEventListener('error', () => reject(new BackendError(unreachable)));
    request.send(file);
  });
}
