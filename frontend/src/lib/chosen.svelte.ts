/** ChosenCommand is something that can be done with what is chosen on a screen. */
export type ChosenCommand = { id: string; text: string; keys: string; act: () => void };

// The screen that has memories to choose says what can be done with the chosen ones;
// the palette offers it from anywhere.
class Chosen {
  /** What is chosen: the words of one memory, or how many are marked. */
  said = $state('');
  commands = $state.raw<readonly ChosenCommand[]>([]);

  offer(said: string, commands: readonly ChosenCommand[]): void {
    this.said = said;
    this.commands = commands;
  }

  clear(): void {
    this.offer('', []);
  }
}

export const chosen = new Chosen();
