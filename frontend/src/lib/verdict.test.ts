import { describe, expect, it } from 'vitest';
import type { VerifyView } from './backend';
import { sayingOf, sealOf, signOf, toneOf, verdictOf, VERDICTS } from './verdict';

describe('verdicts', () => {
  it('keeps the wax for what the owner signed', () =>
    expect(VERDICTS.filter((v) => sealOf(v) === 'whole')).toEqual(['own']));
  it('never takes an unknown word for a good one', () => {
    expect(verdictOf({ verdict: 'splendid' })).toBe('uncheckable');
    expect(toneOf(verdictOf({ verdict: '' }))).toBe('plain');
  });
  it('claims no sum for a file whose checksum fits nothing', () => {
    const view = (...checks: string[]) => ({ verdict: 'unsigned', document: { warnings: checks.map((check) => ({ check })) } }) as VerifyView;
    expect(sayingOf(view('count'))).toBe('unsigned');
    expect(sayingOf(view('count', 'checksum'))).toBe('unsummed');
  });
  it('stops at who it says it is from before what the schema says', () => {
    const view = (verdict: string, claims: string) => ({ verdict, claims, problems: [{ check: 'schema' }] }) as VerifyView;
    expect(sayingOf(view('invalid', ''))).toBe('invalid');
    expect(sayingOf(view('invalid', 'known'))).toBe('claims');
    expect(sayingOf(view('invalid-unsigned', 'known'))).toBe('claims-unsigned');
    expect(sayingOf(view('invalid', 'own'))).toBe('invalid');
    expect(toneOf(sayingOf(view('invalid', '')))).toBe('bad');
  });
  it('shows what is broken as bad', () => expect(toneOf(verdictOf({ verdict: 'broken' }))).toBe('bad'));
  it('shows what the owner signed as good, with the sign of it (window finding 9)', () => {
    expect((['own', 'retired', 'known'] as const).map(toneOf)).toEqual(['ok', 'ok', 'ok']);
    expect([signOf('ok'), signOf('bad'), signOf('warn')]).toEqual(['shield-check', 'shield-x', 'shield-question']);
  });
});
