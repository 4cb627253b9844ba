import { formatList } from './format';
import { t } from './locale.svelte';

type Counts = { memories: number; conversations: number; messages: number; attachments?: number };

/** holds: 60 memories, 15 conversations and 4,064 messages; attachments where they are counted */
export function holds({ memories, conversations, messages, attachments }: Counts): string {
  const parts = [t('library.count', { count: memories }), t('conversations.count', { count: conversations }), t('conversations.messages', { count: messages })];
  if (attachments) parts.push(t('holds.attachments', { count: attachments }));
  return formatList(parts);
}
