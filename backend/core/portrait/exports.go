package portrait

import (
	"slices"
	"time"

	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// accountExport is what the files of one import held of an account.
type accountExport struct {
	library.SeenExport
	importID     string
	began, ended memory.Time // of the import
	reworded     bool        // the import changed words of memories
}

// day is the day up to which the export is known to tell: that of its newest conversation, or else
// of its import.
func (e accountExport) day() memory.Time {
	if e.Until.IsZero() {
		return e.began
	}
	return e.Until
}

// isComplete reports whether the export held all that the provider had of a kind of statement:
// those of conversations, or the others.
func (e accountExport) isComplete(inConversation bool) bool {
	return e.AllMemories || inConversation && e.AllConversations
}

// exportsOf returns the exports of each account that were read to their end, the one that tells the
// newest last; of equal ones, that which was imported last. Documents of Portable AI Memory and
// exports of which no memories were taken are left out.
func exportsOf(tx *vault.Tx) (all [][]accountExport, err error) {
	for report, err := range library.Reports(tx) {
		if err != nil {
			return nil, err
		}
		if report.State != "done" || !report.UndoneAt.IsZero() || report.Options.OnlyConversations {
			continue
		}
		seen, err := library.ReadSighting(tx, report.ImportID)
		if err != nil {
			return nil, err
		}
		if seen == nil {
			continue
		}
		for _, e := range seen.Exports {
			if !e.Document {
				all = added(all, accountExport{e, report.ImportID, report.StartedAt, ended(report), report.Memories.Updated > 0})
			}
		}
	}
	for _, exports := range all {
		slices.SortStableFunc(exports, func(a, b accountExport) int { return a.Until.Compare(b.Until) })
	}
	return all, nil
}

// ended is when an import ended, at the latest.
func ended(report library.ImportReport) memory.Time {
	return memory.At(report.StartedAt.Add(time.Duration(report.ElapsedMS)*time.Millisecond + time.Second))
}

// added adds an export to those of its account. Several of one account in one import are one.
func added(all [][]accountExport, e accountExport) [][]accountExport {
	i := slices.IndexFunc(all, func(one []accountExport) bool { return one[0].Platform == e.Platform && one[0].Account == e.Account })
	if i < 0 {
		return append(all, []accountExport{e})
	}
	last := &all[i][len(all[i])-1]
	if last.importID != e.importID {
		all[i] = append(all[i], e)
		return all
	}
	last.AddAll(e.Holding)
	last.AllMemories, last.AllConversations = last.AllMemories || e.AllMemories, last.AllConversations || e.AllConversations
	last.Until = rows.Later(last.Until, e.Until)
	return all
}

// rowsIn returns the rows of memories whose numbers are in a set, the newest first.
func rowsIn(v *library.Session, tx *vault.Tx, in func(seq uint64) bool) []*rows.Memory {
	v.Rows.RLock()
	var list []*rows.Memory
	for _, row := range slices.Backward(v.Rows.Memories.BySeq) {
		if row != nil && in(row.Seq) {
			list = append(list, row)
		}
	}
	v.Rows.RUnlock()
	return rows.StoredIn(tx, list)
}
