import type { GraphEdgeView, GraphNodeView } from '../../lib/backend';
import { unmarked } from '../../lib/markdown/unmarked';
import { isKnown } from './graph.svelte';
import { begin, filled, LOOSE, step, TIGHT, type Places, type Room } from './places';

/** Look is what a picture takes from the page: colours as the theme has them now. */
export type Look = { ink: string; quiet: string; faint: string; band: string; paper: string; accent: string; of: (type: string) => string; line: (type: string) => string; named: (type: string, count: number) => string; font: string; still: boolean };

/** Drawing is a picture on the page, whichever way it is drawn. */
export interface Drawing {
  /** show says what is bright: all where nothing is in focus. */
  show(focus: string, near: ReadonlySet<string>, look: Look): void;
  /** closer brings a point and what is around it into view. */
  closer(id: string, near: ReadonlySet<string>): void;
  zoom(by: number): void;
  whole(): void;
  end(): void;
}

/** Frame is what a picture is to show: its middle, and how far it reaches from there. */
export type Frame = Point & { width: number; height: number };

/** frame is the smallest that shows a point and what is around it. */
export function frame(point: Point, around: readonly Point[]): Frame {
  const [xs, ys] = [[point, ...around].map(({ x }) => x), [point, ...around].map(({ y }) => y)];
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  return { x: (left + right) / 2, y: (top + bottom) / 2, width: right - left, height: bottom - top };
}

/** LEAST is how far a picture reaches at least from its middle, in lengths of a line: two points do not fill it. */
export const LEAST = { x: 4, y: 3 };

/** reach is how far values go from the middle, and at least so far. */
export function reach(values: Float64Array, least: number): number {
  return values.reduce((most, value) => Math.max(most, Math.abs(value)), least);
}

/** Settling lays points out over several frames, so that the page stays quick. */
export class Settling {
  readonly places: Places;
  /** What goes from one room to another. */
  private readonly bands: readonly Band[];
  private readonly pairs: (readonly [number, number])[];
  private readonly pull: number;
  private frame = 0;
  private round = 0;
  private readonly rounds: number;

  constructor(nodes: readonly GraphNodeView[], edges: readonly GraphEdgeView[], still: boolean, onmoved: (places: Places, bands: readonly Band[]) => void) {
    const apart = isApart(nodes);
    this.places = begin(nodes.map(regionsOf(nodes)));
    const index = new Map(nodes.map((node, i) => [node.id, i]));
    const { rooms, roomOf } = this.places;
    const ends = (edge: GraphEdgeView) => [index.get(edge.from) ?? 0, index.get(edge.to) ?? 0] as const;
    this.pairs = edges.map(ends).filter(([a, b]) => roomOf[a] === roomOf[b]);
    this.bands = apart ? between(rooms, edges.filter(({ type }) => !isKnown(type)).map(ends).map(([a, b]) => [roomOf[a] ?? 0, roomOf[b] ?? 0] as const)) : [];
    this.pull = rooms.length > 1 ? LOOSE : TIGHT;
    this.rounds = nodes.length > 3_000 ? 60 : 160;
    if (still) {
      this.work(2_000);
      onmoved({ ...this.places, rooms: filled(this.places) }, this.bands);
    } else this.next(onmoved);
  }

  private next(onmoved: (places: Places, bands: readonly Band[]) => void): void {
    this.frame = requestAnimationFrame(() => {
      this.work(10);
      onmoved({ ...this.places, rooms: filled(this.places) }, this.bands);
      if (this.round < this.rounds) this.next(onmoved);
    });
  }

  /** work goes on for so many milliseconds, or until everything rests. */
  private work(budget: number): void {
    const end = performance.now() + budget;
    do {
      step(this.places, this.pairs, Math.max(0.02, 0.9 * (1 - this.round / this.rounds)), this.pull);
      this.round++;
    } while (this.round < this.rounds && performance.now() < end);
  }

  stop(): void {
    cancelAnimationFrame(this.frame);
  }
}

const CROWD = 300; // points that lines between all of them would hide

