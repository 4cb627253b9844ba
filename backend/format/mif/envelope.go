package mif

import (
	"encoding/base64"
	"io"
	"strconv"

	"keepsake/backend/fault"
	"keepsake/backend/jcs"
)

// Envelope is an encrypted document (§6.2). The specification names neither the
// salt nor the cost of the derivation, without which nobody can open it: both
// stand in kdf, and with everything else but payload and tag they are bound as
// associated data, in canonical JSON.
type Envelope struct {
	Version string // mif_version of what is inside
	KDF     KDF
	IV      []byte
	Payload []byte
	Tag     []byte
}

// KDF is how the key follows from a passphrase: Argon2id.
type KDF struct {
	Name      string `json:"name"`
	Version   int    `json:"version"` // 19, that is 1.3
	MemoryKiB uint32 `json:"m_kib"`
	Time      uint32 `json:"t"`
	Threads   uint8  `json:"p"`
	Salt      []byte `json:"salt"` // in standard base64
}

// Words of an envelope.
const (
	algorithm  = "aes-256-gcm"
	derivation = "argon2id"
	argon13    = 19
	inside     = "mif+json" // of the payload: a document as JSON, YAML or lines
)

// MaxEncrypted bounds what is encrypted as one, in bytes: GCM gives nothing out
// before all of it was read.
const MaxEncrypted = 96 << 20

// ErrEncryptedTooLarge says that a document is too long for an envelope.
func ErrEncryptedTooLarge() *fault.Error {
	return fault.New(fault.TooLarge, "mif-encrypted-too-large", "An encrypted document of the Memory Interchange Format has at most {limit} MiB.").With("limit", MaxEncrypted>>20).
		Advise("Export less at once, or as signed PAM, which can be encrypted at any length.")
}

// NewEnvelope is one without its payload.
func NewEnvelope(version string, memoryKiB, passes uint32, threads uint8, salt, iv []byte) Envelope {
	return Envelope{Version: version, IV: iv, KDF: KDF{Name: derivation, Version: argon13, MemoryKiB: memoryKiB, Time: passes, Threads: threads, Salt: salt}}
}

// outside is the envelope without payload and tag.
func (e Envelope) outside() object {
	return object{"mif_version": quoted(e.Version), "encryption": object{
		"algorithm": quoted(algorithm), "key_derivation": quoted(derivation), "format": quoted(inside),
		"kdf": value(e.KDF), "iv": value(e.IV),
	}.text()}
}

// Bound is the associated data.
func (e Envelope) Bound() ([]byte, error) { return jcs.Transform(e.outside().text()) }

// Write writes an envelope whole.
func (e Envelope) Write(w io.Writer) error {
	o := e.outside()
	in := o.object("encryption")
	in["encrypted_payload"], in["auth_tag"] = value(e.Payload), value(e.Tag)
	o["encryption"] = in.text()
	_, err := w.Write(append(o.text(), '\n'))
	return err
}

// ReadEnvelope reads one. Of what it does not say, nothing is guessed.
func ReadEnvelope(r io.Reader, name string) (Envelope, error) {
	const most = MaxEncrypted*4/3 + 64<<10
	text, err := io.ReadAll(io.LimitReader(r, most+1))
	if err != nil {
		return Envelope{}, err
	}
	if len(text) > most {
		return Envelope{}, ErrEncryptedTooLarge()
	}
	o, err := asObject(text)
	in := o.object("encryption")
	if err == nil && in == nil {
		return Envelope{}, errEnvelope(name)
	}
	if err != nil {
		return Envelope{}, fault.New(fault.Invalid, "mif-not-whole", "{name} is not one whole document of the Memory Interchange Format.").With("name", name).Because(err)
	}
	kdf := in.object("kdf")
	if kdf == nil {
		return Envelope{}, fault.New(fault.Unsupported, "mif-envelope-no-kdf", "{name} is encrypted without saying with which salt and at which cost its key is made, so nobody can open it for sure.").
			With("name", name).Advise("Ask the program that wrote it for a file with a kdf block, or for a plain one.")
	}
	e := Envelope{Version: o.string("mif_version")}
	read, ok := true, true
	for member, to := range map[string]*[]byte{"iv": &e.IV, "encrypted_payload": &e.Payload, "auth_tag": &e.Tag} {
		*to, ok = bytesIn(in, member)
		read = read && ok
	}
	if e.KDF, ok = kdfOf(kdf); !read || !ok || in.string("algorithm") != algorithm || in.string("key_derivation") != derivation ||
		in.string("format") != inside || len(in) != 7 || len(o) != 2 {
		return Envelope{}, errEnvelope(name)
	}
	return e, nil
}

func errEnvelope(name string) *fault.Error {
	return fault.New(fault.Unsupported, "mif-envelope", "{name} is encrypted in a way that is not read here.").With("name", name).
		Advise("An envelope that can be opened lies by itself, as JSON, with aes-256-gcm, argon2id of version 19, a kdf block, and values in padded base64. Ask the program that wrote this one for a plain file.")
}

func bytesIn(o object, name string) ([]byte, bool) {
	b, err := base64.StdEncoding.Strict().DecodeString(o.string(name))
	return b, err == nil && o[name].Kind() == '"'
}

func kdfOf(o object) (k KDF, ok bool) {
	k.Name = o.string("name")
	if k.Salt, ok = bytesIn(o, "salt"); !ok || len(o) != 6 {
		return k, false
	}
	version, m, t, p := number(o["version"]), number(o["m_kib"]), number(o["t"]), number(o["p"])
	if k.Name != derivation || version != argon13 || m < 0 || t < 0 || p < 0 || m > 1<<31 || t > 1<<31 || p > 255 {
		return k, false
	}
	k.Version, k.MemoryKiB, k.Time, k.Threads = argon13, uint32(m), uint32(t), uint8(p)
	return k, true
}

// number is a plain whole number, -1 where it is none.
func number(raw []byte) int64 {
	n, err := strconv.ParseUint(string(raw), 10, 32)
	if err != nil {
		return -1
	}
	return int64(n)
}
