// Line drawings in ink, 160 × 112. "ink" is drawn in the colour of words,
// "wax" is a seal and nothing else, "accent" a spot of colour, "paper" is filled.

type Line = { d: string; as: 'ink' | 'wax' | 'accent' | 'paper' | 'faint' };

export const drawings = {
  /** a folded letter, not yet sealed */
  letter: [
    { as: 'paper', d: 'M30 36L80 14L130 36V92H30Z' },
    { as: 'faint', d: 'M52 34H108M52 44H108M52 54H88' },
    { as: 'ink', d: 'M30 38V94H130V38' },
    { as: 'ink', d: 'M30 38L80 16L130 38' },
    { as: 'ink', d: 'M30 40L80 70L130 40M30 94L66 62M130 94L94 62' },
    { as: 'wax', d: 'M80 60a9 9 0 1 1 0 18a9 9 0 1 1 0-18' },
  ],
  /** an open drawer of index cards with nothing between them */
  drawer: [
    { as: 'paper', d: 'M24 58H136V98H24Z' },
    { as: 'faint', d: 'M44 58V40H84V58M92 58V34H120V58' },
    { as: 'ink', d: 'M24 58H136V98H24ZM34 58L42 48M126 58L118 48' },
    { as: 'ink', d: 'M66 74H94V84H66ZM20 98H140' },
    { as: 'accent', d: 'M80 79h.1' },
  ],
  /** two sheets of a talk, one answering the other */
  talk: [
    { as: 'paper', d: 'M26 22H96V66H26Z' },
    { as: 'ink', d: 'M26 22H96V66H52L38 80V66H26Z' },
    { as: 'faint', d: 'M38 36H84M38 46H84M38 56H62' },
    { as: 'ink', d: 'M106 42H136V84H124V98L108 84H72V76' },
    { as: 'accent', d: 'M118 63h.1' },
  ],
  /** a parcel tied with string: what an assistant sent */
  parcel: [
    { as: 'paper', d: 'M34 40H126V96H34Z' },
    { as: 'ink', d: 'M34 40H126V96H34ZM34 40L48 24H112L126 40' },
    { as: 'faint', d: 'M80 24V96M34 66H126' },
    { as: 'accent', d: 'M80 66C68 52 58 58 66 66H80M80 66C92 52 102 58 94 66H80' },
  ],
  /** a document under a glass: what is it worth */
  proof: [
    { as: 'paper', d: 'M40 14H98L112 28V98H40Z' },
    { as: 'ink', d: 'M98 14H40V98H112V28ZM98 14V28H112' },
    { as: 'faint', d: 'M52 34H88M52 46H100M52 58H78' },
    { as: 'wax', d: 'M60 82a8 8 0 1 1 16 0a8 8 0 1 1-16 0' },
    { as: 'ink', d: 'M90 66a18 18 0 1 1 36 0a18 18 0 1 1-36 0M121 79L138 98' },
  ],
} satisfies Record<string, Line[]>;

export type Drawing = keyof typeof drawings;
