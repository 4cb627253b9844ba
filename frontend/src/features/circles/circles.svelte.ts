import { backend, faultOf, type CircleEditView, type CirclesView, type CircleView, type FaultView } from '../../lib/backend';
import { t } from '../../lib/i18n';
import { Live } from '../../lib/live.svelte';
import { visible } from '../../lib/markdown';
import { SENSITIVE_TOPICS } from '../../lib/taxonomy';
import { toasts } from '../../lib/toasts.svelte';
import { changed } from '../../lib/undo';

/** Circles are who may be given what, and which of them is looked at. */
export class Circles extends Live<CirclesView> {
  /** Entity of the one that was chosen, '' for none. */
  private wanted = $state('');
  busy = $state(false);

  constructor() {
    super(() => backend.Library.Circles(), ['library']);
  }

  readonly list = $derived<CircleView[]>(this.value?.circles ?? []);
  readonly chosen = $derived<CircleView | undefined>(this.list.find((c) => c.entity === this.wanted) ?? this.list[0]);

  choose(entity: string): void {
    this.wanted = entity;
  }

  /** keep makes a circle, or changes one where entity is not ''. */
  async keep(entity: string, edit: CircleEditView): Promise<FaultView | undefined> {
    try {
      const kept = await (entity === '' ? backend.Library.MakeCircle(edit) : backend.Library.EditCircle(entity, edit));
      this.wanted = kept.entity;
    } catch (error) {
      return faultOf(error);
    }
    changed(t(entity === '' ? 'circles.made' : 'circles.changed', { name: visible(edit.name.trim()) }));
    await this.refresh();
    return undefined;
  }

  /** fill puts in what fits. */
  fill({ entity }: CircleView): Promise<void> {
    return this.try(async () => changed(t('circles.filled', { count: await backend.Library.FillCircle(entity) })));
  }

  /** confirm puts in what only documents of somebody else put there. */
  confirm({ entity }: CircleView): Promise<void> {
    return this.try(async () => changed(t('circles.filled', { count: await backend.Library.ConfirmCircle(entity) })));
  }

  /** drop deletes a circle; its memories stay. */
  drop({ entity, name }: CircleView): Promise<void> {
    return this.try(async () => {
      await backend.Library.DropCircle(entity);
      changed(t('circles.dropped', { name: visible(name) }));
    });
  }

  private async try(what: () => Promise<void>): Promise<void> {
    this.busy = true;
    try {
      await what();
    } catch (error) {
      toasts.show({ fault: faultOf(error) });
    }
    await this.refresh();
    this.busy = false;
  }
}

const blank: CircleEditView = { name: '', types: [], tags: [], domains: [], topics: [], without: [] };

/** editOf is a circle as its form begins. */
export function editOf(circle: CircleView | undefined): CircleEditView {
  if (!circle) return { ...blank };
  const { name, types, tags, domains, topics, without } = circle;
  return { name, types, tags, domains, topics, without };
}

/** suggestions are circles that most people have somebody for. */
export function suggestions(): { id: 'work' | 'family' | 'doctor'; edit: CircleEditView }[] {
  return [
    { id: 'work', edit: { ...blank, name: t('circles.suggest.work'), types: ['skill', 'project', 'instruction', 'environment', 'goal', 'preference'], without: [...SENSITIVE_TOPICS] } },
    { id: 'family', edit: { ...blank, name: t('circles.suggest.family'), without: ['money', 'numbers'] } },
    { id: 'doctor', edit: { ...blank, name: t('circles.suggest.doctor'), topics: ['health'] } },
  ];
}

/** toggled is a list with a name put in, or taken out where it was in, in the order of all. */
export function toggled(all: readonly string[], list: readonly string[], name: string): string[] {
  return all.filter((other) => (other === name) !== list.includes(other));
}

/** listed reads names that are separated by commas. */
export function listed(text: string): string[] {
  return [...new Set(text.split(',').map((name) => name.trim()).filter((name) => name !== ''))];
}
