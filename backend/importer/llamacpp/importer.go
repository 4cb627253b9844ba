package llamacpp

import (
	"context"

	"keepsake/backend/importer"
	"keepsake/backend/intake"
)

const platform = "llama-cpp"

// Importer reads conversations of llama.cpp. The zero value is ready.
type Importer struct {
	most int64 // bytes that are held of a file of lines; 0 is as many as of any conversation
}

// Info names the reader.
func (Importer) Info() importer.Info {
	return importer.Info{ID: "llama-cpp", Name: "llama.cpp", Platform: platform, Version: "llama-cpp/2026.12"}
}

// Sniff recognises lines by their session or messages, and lists by their conversations.
func (Importer) Sniff(ctx context.Context, tree *intake.Tree) (importer.Match, error) {
	return importer.MatchFirst(ctx, tree, []string{".jsonl", ".json"}, func(_ intake.File, s importer.Shape, _ []byte) string { return formOf(s) })
}

// formOf is "lines" or "list", "" for another file.
func formOf(s importer.Shape) string {
	switch {
	case s.Has("harness") && s.ItemText("harness") == "llama.app", s.Has("message.convId"):
		return "lines"
	case s.ItemHas("conv.currNode"), s.ItemHas("conv.id") && s.ItemHas("messages.convId"):
		return "list"
	}
	return ""
}
