package vault

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"keepsake/backend/seal"
	"keepsake/backend/vault/vaultdir"
)

// Entry is one record of a collection.
type Entry struct {
	ID       string
	Created  time.Time // of the first Put, to the millisecond
	Revision uint64    // 1 after the first Put
	Plain    []byte    // the caller's own copy
}

// Put stores plain under id, or replaces what is there; created counts only
// the first time. At most seal.MaxRecord bytes. Conversations have
// PutConversation.
func (tx *Tx) Put(c Collection, id string, created time.Time, plain []byte) error {
	if err := tx.writable(c); err != nil {
		return err
	}
	p, r, err := tx.slot(c, id, created)
	if err != nil {
		return err
	}
	return tx.store(p, r, id, plain)
}

var errReadOnly = errors.New("change vault: the transaction only reads")

// writable refuses what would leave half a conversation behind, and writing in
// a View.
func (tx *Tx) writable(c Collection) error {
	if !tx.writes {
		return errReadOnly
	}
	if c == Chunks || c == Conversations || c == Audit {
		return fmt.Errorf("store record: collection %d has its own functions", c)
	}
	return nil
}

// slot finds the place of id, or makes a new one at the end, and the record
// that its next value has.
func (tx *Tx) slot(c Collection, id string, created time.Time) (place, seal.Record, error) {
	l := tx.sealer.Locate('r', uint16(c), id)
	seq, ok, err := tx.lookup(c, l)
	if err != nil {
		return place{}, seal.Record{}, err
	}
	if ok {
		p := place{shelf{c, recordKind}, seqKey(seq), seq}
		old := tx.met[p.shelf]
		if old.Seq != seq || old.Locator != l { // otherwise it was opened just now
			o, err := tx.open(p, id)
			if err != nil {
				return place{}, seal.Record{}, err
			}
			old = o.record
		}
		old.Revision++
		return p, old, nil
	}
	t := tx.st.tally(c)
	seq = t.Next
	t.Next++
	index := tx.bucket(shelf{c, indexKind}, true)
	if err := index.Put(l[:], seqKey(seq)); err != nil {
		return place{}, seal.Record{}, vaultdir.ErrWriting(fmt.Errorf("store index: %w", err))
	}
	r := seal.Record{Collection: uint16(c), Seq: seq, Locator: l, Revision: 1, Created: millis(created)}
	return place{shelf{c, recordKind}, seqKey(seq), seq}, r, nil
}

// lookup follows the index.
func (tx *Tx) lookup(c Collection, l seal.Locator) (seq uint64, ok bool, err error) {
	index := tx.bucket(shelf{c, indexKind}, false)
	if index == nil {
		return 0, false, nil
	}
	at := index.Get(l[:])
	if at == nil {
		return 0, false, nil
	}
	if len(at) != 8 {
		return 0, false, errDataDamaged(errors.New("look up record: index entry is not as written"))
	}
	return binary.BigEndian.Uint64(at), true, nil
}

// find is the place of an existing id, or a NotFound fault.
func (tx *Tx) find(c Collection, id string) (place, error) {
	seq, ok, err := tx.lookup(c, tx.sealer.Locate('r', uint16(c), id))
	if err != nil {
		return place{}, err
	}
	if !ok {
		return place{}, errNoRecord()
	}
	return place{shelf{c, recordKind}, seqKey(seq), seq}, nil
}

// opened is a value that has been authenticated.
type opened struct {
	record seal.Record
	id     string
	plain  []byte
}

// open reads the value at p, which must be the one of id.
func (tx *Tx) open(p place, id string) (opened, error) {
	b := tx.bucket(p.shelf, false)
	if b == nil {
		return opened{}, errDataDamaged(errors.New("open record: bucket is missing"))
	}
	o, err := openAt(tx.sealer, p, b.Get(p.key))
	if err == nil && o.id != id {
		err = errRecordsMissing(errors.New("open record: it is another one"))
	}
	if err == nil {
		tx.meet(p.shelf, o.record)
	}
	return o, err
}

func openAt(s *seal.Sealer, p place, value []byte) (opened, error) {
	return openInto(nil, s, p, value)
}

// openInto is openAt into the memory of dst, where that is large enough.
func openInto(dst []byte, s *seal.Sealer, p place, value []byte) (opened, error) {
	r, id, plain, err := s.OpenInto(dst, uint16(p.shelf.c), p.seq, value)
	return opened{r, id, plain}, err
}

// Get returns what is stored under id, the caller's own copy. It is NotFound
// no-record when nothing is.
func (tx *Tx) Get(c Collection, id string) ([]byte, error) {
	e, err := tx.Entry(c, id)
	return e.Plain, err
}

// Find is Get that returns nil where nothing is stored.
func (tx *Tx) Find(c Collection, id string) ([]byte, error) {
	seq, ok, err := tx.lookup(c, tx.sealer.Locate('r', uint16(c), id))
	if err != nil || !ok {
		return nil, err
	}
	o, err := tx.open(place{shelf{c, recordKind}, seqKey(seq), seq}, id)
	return o.plain, err
}

