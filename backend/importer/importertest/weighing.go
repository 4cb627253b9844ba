package importertest

import (
	"context"
	"runtime"

	"keepsake/backend/importer"
)

// Weighing is a receiving side that looks at how much memory is in use, in bytes.
type Weighing struct {
	importer.Sink
	Each  []int64 // when something was met that is not understood
	Whole int64   // when the last conversation was given
}

// Unknown implements importer.Sink.
func (w *Weighing) Unknown(string) { w.Each = append(w.Each, InUse()) }

// Conversation implements importer.Sink.
func (w *Weighing) Conversation(_ context.Context, d importer.ConversationDraft) error {
	w.Whole = InUse()
	runtime.KeepAlive(d)
	return nil
}

// InUse is how much memory is in use, in bytes.
func InUse() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
