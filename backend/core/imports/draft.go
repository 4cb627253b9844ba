package imports

import (
	"encoding/json"
	"regexp"
	"slices"
	"time"

	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/importer"
	"keepsake/backend/memory"
)

// finishConversation completes a draft to a conversation of the vault: import metadata,
// participants, its project as a tag, and times in UTC. An unknown creation time is
// replaced by the time of the last change or, if that is unknown too, of the import;
// TimeSource records which. assistant is the provider's name, "" if unknown. If the
// reader set Kept, the import metadata and the participants of the draft stay.
func finishConversation(d *importer.ConversationDraft, made memory.ImportMetadata, assistant string) {
	c := &d.Conversation
	if !d.Kept {
		c.ImportMetadata = &made
	}
	c.Tags = library.NormalizeTags(append(c.Tags, rows.ProjectOf(c.RawMetadata)))
	if c.Participants == nil && !d.Kept {
		c.Participants = speakers(c, assistant)
	}
	c.Temporal.CreatedAt, c.Temporal.UpdatedAt = memory.At(c.Temporal.CreatedAt.Time), memory.At(c.Temporal.UpdatedAt.Time)
	switch {
	case !c.Temporal.CreatedAt.IsZero():
	case !c.Temporal.UpdatedAt.IsZero():
		c.Temporal.CreatedAt, d.TimeSource = c.Temporal.UpdatedAt, "updated"
	default:
		c.Temporal.CreatedAt, d.TimeSource = made.ImportedAt, memory.TimeUnknown
	}
	if c.Temporal.UpdatedAt.Compare(c.Temporal.CreatedAt) < 0 {
		c.Temporal.UpdatedAt = memory.Time{}
	}
	if d.TimeSource != "" {
		c.RawMetadata = withText(c.RawMetadata, memory.TimeSource, d.TimeSource)
	}
}

// assistantOf returns the name of the assistant whose exports a reader reads; "" for a
// format that many programs write, such as Portable AI Memory.
func assistantOf(info importer.Info) string {
	if info.Platform == "" {
		return ""
	}
	return info.Name
}

// speakers derives the participants of a conversation from the roles of its messages. It
// is used if the reader did not name them.
func speakers(c *memory.Conversation, assistant string) []memory.Participant {
	var all []memory.Participant
	for _, role := range []memory.Role{memory.User, memory.Assistant, memory.System, memory.Tool} {
		if !slices.ContainsFunc(c.Messages, func(m memory.Message) bool { return m.Role == role }) {
			continue
		}
		p := memory.Participant{Role: role}
		switch role {
		case memory.User:
			p.ProviderID = c.Provider.AccountID
		case memory.Assistant:
			p.Name = assistant
		}
		all = append(all, p)
	}
	return all
}

func withText(raw memory.RawMetadata, name, text string) memory.RawMetadata {
	value, err := json.Marshal(text)
	if err != nil {
		return raw
	}
	if raw == nil {
		raw = memory.RawMetadata{}
	}
	raw[name] = value
	return raw
}

