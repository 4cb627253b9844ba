import type { GraphEdgeView, GraphNodeView } from '../../lib/backend';
import { Settling, short, sizeOf, type Drawing, type Look } from './picture';
import type { Places } from './places';

// The picture where there is no WebGL: the same, on a plain canvas.

const MARGIN = 40; // CSS pixels around the whole

/** painted is the picture on a canvas. */
export function painted(room: HTMLElement, nodes: readonly GraphNodeView[], edges: readonly GraphEdgeView[], look: Look, onpick: (id: string) => void): Drawing {
  const canvas = document.createElement('canvas');
  canvas.setAttribute('aria-hidden', 'true');
  room.append(canvas);
  const pen = canvas.getContext('2d');
  const index = new Map(nodes.map((node, i) => [node.id, i]));
  const lines = edges.map((edge) => ({ a: index.get(edge.from) ?? 0, b: index.get(edge.to) ?? 0, type: edge.type }));
  let [focus, near, now] = ['', new Set<string>() as ReadonlySet<string>, look];
  let [zoom, panX, panY, fit] = [1, 0, 0, 1];
  let places: Places | undefined;
  let frame = 0;

  const toX = (i: number) => canvas.clientWidth / 2 + ((places?.x[i] ?? 0) - panX) * fit * zoom;
  const toY = (i: number) => canvas.clientHeight / 2 + ((places?.y[i] ?? 0) - panY) * fit * zoom;
  const dim = (id: string) => focus !== '' && !near.has(id);

  function paint(): void {
    if (!pen || !places) return;
    const scale = devicePixelRatio;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (canvas.width !== width * scale || canvas.height !== height * scale) [canvas.width, canvas.height] = [width * scale, height * scale];
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.clearRect(0, 0, width, height);
    const reach = Math.max(1, ...places.x.map(Math.abs).subarray(0, 2_000), ...places.y.map(Math.abs).subarray(0, 2_000));
    fit = (Math.min(width, height) / 2 - MARGIN) / reach;
    for (const { a, b, type } of lines) {
      pen.beginPath();
      pen.strokeStyle = dim(nodes[a]?.id ?? '') || dim(nodes[b]?.id ?? '') ? now.faint : now.line(type);
      pen.moveTo(toX(a), toY(a));
      pen.lineTo(toX(b), toY(b));
      pen.stroke();
    }
    nodes.forEach((node, i) => {
      pen.beginPath();
      pen.fillStyle = dim(node.id) ? now.faint : now.of(node.type);
      pen.arc(toX(i), toY(i), sizeOf(node.degree, nodes.length) * (node.id === focus ? 1.5 : 1), 0, 2 * Math.PI);
      pen.fill();
    });
    pen.font = `12px ${now.font}`;
    pen.fillStyle = now.ink;
    nodes.forEach((node, i) => {
      if (node.id === focus || (!dim(node.id) && sizeOf(node.degree, nodes.length) * zoom > 9)) pen.fillText(short(node.label), toX(i) + sizeOf(node.degree, nodes.length) + 4, toY(i) + 4);
    });
  }

  const again = () => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(paint);
  };
  const settling = new Settling(nodes, edges, look.still, (at) => {
    places = at;
    again();
  });
  const watch = new ResizeObserver(again);
  watch.observe(room);

  const wheel = (event: WheelEvent) => {
    event.preventDefault();
    scaled(event.deltaY < 0 ? 1.15 : 1 / 1.15);
  };
  const scaled = (by: number) => {
    zoom = Math.min(20, Math.max(0.4, zoom * by));
    again();
  };
  let held: { x: number; y: number; far: boolean } | undefined;
  const down = (event: PointerEvent) => (held = { x: event.clientX, y: event.clientY, far: false });
  const moved = (event: PointerEvent) => {
    if (!held || event.buttons === 0) return;
    panX -= (event.clientX - held.x) / (fit * zoom);
    panY -= (event.clientY - held.y) / (fit * zoom);
    held = { x: event.clientX, y: event.clientY, far: held.far || Math.hypot(event.movementX, event.movementY) > 2 };
    again();
  };
  const up = (event: PointerEvent) => {
    if (held && !held.far) {
      const box = canvas.getBoundingClientRect();
      const hit = nodes.findIndex((node, i) => Math.hypot(toX(i) - event.clientX + box.left, toY(i) - event.clientY + box.top) < sizeOf(node.degree, nodes.length) + 3);
      onpick(nodes[hit]?.id ?? '');
    }
    held = undefined;
  };
  canvas.addEventListener('wheel', wheel, { passive: false });
  canvas.addEventListener('pointerdown', down);
  canvas.addEventListener('pointermove', moved);
  canvas.addEventListener('pointerup', up);

  return {
    show: (id, ids, as) => {
      [focus, near, now] = [id, ids, as];
      again();
    },
    closer: (id) => {
      const i = index.get(id);
      if (i === undefined) return;
      [panX, panY, zoom] = [places?.x[i] ?? 0, places?.y[i] ?? 0, Math.max(zoom, 2)];
      again();
    },
    zoom: (by) => scaled(by > 0 ? 1.5 : 1 / 1.5),
    whole: () => {
      [panX, panY, zoom] = [0, 0, 1];
      again();
    },
    end: () => {
      settling.stop();
      watch.disconnect();
      cancelAnimationFrame(frame);
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
