package memory_test

import (
	"reflect"
	"strings"
	"testing"

	"keepsake/backend/memory"
)

// Promise: each language has a word for everything.
func TestWordingIsWhole(t *testing.T) {
	for _, language := range []string{"en", "pt-BR"} {
		w := memory.WordingIn(language)
		for i := range reflect.TypeFor[memory.Wording]().NumField() {
			if reflect.ValueOf(w).Field(i).String() == "" {
				t.Errorf("%s has no %s", language, reflect.TypeFor[memory.Wording]().Field(i).Name)
			}
		}
		said := map[string]bool{}
		say := func(word string) {
			if word == "" || strings.Contains(word, "|") || said[word] {
				t.Errorf("%s: %q is no word, or another one's", language, word)
			}
			said[word] = true
		}
		for _, kind := range memory.Types() {
			say("type " + w.Type(kind))
		}
		for _, s := range memory.Statuses() {
			say("status " + w.Status(s))
		}
		for _, r := range []memory.Role{memory.User, memory.Assistant, memory.System, memory.Tool} {
			say("role " + w.Role(r))
		}
		for _, kind := range memory.RelationTypes() {
			say(w.Link(memory.Link{Type: kind}))
			if kind != memory.RelatedTo { // the same from both ends
				say(w.Link(memory.Link{Type: kind, Inverse: true}))
			}
		}
	}
	if w := memory.WordingIn("tlh"); w != memory.WordingIn("en") {
		t.Errorf("an unknown language is %q", w.Language)
	}
	if pt := memory.WordingIn("pt-BR"); pt.Type(memory.Fact) != "Fato" || pt.Status(memory.Active) != "ativa" || pt.Role("robot") != "robot" {
		t.Errorf("pt-BR: %+v", pt)
	}
}

// What people read says a status as the window does.
func TestWindow17RetractedInPortuguese(t *testing.T) {
	if said := memory.WordingIn("pt-BR").Status(memory.Retracted); said != "não mais verdadeira" {
		t.Errorf("it says %q", said)
	}
}
