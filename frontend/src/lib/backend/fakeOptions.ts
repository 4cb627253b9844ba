import type { DraftView, FaultView, PreferencesView, Shell } from './types';

/** FakeOptions choose where the fake begins; a page takes them from its address. */
export type FakeOptions = {
  vault?: 'none' | 'locked' | 'open' | 'sample';
  shell?: Shell;
  size?: number;
  circles?: number; // so many
  /** So many agents that were answered, 3 unless said. */
  agents?: number;
  /** So many that wait for an answer. */
  waiting?: number;
  /** Milliseconds a fake import takes; 0 ends it at once. */
  importMs?: number;
  passphrase?: string;
  damaged?: boolean;
  /** Records that the search has not indexed yet. */
  missing?: number;
  /** The computer runs on its battery. */
  onBattery?: boolean;
  compares?: boolean; // texts by meaning; false where the program has no model
  comparingFails?: FaultView;
  preferences?: PreferencesView;
  drafts?: DraftView[];
  news?: boolean; // exports differ, and something is to be deleted at an assistant
  brokenOff?: boolean; // an import did, and nobody was told
};
