package vault

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"keepsake/backend/atomicfile"
	"keepsake/backend/seal"
	"keepsake/backend/vault/vaultdir"
)

// StageBlob seals a stream into a file of its own and returns its reference, a
// keyed hash of its bytes, and its size. The same bytes are kept once: added
// says whether they are new. The blob has its name, and is sure to be on the
// disk, only after SettleBlobs; many at once settle in a fraction of the time
// that each by itself would take. Store a record that names the reference, or
// the blob belongs to nobody.
func (v *Vault) StageBlob(r io.Reader) (ref string, size int64, added bool, err error) {
	keys, _, err := v.enter()
	if err != nil {
		return "", 0, false, err
	}
	defer v.leave()
	v.blobbing.RLock() // the key version must not go while the blob is written
	defer v.blobbing.RUnlock()
	if err := v.usable(); err != nil {
		return "", 0, false, err
	}
	if v.Frozen() {
		return "", 0, false, errFrozen()
	}
	dir := filepath.Join(v.dir, vaultdir.BlobsName)
	if err := vaultdir.Mkdir(dir); err != nil {
		return "", 0, false, vaultdir.ErrWriting(err)
	}
	f, err := atomicfile.Create(filepath.Join(dir, "blob"), vaultdir.FilePerm)
	if err != nil {
		return "", 0, false, vaultdir.ErrWriting(err)
	}
	defer f.Abort()
	ref, size, err = v.sealBlob(f, r, keys, v.state.Load().version(blobFiles))
	if err != nil {
		return "", 0, false, err
	}
	if v.whole(keys, ref) {
		return ref, size, false, nil
	}
	added, err = v.stage(ref, f)
	return ref, size, added, vaultdir.ErrWriting(err)
}

// stage keeps a written file until it is settled. The same bytes are staged once.
func (v *Vault) stage(ref string, f *atomicfile.File) (added bool, err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if _, there := v.staged[ref]; there {
		return false, nil
	}
	left, err := f.Leave()
	if err != nil {
		return false, err
	}
	if v.staged == nil {
		v.staged = map[string]*atomicfile.Left{}
	}
	v.staged[ref] = left
	return true, nil
}

// settling is how many files are flushed at a time. A journal serves several
// flushes with one write.
const settling = 8

// SettleBlobs flushes staged blobs and gives them their names; those that are
// not staged are settled already. After an error some may be, and the others
// are gone.
func (v *Vault) SettleBlobs(refs []string) error {
	if _, _, err := v.enter(); err != nil {
		return err
	}
	defer v.leave()
	v.blobbing.RLock()
	defer v.blobbing.RUnlock()
	if err := v.usable(); err != nil {
		return err
	}
	dir := filepath.Join(v.dir, vaultdir.BlobsName)
	jobs := make(chan string)
	failed := make([]error, settling)
	var wg sync.WaitGroup
	for i := range failed {
		wg.Go(func() {
			for ref := range jobs {
				if left := v.unstage(ref); left != nil {
					failed[i] = errors.Join(failed[i], left.CommitAs(filepath.Join(dir, ref)))
				}
			}
		})
	}
	for _, ref := range refs {
		jobs <- ref
	}
	close(jobs)
	wg.Wait()
	err := errors.Join(failed...)
	if err == nil {
		err = atomicfile.SyncDir(dir)
	}
	return vaultdir.ErrWriting(err)
}

func (v *Vault) unstage(ref string) *atomicfile.Left {
	v.mu.Lock()
	defer v.mu.Unlock()
	left := v.staged[ref]
	delete(v.staged, ref)
	return left
}

// copyBytes is how much of a blob's source is read at once.
const copyBytes = 64 << 10

// sealBlob tells errors of the reader, returned as they are, from our own.
func (v *Vault) sealBlob(f seal.BlobFile, r io.Reader, keys *seal.Keys, version uint32) (string, int64, error) {
	w, err := keys.NewBlobWriter(f, version)
	if err != nil {
		return "", 0, vaultdir.ErrWriting(err)
	}
	buf, kept := v.buffers.Get().(*[copyBytes]byte)
	if !kept {
		buf = new([copyBytes]byte)
	}
	defer func() {
		clear(buf[:])
		v.buffers.Put(buf)
	}()
	for {
		n, reading := r.Read(buf[:])
		if _, err := w.Write(buf[:n]); err != nil {
			return "", 0, vaultdir.ErrWriting(err)
		}
		if errors.Is(reading, io.EOF) {
			break
		}
		if reading != nil {
			return "", 0, reading
		}
	}
	ref, size, err := w.Close()
	return ref, size, vaultdir.ErrWriting(err)
}

