package chatgpt

import (
	"context"
	"time"

	"keepsake/backend/importer"
	"keepsake/backend/memory"
)

// remembered is what one reading has found out about memories so far. It
// grows with the number of different memories, not with the export.
type remembered struct {
	repeats  map[string]*sighting // by text
	order    []string             // of the texts in repeats
	snapshot memory.Time          // of the newest snapshot seen
}

// sighting is when a text that stands in many conversations was seen. The
// drafts name the conversations where that was.
type sighting struct {
	sent                  memory.Time // when the one was seen that was sent
	first, last           memory.Time
	firstDraft, lastDraft importer.MemoryDraft
}

func newRemembered() *remembered { return &remembered{repeats: map[string]*sighting{}} }

// take sends one statement of a conversation on. Exports list the newest
// conversation first, so a removal may come before the write that it takes
// back; the receiving side compares their times.
func (r *reader) take(ctx context.Context, s statement, c *importer.ConversationDraft, seen memory.Time) error {
	if s.forget {
		return r.sink.Retraction(ctx, importer.RetractionDraft{
			SourceKey: s.key, Text: s.text, ConversationID: c.ID, MessageID: s.message, Account: c.Provider.AccountID, At: s.at,
		})
	}
	d := importer.MemoryDraft{
		SourceKey: s.key, Type: s.is, Content: s.text, Method: s.method, Confidence: s.sure,
		Decay: importer.DecayOf(s.is), ConversationID: c.ID, MessageID: s.message,
		PlatformUserID: c.Provider.AccountID, CreatedAt: s.at,
	}
	switch {
	case s.snapshot && !s.at.IsZero():
		d.Metadata = map[string]any{createdAtFrom: "day"}
	case s.at.IsZero() && !c.Temporal.CreatedAt.IsZero():
		d.CreatedAt, d.Metadata = c.Temporal.CreatedAt, map[string]any{createdAtFrom: "conversation"}
	}
	if s.snapshot && seen.Compare(r.memory.snapshot) < 0 {
		d.Confidence = sureOlder
	}
	if s.repeats {
		return r.repeat(ctx, d, seen)
	}
	return r.sink.Memory(ctx, d)
}

// createdAtFrom is the member of a memory's metadata that says what its time
// was derived from.
const createdAtFrom = memory.CreatedFromKey

// repeat sends a text the first time it is seen and remembers when it was seen
// first and last.
func (r *reader) repeat(ctx context.Context, d importer.MemoryDraft, seen memory.Time) error {
	s := r.memory.repeats[d.Content]
	if s == nil {
		r.memory.repeats[d.Content] = &sighting{sent: seen, first: seen, last: seen}
		r.memory.order = append(r.memory.order, d.Content)
		return r.sink.Memory(ctx, d)
	}
	if seen.IsZero() {
		return nil
	}
	if s.first.IsZero() || seen.Before(s.first.Time) {
		s.first, s.firstDraft = seen, d
	}
	if seen.After(s.last.Time) {
		s.last, s.lastDraft = seen, d
	}
	return nil
}

// finish sends what could only be known at the end: texts seen earlier or
// later than when they were sent.
func (r *reader) finish(ctx context.Context) error {
	for _, d := range r.memory.laterSightings() {
		if err := r.sink.Memory(ctx, d); err != nil {
			return err
		}
	}
	return nil
}

// laterSightings are the drafts that reinforce what was sent: the same text
// where it stood first and last.
func (m *remembered) laterSightings() []importer.MemoryDraft {
	var all []importer.MemoryDraft
	for _, content := range m.order {
		s := m.repeats[content]
		if s.first.Before(s.sent.Time) {
			all = append(all, sightedAt(s.firstDraft, s.first))
		}
		if s.last.After(s.sent.Time) {
			all = append(all, sightedAt(s.lastDraft, s.last))
		}
	}
	return all
}

// sightedAt is a statement of its own each day, so that a newer export
// reinforces and the same one changes nothing.
func sightedAt(d importer.MemoryDraft, at memory.Time) importer.MemoryDraft {
	d.SourceKey += ":seen:" + at.UTC().Format(time.DateOnly)
	d.CreatedAt = at
	return d
}
