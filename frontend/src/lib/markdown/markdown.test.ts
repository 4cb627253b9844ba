// @vitest-environment jsdom
import { describe, expect, it, vi } from 'vitest';
import { colour } from './highlight';
import { hostOf, judge, pieces, render, renderCodeBlock, tidied, unmarked, type Options } from './index';
import { ADDRESSES, DISGUISES, PICTURES, SCRIPTS } from './payloads';

const labels: Options['labels'] = {
  pictureNotLoaded: (where) => `picture, not loaded (${where})`,
  linkLeftOut: (scheme) => `link left out: ${scheme}`,
  code: (language) => `code ${language}`,
  table: 'table',
  formula: 'formula',
  copy: 'Copy',
};

function show(source: string, more: Partial<Options> = {}): HTMLElement {
  const home = document.createElement('div');
  home.append(render(document, source, { labels, onLink: () => {}, onCopy: () => {}, ...more }));
  return home;
}

const TAGS = new Set(
  'p br hr em strong del sup code pre blockquote ul ol li h3 h4 h5 h6 table thead tbody tr th td a span div button mark'.split(' '),
);
const ATTRIBUTES = new Set('class dir role tabindex title aria-label aria-hidden start type scope'.split(' '));

// dangers names everything in a tree that could act or reach out.
function dangers(home: HTMLElement): string[] {
  const found: string[] = [];
  for (const element of home.querySelectorAll('*')) {
    if (!TAGS.has(element.localName)) found.push(`<${element.localName}>`);
    if (element.namespaceURI !== 'http://www.w3.org/1999/xhtml') found.push('foreign namespace');
    for (const { name } of element.attributes) if (!ATTRIBUTES.has(name)) found.push(`${element.localName}[${name}]`);
  }
  return found;
}

const hostile = [...SCRIPTS, ...ADDRESSES, ...PICTURES, ...DISGUISES];

describe('hostile markdown makes no node that acts', () => {
  it('has enough payloads to mean something', () => expect(hostile.length).toBeGreaterThanOrEqual(90));

  it.each(hostile)('%s', (payload) => {
    expect(dangers(show(payload))).toEqual([]);
    expect(dangers(show(`- ${payload}\n\n> ${payload}\n\n**${payload}**`))).toEqual([]);
  });

  it('would notice: the check itself finds what it looks for', () => {
    const home = document.createElement('div');
    const image = document.createElement('img');
    image.setAttribute('onerror', 'x');
    home.append(image);
    expect(dangers(home)).toEqual(['<img>', 'img[onerror]']);
  });
});

describe('addresses', () => {
  it.each(ADDRESSES)('%s cannot be pressed', (payload) => {
    const onLink = vi.fn();
    const home = show(payload, { onLink });
    for (const link of home.querySelectorAll('a, .md-link-refused')) link.dispatchEvent(new MouseEvent('click', { bubbles: true }));
    expect(onLink).not.toHaveBeenCalled();
    expect(home.querySelector('a')).toBeNull();
  });

  it('asks before a web address is opened, by mouse and by key, and has no href', () => {
    const onLink = vi.fn();
    const link = show('[the paper](https://example.org/a?b=1#c)', { onLink }).querySelector('a');
    expect(link?.hasAttribute('href')).toBe(false);
    const click = new MouseEvent('click', { bubbles: true, cancelable: true });
    link?.dispatchEvent(click);
    link?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter' }));
    expect(click.defaultPrevented).toBe(true);
    expect(onLink.mock.calls).toEqual([['https://example.org/a?b=1#c'], ['https://example.org/a?b=1#c']]);
  });

  it('finds bare addresses', () => expect(show('see https://example.org/x').querySelector('a')?.textContent).toBe('https://example.org/x'));

  it('says of a refused link that it was left out', () =>
    expect(show('[report](sandbox:/mnt/data/a.pdf)').querySelector('.md-link-refused')?.getAttribute('title')).toBe('link left out: sandbox'));

  it('judges by the scheme alone', () => {
    expect(judge('mailto:a@example.org')).toEqual({ openable: true, address: 'mailto:a@example.org' });
    expect(judge('HTTPS://example.org').openable).toBe(true);
    expect(judge('https://exa\u202Emple.org').openable).toBe(false);
    expect(hostOf('https://example.org:8080/x')).toBe('example.org:8080');
    expect(hostOf('data:text/html,x')).toBe('');
  });
});

