package portrait

import (
	"context"
	"slices"

	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// News is what the newest export of an account says that those before did not, and the other way
// round.
type News struct {
	Platform string      `json:"platform"`
	Account  string      `json:"account,omitempty"` // "": the export names none
	Since    memory.Time `json:"since"`             // up to when the export before it told
	Left     int         `json:"left"`              // active sentences of Learned and Changed that are not reviewed
	Learned  Statements  `json:"learned"`
	Changed  Statements  `json:"changed"`
	Dropped  Statements  `json:"dropped"` // that the newest export, which held all memories, lacks
}

// Statements are sentences, the newest first.
type Statements struct {
	Total int         `json:"total"`
	First []Statement `json:"first"` // or those that were asked for
}

// Statement is a sentence of an export.
type Statement struct {
	ID       string        `json:"id"`
	Content  string        `json:"content"`
	Before   string        `json:"before,omitempty"` // of one that changed: what it was
	Status   memory.Status `json:"status"`
	Reviewed bool          `json:"reviewed"`
}

// NewsQuery asks for more of one list of one account.
type NewsQuery struct {
	Platform, Account string
	List              string // "learned", "changed", "dropped"; "": the first of each list of each account
	Offset, Limit     int
}

// window returns the rows that are asked for.
func (q NewsQuery) window(list []*rows.Memory) []*rows.Memory {
	limit := min(q.Limit, mostSentences)
	if q.Limit <= 0 {
		limit = firstSentences
	}
	from := min(max(q.Offset, 0), len(list))
	return list[from:min(from+limit, len(list))]
}

// is reports whether the query asks for an account.
func (q NewsQuery) is(platform, account string) bool {
	return q.Platform == "" || q.Platform == platform && q.Account == account
}

// compared are the memories in which the newest export of an account differs from those before, by
// their numbers.
type compared struct {
	now, before               accountExport
	learned, changed, dropped library.Bitset
}

// comparisons caches the result of compare in a session, until the exports in the vault change.
type comparisons = library.LRUCache[[]compared]

// PortraitNews tells for each account of which there is more than one export what the newest of
// them says that those before did not.
func (s *Service) PortraitNews(ctx context.Context, q NewsQuery) ([]News, error) {
	all := []News{}
	if !slices.Contains([]string{"", "learned", "changed", "dropped"}, q.List) {
		return all, fault.New(fault.Invalid, "unknown-news", "The portrait has no list called {list}.").With("list", rows.ShortID(q.List))
	}
	err := s.lib.Read(ctx, func(v *library.Session, tx *vault.Tx) error {
		v.Rows.RLock()
		version := v.Rows.Sightings
		v.Rows.RUnlock()
		found, err := library.Kept[comparisons](v).GetOr("", version, func() ([]compared, error) { return compare(ctx, v, tx) })
		if err != nil {
			return err
		}
		for _, c := range found {
			if !q.is(c.now.Platform, c.now.Account) {
				continue
			}
			n, err := c.news(v, tx, q)
			if err != nil {
				return err
			}
			if n.Learned.Total+n.Changed.Total+n.Dropped.Total > 0 {
				all = append(all, n)
			}
		}
		return nil
	})
	return all, err
}

func (c compared) news(v *library.Session, tx *vault.Tx, q NewsQuery) (n News, err error) {
	n = News{Platform: c.now.Platform, Account: c.now.Account, Since: c.before.day()}
	for _, list := range []struct {
		name string
		set  library.Bitset
		into *Statements
	}{{"learned", c.learned, &n.Learned}, {"changed", c.changed, &n.Changed}, {"dropped", c.dropped, &n.Dropped}} {
		found := rowsIn(v, tx, list.set.Has)
		*list.into = Statements{Total: len(found), First: []Statement{}}
		for _, row := range found {
			if list.name != "dropped" && row.Status == memory.Active && !row.Reviewed {
				n.Left++
			}
		}
		if q.List != "" && q.List != list.name {
			continue
		}
		for _, row := range q.window(found) {
			p, err := c.piece(tx, row, list.name == "changed")
			if err != nil {
				return n, err
			}
			list.into.First = append(list.into.First, p)
		}
	}
	return n, nil
}

func (c compared) piece(tx *vault.Tx, row *rows.Memory, changed bool) (Statement, error) {
	m, err := rows.NeedMemory(tx, row.ID)
	if err != nil {
		return Statement{}, err
	}
	p := Statement{ID: m.ID, Content: m.Content, Status: m.Status, Reviewed: row.Reviewed}
	if changed {
		p.Before, p.Content, _, err = c.wording(m)
	}
	return p, err
}

// compare finds what differs. What it finds depends on the exports alone, not on what the person
// said of the memories since.
func compare(ctx context.Context, v *library.Session, tx *vault.Tx) (all []compared, err error) {
	accounts, err := exportsOf(tx)
	if err != nil {
		return nil, err
	}
	gone, err := v.Removed(tx)
	if err != nil {
		return nil, err
	}
	for _, exports := range accounts {
		if len(exports) < 2 {
			continue // everything in a first export is new
		}
		newest := len(exports) - 1
		c := compared{now: exports[newest], before: exports[newest-1]}
		var earlier library.Holding
		for _, e := range exports[:newest] {
			earlier.AddAll(e.Holding)
		}
		if err := c.sort(ctx, v, tx, earlier.Memories); err != nil {
			return nil, err
		}
		if c.now.AllMemories {
			for _, row := range rowsIn(v, tx, func(seq uint64) bool { return c.before.Memories.Has(seq) && gone.Memories.Has(seq) }) {
				c.dropped.Add(row.Seq)
			}
		}
		all = append(all, c)
	}
	return all, nil
}

// sort finds what was learned and what changed among the memories of the newest export. earlier are
// those of all exports before it.
func (c *compared) sort(ctx context.Context, v *library.Session, tx *vault.Tx, earlier library.Bitset) error {
	isWanted := func(seq uint64) bool {
		return c.now.Memories.Has(seq) && (c.now.reworded || !earlier.Has(seq))
	}
	for _, row := range rowsIn(v, tx, isWanted) {
		if err := ctx.Err(); err != nil {
			return err
		}
		m, err := rows.NeedMemory(tx, row.ID)
		if err != nil {
			return err
		}
		if !earlier.Has(row.Seq) {
			if slices.ContainsFunc(m.Side.Sources, c.isNew) {
				c.learned.Add(row.Seq)
			}
			continue
		}
		if _, _, changed, err := c.wording(m); err != nil {
			return err
		} else if changed {
			c.changed.Add(row.Seq)
		}
	}
	return nil
}

// isNew reports whether a statement, which no export before had, was made after the one before: it
// says so, or says no time and that one would have had it.
func (c compared) isNew(s rows.MemorySource) bool {
	if s.Platform != c.now.Platform || s.ImportID != c.now.importID {
		return false
	}
	if s.SaidAt.IsZero() {
		return c.before.isComplete(s.ConversationRef != "")
	}
	return s.SaidAt.Compare(c.before.day()) > 0
}

// wording returns the words of a memory before and after the import of the newest export; changed
// is false where that import did not change them.
func (c compared) wording(m rows.StoredMemory) (before, after string, changed bool, err error) {
	if !slices.ContainsFunc(m.Side.Sources, func(s rows.MemorySource) bool {
		return s.Platform == c.now.Platform && s.ImportID == c.now.importID
	}) {
		return "", m.Content, false, nil
	}
	for i, version := range m.Side.Versions {
		if version.Until.Compare(c.now.began) < 0 || version.Until.Compare(c.now.ended) > 0 {
			continue
		}
		if before, err = rows.ContentOf(version.Memory); err != nil {
			return "", "", false, err
		}
		after = m.Content
		if i+1 < len(m.Side.Versions) {
			if after, err = rows.ContentOf(m.Side.Versions[i+1].Memory); err != nil {
				return "", "", false, err
			}
		}
		if before != after {
			return before, after, true, nil
		}
	}
	return "", m.Content, false, nil
}
