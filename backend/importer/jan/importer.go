package jan

import (
	"context"

	"keepsake/backend/importer"
	"keepsake/backend/intake"
)

const platform = "jan"

// Importer reads threads of Jan. The zero value is ready.
type Importer struct {
	most int64 // bytes that are held of a thread's messages; 0 is as many as of any conversation
}

// Info names the reader.
func (Importer) Info() importer.Info {
	return importer.Info{ID: "jan", Name: "Jan", Platform: platform, Version: "jan/2026.09"}
}

// Sniff recognises messages and threads by what they call themselves.
func (Importer) Sniff(ctx context.Context, tree *intake.Tree) (importer.Match, error) {
	return importer.MatchFirst(ctx, tree, []string{".jsonl", ".json"}, func(_ intake.File, s importer.Shape, _ []byte) string {
		if isMessages(s) || isThread(s) {
			return "threads"
		}
		return ""
	})
}

func isMessages(s importer.Shape) bool {
	return s.Kind == '{' && (s.ItemText("object") == "thread.message" || s.Has("thread_id") && s.Has("role") && s.Has("content.text.value"))
}

func isThread(s importer.Shape) bool {
	return s.Kind == '{' && s.ItemText("object") == "thread" && s.Has("assistants")
}
