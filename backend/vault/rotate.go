package vault

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"keepsake/backend/atomicfile"
	"keepsake/backend/fault"
	"keepsake/backend/seal"
	"keepsake/backend/vault/vaultdir"
)

// A step of a migration re-seals at most so many values, or so many bytes of
// them, in one transaction: nobody waits long for the vault.
const (
	stepValues = 512
	stepBytes  = 4 << 20
)

// Rotation says how far the vault is on its way to new data keys.
type Rotation struct {
	Version uint32 // the newest key version
	Done    int    // sealed values under a key version that stays
	Total   int    // sealed values
	Blobs   int    // attachments still under an older one; -1 not counted yet
	Running bool   // something is left to do
}

// BeginRotation makes a new data key for everything. From then on values are
// sealed under it; a Migrator brings the others over. One that is under way
// already goes on.
func (v *Vault) BeginRotation() error {
	return v.Update(func(tx *Tx) error {
		switch {
		case tx.frozen:
			return errFrozen()
		case tx.st.Rotating != 0:
			return nil
		}
		version, err := tx.addEpoch(allCollections)
		if err != nil {
			return err
		}
		tx.st.Rotating = version
		return tx.audit(auditEntry{"rotation-begun", fmt.Sprint(version)})
	})
}

// addEpoch makes the next data key.
func (tx *Tx) addEpoch(scope Collection) (uint32, error) {
	var newest uint32
	for _, e := range tx.st.Epochs {
		newest = max(newest, e.Version)
	}
	version := newest + 1
	wrapped, err := tx.keys.NewEpoch(version, uint16(scope))
	if err != nil {
		return 0, err
	}
	tx.st.Epochs = append(tx.st.Epochs, epoch{Version: version, Scope: scope})
	return version, tx.putSystem(epochKey(version), wrapped)
}

// stays reports whether new values are still sealed under a key version: it is
// the newest of its scope, and none for everything came after it.
func (s *state) stays(version uint32) bool {
	at := slices.IndexFunc(s.Epochs, func(e epoch) bool { return e.Version == version })
	return at >= 0 && s.version(s.Epochs[at].Scope) == version
}

func (s *state) rotation() Rotation {
	r := Rotation{Version: s.version(allCollections), Blobs: -1, Running: s.Rotating != 0}
	for _, e := range s.Epochs {
		r.Total += e.Values
		if s.stays(e.Version) {
			r.Done += e.Values
		}
	}
	return r
}

// Rotation says how far a rotation is, from the newest commit.
func (v *Vault) Rotation() Rotation {
	s := v.state.Load()
	if s == nil {
		return Rotation{}
	}
	return s.rotation()
}

// Migrator brings values over to the newest key version, a step at a time, and
// can be left at any moment: a new one goes on from what the vault itself says.
// It is for one goroutine.
type Migrator struct {
	v     *Vault
	todo  []shelf // still to be walked; nil until known
	after []byte  // key reached in the first of them
	blobs []string
	known bool
	held  bool // a snapshot has the key that blobs are sealed under
}

// Migrator returns a new one.
func (v *Vault) Migrator() *Migrator { return &Migrator{v: v} }

// Step does a little more, and says how far it is. Once Running is false there
// is nothing left, and the keys that sealed nothing any more are gone.
func (m *Migrator) Step(ctx context.Context) (Rotation, error) {
	s := m.v.state.Load()
	if s == nil {
		return Rotation{}, errLocked()
	}
	if err := ctx.Err(); err != nil || s.Rotating == 0 {
		return s.rotation(), err
	}
	var err error
	if !m.known {
		err = m.plan(s)
	}
	switch {
	case err != nil:
	case len(m.todo) > 0:
		err = m.values()
	case len(m.blobs) > 0 && !m.held:
		// Blobs are in no snapshot: one that lacks their key could not bring them back.
		err = m.v.Snapshot(ctx)
		m.held = err == nil
	case len(m.blobs) > 0:
		err = m.blob(ctx)
	default:
		err = m.finish()
	}
	r := m.v.Rotation()
	r.Blobs = len(m.blobs)
	return r, err
}

// plan lists what is to be walked. Of a new value nothing need be known: it is
// sealed under the newest version.
func (m *Migrator) plan(s *state) error {
	refs, err := m.v.Blobs()
	if err != nil {
		return err
	}
	m.todo, m.after, m.blobs, m.known, m.held = []shelf{}, nil, nil, true, false
	for _, c := range s.known() {
		m.todo = append(m.todo, c.sealedShelves()...)
	}
	want := s.version(blobFiles)
	for _, ref := range refs {
		if version, err := m.v.blobVersion(ref); err == nil && version != want {
			m.blobs = append(m.blobs, ref)
		}
	}
	return nil
}

func (v *Vault) blobVersion(ref string) (uint32, error) {
	f, err := vaultdir.Open(v.blobPath(ref), os.O_RDONLY)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	return seal.BlobVersion(f)
}

// values re-seals the next few of the first shelf.
func (m *Migrator) values() error {
	var reached []byte
	ended := false
	err := m.v.Update(func(tx *Tx) (err error) {
		reached, ended, err = tx.reseal(m.todo[0], m.after)
		return err
	})
	if err != nil {
		return err
	}
	if m.after = reached; ended {
		m.todo, m.after = m.todo[1:], nil
	}
	return nil
}

// reseal brings values of a shelf that stand after a key over to the newest
// version, and returns the last key it looked at.
func (tx *Tx) reseal(s shelf, after []byte) (reached []byte, ended bool, err error) {
	b := tx.bucket(s, false)
	if b == nil {
		return nil, true, nil
	}
	old, reached, ended, err := stale(b, s, tx.st.version(s.c), after)
	if err != nil {
		return nil, false, err
	}
	for _, p := range old {
		r, value, err := tx.sealer.Reseal(uint16(s.c), p.seq, b.Get(p.key), tx.st.version(s.c))
		if err != nil {
			return nil, false, err
		}
		if err := tx.place(b, p, r, value); err != nil {
			return nil, false, err
		}
	}
	return reached, ended, nil
}

