package imports

import (
	"encoding/json"
	"maps"
	"slices"

	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/importer"
	"keepsake/backend/memory"
)

// inFile holds, per account, the memories whose words occurred in the file that is being
// read.
type inFile struct {
	name string
	of   map[string]*restatements
}

// isSaidAgain reports whether the file of a statement already made the same statement. If
// not, it notes the statement.
func (a *batchApplier) isSaidAgain(id string, d *importer.MemoryDraft) (bool, error) {
	if d.File == "" {
		return false, nil
	}
	f := &a.run.late.file
	if f.name != d.File {
		*f = inFile{d.File, map[string]*restatements{}}
	}
	met := f.of[d.PlatformUserID]
	if met == nil {
		met = &restatements{planned: map[string]bool{}}
		f.of[d.PlatformUserID] = met
	}
	again, err := a.isRestated(id, *met)
	if err != nil || again {
		return again, err
	}
	return false, a.note(id, met)
}

// maxRepeated is how many repeated statements of a file are queued at most. The queue
// lets all repetitions of one memory be stored together.
const maxRepeated = 4096

// repeatQueue holds repeated statements until they are stored, by the id of the memory
// that has the same words.
type repeatQueue struct {
	ids   []string
	of    map[string][]*importer.MemoryDraft
	count int
}

// repeat queues d, a repetition within its file, and stores the queue at maxRepeated.
func (a *batchApplier) repeat(id string, d *importer.MemoryDraft) error {
	w := &a.run.late.repeated
	if w.of == nil {
		w.of = map[string][]*importer.MemoryDraft{}
	}
	if w.of[id] == nil {
		w.ids = append(w.ids, id)
	}
	w.of[id] = append(w.of[id], d)
	if w.count++; w.count < maxRepeated {
		return nil
	}
	return a.settleRepeated()
}

// settleRepeated stores the queued repeated statements, all of one memory at once.
func (a *batchApplier) settleRepeated() error {
	waiting := a.run.late.repeated
	a.run.late.repeated = repeatQueue{}
	for _, id := range waiting.ids {
		drafts := waiting.of[id]
		err := a.sayAgain(id, drafts)
		if err == nil {
			continue
		}
		if err := a.spare(item{memory: drafts[0]}, err); err != nil {
			return err
		}
		for range drafts[1:] { // spare counted the first
			a.counts.skip(becauseUnfit)
		}
	}
	return nil
}

// sayAgain adds to a memory the statements by which one file repeats it: their sources
// and the headings above them. A repetition does not raise the confidence.
func (a *batchApplier) sayAgain(id string, drafts []*importer.MemoryDraft) error {
	m, ok, err := a.Load(id)
	if err != nil {
		return err
	}
	if !ok { // the person deleted the memory after drafts were queued
		for range drafts {
			a.counts.skip(becauseDeleted)
		}
		return nil
	}
	repeats := a.isOwn(m.Side)
	at := map[string]int{} // source key → index in m.Side.Sources
	for i, s := range m.Side.Sources {
		if s.Platform == a.batch.info.Platform {
			at[s.SourceKey] = i
		}
	}
	m.Side.Sources = slices.Clone(m.Side.Sources)
	var known []int
	var more []*importer.MemoryDraft
	for _, d := range drafts {
		src := sourceOf(d, a.batch.info.Platform, a.run.id)
		i, isKnown := at[src.SourceKey]
		switch {
		case isKnown && m.Side.Sources[i].Stated == src.Stated:
			known = append(known, i)
			continue
		case isKnown:
			m.Side.Sources[i] = src
		default:
			at[src.SourceKey] = len(m.Side.Sources)
			m.Side.Sources = append(m.Side.Sources, src)
		}
		more = append(more, d)
	}
	if len(more) > 0 {
		if !m.Side.Edited() {
			standsAlso(&m, more)
		}
		if err := a.PutMemory(m.Record, m.Side); err != nil {
			return err
		}
	}
	a.counts.mergeMemories(len(more), repeats)
	for _, i := range known {
		a.known(m.Side, i)
	}
	return nil
}

// alsoKey is the metadata member that a memory gets if a file states it several times: a
// list with the differing metadata of each repetition, such as the headings above it.
const alsoKey = "also"

// standsAlso adds the tags and differing metadata (such as the headings above them) of a
// file's repeated statements to their memory.
func standsAlso(m *rows.StoredMemory, drafts []*importer.MemoryDraft) {
	also, _ := m.Metadata[alsoKey].([]any)
	also = slices.Clone(also)
	said := map[string]bool{"{}": true}
	for _, other := range also {
		text, _ := json.Marshal(other)
		said[string(text)] = true
	}
	for _, d := range drafts {
		m.Tags = library.NormalizeTags(slices.Concat(m.Tags, d.Tags))
		other := map[string]any{}
		for name, value := range d.Metadata {
			if text, ok := value.(string); ok && value != m.Metadata[name] && name != memory.CreatedFromKey {
				other[name] = text
			}
		}
		text, _ := json.Marshal(other)
		if !said[string(text)] {
			said[string(text)], also = true, append(also, other)
		}
	}
	if len(also) == 0 {
		return
	}
	if m.Metadata = maps.Clone(m.Metadata); m.Metadata == nil {
		m.Metadata = map[string]any{}
	}
	m.Metadata[alsoKey] = also
}
