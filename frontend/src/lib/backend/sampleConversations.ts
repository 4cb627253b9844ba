import { unmarked } from '../markdown/unmarked';
import { fold } from '../places';
import type { AttachmentView, CitationView, RatingView, StandsView, TextView, ToolCallView } from './types';

// Conversations of the same made-up person, as graphs: the fake walks them the
// way the vault does.

// As many bytes as Go gives at once; what is made up here is counted in characters.
const PIECE = 192_000;

/** pieceOf is as much of a text as comes at once. */
export function pieceOf(text: string, from: number): TextView {
  const next = Math.min(text.length, from + PIECE);
  return { text: text.slice(from, next), clipped: next < text.length, next };
}

export type SampleMessage = {
  id: string;
  parent: string;
  role: string;
  text: string;
  at: string;
  thought?: boolean;
  hidden?: string;
  model?: string;
  code?: string; // language of a part that is all code
  pictures?: string[];
  attachments?: AttachmentView[];
  citations?: CitationView[];
  tools?: ToolCallView[];
  rating?: RatingView;
};

export type SampleConversation = {
  id: string;
  title: string;
  platform: string;
  model: string;
  project?: string;
  removed?: boolean;
  shared?: string[];
  createdAt: string;
  leaf: string;
  messages: SampleMessage[];
};

const minutes = (from: string, n: number) => new Date(Date.parse(from) + n * 60_000).toISOString().replace('.000Z', 'Z');

const tea: SampleConversation = {
  id: 'c-tea',
  title: 'Which kettle for loose leaf tea',
  platform: 'chatgpt',
  model: 'gpt-4o',
  createdAt: '2025-05-03T09:11:00Z',
  leaf: 'm6',
  shared: ['https://chatgpt.com/share/6815d2f0-4a1c-800e-9b57-3f0c2ad1e7b4'],
  messages: [
    { id: 'm0', parent: '', role: 'system', text: 'You are ChatGPT, a large language model.', at: '2025-05-03T09:11:00Z' },
    { id: 'm0c', parent: 'm0', role: 'user', hidden: 'context', text: 'The user provided this about themselves: archivist, lives in Lisbon.', at: '2025-05-03T09:11:00Z' },
    { id: 'm1', parent: 'm0c', role: 'user', text: 'Our kettle at the office died. What should I look for in a new one? It is for tea, mostly green and oolong.', at: '2025-05-03T09:11:00Z' },
    { id: 'm2a', parent: 'm1', role: 'assistant', model: 'gpt-4o', text: 'A gooseneck kettle with temperature control would be ideal. Popular choices are made by several brands.', at: '2025-05-03T09:11:20Z' },
    { id: 'm2b', parent: 'm1', role: 'assistant', model: 'gpt-4o', text: 'For green and oolong the **temperature** decides, not the spout:\n\n| Tea | Water | Minutes |\n|:--|--:|--:|\n| Sencha | 70 °C | 1½ |\n| Longjing | 80 °C | 2 |\n| Oolong | 90 °C | 3 |\n\nLook for steps of five degrees, a lid that opens wide enough to descale, and a base without a beep.', at: '2025-05-03T09:12:10Z', rating: { good: true, words: 'The table is what I needed.' } },
    { id: 'm2c', parent: 'm1', role: 'assistant', model: 'gpt-4o', text: 'Any kettle with a thermometer. Let it stand for four minutes after boiling and you are at eighty degrees.', at: '2025-05-03T09:12:50Z', rating: { good: false, words: '' } },
    { id: 'm3', parent: 'm2b', role: 'user', text: 'Good. Remember that I drink tea, not coffee, loose leaf when there is time, never with sugar.', at: '2025-05-03T09:14:00Z' },
    { id: 'm4', parent: 'm3', role: 'assistant', text: '', at: '2025-05-03T09:14:05Z', tools: [{ id: 't1', name: 'bio', input: pieceOf('Drinks tea, not coffee. Prefers loose leaf; never with sugar.', 0), output: pieceOf('', 0) }] },
    { id: 'm4t', parent: 'm4', role: 'tool', text: 'Model set context updated.', at: '2025-05-03T09:14:06Z', tools: [{ id: 't1', name: 'bio', input: pieceOf('', 0), output: pieceOf('', 0) }] },
    { id: 'm4b', parent: 'm4t', role: 'assistant', model: 'gpt-4o', text: 'Noted. I will keep coffee out of it.', at: '2025-05-03T09:14:10Z' },
    { id: 'm5', parent: 'm4b', role: 'user', text: 'It will stand in the office I share with Joana, so quiet is worth something.', at: '2025-05-03T09:20:00Z' },
    { id: 'm6', parent: 'm5', role: 'assistant', model: 'gpt-4o', text: 'Then avoid glass: it hums before it boils. Double-walled steel is the quietest, about 15 % slower, and stays warm for the second cup.', at: '2025-05-03T09:20:30Z' },
  ],
};