// whole reports whether the blob is there, of the right name and length.
func (v *Vault) whole(keys *seal.Keys, ref string) bool {
	return readBlob(keys, v.blobPath(ref), ref) == nil
}

// HasBlob reports that a blob is there and opens whole.
func (v *Vault) HasBlob(ref string) (bool, error) {
	keys, _, err := v.enter()
	if err != nil {
		return false, err
	}
	defer v.leave()
	return v.whole(keys, ref), nil
}

func (v *Vault) blobPath(ref string) string { return filepath.Join(v.dir, vaultdir.BlobsName, ref) }

// blobFile is the file of a blob, and what is in it.
type blobFile struct {
	*seal.BlobReader
	f *os.File
}

func (b blobFile) Close() error { return b.f.Close() }

// openBlob opens the file of a blob; the caller closes it.
func openBlob(keys *seal.Keys, path, ref string) (blobFile, error) {
	f, err := vaultdir.Open(path, os.O_RDONLY)
	if err != nil {
		return blobFile{}, fmt.Errorf("open blob: %w", err)
	}
	b, err := keys.OpenBlob(f, ref)
	if err != nil {
		_ = f.Close()
		return blobFile{}, err
	}
	return blobFile{b, f}, nil
}

// readBlob decrypts a whole blob.
func readBlob(keys *seal.Keys, path, ref string) error {
	b, err := openBlob(keys, path, ref)
	if err != nil {
		return err
	}
	defer b.Close()
	_, err = io.Copy(io.Discard, b)
	return err
}

// OpenBlob opens a blob for reading at any position and returns its size. It
// is NotFound no-attachment when it is not there. What it gives stops working
// when the vault is locked; the caller closes it.
func (v *Vault) OpenBlob(ref string) (io.ReadSeekCloser, int64, error) {
	if !vaultdir.IsBlobRef(ref) {
		return nil, 0, errNoBlob()
	}
	keys, _, err := v.enter()
	if err != nil {
		return nil, 0, err
	}
	defer v.leave()
	b, err := openBlob(keys, v.blobPath(ref), ref)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, errNoBlob()
	}
	if err != nil {
		return nil, 0, err
	}
	return &blob{v, b}, b.Size(), nil
}

// DeleteBlob removes a blob; where there is none it does nothing.
func (v *Vault) DeleteBlob(ref string) error {
	if !vaultdir.IsBlobRef(ref) {
		return nil
	}
	if _, _, err := v.enter(); err != nil {
		return err
	}
	defer v.leave()
	v.blobbing.RLock()
	defer v.blobbing.RUnlock()
	if err := v.usable(); err != nil {
		return err
	}
	if v.Frozen() {
		return errFrozen()
	}
	if left := v.unstage(ref); left != nil {
		left.Abort()
	}
	_, err := vaultdir.Lstat(filepath.Join(v.dir, vaultdir.BlobsName), fs.ModeDir)
	if err == nil {
		err = atomicfile.Remove(v.blobPath(ref))
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return vaultdir.ErrWriting(fmt.Errorf("remove blob: %w", err))
	}
	return nil
}

// Blobs lists the references of all blobs that are settled.
func (v *Vault) Blobs() ([]string, error) {
	if _, _, err := v.enter(); err != nil {
		return nil, err
	}
	defer v.leave()
	return blobsIn(v.dir)
}

// blobsIn lists the references of the blobs of a vault, in ascending order.
func blobsIn(dir string) (refs []string, err error) {
	entries, err := vaultdir.ReadDir(filepath.Join(dir, vaultdir.BlobsName))
	for _, e := range entries {
		if vaultdir.IsBlobRef(e.Name()) {
			refs = append(refs, e.Name())
		}
	}
	return refs, err
}

// blob reads only while the vault is unlocked.
type blob struct {
	v *Vault
	blobFile
}

func (b *blob) Read(p []byte) (int, error) {
	if _, _, err := b.v.enter(); err != nil {
		return 0, err
	}
	defer b.v.leave()
	return b.blobFile.Read(p)
}
