import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import faults from './faults.pt-BR.json';

// Every fault a person can meet is a literal in the source of Go, or of the page.

type Fault = { reason: string; text: string; hint: string; at: string };

const root = join(dirname(fileURLToPath(import.meta.url)), '../../../..');
const translated: Record<string, { text: string; hint: string }> = faults;

const text = String.raw`("(?:[^"\\]|\\.)*"|` + '`[^`]*`)';
const made = new RegExp(String.raw`\bNew\(\s*[\w.]+,\s*${text},\s*${text}\s*\)`, 'g');
const chained = new RegExp(String.raw`^(?:\s*\.\s*(?:With|Because)\((?:[^()"]|"(?:[^"\\]|\\.)*"|\((?:[^()]|\([^()]*\))*\))*\))*\s*\.\s*Advise\(\s*${text}\s*\)`);

function goFaults(): Fault[] {
  const found: Fault[] = [];
  for (const folder of ['backend', 'app']) {
    const files = readdirSync(join(root, folder), { recursive: true, withFileTypes: true });
    for (const file of files) {
      if (!file.isFile() || !file.name.endsWith('.go') || file.name.endsWith('_test.go')) continue;
      const at = join(file.parentPath, file.name);
      const source = readFileSync(at, 'utf8');
      for (const match of source.matchAll(made)) {
        const hint = chained.exec(source.slice(match.index + match[0].length))?.[1];
        found.push({ reason: unquote(match[1] ?? ''), text: unquote(match[2] ?? ''), hint: hint ? unquote(hint) : '', at });
      }
    }
  }
  return found;
}

function pageFaults(): Fault[] {
  const at = join(dirname(fileURLToPath(import.meta.url)), '../backend/fault.ts');
  const entries = readFileSync(at, 'utf8').matchAll(/reason: '([^']+)',\s*message: '([^']+)',\s*hint: '([^']*)'/g);
  return [...entries].map(([, reason = '', message = '', hint = '']) => ({ reason, text: message, hint, at }));
}

function unquote(literal: string): string {
  return literal.startsWith('`') ? literal.slice(1, -1) : (JSON.parse(literal) as string);
}

const places = (said: string) => [...new Set(said.match(/\{\w+\}/g) ?? [])].sort();

describe('faults in Portuguese', () => {
  const all = [...goFaults(), ...pageFaults()];

  it('are read from the source', () => {
    expect(existsSync(join(root, 'backend'))).toBe(true);
    expect(all.length).toBeGreaterThan(60);
  });

  it('cover every reason', () => {
    expect([...new Set(all.map((f) => f.reason))].filter((reason) => !(reason in translated)).sort()).toEqual([]);
  });

  it('hold no reason that is gone', () => {
    const reasons = new Set(all.map((f) => f.reason));
    expect(Object.keys(translated).filter((reason) => !reasons.has(reason))).toEqual([]);
  });

  it('find one sentence for one reason, wherever it is said', () => {
    const sentences = new Map<string, Set<string>>();
    for (const { reason, text } of all) sentences.set(reason, (sentences.get(reason) ?? new Set()).add(text));
    expect([...sentences].filter(([, said]) => said.size > 1).map(([reason]) => reason)).toEqual([]);
  });

  it.each(all)('$reason says all that the English says', (fault) => {
    const said = translated[fault.reason];
    expect(places(said?.text ?? '').filter((place) => !places(fault.text).includes(place))).toEqual([]);
    expect(places(fault.text).filter((place) => !places(said?.text ?? '').includes(place))).toEqual([]);
    expect(said?.hint === '').toBe(all.every((f) => f.reason !== fault.reason || f.hint === ''));
  });
});
