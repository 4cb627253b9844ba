package seal

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Format is the newest format of a vault that this package reads, and the one
// it writes.
const Format = 1

// The file is magic [8] | length u32 | SHA-256 of the JSON [32] | JSON. Every
// future format keeps this frame and the member "format", so that an older
// reader can tell "newer" from "damaged".
const (
	magic      = "KEEPSAKE"
	headerHead = len(magic) + 4 + sha256.Size
	maxHeader  = 64 << 10
	maxSlots   = 16
	maxExact   = 1<<53 - 1 // JSON numbers stay exact below
)

// Header is what stands in front of the keys: public, authenticated once a
// slot has been opened.
type Header struct {
	Cipher       Cipher   `json:"cipher"`
	CreatedAt    string   `json:"created_at"`
	Features     []string `json:"features"` // what a reader must know beyond the format, sorted; see features
	Format       int      `json:"format"`
	FrozenAt     string   `json:"frozen_at"`      // "" or when the vault was frozen
	Generation   uint64   `json:"generation"`     // counts changes of the header; repeated in the state record
	LastBackupAt string   `json:"last_backup_at"` // "" or when a backup was made and found good
	MAC          text64   `json:"mac"`
	NextSlot     int      `json:"next_slot"` // id of the next slot, so that none is used twice
	Slots        []Slot   `json:"slots"`
	VaultID      string   `json:"vault_id"` // 16 random bytes in hexadecimal
}

// HeaderOptions are what a new header is made from.
type HeaderOptions struct {
	Cipher     Cipher
	KDF        KDF
	Passphrase []byte
	Now        time.Time

	RecoveryCode string // "" makes a new one
}

// NewHeader makes a master key and wraps it in two slots: the passphrase and
// the recovery key, which is returned and kept nowhere.
func NewHeader(o HeaderOptions) (*Header, *Keys, string, error) {
	var id [16]byte
	_, _ = rand.Read(id[:]) // never fails (crypto/rand)
	k := newKeys(o.Cipher, id[:])
	_, _ = rand.Read(k.master[:])
	h := &Header{
		Cipher: o.Cipher, CreatedAt: o.Now.UTC().Format(time.RFC3339), Features: []string{}, Format: Format,
		Generation: 1, NextSlot: 1, VaultID: hex.EncodeToString(id[:]), Slots: []Slot{},
	}
	code, err := h.fill(k, o)
	if err != nil {
		return nil, nil, "", err
	}
	return h, k, code, nil
}

// fill makes the two slots that every vault has.
func (h *Header) fill(k *Keys, o HeaderOptions) (code string, err error) {
	code = o.RecoveryCode
	if code == "" {
		code = NewRecoveryCode()
	}
	recovery, err := RecoverySecret(code)
	if err != nil {
		return "", err
	}
	defer recovery.Clear()
	passphrase := PassphraseSecret(o.Passphrase)
	defer passphrase.Clear()
	if err := h.addSlot(k, passphrase, o.KDF, o.Now); err != nil {
		return "", err
	}
	if err := h.addSlot(k, recovery, o.KDF.ForRandom(), o.Now); err != nil {
		return "", err
	}
	h.MAC = h.mac(k)
	return code, nil
}

// Bytes is the header as a file.
func (h *Header) Bytes() []byte {
	body := h.canonical()
	sum := sha256.Sum256(body)
	out := binary.BigEndian.AppendUint32([]byte(magic), uint32(len(body)))
	return append(append(out, sum[:]...), body...)
}

// canonical is the JSON in RFC 8785 form: members are declared in order, and
// every string is plain ASCII without anything to escape.
func (h *Header) canonical() []byte {
	b, err := json.Marshal(h)
	if err != nil {
		panic("seal: encode header: " + err.Error()) // no value of Header can fail
	}
	return b
}

// ParseHeader reads a header file. What it returns is well formed and within
// bounds; whether it is authentic shows only when a slot is opened.
func ParseHeader(file []byte) (*Header, error) {
	body, err := unframe(file)
	if err != nil {
		return nil, errHeaderDamaged(err)
	}
	if err := checkReadable(body); err != nil {
		return nil, err
	}
	h := new(Header)
	if err := json.Unmarshal(body, h); err != nil {
		return nil, errHeaderDamaged(fmt.Errorf("decode header: %w", err))
	}
	if err := h.check(); err != nil {
		return nil, errHeaderDamaged(err)
	}
	if kind := h.doubled(); kind != "" {
		return nil, errHeaderChanged(fmt.Errorf("check header: two slots of kind %s", kind))
	}
	if !bytes.Equal(h.canonical(), body) { // one header, one form: nothing unknown rides along
		return nil, errHeaderDamaged(errors.New("decode header: not in canonical form"))
	}
	return h, nil
}

