package lifecycle

import "keepsake/backend/memory"

// VaultState is what can be said about the vault. Fields below Unlocked are
// zero while it is locked.
type VaultState struct {
	Exists  bool   `json:"exists"`
	Dir     string `json:"dir"`
	Name    string `json:"name"` // base name of Dir, for people
	VaultID string `json:"vault_id"`
	Format  int    `json:"format"`
	Size    int64  `json:"size"` // bytes on disk
	KDF     string `json:"kdf"`  // "argon2id m=256MiB t=3 p=4"
	WeakKDF bool   `json:"weak_kdf"`
	Slots   []Slot `json:"slots"`
	Frozen  bool   `json:"frozen"`
	// LastBackup is when a backup was made and found good.
	LastBackup memory.Time `json:"last_backup,omitzero"`
	Warning    string      `json:"warning,omitempty"` // reason id: "older-than-before", "cloud-folder", "network-folder"
	Sample     bool        `json:"sample,omitempty"`  // the throw-away vault of TrySample
	Unlocked   bool        `json:"unlocked"`

	// LockedBy is what locked it, where that was not the person. It is known
	// to the process that did.
	LockedBy LockReason `json:"locked_by,omitempty"`

	OwnerID       string      `json:"owner_id,omitempty"`
	DID           string      `json:"did,omitempty"`
	Generation    uint64      `json:"generation,omitempty"`
	LastChanged   memory.Time `json:"last_changed,omitzero"`
	Memories      int         `json:"memories"`
	Conversations int         `json:"conversations"`
	Messages      int         `json:"messages"`
	Relations     int         `json:"relations"`

	LogsReading bool `json:"logs_reading,omitempty"` // the person's own
}

// Slot is one way to open the vault.
type Slot struct {
	Kind      string      `json:"kind"` // "passphrase", "recovery" or "keychain"
	CreatedAt memory.Time `json:"created_at"`
}

// NewVault is what creating a vault gives back, once.
type NewVault struct {
	VaultID     string `json:"vault_id"`
	RecoveryKey string `json:"recovery_key"` // shown once, never stored
	OwnerID     string `json:"owner_id"`
	DID         string `json:"did"`
}

// Preferences are kept outside the vault, in settings.json, and hold no content.
type Preferences struct {
	Language string   `json:"language"` // "", "en", "pt-BR"; "" = follow the system
	Theme    string   `json:"theme"`    // "system", "light", "dark"
	Recent   []string `json:"recent"`   // folders of recent vaults, newest first

	// AutoLockMinutes without a sign of the person lock the vault: 0 (never),
	// 1, 5, 10, 30 or 60.
	AutoLockMinutes int `json:"auto_lock_minutes"`

	// AlwaysProtect has the window write no plain export unless the person turns
	// that off for one (PAM §21.1).
	AlwaysProtect bool `json:"always_protect"`

	Window WindowState `json:"window"`
}

// WindowState is the remembered size of the window, in CSS pixels.
type WindowState struct {
	Width     int  `json:"width"`
	Height    int  `json:"height"`
	Maximised bool `json:"maximised"`
}
