// Where the points of a graph stand. Points push each other away within a few
// cells of a grid and lines pull their ends together, so that a step costs about
// as much as there are points and lines. The same graph always looks the same.

export type Places = { x: Float64Array; y: Float64Array };

const GOLDEN = Math.PI * (3 - Math.sqrt(5));
const REST = 1; // length at which a line pulls and two points push alike

/** begin lays the points on a spiral, the most related in the middle. */
export function begin(count: number): Places {
  const x = new Float64Array(count);
  const y = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    const r = REST * Math.sqrt(i + 0.5);
    x[i] = r * Math.cos(i * GOLDEN);
    y[i] = r * Math.sin(i * GOLDEN);
  }
  return { x, y };
}

/** step moves every point a little; heat bounds by how much, in lengths of a line. */
export function step(at: Places, edges: readonly (readonly [number, number])[], heat: number): void {
  const n = at.x.length;
  const dx = new Float64Array(n);
  const dy = new Float64Array(n);
  push(at, dx, dy);
  for (const [a, b] of edges) {
    const [vx, vy] = [(at.x[b] ?? 0) - (at.x[a] ?? 0), (at.y[b] ?? 0) - (at.y[a] ?? 0)];
    const pull = 0.06 * Math.hypot(vx, vy);
    dx[a] = (dx[a] ?? 0) + vx * pull;
    dy[a] = (dy[a] ?? 0) + vy * pull;
    dx[b] = (dx[b] ?? 0) - vx * pull;
    dy[b] = (dy[b] ?? 0) - vy * pull;
  }
  for (let i = 0; i < n; i++) {
    // What belongs nowhere still belongs to the picture.
    const [fx, fy] = [(dx[i] ?? 0) - (at.x[i] ?? 0) * 0.004, (dy[i] ?? 0) - (at.y[i] ?? 0) * 0.004];
    const far = Math.hypot(fx, fy) || 1;
    const by = Math.min(far, heat) / far;
    at.x[i] = (at.x[i] ?? 0) + fx * by;
    at.y[i] = (at.y[i] ?? 0) + fy * by;
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
