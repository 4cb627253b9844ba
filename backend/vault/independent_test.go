package vault_test

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"go.etcd.io/bbolt"
	"golang.org/x/crypto/argon2"
)

// This reader is written from docs/vault-format.md alone and shares no code
// with the vault: if it cannot read the kept vault, the page is wrong.
type reader struct {
	t       *testing.T
	vaultID []byte
	vmk     []byte
	dek     []byte
}

func (r *reader) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

func lp(b []byte) []byte {
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(b))), b...)
}

func join(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

func be(n, value uint64) []byte { return binary.BigEndian.AppendUint64(nil, value)[8-n:] }

func (r *reader) hkdf(secret []byte, purpose string) []byte {
	key, err := hkdf.Key(sha256.New, secret, r.vaultID, "keepsake/v1/"+purpose, 32)
	r.must(err)
	return key
}

func (r *reader) expand(key []byte, info ...[]byte) []byte {
	out, err := hkdf.Expand(sha256.New, key, string(join(info...)), 32)
	r.must(err)
	return out
}

// aead opens nonce | ciphertext | tag, with the nonce taken apart by hand.
func (r *reader) aead(key, sealed []byte, aad ...[]byte) []byte {
	r.t.Helper()
	block, err := aes.NewCipher(key)
	r.must(err)
	gcm, err := cipher.NewGCM(block)
	r.must(err)
	plain, err := gcm.Open(nil, sealed[:12], sealed[12:], join(aad...))
	r.must(err)
	return plain
}

func mac(key []byte, parts ...[]byte) []byte {
	h := hmac.New(sha256.New, key)
	h.Write(join(parts...))
	return h.Sum(nil)
}

func (r *reader) locator(use byte, collection uint64, name string) []byte {
	return mac(r.hkdf(r.vmk, "id-index"), []byte{use}, be(2, collection), []byte(name))[:16]
}

// §2 and §3.
func (r *reader) unlock(file []byte) {
	r.t.Helper()
	var head struct {
		VaultID string           `json:"vault_id"`
		MAC     string           `json:"mac"`
		Slots   []map[string]any `json:"slots"`
	}
	body := file[44:]
	r.must(json.Unmarshal(body, &head))
	var err error
	r.vaultID, err = hex.DecodeString(head.VaultID)
	r.must(err)
	slot := head.Slots[0]
	bin := func(v any) []byte {
		b, err := base64.RawURLEncoding.DecodeString(v.(string))
		r.must(err)
		return b
	}
	cost := slot["kdf"].(map[string]any)
	kek := argon2.IDKey([]byte(passphrase), bin(cost["salt"]), uint32(cost["time"].(float64)), uint32(cost["memory_kib"].(float64)), uint8(cost["threads"].(float64)), 32)
	if !bytes.Equal(bin(slot["commit"]), r.hkdf(kek, "slot-commit")) {
		r.t.Fatal("the commit value does not fit")
	}
	wrapped := bin(slot["wrapped"])
	slot["wrapped"] = ""
	text, err := json.Marshal(slot) // sorted, so canonical
	r.must(err)
	r.vmk = r.aead(r.hkdf(kek, "slot-wrap"), wrapped, []byte("S1"), lp(r.vaultID), lp(text))
	bare := bytes.Replace(body, []byte(head.MAC), nil, 1)
	if !bytes.Equal(bin(head.MAC), mac(r.hkdf(r.vmk, "header-mac"), bare)) {
		r.t.Fatal("the header's mac does not fit")
	}
}

// record opens the sealed value of an id, §5 and §6.
func (r *reader) record(bt *bbolt.Tx, collection uint64, id string) []byte {
	r.t.Helper()
	seq := bt.Bucket(r.locator('b', collection, "i")).Get(r.locator('r', collection, id))
	value := bt.Bucket(r.locator('b', collection, "r")).Get(seq)
	return r.value(value, collection, seq, id)
}

func (r *reader) value(value []byte, collection uint64, seq []byte, id string) []byte {
	r.t.Helper()
	version, revision, created, locator := value[1:5], value[5:13], value[13:21], value[21:37]
	key := r.expand(r.dek, []byte("rec"), be(2, collection), locator)
	inner := r.aead(key, value[37:], []byte("R1"), value[:1], be(2, collection), lp(locator), lp(r.vaultID), seq, created, revision, version)
	n, m := int(binary.BigEndian.Uint16(inner)), int(binary.BigEndian.Uint32(inner[2:]))
	if got := string(inner[6 : 6+n]); got != id {
		r.t.Fatalf("the record's id is %q, not %q", got, id)
	}
	return inner[6+n : 6+n+m]
}

// Promise: the page about the format says enough to read a vault without our
// code.
func TestFormatPageIsEnough(t *testing.T) {
	kept := filepath.Join("testdata", "format1")
	r := &reader{t: t}
	head, err := os.ReadFile(filepath.Join(kept, "vault.head"))
	r.must(err)
	r.unlock(head)
	path := filepath.Join(t.TempDir(), "vault.db")
	data, err := os.ReadFile(filepath.Join(kept, "vault.db"))
	r.must(err)
	r.must(os.WriteFile(path, data, 0o600))
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{ReadOnly: true})
	r.must(err)
	defer db.Close()
	r.must(db.View(func(bt *bbolt.Tx) error {
		system := bt.Bucket([]byte{0})
		epoch := system.Get([]byte{3, 0, 0, 0, 1})
		r.dek = r.aead(r.hkdf(r.vmk, "epoch-wrap"), epoch[3:], []byte("E1"), lp(r.vaultID), be(4, 1), epoch[1:3])
		if got := string(r.record(bt, 1, "m1")); got != "text of m1" {
			t.Errorf("the memory is %q", got)
		}
		link := r.locator('l', 1, "hash")
		if got := string(r.value(bt.Bucket(r.locator('b', 1, "l")).Get(link), 1, be(8, 0), "hash")); got != "m1" {
			t.Errorf("the link leads to %q", got)
		}
		r.checkConversation(bt)
		r.checkState(bt, system.Get([]byte{2}))
		return nil
	}))
	r.checkBlob(kept)
}

