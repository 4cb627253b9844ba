package search

import (
	"context"
	"unicode/utf8"
)

// live is the segment in memory that Put fills.
type live struct {
	*segment
	words *builder
	next  tables // what the segment's tables become when they are published
}

func newLive() *live {
	b := newBuilder()
	return &live{words: b, segment: &segment{terms: b, live: map[unitKey]int{}}}
}

// docCost and unitCost are what the tables take, in bytes.
const (
	docCost  = 8
	unitCost = 80
)

func (l *live) used() int {
	return l.words.used() + docCost*int(l.next.docs()) + unitCost*len(l.next.units)
}

func (l *live) full(o Options) bool {
	used := l.used()
	return used >= o.LiveBytes || len(l.next.units) >= o.LiveUnits && used >= o.LiveBytes/8
}

// add indexes a document of the row at hand.
func (l *live) add(d Doc) {
	row := &l.next.units[len(l.next.units)-1]
	text := head(d.Text)
	doc := l.next.docs()
	l.next.addDoc(d, row.first)
	words := l.words.add(doc, text)
	l.next.setLength(doc, packLength(words))
	if len(text) < len(d.Text) {
		row.piece |= cutText
	}
}

// head is what is indexed of a text: MaxText bytes, up to the last space if one
// is near, so that no half word is found.
func head(text string) string {
	if len(text) <= MaxText {
		return text
	}
	n := MaxText
	for n > MaxText-MaxTerm && text[n] > ' ' {
		n--
	}
	if text[n] > ' ' {
		n = MaxText
		for !utf8.RuneStart(text[n]) {
			n--
		}
	}
	return text[:n]
}

// putting is one call of Put.
type putting struct {
	ix     *Index
	unit   Unit
	piece  uint32
	pieces []place // in segments that are full
	done   bool
}

// begin opens a row for the unit in the live segment.
func (p *putting) begin() {
	l := p.ix.live
	l.next.units = append(l.next.units, unitRow{
		seq: p.unit.Seq, mark: p.unit.Mark, kind: p.unit.Kind,
		first: l.next.docs(), stamp: p.ix.stamp, piece: p.piece << 2,
	})
}

// split ends the row in a live segment that is full, unseen until the unit is
// whole, and goes on in the next segment.
func (p *putting) split() error {
	old := p.hide(true)
	sealed, err := p.ix.flush(context.Background())
	if err != nil {
		return err
	}
	old.seg = sealed
	p.pieces = append(p.pieces, old)
	p.piece++
	p.begin()
	return nil
}

// hide publishes the row at hand as one in a tomb.
func (p *putting) hide(pending bool) place {
	l := p.ix.live
	row := len(l.next.units) - 1
	p.ix.mu.Lock()
	defer p.ix.mu.Unlock()
	l.tables = l.next
	l.dead = l.dead.with(&l.tables, row)
	l.pending = pending
	return place{l.segment, row}
}

// publish shows the unit, in place of what there was of it.
func (p *putting) publish() {
	ix, l := p.ix, p.ix.live
	row := len(l.next.units) - 1
	l.next.units[row].piece |= lastPiece
	before := ix.find(p.unit.key())
	ix.mu.Lock()
	defer ix.mu.Unlock()
	for _, old := range before {
		old.seg.dead = old.seg.dead.with(&old.seg.tables, old.row)
	}
	for _, piece := range p.pieces {
		piece.seg.dead = piece.seg.dead.without(&piece.seg.tables, piece.row)
		piece.seg.pending = false
	}
	l.tables = l.next
	l.live[p.unit.key()] = row
	p.done = true
}

// abandon leaves what there is of the unit in tombs.
func (p *putting) abandon() {
	if p.done {
		return
	}
	if f := p.ix.frozen; f == nil {
		p.hide(false)
	}
	p.ix.mu.Lock()
	defer p.ix.mu.Unlock()
	for _, piece := range p.pieces {
		piece.seg.pending = false
	}
	if f := p.ix.frozen; f != nil {
		f.pending = false
	}
}
