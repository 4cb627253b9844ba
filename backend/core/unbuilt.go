package core

import (
	"context"
	"io"
	"time"

	"keepsake/backend/fault"
	"keepsake/backend/memory"
)

func notBuilt() error {
	return fault.New(fault.Internal, "not-built", "This is not built yet.")
}

// VaultState says how the vault stands; a missing or locked vault is no error.
func (s *Service) VaultState(ctx context.Context) (VaultState, error) {
	return VaultState{}, notBuilt()
}

// Select turns to the vault in another folder and locks the present one.
func (s *Service) Select(ctx context.Context, dir string) error { return notBuilt() }

// CreateVault makes the vault and leaves it unlocked. kdf is "calibrated",
// "strong" or "test" (weak on purpose).
func (s *Service) CreateVault(ctx context.Context, passphrase []byte, kdf string) (NewVault, error) {
	return NewVault{}, notBuilt()
}

func (s *Service) Unlock(ctx context.Context, passphrase []byte) error       { return notBuilt() }
func (s *Service) UnlockRecovery(ctx context.Context, code string) error     { return notBuilt() }
func (s *Service) Lock(ctx context.Context) error                            { return notBuilt() }
func (s *Service) Close() error                                              { return nil }
func (s *Service) EstimateUnlock(ctx context.Context) (time.Duration, error) { return 0, notBuilt() }
func (s *Service) AddUpload(ctx context.Context, name string, r io.Reader) (id string, size int64, err error) {
	return "", 0, notBuilt()
}
func (s *Service) DropUpload(id string) {}
func (s *Service) Detect(ctx context.Context, in []Input) (ImportPlan, error) {
	return ImportPlan{}, notBuilt()
}
func (s *Service) PlanImport(ctx context.Context, in []Input, o ImportOptions) (ImportPlan, error) {
	return ImportPlan{}, notBuilt()
}
func (s *Service) StartImport(ctx context.Context, planID string) (job string, err error) {
	return "", notBuilt()
}
func (s *Service) Import(ctx context.Context, in []Input, o ImportOptions, onProgress func(Progress)) (ImportReport, error) {
	return ImportReport{}, notBuilt()
}
func (s *Service) CancelJob(ctx context.Context, job string) error     { return notBuilt() }
func (s *Service) Imports(ctx context.Context) ([]ImportReport, error) { return nil, notBuilt() }
func (s *Service) ImportReport(ctx context.Context, id string) (ImportReport, error) {
	return ImportReport{}, notBuilt()
}

// Subscribe calls fn for every event, in order, until cancel is called. fn
// must not block.
func (s *Service) Subscribe(fn func(Event)) (cancel func()) { return func() {} }

func (s *Service) Memories(ctx context.Context, q MemoryQuery) (MemoryPage, error) {
	return MemoryPage{}, notBuilt()
}
func (s *Service) Facets(ctx context.Context, q MemoryQuery) (Facets, error) {
	return Facets{}, notBuilt()
}
func (s *Service) Memory(ctx context.Context, id string) (MemoryDetail, error) {
	return MemoryDetail{}, notBuilt()
}
func (s *Service) AddMemory(ctx context.Context, m NewMemory) (memory.Record, error) {
	return memory.Record{}, notBuilt()
}
func (s *Service) EditMemory(ctx context.Context, id string, e MemoryEdit) (memory.Record, error) {
	return memory.Record{}, notBuilt()
}

// SetStatus takes a legal step of the lifecycle. by names the memory that
// replaces this one, for superseded only.
func (s *Service) SetStatus(ctx context.Context, id string, next memory.Status, by string) (memory.Record, error) {
	return memory.Record{}, notBuilt()
}
func (s *Service) Relate(ctx context.Context, from string, t memory.RelationType, to string) (memory.Relation, error) {
	return memory.Relation{}, notBuilt()
}
func (s *Service) Unrelate(ctx context.Context, id string) error            { return notBuilt() }
func (s *Service) Relations(ctx context.Context) ([]memory.Relation, error) { return nil, notBuilt() }
func (s *Service) Proposals(ctx context.Context) ([]Proposal, error)        { return nil, notBuilt() }
func (s *Service) Undo(ctx context.Context) (Change, error)                 { return Change{}, notBuilt() }

// LastChange is what Undo would take back, nil when there is nothing.
func (s *Service) LastChange(ctx context.Context) (*Change, error) { return nil, notBuilt() }

func (s *Service) Conversations(ctx context.Context, q ConversationQuery) (ConversationPage, error) {
	return ConversationPage{}, notBuilt()
}

// Thread is the path of a conversation that passes leaf ("" = the active one).
func (s *Service) Thread(ctx context.Context, id, leaf string, offset, limit int) (Thread, error) {
	return Thread{}, notBuilt()
}
func (s *Service) Conversation(ctx context.Context, id string) (*memory.Conversation, error) {
	return nil, notBuilt()
}

// Companion is a conversation as PAM's companion document; with active only
// the messages of the active path, first to last.
func (s *Service) Companion(ctx context.Context, id string, active bool) ([]byte, *memory.Conversation, error) {
	return nil, nil, notBuilt()
}
func (s *Service) OpenAttachment(ctx context.Context, ref string) (io.ReadSeekCloser, int64, error) {
	return nil, 0, notBuilt()
}
func (s *Service) PreviewExport(ctx context.Context, o ExportOptions) (ExportPreview, error) {
	return ExportPreview{}, notBuilt()
}

// ExportPAM writes to dest: a folder where it ends in a slash or is one, a zip
// where it ends in .zip, a file otherwise.
func (s *Service) ExportPAM(ctx context.Context, dest string, o ExportOptions) (ExportResult, error) {
	return ExportResult{}, notBuilt()
}
func (s *Service) Verify(ctx context.Context, in Input, trustFiles []string) (VerifyReport, error) {
	return VerifyReport{}, notBuilt()
}
func (s *Service) Validate(ctx context.Context, in Input) (Validation, error) {
	return Validation{}, notBuilt()
}
func (s *Service) Inspect(ctx context.Context, in Input) (Inspection, error) {
	return Inspection{}, notBuilt()
}

// Keygen writes a new signing key to path, encrypted where a passphrase is given.
func (s *Service) Keygen(ctx context.Context, path string, passphrase []byte) (KeyInfo, error) {
	return KeyInfo{}, notBuilt()
}

// SignFile signs the PAM file at path with a key file. ask is called only where
// the key file is encrypted.
func (s *Service) SignFile(ctx context.Context, path, keyFile string, ask func() ([]byte, error), out string) (KeyInfo, error) {
	return KeyInfo{}, notBuilt()
}
func (s *Service) Hash(ctx context.Context, r io.Reader) (string, error) { return "", notBuilt() }
func (s *Service) Canonicalize(ctx context.Context, r io.Reader, w io.Writer) error {
	return notBuilt()
}
func (s *Service) Preferences(ctx context.Context) (Preferences, error) {
	return Preferences{}, notBuilt()
}
func (s *Service) SavePreferences(ctx context.Context, p Preferences) error { return notBuilt() }

// Demo does the main job on the sample in a throw-away vault.
func (s *Service) Demo(ctx context.Context, tell func(DemoStep)) (DemoResult, error) {
	return DemoResult{}, notBuilt()
}

// TrySample turns to a throw-away vault with the sample in it, unlocked.
func (s *Service) TrySample(ctx context.Context) error { return notBuilt() }

// IndexEntry is the head as PAM's conversations_index writes it.
func (h ConversationHead) IndexEntry() IndexEntry { return IndexEntry{} }
