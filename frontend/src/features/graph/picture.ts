import type { GraphEdgeView, GraphNodeView } from '../../lib/backend';
import { unmarked } from '../../lib/markdown/unmarked';
import { begin, step, type Places, type Room } from './places';

/** Look is what a picture takes from the page: colours as the theme has them now. */
export type Look = { ink: string; faint: string; paper: string; accent: string; of: (type: string) => string; line: (type: string) => string; named: (type: string, count: number) => string; font: string; still: boolean };

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
    const apart = isApart(nodes);
    this.places = begin(nodes.map((node) => (apart ? node.type : '')));
    const index = new Map(nodes.map((node, i) => [node.id, i]));
    const { roomOf } = this.places;
    this.pairs = edges.map((edge) => [index.get(edge.from) ?? 0, index.get(edge.to) ?? 0] as const).filter(([a, b]) => roomOf[a] === roomOf[b]);
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

const CROWD = 300; // points that lines between all of them would hide

/** isApart says that each type of memory has a room of its own: among more, nobody could follow a line. */
export function isApart(nodes: readonly GraphNodeView[]): boolean {
  return nodes.length > CROWD && nodes.some(({ type }) => type !== nodes[0]?.type);
}

/**
 * shownAs is how a line is drawn: not at all where it would lie over others and says
 * nothing about the memory in focus.
 */
export function shownAs(apart: boolean, sameType: boolean, focus: string, bright: boolean): 'bright' | 'faint' | 'hidden' {
  if (!apart) return focus === '' || bright ? 'bright' : 'faint';
  if (focus !== '') return bright ? 'bright' : 'hidden';
  return sameType ? 'faint' : 'hidden';
}

/** sizeOf is the radius of a point among so many, in CSS pixels. */
export function sizeOf(degree: number, among: number): number {
  return (4 + Math.min(9, Math.sqrt(degree) * 2)) * Math.max(0.3, Math.min(1, Math.sqrt(300 / among)));
}

/** FEW is below how many points all have their words. */
export const FEW = 60;

/**
 * labelledFrom is the radius, in CSS pixels, from which a point has its label: all of
 * few have, the largest of more, and none of many before they are looked at closely.
 */
export function labelledFrom(nodes: readonly GraphNodeView[]): number {
  if (nodes.length < FEW) return 0;
  const largest = nodes.reduce((most, { degree }) => Math.max(most, degree), 0);
  return isApart(nodes) || nodes.length > 2_000 ? 9 : Math.min(9, 0.8 * sizeOf(largest, nodes.length));
}

/** short is as much of a memory as stands beside its point. */
export function short(label: string): string {
  const line = unmarked(label).replace(/\s+/g, ' ').trim();
  return line.length > 32 ? `${line.slice(0, 30)}…` : line;
}

/** Label is the words beside a point. One that is first stands there whatever else does. */
export type Label = { text: string; x: number; y: number; size: number; first: boolean };

const LINE = 14; // CSS pixels from one label to the next below it

/**
 * write puts labels in 12 px beside their points, the largest points first: to the
 * right, the left, below or above, where the edge cuts nothing off and no other label
 * or point is. One that has room nowhere is left out.
 */
export function write(pen: CanvasRenderingContext2D, labels: readonly Label[], look: Look, width: number): void {
  [pen.font, pen.fillStyle] = [`12px ${look.font}`, look.ink];
  [pen.strokeStyle, pen.lineWidth, pen.lineJoin] = [look.paper, 3, 'round']; // what lies below stays legible around it
  const taken = labels.map(({ x, y, size }) => ({ from: x - size, to: x + size, y, reach: size + LINE / 2 }));
  for (const { text, x, y, size, first } of labels.toSorted((a, b) => Number(b.first) - Number(a.first) || b.size - a.size)) {
    const [gap, row, long] = [size + 4, size + LINE / 2, pen.measureText(text).width];
    const places = [[x + gap, y], [x - gap - long, y], [x - long / 2, y + row], [x - long / 2, y - row]] as const;
    const free = ([from, at]: readonly [number, number]) => from >= 0 && from + long <= width && taken.every((t) => from + long < t.from || from > t.to || Math.abs(at - t.y) >= t.reach);
    const place = places.find(free) ?? (first ? places[0] : undefined);
    if (!place) continue;
    const [from, at] = place;
    taken.push({ from, to: from + long, y: at, reach: LINE });
    pen.strokeText(text, from, at + 4);
    pen.fillText(text, from, at + 4);
  }
}

/** name writes above each room what is in it; on gives its middle and its radius as they are on the picture. */
export function name(pen: CanvasRenderingContext2D, rooms: readonly Room[], look: Look, on: (room: Room) => { x: number; y: number; r: number }): void {
  [pen.font, pen.fillStyle, pen.strokeStyle, pen.lineWidth, pen.lineJoin] = [`550 13px ${look.font}`, look.ink, look.paper, 4, 'round'];
  for (const room of rooms) {
    if (room.r === Infinity) continue;
    const { x, y, r } = on(room);
    const text = look.named(room.kind, room.count);
    const from = x - pen.measureText(text).width / 2;
    pen.strokeText(text, from, y - r - 6);
    pen.fillText(text, from, y - r - 6);
  }
}
