package importer_test

import (
	"testing"

	"keepsake/backend/importer"
	"keepsake/backend/memory"
)

func TestGuessedTypes(t *testing.T) {
	for text, want := range map[string]memory.Type{
		"User's name is Marina.":                             memory.Identity,
		"A usuária se chama Marina.":                         memory.Identity,
		"Always answer in metric units.":                     memory.Instruction,
		"Sempre responda em português.":                      memory.Instruction,
		"User prefers metric units.":                         memory.Preference,
		"Prefere café sem açúcar.":                           memory.Preference,
		"Não gosta de coentro":                               memory.Preference,
		"Has a daughter named Alice who loves dinosaurs.":    memory.Relationship,
		"Mora com o marido e dois gatos.":                    memory.Relationship,
		"Wants to run a half marathon in spring":             memory.Goal,
		"Pretende abrir um ateliê de cerâmica.":              memory.Goal,
		"Is building a weather station.":                     memory.Project,
		"Speaks English, Portuguese and some French":         memory.Skill,
		"Uses a ThinkPad with Debian Linux.":                 memory.Environment,
		"Is currently preparing a talk about kilns.":         memory.Context,
		"Lives in Lisbon.":                                   memory.Fact,
		"Works at Meta in the USA.":                          memory.Fact,
		"":                                                   memory.Fact,
		"Works as a marine biologist at a research station.": memory.Fact,
	} {
		if got := importer.GuessType(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func TestWhoSomebodyIsDoesNotFade(t *testing.T) {
	for typ, want := range map[memory.Type]memory.Decay{
		memory.Identity: memory.DecayNone, memory.Instruction: memory.DecayNone, memory.Fact: memory.DecayNone,
		memory.Goal: memory.DecayLinear, memory.Context: memory.DecayExponential,
	} {
		if got := importer.DecayOf(typ); got != want {
			t.Errorf("%s: %s, want %s", typ, got, want)
		}
	}
}

func TestTagsFitTheSchema(t *testing.T) {
	for name, want := range map[string]string{
		"Work context": "work-context", "  Ação & Reação! ": "acao-reacao", "Ünïcode_2": "unicode-2",
		"日本": "", "": "", "--a--": "a",
	} {
		if got := importer.Tag(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
