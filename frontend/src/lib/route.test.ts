import { describe, expect, it } from 'vitest';
import { caps, chord, typing } from './keys';
import { format, parse, place } from './route.svelte';

describe('the address', () => {
  it.each([
    ['', { screen: 'portrait', id: '', at: '' }],
    ['#/conversations/c-1/m-2', { screen: 'conversations', id: 'c-1', at: 'm-2' }],
    ['#/nowhere/x', { screen: 'portrait', id: '', at: '' }],
    ['#/library/%E0%A4%A', { screen: 'library', id: '', at: '' }],
  ])('%s', (fragment, route) => expect(parse(fragment)).toEqual(route));

  it('carries any id there and back', () => {
    const route = { screen: 'verify' as const, id: 'a/b?c#d e', at: '' };
    expect(parse(format(route))).toEqual(route);
  });

  it('takes a step for a screen, and none for what is selected on it', () => {
    place.go('library');
    const steps = history.length;
    place.refine('m-1');
    expect(history.length).toBe(steps);
    expect(location.hash).toBe('#/library/m-1');
    place.go('settings');
    expect(place.now.screen).toBe('settings');
  });
});

describe('keys', () => {
  const press = (key: string, more: KeyboardEventInit = {}) => chord(new KeyboardEvent('keydown', { key, ...more }));

  it('have one name on every keyboard', () => {
    expect(press('E', { ctrlKey: true })).toBe('mod+e');
    expect(press('e', { metaKey: true })).toBe('mod+e');
    expect(press('?', { shiftKey: true })).toBe('?');
    expect(press('Enter', { shiftKey: true })).toBe('shift+enter');
  });

  it('are written as on the key', () => expect(caps('mod+e')).toEqual(['Ctrl', 'E']));

  it('belong to a field that is being written in', () => {
    expect(typing(document.createElement('textarea'))).toBe(true);
    expect(typing(document.createElement('button'))).toBe(false);
    expect(typing(null)).toBe(false);
  });
});
