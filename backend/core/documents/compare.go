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

// Standing is how a memory of one side stands to the other.
type Standing string

const (
	OnlyOurs   Standing = "ours"       // not in the file
	OnlyTheirs Standing = "theirs"     // not in the vault, or in the first file
	Differs    Standing = "differs"    // changed on one side
	IsOlder    Standing = "older"      // an earlier version in the file, which an import leaves there
	IsHidden   Standing = "hidden"     // the same version in the file, but redacted; an import keeps ours
	InConflict Standing = "conflict"   // changed on both sides since they last agreed
	NotSigned  Standing = "not-signed" // differs, and the file's signature does not allow the change
)

// ComparedMemory is a memory that is not the same on both sides. ID is the one
// it has in the file.
type ComparedMemory struct {
	ID       string
	Standing Standing
	Ours     *memory.Record // nil where it is only theirs
	Theirs   *memory.Record
	Fields   []library.FieldDiff // a is ours

	// For two files with a common ancestor: Suggested is the default result, nil if only
	// one file has the memory. Gone says that the ancestor has a memory that only one of
	// the two files has.
	Suggested *MergeChoice
	Gone      bool
}

// IsPickable reports that a person can choose between the two versions of one of
// the fields; the others follow from those.
func (m ComparedMemory) IsPickable(f library.FieldDiff) bool {
	return m.Ours != nil && m.Theirs != nil && pam.IsPickable(f.Path, m.Fields)
}

// Base returns the value of a field in the common ancestor, and who changed it since:
// OnlyOurs, OnlyTheirs, or InConflict for both.
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

// Comparison is how a file stands to the vault, or to another file. Memories
// lists conflicts first, then what differs, then what only one side has.
type Comparison struct {
	Memories  []ComparedMemory
	Same      int
	Ours      int
	Theirs    int
	Differing int
	Conflicts int
	Forgotten int // in the file, and forgotten here: they stay away
	// Beside says, of two files, that more than memories lies beside the store of
	// one, so that only a bundle holds them both.
	Beside   bool
	Unknown  map[string]int // members that PAM 1.0 does not have, of all files, by their names
	Newer    []Standing     // OnlyOurs, OnlyTheirs: whose file is of a newer minor version of PAM
	Document *PlanDocument
	// Refused is, of two files, why the second may not change memories of the first;
	// "" where it may.
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

// CountUnknown counts members that are not known.
func (c *Comparison) CountUnknown(unknown map[string]int) {
	if c.Unknown == nil {
		c.Unknown = map[string]int{}
	}
	for name, n := range unknown {
		c.Unknown[name] += n
	}
}

// Sort puts conflicts first, then what differs, then what only one side has.
func (c *Comparison) Sort() {
	order := []Standing{InConflict, NotSigned, Differs, IsOlder, IsHidden, OnlyTheirs, OnlyOurs}
	slices.SortStableFunc(c.Memories, func(a, b ComparedMemory) int {
		return slices.Index(order, a.Standing) - slices.Index(order, b.Standing)
	})
}

// PlanDocument is the verdict on a document, and what a person must agree to
// before it is taken in.
type PlanDocument struct {
	Report      VerifyReport `json:"report"`
	Incremental bool         `json:"incremental"`
	KnownBase   bool         `json:"known_base"` // what it builds on was exported or imported here
	AsksBroken  bool         `json:"asks_broken"`
	// AsksUnsigned says that it names somebody whose key is known, and is not signed.
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
		if side := map[string]Standing{"a": OnlyOurs, "b": OnlyTheirs}[name]; side != "" { // of the base nothing is taken
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

// settleFiles sets the default result for a memory that differs between two files.
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

// recordOf reads a memory to be shown; one of another form shows nothing but
// its fields.
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