describe('pictures', () => {
  it.each(PICTURES)('%s is named, never loaded', (payload) => {
    const home = show(payload);
    expect(home.querySelector('img, image, picture, source')).toBeNull();
    expect(home.textContent).toContain('picture, not loaded');
  });

  it('names the host and keeps the description', () =>
    expect(show('![a cat](https://pics.example/cat.png)').textContent).toBe('picture, not loaded (pics.example)a cat'));
});

describe('disguises', () => {
  it.each(DISGUISES)('%j shows what hides in it', async (payload) => {
    const home = show(payload);
    await vi.waitFor(() => expect(home.querySelector('.md-hidden-mark')).not.toBeNull());
    expect(home.textContent).not.toMatch(/[\u202A-\u202E\u2066-\u2069\u200B\u0007]|[\u{E0000}-\u{E007F}]/u);
  });

  it('leaves emoji, flags and joiners as they are', () => {
    const text = '👨‍👩‍👧 می‌خواهم 🏴󠁧󠁢󠁥󠁮󠁧󠁿 ok';
    expect(pieces(text)).toEqual([{ kind: 'text', text }]);
  });

  it('counts a run as one mark', () =>
    expect(pieces('a\u{E0061}\u{E0062}b')).toEqual([
      { kind: 'text', text: 'a' },
      { kind: 'mark', label: 'TAG', code: 'U+E0061', count: 2 },
      { kind: 'text', text: 'b' },
    ]));
});

describe('what honest markdown becomes', () => {
  it('keeps the outline whole under the title of the page', () => {
    const levels = [...show('### a\n\n# b\n\n###### c').querySelectorAll('h3,h4,h5,h6')].map((h) => h.localName);
    expect(levels).toEqual(['h3', 'h3', 'h4']);
  });

  it('aligns columns by class, with no style attribute', () => {
    const home = show('| a | b |\n|:--|--:|\n| 1 | 2 |');
    expect([...home.querySelectorAll('td')].map((c) => c.className)).toEqual(['md-left', 'md-right']);
    expect(home.querySelector('[style]')).toBeNull();
    expect(home.querySelector('.md-table')?.getAttribute('tabindex')).toBe('0');
  });

  it('draws the boxes of a list of tasks, and only there', () =>
{
    const shown = show('- [x] a\n- [ ] b\n- c [x]\n\n[x] c');
    expect(shown.textContent).toBe('☑ a☐ bc [x][x] c');
    expect([...shown.querySelectorAll('li')].map((li) => li.className)).toEqual(['md-task', 'md-task', '']);
  });

  it('numbers a list from where it starts', () => expect(show('4. a\n5. b').querySelector('ol')?.getAttribute('start')).toBe('4'));

  it('keeps a formula as it was written', () => {
    const home = show('so \\(a_1 + b_2\\) and \\[x^2\\]');
    expect([...home.querySelectorAll('.md-formula')].map((f) => f.textContent)).toEqual(['a_1 + b_2', 'x^2']);
  });

  it('drops the private marks of source references', () => expect(show('fact\uE200cite\uE202turn0search1\uE201.').textContent).toBe('fact.'));

  it('ends at a sane depth', () => expect(show('>'.repeat(5000) + ' deep').querySelectorAll('blockquote').length).toBeLessThanOrEqual(41));

  it('copies code whole', () => {
    const onCopy = vi.fn();
    show('```go\nfunc main() {}\n```', { onCopy }).querySelector('button')?.click();
    expect(onCopy).toHaveBeenCalledWith('func main() {}');
  });

  it('colours code into spans of the same text', async () => {
    const home = document.createElement('div');
    const text = 'const a = "<img src=x onerror=alert(1)>"; // b';
    home.append(renderCodeBlock(document, text, 'js', { labels, onLink: () => {}, onCopy: () => {} }));
    await vi.waitFor(() => expect(home.querySelectorAll('code span').length).toBeGreaterThan(2));
    expect(home.querySelector('code')?.textContent).toBe(text);
    expect(dangers(home)).toEqual([]);
    expect(home.querySelector('.hl-string')?.textContent).toContain('onerror');
  });

  it('leaves an unknown language alone', async () => {
    const code = document.createElement('code');
    code.textContent = 'x';
    await colour(code, 'no-such-language');
    expect(code.childElementCount).toBe(0);
  });
});

