import type { FaultView, FoundView, Offer, ProgressView, RotationView } from './types';

// What Go tells the page without being asked (app/bridge/host.go), and what it says then.

/** ImportDoneView ends a job; importId is "" when it failed. */
export interface ImportDoneView {
  job: string;
  importId: string;
  problem?: FaultView;
}

/** RekeyView is how far a re-key is, in sealed values. */
export interface RekeyView {
  done: number;
  total: number;
}

/** FoundSoFarView is what a search that goes on has found by now. */
export interface FoundSoFarView {
  asker: string;
  run: number;
  found: FoundView;
}

/** LookView is how many bytes of what is planned were looked at. */
export type LookView = CareProgressView;

/** CareProgressView is how far a check of the vault is. */
export interface CareProgressView {
  done: number;
  total: number;
}

/** UploadView is how far the browser is with handing a file over. */
export interface UploadView {
  name: string;
  sent: number;
  total: number;
}

/** Events are what Go tells without being asked; "upload" is the page's own. */
export interface Events {
  progress: ProgressView;
  'import-done': ImportDoneView;
  look: LookView;
  vault: { unlocked: boolean };
  /** Why the vault waits to be locked until an import has ended; '' when it does not. */
  locking: { reason: string };
  library: Record<string, never>;
  /** More can be found than before. */
  search: Record<string, never>;
  /** Some of what is looked for was found. */
  found: FoundSoFarView;
  offers: { offers: Offer[] };
  keys: RotationView;
  /** An agent asked, or was answered or refused. */
  agents: Record<string, never>;
  rekey: RekeyView;
  /** How far a check is. */
  care: CareProgressView;
  upload: UploadView;
  /** What the theme of the system has become, where the page cannot see it. */
  theme: { systemTheme: string };
  /** A command of the palette, chosen in the menu bar of a window. */
  menu: { command: string };
}
export type EventName = keyof Events;
