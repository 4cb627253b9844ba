import { cleanup, render, screen } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { use } from '../../lib/backend';
import { Fake } from '../../lib/backend/fake';
import { around, Net } from './graph.svelte';
import GraphView from './GraphView.svelte';
import { short, write } from './picture';
import { begin, step } from './places';

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
      const at = begin(30);
      for (let i = 0; i < 120; i++) step(at, edges, 0.9 * (1 - i / 120));
      return at;
    };
    const [one, two] = [lay(), lay()];
    expect([...one.x]).toEqual([...two.x]);
    const far = (a: number, b: number) => Math.hypot((one.x[a] ?? 0) - (one.x[b] ?? 0), (one.y[a] ?? 0) - (one.y[b] ?? 0));
    expect(far(0, 1)).toBeLessThan(far(0, 29));
    expect([...one.x, ...one.y].every(Number.isFinite)).toBe(true);
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

  it('writes a label to the left of its point where the edge would cut it, without marks', () => {
    const fillText = vi.fn();
    const pen = { measureText: () => ({ width: 50 }), fillText } as unknown as CanvasRenderingContext2D;
    for (const [x, width] of [[10, 200], [180, 200], [30, 60]] as const) write(pen, 'a', { x, y: 0, size: 4 }, width);
    expect(fillText.mock.calls.map(([, x]) => x as number)).toEqual([18, 122, 38]);
    expect(short('**Work** in  `Porto`')).toBe('Work in Porto');
  });
});
