package search

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"
)

// SearchOptions say what of the answer is wanted.
type SearchOptions struct {
	Limit, Offset int    // Limit 0: 50
	Spare         int    // documents after the last of Limit that are returned as well
	Kinds         []Kind // none: all
	Exactly       bool   // never widen a word that is rare

	// AtLeast leaves out documents that score less than this share of what the
	// best one does, from 0 (none) to 1.
	AtLeast float64

	// Accept limits the search to some records; nil: all. What is told of it, scores and
	// totals too, is then the same as if there were no others.
	Accept func(kind Kind, seq uint64) bool

	// Text reads the text of a document, for phrases. It is called from two
	// goroutines, with the documents of a unit one after another; "" when the
	// document is gone. Without it a phrase is found where its words are.
	Text func(ctx context.Context, kind Kind, seq uint64, part uint32) (string, error)

	// Verify is after how many texts, the newest first, no more are read for phrases
	// once there are Offset+Limit documents; 0: all are.
	Verify int

	// Each is told of documents as they are found while texts are read: first of
	// the best that need not be read, then of the others in no order, up to
	// Offset+Limit in all. Never from two goroutines at once.
	Each func(Hit)

	// Location is the time zone of dates in filters; nil: UTC.
	Location *time.Location
}

// mostWanted bounds Limit and Offset; no index has as many documents.
const mostWanted = math.MaxInt32 / 2

// Hit is a document that answers a query.
type Hit struct {
	Kind  Kind
	Seq   uint64
	Part  uint32
	Time  int64   // unix seconds, 0 unknown
	Score float64 // BM25; 0 where the query has no words to rank by
}

// Position is which message of its conversation was found.
func (h Hit) Position() int { return int(h.Part &^ ToolCalls) }

// Results are the best documents of an answer. Memories come before titles, titles
// before messages and those before tool calls; within each by score, then newest
// first.
type Results struct {
	Hits  []Hit
	Best  float64 // the highest score of all documents, on every page of the answer
	Total int     // documents that answer the query
	Exact bool    // Total is not only a lower bound, and phrases were verified
	Query Query

	// Widened are the words that are so rare that words at one slip from them
	// were looked for as well. Query, for Snippet, knows them.
	Widened []Widened
}

// Widened is a word with the others that stand in for it.
type Widened struct {
	Word string
	Also []string
}

// Search answers a query from the segments of one moment.
func (ix *Index) Search(ctx context.Context, q Query, opt SearchOptions) (Results, error) {
	if opt.Limit <= 0 {
		opt.Limit = 50
	}
	opt.Limit, opt.Offset, opt.Spare = min(opt.Limit, mostWanted), min(max(opt.Offset, 0), mostWanted), max(opt.Spare, 0)
	if opt.Location == nil {
		opt.Location = time.UTC
	}
	opt.Exactly = opt.Exactly || opt.Accept != nil // whether a word is rare is asked of all records
	views, err := ix.snapshot()
	if err != nil {
		return Results{}, err
	}
	defer release(views)
	if q.root == nil {
		return Results{Exact: true, Query: q}, nil
	}
	s := &search{ctx: ctx, opt: opt, query: q, views: views}
	if opt.AtLeast > 0 {
		best := &search{ctx: ctx, opt: opt, query: q, views: views}
		best.opt.Limit, best.opt.Offset, best.opt.Spare, best.opt.Each = 1, 0, 0, nil
		if err := best.answer(ix); err != nil {
			return Results{}, err
		}
		s.floor = float32(opt.AtLeast * best.results().Best)
	}
	if err := s.answer(ix); err != nil {
		return Results{}, err
	}
	return s.results(), nil
}

// answer finds the documents.
func (s *search) answer(ix *Index) error {
	if err := s.predicates(s.query.root, ix.opt); err != nil {
		return err
	}
	err := ix.store.View(func(tx Tx) error { return s.run(newReader(tx)) })
	if err == nil && len(s.states) > 0 {
		s.tell(s.best.sorted()...)
		err = s.verify()
	}
	if err != nil {
		return fmt.Errorf("search: %w", err)
	}
	return nil
}

// snapshot is the segments of this moment, held until release.
func (ix *Index) snapshot() ([]view, error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	if !ix.synced {
		return nil, ErrUnsynced
	}
	views := make([]view, len(ix.segs))
	for i, s := range ix.segs {
		s.refs.Add(1)
		views[i] = view{s, s.tables, s.dead}
	}
	return views, nil
}

func release(views []view) {
	for _, v := range views {
		v.seg.refs.Add(-1)
	}
}

// search is one search at work.
type search struct {
	ctx   context.Context
	opt   SearchOptions
	query Query
	views []view
	floor float32 // documents that score less are no answer

	fields    map[*node]predicate
	words     []*word
	byAtom    map[atom]*word
	slipWords map[string]*word // by the term they stand in for
	leaves    map[*node]*leaf

	docs     uint64 // of all segments, tombs included
	average  float64
	byLength *[256]float32

	states   []*state // of segments with documents whose text has to be read
	mu       sync.Mutex
	best     top
	total    int
	streamed int
	partial  bool // some texts were not read
	widened  []Widened
}

