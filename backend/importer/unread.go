package importer

import (
	"bytes"
	"context"
	"path"
	"slices"
	"strings"

	"keepsake/backend/fault"
	"keepsake/backend/intake"
)

// foreign are exports that people have and that no reader reads, by what a file
// of them looks like.
var foreign = []struct {
	provider string
	is       func(f intake.File, s Shape, head []byte) bool
}{
	{"Character.AI", func(_ intake.File, s Shape, _ []byte) bool {
		return s.ItemHas("msgs.src.is_human") || s.ItemHas("turns.candidates.raw_content")
	}},
	{"Meta AI", func(f intake.File, _ Shape, _ []byte) bool {
		return f.Base() == "your_ai_conversations.html" || path.Base(path.Dir(f.Path)) == "meta_ai_profile"
	}},
	{"llama.cpp", func(_ intake.File, s Shape, head []byte) bool {
		return s.Kind == '{' && bytes.Contains(head, []byte(`"convId"`))
	}},
}

// whatElse calls a tree that nobody reads what it is, where that can be told; nil
// where it cannot.
func whatElse(ctx context.Context, tree *intake.Tree) (is *fault.Error, err error) {
	files := tree.Files()
	for _, f := range files[:min(len(files), maxLooks)] {
		shape, head, err := LookAt(ctx, tree, f)
		if err != nil {
			return nil, err
		}
		if f.Base() == "[Content_Types].xml" {
			return named(fault.New(fault.Unsupported, "unread-office", "{name} is an office document, of which Keepsake reads Perplexity's workbook only.").
				Advise("Copy its text and paste it on the Import screen."), tree), nil
		}
		for _, x := range foreign {
			if x.is(f, shape, head) {
				return named(fault.New(fault.Unsupported, "unread-provider", "{name} holds conversations of {provider}, which Keepsake does not read yet.").
					With("provider", x.provider).
					Advise("Text of an assistant can be pasted on the Import screen."), tree), nil
			}
		}
		if len(files) == 1 {
			return ofKind(head, tree), nil
		}
	}
	return nil, nil
}

// ofKind calls the only file of a tree what it is by how it begins.
func ofKind(head []byte, tree *intake.Tree) *fault.Error {
	begins := func(with ...string) bool {
		return slices.ContainsFunc(with, func(w string) bool { return bytes.HasPrefix(head, []byte(w)) })
	}
	page := strings.ToLower(string(bytes.TrimSpace(head[:min(len(head), 256)])))
	switch {
	case begins("SQLite format 3\x00"):
		return named(fault.New(fault.Unsupported, "unread-database", "{name} is the database of a program, which Keepsake does not read.").
			Advise("Use the program's own export of its chats."), tree)
	case begins("%PDF-"):
		return named(fault.New(fault.Unsupported, "unread-pdf", "{name} is a PDF, which Keepsake does not read.").
			Advise("Copy its text and paste it on the Import screen."), tree)
	case begins("\x89PNG", "\xFF\xD8\xFF", "GIF8"):
		return named(fault.New(fault.Unsupported, "unread-picture", "{name} is a picture, which Keepsake does not read.").
			Advise("Drop the file that the provider sent, or paste text on the Import screen."), tree)
	case strings.HasPrefix(page, "<!doctype html"), strings.HasPrefix(page, "<html"):
		return named(fault.New(fault.Unsupported, "unread-page", "{name} is a web page, of which Keepsake reads Google's My Activity only.").
			Advise("Drop the file that the provider sent, or copy the text and paste it on the Import screen."), tree)
	}
	return nil
}

func named(f *fault.Error, tree *intake.Tree) *fault.Error { return f.With("name", tree.Name()) }
