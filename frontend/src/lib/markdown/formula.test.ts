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
    // window finding 15: numbers are set like the formulas beside them, and money is left alone.
    ['a chance of $0.99$, and $p = 0.01$ else', ['0.99', 'p = 0.01']],
    ['between $0.99$ and $1.49$', ['0.99', '1.49']],
    ['$3 + 4$ is $7$', ['3 + 4', '7']],
    ['the $n$th and the $k$-nearest', ['n', 'k']],
    ['a $10$\\% discount on $5\\$$', ['10', '5\\$']],
    ['it costs $0.99', []],
    ['it costs $0.99 or $1.49, each', []],
    ['from $5-$10', []],
    ['$20,000 and $30,000', []],
    ['($5) or ($7)', []],
    ['$5, or 5$', []],
    ['5$ or 6$', []],
    ['US$5 and C$7', []],
    ['$AAPL and $TSLA', []],
    ['a\\$5 b$', []],
  ])('%s', (text, expected) => expect(formulas(text)).toEqual(expected));
});
