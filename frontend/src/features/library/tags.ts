// Tags are lower-case words (PAM §4): ^[a-z0-9][a-z0-9_-]*$.

/** tagFrom makes a tag of what was typed, '' when nothing of it can be one. */
export function tagFrom(typed: string): string {
  return typed
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/^[-_]+|-+$/g, '');
}

/** withTag adds what was typed; a tag that is there already stays once. */
export function withTag(tags: readonly string[], typed: string): string[] {
  const tag = tagFrom(typed);
  return tag === '' || tags.includes(tag) ? [...tags] : [...tags, tag];
}
