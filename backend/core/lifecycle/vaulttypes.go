package lifecycle

import (
	"keepsake/backend/core/meaning"
	"keepsake/backend/memory"
)

// VaultState describes the current vault. The fields after LockedBy are zero while it is
// locked.
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
	// LastBackup is the time of the last backup that was made and verified.
	LastBackup memory.Time `json:"last_backup,omitzero"`
	Warning    string      `json:"warning,omitempty"` // reason id: "older-than-before", "cloud-folder", "network-folder"
	Sample     bool        `json:"sample,omitempty"`  // the throw-away vault of TrySample
	Unlocked   bool        `json:"unlocked"`

	// LockedBy is the reason of an automatic lock; "" if the person locked the vault.
	// Only the process that locked it knows the reason.
	LockedBy LockReason `json:"locked_by,omitempty"`

	OwnerID       string      `json:"owner_id,omitempty"`
	DID           string      `json:"did,omitempty"`
	Generation    uint64      `json:"generation,omitempty"`
	LastChanged   memory.Time `json:"last_changed,omitzero"`
	Memories      int         `json:"memories"`
	Conversations int         `json:"conversations"`
	Messages      int         `json:"messages"`
	Relations     int         `json:"relations"`

	LogsReading bool `json:"logs_reading,omitempty"` // the log also records when the user reads or searches
}

// Slot describes one key slot of the vault, that is, one secret that can open it.
type Slot struct {
	Kind      string      `json:"kind"` // "passphrase", "recovery" or "keychain"
	CreatedAt memory.Time `json:"created_at"`
}

// NewVault is the result of creating a vault. It is returned only once.
type NewVault struct {
	VaultID     string `json:"vault_id"`
	RecoveryKey string `json:"recovery_key"` // shown once, never stored
	OwnerID     string `json:"owner_id"`
	DID         string `json:"did"`
}

// Preferences are the settings of the program. They are stored outside the vault, in
// settings.json, and hold nothing of its content.
type Preferences struct {
	Language string   `json:"language"` // "", "en", "pt-BR"; "" = follow the system
	Theme    string   `json:"theme"`    // "system", "light", "dark"
	Recent   []string `json:"recent"`   // folders of recent vaults, newest first

	// AutoLockMinutes is the idle time after which the vault is locked: 0 (never), 1, 5,
	// 10, 30 or 60 minutes.
	AutoLockMinutes int `json:"auto_lock_minutes"`

	// AlwaysProtect makes the window encrypt every export, unless the person turns that
	// off for a single export (PAM §21.1).
	AlwaysProtect bool `json:"always_protect"`

	// EmbeddingServer is asked for the vectors of texts instead of the built-in model, if
	// it is set.
	EmbeddingServer meaning.Server `json:"embedding_server,omitzero"`

	Window WindowState `json:"window"`
}

// WindowState is the remembered size of the window, in CSS pixels.
type WindowState struct {
	Width     int  `json:"width"`
	Height    int  `json:"height"`
	Maximised bool `json:"maximised"`
}
