package lifecycle

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"keepsake/backend/core/documents"
	"keepsake/backend/core/files"
	"keepsake/backend/core/imports"
	"keepsake/backend/core/library"
	"keepsake/backend/core/meaning"
	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
	"keepsake/backend/seal"
	"keepsake/backend/vault"
)

// VaultState describes the current vault. A missing or locked vault is no error.
func (s *Service) VaultState(context.Context) (VaultState, error) {
	s.lib.Gate.RLock()
	defer s.lib.Gate.RUnlock()
	st := VaultState{Dir: s.lib.Dir, Name: filepath.Base(s.lib.Dir), Slots: []Slot{}, Warning: files.PlaceWarning(s.lib.Dir), Sample: s.sample != nil, LockedBy: s.presence.lastLock()}
	if s.lib.Damage != nil {
		st.LockedBy = LockedDamaged
	}
	if !vault.Exists(s.lib.Dir) {
		return st, nil
	}
	info, err := vault.Inspect(s.lib.Dir)
	if err != nil {
		return st, err
	}
	st.Exists, st.VaultID, st.Format, st.Size = true, info.VaultID, info.Format, info.Size
	st.KDF, st.WeakKDF = info.KDF.String(), info.WeakKDF
	st.Frozen, st.LastBackup = !info.FrozenAt.IsZero(), memory.At(info.BackupAt)
	for _, slot := range info.Slots {
		st.Slots = append(st.Slots, Slot{Kind: slot.Kind, CreatedAt: memory.At(slot.CreatedAt)})
	}
	if s.lib.Open != nil {
		describeVault(s.lib.Open, &st)
	} else {
		s.prefetch.start(s.lib.Dir) // checks the vault's file while the person types the passphrase
	}
	return st, nil
}

func describeVault(v *library.Session, st *VaultState) {
	now := v.Vault.State()
	st.Unlocked, st.LogsReading = true, v.Reads.Logged.Load()
	st.OwnerID, st.DID = v.Owner.ID, v.Signs.Load().DID()
	if v.Older.Load() {
		st.Warning = WarnOlder
	}
	st.Generation, st.LastChanged = now.Generation, memory.At(now.LastChanged)
	v.Rows.RLock()
	defer v.Rows.RUnlock()
	st.Memories, st.Conversations = v.Rows.Memories.Count, v.Rows.Conversations.Count
	st.Messages, st.Relations = v.Rows.Messages, len(v.Rows.Relations)
}

// Select locks the current vault and makes the one in the folder dir the current vault.
// The folder need not contain a vault yet.
func (s *Service) Select(_ context.Context, dir string) error {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return fault.New(fault.Invalid, "bad-vault-folder", "{folder} cannot be the folder of a vault.").
			With("folder", filepath.Base(dir)).Because(err)
	}
	if err := s.shutDown(false); err != nil {
		return err
	}
	s.lib.Gate.Lock()
	s.lib.Dir, s.lib.Damage = abs, nil
	s.lib.Gate.Unlock()
	s.prefetch.cancel()
	s.presence.begun(s.lib.Clock())
	s.remember(abs)
	s.lib.Emit(library.EventVault, nil)
	s.memory.Scrub()
	return nil
}

// CreateVault creates a vault in the current folder and leaves it unlocked. kdf is
// "calibrated", "strong" or "test" (weak on purpose). The recovery key that it returns is
// stored nowhere.
func (s *Service) CreateVault(ctx context.Context, passphrase []byte, kdf string) (NewVault, error) {
	cost, err := costOf(kdf)
	if err != nil {
		return NewVault{}, err
	}
	if _, _, release, err := s.lib.Hold(ctx); err == nil {
		release()
		return NewVault{}, errVaultOpen(s.lib.VaultDir())
	}
	s.lib.Gate.Lock()
	made, err := s.create(ctx, passphrase, cost)
	dir := s.lib.Dir
	s.lib.Gate.Unlock()
	if err != nil {
		return NewVault{}, err
	}
	s.remember(dir)
	s.lib.Emit(library.EventVault, nil)
	return made, nil
}

