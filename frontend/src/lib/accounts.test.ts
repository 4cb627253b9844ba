import { afterEach, describe, expect, it } from 'vitest';
import { accounts } from './accounts.svelte';

afterEach(() => {
  accounts.value = undefined;
});

describe('window finding 8: accounts go by the name that the plan had for them', () => {
  it('is the name of the export, and of two alike the platform too', () => {
    accounts.set([
      { id: 'user-AbCdEfGhIjKl', platform: 'chatgpt', name: 'ana@example.org' },
      { id: '184283b5-25b8-4b58-868c-52b04cf2fbf5', platform: 'claude', name: 'Ana Souza <ana@example.org>' },
      { id: '104857600123', platform: 'grok', name: 'Ana Souza <ana@example.org>' },
    ]);
    expect(accounts.labelOf('user-AbCdEfGhIjKl')).toBe('ana@example.org');
    expect(accounts.labelOf('184283b5-25b8-4b58-868c-52b04cf2fbf5')).toBe('Ana Souza <ana@example.org> (Claude)');
    expect(accounts.nameOf('work')).toBe('work');
  });

  it('never shows a number that a service gave as if it were a name', () => {
    expect(['user-AbCdEfGhIjKl', 'user-62f49e252583b692'].map((id) => accounts.nameOf(id))).toEqual(['', '']);
    expect(accounts.labelOf('user-AbCdEfGhIjKl')).toBe('not named (…IjKl)');
  });
});
