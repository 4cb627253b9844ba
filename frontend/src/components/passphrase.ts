/** LEAST is what the vault itself demands (seal.MinPassphrase), in characters. */
export const LEAST = 8;

/** short tells whether the vault would refuse a passphrase. */
export function short(passphrase: string): boolean {
  return [...passphrase].length < LEAST;
}
