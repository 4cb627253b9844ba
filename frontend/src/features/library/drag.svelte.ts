import type { MemoryRowView } from '../../lib/backend';

// Dragging one memory onto another, by pointer events: the drag and drop of web
// views differs too much between systems, and a file's would be mixed up with it.

const FAR = 8; // CSS pixels before a press is a drag

/** Drag is a memory on its way to another one. */
export class Drag {
  /** What is carried, and what it lies over. */
  row = $state.raw<MemoryRowView | undefined>(undefined);
  over = $state.raw<MemoryRowView | undefined>(undefined);
  x = $state(0);
  y = $state(0);
  private began: { row: MemoryRowView; x: number; y: number } | undefined;
  private moved = false;

  /** rowAt finds the memory drawn at a point of the window. */
  constructor(
    private readonly rowAt: (x: number, y: number) => MemoryRowView | undefined,
    private readonly ondrop: (from: MemoryRowView, to: MemoryRowView) => void,
  ) {}

  press(row: MemoryRowView | undefined, event: PointerEvent): void {
    this.moved = false;
    if (!row || event.button !== 0 || event.pointerType === 'touch') return;
    this.began = { row, x: event.clientX, y: event.clientY };
  }

  move(event: PointerEvent): void {
    if (!this.began) return;
    if (event.buttons === 0) return this.stop();
    [this.x, this.y] = [event.clientX, event.clientY];
    if (!this.row && Math.hypot(this.x - this.began.x, this.y - this.began.y) < FAR) return;
    event.preventDefault();
    document.getSelection()?.removeAllRanges(); // a drag over text selects it
    this.moved = true;
    this.row = this.began.row;
    const over = this.rowAt(this.x, this.y);
    this.over = over?.id === this.row.id ? undefined : over;
  }

  release(): void {
    const [from, to] = [this.row, this.over];
    this.stop();
    if (from && to) this.ondrop(from, to);
  }

  stop(): void {
    this.began = this.row = this.over = undefined;
  }

  /** dragged tells, once, whether the press that ends now was a drag and no click. */
  dragged(): boolean {
    const was = this.moved;
    this.moved = false;
    return was;
  }
}
