import type { GraphEdgeView, GraphNodeView } from '../../lib/backend';
import { unmarked } from '../../lib/markdown/unmarked';
import { begin, step, type Places } from './places';

/** Look is what a picture takes from the page: colours as the theme has them now. */
export type Look = { ink: string; faint: string; paper: string; accent: string; of: (type: string) => string; line: (type: string) => string; font: string; still: boolean };

/** Drawing is a picture on the page, whichever way it is drawn. */
export interface Drawing {
  /** show says what is bright: all where nothing is in focus. */
  show(focus: string, near: ReadonlySet<string>, look: Look): void;
  /** closer brings a point into the middle. */
  closer(id: string): void;
  zoom(by: number): void;
  whole(): void;
  end(): void;
}

/** Settling lays points out over several frames, so that the page stays quick. */
export class Settling {
  readonly places: Places;
  private readonly pairs: (readonly [number, number])[];
  private frame = 0;
  private round = 0;
  private readonly rounds: number;

  constructor(nodes: readonly GraphNodeView[], edges: readonly GraphEdgeView[], still: boolean, onmoved: (places: Places) => void) {
    this.places = begin(nodes.length);
    const index = new Map(nodes.map((node, i) => [node.id, i]));
    this.pairs = edges.map((edge) => [index.get(edge.from) ?? 0, index.get(edge.to) ?? 0] as const);
    this.rounds = nodes.length > 3_000 ? 60 : 160;
    if (still) {
      this.work(2_000);
      onmoved(this.places);
    } else this.next(onmoved);
  }

  private next(onmoved: (places: Places) => void): void {
    this.frame = requestAnimationFrame(() => {
      this.work(10);
      onmoved(this.places);
      if (this.round < this.rounds) this.next(onmoved);
    });
  }

  /** work goes on for so many milliseconds, or until everything rests. */
  private work(budget: number): void {
    const end = performance.now() + budget;
    do {
      step(this.places, this.pairs, Math.max(0.02, 0.9 * (1 - this.round / this.rounds)));
      this.round++;
    } while (this.round < this.rounds && performance.now() < end);
  }

  stop(): void {
    cancelAnimationFrame(this.frame);
  }
}

/** sizeOf is the radius of a point among so many, in CSS pixels. */
export function sizeOf(degree: number, among: number): number {
  return (4 + Math.min(9, Math.sqrt(degree) * 2)) * Math.max(0.3, Math.min(1, Math.sqrt(300 / among)));
}

/** short is as much of a memory as stands beside its point. */
export function short(label: string): string {
  const line = unmarked(label).replace(/\s+/g, ' ').trim();
  return line.length > 32 ? `${line.slice(0, 30)}…` : line;
}

/** write puts the label of a point beside it, in 12 px: to its left where the right would be cut off by the edge. */
export function write(pen: CanvasRenderingContext2D, label: string, at: { x: number; y: number; size: number }, width: number): void {
  const [gap, long] = [at.size + 4, pen.measureText(label).width];
  const fits = at.x + gap + long <= width || at.x - gap - long < 0;
  pen.fillText(label, fits ? at.x + gap : at.x - gap - long, at.y + 4);
}
