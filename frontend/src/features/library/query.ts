import { allMemories, type QueryView } from '../../lib/backend';

/** What the person chose to see. Empty lists mean everything. */
export type Query = {
  text: string;
  types: string[];
  statuses: string[];
  platforms: string[];
  accounts: string[];
  tags: string[];
  projects: string[];
  years: string[];
  confidence: string[];
  related: boolean;
  sort: Sort;
};

export const SORTS = ['-created', 'created', '-updated', '-confidence', 'confidence', 'type', 'platform'] as const;
export type Sort = (typeof SORTS)[number];

/** The facets that hold lists of names. */
export const FACETS = ['types', 'statuses', 'platforms', 'accounts', 'projects', 'years', 'confidence', 'tags'] as const;
export type Facet = (typeof FACETS)[number];

export const everything: Query = { text: '', types: [], statuses: [], platforms: [], accounts: [], tags: [], projects: [], years: [], confidence: [], related: false, sort: '-created' };

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
    ...allMemories,
    text: query.text.trim(),
    types: query.types,
    statuses: query.statuses,
    platforms: query.platforms,
    accounts: query.accounts,
    tags: query.tags,
    projects: query.projects,
    years: query.years.map(Number),
    confidence: query.confidence,
    hasRelations: query.related,
    sort: query.sort,
    offset,
    limit,
  };
}

/** queryOf is the other way round: what a kept view chooses. */
export function queryOf(kept: QueryView): Query {
  const { text, types, statuses, platforms, accounts, tags, projects, confidence } = kept;
  return { text, types, statuses, platforms, accounts, tags, projects, years: kept.years.map(String), confidence, related: kept.hasRelations, sort: SORTS.find((sort) => sort === kept.sort) ?? everything.sort };
}

/** key is the same for queries that select the same rows in the same order. */
export function key(query: Query): string {
  return JSON.stringify(view(query, 0, 0));
}
