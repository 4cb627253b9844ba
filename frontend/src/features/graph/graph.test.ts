import { cleanup, render, screen, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { use } from '../../lib/backend';
import { Fake } from '../../lib/backend/fake';
import { around, Net } from './graph.svelte';
import GraphView from './GraphView.svelte';
import { between, frame, isApart, join, LEAST, name, reach, regionsOf, Settling, short, shownAs, sizeOf, write, type Label, type Look } from './picture';
import { begin, step, type Places, type Room } from './places';

afterEach(() => cleanup());

const chain = [['a', 'b'], ['b', 'c'], ['c', 'd']].map(([from = '', to = '']) => ({ from, to, type: 'supports' }));

describe('the graph', () => {
  it('reaches as many steps around the focus as it is told, either way along a line', () => {
    expect([...around('b', 1, chain)].sort()).toEqual(['a', 'b', 'c']);
    expect([...around('a', 2, chain)].sort()).toEqual(['a', 'b', 'c']);
    expect(around('', 3, chain).size).toBe(0);
  });

  it('loads page by page, and draws ten thousand at most', async () => {
    const fake = new Fake({ size: 12_000 });
    const calls = vi.spyOn(fake, 'call');
    use(fake);
    const net = new Net();
    await net.load();
    expect(net.picture.nodes.length).toBe(10_000);
    expect(net.picture.total).toBeGreaterThan(10_000);
    expect(new Set(net.picture.nodes.map((n) => n.id)).size).toBe(10_000);
    expect(calls.mock.calls.length).toBeLessThanOrEqual(12);
  });

  it('lays related memories closer than others, and the same way every time', () => {
    const edges = [[0, 1], [1, 2], [5, 6]] as const;
    const lay = () => {
      const at = begin(new Array<string>(30).fill(''));
      for (let i = 0; i < 120; i++) step(at, edges, 0.9 * (1 - i / 120));
      return at;
    };
    const [one, two] = [lay(), lay()];
    expect([...one.x]).toEqual([...two.x]);
    const far = (a: number, b: number) => Math.hypot((one.x[a] ?? 0) - (one.x[b] ?? 0), (one.y[a] ?? 0) - (one.y[b] ?? 0));
    expect(far(0, 1)).toBeLessThan(far(0, 29));
    expect([...one.x, ...one.y].every(Number.isFinite)).toBe(true);
  });

  it('gives each type a room of its own, in which its points stay', () => {
    const kinds = Array.from({ length: 2_000 }, (_, i) => ['fact', 'goal', 'fact', 'skill', 'custom'][i % 5] ?? '');
    const at = begin(kinds);
    expect(at.rooms.map(({ kind, count }) => [kind, count])).toEqual([['fact', 800], ['custom', 400], ['goal', 400], ['skill', 400]]);
    for (const [i, room] of at.rooms.entries()) {
      for (const other of at.rooms.slice(i + 1)) expect(Math.hypot(room.x - other.x, room.y - other.y)).toBeGreaterThan(room.r + other.r);
    }
    const across = Array.from({ length: 400 }, (_, i) => [i, i + 999] as const); // lines that would pull them out
    for (let i = 0; i < 160; i++) step(at, across, 0.9 * (1 - i / 160));
    kinds.forEach((kind, i) => {
      const room = at.rooms[at.roomOf[i] ?? 0];
      expect(room?.kind).toBe(kind);
      expect(Math.hypot((at.x[i] ?? 0) - (room?.x ?? 0), (at.y[i] ?? 0) - (room?.y ?? 0))).toBeLessThanOrEqual((room?.r ?? 0) + 1e-9);
    });
  });

  it('shows every line of few, and of many those in a room, thinly, and those around the focus', () => {
    const nodes = (count: number) => Array.from({ length: count }, (_, i) => ({ id: `m-${i}`, label: '', type: i % 2 ? 'fact' : 'goal', topic: '', degree: 1, status: 'active' })) as unknown as Parameters<typeof isApart>[0];
    expect([isApart([]), isApart(nodes(300)), isApart(nodes(301)), isApart(nodes(602).filter(({ type }) => type === 'goal'))]).toEqual([false, false, true, false]);
    expect([shownAs(false, false, false, false), shownAs(false, true, true, true), shownAs(false, true, true, false)]).toEqual(['bright', 'bright', 'faint']);
    expect([shownAs(true, true, false, false), shownAs(true, false, false, false)]).toEqual(['thin', 'hidden']);
    expect([shownAs(true, false, true, true), shownAs(true, true, true, false)]).toEqual(['bright', 'hidden']);
  });

  it('draws the points of many so small, and lines so long, that lines are seen between them', () => {
    const kinds = ['fact', 'preference', 'skill', 'goal', 'context', 'identity', 'project'];
    const nodes = Array.from({ length: 420 }, (_, i) => ({ id: `m-${i}`, label: '', type: kinds[i % 7], topic: '', degree: 2, status: 'active' })) as unknown as ConstructorParameters<typeof Settling>[0];
    const edges = nodes.slice(7).map((node, i) => ({ from: node.id, to: `m-${i}`, type: 'supports' })); // of the same type
    let laid: Places | undefined;
    new Settling(nodes, edges, true, (at) => (laid = at));
    const at = laid ?? expect.fail('nothing is laid');
    const wide = (values: Float64Array) => Math.max(...values) - Math.min(...values);
    const scale = Math.min(660 / wide(at.x), 640 / wide(at.y)); // CSS pixels, in a window of 1,280 by 860
    const seen = edges.map(({ from, to }) => {
      const [a, b] = [Number(from.slice(2)), Number(to.slice(2))];
      return scale * Math.hypot((at.x[a] ?? 0) - (at.x[b] ?? 0), (at.y[a] ?? 0) - (at.y[b] ?? 0)) - 2 * sizeOf(2, nodes.length);
    }).sort((a, b) => a - b);
    expect(seen[Math.floor(seen.length / 2)]).toBeGreaterThan(10);
  });

  it('joins rooms by a band as broad as there are lines, which goes around a room in its way', () => {
    const rooms: Room[] = [{ kind: 'fact', count: 9, x: 0, y: 0, r: 5 }, { kind: 'goal', count: 4, x: 20, y: 1, r: 4 }, { kind: 'skill', count: 4, x: 40, y: 0, r: 4 }];
    const bands = between(rooms, [[0, 0], [0, 1], [1, 0], [0, 1], [2, 2], [2, 0], [0, 1]]);
    expect(bands.map(({ from, to, count }) => [from, to, count])).toEqual([[rooms[0], rooms[2], 1], [rooms[0], rooms[1], 4]]);
    const [round, straight] = [bands[0]?.by, bands[1]?.by];
    expect(straight).toEqual({ x: 10, y: 0.5 });
    expect(1 - (round?.y ?? 0) / 2).toBeGreaterThan(4); // in the middle, a curve is half as far aside as what it bends to
    const drawn: number[] = [];
    const pen = { beginPath: vi.fn(), moveTo: vi.fn(), quadraticCurveTo: vi.fn(), arc: vi.fn(), fill: vi.fn(), stroke: () => drawn.push((pen as { lineWidth: number }).lineWidth) } as unknown as CanvasRenderingContext2D;
    join(pen, rooms, bands, { band: 'grey', paper: 'white' } as Look, (point) => point, 1);
    expect(drawn).toEqual([2, 8]);
    expect(vi.mocked(pen.arc).mock.calls.map(([x, y, r]) => [x, y, r])).toEqual(rooms.map(({ x, y, r }) => [x, y, r + 6]));
  });

  it('brings what is chosen into view with what is around it', () => {
    expect(frame({ x: 2, y: 2 }, [{ x: 0, y: 3 }, { x: 10, y: -1 }])).toEqual({ x: 5, y: 1, width: 10, height: 4 });
    expect(frame({ x: 2, y: 2 }, [])).toEqual({ x: 2, y: 2, width: 0, height: 0 });
  });

  it('says of many how to see lines, which are drawn around the chosen one', async () => {
    use(new Fake({ size: 2_000 }));
    render(GraphView, { onmemory: vi.fn(), onlibrary: vi.fn() });
    expect(await screen.findByText(/Broader bands, more relations\. Choose one to see its own\./)).toBeTruthy();
  });

  it('has a list that says all of it, by keyboard', async () => {
    use(new Fake());
    const onmemory = vi.fn();
    render(GraphView, { onmemory, onlibrary: vi.fn() });
    const user = userEvent.setup();
    const list = await screen.findByRole('listbox', { name: 'Memories in the graph' });
    list.focus();
    await user.keyboard('j');
    expect(await screen.findByRole('heading', { name: 'Relations' })).toBeTruthy();
    expect(screen.getByText('is supported by')).toBeTruthy();
    await user.keyboard('{Enter}');
    expect(onmemory).toHaveBeenCalledWith(expect.stringMatching(/^m-/));
  });

  it('writes a label where nothing cuts it off and no other is, the largest points first, without marks', () => {
    const fillText = vi.fn();
    const pen = { measureText: () => ({ width: 50 }), fillText, strokeText: vi.fn() } as unknown as CanvasRenderingContext2D;
    const at = (text: string, x: number, y: number, size = 4, first = false) => ({ text, x, y, size, first });
    const written = (...labels: Label[]) => {
      fillText.mockClear();
      write(pen, labels, { font: 'serif', ink: 'black', paper: 'white' } as Look, 200);
      return fillText.mock.calls.map(([text, x, y]) => `${text as string} ${x as number}${y === (labels.find((label) => label.text === text)?.y ?? NaN) + 4 ? '' : `, ${y as number}`}`);
    };
    expect(written(at('right', 10, 0), at('left', 180, 0))).toEqual(['right 18', 'left 122']);
    expect(written(at('small', 90, 0), at('large', 80, 9, 6))).toEqual(['large 20', 'small 98']); // the small one's point stands where the large one's words would
    expect(written(at('a', 10, 0), at('b', 12, 5), at('c', 12, 40))).toEqual(['a 18', 'c 20']);
    expect(written(at('a', 10, 0), at('chosen', 12, 5, 4, true))).toEqual(['chosen 20']);
    const crowd = [at('right', 110, 20), at('left', 60, 20)]; // points where the words beside the first would be
    expect(written(at('below', 80, 20, 6), ...crowd)).toContain('below 55, 37');
    expect(written(at('above', 80, 20, 6), ...crowd, at('under', 80, 31))).toContain('above 55, 11');
    expect(short('**Work** in  `Porto`')).toBe('Work in Porto');
  });

  it('window finding 15: writes no label over the name of a room, and none right beside another', () => {
    const fillText = vi.fn();
    const pen = { measureText: () => ({ width: 50 }), fillText, strokeText: vi.fn() } as unknown as CanvasRenderingContext2D;
    const look = { font: 'serif', ink: 'black', paper: 'white', named: (type: string) => type } as unknown as Look;
    const taken = name(pen, [{ kind: 'fact', count: 4, x: 100, y: 60, r: 40 }, { kind: '', count: 4, x: 0, y: 0, r: Infinity }], look, (point) => point, 1);
    expect(taken).toEqual([{ from: 71, to: 129, y: 8, reach: 14 }]); // "fact" is written at 75, 12
    fillText.mockClear();
    write(pen, [{ text: 'a', x: 60, y: 10, size: 4, first: false }], look, 200, taken);
    expect(fillText.mock.calls).toEqual([['a', 2, 14]]); // to the left, for on the right is the name
    fillText.mockClear();
    write(pen, [{ text: 'a', x: 10, y: 10, size: 4, first: false }, { text: 'b', x: 131, y: 12, size: 4, first: false }], look, 132);
    expect(fillText.mock.calls.map(([text, x]) => [text, x])).toEqual([['a', 18], ['b', 73]]);
  });

  it('window finding 15: two points do not fill the picture', () => {
    const nodes = ['a', 'b'].map((id) => ({ id, label: '', type: 'fact', topic: '', degree: 1, status: 'active', platform: '' }));
    let laid: Places | undefined;
    new Settling(nodes, [{ from: 'a', to: 'b', type: 'supports' }], true, (at) => (laid = at));
    const at = laid ?? expect.fail('nothing is laid');
    const scale = Math.min(450 / reach(at.x, LEAST.x), 320 / reach(at.y, LEAST.y)); // CSS pixels, in a picture of 900 by 640
    expect(scale * Math.hypot((at.x[0] ?? 0) - (at.x[1] ?? 0), (at.y[0] ?? 0) - (at.y[1] ?? 0))).toBeLessThan(240);
  });

  it('draws memories that no relation joins, and what else is known of them, apart from relations', async () => {
    const fake = new Fake();
    const real = fake.call.bind(fake);
    const nodes = ['a', 'b', 'c'].map((id) => ({ id, label: `Memory ${id}`, type: 'fact', topic: id === 'c' ? '' : 'boats, sea', degree: 0, status: 'active', platform: '' }));
    vi.spyOn(fake, 'call').mockImplementation((method, args) => (method === 'Library.Graph' ? Promise.resolve({ nodes, edges: [{ from: 'a', to: 'b', type: 'same_conversation' }], totalNodes: 3, totalEdges: 1 }) : real(method, args)));
    use(fake);
    render(GraphView, { topic: 'boats, sea', onmemory: vi.fn(), onlibrary: vi.fn() });
    expect(await screen.findByText(/3 memories, 0 relations\.\s*1 other link\./)).toBeTruthy();
    const user = userEvent.setup();
    const list = screen.getByRole('listbox', { name: 'Memories in the graph' });
    expect(within(list).getAllByRole('option').length).toBe(2); // those of the topic
    await user.click(screen.getByRole('button', { name: 'Show all topics' }));
    expect(within(list).getAllByRole('option').length).toBe(3);
    await user.click(within(list).getByText('Memory a'));
    expect(await screen.findByRole('heading', { name: 'Also joined' })).toBeTruthy();
    expect(screen.queryByRole('heading', { name: 'Relations' })).toBeNull();
    const known = screen.getByRole('region', { name: 'What the chosen memory is joined to' });
    expect(within(known).getByRole('button').textContent).toMatch(/^same conversation\s+Memory b$/);
    await user.click(screen.getByRole('button', { name: 'same conversation' }));
    expect(screen.queryByRole('heading', { name: 'Also joined' })).toBeNull();
  });

  it('gives each topic a region, at any size, and types only where there are no topics', () => {
    const nodes = (count: number, topic: (i: number) => string) => Array.from({ length: count }, (_, i) => ({ id: `m-${i}`, label: '', type: i % 2 ? 'fact' : 'goal', topic: topic(i), degree: 1, status: 'active', platform: '' }));
    const regions = (of: ReturnType<typeof nodes>) => [...new Set(of.map(regionsOf(of)))].sort();
    expect(regions(nodes(10, (i) => (i % 3 ? 'boats' : '')))).toEqual(['', 'boats']);
    expect(regions(nodes(10, () => ''))).toEqual(['']);
    expect(regions(nodes(400, () => ''))).toEqual(['fact', 'goal']);
    expect([isApart(nodes(400, () => 'boats')), isApart(nodes(400, (i) => (i % 3 ? 'boats' : '')))]).toEqual([false, true]);
  });

  it('writes the name of a region below it where another name is above, and none over another', () => {
    const fillText = vi.fn();
    const pen = { measureText: () => ({ width: 50 }), fillText, strokeText: vi.fn() } as unknown as CanvasRenderingContext2D;
    const look = { font: 'serif', quiet: 'grey', paper: 'white', named: (kind: string) => kind } as unknown as Look;
    const room = (kind: string, x: number) => ({ kind, count: 4, x, y: 60, r: 40 });
    name(pen, [room('a', 100), room('b', 120), room('c', 130), room('d', 300)], look, (point) => point, 1);
    expect(fillText.mock.calls.map(([text, , y]) => [text, y])).toEqual([['a', 12], ['b', 118], ['d', 12]]);
  });

  it('says that it is being read before it says how much it is', async () => {
    const fake = new Fake();
    let answer = () => {};
    vi.spyOn(fake, 'call').mockReturnValue(new Promise((done) => (answer = () => done({ nodes: [], edges: [], totalNodes: 0, totalEdges: 0 }))));
    use(fake);
    render(GraphView, { onmemory: vi.fn(), onlibrary: vi.fn() });
    expect((await screen.findByText('Being read')).closest('[role=status]')).not.toBeNull();
    expect(screen.queryByText(/relation/)).toBeNull();
    answer();
    expect(await screen.findByRole('heading', { name: 'No memories yet' })).toBeTruthy();
  });
});
