/** sameWord compares what was typed to confirm with the word that was asked for. */
export function sameWord(typed: string, word: string): boolean {
  return typed.trim().toLocaleLowerCase() === word.toLocaleLowerCase();
}
