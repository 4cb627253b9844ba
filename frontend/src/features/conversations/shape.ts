import type { MessageView } from '../../lib/backend';

/**
 * Shape is how a message is set on the page: said in full, or folded under one
 * line that names what it is.
 */
export type Shape = 'said' | 'thought' | 'tool' | 'system' | 'unshown' | 'empty';

/** shapeOf decides from the role and from what there is to read. */
export function shapeOf(message: MessageView): Shape {
  const files = message.attachments.length > 0 || message.parts.some((p) => p.url !== '');
  const anything = files || plain(message).trim() !== '';
  if (message.role === 'tool' || !anything) return anything || message.toolCalls.length > 0 ? 'tool' : 'empty';
  if (message.isThought) return 'thought';
  if (message.role === 'system') return 'system';
  return message.hidden === '' ? 'said' : 'unshown';
}

/** plain is what a message says, as text, for searching and copying. */
export function plain(message: MessageView): string {
  return message.parts
    .map((p) => p.text)
    .filter((text) => text !== '')
    .join('\n\n');
}

// More than a person reads at once; the rest is one press away.
const LONG = 24_000;

/** cutOf is how much of a text is shown at first: to the end of a line, where there is one. */
export function cutOf(text: string): number {
  if (text.length <= LONG) return text.length;
  const line = text.lastIndexOf('\n', LONG);
  return line > LONG / 2 ? line : LONG;
}

/** toolsOf names the tools of a message as they name themselves, each once. */
export function toolsOf(message: MessageView): string[] {
  return [...new Set(message.toolCalls.map((call) => call.name).filter((name) => name !== ''))];
}

/** fork says which way the path takes at a message: 2 of 3, with its neighbours. */
export function fork(message: MessageView): { at: number; of: number; before: string; after: string } | undefined {
  const { siblings } = message;
  const at = siblings.indexOf(message.id);
  if (siblings.length < 2 || at < 0) return undefined;
  return { at: at + 1, of: siblings.length, before: siblings[at - 1] ?? '', after: siblings[at + 1] ?? '' };
}

/** pretty indents JSON, and leaves everything else as it is. */
export function pretty(text: string): string {
  if (!/^\s*[[{]/.test(text) || text.length > 200_000) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
