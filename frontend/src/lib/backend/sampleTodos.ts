import { fault } from './sampleVault';
import type { Methods, TodoEditView, TodoView } from './types';

const blank: TodoView = {
  id: '', content: '', status: 'todo', priority: 'none', createdAt: '2025-10-01T09:00:00Z', dueDate: '', completedAt: '', project: '', contexts: [], tags: [], notes: '',
};

/** SampleTodos is what Marina still has to do. */
export class SampleTodos {
  items: TodoView[] = [
    { ...blank, id: 'todo-1', content: 'Send the index to the publisher', priority: 'high', dueDate: '2025-10-24', project: 'The tea book', tags: ['book'] },
    { ...blank, id: 'todo-2', content: 'Ask Inês about the photographs', status: 'blocked', notes: 'She is back in November.' },
    { ...blank, id: 'todo-3', content: 'Water the lemon tree', status: 'done', completedAt: '2025-10-12T08:00:00Z' },
  ];
  private made = 0;

  constructor(private readonly changed: () => void) {}

  methods(): Methods['Todos'] {
    return {
      List: async (openOnly) => {
        const open = this.items.filter(isOpen);
        return { total: this.items.length, open: open.length, items: openOnly ? open : [...open, ...this.items.filter((t) => !isOpen(t))] };
      },
      Add: async (edit) => this.put({ ...blank, id: `todo-new-${++this.made}` }, edit),
      Edit: async (id, edit) => this.put(this.find(id), edit),
      SetStatus: async (id, status) => this.put(this.find(id), { status }),
      Remove: async (id) => {
        this.find(id);
        this.items = this.items.filter((t) => t.id !== id);
        this.changed();
      },
    };
  }

  private find(id: string): TodoView {
    const found = this.items.find((t) => t.id === id);
    if (!found) throw fault('not_found', 'no-todo', 'There is no task with this id.');
    return found;
  }

  private put(todo: TodoView, edit: Partial<TodoEditView>): TodoView {
    const next = { ...todo, ...edit };
    if (next.content === '') throw fault('invalid', 'todo-empty', 'A task needs words.');
    this.items = [next, ...this.items.filter((t) => t.id !== todo.id)];
    this.changed();
    return next;
  }
}

function isOpen(todo: TodoView): boolean {
  return todo.status !== 'done' && todo.status !== 'cancelled';
}
