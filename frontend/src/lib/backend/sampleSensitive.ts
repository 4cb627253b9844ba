import { SENSITIVE_TOPICS } from '../taxonomy';
import { tally } from './sampleOverview';
import type { MemoryView, SensitiveMarkView, SensitiveView } from './types';

// Which of the made-up memories are about sensitive topics, told by a few words of theirs.

const WORDS: Partial<Record<string, RegExp>> = {
  health: /penicillin/, family: /sister|mother|grandfather/i, address: /living in|third floor/, names: /Inês|Tomás|Dona Celeste/,
};

/** Said is what the person says of the topics of memories, by id and topic. */
export type Said = Readonly<Record<string, Readonly<Record<string, boolean>>>>;

/** marksOf are the topics of a memory, and those that the person took away. */
export function marksOf(m: MemoryView, said: Said): SensitiveMarkView[] {
  const own = said[m.id] ?? {};
  return SENSITIVE_TOPICS.map((topic) => ({ topic, byPerson: topic in own, is: own[topic] ?? WORDS[topic]?.test(m.content) ?? false })).filter((mark) => mark.is || mark.byPerson);
}

/** marked is what the person says with one answer more; '' takes an answer back. */
export function marked(said: Said, id: string, topic: string, answer: string): Said {
  const others = Object.fromEntries(Object.entries(said[id] ?? {}).filter(([name]) => name !== topic));
  return { ...said, [id]: answer === '' ? others : { ...others, [topic]: answer === 'yes' } };
}

/** topicsIn are the topics of a text that is no memory. */
export function topicsIn(text: string): string[] {
  return SENSITIVE_TOPICS.filter((topic) => WORDS[topic]?.test(text));
}

/** sensitiveOf counts the topics of memories. */
export function sensitiveOf(memories: readonly MemoryView[], said: Said): SensitiveView {
  const items = memories.map((m) => ({ id: m.id, text: m.content.slice(0, 200), topics: marksOf(m, said).filter((mark) => mark.is).map((mark) => mark.topic) })).filter((item) => item.topics.length > 0);
  return { total: items.length, topics: tally(items.flatMap((item) => item.topics)), byWords: 0, items: items.slice(0, 200) };
}