const notebooks: SampleConversation = {
  id: 'c-notebooks',
  title: 'Wheat starch paste for the field notebooks',
  platform: 'claude',
  model: 'claude-sonnet-4',
  project: 'Notebooks',
  removed: true,
  createdAt: '2025-09-02T20:28:00Z',
  leaf: 'n9',
  messages: [
    { id: 'n1', parent: '', role: 'user', text: 'I am about to resew volume five. The old paste is brown and brittle, here are two pictures and the list I keep.', at: '2025-09-02T20:28:00Z', pictures: ['spine'], attachments: [{ type: 'image', name: 'spine-volume-5.jpg', mimeType: 'image/jpeg', size: 1_843_112, url: '/vault/spine' }, { type: 'document', name: 'volumes.csv', mimeType: 'text/csv', size: 2_204, url: '' }, { type: 'audio', name: 'note on the glue.m4a', mimeType: 'audio/mp4', size: 482_000, url: '/vault/voice' }] },
    { id: 'n2', parent: 'n1', role: 'assistant', thought: true, text: 'The paste could be animal glue or starch. Brown and brittle suggests animal glue; the picture shows crazing. I should ask about the smell when wetted before recommending water.', at: '2025-09-02T20:28:20Z' },
    { id: 'n3', parent: 'n2', role: 'assistant', model: 'claude-sonnet-4', text: 'Brown, brittle and crazed points to **animal glue**, not starch. Two checks before you touch it with water:\n\n1. Wet a cotton bud and hold it on the spine for ten seconds. Does it turn sticky and smell of broth?\n2. Does a crumb glow pale blue under an ultraviolet torch?\n\n> Animal glue swells in cool water and lets go in warm; starch needs time or an enzyme.\n\nIf both say yes, a poultice of 4 % methyl cellulose for twenty minutes lifts it without wetting the folds.', at: '2025-09-02T20:29:10Z' },
    { id: 'n4', parent: 'n3', role: 'user', text: 'Both yes. For context: these are my grandfather’s field notebooks, 1948 to 1971, eleven volumes, he was a botanist along the Lagoa dos Patos. Four are done. I sew with linen 25/3 and paste with wheat starch.', at: '2025-09-02T20:31:00Z' },
    { id: 'n5', parent: 'n4', role: 'assistant', model: 'claude-sonnet-4', text: 'Then for the new binding:\n\n### Paste\n- wheat starch 1 : 5 by volume, soaked overnight\n- cook 25 minutes, stirring, until it turns from milk to glass\n- sieve three times; keep two days, no longer\n\n### Order of work\n- [x] volumes 1 to 4\n- [ ] volume 5: lift, mend the folds, sew\n- [ ] volumes 6 to 11\n\nThe ratio by weight is \\( m_s / m_w = 0.18 \\), if your scale is better than your cup.', at: '2025-09-02T20:33:00Z', citations: [{ title: 'Starch paste in book conservation', url: 'https://conservation.example.org/paste', snippet: 'Cooking time matters more than ratio.' }, { title: 'Poultices for animal glue', url: 'https://xn--bcher-kva.example/leim', snippet: '' }] },
    { id: 'n6', parent: 'n5', role: 'user', text: 'And a small script that turns my list into labels? Python, nothing to install.', at: '2025-09-02T20:40:00Z' },
    { id: 'n7a', parent: 'n6', role: 'assistant', model: 'claude-sonnet-4', text: 'You could use a spreadsheet’s mail merge for that.', at: '2025-09-02T20:40:40Z' },
    { id: 'n7', parent: 'n6', role: 'assistant', model: 'claude-sonnet-4', text: 'It reads `volumes.csv` and writes one label a line:\n\n```python\nimport csv\nfrom pathlib import Path\n\ndef labels(path: Path) -> list[str]:\n    """One label per volume: number, years, state."""\n    with path.open(encoding="utf-8", newline="") as f:\n        rows = csv.DictReader(f)\n        return [f"{int(r[\'volume\']):02d}  {r[\'from\']}–{r[\'to\']}  {r[\'state\']}" for r in rows]\n\nif __name__ == "__main__":\n    print("\\n".join(labels(Path("volumes.csv"))))\n```\n\nSave it beside the list and run `python3 labels.py > labels.txt`.', at: '2025-09-02T20:41:30Z' },
    { id: 'n8', parent: 'n7', role: 'user', text: 'Perfect. Obrigada.', at: '2025-09-02T20:44:00Z' },
    { id: 'n9', parent: 'n8', role: 'assistant', model: 'claude-sonnet-4', text: 'De nada. Good luck with the fifth.', at: '2025-09-02T20:44:12Z' },
  ],
};

