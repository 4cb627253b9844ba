package core

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"keepsake/backend/fault"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// Memories lists what a query selects.
func (s *Service) Memories(ctx context.Context, q MemoryQuery) (MemoryPage, error) {
	page := MemoryPage{Items: []memory.Record{}, Relations: []int{}}
	order, err := memoryOrder(q.Sort)
	if err != nil {
		return page, err
	}
	err = s.read(ctx, func(v *session, tx *vault.Tx) error {
		found, err := v.sorted(ctx, tx, q, order, s.now())
		if err != nil {
			return err
		}
		page.Total = len(found)
		for _, row := range window(found, q.Offset, q.Limit) {
			text, err := tx.Get(vault.Memories, row.id)
			if err != nil {
				return err
			}
			m, err := decodeRecord(text)
			if err != nil {
				return err
			}
			page.Items = append(page.Items, m)
			page.Relations = append(page.Relations, len(v.rows.touchingOf(row.id)))
		}
		return nil
	})
	return page, err
}

// window is the part of a list from offset on, at most limit; 0 = all.
func window[T any](all []T, offset, limit int) []T {
	all = all[min(max(offset, 0), len(all)):]
	if limit > 0 {
		all = all[:min(limit, len(all))]
	}
	return all
}

// found is a copy of what a row holds for sorting, with the confidence as of now.
type found struct {
	*memoryRow
	now float64
}

// sorted lists what a query selects, in order.
func (v *session) sorted(ctx context.Context, tx *vault.Tx, q MemoryQuery, order func(a, b found) int, now memory.Time) ([]found, error) {
	q.Offset, q.Limit = 0, 0
	question := fmt.Sprintf("%+v", q)
	if strings.HasSuffix(q.Sort, "confidence") {
		question += now.Format("2006-01-02T15:04") // it decays
	}
	version := v.rows.now()
	if rows, ok := v.orders.get(question, version); ok {
		return rows, nil
	}
	rows, err := v.selection(ctx, tx, q, now)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(rows, order)
	v.orders.put(question, version, rows)
	return rows, nil
}

// selection lists the rows that a query selects, in no order.
func (v *session) selection(ctx context.Context, tx *vault.Tx, q MemoryQuery, now memory.Time) ([]found, error) {
	f := newFilter(q)
	v.rows.mu.RLock()
	rows := make([]found, 0, len(v.rows.memories))
	for _, row := range v.rows.memories {
		if f.passes(v.rows, row, "") {
			rows = append(rows, found{row, row.confidence.at(row.created, now)})
		}
	}
	v.rows.mu.RUnlock()
	if len(f.words) == 0 {
		return rows, nil
	}
	kept := rows[:0]
	for _, row := range rows {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if ok, err := f.says(tx, row.memoryRow); err != nil {
			return nil, err
		} else if ok {
			kept = append(kept, row)
		}
	}
	return kept, nil
}

// filter is a query made ready. Its facets can be left out one at a time.
type filter struct {
	q            MemoryQuery
	words        []string
	since, until micro
}

func newFilter(q MemoryQuery) *filter {
	f := &filter{q: q, words: strings.Fields(fold(q.Text))}
	if !q.Since.IsZero() {
		f.since = micro(q.Since.UnixMicro())
	}
	if !q.Until.IsZero() {
		f.until = micro(q.Until.UnixMicro())
	}
	return f
}

// Names of facets, for leaving one out.
const (
	facetType     = "type"
	facetStatus   = "status"
	facetPlatform = "platform"
	facetTag      = "tag"
	facetRelated  = "related"
)

// passes judges everything but the text.
func (f *filter) passes(rs *rows, r *memoryRow, without string) bool {
	q := f.q
	switch {
	case without != facetType && len(q.Types) > 0 && !slices.Contains(q.Types, r.kind),
		without != facetStatus && len(q.Statuses) > 0 && !slices.Contains(q.Statuses, r.status),
		without != facetPlatform && len(q.Platforms) > 0 && !slices.Contains(q.Platforms, r.platform),
		without != facetTag && len(q.Tags) > 0 && !slices.ContainsFunc(q.Tags, func(t string) bool { return slices.Contains(r.tags, t) }),
		without != facetRelated && q.HasRelations && len(rs.touching[r.id]) == 0,
		q.Conversation != "" && q.Conversation != r.conversation && !slices.Contains(r.sources, q.Conversation),
		f.since != 0 && r.created < f.since,
		f.until != 0 && r.created >= f.until:
		return false
	}
	return true
}

// says decrypts a memory and looks for every word in its text or tags.
func (f *filter) says(tx *vault.Tx, r *memoryRow) (bool, error) {
	text, err := tx.Get(vault.Memories, r.id)
	if err != nil {
		return false, err
	}
	content, err := contentOf(text)
	if err != nil {
		return false, err
	}
	content = fold(content)
	for _, word := range f.words {
		if !strings.Contains(content, word) && !slices.ContainsFunc(r.tags, func(t string) bool { return strings.Contains(t, word) }) {
			return false, nil
		}
	}
	return true, nil
}