// finishMemory completes a draft to a memory: id, content hash, times in UTC, and
// provenance. It names the conversation only if known (the vault has it). A memory
// without a time gets that of its export (exportedAt is called only then), or if that is
// zero the time of the import.
func finishMemory(d *importer.MemoryDraft, id, platform string, now memory.Time, exportedAt func() memory.Time, known bool) memory.Record {
	r := memory.Record{
		ID: id, Type: d.Type, Content: d.Content, ContentHash: memory.ContentHash(d.Content),
		Status: memory.Active, Summary: library.Cut(d.Summary, library.MaxSummary), Tags: library.NormalizeTags(d.Tags),
		Temporal: memory.Temporal{
			CreatedAt: memory.At(d.CreatedAt.Time), UpdatedAt: memory.At(d.UpdatedAt.Time), ValidFrom: memory.At(d.ValidFrom.Time),
		},
		Provenance: memory.Provenance{
			Platform: platform, PlatformUserID: d.PlatformUserID, ExtractionMethod: d.Method,
			ExtractedAt: now, Extractor: library.Extractor,
		},
		Confidence: memory.Certain(rows.Unit(d.Confidence), d.Decay),
		Metadata:   d.Metadata,
	}
	if known {
		r.Provenance.ConversationRef, r.Provenance.MessageRef = d.ConversationID, d.MessageID
	}
	if library.LanguageTag.MatchString(d.Language) {
		r.SetMember(library.LanguageKey, d.Language)
	}
	if r.Temporal.CreatedAt.IsZero() {
		exported, from := exportedAt(), memory.FromExport
		if exported.IsZero() {
			exported, from = now, memory.FromImport
		}
		r.Temporal.CreatedAt = exported
		r.SetMember(memory.CreatedFromKey, from)
	}
	if r.Temporal.UpdatedAt.Compare(r.Temporal.CreatedAt) <= 0 {
		r.Temporal.UpdatedAt = memory.Time{}
	}
	return r
}

// exportStamps holds the forms in which providers write the time of an export into its
// file name: data-2026-05-01-10-00-00-batch-0000.zip, takeout-20260501T100000Z-001.zip.
var exportStamps = []struct {
	form   *regexp.Regexp
	layout string
}{
	{regexp.MustCompile(`\d{4}-\d\d-\d\d-\d\d-\d\d-\d\d`), "2006-01-02-15-04-05"},
	{regexp.MustCompile(`\d{8}T\d{6}Z`), "20060102T150405Z"},
}

// exportedAt returns when the current export was made: the time in its file names, or
// else the last change of its conversations that were read so far. It returns zero if
// neither is known or if the time is in the future.
func (a *batchApplier) exportedAt() memory.Time {
	var at memory.Time
	for _, name := range a.batch.group.names {
		for _, stamp := range exportStamps {
			if t, err := time.Parse(stamp.layout, stamp.form.FindString(name)); err == nil {
				at = rows.Later(at, memory.At(t))
			}
		}
	}
	if at.IsZero() {
		at = a.run.ledger.seenIn(a.batch.ledger).Until
	}
	if at.Compare(a.Now) > 0 {
		return memory.Time{}
	}
	return at
}

// saidAt returns when a statement was last made, zero if unknown.
func saidAt(d *importer.MemoryDraft) memory.Time {
	if !d.UpdatedAt.IsZero() {
		return memory.At(d.UpdatedAt.Time)
	}
	return memory.At(d.CreatedAt.Time)
}

func sourceOf(d *importer.MemoryDraft, platform, importID string) rows.MemorySource {
	return rows.MemorySource{
		Platform: platform, SourceKey: d.SourceKey, ImportID: importID, ConversationRef: d.ConversationID,
		MessageRef: d.MessageID, Account: d.PlatformUserID, SaidAt: saidAt(d), Stated: memory.ContentHash(d.Content),
	}
}

// raise increases the use count and the last use of a memory to those in a document, if
// they are higher. So importing a document twice, or one that this vault exported, adds
// nothing (decision 0049). A document without authority over the memory adds nothing
// either.
func (a *batchApplier) raise(m rows.StoredMemory, said *memory.Use) error {
	if said == nil || !a.speaksFor(m) && !a.isAgreed(m.ID) {
		return nil
	}
	r := m.Record
	all, err := a.run.session.UseOf(a.VaultTx, r)
	if err != nil || said.Count <= all.Count && said.Last.Compare(all.Last) <= 0 {
		return err
	}
	kept, err := library.KeptUse(a.VaultTx, r.ID)
	if err != nil {
		return err
	}
	kept = kept.And(library.Use{Count: max(0, said.Count-all.Count), Last: said.Last})
	return a.PutUse(r.ID, kept)
}
