package files

import (
	"bytes"
	"context"
	"io"
	"strings"

	"keepsake/backend/fault"
	"keepsake/backend/format/mif"
	"keepsake/backend/format/pam"
	"keepsake/backend/intake"
	"keepsake/backend/plainfile"
	"keepsake/backend/seal"
)

// TreeOf opens a file, folder, zip or upload, and decrypts it if it is encrypted. Call
// under after closing the tree: it closes the files from which the tree reads.
func (s *Opener) TreeOf(ctx context.Context, in Input) (tree *intake.Tree, under func(), err error) {
	source, err := s.Source(in)
	if err != nil {
		return nil, nil, err
	}
	source, under, err = s.Decrypted(source, in)
	if err == nil {
		tree, err = intake.Open(ctx, []intake.Source{source}, s.IntakeOptions())
	}
	if err != nil {
		under()
		return nil, nil, err
	}
	return tree, under, nil
}

// Decrypted returns the decrypted content of source, or source if it is not encrypted. No
// plaintext is written to the disk. done, also set on an error, closes the opened files.
func (s *Opener) Decrypted(source intake.Source, in Input) (_ intake.Source, done func(), err error) {
	done = func() {}
	at, size := source.At, source.Size
	if at == nil {
		file, err := plainfile.Open(source.Path)
		if err != nil {
			return source, done, nil // opening it later reports the error
		}
		at, done = file, func() { _ = file.Close() }
	}
	head := make([]byte, mif.HeadSize)
	n, _ := at.ReadAt(head, 0) // an unreadable file counts as not encrypted
	if mif.IsEnvelope(head[:n]) {
		err := s.deriving(in, source.Name, func() (err error) {
			source, err = openEnvelope(at, size, source.Name, in.Passphrase)
			return err
		})
		return source, done, err
	}
	switch kind := pam.EncryptionOf(head[:n]); {
	case kind == pam.NotEncrypted:
		return source, done, nil
	case in.Passphrase == nil:
		return source, done, pam.ErrEncrypted(source.Name)
	case kind == pam.Armored:
		scratch, err := s.NewScratch()
		if err != nil {
			return source, done, err
		}
		before := done
		done = func() { _ = scratch.Close(); before() }
		if size, err = io.Copy(scratch, pam.Unarmored(io.NewSectionReader(at, 0, size))); err != nil {
			return source, done, errEncryptedFile(source.Name, err)
		}
		at = scratch
	}
	var plain io.ReaderAt
	err = s.deriving(in, source.Name, func() (err error) {
		plain, size, err = pam.DecryptAt(at, size, in.Passphrase)
		return err
	})
	if err != nil {
		if fault.CodeOf(err) == fault.Damaged {
			err = errEncryptedFile(source.Name, err)
		}
		return source, done, err
	}
	return intake.FromReaderAt(strings.TrimSuffix(source.Name, ".age"), size, plain), done, nil
}

func errEncryptedFile(name string, cause error) error {
	return fault.New(fault.Invalid, "encrypted-file-damaged", "{name} is encrypted, and damaged or cut off.").With("name", name).Because(cause)
}

// maxWrong is the number of files in one import that the passphrase may fail to open; then
// no more are tried. Each try takes about a second and 256 MiB, and a folder may hold
// hundreds of files that somebody else encrypted.
const maxWrong = 8

// WrongTries counts the files of an import that its passphrase did not open.
type WrongTries struct{ count int }

// deriving calls open, which decrypts one file, unless in.Wrong has reached maxWrong. Only
// one key derivation runs at a time, because each needs much RAM.
func (s *Opener) deriving(in Input, name string, open func() error) error {
	s.derivation.Lock()
	defer s.derivation.Unlock()
	if in.Wrong != nil && in.Wrong.count >= maxWrong {
		return fault.New(fault.Refused, "too-many-tries", "{name} was not opened: the passphrase did not fit {count} files before it.").
			With("name", name).With("count", maxWrong).
			Advise("Import the files that this passphrase opens by themselves.")
	}
	err := open()
	if in.Wrong != nil && fault.CodeOf(err) == fault.WrongPassphrase {
		in.Wrong.count++
	}
	return err
}

// openEnvelope decrypts a MIF envelope. The content stays in RAM, so that no plaintext is
// written to the disk.
func openEnvelope(at io.ReaderAt, size int64, name string, passphrase []byte) (intake.Source, error) {
	e, err := mif.ReadEnvelope(io.NewSectionReader(at, 0, size), name)
	if err != nil {
		return intake.Source{}, err
	}
	if passphrase == nil {
		return intake.Source{}, pam.ErrEncrypted(name)
	}
	bound, err := e.Bound()
	if err != nil {
		return intake.Source{}, err
	}
	f := seal.Foreign{KDF: seal.KDF{MemoryKiB: e.KDF.MemoryKiB, Time: e.KDF.Time, Threads: e.KDF.Threads}, Salt: e.KDF.Salt, IV: e.IV}
	plain, err := f.Open(passphrase, e.Payload, e.Tag, bound)
	if err != nil {
		return intake.Source{}, err
	}
	if len(plain) == 0 {
		return intake.Source{}, errEncryptedFile(name, io.ErrUnexpectedEOF)
	}
	return intake.FromReaderAt(strings.TrimSuffix(name, ".enc"), int64(len(plain)), bytes.NewReader(plain)), nil
}
