package seal

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"time"
)

// Kinds of slots.
const (
	PassphraseSlot = "passphrase"
	RecoverySlot   = "recovery"
	KeychainSlot   = "keychain" // 32 random bytes kept by the operating system
)

// Slot wraps the master key for one secret. Every member but Wrapped is
// associated data of Wrapped, so none can be changed.
type Slot struct {
	Commit    text64  `json:"commit"` // HKDF(KEK, slot-commit): tells a wrong secret from a damaged slot
	CreatedAt string  `json:"created_at"`
	ID        int     `json:"id"` // never used twice in a vault
	KDF       slotKDF `json:"kdf"`
	Kind      string  `json:"kind"`
	Wrapped   text64  `json:"wrapped"` // nonce | sealed master key | tag
}

type slotKDF struct {
	MemoryKiB uint32 `json:"memory_kib"`
	Name      string `json:"name"`
	Salt      text64 `json:"salt"`
	Threads   uint8  `json:"threads"`
	Time      uint32 `json:"time"`
	Version   int    `json:"version"`
}

// text64 is bytes as unpadded base64url, read strictly.
type text64 []byte

func (b text64) MarshalText() ([]byte, error) {
	return base64.RawURLEncoding.AppendEncode(nil, b), nil
}

func (b *text64) UnmarshalText(text []byte) error {
	out, err := base64.RawURLEncoding.Strict().AppendDecode(nil, text)
	*b = out
	return err
}

// Cost is what the slot's key derivation costs.
func (s *Slot) Cost() KDF {
	return KDF{MemoryKiB: s.KDF.MemoryKiB, Time: s.KDF.Time, Threads: s.KDF.Threads}
}

// Created is when the slot was made.
func (s *Slot) Created() time.Time {
	t, _ := time.Parse(time.RFC3339, s.CreatedAt) // checked by ParseHeader
	return t
}

func (s *Slot) check() error {
	if s.ID < 1 || s.ID > maxExact || s.KDF.Name != "argon2id" || s.KDF.Version != 19 {
		return fmt.Errorf("check slot %d: id or key derivation", s.ID)
	}
	if s.Kind != PassphraseSlot && s.Kind != RecoverySlot && s.Kind != KeychainSlot {
		return fmt.Errorf("check slot %d: kind", s.ID)
	}
	if n := len(s.KDF.Salt); n < minSalt || n > maxSalt {
		return fmt.Errorf("check slot %d: salt of %d bytes", s.ID, n)
	}
	if len(s.Commit) != keySize || len(s.Wrapped) != keySize+Overhead {
		return fmt.Errorf("check slot %d: lengths", s.ID)
	}
	if !isTime(s.CreatedAt) {
		return fmt.Errorf("check slot %d: created_at", s.ID)
	}
	return s.Cost().Check()
}

// addSlot wraps the master key for a secret.
func (h *Header) addSlot(k *Keys, secret Secret, cost KDF, now time.Time) error {
	if err := cost.Check(); err != nil {
		return err
	}
	salt := make([]byte, 32)
	_, _ = rand.Read(salt) // never fails (crypto/rand)
	s := Slot{
		CreatedAt: now.UTC().Format(time.RFC3339), ID: h.NextSlot, Kind: secret.kind,
		KDF: slotKDF{MemoryKiB: cost.MemoryKiB, Name: "argon2id", Salt: salt, Threads: cost.Threads, Time: cost.Time, Version: 19},
	}
	kek := cost.derive(secret.bytes, salt)
	defer clear(kek)
	s.Commit = expand(kek, k.vaultID, "slot-commit")
	wrap := expand(kek, k.vaultID, "slot-wrap")
	defer clear(wrap)
	sealed, err := k.cipher.sealWith(wrap, k.master[:], s.aad(k.vaultID))
	runtime.KeepAlive(k)
	if err != nil {
		return fmt.Errorf("wrap master key: %w", err)
	}
	s.Wrapped = sealed
	h.Slots = append(h.Slots, s)
	h.NextSlot++
	return nil
}

// aad is the whole slot but Wrapped, and the vault's id.
func (s *Slot) aad(vaultID []byte) []byte {
	bare := *s
	bare.Wrapped = nil
	body, err := json.Marshal(&bare)
	if err != nil {
		panic("seal: encode slot: " + err.Error()) // no value of Slot can fail
	}
	return field(field([]byte("S1"), vaultID), body)
}

// Unlock opens a passphrase slot. A passphrase that is not the one is
// WrongPassphrase; a slot or header that is not as it was written is Damaged.
func (h *Header) Unlock(ctx context.Context, passphrase []byte) (*Keys, error) {
	secret := PassphraseSecret(passphrase)
	defer secret.Clear()
	return h.Open(ctx, secret)
}

// UnlockRecovery opens the recovery slot with a code as people type it.
func (h *Header) UnlockRecovery(ctx context.Context, code string) (*Keys, error) {
	secret, err := RecoverySecret(code)
	if err != nil {
		return nil, err
	}
	defer secret.Clear()
	return h.Open(ctx, secret)
}

// Open opens the slot of a secret, whatever its kind; its errors are those of
// Unlock.
func (h *Header) Open(ctx context.Context, secret Secret) (*Keys, error) {
	found := false
	for i := range h.Slots {
		if h.Slots[i].Kind != secret.kind {
			continue
		}
		found = true
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		k, err := h.open(&h.Slots[i], secret.bytes)
		if err != nil || k != nil {
			return k, err
		}
	}
	if !found && secret.kind != KeychainSlot { // the one slot that need not be there
		return nil, errHeaderChanged(errors.New("unlock: no slot of kind " + secret.kind))
	}
	return nil, secret.wrong()
}

// open tries one slot; no keys and no error mean that the secret is another.
func (h *Header) open(s *Slot, secret []byte) (k *Keys, err error) {
	guarded(func() { k, err = h.openGuarded(s, secret) })
	return k, err
}

func (h *Header) openGuarded(s *Slot, secret []byte) (*Keys, error) {
	id := h.vaultID()
	kek := s.Cost().derive(secret, s.KDF.Salt)
	defer clear(kek)
	if subtle.ConstantTimeCompare(expand(kek, id, "slot-commit"), s.Commit) != 1 {
		return nil, nil
	}
	wrap := expand(kek, id, "slot-wrap")
	defer clear(wrap)
	master, err := h.Cipher.openWith(wrap, s.Wrapped, s.aad(id))
	if err != nil {
		return nil, errHeaderChanged(fmt.Errorf("unwrap master key: %w", err))
	}
	defer clear(master)
	k := newKeys(h.Cipher, id)
	copy(k.master[:], master)
	if !k.Authentic(h) {
		k.Wipe()
		return nil, errHeaderChanged(errors.New("check header: mac does not match"))
	}
	return k, nil
}

// Authentic reports whether the header is one that these keys' vault wrote.
func (k *Keys) Authentic(h *Header) bool {
	return h.Cipher == k.cipher && subtle.ConstantTimeCompare(h.mac(k), h.MAC) == 1
}
