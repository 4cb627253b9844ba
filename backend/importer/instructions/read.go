package instructions

import (
	"context"
	"regexp"
	"strings"

	"keepsake/backend/importer"
	"keepsake/backend/intake"
	"keepsake/backend/memory"
)

// How sure a statement is: somebody wrote the file for an assistant, or an
// assistant wrote it for itself.
const (
	sureTold = 0.9
	sureOwn  = 0.7
)

// Read gives the statements of each file.
func (Importer) Read(ctx context.Context, tree *intake.Tree, sink importer.Sink) error {
	p := importer.NewPass(ctx, tree, sink)
	for _, f := range tree.Files() {
		k := of(f.Path)
		if k.tool == "" && len(tree.Files()) > 1 {
			sink.OtherFile(f)
			continue
		}
		text, err := p.Text(f)
		if err != nil {
			return err
		}
		if err := read(p, f, k, text); err != nil {
			return err
		}
	}
	return p.End()
}

// include is a line that names another file.
var include = regexp.MustCompile(`^@\S+$`)

func read(p *importer.Pass, f intake.File, k kind, text string) error {
	head, body := importer.FrontMatter(text)
	said := importer.Paragraphs(body)
	if len(said) == 0 {
		p.Sink.Skipped("empty-file")
	}
	for _, s := range said {
		if include.MatchString(s.Text) {
			p.Sink.Skipped("include")
			continue
		}
		d := importer.MemoryDraft{
			SourceKey: "instruction-file:" + importer.Digest(f.Path, s.Section, s.Text), Content: s.Text,
			Type: memory.Instruction, Decay: memory.DecayNone, Method: memory.ExplicitUserInput, Confidence: sureTold,
			Tags:     importer.AddTag(importer.AddTag(nil, k.tool), k.scope),
			Metadata: importer.Facts(importer.Rest(head), "source", "instruction file", "file", f.Path, "tool", k.tool, "scope", k.scope, "section", s.Section),
		}
		if k.own {
			d.Type, d.Method, d.Confidence = importer.GuessType(strings.TrimSpace(s.Text)), memory.LLMInference, sureOwn
			d.Decay = importer.DecayOf(d.Type)
		}
		if err := p.Remember(d); err != nil {
			return err
		}
	}
	return nil
}
