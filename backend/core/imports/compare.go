package imports

import (
	"bytes"
	"context"
	"slices"

	"keepsake/backend/core/documents"
	"keepsake/backend/core/files"
	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/format/pam"
	"keepsake/backend/importer"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// Standing is how a memory of one side stands to the other.
type Standing string

const (
	OnlyOurs   Standing = "ours"       // not in the file
	OnlyTheirs Standing = "theirs"     // not in the vault, or in the first file
	Differs    Standing = "differs"    // changed on one side
	IsOlder    Standing = "older"      // an earlier version in the file, which an import leaves there
	IsHidden   Standing = "hidden"     // the same version in the file, with something hidden in it, likewise
	InConflict Standing = "conflict"   // changed on both sides since they last agreed
	NotSigned  Standing = "not-signed" // otherwise in the file, whose signature gives it no say
)

// ComparedMemory is a memory that is not the same on both sides. ID is the one
// it has in the file.
type ComparedMemory struct {
	ID       string
	Standing Standing
	Ours     *memory.Record // nil where it is only theirs
	Theirs   *memory.Record
	Fields   []library.FieldDiff // a is ours

	// Of two files with the third that both come from: what becomes of it where nobody
	// says otherwise, nil where only one has it, and whether that third has what only
	// one of the two has.
	Suggested *documents.MergeChoice
	Gone      bool
}

// IsPickable reports that a person can choose between the two versions of one of
// the fields; the others follow from those.
func (m ComparedMemory) IsPickable(f library.FieldDiff) bool {
	return m.Ours != nil && m.Theirs != nil && pam.IsPickable(f.Path, m.Fields)
}

// Base is what the file that both come from has of a field, and whose change of it
// counts by itself: ours or theirs, or that of both.
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

func (c *Comparison) add(m ComparedMemory) {
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

// strange counts members that are not known.
func (c *Comparison) strange(unknown map[string]int) {
	if c.Unknown == nil {
		c.Unknown = map[string]int{}
	}
	for name, n := range unknown {
		c.Unknown[name] += n
	}
}

func (c *Comparison) sort() {
	order := []Standing{InConflict, NotSigned, Differs, IsOlder, IsHidden, OnlyTheirs, OnlyOurs}
	slices.SortStableFunc(c.Memories, func(a, b ComparedMemory) int {
		return slices.Index(order, a.Standing) - slices.Index(order, b.Standing)
	})
}

// Compare tells memory by memory how a file stands to the open vault, or to
// another file where with is not nil, and how both stand to a third that they come
// from where base is not nil. Nothing is written.
func (s *Service) Compare(ctx context.Context, in files.Input, with, base *files.Input) (Comparison, error) {
	v, ctx, release, err := s.lib.Hold(ctx)
	if err != nil {
		return Comparison{}, err
	}
	defer release()
	if with != nil {
		return s.compareFiles(ctx, in, *with, base)
	}
	c := Comparison{}
	groups, err := s.groups(ctx, []files.Input{in}, "pam")
	if err != nil {
		return c, err
	}
	defer closeAll(groups)
	if err := s.judge(ctx, v, groups, library.ImportOptions{AcceptBroken: true, AcceptUnsigned: true, AnyBase: true}); err != nil {
		return c, err
	}
	g := groups[0]
	if g.fault == nil && g.found.Match.Format == loneTalks {
		return c, errNoDocument(g.name())
	}
	if g.fault != nil {
		return c, g.fault
	}
	c.Document = g.document
	err = v.Vault.View(func(tx *vault.Tx) error { return compareWith(v, ctx, tx, g, &c) })
	c.sort()
	return c, err
}

// compareWith holds every memory of the file against the vault.
func compareWith(v *library.Session, ctx context.Context, tx *vault.Tx, g *group, c *Comparison) error {
	a := &applying{Tx: &library.Tx{VaultTx: tx, Rows: v.Rows}, run: &run{}, batch: &batch{group: g}}
	store, err := pam.Store(g.tree)
	if err != nil {
		return err
	}
	head := g.document.Report.Head
	if head.IsNewer() {
		c.Newer = []Standing{OnlyTheirs}
	}
	exported, _ := memory.ParseTime(head.ExportDate) // zero where it is none
	met, places := map[string]bool{}, map[string]string{}
	unknown := map[string]int{}
	_, root, err := pam.Take(ctx, g.tree, store, pam.Taker{Memory: func(m pam.Taken[memory.Record]) error {
		for _, name := range m.Unknown {
			unknown[name]++
		}
		if first, twice := places[m.Value.ID]; twice {
			return pam.ErrTwice(g.name(), first+"/id", m.At+"/id", m.Value.ID)
		}
		places[m.Value.ID] = m.At
		d := &importer.RecordDraft{Record: m.Value, Owner: head.OwnerID, At: exported, Delta: head.IsIncremental()}
		return a.hold(d, met, c)
	}})
	for _, name := range root {
		unknown[name]++
	}
	c.strange(unknown)
	if err != nil || head.IsIncremental() { // a delta says nothing of what did not change
		return err
	}
	v.Rows.RLock()
	var missing []string
	for _, row := range v.Rows.Memories.BySeq {
		if row != nil && !met[row.ID] {
			missing = append(missing, row.ID)
		}
	}
	v.Rows.RUnlock()
	for _, id := range missing {
		m, ok, err := rows.LoadMemory(tx, id)
		if err != nil {
			return err
		}
		if ok {
			c.add(ComparedMemory{ID: id, Standing: OnlyOurs, Ours: &m.Record})
		}
	}
	return nil
}

// hold holds one memory of a file against the vault, the way an import meets it.
func (a *applying) hold(d *importer.RecordDraft, met map[string]bool, c *Comparison) error {
	a.prepare(d)
	if a.isForgotten(d) {
		c.Forgotten++
		return nil
	}
	id, err := a.byOrigin(d.Owner, d.ID)
	if err != nil {
		return err
	}
	if id == "" {
		if id, _ = a.VaultTx.Linked(vault.Memories, rows.ByContent(d.ContentHash)); id != "" {
			met[id] = true
			c.Same++
			return nil
		}
		theirs := d.Record
		c.add(ComparedMemory{ID: d.ID, Standing: OnlyTheirs, Theirs: &theirs})
		return nil
	}
	met[id] = true
	m, ok, err := rows.LoadMemory(a.VaultTx, id)
	if err != nil || !ok {
		return err
	}
	x, known, err := a.meeting(m, d)
	if err != nil {
		return err
	}
	fields := pam.DiffRecords(x.m.Record, x.theirs)
	if len(fields) == 0 {
		c.Same++
		return nil
	}
	standing := Differs
	switch {
	case a.isOlder(x):
		standing = IsOlder
	case hidesOnly(x.theirs, x.m.Record):
		standing = IsHidden
	case a.isConflict(x) && !known:
		standing = InConflict
	case !a.batch.group.authority.mayChange(x.m.Side):
		standing = NotSigned
	}
	c.add(ComparedMemory{ID: d.ID, Standing: standing, Ours: &x.m.Record, Theirs: &x.theirs, Fields: fields})
	return nil
}

// compareFiles is Compare of two files; a is ours.
func (s *Service) compareFiles(ctx context.Context, a, b files.Input, base *files.Input) (Comparison, error) {
	c := Comparison{}
	d, err := s.documents.DiffFiles(ctx, a, b, base)
	if err != nil {
		return c, err
	}
	authority, err := documents.MergeAuthority(ctx, s.documents, a, b)
	if err != nil {
		return c, err
	}
	c.Refused = authority.Memories
	c.Beside = d.Beside
	for _, side := range d.Unknown {
		c.strange(side)
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
			c.add(m)
		}
	}
	c.sort()
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
	choice := documents.MergeChoice{Of: documents.OfBase}
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
