import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, type AST } from 'svelte/compiler';
import { expect, it } from 'vitest';

// Words on the page come from the message files: no component writes any itself.

const source = join(dirname(fileURLToPath(import.meta.url)), '../..');

/** Attributes that a person reads or hears. */
const SAID = new Set(['aria-label', 'title', 'placeholder', 'alt', 'label', 'text', 'description', 'aria-description', 'aria-roledescription']);

/** Names and signs that are the same in every language. */
const SAME = new Set(['Keepsake', 'PAM', 'JSON', 'SHA-256', '0 %', '100 %']);

function literals(node: unknown, found: string[]): void {
  if (Array.isArray(node)) return node.forEach((child) => literals(child, found));
  if (typeof node !== 'object' || node === null) return;
  const { type = '' } = node as { type?: string };
  if (type === 'Attribute') {
    const { name, value } = node as AST.Attribute;
    if (SAID.has(name) && Array.isArray(value)) for (const part of value) if (part.type === 'Text') note(part.data, found);
    return;
  }
  if (type.endsWith('Directive')) return;
  if (type === 'Text') note((node as AST.Text).data, found);
  if (type === 'RegularElement' && (node as AST.RegularElement).name === 'style') return;
  for (const [key, child] of Object.entries(node)) {
    if (!['css', 'instance', 'module', 'expression', 'metadata', 'parent', 'loc'].includes(key)) literals(child, found);
  }
}

function note(text: string, found: string[]): void {
  const words = text.trim();
  if (/\p{L}{2}/u.test(words) && !SAME.has(words)) found.push(words);
}

it('writes no words into a component', () => {
  const files = readdirSync(source, { recursive: true, withFileTypes: true }).filter((file) => file.isFile() && file.name.endsWith('.svelte'));
  const written = files.flatMap((file) => {
    const found: string[] = [];
    literals(parse(readFileSync(join(file.parentPath, file.name), 'utf8'), { modern: true }).fragment, found);
    return found.map((words) => `${file.name}: ${words}`);
  });
  expect(files.length).toBeGreaterThan(100);
  expect(written).toEqual([]);
});
