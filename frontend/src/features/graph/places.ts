// Where the points of a graph stand. Points push each other away within a few
// cells of a grid and lines pull their ends together, so that a step costs about
// as much as there are points and lines. The same graph always looks the same.

/** Room is the disc in which the points of one kind stay; r is Infinity where all may go anywhere. */
export type Room = { kind: string; count: number; x: number; y: number; r: number };

export type Places = { x: Float64Array; y: Float64Array; rooms: readonly Room[]; roomOf: Uint16Array };

const GOLDEN = Math.PI * (3 - Math.sqrt(5));
const REST = 1; // length at which a line pulls and two points push alike

/** How much a line pulls its ends together: in rooms only so much that it is longer than its points are large. */
export const TIGHT = 0.06;
export const LOOSE = 0.02;

const BETWEEN = 6; // lengths of a line between two rooms, for their names
const WIDE = 1.2; // a picture is wider than it is high

/**
 * begin lays the points of each kind on a spiral in a room of their own, the first in
 * the middle. Where there is only one kind, its points may go anywhere.
 */
export function begin(kinds: readonly string[]): Places {
  const x = new Float64Array(kinds.length);
  const y = new Float64Array(kinds.length);
  const counts = new Map<string, number>();
  for (const kind of kinds) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const rooms = counts.size === 1 ? [{ kind: kinds[0] ?? '', count: kinds.length, x: 0, y: 0, r: Infinity }] : beside(counts);
  const index = new Map(rooms.map((room, i) => [room.kind, i]));
  const roomOf = Uint16Array.from(kinds, (kind) => index.get(kind) ?? 0);
  const filled = new Array<number>(rooms.length).fill(0);
  for (let i = 0; i < kinds.length; i++) {
    const at = roomOf[i] ?? 0;
    const nth = filled[at] ?? 0;
    filled[at] = nth + 1;
    const r = REST * Math.sqrt(nth + 0.5);
    x[i] = (rooms[at]?.x ?? 0) + r * Math.cos(nth * GOLDEN);
    y[i] = (rooms[at]?.y ?? 0) + r * Math.sin(nth * GOLDEN);
  }
  return { x, y, rooms, roomOf };
}

/** beside puts rooms where none touches another, the largest in the middle. */
function beside(counts: ReadonlyMap<string, number>): Room[] {
  const rooms: Room[] = [];
  for (const [kind, count] of [...counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))) {
    const room = { kind, count, x: 0, y: 0, r: REST * (1 + 1.1 * Math.sqrt(count)) };
    const touches = (other: Room) => Math.hypot(room.x - other.x, room.y - other.y) < room.r + other.r + BETWEEN;
    for (let turn = 0; rooms.some(touches); turn += 0.05) {
      room.x = WIDE * turn * Math.cos(turn);
      room.y = turn * Math.sin(turn);
    }
    rooms.push(room);
  }
  const middle = (from: (room: Room) => number, by: (room: Room) => number) => (Math.min(...rooms.map((r) => from(r) - by(r))) + Math.max(...rooms.map((r) => from(r) + by(r)))) / 2;
  const [cx, cy] = [middle((r) => r.x, (r) => r.r), middle((r) => r.y, (r) => r.r)];
  return rooms.map((room) => ({ ...room, x: room.x - cx, y: room.y - cy }));
}

/** filled is each room as far as its points reach. */
export function filled({ x, y, rooms, roomOf }: Places): Room[] {
  const far = rooms.map(() => 0);
  for (let i = 0; i < x.length; i++) {
    const at = roomOf[i] ?? 0;
    far[at] = Math.max(far[at] ?? 0, Math.hypot((x[i] ?? 0) - (rooms[at]?.x ?? 0), (y[i] ?? 0) - (rooms[at]?.y ?? 0)));
  }
  return rooms.map((room, i) => ({ ...room, r: room.r === Infinity ? Infinity : (far[i] ?? 0) }));
}

/** step moves every point a little; heat bounds by how much, in lengths of a line. */
export function step(at: Places, edges: readonly (readonly [number, number])[], heat: number, pulls = TIGHT): void {
  const n = at.x.length;
  const dx = new Float64Array(n);
  const dy = new Float64Array(n);
  push(at, dx, dy);
  for (const [a, b] of edges) {
    const [vx, vy] = [(at.x[b] ?? 0) - (at.x[a] ?? 0), (at.y[b] ?? 0) - (at.y[a] ?? 0)];
    const pull = pulls * Math.hypot(vx, vy);
    dx[a] = (dx[a] ?? 0) + vx * pull;
    dy[a] = (dy[a] ?? 0) + vy * pull;
    dx[b] = (dx[b] ?? 0) - vx * pull;
    dy[b] = (dy[b] ?? 0) - vy * pull;
  }
  for (let i = 0; i < n; i++) {
    const { x: hx, y: hy, r } = at.rooms[at.roomOf[i] ?? 0] ?? { x: 0, y: 0, r: Infinity };
    const [x, y] = [(at.x[i] ?? 0) - hx, (at.y[i] ?? 0) - hy];
    // What belongs nowhere still belongs to the picture.
    const [fx, fy] = [(dx[i] ?? 0) - x * 0.004, (dy[i] ?? 0) - y * 0.004];
    const far = Math.hypot(fx, fy) || 1;
    const by = Math.min(far, heat) / far;
    const [nx, ny] = [x + fx * by, y + fy * by];
    const back = Math.min(1, r / (Math.hypot(nx, ny) || 1));
    at.x[i] = hx + nx * back;
    at.y[i] = hy + ny * back;
  }
}

function push(at: Places, dx: Float64Array, dy: Float64Array): void {
  const cell = 2.5 * REST;
  const grid = new Map<number, number[]>();
  const key = (cx: number, cy: number) => (cx + 32_768) * 65_536 + (cy + 32_768);
  for (let i = 0; i < at.x.length; i++) {
    const k = key(Math.floor((at.x[i] ?? 0) / cell), Math.floor((at.y[i] ?? 0) / cell));
    const room = grid.get(k);
    if (room) room.push(i);
    else grid.set(k, [i]);
  }
  for (let i = 0; i < at.x.length; i++) {
    const [x, y] = [at.x[i] ?? 0, at.y[i] ?? 0];
    const [cx, cy] = [Math.floor(x / cell), Math.floor(y / cell)];
    for (let k = 0; k < 9; k++) {
      for (const j of grid.get(key(cx + (k % 3) - 1, cy + Math.floor(k / 3) - 1)) ?? []) {
        if (j === i) continue;
        const [vx, vy] = [x - (at.x[j] ?? 0), y - (at.y[j] ?? 0)];
        const far = Math.max(0.05, vx * vx + vy * vy);
        if (far > cell * cell) continue;
        dx[i] = (dx[i] ?? 0) + (0.12 * vx) / far;
        dy[i] = (dy[i] ?? 0) + (0.12 * vy) / far;
      }
    }
  }
}
