package imports

import (
	"context"

	"keepsake/backend/core/documents"
	"keepsake/backend/core/files"
	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/format/pam"
	"keepsake/backend/importer"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// Compare compares the memories of a file with the open vault or, if with is not nil,
// with another file. base, if not nil, is a common ancestor of the two files. Nothing is
// written.
func (s *Service) Compare(ctx context.Context, in files.Input, with, base *files.Input) (documents.Comparison, error) {
	v, ctx, release, err := s.lib.Hold(ctx)
	if err != nil {
		return documents.Comparison{}, err
	}
	defer release()
	if with != nil {
		return documents.CompareFiles(ctx, s.documents, in, *with, base)
	}
	c := documents.Comparison{}
	groups, err := s.sources.open(ctx, []files.Input{in}, "pam")
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
	err = v.View(func(tx *vault.Tx) error { return compareWith(v, ctx, tx, g, &c) })
	c.Sort()
	return c, err
}

// compareWith compares every memory of the file with the vault.
func compareWith(v *library.Session, ctx context.Context, tx *vault.Tx, g *group, c *documents.Comparison) error {
	a := &batchApplier{Tx: library.NewTx(tx, v.Rows), run: &run{}, batch: &batch{group: g}}
	store, err := pam.Store(g.tree)
	if err != nil {
		return err
	}
	head := g.document.Report.Head
	if head.IsNewer() {
		c.Newer = []documents.Standing{documents.OnlyTheirs}
	}
	exported, _ := memory.ParseTime(head.ExportDate) // zero if it is no valid time
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
	c.CountUnknown(unknown)
	if err != nil || head.IsIncremental() { // a delta does not list unchanged memories
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
			c.Add(documents.ComparedMemory{ID: id, Standing: documents.OnlyOurs, Ours: &m.Record})
		}
	}
	return nil
}

// hold compares one memory of a file with the vault, in the way an import does.
func (a *batchApplier) hold(d *importer.RecordDraft, met map[string]bool, c *documents.Comparison) error {
	a.prepare(d)
	if a.isForgotten(d) {
		c.Forgotten++
		return nil
	}
	id := a.byOrigin(d.Owner, d.ID)
	if id == "" {
		if id, _ = a.VaultTx.Linked(vault.Memories, rows.ByContent(d.ContentHash)); id != "" {
			met[id] = true
			c.Same++
			return nil
		}
		theirs := d.Record
		c.Add(documents.ComparedMemory{ID: d.ID, Standing: documents.OnlyTheirs, Theirs: &theirs})
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
	standing := documents.Differs
	switch {
	case a.isOlder(x):
		standing = documents.IsOlder
	case hidesOnly(x.theirs, x.m.Record):
		standing = documents.IsHidden
	case a.isConflict(x) && !known:
		standing = documents.InConflict
	case !a.batch.group.authority.mayChange(x.m.Side):
		standing = documents.NotSigned
	}
	c.Add(documents.ComparedMemory{ID: d.ID, Standing: standing, Ours: &x.m.Record, Theirs: &x.theirs, Fields: fields})
	return nil
}
