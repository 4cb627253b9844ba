/** Gone is what is left to be said of a destroyed vault. */
export type Gone = { receipt: string; savedAs: string };

/** Farewell keeps the page from turning to Welcome before the last word is read. */
class Farewell {
  /** A vault is being destroyed, or was and the receipt is still shown. */
  held = $state(false);
  gone = $state.raw<Gone | undefined>(undefined);

  begin(): void {
    this.held = true;
  }

  say(gone: Gone): void {
    this.gone = gone;
  }

  giveUp(): void {
    this.held = false;
  }

  end(): void {
    this.held = false;
    this.gone = undefined;
  }
}

export const farewell = new Farewell();