// checkReadable looks at the members that every format keeps, and refuses what
// only a newer Keepsake understands.
func checkReadable(body []byte) error {
	var probe struct {
		Format   int      `json:"format"`
		Features []string `json:"features"`
	}
	if err := json.Unmarshal(body, &probe); err != nil {
		return errHeaderDamaged(fmt.Errorf("decode header: %w", err))
	}
	if probe.Format > Format {
		return errNewerFormat(probe.Format)
	}
	for _, name := range probe.Features {
		if !slices.Contains(features(), name) {
			return errUnknownFeature(name)
		}
	}
	return nil
}

// CirclesFeature is the feature of a vault whose circles decide what leaves: a program that does
// not know them would give away what they hold back.
const CirclesFeature = "circles"

// AgentsFeature is the feature of a vault that agents have asked: a program that does not know them
// would keep no record of their calls.
const AgentsFeature = "agents"

// ProposedChangesFeature is the feature of a vault in which agents have proposed to change memories: a
// program that does not know that would take such a proposal for a new memory without words.
const ProposedChangesFeature = "proposed-changes"

// features are those that this program knows.
func features() []string { return []string{CirclesFeature, AgentsFeature, ProposedChangesFeature} }

func unframe(file []byte) ([]byte, error) {
	if len(file) < headerHead || string(file[:len(magic)]) != magic {
		return nil, errors.New("read header: not a header")
	}
	body := file[headerHead:]
	if n := binary.BigEndian.Uint32(file[len(magic):]); n > maxHeader || int(n) != len(body) {
		return nil, fmt.Errorf("read header: %d bytes instead of %d", len(body), n)
	}
	if sum := sha256.Sum256(body); !bytes.Equal(sum[:], file[len(magic)+4:headerHead]) {
		return nil, errors.New("read header: digest does not match")
	}
	return body, nil
}

// check bounds every field before anything is computed from it.
func (h *Header) check() error {
	if h.Format != Format {
		return fmt.Errorf("check header: format %d", h.Format)
	}
	if h.Features == nil || !slices.IsSorted(h.Features) || len(slices.Compact(slices.Clone(h.Features))) != len(h.Features) {
		return errors.New("check header: no list of features, each once and sorted")
	}
	if !h.Cipher.allowed() {
		return fmt.Errorf("check header: cipher %q", string(h.Cipher))
	}
	if id, err := hex.DecodeString(h.VaultID); err != nil || len(id) != 16 || hex.EncodeToString(id) != h.VaultID {
		return errors.New("check header: vault id")
	}
	if h.Generation < 1 || h.Generation > maxExact || len(h.MAC) != sha256.Size {
		return errors.New("check header: generation or mac")
	}
	if !isTime(h.CreatedAt) || h.FrozenAt != "" && !isTime(h.FrozenAt) || h.LastBackupAt != "" && !isTime(h.LastBackupAt) {
		return errors.New("check header: times")
	}
	return h.checkSlots()
}

func isTime(s string) bool {
	t, err := time.Parse(time.RFC3339, s)
	return err == nil && t.UTC().Format(time.RFC3339) == s
}

func (h *Header) checkSlots() error {
	if len(h.Slots) == 0 || len(h.Slots) > maxSlots {
		return fmt.Errorf("check header: %d slots", len(h.Slots))
	}
	seen := map[int]bool{}
	for _, s := range h.Slots {
		if seen[s.ID] || s.ID >= h.NextSlot {
			return fmt.Errorf("check header: slot id %d", s.ID)
		}
		seen[s.ID] = true
		if err := s.check(); err != nil {
			return err
		}
	}
	return nil
}

// Work is what trying a secret on the header costs at most: a secret is tried on
// the slot of its kind only, and there is one.
func (h *Header) Work() (most uint64) {
	for i := range h.Slots {
		most = max(most, h.Slots[i].Cost().Work())
	}
	return most
}

// doubled is a kind that more than one slot has, "" where none is: Keepsake writes
// one of each, and each would be derived before anything is authenticated.
func (h *Header) doubled() string {
	seen := map[string]bool{}
	for _, s := range h.Slots {
		if seen[s.Kind] {
			return s.Kind
		}
		seen[s.Kind] = true
	}
	return ""
}

// Created is when the vault was made.
func (h *Header) Created() time.Time {
	t, _ := time.Parse(time.RFC3339, h.CreatedAt) // checked by ParseHeader
	return t
}

func (h *Header) vaultID() []byte {
	id, _ := hex.DecodeString(h.VaultID) // checked by ParseHeader
	return id
}

// mac is the MAC over the header without its mac.
func (h *Header) mac(k *Keys) []byte {
	bare := *h
	bare.MAC = nil
	key := k.purpose(forHeaderMAC)
	defer clear(key)
	return append([]byte(nil), newMAC(key).of(bare.canonical())[:]...)
}
