package browse

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/format/pam"
	"keepsake/backend/memory"
	"keepsake/backend/search"
	"keepsake/backend/vault"
)

// Memories returns the page of memories that a query asks for.
func (s *Service) Memories(ctx context.Context, q MemoryQuery) (MemoryPage, error) {
	page := MemoryPage{Items: []memory.Record{}, Relations: []int{}, Certainty: []float64{}, Removed: []bool{}}
	now := s.lib.Now()
	err := s.lib.Read(ctx, func(v *library.Session, tx *vault.Tx) error {
		defer v.Show()
		list, total, err := sortedRows(v, ctx, tx, q, now)
		if err != nil {
			return err
		}
		list = rows.StoredIn(tx, list)
		gone, err := v.Removed(tx)
		if err != nil {
			return err
		}
		page.Total = total
		page.Items = make([]memory.Record, 0, len(list))
		page.Relations, page.Certainty = make([]int, 0, len(list)), make([]float64, 0, len(list))
		for e, err := range tx.Numbered(vault.Memories, rows.SeqsOf(list)) {
			if err != nil {
				return err
			}
			at := len(page.Items)
			page.Items = append(page.Items, memory.Record{})
			if err := pam.DecodeMemoryInto(e.Plain, &page.Items[at]); err != nil {
				return err
			}
			row := list[at]
			page.Relations = append(page.Relations, v.Rows.CountTouching(row.ID))
			page.Certainty = append(page.Certainty, row.Certainty(now))
			page.Removed = append(page.Removed, gone.Memories.Has(row.Seq))
		}
		return nil
	})
	return page, err
}

// sortedRows returns the page of rows that a query asks for, and the number of all rows
// that it selects.
func sortedRows(v *library.Session, ctx context.Context, tx *vault.Tx, q MemoryQuery, now memory.Time) ([]*rows.Memory, int, error) {
	by, err := v.Rows.Ordering(q.Sort, now)
	if err != nil {
		return nil, 0, err
	}
	whole := q
	whole.Offset, whole.Limit = 0, 0
	question := fmt.Sprintf("%+v", whole)
	if strings.HasSuffix(q.Sort, "confidence") || len(q.Confidence) > 0 {
		question += minute(now) // confidence decays, so the cached answer expires after a minute
	}
	version := v.Rows.Version()
	if rows, ok := library.Kept[answers](v).orders.Get(question, version); ok {
		return library.Page(rows, q.Offset, q.Limit), len(rows), nil
	}
	if q.Limit > 0 && q.Offset+q.Limit <= rows.First {
		first, err := library.Kept[answers](v).tops.GetOr(question, version, func() (top, error) { return topRows(v, ctx, tx, newFilter(q, now), by) })
		return library.Page(first.rows, q.Offset, q.Limit), first.total, err
	}
	list, err := selectRows(v, ctx, tx, newFilter(q, now))
	if err != nil {
		return nil, 0, err
	}
	list = rows.Sort(list, by.Levels()...)
	library.Kept[answers](v).orders.Put(question, version, list)
	return library.Page(list, q.Offset, q.Limit), len(list), nil
}

// top holds the first rows of a sorted list, and the list's full length.
type top struct {
	rows  []*rows.Memory
	total int
}

// topRows returns the first rows, in the order by, that a filter selects, and their total
// number. It does not sort the others.
func topRows(v *library.Session, ctx context.Context, tx *vault.Tx, f *filter, by rows.Ordering) (top, error) {
	best, total := rows.Leading{By: by}, 0
	if len(f.words) == 0 {
		v.Rows.RLock()
		defer v.Rows.RUnlock()
		for _, row := range slices.Backward(v.Rows.Memories.BySeq) { // newest first, like most sort orders
			if row != nil && f.fails(v.Rows, row) == 0 {
				best.Take(row)
				total++
			}
		}
		return top{best.Sorted(), total}, nil
	}
	rows, err := selectRows(v, ctx, tx, f)
	for _, row := range rows {
		best.Take(row)
	}
	return top{best.Sorted(), len(rows)}, err
}

