// Much of everything, the same every time: what somebody has after many years.
const WORDS = 'bees coriander oboe garden river lantern walnut archive letter window harbor violin meadow copper station bread'.split(' ')

const TYPES = ['fact', 'preference', 'skill', 'goal', 'context', 'relationship', 'instruction', 'identity', 'environment', 'project']
const STATUSES = ['active', 'active', 'active', 'active', 'active', 'active', 'active', 'deprecated', 'archived', 'retracted']
const RELATIONS = ['supports', 'extends', 'related_to', 'derived_from']

export const memoryId = (i) => `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`
const time = (i) => new Date(1.6e12 + i * 600_000).toISOString().replace('.000', '')

// said is what memory number i says.
export const said = (i) => `Keeps the ${WORDS[i % 16]} by the ${WORDS[(i * 7 + 3) % 16]}, number ${i}`

// store is an unsigned document of PAM with so many memories; of the first related
// ones each is related to two others, near and far.
export function store(count, related = 0) {
  const at = '2025-06-01T09:00:00Z'
  const memories = Array.from({ length: count }, (_, i) => ({
    id: memoryId(i), type: TYPES[i % TYPES.length], content: said(i), status: STATUSES[(i * 3) % STATUSES.length], tags: i % 5 ? [] : [WORDS[(i / 5) % 16]],
    temporal: { created_at: time(i) }, provenance: { platform: ['chatgpt', 'claude', 'gemini', 'manual'][i % 4], extracted_at: at },
  }))
  const relations = Array.from({ length: 2 * related }, (_, i) => ({
    id: `10000000-0000-4000-8000-${String(i).padStart(12, '0')}`, from: memoryId(i % related), to: memoryId(i < related ? Math.floor(i / 7) : (i * 31 + 1) % related), type: RELATIONS[i % 4], created_at: at,
  })).filter((r) => r.from !== r.to)
  return JSON.stringify({ schema: 'portable-ai-memory', schema_version: '1.0', owner: { id: 'somebody' }, export_date: at, memories, relations })
}

// talks are the conversations of an export of ChatGPT: so many of six messages, and
// before them one of longest, which is the newest.
export function talks(count, longest) {
  return JSON.stringify(Array.from({ length: count }, (_, i) => talk(i, i === 0 ? longest : 6, 1.75e9 - i * 9_000)))
}

function talk(number, length, began) {
  const id = (i) => `t${number}-${i}`
  const mapping = { root: { id: 'root', message: null, parent: null, children: [id(0)] } }
  for (let i = 0; i < length; i++) {
    mapping[id(i)] = {
      id: id(i), parent: i ? id(i - 1) : 'root', children: i + 1 < length ? [id(i + 1)] : [],
      message: {
        id: id(i), author: { role: i % 2 ? 'assistant' : 'user' }, create_time: began + i * 20, status: 'finished_successfully', recipient: 'all', weight: 1, metadata: i % 2 ? { model_slug: 'gpt-5' } : {},
        content: { content_type: 'text', parts: [i % 2 ? answer(number, i) : question(number, i)] },
      },
    }
  }
  return { id: `c-${number}`, conversation_id: `c-${number}`, title: `About the ${WORDS[number % 16]} and the ${WORDS[(number * 5 + 2) % 16]}, ${number}`, create_time: began, update_time: began + length * 20, current_node: id(length - 1), mapping }
}

const question = (number, i) => (i ? `And what of message ${i}?` : `I prefer the ${WORDS[number % 16]} to the ${WORDS[(number * 3 + 1) % 16]} in house ${number}. What do you say?`)

function answer(number, i) {
  const short = `That is answer ${i} about the **${WORDS[(number + i) % 16]}**.`
  return [short, `${short}\n\n- one\n- two`, `${short}\n\n\`\`\`js\nconst n = ${i}\n\`\`\``, `${short} ${'It goes on for a while and says little. '.repeat(12)}`][(i >> 1) % 4]
}
