package vault

import (
	"fmt"

	"go.etcd.io/bbolt"

	"keepsake/backend/seal"
)

// trail is what the files beside the data file tell about its newest commits.
type trail struct {
	journal *journal // goes on with the next commit; nil where a snapshot is due
	mark    *mark
}

func (t trail) close() {
	t.journal.close()
	t.mark.close()
}

// catchUp brings the data file up to the last commit that was confirmed:
// what the journal has beyond it is written again, and what vault.gen knows
// beyond that is lost, which is a fault. The returned state is the newest.
func catchUp(dir string, db *bbolt.DB, keys *seal.Keys) (s *state, t trail, err error) {
	defer func() {
		if err != nil {
			t.close()
		}
	}()
	s, digest, err := newestState(db, keys)
	if err != nil {
		return nil, t, err
	}
	if t.journal, err = replay(dir, db, keys, s.Generation); err != nil {
		return nil, t, err
	}
	if t.journal != nil && t.journal.last > s.Generation {
		if s, digest, err = newestState(db, keys); err != nil {
			return nil, t, err
		}
	}
	if t.journal != nil && t.journal.last != s.Generation {
		t.journal.close()
		t.journal = nil
	}
	var confirmed uint64
	var known [32]byte
	if t.mark, confirmed, known, err = openMark(dir, keys); err != nil {
		return nil, t, err
	}
	switch {
	case confirmed > s.Generation:
		err = errBehind(confirmed - s.Generation)
	case confirmed == s.Generation && known != digest:
		err = errRecordsMissing(fmt.Errorf("open vault: the state of generation %d is another one than was confirmed", confirmed))
	}
	return s, t, err
}

func newestState(db *bbolt.DB, keys *seal.Keys) (s *state, digest [32]byte, err error) {
	err = contained(func() error {
		return db.View(func(bt *bbolt.Tx) error {
			s, err = loadState(bt, keys)
			if err == nil {
				digest = stateDigest(bt)
			}
			return err
		})
	})
	return s, digest, err
}

// replay writes again what the journal has beyond a generation, and returns the
// newest journal, nil where there is none that can be gone on with. Damage in a
// journal matters only where vault.db needs what it held; the comparison with
// vault.gen finds that out.
func replay(dir string, db *bbolt.DB, keys *seal.Keys, from uint64) (*journal, error) {
	files, err := journals(dir)
	if err != nil {
		return nil, err
	}
	var newest *journal
	err = contained(func() error {
		return db.Update(func(bt *bbolt.Tx) error {
			at := from
			newest, at, err = follow(files, keys, at, func(fr frame) error { return again(bt, fr.ops) })
			if err == nil && at == from {
				return errNothing
			}
			return err
		})
	})
	if err == errNothing {
		err = nil
	}
	if err != nil {
		newest.close()
		return nil, writing(err)
	}
	return newest, nil
}

// errNothing rolls a transaction back that has nothing to say.
var errNothing = fmt.Errorf("nothing to replay")

// follow gives the frames after a generation in order, as far as they join, and
// returns the newest journal and the generation reached.
func follow(files []journalFile, keys *seal.Keys, at uint64, take func(frame) error) (newest *journal, reached uint64, err error) {
	for _, jf := range files {
		newest.close()
		var torn bool
		newest, torn, err = jf.read(keys, func(fr frame) error {
			if fr.generation != at+1 {
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
