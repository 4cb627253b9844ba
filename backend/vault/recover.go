package vault

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"go.etcd.io/bbolt"

	"keepsake/backend/atomicfile"
	"keepsake/backend/seal"
	"keepsake/backend/vault/journal"
	"keepsake/backend/vault/vaultdir"
)

// Recovery is what making a vault whole again from its own copies comes to.
type Recovery struct {
	From     SnapshotInfo // the verified copy that was taken, or the data file itself
	Replayed int          // changes since then, from the journal
	Lost     uint64       // confirmed changes that are in neither
	Kept     string       // name of the damaged data file, in the vault's folder
	Counts   State        // of what was brought back
	Messages int          // in which something is said, as conversations count them
}

// Recover puts the data file back together from the newest snapshot that is
// whole and the journal since then, proves the result as any unlock does, and
// gives it its name. Where that loses changes, and the data file is whole and
// only behind, what has more of them is taken. The damaged file is kept beside it. The vault must not be
// open. With dry set nothing is changed: the result is what would be had.
func Recover(ctx context.Context, dir string, now func() time.Time, dry bool, try Opening) (Recovery, error) {
	if _, err := readCopies(dir); err != nil { // or there is no vault to take
		return Recovery{}, err
	}
	lock, err := vaultdir.Lock(dir)
	if err != nil {
		return Recovery{}, err
	}
	defer lock.Close()
	vaultdir.Sweep(dir)
	copies, err := allCopies(dir)
	if err != nil {
		return Recovery{}, err
	}
	keys, used, wrong, err := tryCopies(copies, try)
	if err != nil {
		return Recovery{}, err
	}
	defer keys.Wipe()
	r := rebuild{dir: dir, keys: keys, header: used, temp: filepath.Join(dir, atomicfile.TempPrefix+"recovered")}
	defer func() { _ = vaultdir.RemoveAll(r.temp) }()
	if err := r.most(ctx); err != nil || dry {
		if err != nil && wrong != nil { // a header of before a change; that of after it refused the secret
			err = wrong
		}
		return r.result, err
	}
	return r.result, vaultdir.ErrWriting(r.adopt(now()))
}

// Opening opens a header with a secret.
type Opening func(*seal.Header) (*seal.Keys, error)

// ByPassphrase opens a header with a passphrase.
func ByPassphrase(ctx context.Context, passphrase []byte) Opening {
	return func(h *seal.Header) (*seal.Keys, error) { return h.Unlock(ctx, passphrase) }
}

// ByRecoveryCode opens a header with the recovery key, as people type it.
func ByRecoveryCode(ctx context.Context, code string) Opening {
	return func(h *seal.Header) (*seal.Keys, error) { return h.UnlockRecovery(ctx, code) }
}

// ByKeychain opens a header with what the operating system keeps for it.
func ByKeychain(ctx context.Context, key []byte) Opening {
	return func(h *seal.Header) (*seal.Keys, error) {
		secret, err := seal.KeychainSecret(key)
		if err != nil {
			return nil, err
		}
		defer secret.Clear()
		return h.Open(ctx, secret)
	}
}

// allCopies are the headers that can be read, also those in snapshots and, where
// it can be opened, in the data file; newest first.
func allCopies(dir string) ([]copyOf, error) {
	copies, err := readCopies(dir)
	if err != nil {
		return nil, err
	}
	made, err := snapshots(dir)
	if err != nil {
		return nil, err
	}
	for _, s := range made {
		raw, err := vaultdir.ReadFile(filepath.Join(s.dir, vaultdir.HeadName), maxHeader)
		if err == nil {
			copies = append(copies, parseCopy("", raw))
		}
	}
	if c, err := storedIn(filepath.Join(dir, vaultdir.DataName)); err == nil {
		copies = append(copies, c)
	}
	usable := candidates(copies)
	if len(usable) == 0 {
		_, err := newest(copies)
		return nil, err
	}
	return usable, nil
}

