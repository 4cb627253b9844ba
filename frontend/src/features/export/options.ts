import { locale } from '../../lib/i18n';
import type { ExportOptionsView, ExportPreviewView, ExportResultView } from '../../lib/backend';

/** What the person chose in the sheet. */
export type Choice = {
  conversations: boolean;
  attachments: boolean;
  embeddings: boolean;
  incremental: boolean;
  /** The full export that an incremental one builds on; '' for the newest. */
  base: string;
  types: string[];
  statuses: string[];
  tags: string[];
  platforms: string[];
  /** Ids of conversations: only these, and what they stated. */
  only: string[];
  /** For which circle it is made; '' for the owner. */
  entity: string;
  stripIds: boolean;
  /** The list of conversations leaves without their titles. */
  withoutTitles: boolean;
  /** undefined: as it is by default, on for somebody else only. */
  redact: boolean | undefined;
  /** Ids of findings, and kinds, that leave as they are. */
  keep: string[];
  protect: boolean;
  passphrase: string;
  again: string;
  /** '' is PAM, 'mif' the Memory Interchange Format; or one of FORMS. */
  format: string;
  version: string;
  form: string;
  /** Street addresses are looked for, too. */
  addresses: boolean;
  /** Of the personal forms: at least one of CATEGORIES. */
  categories: Category[];
  /** Of the personal forms: records without their metadata. */
  bare: boolean;
};

/** The forms that people read. */
export const FORMS = ['markdown', 'obsidian', 'html', 'csv', 'personal', 'personal-markdown'] as const;

/** The categories of the Personal Memory Specification. */
export const CATEGORIES = ['conversation', 'work_pattern', 'preference', 'learned_context'] as const;
export type Category = (typeof CATEGORIES)[number];

export const plainExport: Choice = {
  conversations: false, attachments: false, embeddings: false, incremental: false, base: '',
  types: [], statuses: [], tags: [], platforms: [], only: [], entity: '', stripIds: false, withoutTitles: false, redact: undefined, keep: [], protect: false, passphrase: '', again: '', format: '', version: '1', form: 'json', addresses: false, categories: [...CATEGORIES], bare: false,
};

/** whole tells whether conversations leave as they are. */
export function whole(choice: Choice): boolean {
  if (choice.entity !== '' || choice.format === 'mif') return false;
  return personal(choice) ? choice.categories.includes('conversation') : choice.conversations;
}

/** The lists that narrow which memories leave. */
export const NARROWINGS = ['types', 'statuses', 'platforms', 'tags'] as const;
export type Narrowing = (typeof NARROWINGS)[number];

/** narrowed says how many choices were made about which memories leave. */
export function narrowed(choice: Choice): number {
  return NARROWINGS.reduce((sum, name) => sum + choice[name].length, choice.only.length > 0 ? 1 : 0);
}

/** toggled is a list with a name put in, or taken out where it was in. */
export function toggled(list: readonly string[], name: string): string[] {
  return list.includes(name) ? list.filter((other) => other !== name) : [...list, name];
}

// Short passphrases of a file that anyone may carry away are guessed offline.
export const MIN_PASSPHRASE = 8;

export type Obstacle = 'passphrase-short' | 'passphrase-differs' | 'nothing';

/** obstacle says why the export cannot start, undefined when it can. */
export function obstacle(choice: Choice, preview: ExportPreviewView | undefined): Obstacle | undefined {
  if (preview && preview.memories === 0 && !(whole(choice) && preview.conversations > 0)) return 'nothing';
  if (!choice.protect) return undefined;
  if (Array.from(choice.passphrase).length < MIN_PASSPHRASE) return 'passphrase-short';
  return choice.passphrase === choice.again ? undefined : 'passphrase-differs';
}

/** redacts says whether what is found is hidden: by default for somebody else and for other tools. */
export function redacts(choice: Choice): boolean {
  return choice.redact ?? (choice.entity !== '' || choice.format === 'mif');
}

/** personal says whether it is one of the forms that have categories. */
export function personal(choice: Choice): boolean {
  return choice.format === 'personal' || choice.format === 'personal-markdown';
}

/** optionsOf is the choice as the vault understands it; attachments only go with conversations, and these to nobody else. */
export function optionsOf(choice: Choice): ExportOptionsView {
  const pam = choice.format === '';
  const conversations = whole(choice);
  return {
    unsigned: false,
    includeConversations: conversations,
    includeAttachments: pam && conversations && choice.attachments && !redacts(choice),
    includeEmbeddings: choice.embeddings,
    statuses: choice.statuses,
    types: choice.types,
    tags: choice.tags,
    platforms: choice.platforms,
    conversations: choice.only,
    incremental: choice.incremental && pam,
    base: choice.incremental && pam ? choice.base : '',
    for: choice.entity,
    stripIds: choice.stripIds,
    withoutTitles: pam && !conversations && choice.withoutTitles,
    redact: choice.redact === undefined ? '' : choice.redact ? 'on' : 'off',
    keep: choice.keep,
    addresses: choice.addresses,
    language: locale.language === 'pt-BR' ? 'pt-BR' : 'en',
    passphrase: choice.protect ? choice.passphrase : '',
    format: choice.format,
    version: choice.version,
    form: choice.form,
    categories: personal(choice) && choice.categories.length < CATEGORIES.length ? choice.categories : [],
    bare: choice.bare,
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