/** regionsOf says with what a memory stands together: its topic; where none has one, its type, among many. */
export function regionsOf(nodes: readonly GraphNodeView[]): (node: GraphNodeView) => string {
  if (nodes.some(({ topic }) => topic !== '')) return ({ topic }) => topic;
  return nodes.length > CROWD ? ({ type }) => type : () => '';
}

/** isApart says that lines from region to region are drawn as bands: among so many, nobody could follow one. */
export function isApart(nodes: readonly GraphNodeView[]): boolean {
  const [first] = nodes;
  if (!first || nodes.length <= CROWD) return false;
  const region = regionsOf(nodes);
  return nodes.some((node) => region(node) !== region(first));
}

/**
 * shownAs is how a line is drawn: thinly within a room, and not at all where it would
 * lie over others and says nothing about what is bright; narrowed says that not all is.
 */
export function shownAs(apart: boolean, sameRegion: boolean, narrowed: boolean, bright: boolean): 'bright' | 'thin' | 'faint' | 'hidden' {
  if (!apart) return !narrowed || bright ? 'bright' : 'faint';
  if (narrowed) return bright ? 'bright' : 'hidden';
  return sameRegion ? 'thin' : 'hidden';
}

/** FINE is how wide a line is that no relation says, in CSS pixels. */
export const FINE = 0.6;

/** sizeOf is the radius of a point among so many, in CSS pixels: of many, small enough that lines are seen between them. */
export function sizeOf(degree: number, among: number): number {
  return (4 + Math.min(9, Math.sqrt(degree) * 2)) * (among > CROWD ? Math.max(0.16, 0.6 * Math.sqrt(CROWD / among)) : 1);
}

/** inFocus is the radius of a point of such a size that is chosen, or stands around the chosen one: never too small to be met. */
export function inFocus(size: number, chosen: boolean): number {
  return chosen ? Math.max(6, size * 1.5) : Math.max(4, size);
}

/** FEWER is below how many points around the chosen one all have their words. */
export const FEWER = 16;

/** Band stands for all lines between two rooms, and goes around what is in its way: by is where it bends to. */
export type Band = { from: Point; to: Point; by: Point; count: number };
type Point = { x: number; y: number };

/** between counts the lines from room to room, by their places in the list of rooms; the fewest come first. */
export function between(rooms: readonly Room[], pairs: readonly (readonly [number, number])[]): Band[] {
  const counts = new Map<number, number>();
  for (const [a, b] of pairs) {
    if (a === b) continue;
    const key = Math.min(a, b) * rooms.length + Math.max(a, b);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts].sort(([, n], [, m]) => n - m).flatMap(([key, count]) => {
    const [from, to] = [rooms[Math.floor(key / rooms.length)], rooms[key % rooms.length]];
    return from && to ? [{ from, to, by: around(from, to, rooms), count }] : [];
  });
}

/** around is the point to which a band from room to room bends away from the room that is most in its way. */
function around(from: Room, to: Room, rooms: readonly Room[]): Point {
  const [vx, vy] = [to.x - from.x, to.y - from.y];
  const long = Math.hypot(vx, vy) || 1;
  let [worst, bend] = [0, 0];
  for (const room of rooms) {
    if (room === from || room === to) continue;
    const [dx, dy] = [room.x - from.x, room.y - from.y];
    const along = (dx * vx + dy * vy) / (long * long);
    const aside = (dy * vx - dx * vy) / long;
    const within = room.r + 1 - Math.abs(aside);
    if (along < 0.1 || along > 0.9 || within <= worst) continue;
    [worst, bend] = [within, ((aside > 0 ? -1 : 1) * within) / (2 * along * (1 - along))];
  }
  const by = Math.max(-long, Math.min(long, bend)) / long;
  return { x: from.x + vx / 2 - vy * by, y: from.y + vy / 2 + vx * by };
}

const BROAD = 8; // CSS pixels, the band of most lines