// rebuild is one recovery under way.
type rebuild struct {
	dir    string
	keys   *seal.Keys
	header copyOf
	temp   string // the new data file
	result Recovery
}

// most takes the way that loses the least.
func (r *rebuild) most(ctx context.Context) error {
	failed := r.make(ctx)
	if failed == nil && r.result.Lost == 0 {
		return nil
	}
	own := rebuild{dir: r.dir, keys: r.keys, header: r.header, temp: r.temp + "-own"}
	if own.fromData(ctx) == nil && (failed != nil || own.result.Lost < r.result.Lost) {
		own.temp, r.temp = r.temp, own.temp
		r.result, failed = own.result, nil
	}
	_ = vaultdir.RemoveAll(own.temp)
	return failed
}

// fromData goes on from the data file itself, where that is whole and of before
// what was confirmed. One of the same generation is none to go on from: that it
// does not open says that it has another history.
func (r *rebuild) fromData(ctx context.Context) error {
	s, _, err := proveCopy(ctx, filepath.Join(r.dir, vaultdir.DataName), r.keys, func(s *state) error {
		if r.lost(s.Generation) == 0 {
			return errDataDamaged(fmt.Errorf("recover: generation %d is not behind", s.Generation))
		}
		return nil
	})
	if err != nil {
		return err
	}
	return r.from(ctx, SnapshotInfo{Generation: s.Generation, MadeAt: s.public().LastChanged, dir: r.dir})
}

// make tries one snapshot after the other.
func (r *rebuild) make(ctx context.Context) error {
	made, err := snapshots(r.dir)
	if err != nil {
		return err
	}
	failed := errNoSnapshot()
	for _, s := range made {
		if err := ctx.Err(); err != nil {
			return err
		}
		if failed = r.from(ctx, s); failed == nil {
			return nil
		}
	}
	return failed
}

func (r *rebuild) from(ctx context.Context, s SnapshotInfo) error {
	if err := vaultdir.RemoveAll(r.temp); err != nil {
		return err
	}
	if err := copyFile(r.temp, filepath.Join(s.dir, vaultdir.DataName)); err != nil {
		return vaultdir.ErrWriting(err)
	}
	if err := checkCopy(ctx, r.temp, r.keys, s.Generation); err != nil {
		return err
	}
	r.result = Recovery{From: s}
	db, err := openData(r.temp, false)
	if err != nil {
		return err
	}
	err = contained(func() error { return db.Update(func(bt *bbolt.Tx) error { return r.forward(bt) }) })
	if closing := db.Close(); err == nil {
		err = closing
	}
	return vaultdir.ErrWriting(err)
}

// forward replays the journal on the copy, puts the header into it that opened,
// and proves it.
func (r *rebuild) forward(bt *bbolt.Tx) error {
	files, err := journal.Files(r.dir)
	if err != nil {
		return err
	}
	j, reached, err := follow(files, r.keys, r.result.From.Generation, func(fr journal.Frame) error {
		r.result.Replayed++
		return journal.Replay(bt, fr.Ops)
	})
	j.Close()
	if err != nil {
		return err
	}
	s, err := loadState(bt, r.keys)
	if err != nil {
		return err
	}
	if s.Generation != reached {
		return errDataDamaged(fmt.Errorf("recover: generation %d is not %d", s.Generation, reached))
	}
	if r.header.h.Generation < s.HeaderGeneration {
		return errHeaderOld()
	}
	if err := openEpochs(bt.Bucket(systemBucket), r.keys, s); err != nil {
		return err
	}
	r.result.Lost = r.lost(s.Generation)
	r.result.Counts = s.public()
	if !bytes.Equal(bt.Bucket(systemBucket).Get(headerKey), r.header.raw) {
		if err := bt.Bucket(systemBucket).Put(headerKey, r.header.raw); err != nil {
			return err
		}
	}
	if err := verify(bt, r.keys, s); err != nil {
		return err
	}
	unz, err := newUnpacker()
	if err != nil {
		return err
	}
	defer unz.Close()
	r.result.Messages, err = (&Vault{unz: unz}).newTx(bt, r.keys, r.keys.Sealer()).said()
	return err
}