// selectRows returns the rows that a filter selects, unsorted.
func selectRows(v *library.Session, ctx context.Context, tx *vault.Tx, f *filter) ([]*rows.Memory, error) {
	v.Rows.RLock()
	list := make([]*rows.Memory, 0, v.Rows.Memories.Count)
	for _, row := range v.Rows.Memories.BySeq {
		if row != nil && f.fails(v.Rows, row) == 0 {
			list = append(list, row)
		}
	}
	v.Rows.RUnlock()
	if len(f.words) == 0 {
		return list, nil
	}
	if says, ok := indexedText(v, ctx, tx, f.q.Text); ok {
		return slices.DeleteFunc(list, func(row *rows.Memory) bool { return !says(row.Seq) }), nil
	}
	kept := list[:0]
	for _, row := range list {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if ok, err := f.says(tx, row); err != nil {
			return nil, err
		} else if ok {
			kept = append(kept, row)
		}
	}
	return kept, nil
}

// filter is a MemoryQuery, prepared to test many rows.
type filter struct {
	q            MemoryQuery
	words        []string
	since, until rows.Micro
	now          memory.Time // time for which decaying confidence is computed
}

// minute returns a part of a cache key that changes every minute. An answer that depends
// on decaying confidence is cached with it, so that it is used for at most a minute.
func minute(now memory.Time) string { return now.Format("2006-01-02T15:04") }

func newFilter(q MemoryQuery, now memory.Time) *filter {
	f := &filter{q: q, words: strings.Fields(library.Fold(q.Text)), now: now}
	if !q.Since.IsZero() {
		f.since = rows.Micro(q.Since.UnixMicro())
	}
	if !q.Until.IsZero() {
		f.until = rows.Micro(q.Until.UnixMicro())
	}
	return f
}

// Bits that filter.fails returns: one for each facet whose conditions a memory fails.
const (
	facetType = 1 << iota
	facetStatus
	facetPlatform
	facetAccount
	facetTag
	facetProject
	facetYear
	facetCertainty
	facetRelated
	facetNone // conditions that belong to no facet
)

// fails returns, as bits, the facets whose conditions a memory does not meet. It does not
// check the text. The counts of a facet include memories that fail no other facet.
func (f *filter) fails(rs *rows.Rows, r *rows.Memory) (failed int) {
	q := &f.q
	if len(q.Types) > 0 && !slices.Contains(q.Types, r.Kind) {
		failed |= facetType
	}
	if len(q.Statuses) > 0 && !slices.Contains(q.Statuses, r.Status) {
		failed |= facetStatus
	}
	if len(q.Platforms) > 0 && !slices.ContainsFunc(q.Platforms, r.IsFrom) {
		failed |= facetPlatform
	}
	if len(q.Accounts) > 0 && !slices.ContainsFunc(q.Accounts, func(a string) bool { return slices.Contains(r.Accounts, a) }) {
		failed |= facetAccount
	}
	if len(q.Tags) > 0 && !slices.ContainsFunc(q.Tags, func(t string) bool { return slices.Contains(r.Tags, t) }) {
		failed |= facetTag
	}
	if len(q.Projects) > 0 && !slices.ContainsFunc(projectsOf(rs, r), func(p string) bool { return slices.Contains(q.Projects, p) }) {
		failed |= facetProject
	}
	if len(q.Years) > 0 && !slices.Contains(q.Years, yearOf(r)) {
		failed |= facetYear
	}
	if len(q.Confidence) > 0 && !slices.Contains(q.Confidence, certaintyOf(r.Certainty(f.now))) {
		failed |= facetCertainty
	}
	if q.HasRelations && len(rs.Touching[r.ID]) == 0 {
		failed |= facetRelated
	}
	if len(q.Categories) > 0 && !slices.Contains(q.Categories, r.Category()) {
		failed |= facetNone
	}
	if q.Conversation != "" && q.Conversation != r.Conversation && !slices.Contains(r.Sources, q.Conversation) ||
		f.since != 0 && r.Created < f.since || f.until != 0 && r.Created >= f.until {
		failed |= facetNone
	}
	return failed
}

