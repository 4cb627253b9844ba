export { faultText, type FaultText } from './faults';
export { findingText, phrase } from './findings';
export * from './format';
export type { Key, Params } from './keys';
export { known, LANGUAGES, locale, resolve, speak, t, type Language } from './locale.svelte';
export { holds } from './holds';
