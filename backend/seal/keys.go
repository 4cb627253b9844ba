package seal

import (
	"bytes"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"sync"
)

const keySize = 32

// Purposes of the keys derived from the master key. docs/vault-format.md §4
// reserves more names.
const (
	forHeaderMAC  = "header-mac"
	forIDIndex    = "id-index"
	forManifest   = "manifest"
	forState      = "state"
	forEpochWrap  = "epoch-wrap"
	forBlobID     = "blob-id"
	forSearch     = "search"
	forJournal    = "journal"
	forGeneration = "generation"
	forChannel    = "channel"
)

// Keys is an opened vault's key material. It is safe for concurrent use except
// for Wipe, after which nothing else may be called.
type Keys struct {
	cipher  Cipher
	vaultID []byte
	master  *[keySize]byte

	mu       sync.RWMutex
	epochs   map[uint32]*[keySize]byte
	purposes map[string]*[keySize]byte // as far as they were asked for
	room     keyRoom                   // of all of these
}

func newKeys(c Cipher, vaultID []byte) *Keys {
	k := &Keys{cipher: c, vaultID: vaultID, epochs: map[uint32]*[keySize]byte{}, purposes: map[string]*[keySize]byte{}}
	guarded(func() { k.master = k.room.key(k) })
	return k
}

// Fresh are keys as a header gives them out, to be wiped by themselves: the same
// master key, and no data key, for those are read from the data file.
func (k *Keys) Fresh() *Keys {
	k.mu.RLock()
	defer k.mu.RUnlock()
	c := newKeys(k.cipher, k.vaultID)
	*c.master = *k.master
	return c
}

// Wipe clears every key. Copies inside cipher objects are left to the garbage
// collector.
func (k *Keys) Wipe() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.room.wipe()
	clear(k.epochs)
	clear(k.purposes)
}

// purpose is the key of one purpose, the caller's own copy. It is derived from the
// master key once: an edit needs six of them.
func (k *Keys) purpose(name string) (key []byte) {
	k.mu.Lock()
	defer k.mu.Unlock()
	guarded(func() {
		own := k.purposes[name]
		if own == nil {
			own = k.room.key(k)
			derived := expand(k.master[:], k.vaultID, name)
			copy(own[:], derived)
			clear(derived)
			k.purposes[name] = own
		}
		key = bytes.Clone(own[:])
	})
	return key
}

// expand is HKDF-SHA256 with the vault's id as salt (docs/vault-format.md §4).
func expand(secret, vaultID []byte, purpose string) []byte {
	key, err := hkdf.Key(sha256.New, secret, vaultID, "keepsake/v1/"+purpose, keySize)
	if err != nil {
		panic("seal: hkdf of 32 bytes: " + err.Error()) // only for absurd lengths
	}
	return key
}

// NewEpoch makes the data key of a version and returns it wrapped, to be
// stored beside the records. scope is the collection it is for; 0 is all.
func (k *Keys) NewEpoch(version uint32, scope uint16) ([]byte, error) {
	var dek []byte
	guarded(func() { dek = make([]byte, keySize) })
	defer clear(dek)
	_, _ = rand.Read(dek) // never fails (crypto/rand)
	wrap := k.purpose(forEpochWrap)
	defer clear(wrap)
	sealed, err := k.cipher.sealWith(wrap, dek, k.epochAAD(version, scope))
	if err != nil {
		return nil, fmt.Errorf("wrap epoch key: %w", err)
	}
	k.keep(version, dek)
	out := binary.BigEndian.AppendUint16([]byte{recordFormat}, scope)
	return append(out, sealed...), nil
}

// OpenEpoch unwraps what NewEpoch returned and returns its scope.
func (k *Keys) OpenEpoch(version uint32, wrapped []byte) (scope uint16, err error) {
	if len(wrapped) != 3+Overhead+keySize || wrapped[0] != recordFormat {
		return 0, errRecordDamaged(fmt.Errorf("epoch key %d: not as written", version))
	}
	scope = binary.BigEndian.Uint16(wrapped[1:])
	wrap := k.purpose(forEpochWrap)
	defer clear(wrap)
	plain, err := k.cipher.openWith(wrap, wrapped[3:], k.epochAAD(version, scope))
	if err != nil {
		return 0, errRecordDamaged(fmt.Errorf("unwrap epoch key %d: %w", version, err))
	}
	defer clear(plain)
	k.keep(version, plain)
	return scope, nil
}

func (k *Keys) epochAAD(version uint32, scope uint16) []byte {
	aad := field([]byte("E1"), k.vaultID)
	aad = binary.BigEndian.AppendUint32(aad, version)
	return binary.BigEndian.AppendUint16(aad, scope)
}

// keep copies a data key to where the keys are.
func (k *Keys) keep(version uint32, dek []byte) {
	k.mu.Lock()
	defer k.mu.Unlock()
	own, known := k.epochs[version]
	if !known {
		guarded(func() { own = k.room.key(k) })
		k.epochs[version] = own
	}
	copy(own[:], dek)
}

// dataKey is the MAC under the data key of a version, which is how record keys
// are expanded from it.
func (k *Keys) dataKey(version uint32) (*mac, error) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	dek, ok := k.epochs[version]
	if !ok {
		return nil, errRecordDamaged(fmt.Errorf("key version %d is not in the vault", version))
	}
	var keyed *mac
	guarded(func() { keyed = newMAC(dek[:]) })
	return keyed, nil
}

// mac is an HMAC-SHA256 that is keyed once and used often. It is not safe for
// concurrent use.
type mac struct {
	h   hash.Hash
	sum [sha256.Size]byte
}

func newMAC(key []byte) *mac { return &mac{h: hmac.New(sha256.New, key)} }

// of returns the MAC of message. The result is overwritten by the next call.
func (m *mac) of(message []byte) *[sha256.Size]byte {
	m.h.Reset()
	m.h.Write(message)
	m.h.Sum(m.sum[:0])
	return &m.sum
}