// leaf is a word or phrase of the query, with what it is looked up by.
type leaf struct {
	all    []*word
	either *word // terms that stand in for the only one of all
	bonus  *word
}

// word is one atom, looked up in every segment.
type word struct {
	terms   []string // one, or those that stand in for another
	prefix  bool
	scored  bool
	boost   float64
	df      uint64
	weight  float64
	entries [][]entry // by segment
}

// predicates asks for what answers the filters.
func (s *search) predicates(n *node, o Options) error {
	if s.fields == nil {
		s.fields = map[*node]predicate{}
	}
	for _, kid := range n.kids {
		if err := s.predicates(kid, o); err != nil {
			return err
		}
	}
	if n.op != opField {
		return nil
	}
	var err error
	s.fields[n], err = n.predicate(o, s.opt.Location)
	return err
}

// run looks the words up, then goes through the segments.
func (s *search) run(rd *reader) error {
	s.leaves, s.byAtom, s.slipWords = map[*node]*leaf{}, map[atom]*word{}, map[string]*word{}
	s.plan(s.query.root, true)
	for _, w := range s.words {
		if err := s.lookup(rd, w); err != nil {
			return err
		}
	}
	if err := s.widen(rd, s.query.root, true); err != nil {
		return err
	}
	s.weigh()
	s.best = top{k: s.opt.Offset + s.opt.Limit + s.opt.Spare, views: s.views}
	for i := range s.views {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		if err := s.segment(rd, i); err != nil {
			return err
		}
	}
	return nil
}

// plan lists the words of the query, each once. Those below a NOT do not rank.
func (s *search) plan(n *node, positive bool) {
	for _, kid := range n.kids {
		s.plan(kid, positive != (n.op == opNot))
	}
	if n.op != opWord && n.op != opPhrase {
		return
	}
	l := &leaf{}
	for _, a := range n.atoms {
		l.all = append(l.all, s.word(a, positive))
	}
	if n.bonus != "" {
		l.bonus = s.word(atom{term: n.bonus}, positive)
	}
	s.leaves[n] = l
}

func (s *search) word(a atom, scored bool) *word {
	w := s.byAtom[a]
	if w == nil {
		w = &word{terms: []string{a.term}, prefix: a.prefix, boost: 1}
		s.byAtom[a] = w
		s.words = append(s.words, w)
	}
	w.scored = w.scored || scored
	return w
}

// lookup finds a word in the dictionaries. The df of several terms together is
// the sum of theirs.
func (s *search) lookup(rd *reader, w *word) error {
	w.entries = make([][]entry, len(s.views))
	for i, v := range s.views {
		add := func(_ []byte, e entry) {
			w.entries[i] = append(w.entries[i], e)
			w.df += uint64(e.df)
		}
		for _, term := range w.terms {
			if w.prefix {
				if err := v.seg.terms.prefix(rd, term, add); err != nil {
					return err
				}
				continue
			}
			e, ok, err := v.seg.terms.lookup(rd, term)
			if err != nil {
				return err
			}
			if ok {
				add(nil, e)
			}
		}
	}
	return s.ctx.Err()
}

// weigh sets what a word counts for. Documents, lengths and df are those of the
// segments, tombs included: they are exact when no segment has any.
func (s *search) weigh() {
	words := uint64(0)
	for _, v := range s.views {
		s.docs += uint64(v.t.docs())
		words += v.t.words
	}
	if s.docs > 0 {
		s.average = float64(words) / float64(s.docs)
	}
	for _, w := range s.words {
		w.weight = w.boost * idf(s.docs, min(w.df, s.docs))
		if s.opt.Accept != nil {
			w.weight = w.boost // how rare a word is would tell of records that are not accepted
		}
	}
	if s.opt.Accept != nil {
		s.average = usualLength
	}
}

// usualLength is the average length of a document, in words, where the true one may not be told.
const usualLength = 20

// results puts the answer together.
func (s *search) results() Results {
	hits := s.best.hits()
	q := s.query
	if len(s.widened) > 0 {
		q.widened = map[string][]string{}
		for _, w := range s.widened {
			q.widened[w.Word] = w.Also
		}
	}
	for i := range s.widened {
		s.widened[i].Word = s.typed(s.widened[i].Word)
	}
	return Results{
		Hits: hits[min(s.opt.Offset, len(hits)):], Best: float64(s.best.score), Total: s.total, Exact: !s.partial, Query: q, Widened: s.widened,
	}
}

// typed is how a term that was widened stands in the query.
func (s *search) typed(term string) string {
	for n := range s.leaves {
		if n.typo == term {
			return n.typed
		}
	}
	return term
}

func (s *search) wants(u unitRow) bool {
	return (len(s.opt.Kinds) == 0 || slices.Contains(s.opt.Kinds, u.kind)) && (s.opt.Accept == nil || s.opt.Accept(u.kind, u.seq))
}
