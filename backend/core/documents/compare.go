package documents

import (
	"bytes"
	"context"
	"slices"

	"keepsake/backend/core/files"
	"keepsake/backend/core/library"
	"keepsake/backend/format/pam"
	"keepsake/backend/memory"
)

// Standing is the result of comparing one memory on both sides: the vault or the first
// file (ours), and the other file (theirs).
type Standing string

const (
	OnlyOurs   Standing = "ours"       // not in the file
	OnlyTheirs Standing = "theirs"     // not in the vault or the first file
	Differs    Standing = "differs"    // changed on one side
	IsOlder    Standing = "older"      // the file has an earlier version, which an import ignores
	IsHidden   Standing = "hidden"     // the file has the same version, but redacted; an import keeps ours
	InConflict Standing = "conflict"   // changed on both sides since they last agreed
	NotSigned  Standing = "not-signed" // differs; the file has no signature that covers it and that we accept for it
)

// ComparedMemory is a memory that is not the same on both sides. ID is its id in the file.
type ComparedMemory struct {
	ID       string
	Standing Standing
	Ours     *memory.Record      // nil: only the other side has it
	Theirs   *memory.Record      // nil: only our side has it
	Fields   []library.FieldDiff // fields that differ; A is ours

	// These are set only for two files with a common ancestor. Suggested is the default
	// result, nil if only one file has the memory. Gone: only one of the two files has
	// the memory, but the ancestor has it, too.
	Suggested *MergeChoice
	Gone      bool
}

// IsPickable reports whether a person can choose between the two versions of this field.
// The values of other fields follow from the choices.
func (m ComparedMemory) IsPickable(f library.FieldDiff) bool {
	return m.Ours != nil && m.Theirs != nil && pam.IsPickable(f.Path, m.Fields)
}

// Base returns the value of a field in the common ancestor of both files, and which file
// has changed it since: OnlyOurs, OnlyTheirs, or InConflict for both.
func (m ComparedMemory) Base(f library.FieldDiff) (text []byte, by Standing) {
	switch {
	case m.Suggested == nil:
		return nil, ""
	case f.Conflict:
		return f.Base, InConflict
	case bytes.Equal(f.A, f.Base):
		return f.Base, OnlyTheirs
	}
	return f.Base, OnlyOurs
}

// Comparison is the result of comparing a file (theirs) with the vault or another file
// (ours). Memories lists conflicts first, then memories that differ, then those that only
// one side has.
type Comparison struct {
	Memories  []ComparedMemory
	Same      int
	Ours      int
	Theirs    int
	Differing int
	Conflicts int
	Forgotten int // memories in the file that were deleted here for good; an import ignores them
	// Beside (two files only): one of them is a bundle with more files than the memory
	// store, so that only a bundle can hold the merged result.
	Beside   bool
	Unknown  map[string]int // name → count of members in the files that PAM 1.0 does not define
	Newer    []Standing     // sides whose file has a PAM version above 1.0, such as 1.1: OnlyOurs, OnlyTheirs
	Document *PlanDocument
	// Refused (two files only) is the reason why the second file may not change memories
	// of the first; "" if it may.
	Refused library.ConflictReason
}

// Add puts a memory into the comparison and counts it.
func (c *Comparison) Add(m ComparedMemory) {
	switch m.Standing {
	case OnlyOurs:
		c.Ours++
	case OnlyTheirs:
		c.Theirs++
	case InConflict:
		c.Conflicts++
	default:
		c.Differing++
	}
	c.Memories = append(c.Memories, m)
}

// CountUnknown adds to c.Unknown one file's counts of members that PAM does not define.
func (c *Comparison) CountUnknown(unknown map[string]int) {
	if c.Unknown == nil {
		c.Unknown = map[string]int{}
	}
	for name, n := range unknown {
		c.Unknown[name] += n
	}
}

// Sort sorts Memories: conflicts first, then memories that differ, then those that exist
// only in the vault or in one of the files.
func (c *Comparison) Sort() {
	order := []Standing{InConflict, NotSigned, Differs, IsOlder, IsHidden, OnlyTheirs, OnlyOurs}
	slices.SortStableFunc(c.Memories, func(a, b ComparedMemory) int {
		return slices.Index(order, a.Standing) - slices.Index(order, b.Standing)
	})
}

// PlanDocument is the verdict on a document, with the problems (Asks...) that a person
// must accept before it is imported.
type PlanDocument struct {
	Report      VerifyReport `json:"report"`
	Incremental bool         `json:"incremental"`
	KnownBase   bool         `json:"known_base"` // the full export that it builds on was made by this vault, or imported
	AsksBroken  bool         `json:"asks_broken"`
	// AsksUnsigned: the document claims an owner whose key is known, but is not signed.
	AsksUnsigned bool `json:"asks_unsigned,omitempty"`
	AsksBase     bool `json:"asks_base"`
}

// CompareFiles compares the memories of file b (theirs) with those of file a (ours).
// base, if not nil, is the common ancestor of both.
func CompareFiles(ctx context.Context, s *Service, a, b files.Input, base *files.Input) (Comparison, error) {
	c := Comparison{}
	d, err := s.DiffFiles(ctx, a, b, base)
	if err != nil {
		return c, err
	}
	authority, err := mergeAuthority(ctx, s, a, b)
	if err != nil {
		return c, err
	}
	c.Refused = authority.Memories
	c.Beside = d.Beside
	for _, side := range d.Unknown {
		c.CountUnknown(side)
	}
	for _, name := range d.Newer {
		if side := map[string]Standing{"a": OnlyOurs, "b": OnlyTheirs}[name]; side != "" { // "": the base, whose version does not matter
			c.Newer = append(c.Newer, side)
		}
	}
	c.Same = d.Memories.Same
	for standing, entries := range map[Standing][]pam.Entry{Differs: d.Memories.Changed, OnlyOurs: d.Memories.Removed, OnlyTheirs: d.Memories.Added} {
		for _, e := range entries {
			m := ComparedMemory{ID: e.ID, Standing: standing, Ours: recordOf(e.A), Theirs: recordOf(e.B), Fields: e.Fields, Gone: e.Gone}
			if standing == Differs {
				c.settleFiles(&m, e, base != nil)
			}
			c.Add(m)
		}
	}
	c.Sort()
	return c, nil
}

// settleFiles sets m.Standing for a memory that differs between two files. If they have a
// common ancestor (common), it also sets m.Suggested, the default result of a merge.
func (c *Comparison) settleFiles(m *ComparedMemory, e pam.Entry, common bool) {
	may := c.Refused == ""
	switch {
	case common && e.Conflict:
		m.Standing = InConflict
	case !may:
		m.Standing = NotSigned
	}
	if !common {
		return
	}
	choice := MergeChoice{Of: OfBase}
	if may {
		choice = e.Suggest()
	}
	m.Suggested = &choice
}

// recordOf decodes a memory for display. If that fails, it returns an empty record, and
// only the differing fields are shown.
func recordOf(text []byte) *memory.Record {
	if text == nil {
		return nil
	}
	r, err := pam.DecodeMemory(text)
	if err != nil {
		return &memory.Record{}
	}
	return &r
}
