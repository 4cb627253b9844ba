package documents

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"keepsake/backend/atomicfile"
	"keepsake/backend/core/files"
	"keepsake/backend/core/library"
	"keepsake/backend/fault"
	"keepsake/backend/format/pam"
	"keepsake/backend/intake"
	"keepsake/backend/memory"
	"keepsake/backend/plainfile"
	"keepsake/backend/schema"
)

// SignFile signs a PAM file, zip or folder with a key file and writes it to out, whose
// name determines the shape as for exports; "" signs in place. An encrypted input is
// encrypted again with its passphrase. ask returns the passphrase of the key file, and is
// called only if that is encrypted. The result gets its name only after it was read back
// and its signature verified.
func (s *Service) SignFile(ctx context.Context, in files.Input, keyFile string, ask func() ([]byte, error), out string) (KeyInfo, error) {
	key, err := readKey(keyFile, ask)
	if err != nil {
		return KeyInfo{}, err
	}
	x := signRun{lib: s.lib, signer: key, inPlace: out == "" || isSamePath(in.Path, out)}
	if x.inPlace {
		out = in.Path
	}
	if x.Output, err = NewOutput(s.lib, s.files, out); err != nil {
		return KeyInfo{}, err
	}
	if isEncrypted(in.Path) {
		x.Passphrase = in.Passphrase
	} else if err := x.CheckEncryption(); err != nil && !x.inPlace { // out ends in .age without a passphrase
		return KeyInfo{}, err
	}
	err = s.document(ctx, in, func(tree *intake.Tree, _ *schema.Set) error {
		x.tree = tree
		return files.WriteFault(out, x.run(ctx))
	})
	if err == nil {
		err = files.WriteFault(out, x.commit()) // the file that it may replace is closed now
	}
	return keyInfo(key.Public()), err
}

func isSamePath(one, other string) bool {
	a, errA := os.Stat(one)
	b, errB := os.Stat(other)
	return errA == nil && errB == nil && os.SameFile(a, b)
}

// isEncrypted reports whether a file begins like an age-encrypted file. A file that cannot
// be read counts as not encrypted; reading it later reports the error.
func isEncrypted(name string) bool {
	file, err := plainfile.Open(name)
	if err != nil {
		return false
	}
	defer file.Close()
	head := make([]byte, pam.HeadSize)
	n, _ := io.ReadFull(file, head)
	return pam.EncryptionOf(head[:n]) != pam.NotEncrypted
}

// signRun is the state of one call of SignFile.
type signRun struct {
	Output
	lib     *library.Library
	tree    *intake.Tree
	signer  *pam.Key
	inPlace bool
	commit  func() error // gives what run wrote its name
}

func (x *signRun) run(ctx context.Context) (err error) {
	if x.inPlace && x.Shape == AsFolder {
		return x.overFolder(ctx)
	}
	if x.inPlace { // the name need not show the shape, so look at the content
		x.Shape = AsFile
		if pam.IsBundle(x.tree) {
			x.Shape = AsZip
		}
	}
	now := x.lib.Now()
	x.commit, err = x.prepareDocument(ctx, func(to Target) error {
		return x.sign(ctx, now, x.into(to, now))
	}, x.mustHold)
	return err
}

func (x *signRun) sign(ctx context.Context, now memory.Time, to pam.Target) error {
	return pam.SignDocument(ctx, x.tree, x.rules, x.signer, now, to)
}

// mustHold returns a fault unless the signature of the written file is valid.
func (x *signRun) mustHold(ctx context.Context, tree *intake.Tree) error {
	r, err := pam.Verify(ctx, tree, x.rules, pam.Trust{})
	if err == nil && !r.Signed || r.Verdict == pam.Broken || r.Verdict == pam.Invalid {
		return fault.New(fault.Internal, "sign-not-held", "The signature did not hold when it was read again, so nothing was written.")
	}
	return err
}

// overFolder signs a bundle in place: it replaces the memory store and the digest file,
// and keeps every other file. It removes the old digest before it commits the new files,
// so that an interruption never leaves a digest that does not match.
func (x *signRun) overFolder(ctx context.Context) error {
	var files []*atomicfile.File
	abort := func() {
		for _, f := range files {
			f.Abort()
		}
	}
	store, err := pam.Store(x.tree)
	if err != nil {
		return err
	}
	digest := path.Join(path.Dir(store.Path), pam.DigestName)
	place := func(name string) string { return filepath.Join(x.Dest, filepath.FromSlash(name)) }
	err = x.sign(ctx, x.lib.Now(), pam.ToPlaces(func(name string) (io.WriteCloser, error) {
		if name != store.Path && name != digest {
			return nil, nil
		}
		f, err := atomicfile.New(place(name), 0o600)
		if err == nil {
			files = append(files, f)
		}
		return keptOpen{f}, err
	}))
	if err != nil {
		abort()
		return err
	}
	x.commit = func() error {
		defer abort()
		if err := os.Remove(place(digest)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for _, f := range files {
			if err := f.Commit(); err != nil {
				return err
			}
		}
		return nil
	}
	return nil
}

// keptOpen is a file whose Close does nothing: overFolder itself ends it.
type keptOpen struct{ *atomicfile.File }

func (keptOpen) Close() error { return nil }
