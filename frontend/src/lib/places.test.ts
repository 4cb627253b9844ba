import { describe, expect, it } from 'vitest';
import { best, markedIn, missing, spans, spansOf, type Place } from './places';

const cut = (text: string, places: (Place | undefined)[]) => places.map((place) => place && text.slice(...place));

describe('where words stand', () => {
  it('whole, without case and accents, whatever stands between them', () => {
    const text = 'Start of art; the **Loose** leaf\n\nof loose-leaf ÁRT. Loose leafs';
    expect(cut(text, spansOf(text, ['art']))).toEqual(['art', 'ÁRT']);
    expect(cut(text, spansOf(text, ['loose leaf']))).toEqual(['Loose** leaf', 'loose-leaf']);
    expect(cut(text, spansOf(text, ['leaf', 'loose']))).toEqual(['Loose', 'leaf', 'loose', 'leaf', 'Loose']);
  });

  it('within others where they stand nowhere whole, and in scripts without spaces', () => {
    expect(cut('unstoppable', spansOf('unstoppable', ['stop']))).toEqual(['stop']);
    const text = '我喜欢绿茶，绿茶很好';
    expect(cut(text, spansOf(text, ['绿茶']))).toEqual(['绿茶', '绿茶']);
    expect(cut('ΟΔΟΣ οδός', spansOf('ΟΔΟΣ οδός', ['οδος']))).toEqual(['ΟΔΟΣ', 'οδός']);
  });

  it('each apart from the others', () => {
    expect(cut('a green tea', spansOf('a green tea', ['green', 'green tea']))).toEqual(['green tea']);
    expect(spansOf('nothing', [])).toEqual([]);
    expect(cut('😀 𝒶bc 😀', spansOf('😀 𝒶bc 😀', ['𝒶bc']))).toEqual(['𝒶bc']);
  });

  it('as they were typed, over a break of the line too', () => {
    expect(cut('one\n  two', spans('one\n  two', 'ONE two'))).toEqual(['one\n  two']);
    expect(cut('c++ and c', spans('c++ and c', 'c++'))).toEqual(['c++']);
  });

  it('shows the first place where most of them stand together', () => {
    const far = 'x '.repeat(400);
    const text = `tea ${far} cup ${far} a cup of tea, tea and a cup ${far} cup tea`;
    const place = best(text, ['tea', 'cup']);
    expect(place).toEqual([text.indexOf('cup of'), text.indexOf('cup of') + 3]);
    expect(best(text, ['tea'])).toEqual([0, 3]);
    expect(best(text, ['no'])).toBeUndefined();
  });

  it('says which are missing, and takes each of a snippet once', () => {
    expect(missing('a cup of tea', ['Tea', 'pot'])).toEqual(['pot']);
    expect(markedIn([{ text: 'a ', marked: false }, { text: 'Cup', marked: true }, { text: 'cup', marked: true }, { text: '…', marked: true }])).toEqual(['cup']);
  });
});
