package core_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"keepsake/backend/core"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
)

func tongue(r memory.Record) any { return r.Metadata["language"] }

// Promise (PAM §10): a memory that is written here says its language where its
// words do; a change of them is told again, and what a person named stays.
func TestLanguageIsTold(t *testing.T) {
	k := full(t)
	english, portuguese := "User drinks green tea in the morning and never after lunch.", "O usuário mora em Lisboa e trabalha em casa."
	m := k.add(english)
	if tongue(m) != "en" || tongue(k.add("Likes tea")) != nil {
		t.Errorf("told: %v", m.Metadata)
	}
	edited := func(e core.MemoryEdit) any { return tongue(ok(k.EditMemory(ctx, m.ID, e)).Record) }
	for _, step := range []struct {
		edit core.MemoryEdit
		want any
	}{
		{core.MemoryEdit{Tags: &[]string{"tea"}}, "en"},
		{core.MemoryEdit{Content: &portuguese}, "pt"},
		{core.MemoryEdit{Content: to("Lisboa")}, nil},
		{core.MemoryEdit{Content: &english}, "en"},
		{core.MemoryEdit{Language: to("pt-BR")}, "pt-BR"},
		{core.MemoryEdit{Content: to(english + " It is for the best.")}, "pt-BR"},
		{core.MemoryEdit{Language: to("")}, nil},
		{core.MemoryEdit{Content: &english}, nil},
	} {
		if got := edited(step.edit); got != step.want {
			t.Errorf("%+v: %v, not %v", step.edit, got, step.want)
		}
	}
	for _, bad := range []string{"english", "EN", "pt_BR", "e"} {
		if _, err := k.EditMemory(ctx, m.ID, core.MemoryEdit{Language: &bad}); fault.From(err) == nil || fault.From(err).Reason != "language-form" {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// Promise: what comes out of a document of Portable AI Memory is given again as it
// came, with a language or without one, also after its words were changed here.
func TestLanguageOfDocumentsIsTheirs(t *testing.T) {
	k, there := full(t), other(t)
	there.later(k.clock.Sub(there.clock))
	words := "User drinks green tea in the morning and never after lunch."
	id := k.add(words).ID
	ok(k.EditMemory(ctx, id, core.MemoryEdit{Language: to("")}))
	_, text := k.export("out.json", core.ExportOptions{})
	there.take("out.json", text, core.ImportOptions{})
	if got := there.saying(words); tongue(got) != nil {
		t.Errorf("a memory without a language came in with %v", tongue(got))
	}
	_, back := there.export("back.json", core.ExportOptions{})
	if one, two := parse(t, text).saying(words), parse(t, back).saying(words); !reflect.DeepEqual(one, two) {
		t.Errorf("left as %v\ncame back as %v", one, two)
	}
	there.later(time.Hour)
	if m := ok(there.EditMemory(ctx, id, core.MemoryEdit{Content: to(words + " He likes it.")})); tongue(m.Record) != nil {
		t.Errorf("told of a document's memory: %v", m.Metadata)
	}
}

// Promise: statements of a provider say their language, which follows their words.
func TestLanguageOfStatements(t *testing.T) {
	k := full(t)
	b := sampleBook()
	b.Memories[0].Text = "The user is called Ana and works as a nurse in the city."
	k.imports(k.write("b.zip", b))
	if m := k.saying(b.Memories[0].Text); tongue(m) != "en" {
		t.Errorf("%v", m.Metadata)
	}
	b.Memories[0].Text = "A usuária se chama Ana e trabalha como enfermeira na cidade."
	k.later(time.Hour)
	k.imports(k.write("c.zip", b))
	if m := k.saying(b.Memories[0].Text); tongue(m) != "pt" {
		t.Errorf("%v", m.Metadata)
	}
	_, text := k.export("out.json", core.ExportOptions{})
	if !strings.Contains(string(text), `"language":"pt"`) {
		t.Error("the export does not say it")
	}
}