// MayUnlock returns an error if no secret can open the vault, as when it is missing.
func (s *Service) MayUnlock(context.Context) error { return vault.MayOpen(s.lib.VaultDir()) }

// MayCreate returns an error if CreateVault would fail here with any passphrase.
func (s *Service) MayCreate(_ context.Context, kdf string) error {
	if _, err := costOf(kdf); err != nil {
		return err
	}
	return vault.MayCreate(s.lib.VaultDir())
}

func costOf(kdf string) (seal.KDF, error) {
	switch kdf {
	case "calibrated":
		return seal.DefaultKDF(), nil
	case "strong":
		return seal.StrongKDF(), nil
	case "test":
		return seal.TestKDF(), nil
	}
	return seal.KDF{}, fault.New(fault.Invalid, "unknown-kdf", "There is no way of deriving keys called {kdf}; there are calibrated, strong and test.").With("kdf", kdf)
}

func (s *Service) create(ctx context.Context, passphrase []byte, cost seal.KDF) (NewVault, error) {
	if s.lib.Open != nil {
		return NewVault{}, errVaultOpen(s.lib.Dir)
	}
	if err := ctx.Err(); err != nil {
		return NewVault{}, err
	}
	v, code, err := vault.Create(s.lib.Dir, vault.CreateOptions{Passphrase: passphrase, KDF: cost, Now: s.lib.Clock, Cipher: s.cfg.Cipher})
	if err != nil {
		return NewVault{}, err
	}
	if err := s.begin(v); err != nil { // nobody has seen the recovery key, so the vault is useless
		return NewVault{}, errors.Join(err, v.Destroy())
	}
	s.lib.Open.SettleLog() // write log entries now; an unlock delays this (see afterList)
	return NewVault{VaultID: v.Info().VaultID, RecoveryKey: code, OwnerID: s.lib.Open.Owner.ID, DID: s.lib.Open.Signs.Load().DID()}, nil
}

func errVaultOpen(dir string) error {
	return fault.New(fault.Conflict, "vault-open", "The vault in {folder} is open.").With("folder", dir).
		Advise("Lock it first, or choose another folder.")
}

// Unlock opens the vault with its passphrase.
func (s *Service) Unlock(ctx context.Context, passphrase []byte) error {
	err := s.unlock(vault.ByPassphrase(ctx, passphrase))
	if err == nil {
		s.strengthen(passphrase)
	}
	return err
}

// UnlockKeychain opens the vault with the key in this computer's keychain, if the person
// allowed that.
func (s *Service) UnlockKeychain(ctx context.Context) error {
	key, err := s.keychainKey()
	if err != nil {
		return err
	}
	defer clear(key)
	return s.unlock(vault.ByKeychain(ctx, key))
}

// keychainKey returns the key of the current vault in this computer's keychain. The caller
// clears it.
func (s *Service) keychainKey() ([]byte, error) {
	chain, err := s.keychain()
	if err != nil {
		return nil, err
	}
	info, err := vault.Inspect(s.lib.VaultDir())
	if err != nil {
		return nil, err
	}
	return chain.Get(info.VaultID)
}

// UnlockRecovery opens the vault with its recovery key. Code is the key as text; case,
// spaces and hyphens in it make no difference.
func (s *Service) UnlockRecovery(ctx context.Context, code string) error {
	return s.unlock(vault.ByRecoveryCode(ctx, code))
}

// unlock opens the current vault. If it is already open, unlock only checks the secret.
func (s *Service) unlock(try vault.Opening) error {
	if v, _, release, err := s.lib.Hold(context.Background()); err == nil {
		defer release()
		return v.Vault.UnlockBy(try)
	}
	s.lib.Gate.Lock()
	err := s.opened(try)
	dir := s.lib.Dir
	s.lib.Gate.Unlock()
	if err != nil {
		return err
	}
	s.remember(dir)
	s.lib.Emit(library.EventVault, nil)
	imports.ResumeJobs(s.imports)
	return nil
}

