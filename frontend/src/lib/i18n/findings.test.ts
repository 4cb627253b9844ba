import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import findings from './findings.pt-BR.json';
import { findingText } from './findings';
import { phrase } from './phrase';
import { speak } from './locale.svelte';

// Every sentence of a check is a literal in the source of Go: in the rules of
// the formats, in the room of the schemas, and where a text is refused as JSON.

const root = join(dirname(fileURLToPath(import.meta.url)), '../../../..');
const translated: Record<string, string> = findings;
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const literals = (source: string) => [...source.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([literal]) => JSON.parse(literal) as string);
const between = (source: string, from: string, to: string) => source.slice(source.indexOf(from)).split(to)[0] ?? '';

function said(): string[] {
  const rules = [...read('backend/format/pam/rules.go').matchAll(/rule\{"[a-z0-9-]+", ("(?:[^"\\]|\\.)*"), ("(?:[^"\\]|\\.)*")\}/g)].flatMap((rule) => literals(rule.slice(1).join()));
  const schema = read('backend/schema/schema.go');
  const sentences = [...between(schema, 'var sentences', '\n}\n').matchAll(/\{("(?:[^"\\]|\\.)*"), ("(?:[^"\\]|\\.)*")\}/g)].flatMap((rule) => literals(rule.slice(1).join()));
  const kinds = literals(between(schema, 'func kindOf', '\n}\n')).map((text) => text.replace(/%[dv]/, '{n}'));
  const strict = read('backend/format/pam/strict.go');
  const reasons = ['func Mistake', 'func reasonOf'].flatMap((name) => [...between(strict, name, '\n}\n').matchAll(/return ("[^"]+")/g)]).flatMap((line) => literals(line[1] ?? ''));
  const found = readdirSync(join(root, 'backend/format/pam')).filter((file) => file.endsWith('.go') && !file.endsWith('_test.go'))
    .flatMap((file) => [...read(`backend/format/pam/${file}`).matchAll(/\bv\.(?:breaks|doubts|check|advise)\(.*, ("[a-zA-Z ]+")\)/g)].flatMap((line) => literals(line[1] ?? '')));
  const mif = [...read('backend/format/mif/validate.go').matchAll(/Finding\{(?:Check: )?"[a-z-]+", (.*)\}\)/g)].flatMap((finding) => literals(finding[1] ?? '')).filter((text) => text.includes(' ')).map((text) => text.replace(/^ /, '{n} '));
  const types = ['memory-store', 'conversation', 'embeddings'].flatMap((name) => {
    const file = name === 'memory-store' ? 'portable-ai-memory.schema.json' : `portable-ai-memory-${name}.schema.json`;
    return [...read(`schemas/${file}`).matchAll(/"type":\s*\[([^\]]*)\]/g)].map((list) => literals(list[1] ?? '').join(' or '));
  });
  return [...new Set([...rules, ...sentences, ...kinds, ...reasons, ...found, ...mif, ...types, 'nothing'])].filter((text) => !['', 'null', 'JSON', '1', '1.0'].includes(text));
}

describe('findings in Portuguese', () => {
  afterEach(() => speak('en'));

  it('are read from the source', () => expect(said().length).toBeGreaterThan(120));

  it('cover every sentence of a check', () => expect(said().filter((text) => !(text in translated))).toEqual([]));

  it('hold no sentence that is gone', () => {
    const words = ['object or null', 'integer', 'number', 'object', 'array', 'boolean', 'what is not JSON', 'breaks a rule of the schema', 'cannot be read', 'an id of its own'];
    expect(Object.keys(translated).filter((text) => !said().includes(text) && !words.includes(text))).toEqual([]);
  });

  it('stand on the page as they are said, and ids as they are', async () => {
    const finding = { check: 'schema', path: '/a', message: 'is empty', expected: 'at least one character', found: 'a string of length 0' };
    expect(findingText(finding)).toBe('is empty');
    await speak('pt-BR');
    expect(findingText(finding)).toBe('está vazio');
    expect(phrase(finding.found)).toBe('um texto de 0 caracteres');
    expect(phrase('the number -2.5e+30')).toBe('o número -2.5e+30');
    expect(phrase('mem-0001')).toBe('mem-0001');
  });

  it('tell a file that could not be looked at in its own words', async () => {
    await speak('pt-BR');
    const fault = { code: 'invalid', reason: 'no-key', message: 'No key was given.', hint: '', args: {} };
    expect(findingText({ check: 'document', path: '', message: fault.message, expected: '', found: '', fault })).toBe('Nenhuma chave foi dada.');
  });
});
