/** Secret is what opens a vault: one of the two, the other is ''. */
export type Secret = { passphrase: string; recovery: string };
