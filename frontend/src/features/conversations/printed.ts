import type { MessageView } from '../../lib/backend';
import { plain, shapeOf } from './shape';

/** As many messages as are printed at once: a web view lays all of them out. */
export const PRINTABLE = 2_000;

/** asMarkdown is a conversation as it was said, without what assistants do for themselves. */
export function asMarkdown(title: string, messages: readonly MessageView[], speaker: (message: MessageView) => string): string {
  const said = messages.filter((message) => shapeOf(message) === 'said').map((message) => `**${speaker(message)}**\n\n${plain(message).trim()}\n`);
  return [`# ${title.replaceAll('\n', ' ')}\n`, ...said].join('\n');
}