func (s *Service) opened(try vault.Opening) error {
	if s.lib.Open != nil { // another call opened it meanwhile
		return s.lib.Open.Vault.UnlockBy(try)
	}
	v, err := vault.OpenBy(s.lib.Dir, s.lib.Clock, try, s.prefetch.of(s.lib.Dir))
	if err != nil {
		return err
	}
	s.prefetch.cancel()
	if err := s.begin(v); err != nil {
		return errors.Join(err, v.Close())
	}
	return nil
}

// begin loads the rows (summaries of all records, held in RAM) and starts the session and
// its background work. The caller holds lib.Gate for writing. If the vault's creation was
// interrupted before it got an owner, begin creates the owner.
func (s *Service) begin(v *vault.Vault) error {
	who, err := documents.ReadOwner(v)
	if err == nil && who.ID == "" {
		if err = documents.MakeOwner(v, s.lib.NewID(), s.lib.Now()); err == nil {
			who, err = documents.ReadOwner(v)
		}
	}
	if err != nil {
		return err
	}
	rs, err := rows.Load(v)
	if err != nil {
		return err
	}
	if err := library.NoteUnfinished(v, rs); err != nil {
		return err
	}
	signs, err := documents.PublicSigner(v)
	if err != nil {
		return err
	}
	began := &library.Session{Vault: v, Rows: rs, Owner: who, Shown: make(chan struct{})}
	began.Signs.Store(&signs)
	began.UnlockedAt = v.State().Generation
	if err := errors.Join(began.Drafts.Load(v), began.Reads.Load(v)); err != nil {
		return err
	}
	s.lib.OweUnlocked(began)
	ctx, end := context.WithCancel(context.Background())
	began.Context, began.End = ctx, end
	began.Indexer = library.StartIndexer(began, s.cfg.IndexLater, func() { s.lib.Emit(library.EventSearch, nil) })
	library.Keep(began, &mover{wake: make(chan struct{}, 1)})
	taker := startSnapshotter(began, s.lib.IsImporting, func() { s.lib.Emit(library.EventVault, nil) })
	library.Keep(began, taker)
	embedder := meaning.Start(began, s.comparing(), func() { s.lib.Emit(library.EventSearch, nil) })
	library.Keep(began, embedder)
	began.PurgeVectors = embedder.Purge
	began.Written = func() {
		taker.look()
		embedder.Wake()
	}
	s.lib.Open, s.lib.Damage = began, nil
	s.presence.begun(s.lib.Clock())
	began.Background.Go(func() { s.afterList(began) })
	return nil
}

// comparing returns how texts are compared by meaning: by the server of the preferences, if
// there is one. In the background, the vectors wait for imports and for the person.
func (s *Service) comparing() meaning.Config {
	cfg := s.cfg.Meaning
	cfg.Server = s.embeddingServer()
	cfg.IsBusy = func() bool {
		return s.lib.IsImporting() || s.presence.justUsed(s.lib.Clock()) || s.cfg.Meaning.IsBusy != nil && s.cfg.Meaning.IsBusy()
	}
	return cfg
}

// listWithin limits how long background work after an unlock waits for the first list (of
// memories or conversations) to be returned.
const listWithin = time.Second

// afterList does the work that an unlock postpones until the first list (of memories or
// conversations) was returned, so that the list appears sooner.
func (s *Service) afterList(v *library.Session) {
	select {
	case <-v.Shown:
	case <-time.After(listWithin):
	case <-v.Context.Done(): // shutDown writes the pending log entries
		return
	}
	if len(v.Tries) > 0 || v.Vault.State().Generation == v.UnlockedAt { // else a change has already written the pending log entries
		v.SettleLog()
	}
	v.Rows.Ready()
	v.Background.Go(func() { CheckRollback(s, v) })
	v.Background.Go(func() { s.prove(v.Vault) })
	v.Background.Go(func() { s.tidy(v.Context, v) })
	v.Background.Go(func() { s.readyToEdit(v.Context) })
	s.move(v)
}

