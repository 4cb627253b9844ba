package pasted

import (
	"context"
	"strings"

	"keepsake/backend/fault"
	"keepsake/backend/importer"
	"keepsake/backend/intake"
	"keepsake/backend/memory"
)

// How sure a statement is when it enters, by where it stood: a list that the
// assistant keeps itself, a list that it wrote when asked, prose that it drew up.
const (
	sureKept    = 0.8
	sureWritten = 0.7
	sureDrawnUp = 0.6
)

// Read gives each entry of each text.
func (Importer) Read(ctx context.Context, tree *intake.Tree, sink importer.Sink) error {
	p := importer.NewReading(ctx, tree, sink)
	for _, f := range tree.Files() {
		text, err := p.Text(f)
		if err != nil {
			return err
		}
		if err := read(p, f, parse(text)); err != nil {
			return err
		}
	}
	return p.End()
}

func read(p *importer.Reading, f intake.File, found answer) error {
	if found.foreign {
		return p.Break(errForeign(f.Base()))
	}
	for _, e := range found.entries {
		if err := p.Remember(e.draft(found)); err != nil {
			return err
		}
	}
	for reason, n := range found.skipped {
		for range n {
			p.Sink.Skipped(reason)
		}
	}
	if found.more {
		p.Notice(f, fault.New(fault.Invalid, "paste-more-remain",
			"{name} ends by saying that there are more memories; this is only a part of them.").With("name", f.Base()).
			Advise("Ask the assistant to go on, and paste the rest as well. Nothing is taken twice."))
	}
	return nil
}

// draft is an entry as a memory.
func (e entry) draft(found answer) importer.MemoryDraft {
	d := importer.MemoryDraft{
		SourceKey: "pasted:" + importer.Digest(strings.ToLower(e.text)), Under: e.section, Content: e.text,
		Type: e.typeOf(), Method: memory.LLMInference, Confidence: sureWritten,
		CreatedAt: e.date.at, Tags: importer.AddTag(nil, e.section),
		Metadata: importer.Facts(nil, "source", "pasted text", "section", e.section, "assistant", found.assistant),
	}
	switch {
	case e.stated:
		d.Method, d.Confidence = memory.ExplicitUserInput, sureKept
	case found.shape == numbered, found.shape == list:
		d.Confidence = sureKept
	case found.shape == prose:
		d.Confidence = sureDrawnUp
	}
	if e.date.precision != "" {
		d.Metadata[memory.CreatedFromKey] = e.date.precision
	}
	if e.date.written != "" && e.date.at.IsZero() {
		d.Metadata["date"] = e.date.written
	}
	if len(e.evidence) > 0 {
		d.Metadata["evidence"] = e.evidence
	}
	return d
}

// heads are what sections are called, by the type of what stands in them.
var heads = []struct {
	is    memory.Type
	words []string
}{
	{memory.Instruction, []string{"instruction", "instruç", "instrucc", "anweisung", "consigne", "istruzion", "指示"}},
	{memory.Relationship, []string{"relationship", "relacion", "beziehung", "relation", "relazion", "関係"}},
	{memory.Project, []string{"project", "projeto", "proyecto", "projekt", "projet", "progett", "プロジェクト"}},
	{memory.Preference, []string{"preference", "interest", "preferên", "preferenc", "interess", "vorlieb", "préféren", "preferenz", "好み"}},
	{memory.Identity, []string{"identity", "demographic", "identidade", "demográf", "identidad", "identität", "demograf", "identité", "personal detail", "基本"}},
	{memory.Skill, []string{"skill", "tools", "habilidad", "fähigkeit", "compéten"}},
}

// typeOf sorts by the head where it says it clearly, then by the words.
func (e entry) typeOf() memory.Type {
	head := strings.ToLower(e.section)
	under := memory.Fact
	for _, h := range heads {
		for _, w := range h.words {
			if under == memory.Fact && strings.Contains(head, w) {
				under = h.is
			}
		}
	}
	if guess := importer.GuessType(e.text); guess != memory.Fact && under != memory.Instruction && under != memory.Relationship {
		return guess
	}
	return under
}
