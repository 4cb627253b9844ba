import { formatList } from './format';
import { t } from './locale.svelte';

type Counts = { memories: number; conversations: number; messages: number };

/** holds: 60 memories, 15 conversations and 4,064 messages */
export function holds({ memories, conversations, messages }: Counts): string {
  return formatList([t('library.count', { count: memories }), t('conversations.count', { count: conversations }), t('conversations.messages', { count: messages })]);
}
