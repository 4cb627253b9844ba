import { describe, expect, it } from 'vitest';
import { filterOf, isOfLast, lackOf } from './unfinished';

describe('what is not typed to its end', () => {
  it.each([
    ['', ''], ['t', 'letter'], ['tea', ''], ['tea c', 'letter'], ['tea c ', ''], ['-c', 'letter'], ['c*', 'letter'], ['-', 'letter'], ['(', 'letter'], ['茶', ''], ['🍵', ''], ['é', 'letter'],
    ['"', 'quote'], ['tea "', 'quote'], ['""', 'quote'], ['"loose', ''], ['"loose l', 'letter'], ['"c"', ''], ['“', 'quote'], ['"loose leaf" ', ''], ['"loose leaf" t', 'letter'],
    ['type:', 'filter'], ['tea tag: ', 'filter'], ['tag:"', 'filter'], ['type:g', ''], ['note:', ''], ['Since:', 'filter'],
  ])('%s', (text, lack) => expect(lackOf(text)).toBe(lack));

  it('names the filter at the end', () => {
    expect(filterOf('tea -Tag:')).toBe('tag');
    expect(filterOf('tag:"a b')).toBe('tag');
    expect(filterOf('tag:x tea')).toBe('');
  });

  it('tells a refusal of the last word from one of an earlier word', () => {
    const refused = (reason: string, field = '') => ({ code: 'invalid', reason, message: '', hint: '', args: { field } });
    expect(isOfLast('tea since:2026-0', refused('search-date', 'since'), '')).toBe(true);
    expect(isOfLast('since:soon tea', refused('search-date', 'since'), '')).toBe(false);
    expect(isOfLast('since:soon until:2026-0', refused('search-date', 'since'), '')).toBe(false);
    expect(isOfLast('since:soon ', refused('search-date', 'since'), '')).toBe(false);
    expect(isOfLast('type:goal -type:fa', refused('search-value', 'type'), 'type:goal')).toBe(true);
    expect(isOfLast('type:goa -type:fa', refused('search-value', 'type'), '')).toBe(false);
    expect(isOfLast('tea c*', refused('search-prefix-short'), '')).toBe(true);
    expect(isOfLast('c* tea', refused('search-prefix-short'), '')).toBe(false);
    expect(isOfLast('tea', refused('search-too-long'), '')).toBe(false);
  });
});
