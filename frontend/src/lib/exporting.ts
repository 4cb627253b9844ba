import type { ExportOptionsView } from './backend';

/** wholeExport is everything that may leave, for its owner, as one signed file. */
export const wholeExport: ExportOptionsView = {
  unsigned: false, includeConversations: false, includeAttachments: false, includeEmbeddings: false, statuses: [], types: [], tags: [], platforms: [],
  incremental: false, base: '', for: '', stripIds: false, passphrase: '', format: '', version: '', form: '', plain: false, redact: '', keep: [], addresses: false, language: '',
};
