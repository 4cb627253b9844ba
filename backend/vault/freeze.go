package vault

import (
	"keepsake/backend/fault"
	"keepsake/backend/seal"
)

// Freeze restricts the vault to reading, until Thaw: every write is refused, but for the log. It
// stands in the header, so that it can be seen while the vault is locked.
func (v *Vault) Freeze() error { return v.freeze("freeze", true) }

// Thaw ends a Freeze.
func (v *Vault) Thaw() error { return v.freeze("unfreeze", false) }

func (v *Vault) freeze(action string, on bool) error {
	return v.changeHeader(auditEntry{action, ""}, func(h *seal.Header, keys *seal.Keys) (*seal.Header, error) {
		if on == (h.FrozenAt != "") {
			return nil, nil
		}
		return h.Frozen(keys, v.now(), on), nil
	})
}

// Require announces a feature that a reader must know: an older program refuses the vault then.
func (v *Vault) Require(feature string) error {
	return v.changeHeader(auditEntry{"feature", feature}, func(h *seal.Header, keys *seal.Keys) (*seal.Header, error) {
		return h.Requiring(keys, feature), nil
	})
}

// NoteBackup keeps in the header, where it shows while the vault is locked, that a good backup was made.
func (v *Vault) NoteBackup() error {
	return v.changeHeader(auditEntry{"backup", ""}, func(h *seal.Header, keys *seal.Keys) (*seal.Header, error) {
		return h.BackedUp(keys, v.now()), nil
	})
}

// Frozen reports whether writing is refused.
func (v *Vault) Frozen() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.header.FrozenAt != ""
}

func errFrozen() error {
	return fault.New(fault.Refused, "vault-frozen", "The vault is frozen: it can be read, and nothing in it can be changed.").
		Advise("End the freeze first, if you want to change something.")
}

// frozenFor reports that a collection may not be written: all but the log, while the vault is frozen.
func (tx *Tx) frozenFor(c Collection) bool { return tx.frozen && c != Audit }