// checkConversation reads the one conversation with its messages, §6.
func (r *reader) checkConversation(bt *bbolt.Tx) {
	unzip, err := zstd.NewReader(nil)
	r.must(err)
	defer unzip.Close()
	var head struct {
		Conversation struct{ Title string }
		Chunks       uint64
	}
	text, err := unzip.DecodeAll(r.record(bt, 3, "c1"), nil)
	r.must(err)
	r.must(json.Unmarshal(text, &head))
	want := rich("c1")
	if head.Conversation.Title != want.Title || head.Chunks != 1 {
		r.t.Errorf("the head is %s", text)
	}
	seq := bt.Bucket(r.locator('b', 3, "i")).Get(r.locator('r', 3, "c1"))
	chunk := bt.Bucket(r.locator('b', 12, "r")).Get(append(bytes.Clone(seq), be(4, 0)...))
	text, err = unzip.DecodeAll(r.value(chunk, 12, seq, ""), nil)
	r.must(err)
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	all := make([]map[string]any, len(lines))
	for i, line := range lines {
		r.must(json.Unmarshal([]byte(line), &all[i]))
		r.follow(all[i], "provider_message_id", all[i]["id"])
		before := any("")
		if i > 0 {
			before = all[i-1]["id"]
		}
		r.follow(all[i], "parent_id", before)
	}
	for i, m := range all {
		after := []any{}
		if i+1 < len(all) && all[i+1]["parent_id"] == m["id"] {
			after = []any{all[i+1]["id"]}
		}
		r.follow(m, "children_ids", after)
		w := want.Messages[i]
		got := fmt.Sprint(m["id"], m["provider_message_id"], m["parent_id"], m["children_ids"])
		if want := fmt.Sprint(w.ID, w.ProviderMessageID, w.ParentID, w.ChildrenIDs); got != want {
			r.t.Errorf("message %d is %s, not %s", i, got, want)
		}
	}
	if len(all) != len(want.Messages) {
		r.t.Errorf("%d messages", len(all))
	}
}

