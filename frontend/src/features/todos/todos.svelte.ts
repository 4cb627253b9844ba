import { backend, faultOf, type FaultView, type TodoEditView, type TodosView, type TodoView } from '../../lib/backend';
import { t } from '../../lib/i18n';
import { Live } from '../../lib/live.svelte';
import { toasts } from '../../lib/toasts.svelte';
import { changed } from '../../lib/undo';

export const STATUSES = ['backlog', 'todo', 'in_progress', 'blocked', 'done', 'cancelled'] as const;
export const PRIORITIES = ['urgent', 'high', 'medium', 'low', 'none'] as const;

/** Todos is the list of tasks, and what is done with it. */
export class Todos extends Live<TodosView> {
  all = $state(false);

  constructor() {
    super(() => backend.Todos.List(!this.all), ['library']);
  }

  readonly items = $derived<TodoView[]>(this.value?.items ?? []);

  show(all: boolean): void {
    this.all = all;
    void this.refresh();
  }

  /** tick marks a task as done, or as to do again. */
  async tick(todo: TodoView): Promise<void> {
    const done = todo.status !== 'done';
    await this.try(async () => {
      await backend.Todos.SetStatus(todo.id, done ? 'done' : 'todo');
      changed(t(done ? 'todos.ticked' : 'todos.reopened'));
    });
  }

  /** keep stores a task, a new one where id is ''. */
  async keep(id: string, edit: TodoEditView): Promise<FaultView | undefined> {
    try {
      await (id === '' ? backend.Todos.Add(edit) : backend.Todos.Edit(id, edit));
    } catch (error) {
      return faultOf(error);
    }
    changed(t(id === '' ? 'todos.added' : 'todos.changed'));
    await this.refresh();
    return undefined;
  }

  async remove(id: string): Promise<void> {
    await this.try(async () => {
      await backend.Todos.Remove(id);
      changed(t('todos.removed'));
    });
  }

  private async try(what: () => Promise<unknown>): Promise<void> {
    try {
      await what();
    } catch (error) {
      toasts.show({ fault: faultOf(error) });
    }
    await this.refresh();
  }
}

export const blank: TodoEditView = { content: '', status: 'todo', priority: 'none', dueDate: '', project: '', tags: [], notes: '' };

/** editOf is a task as its form begins. */
export function editOf(todo: TodoView | undefined): TodoEditView {
  if (!todo) return { ...blank };
  const { content, status, priority, dueDate, project, tags, notes } = todo;
  return { content, status, priority, dueDate, project, tags, notes };
}

/** tagsIn reads tags that are separated by commas. */
export function tagsIn(text: string): string[] {
  return text.split(',').map((tag) => tag.trim()).filter((tag) => tag !== '');
}
