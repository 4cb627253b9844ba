import type { bridge } from '../../../wailsjs/go/models';

export type PortraitView = bridge.PortraitView;
export type PortraitPartView = bridge.PortraitPartView;
export type SentenceView = bridge.SentenceView;
export type PortraitNewsView = bridge.PortraitNewsView;
export type PortraitDeletionsView = bridge.PortraitDeletionsView;
export type PortraitListView = bridge.PortraitListView;
export type SplittingView = bridge.SplittingView;
export type StatementsView = bridge.StatementsView;
export type StatementView = bridge.StatementView;

/** PortraitMethods reads the portrait, and takes what the person says of its sentences. */
export type PortraitMethods = {
  /** The first sentences of each chapter. */
  Read(): Promise<PortraitView>;
  /** At most 200 sentences of a chapter, after the first of them. */
  Chapter(name: string, offset: number): Promise<PortraitPartView>;
  Confirm(ids: string[]): Promise<number>;
  Retract(ids: string[]): Promise<number>;
  /** since is a time, '' where it is unknown; instead is what holds now, '' for nothing. */
  End(id: string, since: string, instead: string): Promise<void>;
  /** stays: they leave in nothing. */
  Keep(ids: string[], stays: boolean): Promise<number>;
  /** '' lets the program choose the chapter again. */
  Move(ids: string[], chapter: string): Promise<number>;
  /** The facts that an active memory may be split into. */
  PlanSplit(id: string): Promise<SplittingView>;
  /** How many memories were made of it. */
  Split(id: string, facts: string[]): Promise<number>;
  /** What newest exports say that those before did not: the first of each list, or 200 of one. */
  News(of: PortraitListView): Promise<PortraitNewsView[]>;
  /** What to ask assistants to forget. */
  ToDelete(of: PortraitListView): Promise<PortraitDeletionsView[]>;
  Asked(platform: string, ids: string[]): Promise<number>;
};
