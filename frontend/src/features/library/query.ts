import type { QueryView } from '../../lib/backend';

/** What the person chose to see. Empty lists mean everything. */
export type Query = {
  text: string;
  types: string[];
  statuses: string[];
  platforms: string[];
  accounts: string[];
  tags: string[];
  related: boolean;
  sort: Sort;
};

export const SORTS = ['-created', 'created', '-updated', '-confidence', 'type', 'platform'] as const;
export type Sort = (typeof SORTS)[number];

/** The facets that hold lists of names. */
export type Facet = 'types' | 'statuses' | 'platforms' | 'accounts' | 'tags';
export const FACETS: Facet[] = ['types', 'statuses', 'platforms', 'accounts', 'tags'];

export const everything: Query = { text: '', types: [], statuses: [], platforms: [], accounts: [], tags: [], related: false, sort: '-created' };

/** toggle adds name to a facet, or takes it out. */
export function toggle(query: Query, facet: Facet, name: string): Query {
  const now = query[facet];
  return { ...query, [facet]: now.includes(name) ? now.filter((n) => n !== name) : [...now, name] };
}

/** clear forgets every facet and the search, and keeps the order. */
export function clear(query: Query): Query {
  return { ...everything, sort: query.sort };
}

/** narrowed tells whether anything is left out. */
export function narrowed(query: Query): boolean {
  return query.text.trim() !== '' || query.related || FACETS.some((f) => query[f].length > 0);
}

/** view is the query as the vault understands it, for one window of rows. */
export function view(query: Query, offset: number, limit: number): QueryView {
  return {
    text: query.text.trim(),
    types: query.types,
    statuses: query.statuses,
    platforms: query.platforms,
    accounts: query.accounts,
    tags: query.tags,
    conversation: '',
    hasRelations: query.related,
    since: '',
    until: '',
    sort: query.sort,
    offset,
    limit,
  };
}

/** queryOf is the other way round: what a kept view chooses. */
export function queryOf(kept: QueryView): Query {
  const { text, types, statuses, platforms, accounts, tags } = kept;
  return { text, types, statuses, platforms, accounts, tags, related: kept.hasRelations, sort: SORTS.find((sort) => sort === kept.sort) ?? everything.sort };
}

/** key is the same for queries that select the same rows in the same order. */
export function key(query: Query): string {
  return JSON.stringify(view(query, 0, 0));
}
