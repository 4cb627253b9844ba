package vault

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"go.etcd.io/bbolt"

	"keepsake/backend/seal"
)

// The one bucket with a plain name holds what stands outside the collections.
var systemBucket = []byte{0}

// Keys of the system bucket.
var (
	headerKey = []byte{1} // third copy of the header
	stateKey  = []byte{2} // sealed state record
)

// epochKey is the key of a wrapped epoch key.
func epochKey(version uint32) []byte {
	return binary.BigEndian.AppendUint32([]byte{3}, version)
}

// state is the sealed state record (docs/vault-format.md §7). It is rewritten
// in every transaction.
type state struct {
	Generation       uint64                `json:"generation"`
	ChangedAt        int64                 `json:"changed_at"` // ms since 1970
	HeaderGeneration uint64                `json:"header_generation"`
	Messages         int                   `json:"messages"`
	Collections      map[Collection]*tally `json:"collections"`
	Epochs           []epoch               `json:"epochs"`
	Rotating         uint32                `json:"rotating_to"` // newest key version while a rotation is under way, 0 otherwise
	Rekey            string                `json:"rekey"`       // "begun" or "done" while a re-key has left files to clear away
	RekeyedAt        uint64                `json:"rekeyed_at"`  // generation that the newest re-key began with; 0 never

	AuditSeq   uint64 `json:"audit_seq"`  // of the newest entry of the log
	AuditHead  string `json:"audit_head"` // its digest
	Targets    []byte `json:"targets"`    // random key of the hashes that stand for ids in the log; nil before the first
	Forgetting bool   `json:"forgetting"` // what was deleted is still to be erased from the files
}

// tally of one collection. Sum is over the sealed values of its records and
// links together.
type tally struct {
	Records int      `json:"records"`
	Links   int      `json:"links"`
	Next    uint64   `json:"next"` // sequence number of the next new record
	Sum     seal.Sum `json:"sum"`
}

// epoch counts the values sealed under one data key.
type epoch struct {
	Version uint32     `json:"version"`
	Scope   Collection `json:"scope"`
	Values  int        `json:"values"`
}

func (s *state) clone() *state {
	c := *s
	c.Collections = make(map[Collection]*tally, len(s.Collections))
	for id, t := range s.Collections {
		own := *t
		c.Collections[id] = &own
	}
	c.Epochs = slices.Clone(s.Epochs)
	return &c
}

func (s *state) tally(c Collection) *tally {
	t := s.Collections[c]
	if t == nil {
		t = &tally{Next: 1}
		s.Collections[c] = t
	}
	return t
}

// version is the key version for new values of c: the newest epoch for all or
// for c alone.
func (s *state) version(c Collection) uint32 {
	var newest uint32
	for _, e := range s.Epochs {
		if e.Scope == allCollections || e.Scope == c {
			newest = max(newest, e.Version)
		}
	}
	return newest
}

// count adds n to the values of a key version.
func (s *state) count(version uint32, n int) {
	for i := range s.Epochs {
		if s.Epochs[i].Version == version {
			s.Epochs[i].Values += n
		}
	}
}

// values is the number of sealed values in all collections.
func (s *state) values() (n int) {
	for _, e := range s.Epochs {
		n += e.Values
	}
	return n
}

func (s *state) known() []Collection { return slices.Sorted(maps.Keys(s.Collections)) }

// save seals the state into the system bucket.
func (s *state) save(system interface{ Put(key, value []byte) error }, k *seal.Keys) error {
	plain, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("encode state: %w", err)
	}
	value, err := k.SealState(s.Generation, plain)
	if err != nil {
		return err
	}
	return system.Put(stateKey, value)
}

// loadState opens the state record of a transaction.
func loadState(bt *bbolt.Tx, k *seal.Keys) (*state, error) {
	b := bt.Bucket(systemBucket)
	if b == nil {
		return nil, errDataDamaged(fmt.Errorf("load state: no system bucket"))
	}
	return readState(b.Get(stateKey), k)
}

// readState opens a sealed state record.
func readState(value []byte, k *seal.Keys) (*state, error) {
	generation, plain, err := k.OpenState(value)
	if err != nil {
		return nil, err
	}
	s := new(state)
	if err := json.Unmarshal(plain, s); err != nil {
		return nil, errDataDamaged(fmt.Errorf("decode state: %w", err))
	}
	if s.Generation != generation || s.Collections == nil {
		return nil, errDataDamaged(fmt.Errorf("decode state: generation %d is not %d", s.Generation, generation))
	}
	return s, nil
}

// State is what an unlocked vault says about itself.
type State struct {
	Generation  uint64             // transactions so far
	LastChanged time.Time          // of the newest one
	Counts      map[Collection]int // records
	Messages    int                // in all conversations, empty ones too
}

func (s *state) public() State {
	out := State{
		Generation: s.Generation, LastChanged: time.UnixMilli(s.ChangedAt).UTC(),
		Counts: map[Collection]int{}, Messages: s.Messages,
	}
	for c, t := range s.Collections {
		out.Counts[c] = t.Records
	}
	return out
}
