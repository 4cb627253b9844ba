package memory

import "strings"

// Wording is what a collection is told in, beside what it says: PAM's words and a
// few headings.
type Wording struct {
	Language string // "en" or "pt-BR"

	Memories, Conversations, Written, Contents, Untitled      string // Written takes the day in place of {day}
	Links, FromTalk, Branches, Thinking, Tool, File, Source   string
	PersonalMemory, History, Patterns, Preferences, LearnedOf string // of the Personal Memory Specification
	ValidUntil                                                string // takes the day in place of {day}
	types, statuses, roles, relations, inverse                string // in the order of PAM, parted by "|"
}

// WordingIn is the wording in a language; English where there is none in it.
func WordingIn(language string) Wording {
	if language == "pt-BR" {
		return Wording{
			Language: language, Memories: "Memórias", Conversations: "Conversas", Written: "Escrito pelo Keepsake em {day}.", Contents: "Conteúdo", Untitled: "Sem título",
			Links: "Links", FromTalk: "de uma conversa", Branches: "Outros ramos", Thinking: "raciocínio", Tool: "Ferramenta", File: "Arquivo", Source: "Fonte",
			PersonalMemory: "Memória pessoal", History: "Histórico de conversas", Patterns: "Padrões de trabalho", Preferences: "Preferências", LearnedOf: "Contexto aprendido",
			ValidUntil: "vale até {day}",
			types:      "Fato|Preferência|Habilidade|Contexto|Relação|Objetivo|Instrução|Identidade|Ambiente|Projeto|Personalizado",
			statuses:   "ativa|substituída|desatualizada|não mais verdadeira|arquivada",
			roles:      "usuário|assistente|sistema|ferramenta",
			relations:  "apoia|contradiz|complementa|substitui|tem relação com|decorre de",
			inverse:    "é apoiada por|é contradita por|é complementada por|é substituída por|tem relação com|leva a",
		}
	}
	return Wording{
		Language: "en", Memories: "Memories", Conversations: "Conversations", Written: "Written by Keepsake on {day}.", Contents: "Contents", Untitled: "Untitled",
		Links: "Links", FromTalk: "from a conversation", Branches: "Other branches", Thinking: "thinking", Tool: "Tool", File: "File", Source: "Source",
		PersonalMemory: "Personal memory", History: "Conversation history", Patterns: "Work patterns", Preferences: "Preferences", LearnedOf: "Learned context",
		ValidUntil: "valid until {day}",
		types:      "Fact|Preference|Skill|Context|Relationship|Goal|Instruction|Identity|Environment|Project|Custom",
		statuses:   "active|superseded|deprecated|retracted|archived",
		roles:      "user|assistant|system|tool",
		relations:  "supports|contradicts|extends|supersedes|is related to|derives from",
		inverse:    "is supported by|is contradicted by|is extended by|is superseded by|is related to|leads to",
	}
}

// wordFor is the word that stands in words where the value stands among all; the
// value itself where it is none of them.
func wordFor[T ~string](value T, all []T, words string) string {
	for i, word := range strings.Split(words, "|") {
		if i < len(all) && all[i] == value {
			return word
		}
	}
	return string(value)
}

// Type is a type as a heading.
func (w Wording) Type(t Type) string { return wordFor(t, Types(), w.types) }

// Status is a status within a sentence.
func (w Wording) Status(s Status) string { return wordFor(s, Statuses(), w.statuses) }

// Role is who speaks.
func (w Wording) Role(r Role) string {
	return wordFor(r, []Role{User, Assistant, System, Tool}, w.roles)
}

// Link is a relation, seen from the end where the link is.
func (w Wording) Link(l Link) string {
	words := w.relations
	if l.Inverse {
		words = w.inverse
	}
	return wordFor(l.Type, RelationTypes(), words)
}

// On puts a day into a phrase.
func (w Wording) On(phrase string, t Time) string {
	return strings.ReplaceAll(phrase, "{day}", t.Format("2006-01-02"))
}

// Titled is a title, or that there is none.
func (w Wording) Titled(title string) string {
	if title == "" {
		return w.Untitled
	}
	return title
}
