package browse

import (
	"cmp"
	"context"
	"slices"

	"keepsake/backend/core/library"
	"keepsake/backend/core/meaning"
	"keepsake/backend/core/rows"
	"keepsake/backend/memory"
	"keepsake/backend/search"
)

// Bounds of a search with Hide, which reads every text that it may find.
const (
	mostCandidates = 500
	mostRead       = 4 << 20 // bytes of texts; the last one may go beyond
)

// redacted answers a query as if what q.Hide hides had never been written. The index
// has the hidden words, so it only says which texts may answer: what q excludes is left out for
// that. Those are read, and the query is asked anew of what is not hidden in them. By meaning only
// texts without hidden places are found, because the vector of a text tells of all of it.
func (q SearchQuery) redacted(ctx context.Context, v *library.Session, index *search.Index, parsed search.Query, opt search.SearchOptions, result *SearchResult) error {
	if !parsed.Asks(byStatus) {
		parsed = parsed.Without(byStatus, string(memory.Archived))
	}
	if opt.Accept == nil {
		opt.Accept = func(search.Kind, uint64) bool { return true } // scores by the query alone
	}
	return withTexts(v, func(t *texts) error {
		t.hide = q.words
		of, whole, err := t.candidates(ctx, index, parsed, opt)
		if err != nil {
			return err
		}
		opt.Text = of.text
		found, err := of.index.Search(ctx, parsed, opt)
		if err != nil {
			return err
		}
		result.Total, result.Exact = found.Total, found.Exact && whole
		var near []nearHit
		if q.Mode == Hybrid && opt.Offset == 0 && meaning.Of(v).Compares() {
			near, result.NoMeaning = q.near(ctx, v, index, parsed, max(leastNear, q.MinScore))
		}
		if near, err = q.unhidden(ctx, t, near); err != nil {
			return err
		}
		t.hide = q.shown
		return t.fill(ctx, result, found, notIn(near, found.Hits), opt)
	})
}

// shown is how a text is shown, and whether places in it are hidden.
func (q SearchQuery) shown(text string) (string, bool) {
	shown, _ := q.Hide(text)
	return shown, shown != text
}

// words is how a text is searched, and whether places in it are hidden.
func (q SearchQuery) words(text string) (string, bool) {
	shown, words := q.Hide(text)
	return words, shown != text
}

// unhidden returns the hits by meaning in whose texts nothing is hidden.
func (q SearchQuery) unhidden(ctx context.Context, t *texts, near []nearHit) (bare []nearHit, err error) {
	t.hide = q.words
	for _, h := range near {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		o, err := t.open(h.Hit)
		if rows.IsAbsent(err) {
			continue // deleted since
		}
		if err != nil {
			return nil, err
		}
		if !o.somewhere && h.Kind == search.Memory { // of a conversation a vector has several messages
			bare = append(bare, h)
		}
	}
	return bare, nil
}

// candidates are texts in memory that may answer a query, without what is hidden in them.
type candidates struct {
	index    *search.Index
	texts    map[document]string
	inFields map[uint64]bool // memories with hidden places in their tags or platform
}

// document is one text of a record.
type document struct {
	kind search.Kind
	seq  uint64
	part uint32
}

// text implements search.SearchOptions.Text.
func (c *candidates) text(_ context.Context, kind search.Kind, seq uint64, part uint32) (string, error) {
	return c.texts[document{kind, seq, part}], nil
}

// candidates reads the texts that may answer a query, and reports whether these are all there are.
func (t *texts) candidates(ctx context.Context, index *search.Index, parsed search.Query, opt search.SearchOptions) (c *candidates, whole bool, err error) {
	c = &candidates{texts: map[document]string{}, inFields: map[uint64]bool{}}
	c.index = search.InMemory(c.filter(t.session.Rows))
	all, err := index.Search(ctx, parsed.Affirmed(), search.SearchOptions{Limit: mostCandidates, Kinds: opt.Kinds, Accept: opt.Accept, Location: opt.Location})
	if err != nil {
		return c, false, err
	}
	whole = all.Total <= len(all.Hits)
	docs, size := map[search.Unit][]search.Doc{}, 0
	for _, h := range all.Hits {
		if err := ctx.Err(); err != nil {
			return c, false, err
		}
		if whole = whole && size < mostRead; size >= mostRead {
			break
		}
		o, err := t.open(h)
		if rows.IsAbsent(err) {
			continue // deleted since
		}
		if err != nil {
			return c, false, err
		}
		size += len(o.text)
		c.texts[document{h.Kind, h.Seq, h.Part}] = o.text
		if h.Kind == search.Memory {
			c.inFields[h.Seq] = o.inFields
		}
		unit := search.Unit{Kind: h.Kind, Seq: h.Seq}
		docs[unit] = append(docs[unit], search.Doc{Part: h.Part, Time: h.Time, Text: o.text})
	}
	return c, whole, c.put(docs)
}

// put indexes the texts, those of a record in the order of their parts.
func (c *candidates) put(docs map[search.Unit][]search.Doc) error {
	for unit, list := range docs {
		slices.SortFunc(list, func(a, b search.Doc) int {
			return cmp.Compare(search.Hit{Part: a.Part}.Position(), search.Hit{Part: b.Part}.Position())
		})
		if err := c.index.Put(unit, slices.Values(list)); err != nil {
			return err
		}
	}
	return nil
}

// filter answers the filters of a query. By tags and platforms nothing is found that has hidden
// places in them.
func (c *candidates) filter(rs *rows.Rows) func(name, value string) (func(search.Kind, uint64, uint32, int64) bool, error) {
	return func(name, value string) (func(search.Kind, uint64, uint32, int64) bool, error) {
		fits, err := library.RowFilter(rs, name, value)
		if err != nil || !slices.Contains([]string{"tag", "project", "platform"}, name) {
			return fits, err
		}
		return func(kind search.Kind, seq uint64, part uint32, at int64) bool {
			return !(kind == search.Memory && c.inFields[seq]) && fits(kind, seq, part, at)
		}, nil
	}
}
