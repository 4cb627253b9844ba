package vault

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"time"
)

// You is the person whose vault it is, as an actor.
const You = "you"

// Audited is one thing that happened, to be written into the log.
type Audited struct {
	At     time.Time // zero: now
	Actor  string    // who: "you", or the name of an agent
	Action string    // what, one word of docs/vault-format.md §10.9
	Target string    // id of what it was done to; only a keyed hash of it is kept
	Count  int       // of things it was done to
}

// AuditEntry is one entry of the log (docs/vault-format.md §10.9). It names
// nothing that was stored: a forgotten memory leaves no trace in it that could
// be read.
type AuditEntry struct {
	Seq    uint64 `json:"seq"`
	At     int64  `json:"at"` // ms since 1970
	Actor  string `json:"actor"`
	Action string `json:"action"`
	Target string `json:"target,omitempty"` // keyed hash of an id, 32 hexadecimal digits
	Count  int    `json:"count,omitempty"`
	Before string `json:"before"` // SHA-256 of the entry before, hexadecimal; "" of none
}

// Time is when it happened.
func (e AuditEntry) Time() time.Time { return fromMillis(e.At) }

// Audit adds an entry to the log, in the transaction of what it tells about. It
// may be written while the vault is frozen.
func (tx *Tx) Audit(a Audited) error {
	if !tx.writes {
		return errReadOnly
	}
	if a.At.IsZero() {
		a.At = tx.v.now()
	}
	e := AuditEntry{
		Seq: tx.st.AuditSeq + 1, At: millis(a.At), Actor: a.Actor, Action: a.Action,
		Target: tx.AuditTarget(a.Target), Count: a.Count, Before: tx.st.AuditHead,
	}
	text, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("encode audit entry: %w", err)
	}
	id := auditID(e.Seq)
	p, r, err := tx.slot(Audit, id, a.At)
	if err != nil {
		return err
	}
	if err := tx.store(p, r, id, text); err != nil {
		return err
	}
	tx.st.AuditSeq, tx.st.AuditHead = e.Seq, digestOf(text)
	return nil
}

// Owe has entries written into the log by the next Update, in front of what that
// writes, or by Settle. It waits for nobody.
func (v *Vault) Owe(entries ...Audited) {
	v.owing.Lock()
	defer v.owing.Unlock()
	v.owed = append(v.owed, entries...)
}

// Settle writes what is still owed to the log.
func (v *Vault) Settle() error {
	return v.Update(func(*Tx) error { return nil })
}

// payLog writes what is owed, and says how many entries that are. They are owed
// on until the transaction is committed.
func (tx *Tx) payLog() (paid int, err error) {
	tx.v.owing.Lock()
	owed := tx.v.owed
	tx.v.owing.Unlock()
	for _, entry := range owed {
		if err := tx.Audit(entry); err != nil {
			return 0, err
		}
	}
	return len(owed), nil
}

// paid forgets what was owed and is in the log now.
func (v *Vault) paid(entries int) {
	v.owing.Lock()
	defer v.owing.Unlock()
	v.owed = v.owed[entries:]
}

func auditID(seq uint64) string { return strconv.FormatUint(seq, 10) }

func digestOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// AuditTarget is how the log names an id: the same as long as the vault lives,
// also after a re-key, and for nobody without the keys to be traced back. "" stays
// "".
func (tx *Tx) AuditTarget(id string) string {
	st, err := tx.state()
	if tx.note(err); err != nil || id == "" {
		return ""
	}
	if st.Targets == nil && tx.writes {
		st.Targets = make([]byte, targetKey)
		_, _ = rand.Read(st.Targets) // never fails
	}
	h := hmac.New(sha256.New, st.Targets)
	h.Write([]byte(id))
	return hex.EncodeToString(h.Sum(nil)[:targetSize])
}

// Sizes of the key of targets and of a target, in bytes.
const (
	targetKey  = 32
	targetSize = 16
)

// AuditTrail gives the entries of the log, oldest first, and proves on the way
// that each follows the one before and that the last is the one the state
// names. What does not fit ends it with a Damaged fault.
func (tx *Tx) AuditTrail() iter.Seq2[AuditEntry, error] {
	return func(yield func(AuditEntry, error) bool) {
		st, err := tx.state()
		if err != nil {
			yield(AuditEntry{}, err)
			return
		}
		var seq uint64
		head := ""
		for rec, err := range tx.Each(Audit) {
			var e AuditEntry
			if err == nil {
				err = json.Unmarshal(rec.Plain, &e)
			}
			if err == nil && (e.Seq != seq+1 || e.Before != head || rec.ID != auditID(e.Seq)) {
				err = errAuditBroken(fmt.Errorf("read audit log: entry %d does not follow the one before", e.Seq))
			}
			if err != nil {
				yield(AuditEntry{}, err)
				return
			}
			seq, head = e.Seq, digestOf(rec.Plain)
			if !yield(e, nil) {
				return
			}
		}
		if seq != st.AuditSeq || head != st.AuditHead {
			yield(AuditEntry{}, errAuditBroken(errors.New("read audit log: its end is missing")))
		}
	}
}
