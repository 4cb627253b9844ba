/** Carried is what a drag seems to bring; names are secret until the drop. */
export type Carried = { kind: 'zip' | 'other'; count: number };

const ZIP = /^application\/(zip|x-zip|x-zip-compressed)$/;

/** carried is undefined when no file is being dragged. */
export function carried(transfer: DataTransfer | null): Carried | undefined {
  // WebKitGTK tells a file as a list of addresses.
  if (!transfer || !['Files', 'text/uri-list'].some((type) => transfer.types.includes(type))) return undefined;
  const files = [...transfer.items].filter((item) => item.kind === 'file');
  const count = Math.max(1, files.length);
  return { kind: count === 1 && ZIP.test(files[0]?.type ?? '') ? 'zip' : 'other', count };
}