const hostile: SampleConversation = {
  id: 'c-hostile',
  title: 'Is this page safe?',
  platform: 'chatgpt',
  model: 'gpt-4o-mini',
  createdAt: '2025-07-29T14:00:00Z',
  leaf: 'h2',
  messages: [
    { id: 'h1', parent: '', role: 'user', text: 'Somebody sent me this text. What is wrong with it?\n\n<script>alert(1)</script>\n\n![look](https://tracker.example/beacon.gif)\n\n[Your bank](javascript:alert(1)) · [Your bank](https://xn--bnk-5cd.example/login) · [file](smb://evil.example/share)\n\nRename invoice\u202Efdp.exe and run it.', at: '2025-07-29T14:00:00Z' },
    { id: 'h2', parent: 'h1', role: 'assistant', model: 'gpt-4o-mini', text: 'Everything. It tries to run code, to load a picture that reports back, to open a program, and it turns letters round so that a program looks like a document.', at: '2025-07-29T14:00:30Z' },
  ],
};

const QUIET: [id: string, title: string, platform: string, at: string, says: [string, string][]][] = [
  ['c-route', 'Rota Vicentina in eleven days', 'chatgpt', '2025-10-05T08:05:00Z', [['I want to walk it in one go next spring, Santiago do Cacém to Cabo de São Vicente. How many days?', 'Eleven, at about twenty kilometres a day, with one day of rest in Odeceixe.'], ['April or May?', 'Late April: the flowers are out and the beds are not yet taken.']]],
  ['c-style', 'How to answer me', 'claude', '2025-08-19T07:38:00Z', [['Please answer plainly. No bullet points unless I ask.', 'Understood. Plain sentences, and I will say when I am guessing.']]],
  ['c-roof', 'Telhado da sala de leitura', 'chatgpt', '2025-01-19T09:22:00Z', [['O telhado da sala de leitura tem uma infiltração. O que faço com as caixas da primeira fila?', 'Mova-as hoje, mesmo que provisoriamente, e meça a umidade antes de as trazer de volta.']]],
  ['c-talk', 'Outline: how small archives survive', 'claude', '2025-09-28T14:52:00Z', [['Help me find a thread for a talk on how small archives survive.', 'Three verbs: they are kept, they are found, they are asked. Each could carry ten minutes.']]],
  ['c-letters', 'Transcribing letters from 1957', 'claude', '2025-10-03T18:20:00Z', [['What does “V. Exª” stand for in a private letter?', 'Vossa Excelência. In a private letter of 1957 it is either irony or a very formal uncle.']]],
  ['c-sourdough', 'Dense crumb', 'chatgpt', '2025-03-08T15:10:00Z', [['My sourdough is good and dense.', 'Then it is under-proofed or happy. Which one bothers you?']]],
  ['c-germany', 'German in six months', 'chatgpt', '2024-05-05T08:58:00Z', [['Can I get to B1 by November?', 'With an hour a day, yes; with goodwill alone, no.']]],
  ['c-scanner', 'Colour target IT8', 'chatgpt', '2025-03-04T11:02:00Z', [['How often should I profile the V850?', 'Monthly, and whenever the lamp has been changed.']]],
  ['c-cat', 'A cat of thirteen', 'claude', '2025-08-30T22:00:00Z', [['Bolota is thirteen. What changes?', 'Water, warmth and stairs, in that order.']]],
  ['c-pelotas', 'Lisboa a Pelotas em dezembro', 'chatgpt', '2025-10-14T12:15:00Z', [['Quero ir a Pelotas em dezembro, uma semana.', 'Via Porto Alegre e depois de ônibus: três horas e pouco.']]],
  ['c-ledger', 'ledger for the household', 'chatgpt', '2025-01-09T10:25:00Z', [['How do I split a bill in ledger?', 'Two postings under one date:\n\n```\n2025/01/09 Mercado\n    expenses:food    €31.20\n    assets:cash\n```']]],
];

