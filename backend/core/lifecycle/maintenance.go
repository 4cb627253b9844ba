package lifecycle

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"

	"keepsake/backend/atomicfile"
	"keepsake/backend/core/exports"
	"keepsake/backend/core/files"
	"keepsake/backend/core/library"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// Secret opens a vault. One of its fields is set.
type Secret struct {
	Passphrase []byte
	Recovery   string // the recovery key, as the person typed it
	Keychain   bool   // what the keychain holds; only DeriveChannelKey takes it
}

func (s Secret) opening(ctx context.Context) vault.Opening {
	if s.Recovery != "" {
		return vault.ByRecoveryCode(ctx, s.Recovery)
	}
	return vault.ByPassphrase(ctx, s.Passphrase)
}

// Check is the result of CheckVault, which reads every part of the vault.
type Check struct {
	Values      int           `json:"values"` // encrypted values that could be decrypted
	Attachments int           `json:"attachments"`
	LogEntries  int           `json:"log_entries"`
	Copies      int           `json:"copies"`
	Damaged     []DamagedPart `json:"damaged"` // parts that could not be decrypted
	Missing     []string      `json:"missing"` // attachments that a record refers to and that do not exist
	Orphans     int           `json:"orphans"` // attachments that no record refers to
}

// DamagedPart is one part of the vault that cannot be read.
type DamagedPart struct {
	What  string       `json:"what"` // "records", "attachment", "pages", "index", "log", "copy" (a snapshot)
	Name  string       `json:"name"`
	Fault *fault.Error `json:"-"`
}

// Whole reports whether nothing is damaged or missing.
func (c Check) Whole() bool { return len(c.Damaged) == 0 && len(c.Missing) == 0 }

// CheckVault reads and decrypts everything in the vault: every record, lookup key and part
// of a conversation, every attachment, the log, and every snapshot. It changes nothing.
func (s *Service) CheckVault(ctx context.Context, tell func(done, total int)) (Check, error) {
	v, ctx, release, err := s.lib.Hold(ctx)
	if err != nil {
		return Check{}, err
	}
	defer release()
	c := Check{Damaged: []DamagedPart{}, Missing: []string{}}
	found, err := v.Vault.Check(ctx, tell)
	if err != nil {
		return c, err
	}
	c.Values, c.Attachments, c.Copies = found.Values, found.Blobs, found.Copies
	library.Kept[snapshotter](v).look() // replaces a damaged snapshot
	for _, d := range found.Damaged {
		c.Damaged = append(c.Damaged, DamagedPart{d.What, d.Name, fault.From(d.Err)})
	}
	entries, err := s.logs.Log(ctx, library.LogQuery{})
	if err != nil {
		if fault.CodeOf(err) != fault.Damaged {
			return c, err
		}
		c.Damaged = append(c.Damaged, DamagedPart{"log", "", fault.From(err)})
	}
	c.LogEntries = entries.Total
	if err := blobsNamed(v, ctx, &c); err != nil {
		return c, err
	}
	s.lib.NoteLoss(v, c.lacksFiles())
	return c, nil
}

// lacksFiles reports whether attachments are missing or damaged.
func (c Check) lacksFiles() bool {
	return len(c.Missing) > 0 || slices.ContainsFunc(c.Damaged, func(p DamagedPart) bool { return p.What == vault.PartAttachment })
}

// blobsNamed compares the attachments that records refer to with those that exist, and
// sets c.Missing and c.Orphans.
func blobsNamed(v *library.Session, ctx context.Context, c *Check) error {
	refs, err := v.Vault.Blobs()
	if err != nil {
		return err
	}
	there := make(map[string]bool, len(refs))
	for _, ref := range refs {
		there[ref] = false
	}
	err = v.View(func(tx *vault.Tx) error {
		return library.EachNamedBlob(ctx, tx, func(ref string) {
			if _, ok := there[ref]; !ok {
				c.Missing = append(c.Missing, ref)
			}
			there[ref] = true
		})
	})
	if fault.CodeOf(err) == fault.Damaged {
		return nil // c.Damaged already lists the damaged record
	}
	for _, named := range there {
		if !named {
			c.Orphans++
		}
	}
	return err
}

