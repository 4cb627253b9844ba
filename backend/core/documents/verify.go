package documents

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"keepsake/backend/atomicfile"
	"keepsake/backend/core/files"
	"keepsake/backend/core/library"
	"keepsake/backend/fault"
	"keepsake/backend/format/pam"
	"keepsake/backend/intake"
	"keepsake/backend/jcs"
	"keepsake/backend/memory"
	"keepsake/backend/plainfile"
	"keepsake/backend/schema"
)

// maxText limits the input of Hash and Canonicalize, which they read into RAM, in bytes.
const maxText = 256 << 20

// Verify reports who signed a PAM file, folder or zip, and whether it is unchanged since.
// It needs no vault; if one is open, Verify also recognizes its own keys and the keys that
// the person gave a name. With trustFiles (key files), the signer must be one of these keys.
func (s *Service) Verify(ctx context.Context, in files.Input, trustFiles []string) (VerifyReport, error) {
	trust, err := Trust(ctx, s.lib)
	if err != nil {
		return VerifyReport{}, err
	}
	if trust.Required, err = required(trustFiles); err != nil {
		return VerifyReport{}, err
	}
	trust.Now = s.lib.Clock()
	var report VerifyReport
	err = s.document(ctx, in, func(tree *intake.Tree, rules *schema.Set) error {
		if f, ok := s.mifIn(ctx, tree); ok {
			report, err = verifyMIFFile(ctx, tree, f, rules, trust)
			return err
		}
		report, err = pam.Verify(ctx, tree, rules, trust)
		return err
	})
	if finding, ok := noDocument(err); ok {
		return pam.Unreadable(finding, fault.From(err).Reason == "file-encrypted"), nil
	}
	Recall(ctx, s.lib, report.Changed)
	return report, err
}

// noDocument returns err as a finding and true if it says that a file was read but is no
// valid document, and false if it says that the file could not be read.
func noDocument(err error) (pam.Finding, bool) {
	if err == nil {
		return pam.Finding{}, false
	}
	f := fault.From(err)
	switch f.Code {
	case fault.Invalid, fault.Unsupported, fault.TooLarge, fault.Refused:
		check := "document"
		if f.Reason == "file-encrypted" {
			check = "encrypted"
		}
		return pam.Finding{Check: check, Message: f.Message(), Fault: f}, f.Reason != "file-unreadable"
	}
	return pam.Finding{}, false
}

// required reads the public keys in key files.
func required(files []string) (keys []pam.Public, err error) {
	for _, name := range files {
		file, err := plainfile.OpenStream(name)
		if err != nil {
			return nil, errKeyFile(name, err)
		}
		key, err := pam.ReadPublic(file)
		_ = file.Close()
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	return keys, nil
}

// Validate checks a PAM file or bundle, or a document of the Memory Interchange Format,
// against the schemas and all rules that a schema cannot express. It needs no vault.
func (s *Service) Validate(ctx context.Context, in files.Input) (v Validation, err error) {
	err = s.document(ctx, in, func(tree *intake.Tree, rules *schema.Set) error {
		if f, ok := s.mifIn(ctx, tree); ok {
			v, err = validateMIF(ctx, tree, f, rules)
			return err
		}
		v, err = pam.Validate(ctx, tree, rules)
		return err
	})
	if finding, ok := noDocument(err); ok {
		return Validation{Errors: []Finding{finding}, Warnings: []Finding{}, ChecksRun: 1}, nil
	}
	return v, err
}

// Inspect returns a summary of a PAM file or bundle, or of a document of the Memory
// Interchange Format: its version, owner and record counts. It needs no vault.
func (s *Service) Inspect(ctx context.Context, in files.Input) (i Inspection, err error) {
	err = s.document(ctx, in, func(tree *intake.Tree, _ *schema.Set) error {
		if f, ok := s.mifIn(ctx, tree); ok {
			i, err = inspectMIF(ctx, tree, f)
			return err
		}
		i, err = pam.Inspect(ctx, tree)
		return err
	})
	return i, err
}

// document opens a file, folder, zip or upload, and calls fn with it and the schemas.
func (s *Service) document(ctx context.Context, in files.Input, fn func(*intake.Tree, *schema.Set) error) error {
	rules, err := s.lib.Rules()
	if err != nil {
		return err
	}
	tree, under, err := s.files.TreeOf(ctx, in)
	if err != nil {
		return err
	}
	defer under()
	defer tree.Close()
	return fn(tree, rules)
}

// Keygen writes a new signing key to path, which must not exist. If ask is not nil, the
// file is encrypted with the passphrase that ask returns.
func (s *Service) Keygen(_ context.Context, path string, ask func() ([]byte, error)) (KeyInfo, error) {
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return KeyInfo{}, fault.New(fault.Conflict, "key-file-exists", "{file} exists already; a key is never overwritten.").
			With("file", filepath.Base(path)).Advise("Choose another name.")
	}
	var passphrase []byte
	if ask != nil {
		var err error
		if passphrase, err = ask(); err != nil {
			return KeyInfo{}, err
		}
		defer clear(passphrase)
	}
	key, err := pam.Generate()
	if err != nil {
		return KeyInfo{}, err
	}
	err = atomicfile.WriteNew(path, 0o600, func(w io.Writer) error { return pam.WriteKey(w, key, passphrase) })
	return keyInfo(key.Public()), files.WriteFault(path, err)
}

func readKey(name string, ask func() ([]byte, error)) (*pam.Key, error) {
	file, err := plainfile.OpenStream(name)
	if err != nil {
		return nil, errKeyFile(name, err)
	}
	defer file.Close()
	return pam.ReadKey(file, ask)
}

func errKeyFile(name string, cause error) error {
	if fault.Known(cause) {
		return cause
	}
	return fault.New(fault.NotFound, "key-file-unreadable", "The key file {file} cannot be read.").With("file", filepath.Base(name)).Because(cause)
}

// Hash returns PAM's content hash of a text (§6).
func (s *Service) Hash(ctx context.Context, r io.Reader) (string, error) {
	text, err := whole(ctx, r)
	return memory.ContentHash(string(text)), err
}

// Canonicalize writes the RFC 8785 form of a JSON document.
func (s *Service) Canonicalize(ctx context.Context, r io.Reader, w io.Writer) error {
	text, err := whole(ctx, r)
	if err != nil {
		return err
	}
	canonical, err := jcs.Transform(text)
	if err != nil {
		found, place := pam.Mistake(text)
		return fault.New(fault.Invalid, "not-canonical-json", "The text is not JSON that has a canonical form ({found} at {place}).").
			With("found", found).With("place", library.Cut(cmp.Or(place, "/"), MaxPlace)).
			Advise("It must be one whole document, without names that stand twice and without numbers that are too large.").Because(err)
	}
	_, err = w.Write(canonical)
	return err
}

func whole(ctx context.Context, r io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(files.UntilDone(ctx, r), maxText+1))
	if err != nil {
		return nil, fmt.Errorf("read text: %w", err)
	}
	if len(text) > maxText {
		return nil, fault.New(fault.TooLarge, "text-too-large", "The text is over {limit} MiB.").With("limit", maxText>>20)
	}
	return text, nil
}

// MaxPlace limits the length of a JSON pointer in an error message, in bytes.
const MaxPlace = 200
