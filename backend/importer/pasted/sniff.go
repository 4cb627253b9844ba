package pasted

import (
	"context"
	"strings"
	"unicode/utf8"

	"keepsake/backend/fault"
	"keepsake/backend/importer"
	"keepsake/backend/intake"
)

// maxTexts is how many texts are taken for pasted ones when they come together.
const maxTexts = 16

// Sniff recognises texts by their entries: dated lines, or bullets with
// evidence below them. Plain lines and prose could be anything; whoever pasted
// them says what they are.
func (Importer) Sniff(ctx context.Context, tree *intake.Tree) (m importer.Match, err error) {
	if len(tree.Files()) > maxTexts {
		return importer.Match{}, nil
	}
	for i, f := range tree.Files() {
		here, err := sniff(ctx, tree, f)
		if err != nil || here.Certainty == importer.None {
			return here, err
		}
		if i == 0 || here.Advice == nil {
			m = here
		}
	}
	return m, nil
}

func sniff(ctx context.Context, tree *intake.Tree, f intake.File) (importer.Match, error) {
	_, head, err := importer.LookAt(ctx, tree, f)
	if err != nil {
		return importer.Match{}, err
	}
	text, _ := importer.PlainText(head)
	if !importer.LooksLikeText(head) {
		if importer.IsWhole(head) && firstRune(text) == '{' && parse(text).foreign {
			return importer.Match{Advice: errForeign(tree.Name())}, nil
		}
		return importer.Match{}, nil
	}
	if head, _ := importer.FrontMatter(text); head != nil {
		return importer.Match{}, nil // a note with a head of its own
	}
	found := parse(text)
	if found.foreign && importer.IsWhole(head) {
		return importer.Match{Advice: errForeign(tree.Name())}, nil
	}
	if found.shape == marked && !found.isAnswer && strings.ContainsRune("[{", firstRune(text)) {
		return importer.Match{}, nil // a file of JSON, which may be anybody's
	}
	m := importer.Match{Format: string(found.shape)}
	switch {
	case len(found.entries) == 0 && found.none:
		m.Certainty, m.Advice = importer.Possible, noMemories(tree.Name())
	case found.isStructured():
		m.Certainty = importer.Certain
	}
	return m, nil
}

// firstRune is the first that is no white space, 0 for none.
func firstRune(text string) rune {
	r, _ := utf8.DecodeRuneInString(strings.TrimSpace(text))
	return r
}

func noMemories(name string) *fault.Error {
	return fault.New(fault.Invalid, "paste-no-memories", "{name} says that there are no memories; there is nothing to read in it.").
		With("name", name).
		Advise("Ask the assistant again in a new chat, with memory switched on, or copy the list from its settings.")
}