/** join draws the bands, as broad as there are lines in each, up to the rooms. */
export function join(pen: CanvasRenderingContext2D, rooms: readonly Room[], bands: readonly Band[], look: Look, on: (point: Point) => Point, scale: number): void {
  const most = bands.at(-1)?.count ?? 1;
  pen.strokeStyle = look.band;
  for (const { from, to, by, count } of bands) {
    const [a, b, bend] = [on(from), on(to), on(by)];
    pen.lineWidth = Math.max(0.75, (BROAD * count) / most);
    pen.beginPath();
    pen.moveTo(a.x, a.y);
    pen.quadraticCurveTo(bend.x, bend.y, b.x, b.y);
    pen.stroke();
  }
  pen.fillStyle = look.paper;
  for (const room of rooms) {
    if (room.r === Infinity) continue;
    const { x, y } = on(room);
    pen.beginPath();
    pen.arc(x, y, room.r * scale + 6, 0, 2 * Math.PI);
    pen.fill();
  }
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
  return isApart(nodes) || nodes.length > 2_000 ? 5.5 : Math.min(9, 0.8 * sizeOf(largest, nodes.length));
}

/** short is as much of a memory as stands beside its point. */
export function short(label: string): string {
  const line = unmarked(label).replace(/\s+/g, ' ').trim();
  return line.length > 32 ? `${line.slice(0, 30)}…` : line;
}

/** Label is the words beside a point. One that is first stands there whatever else does. */
export type Label = { text: string; x: number; y: number; size: number; first: boolean };

const LINE = 14; // CSS pixels from one label to the next below it
const BESIDE = 4; // CSS pixels from one label to the next beside it

/** Taken is where something is written already: from left to right, so far above and below y. */
export type Taken = { from: number; to: number; y: number; reach: number };

/**
 * write puts labels in 12 px beside their points, the largest points first: to the
 * right, the left, below or above, where the edge cuts nothing off and no other label
 * or point is, nor what is written there already. One that has room nowhere is left out.
 */
export function write(pen: CanvasRenderingContext2D, labels: readonly Label[], look: Look, width: number, written: readonly Taken[] = []): void {
  [pen.font, pen.fillStyle] = [`12px ${look.font}`, look.ink];
  [pen.strokeStyle, pen.lineWidth, pen.lineJoin] = [look.paper, 3, 'round']; // what lies below stays legible around it
  const taken = [...written, ...labels.map(({ x, y, size }) => ({ from: x - size, to: x + size, y, reach: size + LINE / 2 }))];
  for (const { text, x, y, size, first } of labels.toSorted((a, b) => Number(b.first) - Number(a.first) || b.size - a.size)) {
    const [gap, row, long] = [size + 4, size + LINE / 2, pen.measureText(text).width];
    const places = [[x + gap, y], [x - gap - long, y], [x - long / 2, y + row], [x - long / 2, y - row]] as const;
    const free = ([from, at]: readonly [number, number]) => from >= 0 && from + long <= width && taken.every((t) => from + long < t.from || from > t.to || Math.abs(at - t.y) >= t.reach);
    const place = places.find(free) ?? (first ? places[0] : undefined);
    if (!place) continue;
    const [from, at] = place;
    taken.push({ from: from - BESIDE, to: from + long + BESIDE, y: at, reach: LINE });
    pen.strokeText(text, from, at + 4);
    pen.fillText(text, from, at + 4);
  }
}

/**
 * name writes above each room what is in it, or below where the name of a larger one is, and says
 * where; on gives where a point is on the picture. A name that has room nowhere is left out.
 */
export function name(pen: CanvasRenderingContext2D, rooms: readonly Room[], look: Look, on: (point: Point) => Point, scale: number): Taken[] {
  const taken: Taken[] = [];
  [pen.font, pen.fillStyle, pen.strokeStyle, pen.lineWidth, pen.lineJoin] = [`550 13px ${look.font}`, look.quiet, look.paper, 8, 'round'];
  for (const room of rooms) {
    if (room.r === Infinity) continue;
    const { x, y } = on(room);
    const text = look.named(room.kind, room.count);
    const long = pen.measureText(text).width;
    const from = x - long / 2;
    const isFree = (at: number) => taken.every((t) => from + long < t.from || from > t.to || Math.abs(at - 4 - t.y) >= t.reach);
    const top = [y - room.r * scale - 8, y + room.r * scale + 18].find(isFree);
    if (top === undefined) continue;
    pen.strokeText(text, from, top);
    pen.fillText(text, from, top);
    taken.push({ from: from - BESIDE, to: from + long + BESIDE, y: top - 4, reach: LINE });
  }
  return taken;
}