// lost is how many confirmed commits neither snapshot nor journal has.
func (r *rebuild) lost(reached uint64) uint64 {
	raw, err := vaultdir.ReadFile(filepath.Join(r.dir, vaultdir.MarkName), 1024)
	if err != nil {
		return 0
	}
	confirmed, _, err := r.keys.OpenMark(raw)
	if err != nil || confirmed < reached {
		return 0
	}
	return confirmed - reached
}

// adopt puts the damaged file aside and the new one in its place. At every
// moment one of them has a name that the next recovery or unlock finds.
func (r *rebuild) adopt(now time.Time) error {
	data := filepath.Join(r.dir, vaultdir.DataName)
	aside := vaultdir.UnusedPath(filepath.Join(r.dir, vaultdir.DamagedPrefix+now.UTC().Format(vaultdir.TimeLayout)))
	r.result.Kept = filepath.Base(aside)
	err := atomicfile.Rename(data, aside)
	if errors.Is(err, fs.ErrNotExist) {
		r.result.Kept, err = "", nil
	}
	if err != nil {
		return fmt.Errorf("keep damaged file: %w", err)
	}
	if err := atomicfile.Rename(r.temp, data); err != nil {
		return fmt.Errorf("name data file: %w", err)
	}
	if err := writeHeader(r.dir, r.header.raw, noStep); err != nil {
		return err
	}
	if err := vaultdir.RemoveAll(filepath.Join(r.dir, vaultdir.MarkName)); err != nil { // it speaks of the file that was put aside
		return err
	}
	return atomicfile.SyncDir(r.dir)
}

// copyFile copies a file and flushes the copy, sharing blocks where the file
// system can.
func copyFile(to, from string) error {
	src, err := vaultdir.Open(from, os.O_RDONLY)
	if err != nil {
		return fmt.Errorf("open copy: %w", err)
	}
	defer src.Close()
	dst, err := vaultdir.Open(to, os.O_RDWR|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return fmt.Errorf("make copy: %w", err)
	}
	if !vaultdir.Clone(dst, src) {
		_, err = io.Copy(dst, src)
	}
	err = cmp.Or(err, dst.Sync())
	if closing := dst.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return fmt.Errorf("copy file: %w", err)
	}
	return nil
}

// Diagnosis is what can be said about a vault's files without a secret.
type Diagnosis struct {
	Header    error          // why no copy of the header can be used, nil where one can
	BadCopies []string       // header files that are damaged
	Data      error          // what is wrong with vault.db as a file, nil where nothing was seen
	Snapshots []SnapshotInfo // newest first
	Changes   int            // changes in the journal since the newest snapshot
}

// Diagnose looks at a vault's files. It takes no lock and writes nothing.
func Diagnose(dir string) (Diagnosis, error) {
	copies, err := readCopies(dir)
	if err != nil {
		return Diagnosis{}, err
	}
	var d Diagnosis
	_, d.Header = newest(copies)
	for _, c := range copies {
		if c.err != nil {
			d.BadCopies = append(d.BadCopies, c.where)
		}
	}
	d.Data = lookAtData(dir)
	if d.Snapshots, err = snapshots(dir); err != nil {
		return d, err
	}
	files, err := journal.Files(dir)
	if err != nil || len(d.Snapshots) == 0 {
		return d, err
	}
	for _, jf := range files {
		if jf.Base >= d.Snapshots[0].Generation {
			d.Changes += jf.Count()
		}
	}
	return d, nil
}

// lookAtData says what is wrong with the data file, as far as one can see
// without a secret.
func lookAtData(dir string) error {
	if !vaultdir.Exists(dir, vaultdir.DataName) {
		return errDataMissing(dir)
	}
	db, err := openCopy(filepath.Join(dir, vaultdir.DataName))
	if err != nil {
		return err
	}
	return db.Close()
}
