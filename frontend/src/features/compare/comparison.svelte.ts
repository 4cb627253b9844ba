import { backend, cancelled, faultOf, type AgreementView, type ComparedView, type CompareView, type FaultView, type MergedView, type PickView } from '../../lib/backend';

/** What can be done with a memory of a file: "fields" is to choose member by member. */
export type Pick = 'keep' | 'theirs' | 'both' | 'fields';

/** Whose version of a member is taken. */
export type Side = 'ours' | 'theirs';

/** pickable are the members of which either version can be taken. */
export function pickable(item: ComparedView): string[] {
  return item.fields.filter((field) => field.pickable).map((field) => field.path);
}

/**
 * picksOf lists what can be done with a memory, the usual first; none where it is
 * only in the vault. Between two files nothing is kept twice under one id, and what
 * only the first has can be left out as well.
 */
export function picksOf(item: ComparedView, files: boolean): Pick[] {
  const apart: Pick[] = pickable(item).length > 1 ? ['fields'] : [];
  switch (item.standing) {
    case 'conflict':
      return files ? ['theirs', 'keep', ...apart] : ['keep', 'theirs', 'both', ...apart];
    case 'older': // as an import has it: the later version stays, and so does what was hidden in the file
    case 'hidden':
    case 'not-signed': // whoever wrote the file has no say in it
      return files ? ['keep', 'theirs', ...apart] : ['keep', 'theirs', 'both', ...apart];
    case 'differs':
      return files ? ['theirs', 'keep', ...apart] : ['theirs', 'keep', 'both', ...apart];
    case 'theirs':
      return ['theirs', 'keep'];
    default:
      return files ? ['keep', 'theirs'] : [];
  }
}

/** Comparison holds a file against the vault, or against another file, page by page. */
export class Comparison {
  view = $state.raw<CompareView | undefined>(undefined);
  items = $state.raw<ComparedView[]>([]);
  picks = $state<Record<string, Pick>>({});
  sides = $state<Record<string, Record<string, Side>>>({});
  merged = $state.raw<MergedView | undefined>(undefined);
  files = $state(false);
  /** The file that both come from, '' for none. */
  base = $state('');
  baseFault = $state.raw<FaultView | undefined>(undefined);
  fault = $state.raw<FaultView | undefined>(undefined);
  busy = $state(false);
  private run = 0;

  /** What would be taken over into the vault. */
  readonly taken = $derived(this.items.filter((item) => this.pickView(item).take !== 'keep' && this.pickOf(item)));

  pickOf(item: ComparedView): Pick | undefined {
    return this.picks[item.id] ?? (item.suggested as Pick | undefined) ?? picksOf(item, this.files)[0];
  }

  pick(item: ComparedView, pick: Pick): void {
    this.picks[item.id] = pick;
  }

  pickAll(pick: Pick): void {
    for (const item of this.items) if (picksOf(item, this.files).includes(pick)) this.picks[item.id] = pick;
  }

  /** suggestAll takes back what was picked: each as the file that both come from suggests. */
  suggestAll(): void {
    this.picks = {};
    this.sides = {};
  }

  /**
   * sideOf is whose version of a member is taken where one chooses member by member: of
   * three files that of the one that changed it, of both the second.
   */
  sideOf(item: ComparedView, path: string): Side {
    const by = item.fields.find((field) => field.path === path)?.by;
    return this.sides[item.id]?.[path] ?? (by === 'theirs' || by === 'conflict' ? 'theirs' : 'ours');
  }

  side(item: ComparedView, path: string, side: Side): void {
    this.sides[item.id] = { ...this.sides[item.id], [path]: side };
  }

  /** pickView is what a program is told of a memory.  */
  private pickView(item: ComparedView): PickView {
    const pick = this.pickOf(item) ?? 'keep';
    if (pick !== 'fields') return { id: item.id, take: pick, fields: [] };
    const fields = pickable(item).filter((path) => this.sideOf(item, path) === 'theirs');
    return { id: item.id, take: fields.length > 0 ? 'theirs' : 'keep', fields };
  }

  async show(token: string, other: string): Promise<void> {
    this.items = [];
    this.picks = {};
    this.sides = {};
    this.files = other !== '';
    this.base = '';
    this.baseFault = undefined;
    this.view = this.merged = undefined;
    await this.load(token, other);
  }

  async load(token: string, other: string): Promise<void> {
    const mine = ++this.run;
    this.busy = true;
    this.fault = undefined;
    try {
      const view = await backend.Exports.Compare(token, other, this.base, this.items.length);
      if (mine !== this.run) return;
      this.items = [...this.items, ...view.items];
      this.view = view;
    } catch (error) {
      if (mine === this.run) this.fault = faultOf(error);
    }
    if (mine === this.run) this.busy = false;
  }

  /** rebase compares both files with the one that they come from; '' is without one. What was picked is gone. */
  async rebase(token: string, other: string, base: string): Promise<void> {
    const mine = ++this.run;
    this.busy = true;
    this.baseFault = undefined;
    try {
      const view = await backend.Exports.Compare(token, other, base, 0);
      if (mine !== this.run) return;
      this.suggestAll();
      [this.base, this.items, this.view, this.merged] = [base, view.items, view, undefined];
    } catch (error) {
      if (mine === this.run) this.baseFault = faultOf(error);
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
  agreement(acceptBroken: boolean, acceptUnsigned: boolean, anyBase: boolean): AgreementView {
    const picks = this.taken.map((item) => this.pickView(item));
    return { acceptBroken, acceptUnsigned, anyBase, keepOriginal: false, onConflict: '', merge: '', picking: true, picks, take: [] };
  }

  /** merge writes what the first file becomes with the second, as it was picked. */
  async merge(token: string, other: string): Promise<void> {
    this.busy = true;
    this.fault = undefined;
    try {
      this.merged = await backend.Exports.Merge(token, other, this.base, this.view?.beside ?? false, this.items.map((item) => this.pickView(item)));
    } catch (error) {
      if (!cancelled(error)) this.fault = faultOf(error);
    }
    this.busy = false;
  }
}
