package core

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/format/pam"
	"keepsake/backend/memory"
	"keepsake/backend/seal"
	"keepsake/backend/vault"
)

// VaultState says how the vault stands; a missing or locked one is no error.
func (s *Service) VaultState(context.Context) (VaultState, error) {
	s.lib.gate.RLock()
	defer s.lib.gate.RUnlock()
	st := VaultState{Dir: s.lib.dir, Name: filepath.Base(s.lib.dir), Slots: []Slot{}, Warning: placeWarning(s.lib.dir), Sample: s.sample != nil, LockedBy: s.presence.lastLock()}
	if s.lib.damage != nil {
		st.LockedBy = LockedDamaged
	}
	if !vault.Exists(s.lib.dir) {
		return st, nil
	}
	info, err := vault.Inspect(s.lib.dir)
	if err != nil {
		return st, err
	}
	st.Exists, st.VaultID, st.Format, st.Size = true, info.VaultID, info.Format, info.Size
	st.KDF, st.WeakKDF = info.KDF.String(), info.WeakKDF
	st.Frozen, st.LastBackup = !info.FrozenAt.IsZero(), memory.At(info.BackupAt)
	for _, slot := range info.Slots {
		st.Slots = append(st.Slots, Slot{Kind: slot.Kind, CreatedAt: memory.At(slot.CreatedAt)})
	}
	if s.lib.open != nil {
		describeVault(s.lib.open, &st)
	} else {
		s.prefetch.start(s.lib.dir) // who asks is about to type the passphrase
	}
	return st, nil
}

func describeVault(v *session, st *VaultState) {
	now := v.vault.State()
	st.Unlocked, st.LogsReading = true, v.reads.logged.Load()
	st.OwnerID, st.DID = v.owner.ID, v.signs.Load().DID()
	if v.older.Load() {
		st.Warning = WarnOlder
	}
	st.Generation, st.LastChanged = now.Generation, memory.At(now.LastChanged)
	v.rows.RLock()
	defer v.rows.RUnlock()
	st.Memories, st.Conversations = v.rows.Memories.Count, v.rows.Conversations.Count
	st.Messages, st.Relations = v.rows.Messages, len(v.rows.Relations)
}

// Select turns to the vault in another folder, which need not hold one yet,
// and locks the present one.
func (s *Service) Select(_ context.Context, dir string) error {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return fault.New(fault.Invalid, "bad-vault-folder", "{folder} cannot be the folder of a vault.").
			With("folder", filepath.Base(dir)).Because(err)
	}
	if err := s.shutDown(false); err != nil {
		return err
	}
	s.lib.gate.Lock()
	s.lib.dir, s.lib.damage = abs, nil
	s.lib.gate.Unlock()
	s.prefetch.cancel()
	s.presence.begun(s.lib.clock())
	s.remember(abs)
	s.lib.emit(EventVault, nil)
	s.memory.Scrub()
	return nil
}

// CreateVault makes the vault and leaves it unlocked. kdf is "calibrated",
// "strong" or "test" (weak on purpose). The recovery key it gives back is kept
// nowhere.
func (s *Service) CreateVault(ctx context.Context, passphrase []byte, kdf string) (NewVault, error) {
	cost, err := costOf(kdf)
	if err != nil {
		return NewVault{}, err
	}
	if _, _, release, err := s.lib.hold(ctx); err == nil {
		release()
		return NewVault{}, errVaultOpen(s.vaultDir())
	}
	s.lib.gate.Lock()
	made, err := s.create(ctx, passphrase, cost)
	dir := s.lib.dir
	s.lib.gate.Unlock()
	if err != nil {
		return NewVault{}, err
	}
	s.remember(dir)
	s.lib.emit(EventVault, nil)
	return made, nil
}

// MayUnlock reports what an unlock would be refused for whatever the secret.
func (s *Service) MayUnlock(context.Context) error { return vault.MayOpen(s.vaultDir()) }

// MayCreate reports what CreateVault would be refused for whatever the passphrase.
func (s *Service) MayCreate(_ context.Context, kdf string) error {
	if _, err := costOf(kdf); err != nil {
		return err
	}
	return vault.MayCreate(s.vaultDir())
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
	if s.lib.open != nil {
		return NewVault{}, errVaultOpen(s.lib.dir)
	}
	if err := ctx.Err(); err != nil {
		return NewVault{}, err
	}
	v, code, err := vault.Create(s.lib.dir, vault.CreateOptions{Passphrase: passphrase, KDF: cost, Now: s.cfg.Now, Cipher: s.cfg.Cipher})
	if err != nil {
		return NewVault{}, err
	}
	if err := s.begin(v); err != nil { // nobody has seen the recovery key
		return NewVault{}, errors.Join(err, v.Destroy())
	}
	s.lib.open.settleLog() // no list is waited for
	return NewVault{VaultID: v.Info().VaultID, RecoveryKey: code, OwnerID: s.lib.open.owner.ID, DID: s.lib.open.signs.Load().DID()}, nil
}

