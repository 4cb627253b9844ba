import type { QueryView } from './types';

/** allMemories selects every memory, the newest first. */
export const allMemories: QueryView = {
  text: '', types: [], statuses: [], platforms: [], accounts: [], tags: [], projects: [], years: [], confidence: [],
  conversation: '', hasRelations: false, since: '', until: '', sort: '', offset: 0, limit: 0,
};
