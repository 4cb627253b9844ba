import type { GraphEdgeView, GraphNodeView } from '../../lib/backend';
import { FEWER, FINE, frame as frameOf, inFocus, isApart, join, labelledFrom, LEAST, name, reach, regionsOf, Settling, short, shownAs, sizeOf, write, type Band, type Drawing, type Label, type Look } from './picture';
import { KNOWN } from './graph.svelte';
import type { Places } from './places';

// The picture where there is no WebGL: the same, on a plain canvas.

const MARGIN = 40; // CSS pixels around the whole
// A view asks much for each stroke, and more for a path that crosses itself often.
const AT_ONCE = 100; // lines of one colour in a path

// So many points take longer to paint than a frame lasts. While a hand moves them, the
// picture that there is lies elsewhere, or larger; it is painted anew when the hand
// rests, and when more would come into sight than this.
const MANY = 2_000;
const REST = 120; // milliseconds
const FAR = 1 / 4; // of the width and the height
const LARGER = 1.6;
const AROUND = 60; // CSS pixels about what is brought into view, for words

/** painted is the picture on a canvas. */
export function painted(room: HTMLElement, nodes: readonly GraphNodeView[], edges: readonly GraphEdgeView[], look: Look, onpick: (id: string) => void): Drawing {
  const canvas = document.createElement('canvas');
  canvas.setAttribute('aria-hidden', 'true');
  room.append(canvas);
  const pen = canvas.getContext('2d');
  const index = new Map(nodes.map((node, i) => [node.id, i]));
  const lines = edges.map((edge) => ({ a: index.get(edge.from) ?? 0, b: index.get(edge.to) ?? 0, type: edge.type }));
  const apart = isApart(nodes);
  const regions = nodes.map(regionsOf(nodes));
  let [focus, near, now] = ['', new Set<string>() as ReadonlySet<string>, look];
  const from = labelledFrom(nodes);
  let [zoom, panX, panY, fit] = [1, 0, 0, 1];
  let places: Places | undefined;
  let bands: readonly Band[] = [];
  let far = { x: 1, y: 1 }; // how far the points lie from the middle
  let frame = 0;
  let rest: ReturnType<typeof setTimeout> | undefined;
  let was = { zoom, panX, panY }; // when it was painted last

  /** Where the points are on the canvas, as it was painted last. */
  const [xs, ys] = [new Float32Array(nodes.length), new Float32Array(nodes.length)];
  const toX = (i: number) => xs[i] ?? 0;
  const toY = (i: number) => ys[i] ?? 0;
  const sized = ({ id, degree }: GraphNodeView) => (focus !== '' && near.has(id) ? inFocus(sizeOf(degree, nodes.length), id === focus) : sizeOf(degree, nodes.length));
  const dim = (id: string) => near.size > 0 && !near.has(id);

  function paint(): void {
    if (!pen || !places) return;
    clearTimeout(rest);
    was = { zoom, panX, panY };
    canvas.style.transform = '';
    const scale = devicePixelRatio;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (canvas.width !== width * scale || canvas.height !== height * scale) [canvas.width, canvas.height] = [width * scale, height * scale];
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.clearRect(0, 0, width, height);
    fit = Math.min((width / 2 - MARGIN) / far.x, (height / 2 - MARGIN) / far.y);
    for (let i = 0; i < nodes.length; i++) {
      xs[i] = width / 2 + ((places.x[i] ?? 0) - panX) * fit * zoom;
      ys[i] = height / 2 + ((places.y[i] ?? 0) - panY) * fit * zoom;
    }
    const outside = (i: number, by: number) => toX(i) < -by || toY(i) < -by || toX(i) > width + by || toY(i) > height + by;
    const { rooms } = places;
    const on = ({ x, y }: { x: number; y: number }) => ({ x: width / 2 + (x - panX) * fit * zoom, y: height / 2 + (y - panY) * fit * zoom });
    if (focus === '') join(pen, rooms, bands, now, on, fit * zoom);
    const drawn = new Map<string, { path: Path2D; count: number }>();
    for (const { a, b, type } of lines) {
      if (Math.max(toX(a), toX(b)) < 0 || Math.max(toY(a), toY(b)) < 0 || Math.min(toX(a), toX(b)) > width || Math.min(toY(a), toY(b)) > height) continue;
      const shown = shownAs(apart, regions[a] === regions[b], near.size > 0, !dim(nodes[a]?.id ?? '') && !dim(nodes[b]?.id ?? ''));
      if (shown === 'hidden') continue;
      const colour = shown === 'faint' ? now.faint : now.line(type);
      const run = drawn.get(colour) ?? { path: new Path2D(), count: 0 };
      run.path.moveTo(toX(a), toY(a));
      run.path.lineTo(toX(b), toY(b));
      run.count++;
      if (run.count === AT_ONCE) stroke(colour, run.path);
      drawn.set(colour, run.count === AT_ONCE ? { path: new Path2D(), count: 0 } : run);
    }
    for (const [colour, { path }] of drawn) stroke(colour, path);
    nodes.forEach((node, i) => {
      if (outside(i, 24)) return;
      pen.beginPath();
      pen.fillStyle = dim(node.id) ? now.faint : now.of(node.type);
      pen.arc(toX(i), toY(i), sized(node), 0, 2 * Math.PI);
      pen.fill();
    });
    const labels = nodes.flatMap((node, i): Label[] => {
      const [first, size] = [node.id === focus, sized(node)];
      const asked = focus !== '' && near.size < FEWER && near.has(node.id);
      if (outside(i, 240) || (!first && !asked && (dim(node.id) || size * zoom < from))) return [];
      return [{ text: short(node.label), x: toX(i), y: toY(i), size, first }];
    });
    write(pen, labels, now, width, name(pen, rooms, now, on, fit * zoom));
  }

  function stroke(colour: string, path: Path2D): void {
    if (!pen) return;
    [pen.strokeStyle, pen.lineWidth] = [colour, KNOWN.some((kind) => now.line(kind) === colour) ? FINE : 1];
    pen.stroke(path);
  }

  /** shift lays the picture where it belongs now, as it was painted. */
  function shift(): void {
    const by = zoom / was.zoom;
    const [x, y] = [(was.panX - panX) * fit * zoom, (was.panY - panY) * fit * zoom];
    if (nodes.length <= MANY || by > LARGER || by < 1 / LARGER || Math.abs(x) > canvas.clientWidth * FAR || Math.abs(y) > canvas.clientHeight * FAR) return paint();
    canvas.style.transform = `translate(${x}px, ${y}px) scale(${by})`;
    clearTimeout(rest);
    rest = setTimeout(again, REST);
  }

  const next = (what: () => void) => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(what);
  };
  const again = () => next(paint);
  const settling = new Settling(nodes, edges, look.still, (at, joined) => {
    [places, bands] = [at, joined];
    far = { x: reach(at.x, LEAST.x), y: reach(at.y, LEAST.y) };
    again();
  });
  const watch = new ResizeObserver(again);
  watch.observe(room);

  const wheel = (event: WheelEvent) => {
    event.preventDefault();
    zoom = scaled(event.deltaY < 0 ? 1.15 : 1 / 1.15);
    next(shift);
  };
  const scaled = (by: number) => Math.min(20, Math.max(0.4, zoom * by));
  let held: { x: number; y: number; far: boolean } | undefined;
  const down = (event: PointerEvent) => (held = { x: event.clientX, y: event.clientY, far: false });
  const moved = (event: PointerEvent) => {
    if (!held || event.buttons === 0) return;
    panX -= (event.clientX - held.x) / (fit * zoom);
    panY -= (event.clientY - held.y) / (fit * zoom);
    held = { x: event.clientX, y: event.clientY, far: held.far || Math.hypot(event.movementX, event.movementY) > 2 };
    next(shift);
  };
  const up = (event: PointerEvent) => {
    if (held && !held.far) {
      if (canvas.style.transform !== '') paint();
      const box = canvas.getBoundingClientRect();
      const hit = nodes.findIndex((node, i) => Math.hypot(toX(i) - event.clientX + box.left, toY(i) - event.clientY + box.top) < sized(node) + 5);
      onpick(nodes[hit]?.id ?? '');
    }
    held = undefined;
  };
  // On what stays in its place.
  const listening = new AbortController();
  const { signal } = listening;
  room.addEventListener('wheel', wheel, { signal, passive: false });
  room.addEventListener('pointerdown', down, { signal });
  room.addEventListener('pointermove', moved, { signal });
  room.addEventListener('pointerup', up, { signal });

  return {
    show: (id, ids, as) => {
      [focus, near, now] = [id, ids, as];
      again();
    },
    closer: (id, ids) => {
      const i = index.get(id);
      if (i === undefined) return;
      const point = (at: number) => ({ x: places?.x[at] ?? 0, y: places?.y[at] ?? 0 });
      const { x, y, width, height } = frameOf(point(i), [...ids].flatMap((one) => index.has(one) ? [point(index.get(one) ?? 0)] : []));
      const fits = Math.min((canvas.clientWidth - 2 * AROUND) / (width * fit || 1), (canvas.clientHeight - 2 * AROUND) / (height * fit || 1));
      [panX, panY, zoom] = [x, y, Math.min(Math.max(zoom, 2), Math.max(1, fits))];
      again();
    },
    zoom: (by) => {
      zoom = scaled(by > 0 ? 1.5 : 1 / 1.5);
      again();
    },
    whole: () => {
      [panX, panY, zoom] = [0, 0, 1];
      again();
    },
    end: () => {
      settling.stop();
      watch.disconnect();
      cancelAnimationFrame(frame);
      clearTimeout(rest);
      listening.abort();
      canvas.remove();
    },
  };
}

/** hasWebGL asks the view itself; a driver may refuse what a version promises. */
export function hasWebGL(): boolean {
  const context = document.createElement('canvas').getContext('webgl2');
  context?.getExtension('WEBGL_lose_context')?.loseContext();
  return context !== null;
}
