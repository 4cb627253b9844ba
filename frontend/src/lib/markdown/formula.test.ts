// @vitest-environment jsdom
import { describe, expect, it } from 'vitest';
import { typeset } from './formula';
import { parse } from './parser';

async function set(tex: string, display = false): Promise<HTMLElement> {
  const home = document.createElement('code');
  home.textContent = tex;
  await typeset(home, tex, display);
  return home;
}

const formulas = (text: string) => parse(text).flatMap((token) => token.children ?? []).filter((token) => token.type === 'formula').map((token) => token.content);

describe('a formula', () => {
  it('becomes MathML', async () => {
    const home = await set('\\frac{a^2}{\\sqrt{b}}', true);
    expect(home.querySelector('math[display=block] mfrac msqrt')?.namespaceURI).toBe('http://www.w3.org/1998/Math/MathML');
    expect(home.textContent).toBe('a2b');
  });

  it.each(['\\frac{a', '\\nothing{x}', 'x'.repeat(5_000)])('stays as it was written where it cannot be read: %.20s', async (tex) => {
    expect((await set(tex)).textContent).toBe(tex);
  });

  it.each(['\\href{javascript:alert(1)}{x}', '\\url{javascript:alert(1)}', '\\includegraphics{https://beacon.invalid/x.png}', '\\htmlStyle{background:url(//beacon.invalid)}{x}', '\\htmlData{a=b}{x}', '\\htmlClass{a}{x}', '\\htmlId{a}{x}', '\\color{red}x', '\\text{<img src=x onerror=alert(1)>}', '\\def\\a{\\a\\a}\\a'])('makes nothing that acts: %s', async (tex) => {
    const home = await set(tex);
    for (const element of home.querySelectorAll('*')) {
      expect(element.namespaceURI).toBe('http://www.w3.org/1998/Math/MathML');
      for (const { name } of element.attributes) expect(name).not.toMatch(/^(on|href|src|style|class|id|xlink)/);
    }
  });
});

describe('where a formula is', () => {
  it.each([
    ['so \\(a + b\\) and \\[c\\]', ['a + b', 'c']],
    ['$$x^2$$', ['x^2']],
    ['with $n^2$ steps', ['n^2']],
    ['it costs $5 and then $7', []],
    ['from $5 a day to $9 a day', []],
    ['a $ b $ c', []],
  ])('%s', (text, expected) => expect(formulas(text)).toEqual(expected));
});
