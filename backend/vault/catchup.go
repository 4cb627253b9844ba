package vault

import (
	"crypto/sha256"
	"fmt"

	"go.etcd.io/bbolt"

	"keepsake/backend/seal"
	"keepsake/backend/vault/journal"
	"keepsake/backend/vault/vaultdir"
)

// trail is what the files beside the data file tell about its newest commits.
type trail struct {
	journal *journal.Journal // goes on with the next commit; nil where a snapshot is due
	mark    *journal.Mark
}

func (t trail) close() {
	t.journal.Close()
	t.mark.Close()
}

// catchUp reads what was committed after the data file was written last: what the
// journal has beyond it is laid over it, and what vault.gen knows beyond that is
// lost, which is a fault. The returned state is the newest.
func catchUp(dir string, db *bbolt.DB, keys *seal.Keys) (s *state, over *journal.Layer, t trail, err error) {
	defer func() {
		if err != nil {
			t.close()
		}
	}()
	s, digest, err := storedState(db, keys)
	if err != nil {
		return nil, nil, t, err
	}
	if t.journal, over, err = replay(dir, keys, s.Generation); err != nil {
		return nil, nil, t, err
	}
	if value, known := over.Get(systemBucket, stateKey); known {
		if s, err = readState(value, keys); err != nil {
			return nil, nil, t, err
		}
		digest = sha256.Sum256(value)
	}
	if t.journal != nil && t.journal.Last != s.Generation {
		t.journal.Close()
		t.journal = nil
	}
	var confirmed uint64
	var known [32]byte
	if t.mark, confirmed, known, err = journal.OpenMark(dir, keys); err != nil {
		return nil, nil, t, err
	}
	switch {
	case confirmed > s.Generation:
		err = errBehind(confirmed - s.Generation)
	case confirmed == s.Generation && known != digest:
		err = errRecordsMissing(fmt.Errorf("open vault: the state of generation %d is another one than was confirmed", confirmed))
	}
	return s, over, t, err
}

// storedState is what the data file says of itself.
func storedState(db *bbolt.DB, keys *seal.Keys) (s *state, digest [32]byte, err error) {
	err = view(db, func(bt *bbolt.Tx) error {
		s, err = loadState(bt, keys)
		if err == nil {
			digest = sha256.Sum256(bt.Bucket(systemBucket).Get(stateKey))
		}
		return err
	})
	return s, digest, err
}

// replay collects what the journal has beyond a generation, and returns the newest
// journal, nil where there is none that can be gone on with. Damage in a journal
// matters only where vault.db needs what it held; the comparison with vault.gen
// finds that out.
func replay(dir string, keys *seal.Keys, from uint64) (*journal.Journal, *journal.Layer, error) {
	files, err := journal.Files(dir)
	if err != nil {
		return nil, nil, err
	}
	over := journal.NewDraft(nil)
	newest, _, err := follow(files, keys, from, over.Take)
	if err != nil {
		newest.Close()
		return nil, nil, vaultdir.ErrWriting(err)
	}
	return newest, &over.Layer, nil
}

// follow gives the frames after a generation in order, as far as they join, and
// returns the newest journal and the generation reached.
func follow(files []journal.File, keys *seal.Keys, at uint64, take func(journal.Frame) error) (newest *journal.Journal, reached uint64, err error) {
	for _, jf := range files {
		newest.Close()
		var torn bool
		newest, torn, err = jf.Read(keys, func(fr journal.Frame) error {
			if fr.Generation != at+1 {
				return nil // contained already, or out of reach
			}
			at++
			return take(fr)
		})
		if torn {
			err = nil // what is lost, if anything, shows in vault.gen
		}
		if err != nil {
			return newest, at, err
		}
	}
	return newest, at, nil
}
