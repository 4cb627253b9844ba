import { describe, expect, it } from 'vitest';
import type { VerifyView } from './backend';
import { sayingOf, toneOf, verdictOf, VERDICTS } from './verdict';

describe('verdicts', () => {
  it('keeps the wax for what the owner signed', () =>
    expect(VERDICTS.filter((v) => toneOf(v) === 'seal')).toEqual(['own']));
  it('never takes an unknown word for a good one', () => {
    expect(verdictOf({ verdict: 'splendid' })).toBe('uncheckable');
    expect(toneOf(verdictOf({ verdict: '' }))).toBe('plain');
  });
  it('claims no sum for a file whose checksum fits nothing', () => {
    const view = (...checks: string[]) => ({ verdict: 'unsigned', document: { warnings: checks.map((check) => ({ check })) } }) as VerifyView;
    expect(sayingOf(view('count'))).toBe('unsigned');
    expect(sayingOf(view('count', 'checksum'))).toBe('unsummed');
  });
  it('shows what is broken as bad', () => expect(toneOf(verdictOf({ verdict: 'broken' }))).toBe('bad'));
});
