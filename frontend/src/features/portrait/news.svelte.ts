import { backend, faultOf, type PortraitDeletionsView, type PortraitListView, type PortraitNewsView, type StatementsView } from '../../lib/backend';
import { accounts } from '../../lib/accounts.svelte';
import { platformName, t } from '../../lib/i18n';
import { Live } from '../../lib/live.svelte';
import { toasts } from '../../lib/toasts.svelte';
import { changed } from '../../lib/undo';

export type ListName = 'learned' | 'changed' | 'dropped';
export const LISTS: readonly ListName[] = ['learned', 'changed', 'dropped'];

type Account = { platform: string; account: string };
type About = { news: PortraitNewsView[]; there: PortraitDeletionsView[] };

const FIRST: PortraitListView = { platform: '', account: '', list: '', offset: 0 };
const keyOf = ({ platform, account }: Account, list = '') => `${platform}\n${account}\n${list}`;

/** News is in what the newest exports differ from those before, and what to delete at assistants. */
export class News extends Live<About> {
  busy = $state(false);
  /** How many sentences are shown of the lists of which more were asked for. */
  private readonly wanted = new Map<string, number>();

  constructor() {
    super(() => this.read(), ['library']);
  }

  private async read(): Promise<About> {
    const [news, there] = await Promise.all([backend.Portrait.News(FIRST), backend.Portrait.ToDelete(FIRST)]);
    const lists = (one: PortraitNewsView) =>
      LISTS.map(async (list) => {
        one[list] = await this.further(one, list, one[list], async (of) => (await backend.Portrait.News(of))[0]?.[list]);
      });
    await Promise.all(news.flatMap(lists));
    const further = there.map(async (one) => ({ ...one, ...(await this.further(one, '', one, async (of) => (await backend.Portrait.ToDelete(of))[0])) }));
    return { news, there: await Promise.all(further) };
  }

  private async further(account: Account, list: string, first: StatementsView, more: (of: PortraitListView) => Promise<StatementsView | undefined>): Promise<StatementsView> {
    const wanted = Math.min(this.wanted.get(keyOf(account, list)) ?? 0, first.total);
    const all = [...first.first];
    while (all.length < wanted) {
      const next = (await more({ platform: account.platform, account: account.account, list, offset: all.length }))?.first ?? [];
      if (next.length === 0) break;
      all.push(...next);
    }
    return { total: first.total, first: all };
  }

  /** more shows up to so many sentences of a list. */
  async more(account: Account, list: ListName | '', count: number): Promise<void> {
    this.wanted.set(keyOf(account, list), count);
    await this.refresh();
  }

  /** nameOf is the platform, with the account where there are several of it. */
  nameOf({ platform, account }: Account, among: readonly Account[]): string {
    const name = platformName(platform);
    return among.filter((one) => one.platform === platform).length > 1 && account !== '' ? `${name} (${accounts.labelOf(account)})` : name;
  }

  confirm(id: string): Promise<void> {
    return this.say(() => backend.Portrait.Confirm([id]), t('portrait.done.true', { count: 1 }));
  }

  retract(id: string): Promise<void> {
    return this.say(() => backend.Portrait.Retract([id]), t('portrait.done.wrong'));
  }

  /** tick says that one asked a platform to forget memories. */
  tick(platform: string, ids: string[]): Promise<void> {
    return this.say(() => backend.Portrait.Asked(platform, ids), t('portrait.done.asked', { count: ids.length }));
  }

  private async say(what: () => Promise<unknown>, text: string): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    try {
      await what();
      changed(text);
      await this.refresh();
    } catch (error) {
      toasts.show({ fault: faultOf(error) });
    } finally {
      this.busy = false;
    }
  }
}
