import { backend, faultOf, type FaultView, type PreferencesView } from './backend';
import { resolve, speak } from './i18n';

export const THEMES = ['system', 'light', 'dark'] as const;
/** Minutes without a sign of anybody after which the vault locks; 0 is never. */
export const AUTO_LOCK = [1, 5, 10, 30, 60, 0] as const;
export type Theme = (typeof THEMES)[number];

class Preferences {
  view = $state.raw<PreferencesView>({ language: '', theme: 'system', systemTheme: '', autoLock: 10, alwaysProtect: false });
  fault = $state.raw<FaultView | undefined>(undefined);

  /** start reads what was chosen, makes the page so, and follows the system from then on. */
  async start(): Promise<void> {
    try {
      this.view = await backend.Settings.Get();
    } catch (error) {
      this.fault = faultOf(error);
    }
    await this.apply();
    backend.on('theme', ({ systemTheme }) => {
      this.view = { ...this.view, systemTheme };
      void this.apply();
    });
  }

  /** choose changes one thing at once and keeps it. */
  async choose(change: Partial<PreferencesView>): Promise<void> {
    this.view = { ...this.view, ...change };
    await this.apply();
    try {
      await backend.Settings.Save(this.view);
      this.fault = undefined;
    } catch (error) {
      this.fault = faultOf(error);
    }
  }

  private async apply(): Promise<void> {
    const theme = this.view.theme === 'system' ? this.view.systemTheme : this.view.theme;
    if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
    else delete document.documentElement.dataset.theme;
    await speak(resolve(this.view.language, navigator.languages));
  }
}

export const preferences = new Preferences();
