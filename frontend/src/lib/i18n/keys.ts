import type en from './en.json';

// What a key may be, from the English file alone. Plurals stand in it as
// "key.one" and "key.other" and are asked for as "key".

type Written = keyof typeof en;
type Category = 'zero' | 'one' | 'two' | 'few' | 'many' | 'other';
type Base<K> = K extends `${infer B}.${Category}` ? B : K;

/** Key names one text. */
export type Key = Base<Written>;

type Prefix<K extends string> = K extends `${infer Head}.${infer Tail}` ? `${Head}.` | `${Head}.${Prefix<Tail>}` : never;

// A key put together from data ("status.${name}") must at least begin as a
// written one does; a key known here must be written.
type IsPattern<K extends string> = Record<never, never> extends Record<K, 1> ? true : false;
export type Checked<K extends string> =
  IsPattern<K> extends true ? (K extends `${Prefix<Written>}${string}` ? K : never) : K extends Key ? K : never;

/** Params fill the {places} of a text. Numbers are written as the language does. */
export type Params = Record<string, string | number>;