// follow gives a member that was left out what follows for it.
func (r *reader) follow(m map[string]any, name string, value any) {
	if _, ok := m[name]; !ok {
		m[name] = value
	}
}

// checkState opens the state record and adds the memories' sum up, §7.
func (r *reader) checkState(bt *bbolt.Tx, value []byte) {
	key := r.expand(r.hkdf(r.vmk, "state"), []byte("state"), value[1:9])
	inner := r.aead(key, value[9:], []byte("G1"), lp(r.vaultID), value[1:9])
	var s struct {
		Collections map[string]struct {
			Records int    `json:"records"`
			Sum     string `json:"sum"`
		} `json:"collections"`
	}
	r.must(json.Unmarshal(inner[4:4+binary.BigEndian.Uint32(inner)], &s))
	var sum [32]byte
	add := func(collection uint64, seq, value []byte) {
		d := mac(r.hkdf(r.vmk, "manifest"), be(2, collection), seq, value[21:37], value[5:13], value[1:5], value[len(value)-16:])
		carry := 0
		for i := 31; i >= 0; i-- {
			carry += int(sum[i]) + int(d[i])
			sum[i] = byte(carry)
			carry >>= 8
		}
	}
	n := 0
	r.must(bt.Bucket(r.locator('b', 1, "r")).ForEach(func(k, v []byte) error { n++; add(1, k, v); return nil }))
	r.must(bt.Bucket(r.locator('b', 1, "l")).ForEach(func(_, v []byte) error { add(1, be(8, 0), v); return nil }))
	if got := s.Collections["1"]; got.Records != n || got.Sum != hex.EncodeToString(sum[:]) {
		r.t.Errorf("the state says %+v, the page %d and %x", got, n, sum)
	}
}

// checkBlob reads the one blob, §9.
func (r *reader) checkBlob(kept string) {
	names, err := os.ReadDir(filepath.Join(kept, "blobs"))
	r.must(err)
	file, err := os.ReadFile(filepath.Join(kept, "blobs", names[0].Name()))
	r.must(err)
	fixed, salt := file[:41], file[9:41]
	head := r.aead(r.expand(r.dek, []byte("blob-head"), salt), file[41:109], []byte("BH1"), lp(r.vaultID), lp(fixed))
	plain := r.aead(r.expand(r.dek, []byte("blob"), salt), file[109:], []byte("B1"), lp(r.vaultID), lp(fixed), be(8, 0), []byte{1})
	plain = plain[:binary.BigEndian.Uint64(head)]
	ref := hex.EncodeToString(mac(r.hkdf(r.vmk, "blob-id"), plain))
	if string(plain) != "a small picture" || ref != names[0].Name() || ref != hex.EncodeToString(head[8:]) {
		r.t.Errorf("the blob is %q, named %s", plain, ref)
	}
}

// replay is §10.2: it writes the frames of a journal onto the data file.
func (r *reader) replay(db *bbolt.DB, raw []byte, generation uint64) (frames int) {
	r.t.Helper()
	base := raw[5:13]
	key := r.expand(r.hkdf(r.vmk, "journal"), []byte("journal"), base)
	at, tag := binary.BigEndian.Uint64(base), make([]byte, 16)
	for rest := raw[13:]; len(rest) >= 4 && binary.BigEndian.Uint32(rest) > 0; frames++ {
		n := binary.BigEndian.Uint32(rest)
		number, sealed := rest[4:12], rest[12:12+n]
		at++
		if binary.BigEndian.Uint64(number) != at {
			r.t.Fatalf("frame %d is of generation %x, not %d", frames, number, at)
		}
		ops := r.aead(key, sealed, []byte("J1"), lp(r.vaultID), base, be(8, uint64(frames)), number, tag)
		if at > generation {
			r.must(db.Update(func(bt *bbolt.Tx) error { return r.again(bt, ops) }))
		}
		tag = sealed[len(sealed)-16:]
		rest = rest[12+n:]
	}
	return frames
}