func errVaultOpen(dir string) error {
	return fault.New(fault.Conflict, "vault-open", "The vault in {folder} is open.").With("folder", dir).
		Advise("Lock it first, or choose another folder.")
}

const ownerID = "owner"

// makeOwner gives a vault its owner and the key behind the owner's DID.
func (s *Service) makeOwner(v *vault.Vault) error {
	key, err := pam.Generate()
	if err != nil {
		return err
	}
	now := s.lib.now()
	who, err := rows.EncodeJSON(owner{ID: s.lib.newID(), CreatedAt: now})
	if err != nil {
		return err
	}
	secret, err := rows.EncodeJSON(signingKey{key.Seed(), keyFacts{Key: key.Public().Multibase(), CreatedAt: now}})
	if err != nil {
		return err
	}
	defer clear(secret)
	return v.Update(func(tx *vault.Tx) error {
		if err := tx.Put(vault.Settings, ownerID, now.Time, who); err != nil {
			return err
		}
		return tx.Put(vault.Keys, signingKeyID, now.Time, secret)
	})
}

// Unlock opens the vault with its passphrase.
func (s *Service) Unlock(ctx context.Context, passphrase []byte) error {
	err := s.unlock(vault.ByPassphrase(ctx, passphrase))
	if err == nil {
		s.strengthen(passphrase)
	}
	return err
}

// UnlockKeychain opens the vault with what this computer's keychain holds, where
// the person allowed that.
func (s *Service) UnlockKeychain(ctx context.Context) error {
	chain, err := s.keychain()
	if err != nil {
		return err
	}
	info, err := vault.Inspect(s.vaultDir())
	if err != nil {
		return err
	}
	key, err := chain.Get(info.VaultID)
	if err != nil {
		return err
	}
	defer clear(key)
	return s.unlock(vault.ByKeychain(ctx, key))
}

// UnlockRecovery opens the vault with its recovery key, as people type it.
func (s *Service) UnlockRecovery(ctx context.Context, code string) error {
	return s.unlock(vault.ByRecoveryCode(ctx, code))
}

// unlock opens the vault in hand. On one that is open already it only checks
// the secret.
func (s *Service) unlock(try vault.Opening) error {
	if v, _, release, err := s.lib.hold(context.Background()); err == nil {
		defer release()
		return v.vault.UnlockBy(try)
	}
	s.lib.gate.Lock()
	err := s.opened(try)
	dir := s.lib.dir
	s.lib.gate.Unlock()
	if err != nil {
		return err
	}
	s.remember(dir)
	s.lib.emit(EventVault, nil)
	s.resumeJobs()
	return nil
}

func (s *Service) opened(try vault.Opening) error {
	if s.lib.open != nil { // somebody else was quicker
		return s.lib.open.vault.UnlockBy(try)
	}
	v, err := vault.OpenBy(s.lib.dir, s.cfg.Now, try, s.prefetch.of(s.lib.dir))
	if err != nil {
		return err
	}
	s.prefetch.cancel()
	if err := s.begin(v); err != nil {
		return errors.Join(err, v.Close())
	}
	return nil
}

// begin reads what is kept in memory and makes the session; the gate is held
// whole. A vault whose making stopped halfway gets its owner here.
func (s *Service) begin(v *vault.Vault) error {
	who, err := readOwner(v)
	if err == nil && who.ID == "" {
		if err = s.makeOwner(v); err == nil {
			who, err = readOwner(v)
		}
	}
	if err != nil {
		return err
	}
	rs, err := rows.Load(v)
	if err != nil {
		return err
	}
	if err := noteUnfinished(v, rs); err != nil {
		return err
	}
	signs, err := readSigner(v)
	if err != nil {
		return err
	}
	began := &session{vault: v, rows: rs, owner: who, shown: make(chan struct{})}
	began.signs.Store(&signs)
	began.unlockedAt = v.State().Generation
	if err := errors.Join(began.drafts.load(v), began.reads.load(v)); err != nil {
		return err
	}
	s.lib.oweUnlocked(began)
	ctx, end := context.WithCancel(context.Background())
	began.ctx, began.end = ctx, end
	began.indexer = startIndexer(began, s.cfg.IndexLater, func() { s.lib.emit(EventSearch, nil) })
	keep(began, &mover{wake: make(chan struct{}, 1)})
	taker := startSnapshotter(began, s.importRuns, func() { s.lib.emit(EventVault, nil) })
	keep(began, taker)
	began.written = taker.look
	s.lib.open, s.lib.damage = began, nil
	s.presence.begun(s.lib.clock())
	began.background.Go(func() { s.afterList(began) })
	return nil
}

