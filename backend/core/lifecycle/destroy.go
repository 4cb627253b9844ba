package lifecycle

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"

	"keepsake/backend/core/documents"
	"keepsake/backend/core/files"
	"keepsake/backend/core/imports"
	"keepsake/backend/core/library"
	"keepsake/backend/fault"
	"keepsake/backend/format/pam"
	"keepsake/backend/memory"
)

// Destruction is the receipt of a destroyed vault: counts of its content without any of
// its texts, signed with the vault's key, which is destroyed with it.
type Destruction struct {
	VaultID       string      `json:"vault_id"`
	DestroyedAt   memory.Time `json:"destroyed_at"`
	Memories      int         `json:"memories"`
	Conversations int         `json:"conversations"`
	Messages      int         `json:"messages"`
	PublicKey     string      `json:"public_key"`
	Signature     string      `json:"signature,omitempty"` // Ed25519 over the canonical JSON (JCS) of the other fields, base64url
}

// DestroyVault deletes the current vault from the disk, with every copy in its folder.
// confirm must be the vault's id, typed by the person. secret must open the vault,
// because an open vault does not prove that its owner asks. A person who has forgotten
// both secrets can delete the folder by hand. If receipt is a path, the signed receipt is
// written there first. With copies, DestroyVault also deletes the earlier states of the
// vault that a restore moved aside.
func (s *Service) DestroyVault(ctx context.Context, confirm string, secret Secret, receipt string, copies bool) (Destruction, error) {
	d, err := s.destruction(ctx)
	if err != nil {
		return d, err
	}
	if err := s.askAgain(ctx, secret); err != nil {
		return Destruction{}, err
	}
	if confirm != d.VaultID {
		return Destruction{}, fault.New(fault.Refused, "destroy-not-confirmed", "The vault was not destroyed: what was typed is not its id.").
			Advise("Type the id exactly as it is shown.")
	}
	if receipt != "" {
		if err := d.save(receipt); err != nil {
			return Destruction{}, err
		}
	}
	var asides []Aside
	if copies { // list them now: later nothing shows which moved-aside vaults were its own
		if asides, err = s.Asides(ctx); err != nil {
			return Destruction{}, err
		}
	}
	s.stopWork(false)
	s.lib.Gate.Lock()
	err = s.lib.Shut()
	if s.lib.Open != nil {
		s.forgetKeychain(s.lib.Open)
		err = s.lib.Open.Vault.Destroy()
		s.lib.Open = nil
		imports.ForgetPlans(s.imports)
	}
	s.lib.Gate.Unlock()
	s.lib.Emit(library.EventVault, nil)
	if err == nil {
		_, err = s.removeAsides(asides)
	}
	return d, err
}

// askAgain checks the passphrase or the recovery key of the open vault.
func (s *Service) askAgain(ctx context.Context, secret Secret) error {
	v, bound, release, err := s.lib.Hold(ctx)
	if err != nil {
		return err
	}
	defer release()
	return v.Vault.UnlockBy(secret.opening(bound)) // the vault is open already, so this only checks the secret
}

// destruction returns the signed receipt for the vault in its present state.
func (s *Service) destruction(ctx context.Context) (Destruction, error) {
	v, _, leave, err := s.lib.Enter(ctx)
	if err != nil {
		return Destruction{}, err
	}
	defer leave()
	var st VaultState
	describeVault(v, &st)
	key, err := documents.Signer(v.Vault)
	if err != nil {
		return Destruction{}, err
	}
	d := Destruction{
		VaultID: v.Vault.Info().VaultID, DestroyedAt: s.lib.Now(), Memories: st.Memories,
		Conversations: st.Conversations, Messages: st.Messages, PublicKey: key.Public().Multibase(),
	}
	return d, d.sign(key)
}

func (d *Destruction) sign(key *pam.Key) error {
	text, err := json.Marshal(d)
	if err != nil {
		return fmt.Errorf("write receipt: %w", err)
	}
	d.Signature, err = key.SignJSON(text)
	return err
}

func (d Destruction) save(path string) error {
	if err := writeJSON(path, d); err != nil {
		return files.WriteFault(filepath.Base(path), err)
	}
	return nil
}
