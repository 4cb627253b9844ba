package seal_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"keepsake/backend/fault"
	"keepsake/backend/seal"
)

const passphrase = "correct horse battery"

var ctx = context.Background()

func options() seal.HeaderOptions {
	return seal.HeaderOptions{
		Cipher: seal.AES256GCM, KDF: seal.TestKDF(), Passphrase: []byte(passphrase),
		Now: time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC),
	}
}

func newHeader(t testing.TB) (*seal.Header, *seal.Keys, string) {
	t.Helper()
	h, k, code, err := seal.NewHeader(options())
	if err != nil {
		t.Fatalf("new header: %v", err)
	}
	return h, k, code
}

func wantFault(t testing.TB, err error, code fault.Code, reason string) {
	t.Helper()
	var f *fault.Error
	if !errors.As(err, &f) || f.Code != code || f.Reason != reason {
		t.Fatalf("got %v (%T), want the fault %s %s", err, err, code, reason)
	}
}

// reframe puts changed JSON into a frame whose digest is right again: what
// somebody does who changes the header on purpose.
func reframe(body []byte) []byte {
	sum := sha256.Sum256(body)
	out := binary.BigEndian.AppendUint32([]byte("KEEPSAKE"), uint32(len(body)))
	return append(append(out, sum[:]...), body...)
}

func body(h *seal.Header) []byte { return h.Bytes()[44:] }

// Promise: both ways in lead to the same keys, and the header survives its
// own file form byte for byte.
func TestBothSlotsOpenTheSameVault(t *testing.T) {
	h, k, code := newHeader(t)
	parsed, err := seal.ParseHeader(h.Bytes())
	if err != nil {
		t.Fatalf("parse: %v", err)
	}
	if !bytes.Equal(parsed.Bytes(), h.Bytes()) {
		t.Fatal("the header does not come back as the same bytes")
	}
	byPassphrase, err := parsed.Unlock(ctx, []byte(passphrase))
	if err != nil {
		t.Fatalf("unlock: %v", err)
	}
	byCode, err := parsed.UnlockRecovery(ctx, strings.ToLower(code))
	if err != nil {
		t.Fatalf("unlock with code: %v", err)
	}
	want := k.Purpose("state")
	if !bytes.Equal(byPassphrase.Purpose("state"), want) || !bytes.Equal(byCode.Purpose("state"), want) {
		t.Fatal("the slots lead to different keys")
	}
}

// Promise: a wrong passphrase is called that, never damage.
func TestWrongPassphrase(t *testing.T) {
	h, _, _ := newHeader(t)
	for _, wrong := range []string{"correct horse batterz", "", passphrase + " ", strings.ToUpper(passphrase)} {
		_, err := h.Unlock(ctx, []byte(wrong))
		wantFault(t, err, fault.WrongPassphrase, "wrong-passphrase")
	}
	_, err := h.UnlockRecovery(ctx, seal.NewRecoveryCode())
	wantFault(t, err, fault.WrongPassphrase, "wrong-recovery-code")
	_, err = h.UnlockRecovery(ctx, "nonsense")
	wantFault(t, err, fault.Invalid, "recovery-code-typo")
}