func (r *reader) again(bt *bbolt.Tx, ops []byte) error {
	next := func() []byte {
		n := 4 + binary.BigEndian.Uint32(ops)
		part := ops[4:n]
		ops = ops[n:]
		return part
	}
	for len(ops) > 0 {
		op := ops[0]
		ops = ops[1:]
		b, err := bt.CreateBucketIfNotExists(next())
		if err != nil {
			return err
		}
		if key := next(); op == 1 {
			err = b.Put(key, next())
		} else {
			err = b.Delete(key)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Promise: the page says enough to bring an older data file up to date from the
// journal, and to find vault.gen agree.
func TestFormatPageIsEnoughForTheJournal(t *testing.T) {
	kept := filepath.Join("testdata", "format1-lived")
	r := &reader{t: t}
	read := func(name string) []byte {
		raw, err := os.ReadFile(filepath.Join(kept, name))
		r.must(err)
		return raw
	}
	r.unlock(read("vault.head"))
	path := filepath.Join(t.TempDir(), "vault.db")
	r.must(os.WriteFile(path, read("vault.db"), 0o600))
	db, err := bbolt.Open(path, 0o600, nil)
	r.must(err)
	defer db.Close()
	var state []byte
	look := func() {
		r.must(db.View(func(bt *bbolt.Tx) error {
			state = bytes.Clone(bt.Bucket([]byte{0}).Get([]byte{2}))
			return nil
		}))
	}
	look()
	names, err := os.ReadDir(filepath.Join(kept, "journal"))
	r.must(err)
	before := binary.BigEndian.Uint64(state[1:])
	if n := r.replay(db, read(filepath.Join("journal", names[0].Name())), before); n < 3 {
		t.Errorf("%d frames", n)
	}
	look()
	gen := read("vault.gen")
	mark := r.aead(r.hkdf(r.vmk, "generation"), gen[1:], []byte("V1"), lp(r.vaultID))
	if sum := sha256.Sum256(state); !bytes.Equal(mark[:8], state[1:9]) || !bytes.Equal(mark[8:], sum[:]) || binary.BigEndian.Uint64(mark) <= before {
		t.Errorf("vault.gen says %x, the state is of %x", mark[:8], state[1:9])
	}
	r.must(db.View(func(bt *bbolt.Tx) error {
		epoch := bt.Bucket([]byte{0}).Get([]byte{3, 0, 0, 0, 1})
		r.dek = r.aead(r.hkdf(r.vmk, "epoch-wrap"), epoch[3:], []byte("E1"), lp(r.vaultID), be(4, 1), epoch[1:3])
		r.checkState(bt, state)
		for id, want := range map[string]string{"late2": "text of late2", "m1": "text of m1"} {
			if got := string(r.record(bt, 1, id)); got != want {
				t.Errorf("%s says %q", id, got)
			}
		}
		before := "" // the log, §10.9
		for seq := 1; ; seq++ {
			if bt.Bucket(r.locator('b', 11, "i")).Get(r.locator('r', 11, strconv.Itoa(seq))) == nil {
				if seq < 4 {
					t.Errorf("%d entries", seq-1)
				}
				return nil
			}
			body := r.record(bt, 11, strconv.Itoa(seq))
			var e struct{ Before string }
			r.must(json.Unmarshal(body, &e))
			if e.Before != before {
				t.Errorf("entry %d goes on from %q, not %q", seq, e.Before, before)
			}
			sum := sha256.Sum256(body)
			before = hex.EncodeToString(sum[:])
		}
	}))
}
