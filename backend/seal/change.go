package seal

import (
	"crypto/rand"
	"slices"
	"time"
)

// With is h one generation on, with secret as the only one of its kind. Salt,
// slot id and KEK are new; the master key stays. It costs one key derivation.
func (h *Header) With(k *Keys, secret Secret, cost KDF, now time.Time) (*Header, error) {
	next := h.next(func(s Slot) bool { return s.Kind == secret.kind })
	if err := next.addSlot(k, secret, cost, now); err != nil {
		return nil, err
	}
	next.MAC = next.mac(k)
	return next, nil
}

// Without is h one generation on, without the keychain slot. The others cannot
// be taken away.
func (h *Header) Without(k *Keys) *Header {
	next := h.next(func(s Slot) bool { return s.Kind == KeychainSlot })
	next.MAC = next.mac(k)
	return next
}

// Above is h with a generation that is greater than one that was used already
// for a header that was given up.
func (h *Header) Above(k *Keys, used uint64) *Header {
	next := h.next(func(Slot) bool { return false })
	next.Generation = max(next.Generation, used+1)
	next.MAC = next.mac(k)
	return next
}

// Rekey is h one generation on, with a new master key and two new slots. Of
// the old header only what is public stays.
func (h *Header) Rekey(o HeaderOptions) (*Header, *Keys, error) {
	k := newKeys(h.Cipher, h.vaultID())
	_, _ = rand.Read(k.master[:]) // never fails (crypto/rand)
	next := h.next(func(Slot) bool { return true })
	if _, err := next.fill(k, o); err != nil {
		k.Wipe()
		return nil, nil, err
	}
	return next, k, nil
}

// Frozen is h one generation on, frozen or not.
func (h *Header) Frozen(k *Keys, now time.Time, on bool) *Header {
	next := h.next(func(Slot) bool { return false })
	next.FrozenAt = ""
	if on {
		next.FrozenAt = now.UTC().Format(time.RFC3339)
	}
	next.MAC = next.mac(k)
	return next
}

// BackedUp is h one generation on, with the time of the last backup.
func (h *Header) BackedUp(k *Keys, now time.Time) *Header {
	next := h.next(func(Slot) bool { return false })
	next.LastBackupAt = now.UTC().Format(time.RFC3339)
	next.MAC = next.mac(k)
	return next
}

// Requiring is h one generation on, with a feature that a reader must know; nil if h has it.
func (h *Header) Requiring(k *Keys, feature string) *Header {
	if slices.Contains(h.Features, feature) {
		return nil
	}
	next := h.next(func(Slot) bool { return false })
	next.Features = slices.Sorted(slices.Values(append(slices.Clone(h.Features), feature)))
	next.MAC = next.mac(k)
	return next
}

// next is a copy of the following generation, without some slots.
func (h *Header) next(drop func(Slot) bool) *Header {
	next := *h
	next.Generation++
	next.Slots = slices.DeleteFunc(slices.Clone(h.Slots), drop)
	return &next
}

// Cost is what the slot of a kind costs; ok is false where there is none.
func (h *Header) Cost(kind string) (cost KDF, ok bool) {
	for i := range h.Slots {
		if h.Slots[i].Kind == kind {
			return h.Slots[i].Cost(), true
		}
	}
	return KDF{}, false
}

// Upgrade is the cost that a passphrase slot of cost k is given again with,
// where it is below what is written today. The cost for tests stays as it is.
func (k KDF) Upgrade(today KDF) (better KDF, due bool) {
	if k == TestKDF() || !k.Weak() {
		return k, false
	}
	return k.AtLeast(today), true
}
