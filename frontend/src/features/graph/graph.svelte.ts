import { allMemories, backend, faultOf, type FaultView, type GraphEdgeView, type GraphNodeView } from '../../lib/backend';

export const KINDS = ['supports', 'contradicts', 'extends', 'supersedes', 'related_to', 'derived_from'] as const;
/** What is known of two memories that no relation joins. */
export const KNOWN = ['same_conversation', 'near_in_meaning'] as const;
export type Kind = (typeof KINDS)[number] | (typeof KNOWN)[number];
const ALL: readonly Kind[] = [...KINDS, ...KNOWN];

/** isKnown tells a link that no relation says. */
export const isKnown = (type: string) => (KNOWN as readonly string[]).includes(type);

/** As many memories as are drawn; what comes after them is related the least. */
export const MOST = 10_000;

/** What the picture shows of the vault. */
export type Picture = { nodes: GraphNodeView[]; edges: GraphEdgeView[]; total: number };

/** Net is the graph of memories: what is loaded, what is narrowed, where one is. */
export class Net {
  picture = $state.raw<Picture>({ nodes: [], edges: [], total: 0 });
  ready = $state(false);
  fault = $state.raw<FaultView | undefined>(undefined);
  text = $state('');
  /** Kinds of links that are drawn. */
  kinds = $state.raw<readonly Kind[]>(ALL);
  /** The topic that the list is narrowed to, '' for none. */
  topic = $state('');
  /** Also memories that nothing joins and that are in no topic. */
  lonely = $state(false);
  focus = $state('');
  /** How many steps around the focus stay bright. */
  depth = $state(1);
  private run = 0;
  private missing = 0; // records that were not compared when that was asked last

  /** What is drawn: edges of the chosen kinds, and all nodes. */
  readonly edges = $derived(this.picture.edges.filter((edge) => (this.kinds as readonly string[]).includes(edge.type)));
  readonly relations = $derived(this.edges.filter(({ type }) => !isKnown(type)).length);
  readonly inTopic = $derived(this.topic === '' ? this.picture.nodes : this.picture.nodes.filter(({ topic }) => topic === this.topic));
  /** What is bright, nothing where all is. */
  readonly near = $derived(this.focus === '' && this.topic !== '' ? new Set(this.inTopic.map(({ id }) => id)) : around(this.focus, this.depth, this.edges));
  readonly found = $derived(matching(this.inTopic, this.text));

  start(): () => void {
    void this.load();
    const stops = [backend.on('library', () => void this.load()), backend.on('search', () => void this.follow())];
    return () => stops.forEach((stop) => stop());
  }

  /** follow loads anew once the last memory is compared by its meaning, and not while each is. */
  private async follow(): Promise<void> {
    try {
      const { missing } = await backend.Search.State();
      if (missing === 0 && this.missing > 0) void this.load();
      this.missing = missing;
    } catch {
      // The vault was locked meanwhile.
    }
  }

  async load(): Promise<void> {
    const mine = ++this.run;
    const nodes: GraphNodeView[] = [];
    const edges: GraphEdgeView[] = [];
    try {
      for (let offset = 0; ; offset += 1000) {
        const page = await backend.Library.Graph({ ...allMemories, hasRelations: !this.lonely, offset });
        if (mine !== this.run) return;
        nodes.push(...page.nodes.slice(0, MOST - nodes.length));
        edges.push(...page.edges);
        if (offset + 1000 >= Math.max(Math.min(page.totalNodes, MOST), page.totalEdges)) {
          this.take(nodes, edges, page.totalNodes);
          break;
        }
      }
      this.fault = undefined;
    } catch (error) {
      if (mine === this.run) this.fault = faultOf(error);
    }
    this.ready = true;
  }

  private take(nodes: GraphNodeView[], edges: GraphEdgeView[], total: number): void {
    const here = new Set(nodes.map((node) => node.id));
    this.picture = { nodes, edges: edges.filter((edge) => here.has(edge.from) && here.has(edge.to)), total };
    if (!here.has(this.focus)) this.focus = '';
    if (!nodes.some(({ topic }) => topic === this.topic)) this.topic = '';
  }

  turn(kind: Kind): void {
    this.kinds = this.kinds.includes(kind) ? this.kinds.filter((k) => k !== kind) : ALL.filter((k) => k === kind || this.kinds.includes(k));
  }

  alone(): void {
    this.lonely = !this.lonely;
    void this.load();
  }

  /** linksOf lists the edges at a node, as sentences tell them. */
  linksOf(id: string): { other: GraphNodeView; type: string; outgoing: boolean }[] {
    const nodes = new Map(this.picture.nodes.map((node) => [node.id, node]));
    return this.edges.flatMap((edge) => {
      const outgoing = edge.from === id;
      const other = nodes.get(outgoing ? edge.to : edge.from);
      return other && (outgoing || edge.to === id) ? [{ other, type: edge.type, outgoing }] : [];
    });
  }
}

/** around is what can be reached from a node in so many steps, itself included. */
export function around(focus: string, depth: number, edges: readonly GraphEdgeView[]): ReadonlySet<string> {
  const reached = new Set(focus === '' ? [] : [focus]);
  let rim = new Set(reached);
  for (let step = 0; step < depth && rim.size > 0; step++) {
    const next = new Set<string>();
    for (const { from, to } of edges) {
      if (rim.has(from) && !reached.has(to)) next.add(to);
      if (rim.has(to) && !reached.has(from)) next.add(from);
    }
    for (const id of next) reached.add(id);
    rim = next;
  }
  return reached;
}

const folded = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

function matching(nodes: readonly GraphNodeView[], text: string): readonly GraphNodeView[] {
  const words = folded(text).split(/\s+/).filter((word) => word !== '');
  if (words.length === 0) return nodes;
  return nodes.filter((node) => {
    const label = folded(node.label);
    return words.every((word) => label.includes(word));
  });
}
