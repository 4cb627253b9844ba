import { backend, cancelled, faultOf, type AgreementView, type ComparedView, type CompareView, type FaultView } from '../../lib/backend';

/** What can be done with a memory of a file. */
export type Pick = 'keep' | 'theirs' | 'both';

/** picksOf lists what can be done with a memory, the usual first; none where it is only here. */
export function picksOf(standing: string): Pick[] {
  switch (standing) {
    case 'conflict':
      return ['keep', 'theirs', 'both'];
    case 'differs':
      return ['theirs', 'keep', 'both'];
    case 'theirs':
      return ['theirs', 'keep'];
    default:
      return [];
  }
}

/** Comparison holds a file against the vault, or against another file, page by page. */
export class Comparison {
  view = $state.raw<CompareView | undefined>(undefined);
  items = $state.raw<ComparedView[]>([]);
  picks = $state<Record<string, Pick>>({});
  fault = $state.raw<FaultView | undefined>(undefined);
  busy = $state(false);
  private run = 0;

  /** What would be taken over. */
  readonly taken = $derived(this.items.filter((item) => this.pickOf(item) === 'theirs' || this.pickOf(item) === 'both'));

  pickOf(item: ComparedView): Pick | undefined {
    return this.picks[item.id] ?? picksOf(item.standing)[0];
  }

  pick(item: ComparedView, pick: Pick): void {
    this.picks[item.id] = pick;
  }

  pickAll(pick: Pick): void {
    for (const item of this.items) if (picksOf(item.standing).includes(pick)) this.picks[item.id] = pick;
  }

  async show(token: string, other: string): Promise<void> {
    this.items = [];
    this.picks = {};
    this.view = undefined;
    await this.load(token, other);
  }

  async load(token: string, other: string): Promise<void> {
    const mine = ++this.run;
    this.busy = true;
    this.fault = undefined;
    try {
      const view = await backend.Exports.Compare(token, other, this.items.length);
      if (mine !== this.run) return;
      this.items = [...this.items, ...view.items];
      this.view = view;
    } catch (error) {
      if (mine === this.run) this.fault = faultOf(error);
    }
    if (mine === this.run) this.busy = false;
  }

  /** choose asks for a file; '' when none was chosen. */
  async choose(): Promise<string> {
    try {
      return (await backend.Exports.ChooseToVerify()).token;
    } catch (error) {
      if (!cancelled(error)) this.fault = faultOf(error);
      return '';
    }
  }

  /** agreement is what the import is told. */
  agreement(acceptBroken: boolean, anyBase: boolean): AgreementView {
    const picks = this.taken.map((item) => ({ id: item.id, take: this.pickOf(item) ?? 'keep' }));
    return { acceptBroken, anyBase, keepOriginal: false, onConflict: '', merge: '', picking: true, picks };
  }
}