// readyToEdit loads the schema and the language detection, for which the first edit would
// wait otherwise. It first waits for listWithin, so that a short command loads neither.
func (s *Service) readyToEdit(ctx context.Context) {
	if library.Sleep(ctx, listWithin) {
		_, _ = s.lib.Rules() // an edit reports the error
		s.lib.Languages()
	}
}

// tidy finishes deletions that an earlier session began, and drops old deletion receipts.
func (s *Service) tidy(ctx context.Context, v *library.Session) {
	if err := library.FinishForgetting(ctx, s.lib, v); err != nil {
		return // the next unlock tries again
	}
	_ = library.DropOldReceipts(s.lib, v)
}

// prove runs the full check that the unlock of a large vault postpones, and locks the
// vault if it is damaged.
func (s *Service) prove(v *vault.Vault) {
	if err := v.Prove(); fault.CodeOf(err) == fault.Damaged {
		FoundDamaged(s, v, err)
	}
}

// FoundDamaged locks a vault that was found to be damaged while it was open: the vault
// refuses all calls by then, and a recovery needs its files closed. Until the next unlock
// every call returns the error found.
func FoundDamaged(s *Service, v *vault.Vault, found error) {
	s.lib.Gate.Lock()
	same := s.lib.Open != nil && s.lib.Open.Vault == v
	if same {
		s.lib.Damage = found
	}
	s.lib.Gate.Unlock()
	if same {
		_ = s.lock("") // the vault is closed even if this fails
	}
}

// Lock closes the vault and drops its data from RAM. A running import stops after a whole
// batch and resumes after the next unlock.
func (s *Service) Lock(context.Context) error { return s.lock("") }

// Close locks the vault and removes every temporary file. The Service must not be used
// afterwards.
func (s *Service) Close() error {
	err := s.shutDown(false)
	s.memory.Stop()
	s.prefetch.cancel()
	s.files.DropAll()
	return err
}

// stopWork cancels the calls and jobs (imports) in progress. resume: the jobs continue
// after the next unlock.
func (s *Service) stopWork(resume bool) {
	s.lib.Gate.RLock()
	if s.lib.Open != nil {
		s.lib.Open.End()
	}
	s.lib.Gate.RUnlock()
	imports.StopJobs(s.imports, resume)
}

// shutDown stops the jobs, waits for calls in progress, and closes the vault. resume: the
// jobs continue after the next unlock.
func (s *Service) shutDown(resume bool) error {
	s.stopWork(resume)
	s.lib.Gate.Lock()
	defer s.lib.Gate.Unlock()
	var err error
	if s.lib.Open != nil {
		s.lib.Open.LeaveUses() // writes use counts and, in the same transaction, queued log entries
		s.lib.Open.SettleLog()
		s.lib.Open.LeaveDrafts(s.lib.Now())
		library.Kept[snapshotter](s.lib.Open).last()
		s.storeGeneration(s.lib.Open)
		err = s.lib.Open.Vault.Close()
		s.lib.Open = nil
		imports.ForgetPlans(s.imports)
	}
	if thrown := s.throwAway(); err == nil {
		err = thrown
	}
	return err
}

// EstimateUnlock estimates how long an unlock takes on this computer: of the current
// vault, or if there is none, of a vault created now.
func (s *Service) EstimateUnlock(context.Context) (time.Duration, error) {
	if info, err := vault.Inspect(s.lib.VaultDir()); err == nil {
		return info.KDF.Estimate(), nil
	}
	return seal.DefaultKDF().Estimate(), nil
}
