import type { MemoryView, TopicsView } from './types';

// What the made-up memories are about, told by their tags as Go tells it by their meaning.

const TOPICS: [tag: string, name: string][] = [
  ['archive', 'archive, letters, transcribed'], ['food', 'sourdough, feijoada, coffee'], ['music', 'orchestra, viola, conducts'],
  ['travel', 'trains, passport, flights'], ['computer', 'Debian, Emacs, Python'], ['books', 'novels, Saramago, library'], ['family', 'sister, mother, grandfather'],
];

/** topicOf is the name of what a memory is about, '' where it is near to nothing else. */
export function topicOf(m: Pick<MemoryView, 'status' | 'tags'>): string {
  return m.status === 'active' ? (TOPICS.find(([tag]) => m.tags.includes(tag))?.[1] ?? '') : '';
}

/** topicsOf counts them, the largest first. */
export function topicsOf(memories: readonly MemoryView[], missing: number): TopicsView {
  const counts = new Map<string, number>();
  for (const m of memories) if (topicOf(m) !== '') counts.set(topicOf(m), (counts.get(topicOf(m)) ?? 0) + 1);
  return { missing, topics: [...counts].map(([name, count]) => ({ name, count })).sort((a, b) => b.count - a.count) };
}
