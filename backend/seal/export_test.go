package seal

import "io"

// What the tests in package seal_test pin, because the format depends on it.

func (k KDF) Derive(secret, salt []byte) []byte { return k.derive(secret, salt) }

func KeysForTest(c Cipher, vaultID []byte, master [32]byte) *Keys {
	k := newKeys(c, vaultID)
	*k.master = master
	return k
}

func (k *Keys) KeepEpoch(version uint32, dek [32]byte) { k.keep(version, dek[:]) }
func (k *Keys) Purpose(name string) []byte             { return k.purpose(name) }
func (s *Sealer) RecordKey(r Record) ([32]byte, error) { return s.recordKey(r) }
func (s *Sealer) AAD(r Record) []byte                  { return s.aadOf(r) }
func (h *Header) Remake(k *Keys)                       { h.MAC = h.mac(k) }
func FormatRecovery(secret [16]byte) string            { return formatRecovery(secret) }
func FindsTypos(code string) bool                      { return findsTypos(code) }
func Padded(n int) int                                 { return padded(n) }

const (
	RecordHead    = recordHead
	ScratchStride = scratchStride
	BlobHead      = blobHead
	BlobStride    = blobStride
)

// File is the sealed file, for tests that damage it.
func (s *Scratch) File() interface {
	io.ReaderAt
	io.WriterAt
} {
	return s.f
}

// What the known answers of others are put to.
func OpenWith(key, sealed, aad []byte) ([]byte, error) { return AES256GCM.openWith(key, sealed, aad) }
func MACOf(key, message []byte) []byte                 { return append([]byte(nil), newMAC(key).of(message)[:]...) }
func Expand(secret, salt []byte, purpose string) []byte {
	return expand(secret, salt, purpose)
}

// NormalizeRecoveryCode reads a code as people type it (any case, spaces or
// hyphens anywhere, O for 0, I or L for 1), checks it for typing mistakes, and
// returns it as it was shown.
func NormalizeRecoveryCode(typed string) (string, error) {
	secret, err := parseRecovery(typed)
	if err != nil {
		return "", err
	}
	defer clear(secret[:])
	return formatRecovery(secret), nil
}