// CompactVault rewrites the vault's data file without the free space of deleted records,
// and removes attachments that no record refers to.
func (s *Service) CompactVault(ctx context.Context) (Compaction, error) {
	v, ctx, leave, err := s.lib.Enter(ctx)
	if err != nil {
		return Compaction{}, err
	}
	defer leave()
	if s.lib.IsImporting() {
		return Compaction{}, library.ErrImporting()
	}
	removed, err := v.DropOrphans(ctx)
	if err != nil {
		return Compaction{}, err
	}
	done, err := v.Vault.Compact(ctx)
	if err != nil {
		return Compaction{}, err
	}
	err = s.lib.Update(v, func(e *library.Tx) error { return e.Log(library.LogCompact, "", 0) })
	return Compaction{Before: done.Before, After: done.After, Attachments: removed}, err
}

// Compaction is the result of CompactVault.
type Compaction struct {
	Before      int64 `json:"before"` // bytes of the data file
	After       int64 `json:"after"`
	Attachments int   `json:"attachments"` // number of unreferenced attachments that were removed
}

// Backup describes a verified backup file: its vault, its last change, the number of its
// records and attachments, and its size.
type Backup struct {
	Path          string      `json:"path"`
	VaultID       string      `json:"vault_id"`
	MadeAt        memory.Time `json:"made_at"` // time of the last change in it
	Memories      int         `json:"memories"`
	Conversations int         `json:"conversations"`
	Messages      int         `json:"messages"`
	Attachments   int         `json:"attachments"`
	Missing       int         `json:"missing"` // attachments that its conversations refer to and that it does not hold
	Values        int         `json:"values"`  // encrypted values that could be decrypted
	Bytes         int64       `json:"bytes"`
}

func backupOf(path string, i vault.BackupInfo) Backup {
	return Backup{
		Path: path, VaultID: i.VaultID, MadeAt: memory.At(i.MadeAt), Memories: i.Counts.Counts[vault.Memories],
		Conversations: i.Counts.Counts[vault.Conversations], Messages: i.Messages, Attachments: i.Blobs, Missing: i.Missing, Values: i.Values, Bytes: i.Size,
	}
}

// BackupVault writes the whole vault, encrypted as it is, into one new file. It reads the
// file back, decrypting and counting everything, before the file gets its name. It fails
// if path exists.
func (s *Service) BackupVault(ctx context.Context, path string) (Backup, error) {
	v, ctx, release, err := s.lib.Hold(ctx)
	if err != nil {
		return Backup{}, err
	}
	defer release()
	if err := MayBackup(path); err != nil {
		return Backup{}, err
	}
	f, err := atomicfile.New(path, 0o600)
	if err != nil {
		return Backup{}, files.WriteFault(path, err)
	}
	defer f.Abort()
	if err := v.Vault.Backup(ctx, f); err != nil {
		return Backup{}, err
	}
	if err := f.Sync(); err != nil {
		return Backup{}, files.WriteFault(path, err)
	}
	info, err := v.Vault.CheckOwnBackup(ctx, f.Name(), library.NamedBlobs(ctx))
	if err != nil {
		return Backup{}, err
	}
	if err := f.Commit(); err != nil {
		return Backup{}, files.WriteFault(path, err)
	}
	s.lib.NoteLoss(v, info.Missing > 0)
	return backupOf(path, info), v.Vault.NoteBackup()
}

// MayBackup returns an error if BackupVault cannot create path, for example if it exists.
func MayBackup(path string) error {
	if _, err := os.Lstat(path); err == nil {
		return fault.New(fault.Conflict, "backup-exists", "There is a file {file} already; it was left as it is.").With("file", filepath.Base(path)).
			Advise("Choose another name.")
	}
	return exports.MayWrite(path)
}

// VerifyBackup decrypts everything in a backup and returns the counts. It restores nothing.
func (s *Service) VerifyBackup(ctx context.Context, in files.Input, secret Secret) (Backup, error) {
	path, done, err := s.backupFile(ctx, in)
	if err != nil {
		return Backup{}, err
	}
	defer done()
	scratch := s.cfg.ScratchDir
	if err := os.MkdirAll(scratch, 0o700); err != nil {
		return Backup{}, files.WriteFault(scratch, err)
	}
	info, err := vault.CheckBackup(ctx, path, scratch, library.NamedBlobs(ctx), secret.opening(ctx))
	return backupOf(path, info), err
}

// Restored is the result of RestoreBackup.
type Restored struct {
	Backup
	Aside string `json:"aside,omitempty"` // folder to which the previous vault was moved
}