describe('window finding 6: what is written from right to left', () => {
  const dirs = (source: string, selector: string) => [...show(source).querySelectorAll(selector)].map((element) => element.getAttribute('dir'));

  it('numbers a list at the side where its words begin', () => {
    expect(dirs('1. **خبز** أولا\n2. ماء', 'ol')).toEqual(['rtl']);
    expect(dirs('9. لحم\n\n   وملح\n\n10. bread', 'ol')).toEqual(['rtl']);
    expect(dirs('1. bread\n2. ماء', 'ol')).toEqual(['ltr']);
    expect(dirs('- שלום\n  - one\n  - two', 'ul')).toEqual(['rtl', 'ltr']);
    expect(dirs('1. 5\n2. 6', 'ol')).toEqual([null]);
    expect(dirs('1. خبز', 'li')).toEqual([null]); // a direction of its own would be that of its number
  });

  it('draws the line of a quotation and the first column of a table there, too', () => {
    expect(dirs('> قال هذا', 'blockquote')).toEqual(['rtl']);
    expect(dirs('| يوم | طعام |\n|--|--|\n| 1 | soup |', 'table')).toEqual(['rtl']);
    expect(dirs('| day | طعام |\n|--|--|\n| 1 | soup |', 'table')).toEqual(['ltr']);
  });
});

describe('text without the marks of Markdown', () => {
  it.each([
    ['**Work context** Marina is a landscape architect.', 'Work context Marina is a landscape architect.'],
    ['## Work\n\n- *quiet* office\n- `ledger`', 'Work\n\n• quiet office\n• ledger'],
    ['See [the list](https://example.org/a) and ![a spine](x.jpg)', 'See the list and a spine'],
    ['> __as told__ in snake_case_names', 'as told in snake_case_names'],
    ['2 * 3 * 4 and 5*6*7, -1 and a*', '2 * 3 * 4 and 5*6*7, -1 and a*'],
    ['***', '***'],
  ])('%j', (text, words) => expect(unmarked(text)).toBe(words));
});

describe('a snippet', () => {
  const said = (...texts: string[]) => tidied(texts.map((text) => ({ text }))).map(({ text }) => text).join('');
  it.each([
    ['| Tea | Minutes | | --- | :---: | | Oolong | 4 |', 'Tea · Minutes · Oolong · 4'],
    ['…4 | | Green | 2 | | White | 3…', '…4 · Green · 2 · White · 3…'],
    ['As told: | a | b | |---|---| | 1 | 2 | Good?', 'As told: · a · b · 1 · 2 · Good?'],
    ['cat a | grep b || echo c', 'cat a | grep b || echo c'],
    ['…so ### Paste - **wheat', '…so Paste - wheat'],
    ['see [the map](https://a.example/b) or `C#`', 'see the map or C#'],
  ])('%j', (text, words) => expect(said(text)).toBe(words));

  it('keeps what was found apart from the rest', () => {
    expect(tidied([{ text: '| **Tea** | ', marked: false }, { text: 'Oolong', marked: true }, { text: ' | | --- |', marked: false }])).toEqual([
      { text: 'Tea · ', marked: false }, { text: 'Oolong', marked: true }, { text: '', marked: false },
    ]);
  });
});