// memoryOrder compares rows as Sort says; the id makes every order whole.
func memoryOrder(sort string) (func(a, b found) int, error) {
	if sort == "" {
		sort = "-created"
	}
	name, down := strings.CutPrefix(sort, "-")
	by, ok := map[string]func(a, b found) int{
		"created":    func(a, b found) int { return cmp.Compare(a.created, b.created) },
		"updated":    func(a, b found) int { return cmp.Compare(a.updated, b.updated) },
		"type":       func(a, b found) int { return cmp.Compare(typeRank(a.kind), typeRank(b.kind)) },
		"platform":   func(a, b found) int { return cmp.Compare(a.platform, b.platform) },
		"confidence": func(a, b found) int { return cmp.Compare(a.now, b.now) },
	}[name]
	if !ok {
		return nil, errBadSort(sort)
	}
	return func(a, b found) int {
		c := by(a, b)
		switch {
		case c != 0 && down:
			return -c
		case c != 0:
			return c
		case a.created != b.created:
			return cmp.Compare(b.created, a.created)
		}
		return strings.Compare(a.id, b.id)
	}, nil
}

func typeRank(t memory.Type) int { return slices.Index(memory.Types(), t) }

// Facets counts by each facet, over the query without that facet.
func (s *Service) Facets(ctx context.Context, q MemoryQuery) (Facets, error) {
	var out Facets
	err := s.read(ctx, func(v *session, tx *vault.Tx) (err error) {
		q.Offset, q.Limit, q.Sort = 0, 0, ""
		question, version := fmt.Sprintf("%+v", q), v.rows.now()
		kept, ok := v.facets.get(question, version)
		if !ok {
			if kept, err = v.countFacets(ctx, tx, newFilter(q)); err != nil {
				return err
			}
			v.facets.put(question, version, kept)
		}
		out = Facets{maps.Clone(kept.Types), maps.Clone(kept.Statuses), maps.Clone(kept.Platforms), maps.Clone(kept.Tags), kept.Related}
		return nil
	})
	return out, err
}

func (v *session) countFacets(ctx context.Context, tx *vault.Tx, f *filter) (Facets, error) {
	out := Facets{Types: map[memory.Type]int{}, Statuses: map[memory.Status]int{}, Platforms: map[string]int{}, Tags: map[string]int{}}
	said, err := v.saying(ctx, tx, f)
	if err != nil {
		return out, err
	}
	v.rows.mu.RLock()
	defer v.rows.mu.RUnlock()
	for _, row := range v.rows.memories {
		if said == nil || said[row.id] {
			f.count(v.rows, row, &out)
		}
	}
	return out, nil
}

// saying is the set of memories with the words of the query, nil when it has none.
func (v *session) saying(ctx context.Context, tx *vault.Tx, f *filter) (map[string]bool, error) {
	if len(f.words) == 0 {
		return nil, nil
	}
	rows, err := v.selection(ctx, tx, MemoryQuery{Text: f.q.Text}, memory.Time{})
	said := make(map[string]bool, len(rows))
	for _, row := range rows {
		said[row.id] = true
	}
	return said, err
}

func (f *filter) count(rs *rows, r *memoryRow, out *Facets) {
	if f.passes(rs, r, facetType) {
		out.Types[r.kind]++
	}
	if f.passes(rs, r, facetStatus) {
		out.Statuses[r.status]++
	}
	if f.passes(rs, r, facetPlatform) {
		out.Platforms[r.platform]++
	}
	if f.passes(rs, r, facetTag) {
		for _, tag := range r.tags {
			out.Tags[tag]++
		}
	}
	if len(rs.touching[r.id]) > 0 && f.passes(rs, r, facetRelated) {
		out.Related++
	}
}

// Memory returns one memory with what stands around it.
func (s *Service) Memory(ctx context.Context, id string) (MemoryDetail, error) {
	var d MemoryDetail
	err := s.read(ctx, func(v *session, tx *vault.Tx) error {
		m, err := need(tx, id)
		if err != nil {
			return err
		}
		d = MemoryDetail{
			Record: m.Record, Sources: m.side.Sources, Versions: m.side.Edits, Next: m.Status.Next(),
			ConfidenceNow: confidenceAt(m.Confidence, m.Temporal.CreatedAt, s.cfg.Now()),
		}
		v.rows.mu.RLock()
		if row := v.rows.conversations[m.Provenance.ConversationRef]; row != nil {
			head := v.rows.head(row)
			d.Conversation = &head
		}
		relations := v.rows.relationsOf(id)
		v.rows.mu.RUnlock()
		d.Relations, err = related(tx, id, relations)
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
		m, err := need(tx, other)
		if err != nil {
			return nil, err
		}
		out = append(out, RelatedMemory{Relation: rel, Outgoing: rel.From == id, Other: m.Record})
	}
	return out, nil
}

func errNoMemory(id string) error {
	return fault.New(fault.NotFound, "no-memory", "There is no memory with the id {id}.").With("id", shortID(id))
}

func errBadSort(sort string) error {
	return fault.New(fault.Invalid, "unknown-order", "There is no order called {order}.").With("order", shortID(sort))
}

// shortID keeps what a person typed from filling the sentence.
func shortID(id string) string {
	if len(id) > 64 {
		return strings.ToValidUTF8(id[:64], "") + "…"
	}
	return id
}
