import { locale, type Language } from '../lib/i18n';

/** Strength is how hard a passphrase is to guess: 0 (at once) to 4. */
export type Strength = { score: 0 | 1 | 2 | 3 | 4; warning: string; suggestions: string[] };

type Judge = (passphrase: string) => Strength;

const made = new Map<string, Promise<Judge>>();

// What Brazilians choose most often; the lists of passwords that the estimate
// brings are English, and its Portuguese words are ranked by how often books have them.
const PORTUGUESE = [
  'senha', 'brasil', 'flamengo', 'deus', 'amor', 'minhasenha', 'corinthians', 'deusefiel', 'teamo', 'euteamo', 'jesus', 'palmeiras', 'saopaulo', 'mudar',
  'gremio', 'cruzeiro', 'vasco', 'santos', 'botafogo', 'fluminense', 'internacional', 'atletico', 'jesuscristo', 'familia', 'felicidade', 'princesa', 'gatinha',
  'amorzinho', 'segredo', 'acesso', 'estrela', 'borboleta', 'chocolate', 'cachorro', 'liberdade', 'saudade', 'esperanca', 'parabens', 'bemvindo', 'administrador',
  'computador', 'futebol', 'brasileiro', 'senhaforte', 'deusnocomando', 'jesusteama',
];

// Beyond this the estimate costs time and says nothing new.
const MOST = 100;

/** judge loads the word lists when a passphrase is first typed, and not before. */
export function judge(): Promise<Judge> {
  const language: Language = locale.language === 'pt-BR' ? 'pt-BR' : 'en';
  let judging = made.get(language);
  if (!judging) made.set(language, (judging = build(language)));
  return judging;
}

async function build(language: Language): Promise<Judge> {
  const [{ ZxcvbnFactory }, common, english, portuguese] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
    import('@zxcvbn-ts/language-en'),
    import('@zxcvbn-ts/language-pt-br'),
  ]);
  const estimator = new ZxcvbnFactory({
    dictionary: { ...common.dictionary, ...english.dictionary, ...portuguese.dictionary, 'passwords-pt-br': PORTUGUESE },
    graphs: common.adjacencyGraphs,
    translations: language === 'pt-BR' ? portuguese.translations : english.translations,
  });
  return (passphrase) => {
    const { score, feedback } = estimator.check(passphrase.slice(0, MOST), ['keepsake']);
    return { score, warning: feedback.warning ?? '', suggestions: feedback.suggestions };
  };
}
