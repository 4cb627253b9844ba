package importer

import (
	"strings"
	"unicode"

	"keepsake/backend/memory"
)

// rule gives a type to statements that hold one of its phrases as whole words.
type rule struct {
	is      memory.Type
	phrases string // separated by |, lower case; English, then Portuguese
}

// rules are asked in order; the first that fits wins, and nothing fitting is a
// fact. They sort a list for a person who can correct it: a wrong guess costs
// one click, so they stay few enough to be read.
var rules = []rule{
	{memory.Identity, "name is|goes by|pronouns|was born|years old|birthday|nationality|" +
		"nome é|chama se|se chama|pronomes|nasceu|anos de idade|aniversário|nacionalidade"},
	{memory.Instruction, "always|never|please|do not use|do not add|don t use|don t add|respond|reply|answer in|answer with|call me|wants responses|wants answers|avoid|" +
		"sempre|nunca|por favor|não use|responda|responder em|me chame|quer respostas|evite"},
	{memory.Relationship, "wife|husband|partner|girlfriend|boyfriend|son|daughter|children|mother|father|parents|sister|brother|married|" +
		"esposa|marido|parceiro|parceira|namorada|namorado|filho|filha|filhos|mãe|pai|pais|irmã|irmão|casado|casada"},
	{memory.Preference, "prefers|prefer|likes|loves|enjoys|dislikes|hates|favorite|favourite|would rather|is a fan of|" +
		"prefere|prefiro|gosta|adora|ama|detesta|odeia|favorito|favorita|favoritos|favoritas"},
	{memory.Goal, "wants to|plans to|is planning|aims to|hopes to|goal|goals|intends to|dreams of|is saving|training for|is learning|" +
		"quer|planeja|pretende|objetivo|sonha|está aprendendo|está economizando|está juntando"},
	{memory.Project, "is working on|is building|is developing|is writing|side project|" +
		"está trabalhando em|está trabalhando no|está trabalhando na|está construindo|está desenvolvendo|está escrevendo|projeto pessoal"},
	{memory.Skill, "speaks|fluent|proficient|experienced in|years of experience|expert in|knows how|certified|" +
		"fala|fluente|proficiente|experiência com|experiência em|anos de experiência|especialista|sabe|certificado|certificada"},
	{memory.Environment, "uses|laptop|operating system|linux|windows|macos|ubuntu|homelab|" +
		"usa o|usa a|usa um|usa uma|utiliza|notebook|sistema operacional"},
	{memory.Relationship, "friend|friends|colleague|boss|dog|cat|amigo|amiga|colega|chefe|cachorro|cadela|gato|gata"},
	{memory.Context, "currently|recently|this week|this month|this year|at the moment|is travelling|is traveling|temporarily|" +
		"atualmente|recentemente|esta semana|este mês|este ano|no momento|está viajando|temporariamente"},
}

// GuessType sorts a short statement about a person, in English or Portuguese.
// It looks at the first 400 bytes: a long text is not sorted by its end.
func GuessType(text string) memory.Type {
	words := padded(text[:min(len(text), 400)])
	for _, r := range rules {
		for phrase := range strings.SplitSeq(r.phrases, "|") {
			if strings.Contains(words, " "+phrase+" ") {
				return r.is
			}
		}
	}
	return memory.Fact
}

// padded is text in lower case, every run of anything but letters and digits
// one space, with a space at both ends.
func padded(text string) string {
	var b strings.Builder
	b.WriteByte(' ')
	gap := true
	for _, r := range text {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) {
			b.WriteRune(unicode.ToLower(r))
			gap = false
		} else if !gap {
			b.WriteByte(' ')
			gap = true
		}
	}
	if !gap {
		b.WriteByte(' ')
	}
	return b.String()
}

// DecayOf is how a statement of that type ages (PAM §8.1): who somebody is and
// what they told an assistant to do does not, where they stand and what they
// work on does.
func DecayOf(t memory.Type) memory.Decay {
	switch t {
	case memory.Context:
		return memory.DecayExponential
	case memory.Goal, memory.Project, memory.Environment, memory.Preference, memory.Skill:
		return memory.DecayLinear
	}
	return memory.DecayNone
}
