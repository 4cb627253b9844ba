package vault

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"

	"go.etcd.io/bbolt"

	"keepsake/backend/atomicfile"
	"keepsake/backend/fault"
	"keepsake/backend/seal"
	"keepsake/backend/vault/vaultdir"
)

// newest is the readable copy of the highest generation. A copy of a newer
// format wins: it means that a newer Keepsake has been here.
func newest(copies []copyOf) (*seal.Header, error) {
	var best *seal.Header
	var worst error
	for _, c := range copies {
		switch {
		case fault.CodeOf(c.err) == fault.Unsupported:
			return nil, c.err
		case c.err != nil:
			worst = cmp.Or(worst, c.err)
		case best == nil || c.h.Generation > best.Generation:
			best = c.h
		}
	}
	if best == nil {
		return nil, worst
	}
	return best, nil
}

// candidates are the different headers among the copies: first that of the data
// file, which cannot be changed without harming the file, then the newest. More
// than one means that a copy was changed or not yet brought up to date.
func candidates(copies []copyOf) []copyOf {
	var out []copyOf
	for _, c := range slices.SortedStableFunc(slices.Values(copies), isTriedBefore) {
		known := slices.ContainsFunc(out, func(o copyOf) bool { return bytes.Equal(o.raw, c.raw) })
		if c.err == nil && !known {
			out = append(out, c)
		}
	}
	return out
}

func isTriedBefore(a, b copyOf) int {
	generation := func(c copyOf) uint64 {
		switch {
		case c.err != nil:
			return 0
		case c.where == vaultdir.DataName:
			return math.MaxUint64
		}
		return c.h.Generation
	}
	return cmp.Compare(generation(b), generation(a))
}

// storedIn is storedCopy of a data file that is not open.
func storedIn(path string) (copyOf, error) {
	db, err := openCopy(path)
	if err != nil {
		return copyOf{}, err
	}
	defer db.Close()
	return storedCopy(db)
}

// storedCopy reads the third copy, out of the data file.
func storedCopy(db *bbolt.DB) (c copyOf, err error) {
	err = view(db, func(bt *bbolt.Tx) error {
		b := bt.Bucket(systemBucket)
		if b == nil {
			return errDataDamaged(fmt.Errorf("read header copy: no system bucket"))
		}
		c = parseCopy(vaultdir.DataName, bytes.Clone(b.Get(headerKey)))
		return nil
	})
	return c, err
}

// putHeader makes h the header of the open vault: both files, the copy first,
// and then the data file, whose commit is the moment of truth. From then on an
// older header opens nothing. opening is held.
func (v *Vault) putHeader(h *seal.Header, audit auditEntry) error {
	v.mu.Lock()
	old := v.header
	v.mu.Unlock()
	err := v.Update(func(tx *Tx) error {
		if err := writeHeader(v.dir, h.Bytes(), v.step); err != nil {
			return err
		}
		tx.st.HeaderGeneration = h.Generation
		if err := tx.audit(audit); err != nil {
			return err
		}
		return tx.putSystem(headerKey, h.Bytes())
	})
	v.mu.Lock()
	defer v.mu.Unlock()
	if err != nil {
		if v.poison == nil { // sure not to be in the data file
			_ = writeHeader(v.dir, old.Bytes(), v.step)
		}
		return err
	}
	for i := range v.copies {
		v.copies[i] = copyOf{where: v.copies[i].where, raw: h.Bytes(), h: h}
	}
	v.header = h
	return nil
}

// keepHeader brings the header beside each snapshot up to date: they are copies of
// it, too, and an older one would let in who may no more. What cannot be written
// stays as it was. copying is held.
func (v *Vault) keepHeader(h *seal.Header) {
	made, _ := snapshots(v.dir)
	for _, s := range made {
		v.step("write snapshot " + vaultdir.HeadName)
		_ = writeHeaderFile(filepath.Join(s.dir, vaultdir.HeadName), h.Bytes())
	}
}

// writeHeader writes the two header files, the copy first: at every moment one
// of them is whole.
func writeHeader(dir string, raw []byte, step func(string)) error {
	for _, name := range []string{vaultdir.HeadCopyName, vaultdir.HeadName} {
		step("write " + name)
		if err := writeHeaderFile(filepath.Join(dir, name), raw); err != nil {
			return vaultdir.ErrWriting(err)
		}
	}
	return nil
}

func writeHeaderFile(path string, raw []byte) error {
	err := atomicfile.Write(path, vaultdir.FilePerm, func(w io.Writer) error {
		_, err := w.Write(raw)
		return err
	})
	if err != nil {
		return fmt.Errorf("write header: %w", err)
	}
	return nil
}
