import { backend, faultOf, type PortraitPartView, type PortraitView, type SentenceView } from '../../lib/backend';
import { t } from '../../lib/i18n';
import { Live } from '../../lib/live.svelte';
import { toasts } from '../../lib/toasts.svelte';
import { changed } from '../../lib/undo';

export const CHAPTERS = ['you', 'people', 'home', 'work', 'projects', 'health', 'tastes', 'answers', 'goals', 'tools'] as const;
export type ChapterName = (typeof CHAPTERS)[number];

/** nameOf is the name of a chapter as t knows it. */
export const nameOf = (part: PortraitPartView): ChapterName => CHAPTERS.find((name) => name === part.chapter) ?? 'you';

/** idsOf are the memories of a sentence. */
export const idsOf = (sentence: SentenceView): string[] => [sentence.id, ...sentence.also];

/** Portrait is the sentences by chapter, where one is in them, and what is said of them. */
export class Portrait extends Live<PortraitView> {
  /** The sentence that the keys are about. */
  on = $state('');
  busy = $state(false);
  /** How many sentences are shown of the chapters of which more were asked for. */
  private readonly wanted = new Map<string, number>();

  constructor() {
    super(() => this.read(), ['library']);
  }

  readonly parts = $derived<PortraitPartView[]>(this.value?.chapters ?? []);
  readonly sentences = $derived<SentenceView[]>(this.parts.flatMap((part) => part.sentences));
  readonly at = $derived<SentenceView | undefined>(this.sentences.find(({ id }) => id === this.on) ?? this.sentences.find(({ reviewed }) => !reviewed) ?? this.sentences[0]);

  private async read(): Promise<PortraitView> {
    const view = await backend.Portrait.Read();
    const chapters = await Promise.all(view.chapters.map((part) => this.further(part)));
    return { ...view, chapters };
  }

  private async further(part: PortraitPartView): Promise<PortraitPartView> {
    const wanted = Math.min(this.wanted.get(part.chapter) ?? 0, part.total);
    if (part.sentences.length >= wanted) return part;
    let sentences: SentenceView[] = [];
    while (sentences.length < wanted) {
      const more = await backend.Portrait.Chapter(part.chapter, sentences.length);
      if (more.sentences.length === 0) break;
      sentences = [...sentences, ...more.sentences];
    }
    return { ...part, sentences };
  }

  /** more shows up to so many sentences of a chapter. */
  async more(part: PortraitPartView, count: number): Promise<void> {
    this.wanted.set(part.chapter, count);
    await this.refresh();
  }

  move(step: number): void {
    const index = this.sentences.findIndex((one) => one === this.at);
    this.on = this.sentences[Math.max(0, Math.min(this.sentences.length - 1, index + step))]?.id ?? '';
  }

  /** confirm says that sentences are true. */
  async confirm(sentences: readonly SentenceView[]): Promise<void> {
    await this.say(sentences, () => backend.Portrait.Confirm(sentences.flatMap(idsOf)), t('portrait.done.true', { count: sentences.length }));
  }

  async retract(sentence: SentenceView): Promise<void> {
    await this.say([sentence], () => backend.Portrait.Retract(idsOf(sentence)), t('portrait.done.wrong'));
  }

  async end(sentence: SentenceView, since: string, instead: string): Promise<void> {
    await backend.Portrait.End(sentence.id, since, instead); // its dialog shows what goes wrong
    this.leave(sentence);
    changed(t('portrait.done.ended'));
  }

  async keep(sentence: SentenceView): Promise<void> {
    await this.say([], () => backend.Portrait.Keep(idsOf(sentence), !sentence.stays), t(sentence.stays ? 'portrait.done.leaves' : 'portrait.done.stays'));
  }

  async edit(sentence: SentenceView, content: string): Promise<void> {
    await this.say([], () => backend.Library.Edit(sentence.id, { content }), t('portrait.done.edited'));
  }

  async put(sentence: SentenceView, chapter: string): Promise<void> {
    await this.say([], () => backend.Portrait.Move(idsOf(sentence), chapter), t('portrait.done.moved'));
  }

  /** leave goes on to the next sentence that is not reviewed, if one is left after this one. */
  private leave(sentence: SentenceView): void {
    const index = this.sentences.findIndex(({ id }) => id === sentence.id);
    const next = this.sentences.slice(index + 1).find(({ reviewed }) => !reviewed);
    this.on = (next ?? this.sentences[index + 1] ?? this.sentences[index - 1])?.id ?? '';
  }

  private async say(done: readonly SentenceView[], what: () => Promise<unknown>, text: string): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    try {
      const last = done.at(-1);
      await what();
      if (last) this.leave(last);
      changed(text);
      await this.refresh(); // the event of the change may come later than the next key
    } catch (error) {
      toasts.show({ fault: faultOf(error) });
    } finally {
      this.busy = false;
    }
  }
}