// scanned bounds how many values a step looks at.
const scanned = 100_000

// stale finds the next values that are sealed under another version.
func stale(b *box, s shelf, want uint32, after []byte) (old []place, reached []byte, ended bool, err error) {
	c := b.Cursor()
	k, value := c.First()
	if after != nil {
		if k, value = c.Seek(after); bytes.Equal(k, after) {
			k, value = c.Next()
		}
	}
	size := 0
	for n := 0; k != nil && n < scanned && len(old) < stepValues && size < stepBytes; k, value = c.Next() {
		n++
		seq, err := seqOf(s, k)
		if err != nil {
			return nil, nil, false, err
		}
		r, err := seal.ParseRecord(uint16(s.c), seq, value)
		if err != nil {
			return nil, nil, false, err
		}
		reached = append(reached[:0], k...)
		if r.KeyVersion != want {
			old = append(old, place{s, bytes.Clone(k), seq})
			size += len(value)
		}
	}
	return old, reached, k == nil, nil
}

// blob re-seals one attachment. One that is gone or damaged is left as it is:
// its key stays, and check names it.
func (m *Migrator) blob(ctx context.Context) error {
	ref := m.blobs[0]
	m.blobs = m.blobs[1:]
	err := m.v.resealBlob(ctx, ref)
	if errors.Is(err, os.ErrNotExist) || isDamagedBlob(err) {
		return nil
	}
	return err
}

// isDamagedBlob tells damage of one attachment from damage of the vault.
func isDamagedBlob(err error) bool {
	return err != nil && fault.From(err).Reason == "vault-attachment-damaged"
}

func (v *Vault) resealBlob(ctx context.Context, ref string) error {
	v.backing.Lock() // a backup has the keys of its beginning only
	defer v.backing.Unlock()
	keys, _, err := v.enter()
	if err != nil {
		return err
	}
	defer v.leave()
	v.blobbing.RLock()
	defer v.blobbing.RUnlock()
	if err := v.usable(); err != nil {
		return err
	}
	_, err = v.sealAgain(ctx, keys, ref, keys, v.state.Load().version(blobFiles))
	return err
}

// sealAgain writes a blob anew under a key version, of the same keys or of others,
// and gives it the name that these have for it.
func (v *Vault) sealAgain(ctx context.Context, keys *seal.Keys, ref string, next *seal.Keys, version uint32) (name string, err error) {
	from, err := openBlob(keys, v.blobPath(ref), ref)
	if err != nil {
		return "", err
	}
	defer from.Close()
	to, err := atomicfile.Create(v.blobPath("blob"), vaultdir.FilePerm)
	if err != nil {
		return "", vaultdir.ErrWriting(err)
	}
	defer to.Abort()
	name, _, err = v.sealBlob(to, withContext{ctx, from}, next, version)
	_ = from.Close() // the name may be its own, which Windows gives to no other while it is open
	if err != nil {
		return "", err
	}
	v.step("name blob")
	return name, vaultdir.ErrWriting(to.CommitAs(v.blobPath(name)))
}

// withContext stops a reader when the context ends.
type withContext struct {
	ctx context.Context
	r   io.Reader
}

func (c withContext) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}

// finish deletes the keys that seal nothing any more. Where something was
// written under one of them meanwhile, another round is made instead. In memory
// they stay until the vault is locked: somebody may still read an older state.
func (m *Migrator) finish() error {
	m.known = false
	return m.v.Update(func(tx *Tx) error {
		used, err := m.v.blobVersions(tx)
		if err != nil {
			return err
		}
		var kept []epoch
		var gone []uint32
		for _, e := range tx.st.Epochs {
			switch use := used[e.Version]; {
			case tx.st.stays(e.Version) || use == damagedBlob:
				kept = append(kept, e)
			case e.Values > 0 || use == wholeBlob:
				return nil
			default:
				gone = append(gone, e.Version)
			}
		}
		for _, version := range gone {
			if err := tx.deleteSystem(epochKey(version)); err != nil {
				return err
			}
		}
		if len(gone) > 0 {
			tx.Forgetting(true) // old copies of the data file have the keys still
		}
		tx.st.Epochs, tx.st.Rotating, tx.changed = kept, 0, true
		return tx.audit(auditEntry{"rotation-ended", ""})
	})
}

// blobUse says what a key version seals among the blobs.
type blobUse int

const (
	noBlob      blobUse = iota
	damagedBlob         // cannot be brought over; perhaps it can be mended
	wholeBlob
)

// blobVersions says which older key versions blobs are sealed under, once those
// that were being written are done. One that is staged may have any of them.
func (v *Vault) blobVersions(tx *Tx) (map[uint32]blobUse, error) {
	v.blobbing.Lock()
	defer v.blobbing.Unlock()
	used := map[uint32]blobUse{}
	v.mu.Lock()
	if len(v.staged) > 0 {
		for _, e := range tx.st.Epochs {
			used[e.Version] = wholeBlob
		}
	}
	v.mu.Unlock()
	refs, err := v.Blobs()
	if err != nil {
		return nil, err
	}
	newest := tx.st.version(blobFiles)
	for _, ref := range refs {
		version, err := v.blobVersion(ref)
		switch {
		case err != nil || version == newest:
		case v.whole(tx.keys, ref):
			used[version] = wholeBlob
		default:
			used[version] = max(used[version], damagedBlob)
		}
	}
	return used, nil
}
