import Graph from 'graphology';
import Sigma from 'sigma';
import type { GraphEdgeView, GraphNodeView } from '../../lib/backend';
import { FEW, FEWER, FINE, frame, inFocus, isApart, join, labelledFrom, LEAST, name, reach, regionsOf, Settling, short, shownAs, sizeOf, write, type Band, type Drawing, type Label, type Look } from './picture';
import { isKnown } from './graph.svelte';
import type { Places } from './places';

// With so many points a view without a graphics card draws a plain canvas many
// times quicker than WebGL (docs/performance.md); it does not say what it has, so
// it is timed.
const MANY = 2_000;
const SLOW = 400; // milliseconds a frame
const AROUND = 60; // CSS pixels about a frame, for words
const NEAR = 8; // CSS pixels from the middle of a point

/** drawn is the picture by sigma, in WebGL. It throws where there is none, and where it takes too long. */
export function drawn(room: HTMLElement, nodes: readonly GraphNodeView[], edges: readonly GraphEdgeView[], look: Look, onpick: (id: string) => void): Drawing {
  let [focus, near, now] = ['', new Set<string>() as ReadonlySet<string>, look];
  const graph = new Graph({ multi: true });
  const region = regionsOf(nodes);
  nodes.forEach((node, i) => graph.addNode(node.id, { x: Math.cos(i), y: Math.sin(i), size: sizeOf(node.degree, nodes.length), label: short(node.label), type: 'circle', kind: node.type, region: region(node) }));
  for (const edge of edges) graph.addEdge(edge.from, edge.to, { kind: edge.type, size: 1 });

  const few = nodes.length < FEW;
  const apart = isApart(nodes);
  const crowd = !apart && nodes.length > MANY; // all of one type: no rooms keep their lines apart
  const dim = (id: string) => near.size > 0 && !near.has(id);
  // Sigma asks for one label at a time; which have room is known when all are.
  let labels: Label[] = [];
  let page: CanvasRenderingContext2D | undefined;
  let rooms: Places['rooms'] = [];
  let bands: readonly Band[] = [];
  const sigma = new Sigma(graph, room, {
    allowInvalidContainer: true, defaultEdgeType: 'arrow', labelRenderedSizeThreshold: labelledFrom(nodes), labelDensity: few ? nodes.length : 1, zIndex: true, stagePadding: few ? 64 : 30,
    nodeReducer: (id, data) => ({
      ...data, color: dim(id) ? now.faint : now.of(String(data['kind'])), label: dim(id) ? '' : String(data['label']),
      forceLabel: id === focus || (focus !== '' && near.size < FEWER && near.has(id)), highlighted: false, zIndex: dim(id) ? 0 : 1, size: focus !== '' && near.has(id) ? inFocus(Number(data['size']), id === focus) : Number(data['size']),
    }),
    edgeReducer: (edge, data) => {
      const [from, to] = graph.extremities(edge);
      const shown = shownAs(apart, graph.getNodeAttribute(from, 'region') === graph.getNodeAttribute(to, 'region'), near.size > 0, near.has(from) && near.has(to));
      const bright = shown === 'bright';
      const known = isKnown(String(data['kind']));
      const size = known ? FINE : bright ? 2 : 1;
      return { ...data, hidden: shown === 'hidden' || (crowd && !bright), color: shown === 'faint' ? now.faint : now.line(String(data['kind'])), zIndex: bright ? 1 : 0, size: crowd ? 0.6 : size, ...((known || shown === 'thin') && { type: 'line' }) };
    },
    defaultDrawNodeLabel: (pen, data) => {
      page = pen;
      const { x, y, size } = data;
      if (data.label) labels.push({ text: data.label, x, y, size, first: 'key' in data && data.key === focus });
    },
    defaultDrawNodeHover: () => {}, // sigma's own draws a white plate in any theme
  });
  if (nodes.length > MANY && frameOf(sigma) > SLOW) {
    sigma.kill();
    throw new Error('WebGL is slow here');
  }
  const below = { style: {}, beforeLayer: 'edges' }; // which its types leave out
  if (apart) sigma.createCanvasContext('bands', below).resize(true);
  const behind = apart ? sigma.getCanvases()['bands']?.getContext('2d') : undefined;
  // Sigma's y goes up, that of the other picture down: one graph looks the same in both.
  const on = ({ x, y }: { x: number; y: number }) => sigma.graphToViewport({ x, y: -y });
  const scale = () => Math.abs(on({ x: 1, y: 0 }).x - on({ x: 0, y: 0 }).x);
  sigma.on('beforeRender', () => (labels = []));
  sigma.on('afterRender', () => {
    behind?.clearRect(0, 0, room.clientWidth, room.clientHeight);
    if (behind && focus === '') join(behind, rooms, bands, now, on, scale());
    if (rooms.length < 2 && !page) return;
    page ??= sigma.getCanvases()['labels']?.getContext('2d') ?? undefined; // sigma asks for no label where no point is large
    if (!page) return;
    write(page, labels, now, room.clientWidth, name(page, rooms, now, on, scale()));
  });
  sigma.on('clickNode', ({ node }) => onpick(node));
  sigma.on('clickStage', ({ event }) => onpick(nearest(event.x, event.y)));

  // A hand does not meet a small point exactly.
  function nearest(x: number, y: number): string {
    let [best, found] = [NEAR, ''];
    graph.forEachNode((id, { x: gx, y: gy }) => {
      const at = sigma.graphToViewport({ x: Number(gx), y: Number(gy) });
      const far = Math.hypot(at.x - x, at.y - y);
      if (far < best) [best, found] = [far, id];
    });
    return found;
  }

  const settling = new Settling(nodes, edges, look.still, ({ x, y, ...at }, joined) => {
    [rooms, bands] = [at.rooms, joined];
    if (small(x, y)) sigma.setCustomBBox({ x: [-LEAST.x, LEAST.x], y: [-LEAST.y, LEAST.y] });
    else sigma.setCustomBBox(null);
    let i = 0; // nodes come in the order in which they were added
    graph.updateEachNodeAttributes((_, node) => ({ ...node, x: x[i] ?? 0, y: -(y[i++] ?? 0) }), { attributes: ['x', 'y'] });
  });
  const camera = sigma.getCamera();
  const move = (change: () => Promise<void>) => void change();
  const duration = look.still ? 0 : 200;
  return {
    show: (id, ids, as) => {
      [focus, near, now] = [id, ids, as];
      sigma.refresh({ skipIndexation: true });
    },
    closer: (id, ids) => {
      const at = sigma.getNodeDisplayData(id);
      if (!at) return;
      // In the measure of the camera a picture is as high as wide, and its shorter side is 1.
      const { x, y, width, height } = frame(at, [...ids].flatMap((one) => sigma.getNodeDisplayData(one) ?? []));
      const [wide, high] = [room.clientWidth - 2 * AROUND, room.clientHeight - 2 * AROUND];
      const ratio = Math.max((width * Math.min(wide, high)) / wide, (height * Math.min(wide, high)) / high);
      move(() => camera.animate({ x, y, ratio: Math.max(Math.min(camera.ratio, 0.5), Math.min(1, ratio)) }, { duration }));
    },
    zoom: (by) => move(() => (by > 0 ? camera.animatedZoom({ duration }) : camera.animatedUnzoom({ duration }))),
    whole: () => move(() => camera.animatedReset({ duration })),
    end: () => {
      settling.stop();
      sigma.kill();
    },
  };
}

// small tells a picture that would be made larger than its lines are long.
const small = (x: Float64Array, y: Float64Array) => reach(x, LEAST.x) === LEAST.x && reach(y, LEAST.y) === LEAST.y;

// frameOf times the second frame, in milliseconds: the first makes the shaders ready.
function frameOf(sigma: Sigma): number {
  const drawn = () => {
    sigma.refresh();
    for (const canvas of Object.values(sigma.getCanvases())) {
      const gl = canvas.getContext('webgl2');
      gl?.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4)); // returns once all is drawn
    }
  };
  drawn();
  const began = performance.now();
  drawn();
  return performance.now() - began;
}
