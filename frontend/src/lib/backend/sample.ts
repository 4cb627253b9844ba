// A made-up person's memories for the fake backend. Nothing here is anybody's.

/** type, content, tags, platform, said on, confidence, extras */
type Line = [type: string, content: string, tags: string, platform: string, at: string, confidence: number, more?: Extra];

export type Extra = {
  status?: string;
  by?: number; // index of the successor
  from?: [conversation: string, message: string];
  method?: string;
  customType?: string;
  exportable?: boolean;
  visibility?: string;
  circles?: string; // entities
  summary?: string;
  validUntil?: string;
  removed?: boolean;
};

export const MEMORIES: Line[] = [
  ['preference', 'Drinks tea, not coffee. Loose leaf when there is time, and never with sugar.', 'food tea', 'chatgpt', '2025-05-03T09:14:00Z', 0.96, { from: ['c-tea', 'm3'] }],
  ['identity', 'Marina Duarte, born in Pelotas, living in Lisbon since 2019. Portuguese and English every day, Spanish when somebody is patient.', 'home languages', 'chatgpt', '2025-02-11T18:02:00Z', 0.99, { method: 'explicit_user_input' }],
  ['instruction', 'Answer plainly. No bullet points unless asked, no compliments on the question, and say so when you are guessing.', 'style', 'claude', '2025-08-19T07:40:00Z', 1, { method: 'explicit_user_input', circles: 'work-assistant' }],
  ['project', 'Restoring the bindings of her grandfather’s field notebooks (1948–1971): eleven volumes, four done. The glue is wheat starch, the thread is linen 25/3.', 'bookbinding family', 'claude', '2025-09-02T20:31:00Z', 0.93, { from: ['c-notebooks', 'n4'], circles: 'family' }],
  ['fact', 'Allergic to penicillin. It was found out at nine, in the hospital of Rio Grande.', 'health', 'chatgpt', '2024-11-20T11:00:00Z', 0.98, { exportable: false, circles: 'dr-lima' }],
  ['relationship', 'Her sister Inês is a marine biologist in Florianópolis and calls on Sundays.', 'family', 'chatgpt', '2025-03-16T16:45:00Z', 0.91, { circles: 'family' }],
  ['goal', 'Wants to walk the Rota Vicentina from Santiago do Cacém to Cabo de São Vicente in one go, in the spring of 2026.', 'travel walking', 'chatgpt', '2025-10-05T08:12:00Z', 0.88, { validUntil: '2026-06-30T23:59:59Z' }],
  ['skill', 'Reads music and plays the viola, second desk in an amateur orchestra.', 'music', 'claude', '2025-06-21T21:10:00Z', 0.9],
  ['environment', 'Works on a ThinkPad with Debian, in a terminal and Emacs. Does not want to hear about alternatives.', 'computer', 'chatgpt', '2025-01-09T10:22:00Z', 0.87, { circles: 'work-assistant' }],
  ['context', 'Is preparing a talk on how small archives survive, for the librarians’ meeting in Coimbra.', 'work talk', 'claude', '2025-09-28T15:00:00Z', 0.8, { circles: 'work-assistant' }],
  ['preference', 'Prefers trains to planes whenever the journey is under ten hours.', 'travel', 'chatgpt', '2025-04-22T19:33:00Z', 0.84],
  ['fact', 'Lives on the third floor without a lift, so deliveries have to be light.', 'home', 'chatgpt', '2024-08-14T13:05:00Z', 0.72],
  ['preference', 'Coffee in the morning, black.', 'food', 'chatgpt', '2023-10-02T08:00:00Z', 0.4, { status: 'superseded', by: 0 }],
  ['project', 'Catalogue of the parish archive of São Lourenço: 1,240 items described, about 300 to go.', 'work archive', 'chatgpt', '2025-07-15T09:50:00Z', 0.92, { circles: 'work-assistant+' }],
  ['instruction', 'Datas no formato dia/mês/ano, e valores em euros.', 'style', 'chatgpt', '2024-12-01T12:00:00Z', 0.97, { method: 'explicit_user_input' }],
  ['fact', 'The cat is called Bolota and is thirteen years old.', 'home cat', 'claude', '2025-08-30T22:04:00Z', 0.95, { circles: 'family' }],
  ['goal', 'Learning to read seventeenth-century handwriting well enough to transcribe without a table of letters beside her.', 'archive learning', 'claude', '2025-05-27T17:20:00Z', 0.86],
  ['relationship', 'Tomás is the neighbour who has the spare key and waters the basil.', 'home', 'chatgpt', '2025-07-02T18:18:00Z', 0.78],
  ['skill', 'Knows enough SQL to be dangerous and enough Python to repair it.', 'computer', 'chatgpt', '2024-10-30T14:41:00Z', 0.83, { circles: 'work-assistant' }],
  ['identity', 'Archivist by training, at the municipal archive since 2021.', 'work', 'chatgpt', '2025-02-11T18:04:00Z', 0.97, { circles: 'work-assistant' }],
  ['preference', 'Vegetarian, with an exception for her mother’s feijoada.', 'food family', 'chatgpt', '2025-01-25T20:00:00Z', 0.89, { circles: 'family' }],
  ['context', 'The roof over the reading room leaks; the boxes of the first row were moved in January.', 'work archive', 'chatgpt', '2025-01-19T09:30:00Z', 0.61, { status: 'deprecated', circles: 'work-assistant' }],
  ['fact', 'Rides an old blue Peugeot bicycle with a basket that does not hold.', 'home', 'claude', '2025-06-08T10:10:00Z', 0.74],
  ['custom', 'Rule of the house: no screens at the table, except for looking up birds.', 'home', 'claude', '2025-04-13T13:13:00Z', 0.9, { customType: 'household_rule' }],
  ['goal', 'Finish a first full draft of the talk by 10 November.', 'work talk', 'claude', '2025-09-28T15:06:00Z', 0.82, { validUntil: '2025-11-10T23:59:59Z', circles: 'work-assistant' }],
  ['environment', 'The scanner at work is an Epson V850; colour target IT8, 400 ppi for text and 600 for prints.', 'work archive', 'chatgpt', '2025-03-04T11:11:00Z', 0.88, { circles: 'work-assistant' }],
  ['fact', 'Her passport ends in 2031.', 'travel', 'chatgpt', '2024-09-09T09:09:00Z', 0.7, { exportable: false }],
  ['preference', 'Likes long novels with many people in them. Is reading Saramago again, slowly.', 'books', 'claude', '2025-10-11T22:30:00Z', 0.85, { removed: true }],
  ['project', 'A small garden of herbs on the kitchen window: basil, coriander, mint that takes over.', 'home', 'chatgpt', '2025-04-01T08:45:00Z', 0.66],
  ['relationship', 'Dona Celeste, eighty-one, lent the letters of her brother and wants them back by Christmas.', 'work archive', 'claude', '2025-09-19T16:00:00Z', 0.9],
  ['fact', 'Works four days a week; Fridays are for the notebooks.', 'work bookbinding', 'claude', '2025-09-02T20:36:00Z', 0.93],
  ['instruction', 'When I paste a transcription, correct only what is certain and mark the rest with [?].', 'style archive', 'claude', '2025-05-27T17:41:00Z', 0.99, { method: 'explicit_user_input', circles: 'work-assistant' }],
  ['fact', 'Has a standing desk and uses it as a shelf.', 'home', 'chatgpt', '2024-06-17T10:00:00Z', 0.35, { status: 'retracted' }],
  ['skill', 'Swims two kilometres on Tuesdays.', 'sport', 'chatgpt', '2025-02-18T07:00:00Z', 0.81, { circles: 'dr-lima' }],
  ['context', 'Planning a week in Pelotas in December, flights still to be found.', 'travel family', 'chatgpt', '2025-10-14T12:20:00Z', 0.77, { circles: 'family' }],
  ['preference', 'Writes with a fountain pen, black-blue ink that does not fade.', 'writing', 'claude', '2025-03-29T19:19:00Z', 0.87],
  ['identity', 'Surname is written Duarte, never Duarté.', 'home', 'chatgpt', '2024-12-01T12:04:00Z', 0.94, { visibility: 'public' }],
  ['fact', 'Grandfather was a botanist who collected along the Lagoa dos Patos; the herbarium sheets are at the university.', 'family', 'claude', '2025-09-02T20:33:00Z', 0.92, { from: ['c-notebooks', 'n4'] }],
  ['goal', 'Speak better German before the conference in Marburg.', 'languages', 'chatgpt', '2024-05-05T09:00:00Z', 0.3, { status: 'archived' }],
  ['environment', 'Phone is an old Fairphone without a Google account.', 'computer', 'chatgpt', '2024-10-12T10:00:00Z', 0.79],
  ['preference', 'Does not like surprises for her birthday, and says so every year.', 'family', 'chatgpt', '2025-06-02T20:00:00Z', 0.82, { circles: 'family' }],
  ['project', 'Index of place names in the notebooks, kept as a CSV with one line a mention.', 'bookbinding computer', 'claude', '2025-09-16T21:00:00Z', 0.9],
  ['fact', 'The orchestra rehearses on Wednesdays at half past seven.', 'music', 'claude', '2025-06-21T21:14:00Z', 0.88],
  ['relationship', 'Rui conducts the orchestra and is late for everything but the downbeat.', 'music', 'claude', '2025-06-21T21:16:00Z', 0.75],
  ['fact', 'Mede 1,68 m e calça 38.', 'home', 'chatgpt', '2024-07-21T18:00:00Z', 0.68, { exportable: false }],
  ['context', 'Her mother is recovering from a hip operation and does the exercises only when watched.', 'family health', 'claude', '2025-08-11T17:00:00Z', 0.73, { exportable: false, circles: 'family dr-lima' }],
  ['instruction', 'Use metric units and the 24-hour clock.', 'style', 'claude', '2025-08-19T07:42:00Z', 1, { method: 'explicit_user_input' }],
  ['skill', 'Bakes a sourdough that is good and dense, in that order.', 'food', 'chatgpt', '2025-03-08T15:15:00Z', 0.8],
  ['preference', 'Would rather have one long email than five short messages.', 'work', 'chatgpt', '2025-05-14T10:40:00Z', 0.83, { circles: 'work-assistant' }],
  ['fact', 'Keeps the household accounts in a plain text file, with ledger.', 'computer money', 'chatgpt', '2025-01-09T10:30:00Z', 0.86],
  ['goal', 'Spend less than two hundred euros a month on books. So far, no.', 'books money', 'chatgpt', '2025-02-01T09:00:00Z', 0.58],
  ['fact', 'Trabalhou dois anos numa livraria na Rua da Praia antes do mestrado.', 'work books', 'claude', '2025-10-11T22:41:00Z', 0.9],
  ['context', 'The heating broke in the second week of October; the technician comes on the 21st.', 'home', 'claude', '2025-10-12T08:00:00Z', 0.7, { validUntil: '2025-10-22T23:59:59Z' }],
  ['relationship', 'Joana from the archive shares the office, the kettle and the opinions on metadata.', 'work tea', 'chatgpt', '2025-05-03T09:20:00Z', 0.8, { from: ['c-tea', 'm5'] }],
  ['preference', 'Dark theme after sunset, light paper in the day.', 'computer', 'claude', '2025-08-19T07:45:00Z', 0.77],
  ['fact', 'Reading glasses: +1.25, bought in threes because two are always elsewhere.', 'health home', 'chatgpt', '2024-11-02T11:30:00Z', 0.71, { circles: 'dr-lima' }],
  ['custom', 'Words she dislikes: “leverage”, “delve”, “journey” for anything without luggage.', 'style writing', 'claude', '2025-08-19T07:48:00Z', 0.98, { customType: 'vocabulary' }],
  ['environment', 'Backups go to two disks, one of them at Inês’s house.', 'computer family', 'chatgpt', '2025-01-09T10:36:00Z', 0.9],
  ['fact', 'Joined the neighbourhood library’s Saturday group in 2022.', 'books', 'chatgpt', '2024-04-20T16:00:00Z', 0.62],
  ['project', 'Transcribing the letters lent by Dona Celeste: 61 letters, 1957 to 1963, 22 transcribed.', 'archive', 'claude', '2025-10-03T18:22:00Z', 0.94, { summary: 'Dona Celeste’s letters, 22 of 61 done', circles: 'work-assistant' }],
];

/** from, type, to: indices into MEMORIES. */
export const RELATIONS: [from: number, type: string, to: number][] = [
  [0, 'supersedes', 12],
  [30, 'supports', 3],
  [37, 'extends', 3],
  [41, 'derived_from', 3],
  [53, 'supports', 0],
  [59, 'related_to', 29],
  [24, 'extends', 9],
  [20, 'related_to', 0],
  [10, 'contradicts', 34],
  [31, 'supports', 16],
];
