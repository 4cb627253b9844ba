import en from './en.json';
import { pseudo } from './pseudo';
import type { Checked, Params } from './keys';

/** The languages of the page. */
export const LANGUAGES = ['en', 'pt-BR'] as const;
export type Language = (typeof LANGUAGES)[number];
/** Shown is a language, or the one that only tests and designers see. */
export type Shown = Language | 'pseudo';

type Messages = Record<string, string>;
const english: Messages = en;

class Locale {
  language = $state<Shown>('en');
  messages = $state.raw<Messages>(english);
  faults = $state.raw<Record<string, { text: string; hint: string }>>({});
  /** What the checks of a file say, by their English sentence. */
  findings = $state.raw<Messages>({});
  /** What Intl formats with: the person's own English, or the language itself. */
  tag = $state('en');

  plurals = $derived(new Intl.PluralRules(this.tag));
  numbers = $derived(new Intl.NumberFormat(this.tag));
}

export const locale = new Locale();

/** resolve picks the language: what was chosen, or the first that fits the system. */
export function resolve(chosen: string, system: readonly string[]): Shown {
  if (chosen === 'pseudo') return chosen;
  const known = LANGUAGES.find((l) => l === chosen);
  if (known) return known;
  const first = system.find((l) => /^(en|pt)\b/i.test(l));
  return first && /^pt\b/i.test(first) ? 'pt-BR' : 'en';
}

/** speak changes the language of everything on the page. */
export async function speak(language: Shown): Promise<void> {
  const [messages, faults, findings] = await load(language);
  locale.messages = messages;
  locale.faults = faults;
  locale.findings = findings;
  locale.language = language;
  locale.tag = tagFor(language);
  document.documentElement.lang = language === 'pseudo' ? 'en' : language;
}

async function load(language: Shown): Promise<[Messages, Record<string, { text: string; hint: string }>, Messages]> {
  if (language !== 'pt-BR') return [english, {}, {}];
  const [messages, faults, findings] = await Promise.all([import('./pt-BR.json'), import('./faults.pt-BR.json'), import('./findings.pt-BR.json')]);
  return [messages.default, faults.default, findings.default];
}

// English is written in many places; dates should look as they do at home.
function tagFor(language: Shown): string {
  if (language === 'pt-BR') return 'pt-BR';
  return navigator.languages.find((l) => /^en\b/i.test(l)) ?? 'en';
}

/** t is a text of the page, with its places filled. {count} chooses the plural. */
export function t<const K extends string>(key: K & Checked<K>, params: Params = {}): string {
  return say(key, params);
}

function say(key: string, params: Params): string {
  const text = find(key, params) ?? english[key] ?? key.slice(key.lastIndexOf('.') + 1);
  const filled = fill(text, params);
  return locale.language === 'pseudo' ? pseudo(filled) : filled;
}

function find(key: string, params: Params): string | undefined {
  const { count } = params;
  if (typeof count !== 'number') return locale.messages[key];
  // Nobody here says "0 memória", whatever the rules of the language allow.
  const plural = locale.messages[`${key}.${count === 0 ? 'other' : locale.plurals.select(count)}`];
  return plural ?? locale.messages[`${key}.other`] ?? locale.messages[key];
}

/** fill puts values into the {places} of a text; an unknown place stays. */
export function fill(text: string, params: Params): string {
  return text.replace(/\{(\w+)\}/g, (place, name: string) => {
    const value = params[name];
    if (value === undefined) return place;
    return typeof value === 'number' ? locale.numbers.format(value) : value;
  });
}

/** known tells whether a text of that name is written. */
export function known(key: string): boolean {
  return key in english;
}
