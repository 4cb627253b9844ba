package pam

import (
	"strconv"

	"keepsake/backend/memory"
)

// appendEntry writes an entry of the index in canonical form behind dst. Its own words
// and numbers take no reflection: a large export has an entry for each conversation,
// with the id of every memory that came from it. ok is false, and nothing of it counts,
// where a text must be escaped or is not ASCII.
func appendEntry(dst []byte, e *IndexEntry) (out []byte, ok bool) {
	w := entryWriter{dst: append(dst, '{'), ok: true}
	if len(e.DerivedMemories) > 0 {
		w.texts(`"derived_memories":`, e.DerivedMemories)
		w.bare(`,`)
	}
	w.text(`"id":`, e.ID)
	if e.MessageCount != nil {
		w.bare(`,"message_count":`)
		w.dst = strconv.AppendInt(w.dst, int64(*e.MessageCount), 10)
	}
	w.text(`,"platform":`, e.Platform)
	if e.Storage != nil {
		w.storage(e.Storage)
	}
	if len(e.Tags) > 0 {
		w.texts(`,"tags":`, e.Tags)
	}
	w.temporal(e.Temporal)
	if e.Title != "" {
		w.text(`,"title":`, e.Title)
	}
	w.bare(`}`)
	return w.dst, w.ok
}

type entryWriter struct {
	dst []byte
	ok  bool
}

func (w *entryWriter) bare(s string) { w.dst = append(w.dst, s...) }

func (w *entryWriter) text(name, value string) {
	w.bare(name)
	w.dst = append(w.dst, '"')
	from := len(w.dst)
	w.dst = append(w.dst, value...)
	w.ok = w.ok && plain(w.dst[from:]) == len(value)
	w.dst = append(w.dst, '"')
}

func (w *entryWriter) texts(name string, values []string) {
	w.bare(name)
	before := "["
	for _, value := range values {
		w.text(before, value)
		before = ","
	}
	w.bare(`]`)
}

func (w *entryWriter) storage(s *Storage) {
	w.bare(`,"storage":{`)
	if s.Format != "" {
		w.text(`"format":`, s.Format)
		w.bare(`,`)
	}
	w.text(`"ref":`, s.Ref)
	w.text(`,"type":`, s.Type)
	w.bare(`}`)
}

func (w *entryWriter) temporal(t memory.ConversationTemporal) {
	w.text(`,"temporal":{"created_at":`, t.CreatedAt.String())
	w.ok = w.ok && !t.CreatedAt.IsZero() // how that is written is not ours to say
	if !t.UpdatedAt.IsZero() {
		w.text(`,"updated_at":`, t.UpdatedAt.String())
	}
	w.bare(`}`)
}
