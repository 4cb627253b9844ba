import { formatList, t } from '../../lib/i18n';

type Counts = { memories: number; conversations: number; messages: number; relations: number; attachments?: number };

/** goes: 3 memories, 1 conversation with 42 messages and 2 relations */
export function goes({ memories, conversations, messages, relations, attachments = 0 }: Counts): string {
  const parts = [
    memories > 0 ? t('library.count', { count: memories }) : '',
    conversations > 0 ? t('forget.with', { conversations: t('conversations.count', { count: conversations }), messages: t('conversations.messages', { count: messages }) }) : '',
    relations > 0 ? t('forget.relations', { count: relations }) : '',
    attachments > 0 ? t('security.check.attachments', { count: attachments }) : '',
  ];
  return formatList(parts.filter((part) => part !== ''));
}
