import type { ExportOptionsView, ExportPreviewView, ExportResultView } from '../../lib/backend';

/** What the person chose in the sheet. */
export type Choice = {
  conversations: boolean;
  attachments: boolean;
  protect: boolean;
  passphrase: string;
  again: string;
};

export const plainExport: Choice = { conversations: false, attachments: false, protect: false, passphrase: '', again: '' };

// Short passphrases of a file that anyone may carry away are guessed offline.
export const MIN_PASSPHRASE = 8;

export type Obstacle = 'passphrase-short' | 'passphrase-differs' | 'nothing';

/** obstacle says why the export cannot start, undefined when it can. */
export function obstacle(choice: Choice, preview: ExportPreviewView | undefined): Obstacle | undefined {
  if (preview && preview.memories === 0 && preview.conversations === 0) return 'nothing';
  if (!choice.protect) return undefined;
  if (Array.from(choice.passphrase).length < MIN_PASSPHRASE) return 'passphrase-short';
  return choice.passphrase === choice.again ? undefined : 'passphrase-differs';
}

/** optionsOf is the choice as the vault understands it; attachments only go with conversations. */
export function optionsOf(choice: Choice): ExportOptionsView {
  return {
    unsigned: false,
    includeConversations: choice.conversations,
    includeAttachments: choice.conversations && choice.attachments,
    statuses: [],
    types: [],
    for: '',
    stripIds: false,
    passphrase: choice.protect ? choice.passphrase : '',
  };
}

/** countOf is the number behind a reason for leaving out. */
export function excluded(view: ExportPreviewView | ExportResultView): { reason: string; count: number }[] {
  return view.excluded.filter((e) => e.count > 0).map((e) => ({ reason: e.name, count: e.count }));
}

/** short is a checksum as people compare it: its ends. */
export function short(checksum: string): string {
  const hex = checksum.replace(/^sha256:/, '');
  return hex.length > 20 ? `${hex.slice(0, 8)}…${hex.slice(-8)}` : hex;
}