// listWithin is how long the work of an unlock that nobody waits for gives way to
// the first list.
const listWithin = time.Second

// afterList does what an unlock leaves for later.
func (s *Service) afterList(v *session) {
	select {
	case <-v.shown:
	case <-time.After(listWithin):
	case <-v.ctx.Done(): // shutDown settles the log
		return
	}
	if len(v.tries) > 0 || v.vault.State().Generation == v.unlockedAt { // a change takes along what is owed
		v.settleLog()
	}
	v.rows.Ready()
	v.background.Go(func() { s.checkRollback(v) })
	v.background.Go(func() { s.prove(v.vault) })
	v.background.Go(func() { s.tidy(v.ctx, v) })
	v.background.Go(func() { s.readyToEdit(v.ctx) })
	s.move(v)
}

// readyToEdit makes ahead what the first edit would wait for, where a vault stays
// open for longer than a command.
func (s *Service) readyToEdit(ctx context.Context) {
	select {
	case <-time.After(listWithin):
		_, _ = s.lib.rules() // an edit is told why there are none
		s.lib.languages()
	case <-ctx.Done():
	}
}

// tidy does what earlier sessions left to be done.
func (s *Service) tidy(ctx context.Context, v *session) {
	if err := s.goOnForgetting(ctx, v); err != nil {
		return // the next unlock tries again
	}
	_ = s.dropReceipts(v)
}

// prove ends what an unlock of a large vault began.
func (s *Service) prove(v *vault.Vault) {
	if err := v.Prove(); fault.CodeOf(err) == fault.Damaged {
		s.foundDamaged(v, err)
	}
}

// foundDamaged locks a vault that turned out to be damaged while it was open: it
// refuses everything, and what brings it back works on its files. Until the next
// unlock every call says what was found.
func (s *Service) foundDamaged(v *vault.Vault, found error) {
	s.lib.gate.Lock()
	same := s.lib.open != nil && s.lib.open.vault == v
	if same {
		s.lib.damage = found
	}
	s.lib.gate.Unlock()
	if same {
		_ = s.lock("") // what cannot be closed in order is closed all the same
	}
}

// readOwner is empty where there is none yet.
func readOwner(v *vault.Vault) (who owner, err error) {
	err = v.View(func(tx *vault.Tx) error {
		text, err := tx.Find(vault.Settings, ownerID)
		if err != nil || text == nil {
			return err
		}
		if err := json.Unmarshal(text, &who); err != nil {
			return fmt.Errorf("read owner: %w", err)
		}
		return nil
	})
	return who, err
}

// readSigner is the public side of the key that signs.
func readSigner(v *vault.Vault) (signs pam.Public, err error) {
	err = v.View(func(tx *vault.Tx) error {
		ring, err := readKeyring(tx)
		signs = ring.signs
		return err
	})
	return signs, err
}

// Lock closes the vault and forgets what was in memory. A running import stops
// at a whole batch and goes on after the next unlock.
func (s *Service) Lock(context.Context) error { return s.lock("") }

// Close locks the vault and removes every temporary file. The Service is of no
// use afterwards.
func (s *Service) Close() error {
	err := s.shutDown(false)
	s.memory.Stop()
	s.prefetch.cancel()
	s.uploads.dropAll()
	return err
}

// shutDown stops the jobs, to be resumed later or for good, waits for calls
// under way, and closes the vault.
func (s *Service) shutDown(resume bool) error {
	s.lib.gate.RLock()
	if s.lib.open != nil {
		s.lib.open.end()
	}
	s.lib.gate.RUnlock()
	s.jobs.stop(resume)
	s.lib.gate.Lock()
	defer s.lib.gate.Unlock()
	var err error
	if s.lib.open != nil {
		s.lib.open.leaveUses() // with the log in the same transaction
		s.lib.open.settleLog()
		s.lib.open.leaveDrafts(s.lib.now())
		kept[snapshotter](s.lib.open).last()
		s.storeGeneration(s.lib.open)
		err = s.lib.open.vault.Close()
		s.lib.open = nil
		s.plans.forget()
	}
	if thrown := s.throwAway(); err == nil {
		err = thrown
	}
	return err
}

// EstimateUnlock measures how long an unlock of this vault takes here, or, where
// there is none, of one that would be made now.
func (s *Service) EstimateUnlock(context.Context) (time.Duration, error) {
	s.lib.gate.RLock()
	dir := s.lib.dir
	s.lib.gate.RUnlock()
	if info, err := vault.Inspect(dir); err == nil {
		return info.KDF.Estimate(), nil
	}
	return seal.DefaultKDF().Estimate(), nil
}