// Promise: unlocking leaves the caller's passphrase alone.
func TestPassphraseIsNotTouched(t *testing.T) {
	o := options()
	h, _, _, err := seal.NewHeader(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := seal.CheckPassphrase(o.Passphrase); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Unlock(ctx, o.Passphrase); err != nil {
		t.Fatal(err)
	}
	if string(o.Passphrase) != passphrase {
		t.Fatalf("the passphrase became %q", o.Passphrase)
	}
}

// Promise: a passphrase typed on a Mac opens a vault made on Linux.
func TestPassphraseIsNormalized(t *testing.T) {
	o := options()
	o.Passphrase = []byte("cafe\u0301 com a\u0303o de queijo")
	h, _, _, err := seal.NewHeader(o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.Unlock(ctx, []byte("caf\u00e9 com \u00e3o de queijo")); err != nil {
		t.Fatalf("the composed form does not open: %v", err)
	}
}

func TestPassphraseRules(t *testing.T) {
	for _, bad := range []string{"", "1234567", "ééééééé", "cafe\u0301123"} { // the last has 7 once composed
		wantFault(t, seal.CheckPassphrase([]byte(bad)), fault.Invalid, "passphrase-too-short")
	}
	wantFault(t, seal.CheckPassphrase([]byte("\xff\xfe not text")), fault.Invalid, "passphrase-not-text")
	for _, good := range []string{"12345678", "日本語日本語日本", strings.Repeat("long ", 2000)} {
		if err := seal.CheckPassphrase([]byte(good)); err != nil {
			t.Errorf("%.20q: %v", good, err)
		}
	}
}

// Promise: any byte of the header file that changes ends in a fault, and never
// opens.
func TestEveryHeaderByte(t *testing.T) {
	h, _, _ := newHeader(t)
	file := h.Bytes()
	for i := range file {
		for _, mask := range []byte{0x01, 0x80, 0xff} {
			changed := bytes.Clone(file)
			changed[i] ^= mask
			_, err := seal.ParseHeader(changed)
			if code := fault.CodeOf(err); code != fault.Damaged {
				t.Fatalf("byte %d ^ %#x: %v", i, mask, err)
			}
		}
	}
	for n := range len(file) {
		if _, err := seal.ParseHeader(file[:n]); fault.CodeOf(err) != fault.Damaged {
			t.Fatalf("cut to %d bytes: %v", n, err)
		}
	}
	if _, err := seal.ParseHeader(append(file, 0)); fault.CodeOf(err) != fault.Damaged {
		t.Fatalf("with a byte more: %v", err)
	}
}

// Promise: also where the digest was made right again, no changed byte of the
// header ever opens the vault: the keys bind every parameter.
func TestEveryHeaderByteReframed(t *testing.T) {
	h, _, code := newHeader(t)
	original := body(h)
	for i := range original {
		for _, mask := range []byte{0x01, 0x02, 0x04, 0x10, 0x20} {
			changed := bytes.Clone(original)
			changed[i] ^= mask
			parsed, err := seal.ParseHeader(reframe(changed))
			if err != nil {
				continue
			}
			if !parsedCheaply(parsed) {
				continue // the changed cost is legal but slow; a wrong key either way
			}
			_, err1 := parsed.Unlock(ctx, []byte(passphrase))
			_, err2 := parsed.UnlockRecovery(ctx, code)
			if err1 == nil || err2 == nil {
				t.Fatalf("byte %d ^ %#x still opens: …%s…", i, mask, changed[max(0, i-10):min(len(changed), i+10)])
			}
		}
	}
}

func parsedCheaply(h *seal.Header) bool {
	for i := range h.Slots {
		if h.Slots[i].Cost() != seal.TestKDF() {
			return false
		}
	}
	return true
}

// edit changes the header's JSON as a tree, and frames it anew.
func edit(t *testing.T, h *seal.Header, change func(m map[string]any)) []byte {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(body(h)))
	dec.UseNumber()
	m := map[string]any{}
	if err := dec.Decode(&m); err != nil {
		t.Fatal(err)
	}
	change(m)
	out, err := json.Marshal(m) // maps come out sorted, so this is canonical again
	if err != nil {
		t.Fatal(err)
	}
	return reframe(out)
}

func slot(m map[string]any, i int) map[string]any { return m["slots"].([]any)[i].(map[string]any) }
func kdf(m map[string]any, i int) map[string]any  { return slot(m, i)["kdf"].(map[string]any) }

// Promise: whoever can write the header but has no secret can neither weaken
// the key derivation nor drop, swap, double, rename or exchange a slot unseen.
func TestHeaderAttacks(t *testing.T) {
	h, _, code := newHeader(t)
	other, _, _ := newHeader(t)
	foreign := map[string]any{}
	if err := json.Unmarshal(body(other), &foreign); err != nil {
		t.Fatal(err)
	}
	attacks := map[string]func(m map[string]any){
		"more memory":        func(m map[string]any) { kdf(m, 0)["memory_kib"] = 19 << 10 },
		"more passes":        func(m map[string]any) { kdf(m, 0)["memory_kib"] = 19 << 10; kdf(m, 0)["time"] = 2 },
		"other salt":         func(m map[string]any) { kdf(m, 0)["salt"] = kdf(m, 1)["salt"] },
		"other commit":       func(m map[string]any) { slot(m, 0)["commit"] = slot(m, 1)["commit"] },
		"other wrapped key":  func(m map[string]any) { slot(m, 0)["wrapped"] = slot(m, 1)["wrapped"] },
		"recovery dropped":   func(m map[string]any) { m["slots"] = m["slots"].([]any)[:1] },
		"passphrase dropped": func(m map[string]any) { m["slots"] = m["slots"].([]any)[1:] },
		"slots in other order": func(m map[string]any) {
			s := m["slots"].([]any)
			s[0], s[1] = s[1], s[0]
		},
		"kinds exchanged": func(m map[string]any) {
			slot(m, 0)["kind"], slot(m, 1)["kind"] = slot(m, 1)["kind"], slot(m, 0)["kind"]
		},
		"ids exchanged":       func(m map[string]any) { slot(m, 0)["id"], slot(m, 1)["id"] = 2, 1 },
		"slot made older":     func(m map[string]any) { slot(m, 0)["created_at"] = "2020-01-01T00:00:00Z" },
		"header made older":   func(m map[string]any) { m["created_at"] = "2020-01-01T00:00:00Z" },
		"generation raised":   func(m map[string]any) { m["generation"] = 2 },
		"next slot raised":    func(m map[string]any) { m["next_slot"] = 4 },
		"frozen":              func(m map[string]any) { m["frozen_at"] = "2026-07-01T12:00:00Z" },
		"other vault":         func(m map[string]any) { m["vault_id"] = foreign["vault_id"] },
		"slot of other vault": func(m map[string]any) { m["slots"].([]any)[0] = foreign["slots"].([]any)[0] },
		"mac of other vault":  func(m map[string]any) { m["mac"] = foreign["mac"] },
		"slot added": func(m map[string]any) {
			s := foreign["slots"].([]any)[1].(map[string]any)
			s["id"] = 3
			m["next_slot"] = 4
			m["slots"] = append(m["slots"].([]any), s)
		},
		"sealing switched off": func(m map[string]any) { m["cipher"] = "none-for-tests" },
	}
	for name, attack := range attacks {
		t.Run(name, func(t *testing.T) {
			parsed, err := seal.ParseHeader(edit(t, h, attack))
			if err != nil {
				reason := "vault-header-damaged"
				if name == "slot added" { // a second one of its kind, seen before any key is derived
					reason = "vault-header-changed"
				}
				wantFault(t, err, fault.Damaged, reason)
				return
			}
			_, err1 := parsed.Unlock(ctx, []byte(passphrase))
			_, err2 := parsed.UnlockRecovery(ctx, code)
			if err1 == nil || err2 == nil {
				t.Errorf("it opens: passphrase %v, code %v", err1, err2)
			}
			wrongKeys := name == "kinds exchanged" || name == "other vault" // both ways compute other keys; only the other copies of the header tell
			if !wrongKeys && fault.CodeOf(err1) != fault.Damaged && fault.CodeOf(err2) != fault.Damaged {
				t.Errorf("neither way says damaged: passphrase %v, code %v", err1, err2)
			}
		})
	}
}

// Promise: no header makes us allocate or compute beyond the bounds, or panic.
func TestHeaderBounds(t *testing.T) {
	h, _, _ := newHeader(t)
	bad := map[string]func(m map[string]any){
		"no passes":         func(m map[string]any) { kdf(m, 0)["memory_kib"] = 64 << 10; kdf(m, 0)["time"] = 0 },
		"no threads":        func(m map[string]any) { kdf(m, 0)["memory_kib"] = 64 << 10; kdf(m, 0)["threads"] = 0 },
		"id not given out":  func(m map[string]any) { m["next_slot"] = 2 },
		"no memory":         func(m map[string]any) { kdf(m, 0)["memory_kib"] = 0 },
		"too much memory":   func(m map[string]any) { kdf(m, 0)["memory_kib"] = 1<<20 + 1 },
		"too little memory": func(m map[string]any) { kdf(m, 0)["memory_kib"] = 19<<10 - 1 },
		"too many passes":   func(m map[string]any) { kdf(m, 0)["memory_kib"] = 64 << 10; kdf(m, 0)["time"] = 17 },
		"too many threads":  func(m map[string]any) { kdf(m, 0)["memory_kib"] = 64 << 10; kdf(m, 0)["threads"] = 17 },
		"short salt":        func(m map[string]any) { kdf(m, 0)["salt"] = "AAAA" },
		"long salt":         func(m map[string]any) { kdf(m, 0)["salt"] = strings.Repeat("A", 200) },
		"argon2i":           func(m map[string]any) { kdf(m, 0)["name"] = "argon2i" },
		"version 16":        func(m map[string]any) { kdf(m, 0)["version"] = 16 },
		"unknown kind":      func(m map[string]any) { slot(m, 0)["kind"] = "guest" },
		"negative id":       func(m map[string]any) { slot(m, 0)["id"] = -1 },
		"same id twice":     func(m map[string]any) { slot(m, 1)["id"] = 1 },
		"no slots":          func(m map[string]any) { m["slots"] = []any{} },
		"null slots":        func(m map[string]any) { m["slots"] = nil },
		"too many slots":    func(m map[string]any) { m["slots"] = make([]any, 17) },
		"generation 0":      func(m map[string]any) { m["generation"] = 0 },
		"huge generation":   func(m map[string]any) { m["generation"] = json.Number("9007199254740993") },
		"format 0":          func(m map[string]any) { m["format"] = 0 },
		"unknown member":    func(m map[string]any) { m["extra"] = 1 },
		"other cipher":      func(m map[string]any) { m["cipher"] = "rot13" },
		"short id":          func(m map[string]any) { m["vault_id"] = "abcd" },
		"impossible date":   func(m map[string]any) { m["created_at"] = "2026-02-30T00:00:00Z" },
		"fat header":        func(m map[string]any) { m["created_at"] = strings.Repeat("x", 70_000) },
	}
	for name, change := range bad {
		t.Run(name, func(t *testing.T) {
			_, err := seal.ParseHeader(edit(t, h, change))
			wantFault(t, err, fault.Damaged, "vault-header-damaged")
		})
	}
}

// Promise: a newer format, or a feature we do not know, is called that.
func TestNewerHeader(t *testing.T) {
	h, _, _ := newHeader(t)
	_, err := seal.ParseHeader(edit(t, h, func(m map[string]any) {
		m["format"], m["shiny"], m["slots"] = 2, true, "elsewhere"
	}))
	wantFault(t, err, fault.Unsupported, "vault-newer-format")
	_, err = seal.ParseHeader(edit(t, h, func(m map[string]any) { m["features"] = []string{"compact-rows"} }))
	wantFault(t, err, fault.Unsupported, "vault-unknown-feature")
	for _, features := range [][]string{{"circles", "circles"}, {"circles", ""}} {
		if _, err := seal.ParseHeader(edit(t, h, func(m map[string]any) { m["features"] = features })); err == nil {
			t.Errorf("%q is read", features)
		}
	}
}

func TestUnlockCanBeCancelled(t *testing.T) {
	h, _, _ := newHeader(t)
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := h.Unlock(cancelled, []byte(passphrase)); fault.CodeOf(err) != fault.Cancelled {
		t.Fatalf("got %v", err)
	}
}

func FuzzParseHeader(f *testing.F) {
	h, _, _ := newHeader(f)
	f.Add(h.Bytes())
	f.Add([]byte("KEEPSAKE"))
	f.Add(reframe([]byte("{}")))
	f.Add(reframe([]byte(`{"format":2}`)))
	f.Add(reframe([]byte(`{"format":1,"slots":[{}]}`)))
	f.Fuzz(func(t *testing.T, file []byte) {
		for _, candidate := range [][]byte{file, reframe(file)} {
			parsed, err := seal.ParseHeader(candidate)
			if err != nil {
				if c := fault.CodeOf(err); c != fault.Damaged && c != fault.Unsupported {
					t.Fatalf("%s: %v", c, err)
				}
				continue
			}
			if !bytes.Equal(parsed.Bytes(), candidate) {
				t.Fatal("a header has two forms")
			}
		}
	})
}