// Entry is Get with everything around the bytes.
func (tx *Tx) Entry(c Collection, id string) (Entry, error) {
	p, err := tx.find(c, id)
	if err != nil {
		return Entry{}, err
	}
	o, err := tx.open(p, id)
	if err != nil {
		return Entry{}, err
	}
	return o.entry(), nil
}

// EntryAt is Entry for the record with that number.
func (tx *Tx) EntryAt(c Collection, seq uint64) (Entry, error) {
	p := place{shelf{c, recordKind}, seqKey(seq), seq}
	value := tx.value(p)
	if value == nil {
		return Entry{}, errNoRecord()
	}
	o, err := openAt(tx.sealer, p, value)
	return o.entry(), err
}

// value is what is stored at p, nil where nothing is.
func (tx *Tx) value(p place) []byte {
	if b := tx.bucket(p.shelf, false); b != nil {
		return b.Get(p.key)
	}
	return nil
}

func (o opened) entry() Entry {
	return Entry{ID: o.id, Created: fromMillis(o.record.Created), Revision: o.record.Revision, Plain: o.plain}
}

// Seq is the number of the record under id in its collection: it stays as long
// as the record does, and is never given again.
func (tx *Tx) Seq(c Collection, id string) (uint64, error) {
	p, err := tx.find(c, id)
	return p.seq, err
}

// Has reports whether something is stored under id. Damage met on the way ends
// the transaction with its fault.
func (tx *Tx) Has(c Collection, id string) bool {
	_, ok, err := tx.lookup(c, tx.sealer.Locate('r', uint16(c), id))
	tx.note(err)
	return ok
}

// Delete removes what is stored under id. It is NotFound when nothing is.
// Links that lead there stay until Unlink.
func (tx *Tx) Delete(c Collection, id string) error {
	if err := tx.writable(c); err != nil {
		return err
	}
	p, err := tx.find(c, id)
	if err != nil {
		return err
	}
	return tx.drop(p, tx.sealer.Locate('r', uint16(c), id))
}

func (tx *Tx) drop(p place, l seal.Locator) error {
	if err := errors.Join(tx.dropRow(p.shelf.c, p.seq), tx.remove(p)); err != nil {
		return err
	}
	index := tx.bucket(shelf{p.shelf.c, indexKind}, false)
	if index == nil {
		return nil
	}
	return vaultdir.ErrWriting(index.Delete(l[:]))
}

// Count is the number of records in a collection.
func (tx *Tx) Count(c Collection) int {
	s, err := tx.state()
	if tx.note(err); err != nil || s.Collections[c] == nil {
		return 0
	}
	return s.Collections[c].Records
}

// Next is the number that the next new record of a collection gets.
func (tx *Tx) Next(c Collection) uint64 {
	s, err := tx.state()
	if tx.note(err); err != nil || s.Collections[c] == nil {
		return 1
	}
	return s.Collections[c].Next
}

// Link makes name lead to target, within c: a content hash to a memory's id, a
// provider's id to ours. Name and target are sealed like records.
func (tx *Tx) Link(c Collection, name, target string) error {
	if !tx.writes {
		return errReadOnly
	}
	p, r := tx.linkAt(c, name)
	b := tx.bucket(p.shelf, true)
	if old := b.Get(p.key); old != nil {
		o, err := openAt(tx.sealer, p, old)
		if err != nil {
			return err
		}
		if string(o.plain) == target {
			return nil
		}
		r.Revision = o.record.Revision + 1
	}
	return tx.store(p, r, name, []byte(target))
}

func (tx *Tx) linkAt(c Collection, name string) (place, seal.Record) {
	l := tx.sealer.Locate('l', uint16(c), name)
	r := seal.Record{Collection: uint16(c), Locator: l, Revision: 1}
	return place{shelf{c, linkKind}, l[:], 0}, r
}

// HasLinks reports that a collection has any link.
func (tx *Tx) HasLinks(c Collection) bool {
	b := tx.bucket(shelf{c, linkKind}, false)
	if b == nil {
		return false
	}
	first, _ := b.Cursor().First()
	return first != nil
}

// Linked follows a link. Damage met on the way ends the transaction with its
// fault.
func (tx *Tx) Linked(c Collection, name string) (target string, ok bool) {
	p, _ := tx.linkAt(c, name)
	value := tx.value(p)
	if value == nil {
		return "", false
	}
	o, err := openAt(tx.sealer, p, value)
	if err == nil && o.id != name {
		err = errRecordsMissing(errors.New("follow link: it is another one"))
	}
	tx.note(err)
	return string(o.plain), err == nil
}

// Unlink removes a link; where there is none it does nothing.
func (tx *Tx) Unlink(c Collection, name string) error {
	if !tx.writes {
		return errReadOnly
	}
	p, _ := tx.linkAt(c, name)
	return tx.remove(p)
}