// RestoreBackup replaces the current vault by a backup. It locks an existing vault and
// moves its whole folder to another name, Restored.Aside.
func (s *Service) RestoreBackup(ctx context.Context, in files.Input, secret Secret) (Restored, error) {
	path, done, err := s.backupFile(ctx, in)
	if err != nil {
		return Restored{}, err
	}
	defer done()
	if err := s.shutDown(false); err != nil {
		return Restored{}, err
	}
	s.lib.Gate.Lock()
	s.prefetch.cancel()
	info, aside, err := vault.Restore(ctx, path, s.lib.Dir, s.lib.Clock(), library.NamedBlobs(ctx), secret.opening(ctx))
	if err == nil {
		s.lib.Damage = nil // the damage was in the previous vault, which is now moved aside
	}
	s.lib.Gate.Unlock()
	s.lib.Emit(library.EventVault, nil)
	return Restored{backupOf(path, info), aside}, err
}

// backupFile returns the path of a backup, valid until done is called. It writes an
// upload to a temporary file unchanged, as a backup is itself encrypted.
func (s *Service) backupFile(ctx context.Context, in files.Input) (path string, done func(), err error) {
	if in.Upload == "" {
		return in.Path, func() {}, nil
	}
	source, err := s.files.Source(in)
	if err != nil {
		return "", nil, err
	}
	f, err := atomicfile.New(filepath.Join(s.cfg.ScratchDir, "backup"), 0o600)
	if err != nil {
		return "", nil, files.WriteFault(s.cfg.ScratchDir, err)
	}
	if _, err := io.Copy(f, files.UntilDone(ctx, io.NewSectionReader(source.At, 0, source.Size))); err != nil {
		f.Abort()
		return "", nil, files.UploadFault(err)
	}
	return f.Name(), f.Abort, nil
}

// Diagnosis describes the damage and the snapshots of a vault that cannot be opened.
type Diagnosis struct {
	Header    *fault.Error `json:"-"`          // nil: a header file can be used; else why none can
	Data      *fault.Error `json:"-"`          // damage of the data file; nil: none was found
	BadCopies []string     `json:"bad_copies"` // header files that are damaged
	CopyAt    memory.Time  `json:"copy_at,omitzero"`
	Copies    int          `json:"copies"`
	Changes   int          `json:"changes"` // number of changes in the journal since the newest snapshot
}

// Diagnose inspects the files of the current vault. It needs no secret and changes
// nothing.
func (s *Service) Diagnose(context.Context) (Diagnosis, error) {
	d, err := vault.Diagnose(s.lib.VaultDir())
	if err != nil {
		return Diagnosis{}, err
	}
	out := Diagnosis{
		Header: fault.From(d.Header), Data: fault.From(d.Data),
		BadCopies: append([]string{}, d.BadCopies...), Copies: len(d.Snapshots), Changes: d.Changes,
	}
	if len(d.Snapshots) > 0 {
		out.CopyAt = memory.At(d.Snapshots[0].MadeAt)
	}
	return out, nil
}

// Recovery is the result of RecoverVault, or of its dry run.
type Recovery struct {
	CopyAt        memory.Time `json:"copy_at"`  // time of the snapshot that was used
	Replayed      int         `json:"replayed"` // later changes that the journal restored
	Lost          int         `json:"lost"`     // confirmed changes that could not be restored
	Kept          string      `json:"kept"`     // name of the damaged file, in the same folder as the new one
	Memories      int         `json:"memories"`
	Conversations int         `json:"conversations"`
	Messages      int         `json:"messages"`
}

// RecoverVault restores the current vault from its newest good snapshot and the changes in
// the journal since then; with dry set it is a dry run. The vault is locked first.
func (s *Service) RecoverVault(ctx context.Context, secret Secret, dry bool) (Recovery, error) {
	if err := s.shutDown(false); err != nil {
		return Recovery{}, err
	}
	s.lib.Gate.Lock()
	s.prefetch.cancel()
	r, err := vault.Recover(ctx, s.lib.Dir, s.lib.Clock, dry, secret.opening(ctx))
	s.lib.Gate.Unlock()
	s.lib.Emit(library.EventVault, nil)
	return Recovery{
		CopyAt: memory.At(r.From.MadeAt), Replayed: r.Replayed, Lost: int(r.Lost), Kept: r.Kept,
		Memories: r.Counts.Counts[vault.Memories], Conversations: r.Counts.Counts[vault.Conversations], Messages: r.Messages,
	}, err
}

// FreezeVault makes the vault read-only, or writable again if on is false.
func (s *Service) FreezeVault(ctx context.Context, on bool) error {
	v, _, leave, err := s.lib.Enter(ctx)
	if err != nil {
		return err
	}
	if on {
		err = v.Vault.Freeze()
	} else {
		err = v.Vault.Thaw()
	}
	leave()
	s.lib.Emit(library.EventVault, nil)
	return err
}