// projectsOf returns the names of the projects of the conversations that stated a memory,
// each once. The caller holds the lock of r.
func projectsOf(r *rows.Rows, row *rows.Memory) (names []string) {
	note := func(id string) {
		if id == "" {
			return
		}
		if c := r.Conversation(id); c != nil && c.Project != 0 && !slices.Contains(names, r.Words.Text(c.Project)) {
			names = append(names, r.Words.Text(c.Project))
		}
	}
	note(row.Conversation)
	for _, id := range row.Sources {
		if id != row.Conversation {
			note(id)
		}
	}
	return names
}

// yearOf returns the year of created_at in UTC, 0 if created_at is unknown.
func yearOf(r *rows.Memory) int {
	if r.Created == 0 {
		return 0
	}
	return rows.TimeOf(r.Created).UTC().Year()
}

// indexedText searches the index for text. says reports whether it found the memory with
// a sequence number. ok is false if the index is incomplete or text is not a valid query.
func indexedText(v *library.Session, ctx context.Context, tx *vault.Tx, text string) (says func(seq uint64) bool, ok bool) {
	index := v.Indexer.Whole()
	q, err := search.Parse(text)
	if err != nil || index == nil {
		return nil, false
	}
	hits := map[uint64]bool{}
	r, err := index.Search(ctx, q.AsYouType(), search.SearchOptions{Limit: math.MaxInt32, Kinds: []search.Kind{search.Memory}, Exactly: true, Text: textsIn(v, tx).read})
	for _, h := range r.Hits {
		hits[h.Seq] = true
	}
	return func(seq uint64) bool { return hits[seq] }, err == nil
}

// says decrypts a memory and reports whether its text or tags contain each word of f.
func (f *filter) says(tx *vault.Tx, r *rows.Memory) (bool, error) {
	text, err := tx.Get(vault.Memories, r.ID)
	if err != nil {
		return false, err
	}
	content, err := rows.ContentOf(text)
	if err != nil {
		return false, err
	}
	content = library.Fold(content)
	for _, word := range f.words {
		if !strings.Contains(content, word) && !slices.ContainsFunc(r.Tags, func(t string) bool { return strings.Contains(t, word) }) {
			return false, nil
		}
	}
	return true, nil
}

// Facets counts memories by the values of each facet; the conditions of a facet do not
// apply to its own counts. The result is shared and must not be modified.
func (s *Service) Facets(ctx context.Context, q MemoryQuery) (Facets, error) {
	var out Facets
	err := s.lib.Read(ctx, func(v *library.Session, tx *vault.Tx) (err error) {
		q.Offset, q.Limit, q.Sort = 0, 0, ""
		now := s.lib.Now()
		out, err = library.Kept[answers](v).facets.GetOr(fmt.Sprintf("%+v", q)+minute(now), v.Rows.Version(), func() (Facets, error) {
			return countFacets(v, ctx, tx, newFilter(q, now))
		})
		return err
	})
	return out, err
}

func countFacets(v *library.Session, ctx context.Context, tx *vault.Tx, f *filter) (Facets, error) {
	out := Facets{
		Types: map[memory.Type]int{}, Statuses: map[memory.Status]int{}, Platforms: map[string]int{}, Accounts: map[string]int{},
		Tags: map[string]int{}, Projects: map[string]int{}, Years: map[int]int{}, Certainty: map[Certainty]int{},
	}
	said, err := rowsSaying(v, ctx, tx, f)
	if err != nil {
		return out, err
	}
	v.Rows.RLock()
	defer v.Rows.RUnlock()
	for _, row := range v.Rows.Memories.BySeq {
		if row != nil && (said == nil || said[row.ID]) {
			f.count(v.Rows, row, &out)
		}
	}
	return out, nil
}

