import { describe, expect, it } from 'vitest';
import { toneOf, verdictOf, VERDICTS } from './verdict';

describe('verdicts', () => {
  it('keeps the wax for what the owner signed', () =>
    expect(VERDICTS.filter((v) => toneOf(v) === 'seal')).toEqual(['own']));
  it('never takes an unknown word for a good one', () => {
    expect(verdictOf({ verdict: 'splendid' })).toBe('uncheckable');
    expect(toneOf(verdictOf({ verdict: '' }))).toBe('plain');
  });
  it('shows what is broken as bad', () => expect(toneOf(verdictOf({ verdict: 'broken' }))).toBe('bad'));
});