const plain: SampleConversation[] = QUIET.map(([id, title, platform, at, says]) => {
  const messages: SampleMessage[] = [];
  says.forEach(([asked, answered], i) => {
    const parent = messages.at(-1)?.id ?? '';
    messages.push({ id: `${id}-${2 * i}`, parent, role: 'user', text: asked, at: minutes(at, i * 3) });
    messages.push({ id: `${id}-${2 * i + 1}`, parent: `${id}-${2 * i}`, role: 'assistant', text: answered, at: minutes(at, i * 3 + 1) });
  });
  const model = platform === 'claude' ? 'claude-sonnet-4' : 'gpt-4o';
  return { id, title, platform, model, createdAt: at, leaf: messages.at(-1)?.id ?? '', messages };
});

/** long is a conversation of n messages, for the reader's window. */
export function longConversation(n: number): SampleConversation {
  const messages: SampleMessage[] = [];
  for (let i = 0; i < n; i++) {
    const user = i % 2 === 0;
    const words = user ? `Item ${i / 2 + 1} of the parish archive: what should the description say?` : LONG_ANSWERS[i % LONG_ANSWERS.length] ?? '';
    messages.push({ id: `l${i}`, parent: i === 0 ? '' : `l${i - 1}`, role: user ? 'user' : 'assistant', text: words, at: minutes('2025-07-15T08:00:00Z', i) });
  }
  return { id: 'c-long', title: 'Describing the parish archive, item by item', platform: 'chatgpt', model: 'gpt-4o', createdAt: '2025-07-15T08:00:00Z', leaf: `l${n - 1}`, messages };
}

const LONG_ANSWERS = [
  'Title, dates, extent, and one sentence on why it was kept.',
  'Baptisms, 1748–1761, one bound volume of 212 leaves, water damage on the lower third. The hand changes twice.\n\nKeep the old shelf mark in a note.',
  'A loose bundle: receipts for wax and oil. Describe the bundle, not the sheets.',
  '**Confraternity of Souls**, accounts.\n\n- 1802 to 1807, complete\n- 1808, three leaves\n- 1811, only the cover',
  'Undated. The watermark and the spelling of “igreja” suggest the second half of the eighteenth century. Say so, and say that it is a guess.',
];

export const CONVERSATIONS: SampleConversation[] = [tea, notebooks, hostile, ...plain];

/** pathThrough is the way through a conversation that passes a message; '' is the active one. */
export function pathThrough(c: SampleConversation, through: string): SampleMessage[] {
  const at = new Map(c.messages.map((m) => [m.id, m]));
  let leaf = at.get(through) ?? at.get(c.leaf);
  if (through !== '') {
    for (let next = leaf; next; next = c.messages.findLast((m) => m.parent === next?.id)) leaf = next;
  }
  const path: SampleMessage[] = [];
  for (let m = leaf; m; m = at.get(m.parent)) path.unshift(m);
  return path;
}

/** standsIn says where a text stands in messages. */
export function standsIn(messages: SampleMessage[], text: string): StandsView {
  const words = fold(text.trim());
  const times = messages.map((m) => fold(unmarked(m.text)).split(words).length - 1);
  const at = [...times.keys()].filter((i) => times[i] !== 0);
  return { at, times: at.map((i) => times[i] ?? 0) };
}
