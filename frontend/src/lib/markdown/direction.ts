import type { Token } from 'markdown-it';

const LETTER = /\p{L}/u;
const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;

/**
 * directionOf is the direction of what the token at index opens, from its first letter;
 * '' where it has none. dir="auto" cannot say it of a list: it passes over everything
 * that has a dir of its own, which is each paragraph in it.
 */
export function directionOf(tokens: readonly Token[], index: number): 'ltr' | 'rtl' | '' {
  const level = tokens[index]?.level ?? 0;
  for (let i = index + 1; i < tokens.length; i++) {
    const token = tokens[i];
    if (!token || (token.level === level && token.nesting === -1)) break;
    if (token.type !== 'inline') continue;
    const letter = LETTER.exec(token.content)?.[0];
    if (letter) return RIGHT_TO_LEFT.test(letter) ? 'rtl' : 'ltr';
  }
  return '';
}
