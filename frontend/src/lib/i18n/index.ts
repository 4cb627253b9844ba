export { faultText, type FaultText } from './faults';
export { findingText } from './findings';
export { phrase } from './phrase';
export * from './format';
export type { Key, Params } from './keys';
export { known, LANGUAGES, locale, resolve, speak, t, type Language } from './locale.svelte';
export { holds } from './holds';