// rowsSaying returns the ids of the memories that match the query's text, nil if the
// query has no text.
func rowsSaying(v *library.Session, ctx context.Context, tx *vault.Tx, f *filter) (map[string]bool, error) {
	if len(f.words) == 0 {
		return nil, nil
	}
	rows, err := selectRows(v, ctx, tx, newFilter(MemoryQuery{Text: f.q.Text}, f.now))
	said := make(map[string]bool, len(rows))
	for _, row := range rows {
		said[row.ID] = true
	}
	return said, err
}

func (f *filter) count(rs *rows.Rows, r *rows.Memory, out *Facets) {
	failed := f.fails(rs, r)
	if failed&^facetType == 0 {
		out.Types[r.Kind]++
	}
	if failed&^facetStatus == 0 {
		out.Statuses[r.Status]++
	}
	if failed&^facetPlatform == 0 {
		out.Platforms[r.Platform]++
		for _, platform := range r.Further {
			out.Platforms[platform]++
		}
	}
	if failed&^facetAccount == 0 {
		for _, account := range r.Accounts {
			out.Accounts[account]++
		}
	}
	if failed&^facetTag == 0 {
		for _, tag := range r.Tags {
			out.Tags[tag]++
		}
	}
	if failed&^facetProject == 0 {
		for _, project := range projectsOf(rs, r) {
			out.Projects[project]++
		}
	}
	if year := yearOf(r); failed&^facetYear == 0 && year != 0 {
		out.Years[year]++
	}
	if failed&^facetCertainty == 0 {
		out.Certainty[certaintyOf(r.Certainty(f.now))]++
	}
	if failed&^facetRelated == 0 && len(rs.Touching[r.ID]) > 0 {
		out.Related++
	}
}

// Memory returns one memory with its sources, relations, conversation and history.
func (s *Service) Memory(ctx context.Context, id string) (MemoryDetail, error) {
	var d MemoryDetail
	err := s.lib.Read(ctx, func(v *library.Session, tx *vault.Tx) error {
		m, err := rows.NeedMemory(tx, id)
		if err != nil {
			return err
		}
		d = MemoryDetail{
			Record: m.Record, Sources: append([]rows.MemorySource{}, m.Side.Sources...), Corrected: m.Corrected(), Versions: m.Side.Edits, Next: m.Status.Next(),
			ConfidenceNow: rows.ConfidenceAt(m.Confidence, m.Temporal.CreatedAt, s.lib.Clock()),
			Curve:         library.CurveOf(m.Confidence, m.Temporal.CreatedAt, s.lib.Clock()),
		}
		before, err := library.BeforeStep(&m)
		if err != nil {
			return err
		}
		if before != nil {
			d.Was = before.Status
		}
		if d.Conversation, err = v.Head(tx, m.Provenance.ConversationRef); err != nil {
			return err
		}
		gone, err := v.Removed(tx)
		if err != nil {
			return err
		}
		seq, err := tx.Seq(vault.Memories, id)
		if err != nil {
			return err
		}
		d.Removed = gone.Memories.Has(seq)
		if d.Use, err = v.UseOf(tx, m.Record); err != nil {
			return err
		}
		v.Rows.RLock()
		relations := v.Rows.RelationsOf(id)
		v.Rows.RUnlock()
		if d.Relations, err = related(tx, id, relations); err == nil {
			s.lib.NoteReading(v, library.LogRead, id)
			v.Note(id, s.lib.Now())
		}
		return err
	})
	return d, err
}

func related(tx *vault.Tx, id string, relations []memory.Relation) ([]RelatedMemory, error) {
	out := make([]RelatedMemory, 0, len(relations))
	for _, rel := range relations {
		other := rel.From
		if rel.From == id {
			other = rel.To
		}
		m, err := rows.NeedMemory(tx, other)
		if err != nil {
			return nil, err
		}
		words, err := library.WordsOfRelation(tx, rel.ID)
		if err != nil {
			return nil, err
		}
		out = append(out, RelatedMemory{Relation: rel, Outgoing: rel.From == id, Other: m.Record, Words: words})
	}
	return out, nil
}
