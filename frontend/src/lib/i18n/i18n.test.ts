import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import en from './en.json';
import faults from './faults.pt-BR.json';
import { faultText, formatBytes, formatDay, formatList, formatSeconds, languageName, opaque, relativeTime, resolve, speak, t, typeName } from './index';
import { pseudo } from './pseudo';
import pt from './pt-BR.json';

const english: Record<string, string> = en;
const portuguese: Record<string, string> = pt;
const source = join(dirname(fileURLToPath(import.meta.url)), '../..');

function files(folder: string, end: RegExp): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && end.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
}

const base = (key: string) => key.replace(/\.(zero|one|two|few|many|other)$/, '');
const places = (text: string) => [...new Set(text.match(/\{\w+\}/g) ?? [])].sort();

const code = files(source, /\.(svelte|ts)$/)
  .filter((path) => !path.endsWith('.test.ts'))
  .map((path) => readFileSync(path, 'utf8'))
  .join('\n');

afterEach(() => speak('en'));

describe('texts', () => {
  it('has the same keys in both languages', () => {
    expect(Object.keys(portuguese).sort()).toEqual(Object.keys(english).sort());
  });

  it.each(Object.keys(english))('%s fills the same places and says something', (key) => {
    expect(portuguese[key]?.trim()).not.toBe('');
    expect(places(portuguese[key] ?? '')).toEqual(places(english[key] ?? ''));
  });

  it('knows every literal key that the page asks for', () => {
    const asked = [...code.matchAll(/\bt\(\s*'([^']+)'/g)].map(([, key]) => key ?? '');
    const keys = new Set([...Object.keys(english), ...Object.keys(english).map(base)]);
    expect(asked.length).toBeGreaterThan(100);
    expect(asked.filter((key) => !keys.has(key))).toEqual([]);
  });

  it('has no key that nobody asks for', () => {
    const literal = new Set([...code.matchAll(/['"`]([\w+?,-]+(?:\.[\w+?,-]+)+)['"`]/g)].map(([, key]) => key ?? ''));
    const patterns = [...code.matchAll(/`([\w-]+\.[^`\s]*\$\{[^`]*)`/g)].map(([, text]) => pattern(text ?? ''));
    const unused = Object.keys(english).map(base).filter((key) => !literal.has(key) && !patterns.some((p) => p.test(key)));
    expect([...new Set(unused)]).toEqual([]);
  });

  it.each(Object.keys(english).filter((key) => key.endsWith('.one')))('%s has its other form', (key) => {
    expect(english).toHaveProperty([`${base(key)}.other`]);
  });

  it('speaks without exclamation marks', () => {
    const loud = [...Object.values(english), ...Object.values(portuguese)].filter((text) => text.includes('!'));
    expect(loud).toEqual([]);
  });
});

describe('window finding 16: no jargon where it can be said plainly', () => {
  // Only where a name is asked for by other programs: their formats, and the key for them.
  const technical = new Set(['signers.copy.did', 'shell.export', 'export.title', 'keys.does.mod+e', 'export.pam.note', 'verify.ask.why', 'compare.ask']);

  it.each([['en', english], ['pt-BR', portuguese]])('%s', (_language, texts) => {
    const jargon = /\bPAM\b|did:key|embedding|\bdata key\b|chave de dados|\bdomain\b|domínio|turn round|^goes along$|registered|UTF-16|\bJWK\b/i;
    expect(Object.entries(texts).filter(([key, text]) => jargon.test(text) && !technical.has(key))).toEqual([]);
  });

  it('spells PAM out where it is first met', () => {
    for (const texts of [english, portuguese]) expect(texts['export.pam.note']).toContain('Portable AI Memory');
  });
});

describe('window finding 17: Portuguese has one word for a thing', () => {
  const all = [...Object.values(portuguese), ...Object.values(faults).flatMap(({ text, hint }) => [text, hint])];

  it.each([
    ['criptografado', /\b(de)?cifr(a|ad[oa]s?|ar)\b/i],
    ['selado', /\blacrad/i],
    ['bloqueado', /\b(des)?tran(cad|car|que\b)/i],
    ['situação', /\bestados?\b/i],
    ['não mais verdadeira', /\bretira(d[oa]s?|r)\b/i],
    ['entregar', /\blevad[oa]s? para\b|^Levar$/i],
    ['Sugestões', /caixa de entrada|\bpropostas?\b/i],
    ['senha', /frase secreta/i],
    ['busca', /\bpesquisa(r|d[oa])?\b(?!, YouTube)/i],
    ['alterado', /\bmudaram\b|\bmudanças?\b/i],
    ['visualização', /\bvis(ão|ões)\b/i],
  ])('%s', (_word, refused) => expect(all.filter((text) => refused.test(text))).toEqual([]));

  it('is not written as the English stands', () => {
    const literal = [
      'O cofre cresce o tamanho dele', 'Tudo, em vez disso', 'Deixar', 'Para a biblioteca', 'O que há a fazer', 'A tarefa está por fazer de novo',
      'Nada é novo nem mudou', 'Até onde vai a luz', 'Quanto', 'Manter inteiro', 'O que foi feito', 'Salas', 'Vale olhar', 'O que combina', 'de lado',
    ];
    expect(all.filter((text) => literal.some((words) => text === words || (words.includes(' ') && text.includes(words))))).toEqual(['O que foi feito com o cofre']);
  });
});

// `a.${x}.b` may become any key that begins and ends so.
function pattern(text: string): RegExp {
  const parts = text.split(/\$\{[^}]*\}?/).map((part) => part.replace(/[.*+?^()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.+')}$`);
}

describe('t', () => {
  it('fills places, and writes numbers as the language does', async () => {
    expect(t('import.progress.bytes', { done: '1 MB', total: 'x' })).toBe('1 MB of x');
    expect(t('import.report.conversations', { count: 1204 })).toBe('Read 1,204 conversations');
    await speak('pt-BR');
    expect(t('import.report.conversations', { count: 1204 })).toBe('1.204 conversas lidas');
    expect(t('import.report.conversations', { count: 1 })).toBe('1 conversa lida');
  });

  it('counts nothing as many, in Portuguese too', async () => {
    expect(t('import.report.memories', { count: 0 })).toBe('and found 0 memories.');
    await speak('pt-BR');
    expect(t('import.report.memories', { count: 0 })).toBe('e 0 memórias encontradas.');
  });

  it('shows the last word of a key that data put together and nobody wrote', () => {
    const name: string = ['unheard', 'of'].join('-');
    expect(t(`settings.vault.slot.${name}`)).toBe('unheard-of');
  });

  it('leaves nothing untouched in the pseudo-language', async () => {
    await speak('pseudo');
    expect(t('screen.library')).toMatch(/^⟦.+⟧$/);
    expect(pseudo('Library').length).toBeGreaterThan('Library'.length * 1.3);
  });

  it('marks the language of the document', async () => {
    await speak('pt-BR');
    expect(document.documentElement.lang).toBe('pt-BR');
  });
});

describe('which language', () => {
  it.each([
    ['', ['pt-PT', 'en'], 'pt-BR'],
    ['', ['de-DE', 'en-GB'], 'en'],
    ['', ['fr'], 'en'],
    ['en', ['pt-BR'], 'en'],
    ['pt-BR', ['en'], 'pt-BR'],
    ['xx', ['pt-BR'], 'pt-BR'],
  ])('%j on a system of %j is %s', (chosen, system, expected) => expect(resolve(chosen, system)).toBe(expected));
});

describe('formats', () => {
  it('writes days, sizes, spans and lists in the language', async () => {
    await speak('pt-BR');
    expect(formatDay('2025-05-03T12:00:00Z')).toBe('3 de maio de 2025');
    expect(formatBytes(214_380_112)).toBe('214 MB');
    expect(formatBytes(1_500)).toBe('1,5 kB');
    expect(formatSeconds(0.84)).toBe('0,8 segundo');
    expect(formatSeconds(300)).toBe('5 minutos');
    expect(formatList(['a', 'b', 'c'])).toBe('a, b e c');
    expect(relativeTime('2025-05-01T12:00:00Z', Date.parse('2025-05-03T12:00:00Z'))).toBe('anteontem');
  });

  it('window finding 15: writes every duration one way', async () => {
    await speak('en');
    expect([formatSeconds(0.3), formatSeconds(1), formatSeconds(12)]).toEqual(['0.3 seconds', '1 second', '12 seconds']);
    const byHand = /(?<!half )\b(an?|one|um|\d+) (second|minute|segundo|minuto)s?\b/i;
    const rate = (text: string) => text.replaceAll(/\{rate\} (a|por) (second|segundo)/g, '');
    const texts = [...Object.entries(en), ...Object.entries(pt)].filter(([, text]) => byHand.test(rate(text)));
    expect(texts).toEqual([]);
  });

  it('tells the number of an account from its name', () => {
    expect(['user-62f49e252583b692', '184283b5-25b8-4b58-868c-52b04cf2eb50', '104857600123', 'user-AbCdEfGhIjKl'].filter(opaque)).toHaveLength(4);
    expect(['person@example.com', 'work', 'Ana Duarte', 'default', 'feedbeef', '2024'].filter(opaque)).toEqual([]);
  });

  it('makes nothing of what is no instant', () => {
    expect(formatDay('')).toBe('');
    expect(formatDay('yesterday')).toBe('');
  });

  it('shows a type it does not know as it is written', () => {
    expect(typeName('fact')).toBe('Fact');
    expect(typeName('household_rule')).toBe('household_rule');
    expect(['pt-BR', 'zz', '', 'no tag'].map(languageName)).toEqual(['Brazilian Portuguese', '', '', '']);
  });
});

describe('faults', () => {
  const fault = { code: 'busy', reason: 'vault-busy', message: 'Another Keepsake has this vault open.', hint: '', args: {} };

  it('keep their English, and are told in Portuguese by reason', async () => {
    expect(faultText(fault).text).toBe(fault.message);
    await speak('pt-BR');
    expect(faultText(fault).text).not.toBe(fault.message);
    expect(faultText({ ...fault, reason: 'nobody-translated-this' }).text).toBe(fault.message);
  });

  it('have no hint where the vault gave none', async () => {
    await speak('pt-BR');
    expect(faultText(fault).hint).toBe('');
  });
});
