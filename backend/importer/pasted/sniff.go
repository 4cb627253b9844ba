package pasted

import (
	"context"

	"keepsake/backend/fault"
	"keepsake/backend/importer"
	"keepsake/backend/intake"
)

// Sniff recognises one text by its entries: dated lines, or bullets with
// evidence below them. Plain lines and prose could be anything; whoever pasted
// them says what they are.
func (Importer) Sniff(ctx context.Context, tree *intake.Tree) (importer.Match, error) {
	if len(tree.Files()) != 1 {
		return importer.Match{}, nil
	}
	_, head, err := importer.LookAt(ctx, tree, tree.Files()[0])
	if err != nil || !importer.LooksLikeText(head) {
		return importer.Match{}, err
	}
	text, _ := importer.PlainText(head)
	if head, _ := importer.FrontMatter(text); head != nil {
		return importer.Match{}, nil // a note with a head of its own
	}
	found := parse(text)
	m := importer.Match{Format: string(found.shape)}
	switch {
	case len(found.entries) == 0 && found.none:
		m.Certainty, m.Advice = importer.Possible, noMemories(tree.Name())
	case found.isStructured():
		m.Certainty = importer.Certain
	}
	return m, nil
}

func noMemories(name string) *fault.Error {
	return fault.New(fault.Invalid, "paste-no-memories", "{name} says that there are no memories; there is nothing to read in it.").
		With("name", name).
		Advise("Ask the assistant again in a new chat, with memory switched on, or copy the list from its settings.")
}
