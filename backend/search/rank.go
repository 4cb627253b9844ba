package search

import (
	"cmp"
	"container/heap"
	"math"
	"slices"
)

// BM25's usual constants: how soon more of a word stops counting, and how much
// the length of a document counts.
const (
	k1 = 1.2
	b  = 0.75
)

// idf is what a word counts for that df of n documents hold.
func idf(n, df uint64) float64 {
	return math.Log(1 + (float64(n)-float64(df)+0.5)/(float64(df)+0.5))
}

// saturation is the part of BM25 that depends on the length only, for every
// length there is.
func (s *search) saturation() *[256]float32 {
	if s.byLength == nil {
		s.byLength = new([256]float32)
		for n := range s.byLength {
			s.byLength[n] = float32(k1 * (1 - b + b*float64(lengthOf(byte(n)))/max(s.average, 1)))
		}
	}
	return s.byLength
}

func bm25(weight float64, tf uint32, k float32) float32 {
	return float32(weight) * float32(tf) * (k1 + 1) / (float32(tf) + k)
}

// top keeps the k best documents. Once there are more than k it is a heap, the
// worst of them first.
type top struct {
	k     int
	views []view
	list  []ranked
	score float32 // the highest of all documents that were offered
}

type ranked struct {
	prec  precedence
	score float32
	time  int64
	view  int
	doc   uint32
}

// precedence is what counts before the score: what is remembered comes before what was
// said, and what was said before what tools were asked and answered.
type precedence uint8

const (
	ofMemories precedence = iota
	ofTitles
	ofMessages
	ofToolCalls
)

func precedenceOf(kind Kind, part uint32) precedence {
	switch {
	case kind == Memory:
		return ofMemories
	case part == Title:
		return ofTitles
	case part&ToolCalls == 0:
		return ofMessages
	}
	return ofToolCalls
}

// precedenceCursor says the precedence of documents of one segment, asked for in rising order.
type precedenceCursor struct {
	t        *tables
	row, run int
	end, to  uint32 // of row and run
}

func (c *precedenceCursor) of(doc uint32) precedence {
	if doc >= c.end {
		if c.row++; c.row >= len(c.t.units) || c.t.rowEnd(c.row) <= doc {
			c.row = c.t.rowOf(doc)
		}
		c.end = c.t.rowEnd(c.row)
	}
	u := &c.t.units[c.row]
	if u.kind == Memory {
		return ofMemories
	}
	if doc >= c.to {
		if c.run++; c.run >= len(c.t.runs) || c.t.runEnd(c.run) <= doc {
			c.run = c.t.runOf(doc)
		}
		c.to = c.t.runEnd(c.run)
	}
	return precedenceOf(u.kind, c.t.runs[c.run].value+doc-u.first)
}

// offerAll takes the best of a set. Most are far from it, so the rest is quick.
func (t *top) offerAll(st *state, set bitset) {
	before := precedenceCursor{t: &st.v.t, row: -1, run: -1}
	set.each(func(doc uint32) bool {
		score := st.scores[doc]
		t.score = max(t.score, score)
		of := before.of(doc)
		if len(t.list) < t.k || of < t.list[0].prec || of == t.list[0].prec && score >= t.list[0].score {
			t.insert(ranked{of, score, st.v.t.time(doc), st.at, doc})
		}
		return true
	})
}

// offer takes a document if it is among the best so far.
func (t *top) offer(r ranked) {
	t.score = max(t.score, r.score)
	t.insert(r)
}

func (t *top) insert(r ranked) {
	if len(t.list) < t.k {
		if t.list = append(t.list, r); len(t.list) == t.k {
			heap.Init(t)
		}
		return
	}
	if t.k > 0 && t.compare(r, t.list[0]) < 0 {
		t.list[0] = r
		heap.Fix(t, 0)
	}
}

// compare is negative when x comes before y: the precedence, the higher score,
// then the newer, then the later record of the vault, then the earlier part.
func (t *top) compare(x, y ranked) int {
	switch {
	case x.prec != y.prec:
		return sign(x.prec < y.prec)
	case x.score != y.score:
		return sign(x.score > y.score)
	case x.time != y.time:
		return sign(x.time > y.time)
	}
	a, b := t.hit(x), t.hit(y)
	switch {
	case a.Seq != b.Seq:
		return sign(a.Seq > b.Seq)
	case a.Kind != b.Kind:
		return sign(a.Kind < b.Kind)
	}
	return sign(a.Position() < b.Position())
}

// CompareHits orders documents that were found so far as Results does, as far as
// hits tell.
func CompareHits(a, b Hit) int {
	return cmp.Or(cmp.Compare(precedenceOf(a.Kind, a.Part), precedenceOf(b.Kind, b.Part)), cmp.Compare(b.Score, a.Score), cmp.Compare(b.Time, a.Time))
}

func sign(before bool) int {
	if before {
		return -1
	}
	return 1
}

func (t *top) hit(r ranked) Hit {
	v := &t.views[r.view].t
	row := v.rowOf(r.doc)
	u := &v.units[row]
	return Hit{Kind: u.kind, Seq: u.seq, Part: v.part(r.doc, row), Time: r.time, Score: float64(r.score)}
}

// sorted are the best, the best first.
func (t *top) sorted() []ranked { return slices.SortedFunc(slices.Values(t.list), t.compare) }

func (t *top) hits() []Hit {
	hits := make([]Hit, 0, len(t.list))
	for _, r := range t.sorted() {
		hits = append(hits, t.hit(r))
	}
	return hits
}

// Len, Less, Swap, Push and Pop are for container/heap, which needs no Push or
// Pop for what is done here.
func (t *top) Len() int           { return len(t.list) }
func (t *top) Less(i, j int) bool { return t.compare(t.list[i], t.list[j]) > 0 }
func (t *top) Swap(i, j int)      { t.list[i], t.list[j] = t.list[j], t.list[i] }
func (t *top) Push(any)           {}
func (t *top) Pop() any           { return nil }
