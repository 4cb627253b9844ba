import type { bridge } from '../../../wailsjs/go/models';

export type ClientChangeView = bridge.ClientChangeView;
export type ClientFileView = bridge.ClientFileView;
export type ClientPlanView = bridge.ClientPlanView;
export type ClientView = bridge.ClientView;

/** ClientsMethods is what a page may do with the settings of assistants on this computer. */
export type ClientsMethods = {
  List(): Promise<ClientView[]>;
  /** Nothing is written yet; without a token there is nothing to write. */
  PlanConnect(id: string): Promise<ClientPlanView>;
  PlanDisconnect(id: string): Promise<ClientPlanView>;
  PlanStopHooks(id: string): Promise<ClientPlanView>;
  /** Carries out the change that was shown last. */
  Write(token: string): Promise<ClientChangeView[]>;
  /** What to put in by hand: of one that is known, or, for '', of another under a name. */
  Snippet(id: string, name: string): Promise<string>;
  SaveBundle(): Promise<bridge.SavedView>;
};
