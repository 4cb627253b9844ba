import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

// The contrast of every text role on every surface it may stand on, computed
// from the token file itself (WCAG 2.2, 1.4.3 and 1.4.11).

const css = readFileSync(join(dirname(fileURLToPath(import.meta.url)), 'tokens.css'), 'utf8');
const pairs = [...css.matchAll(/--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g)];
const themes = {
  light: new Map(pairs.map(([, name, light]) => [name ?? '', light ?? ''])),
  dark: new Map(pairs.map(([, name, , dark]) => [name ?? '', dark ?? ''])),
};

function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const c = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string): number {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}

const surfaces = ['bg', 'surface', 'sunken'];
const inks = ['text', 'text-2', 'text-3', 'accent', 'ok', 'warn', 'bad'];
const types = [...themes.light.keys()].filter((name) => name.startsWith('type-'));

const readable: [ink: string, surface: string][] = [
  ...inks.flatMap((ink) => surfaces.map((surface): [string, string] => [ink, surface])),
  ['on-accent', 'accent'], ['on-accent', 'accent-strong'], ['accent', 'accent-soft'], ['text', 'accent-soft'], ['text-2', 'accent-soft'],
  ['ok', 'ok-soft'], ['warn', 'warn-soft'], ['bad', 'bad-soft'], ['text', 'ok-soft'], ['text', 'warn-soft'], ['text', 'bad-soft'],
  ['text-2', 'warn-soft'], ['text-2', 'bad-soft'], ['bg', 'text'], ['on-mark', 'mark'],
];

describe.each(Object.entries(themes))('%s', (_theme, colours) => {
  const of = (name: string) => colours.get(name) ?? '';

  it('holds every role', () => {
    expect(types).toHaveLength(11);
    for (const name of readable.flat()) expect(of(name), name).toMatch(/^#/);
  });

  it.each(readable)('%s can be read on %s', (ink, surface) => expect(contrast(of(ink), of(surface))).toBeGreaterThanOrEqual(4.5));

  it.each(['border-strong', 'wax', ...types].flatMap((name) => ['bg', 'surface', 'sunken'].map((surface): [string, string] => [name, surface])))(
    '%s can be seen on %s',
    (name, surface) => expect(contrast(of(name), of(surface))).toBeGreaterThanOrEqual(3),
  );
});

it('is where every colour comes from: no component names a raw one', () => {
  const source = join(dirname(fileURLToPath(import.meta.url)), '..');
  const styles = readdirSync(source, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile() && /\.(svelte|css)$/.test(file.name) && file.name !== 'tokens.css')
    .map((file) => join(file.parentPath, file.name))
    .flatMap((path) => {
      const text = readFileSync(path, 'utf8');
      return path.endsWith('.css') ? [text] : [...text.matchAll(/<style>([\s\S]*?)<\/style>/g)].map(([, style]) => style ?? '');
    });
  // Black and white may darken or lighten a token; @media print is ink on paper.
  const raw = styles.flatMap((style) => style.replace(/color-mix\([^;]*;/g, '').match(/#[0-9a-f]{3,8}\b|\b(rgb|hsl|oklch)a?\(/gi) ?? []);
  expect(styles.length).toBeGreaterThan(40);
  expect(raw).toEqual([]);
});

describe('window finding 9: one red for everything', () => {
  const source = join(dirname(fileURLToPath(import.meta.url)), '..');
  const texts = readdirSync(source, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile() && /\.(svelte|css|ts)$/.test(file.name) && !/\.test\.ts$|^tokens\.css$/.test(file.name))
    .map((file) => join(file.parentPath, file.name))
    .map((path) => [path.slice(source.length + 1).replaceAll('\\', '/'), readFileSync(path, 'utf8')] as const);
  const using = (what: RegExp) => texts.filter(([, text]) => what.test(text)).map(([path]) => path).sort();

  it('draws seals in wax, and nothing else', () => {
    expect(using(/--(seal|wax)\b/)).toEqual(['components/LineDrawing.svelte', 'components/Logo.svelte', 'components/WaxSeal.svelte']);
    expect(css).not.toMatch(/--(on-)?seal\b/);
  });

  it('keeps the colour of what is wrong to what is wrong', () =>
    expect(using(/--bad\b/)).toEqual([
      'components/Button.svelte', 'components/FaultNote.svelte', 'components/StatusText.svelte', 'components/Strength.svelte',
      'components/TextField.svelte', 'components/ToastStack.svelte', 'components/WordDiff.svelte', 'features/agents/Diff.svelte', 'features/compare/Compare.svelte',
      'features/graph/GraphView.svelte',
      'features/import/PlanSource.svelte', 'features/library/History.svelte', 'features/settings/KeyFacts.svelte', 'features/unlock/Recovery.svelte',
      'features/verify/Findings.svelte', 'features/verify/Report.svelte', 'lib/markdown/markdown.css',
    ]));

  it('gives a button that colour only where something is gone for good', () =>
    expect(using(/<Button\b[^>]*\sdanger\b/)).toEqual([
      'features/export/ExportSheet.svelte', 'features/security/DestroySheet.svelte', 'features/security/ForgetSheet.svelte',
      'features/security/RekeySheet.svelte', 'features/settings/RevokeKey.svelte',
    ]));
});

it('is what docs/design.md says', () => {
  const page = readFileSync(join(dirname(fileURLToPath(import.meta.url)), '../../../docs/design.md'), 'utf8');
  const named = page.match(/#[0-9a-f]{6}\b/g) ?? [];
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((colour) => !css.includes(colour))).toEqual([]);
});
