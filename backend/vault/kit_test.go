package vault_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"keepsake/backend/fault"
	"keepsake/backend/vault"
)

// The kit, in the style of CCTV: vaults made from one good vault, each with one
// thing wrong, and the word for what must come of opening, unlocking and
// reading all of it. The words are the reasons of faults, or
//
//	opens       everything is read as it was
//	heals       the same, and a copy of the header was put right
//	warns       the same, and the pre-flight tells of a bad start page
//	index anew  the same, and the search index was made again, empty
//
// testdata/kit.txt holds the words; a person has read every line of it.
var writeKit = flag.Bool("kit", false, "write testdata/kit.txt as it turns out; to be read line by line before it is kept")

const kitWords = "testdata/kit.txt"

// kit is the good vault.
type kit struct {
	*target
	head   []byte // the header's file
	state  []byte // the state record of one commit earlier
	truth  string
	blob   string
	blocks map[string]string
	hold   func() // lets go of what a case holds while the vault is opened
}

// kitCase is one thing wrong.
type kitCase struct {
	name string
	edit func(t *testing.T, k *kit, dir string)
}

func newKit(t *testing.T) *kit {
	t.Helper()
	k := &kit{target: newTarget(t)}
	v := open(t, k.dir)
	update(t, v, func(tx *vault.Tx) error {
		var errs []error
		for i := range 80 {
			errs = append(errs, tx.Put(vault.Settings, fmt.Sprint("s", i), day, fmt.Appendf(nil, "setting %d", i)))
		}
		return errors.Join(append(errs, tx.Put(vault.Raw, "long", day, make([]byte, 60_000)), tx.Put(vault.Raw, "short", day, []byte("x")),
			putConversation(tx, vault.ConversationHead{}, conversation("c", 10, 500)))...)
	})
	for name, c := range map[string]vault.Collection{"settings": vault.Settings, "raw": vault.Raw} {
		k.names[name+" r"] = vault.BucketName(v, c, 'r')
	}
	k.blob, _ = putBlob(t, v, []byte("a small picture"))
	fillIndex(t, index(t, v))
	k.blocks = blocks(t, index(t, v))
	var err error
	closeVault(t, v)
	raw(t, k.dir, func(bt *bbolt.Tx) error {
		k.state = bytes.Clone(bt.Bucket(vault.SystemBucket).Get(vault.StateKey))
		return nil
	})
	v = open(t, k.dir)
	update(t, v, func(tx *vault.Tx) error { return tx.Put(vault.Settings, "s1", day, []byte("newer")) })
	if k.truth, err = everything(v); err != nil {
		t.Fatal(err)
	}
	closeVault(t, v)
	if k.head, err = os.ReadFile(filepath.Join(k.dir, "vault.head")); err != nil {
		t.Fatal(err)
	}
	return k
}

// word is what comes of opening, unlocking and reading all of a vault.
func (k *kit) word(dir string) (string, error) {
	v, err := vault.Open(dir, clock)
	if err != nil {
		return fault.From(err).Reason, err
	}
	defer v.Close()
	if err := v.Unlock(context.Background(), []byte(passphrase)); err != nil {
		return fault.From(err).Reason, err
	}
	word, err := k.read(v)
	if err != nil {
		return fault.From(err).Reason, err
	}
	switch {
	case word != "":
		return word, nil
	case v.Info().Repaired:
		return "heals", nil
	case len(vault.FlightOf(v).Warnings()) > 0:
		return "warns", nil
	}
	return "opens", nil
}

// read reads records, blob and index, which must be as they were or refused.
func (k *kit) read(v *vault.Vault) (word string, err error) {
	text, err := everything(v)
	if err != nil {
		return "", err
	}
	if text != k.truth {
		return "WRONG DATA", nil
	}
	f, _, err := v.OpenBlob(k.blob)
	if err != nil {
		return "", err
	}
	defer f.Close()
	var plain bytes.Buffer
	if _, err := plain.ReadFrom(f); err != nil {
		return "", err
	}
	if plain.String() != "a small picture" {
		return "WRONG BLOB", nil
	}
	return k.readIndex(v)
}

func (k *kit) readIndex(v *vault.Vault) (word string, err error) {
	x, err := v.Index()
	if err != nil {
		return "", err
	}
	found := 0
	err = x.View(func(tx *vault.IndexTx) error {
		for key, want := range k.blocks {
			block, err := tx.Get([]byte(key))
			if err != nil {
				return err
			}
			if block != nil && string(block) != want {
				word = "WRONG BLOCK"
			}
			if block != nil {
				found++
			}
		}
		return nil
	})
	if word == "" && found == 0 {
		word = "index anew"
	}
	if word == "" && found < len(k.blocks) {
		word = "WRONG INDEX"
	}
	return word, err
}

// Promise: each way a vault can be wrong has its word, and data that are shown
// are the data that were stored.
func TestKit(t *testing.T) {
	k := newKit(t)
	want := readKit(t)
	var lines []string
	groups := map[string][]kitCase{
		"header": headerCases(k), "slot": slotCases(k), "structure": structureCases(), "record": recordCases(k), "index entry": entryCases(),
		"state": stateCases(k), "epoch": epochCases(), "search index": searchCases(), "blob": blobCases(k), "lock": lockCases(), "folder": folderCases(k),
	}
	for group, cases := range groups {
		for _, c := range cases {
			key := group + " | " + c.name
			dir := filepath.Join(t.TempDir(), "vault")
			copyFolder(t, k.dir, dir)
			k.hold = func() {}
			c.edit(t, k, dir)
			word, err := k.word(dir)
			k.hold()
			lines = append(lines, key+" | "+word)
			_ = os.RemoveAll(dir)
			if *writeKit {
				continue
			}
			if strings.HasPrefix(word, "WRONG") || want[key] != word {
				t.Errorf("%s: got %q (%v, %v), want %q", key, word, err, errors.Unwrap(err), want[key])
			}
			delete(want, key)
		}
	}
	if *writeKit {
		slices.Sort(lines)
		if err := os.WriteFile(kitWords, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for key := range want {
		t.Errorf("%s: nobody makes it", key)
	}
	if len(lines) < 300 {
		t.Errorf("only %d cases", len(lines))
	}
	t.Logf("vault kit: %d vaults with one thing wrong, each ended in its word", len(lines))
}

func readKit(t *testing.T) map[string]string {
	t.Helper()
	raw, err := os.ReadFile(kitWords)
	if err != nil && !*writeKit {
		t.Fatal(err)
	}
	out := map[string]string{}
	for line := range strings.Lines(string(raw)) {
		at := strings.LastIndex(line, " | ")
		out[line[:at]] = strings.TrimSpace(line[at+3:])
	}
	return out
}

func file(dir string, name ...string) string {
	return filepath.Join(append([]string{dir}, name...)...)
}

// rewrite changes the bytes of a file; nil takes the file away.
func rewrite(t *testing.T, path string, change func([]byte) []byte) {
	t.Helper()
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	made := change(bytes.Clone(old))
	if bytes.Equal(made, old) && made != nil {
		t.Fatalf("%s did not change", path)
	}
	if made == nil {
		err = os.Remove(path)
	} else {
		err = os.WriteFile(path, made, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// byteEdits are what can happen to the bytes of any file.
var byteEdits = map[string]func([]byte) []byte{
	"missing":           func([]byte) []byte { return nil },
	"empty":             func([]byte) []byte { return []byte{} },
	"one byte":          func(b []byte) []byte { return b[:1] },
	"last byte cut":     func(b []byte) []byte { return b[:len(b)-1] },
	"cut in half":       func(b []byte) []byte { return b[:len(b)/2] },
	"first bit flipped": func(b []byte) []byte { b[0] ^= 1; return b },
	"last bit flipped":  func(b []byte) []byte { b[len(b)-1] ^= 0x80; return b },
	"zeros":             func(b []byte) []byte { return make([]byte, len(b)) },
	"text":              func(b []byte) []byte { return bytes.Repeat([]byte("text "), len(b)/5+1) },
}

func headerCases(k *kit) []kitCase {
	edits := map[string]func([]byte) []byte{
		"one byte more":   func(b []byte) []byte { return append(b, 0) },
		"length changed":  func(b []byte) []byte { b[11]++; return b },
		"length of 4 GiB": func(b []byte) []byte { binary.BigEndian.PutUint32(b[8:], 0xFFFFFFFF); return b },
		"digest changed":  func(b []byte) []byte { b[20] ^= 1; return b },
		"JSON changed":    func(b []byte) []byte { b[60] ^= 1; return b },
		"no JSON":         func([]byte) []byte { return reframe(nil) },
		"other JSON":      func([]byte) []byte { return reframe([]byte("[]")) },
		"70,000 bytes":    func([]byte) []byte { return reframe(bytes.Repeat([]byte("7"), 70_000)) },
	}
	for name, edit := range byteEdits {
		edits[name] = edit
	}
	var out []kitCase
	for name, edit := range edits {
		out = append(out,
			kitCase{name + ", vault.head", func(t *testing.T, _ *kit, dir string) { rewrite(t, file(dir, "vault.head"), edit) }},
			kitCase{name + ", vault.head.bak", func(t *testing.T, _ *kit, dir string) { rewrite(t, file(dir, "vault.head.bak"), edit) }},
			kitCase{name + ", both files", func(t *testing.T, _ *kit, dir string) {
				rewrite(t, file(dir, "vault.head"), edit)
				rewrite(t, file(dir, "vault.head.bak"), edit)
			}},
			kitCase{name + ", all three", func(t *testing.T, k *kit, dir string) { everyHeader(t, dir, edit(bytes.Clone(k.head))) }})
	}
	for name, edit := range map[string]func(map[string]any){
		"format 0":              func(m map[string]any) { m["format"] = 0 },
		"format 2":              func(m map[string]any) { m["format"] = 2 },
		"format as text":        func(m map[string]any) { m["format"] = "1" },
		"format missing":        func(m map[string]any) { delete(m, "format") },
		"an unknown feature":    func(m map[string]any) { m["features"] = []string{"x"} },
		"features missing":      func(m map[string]any) { delete(m, "features") },
		"features null":         func(m map[string]any) { m["features"] = nil },
		"generation 0":          func(m map[string]any) { m["generation"] = 0 },
		"generation 7":          func(m map[string]any) { m["generation"] = 7 },
		"generation -1":         func(m map[string]any) { m["generation"] = -1 },
		"mac changed":           func(m map[string]any) { m["mac"] = other(m["mac"]) },
		"mac empty":             func(m map[string]any) { m["mac"] = "" },
		"mac short":             func(m map[string]any) { m["mac"] = "AAAA" },
		"mac padded":            func(m map[string]any) { m["mac"] = m["mac"].(string) + "=" },
		"next slot 1":           func(m map[string]any) { m["next_slot"] = 1 },
		"next slot 99":          func(m map[string]any) { m["next_slot"] = 99 },
		"no slots":              func(m map[string]any) { m["slots"] = []any{} },
		"slots null":            func(m map[string]any) { m["slots"] = nil },
		"17 slots":              func(m map[string]any) { m["slots"] = slices.Repeat(m["slots"].([]any)[:1], 17) },
		"slots exchanged":       func(m map[string]any) { s := m["slots"].([]any); s[0], s[1] = s[1], s[0] },
		"a slot doubled":        func(m map[string]any) { s := m["slots"].([]any); m["slots"] = append(s, s[0]) },
		"recovery slot dropped": func(m map[string]any) { m["slots"] = m["slots"].([]any)[:1] },
		"passphrase slot gone":  func(m map[string]any) { m["slots"] = m["slots"].([]any)[1:] },
		"vault id changed":      func(m map[string]any) { m["vault_id"] = strings.Repeat("0", 32) },
		"vault id short":        func(m map[string]any) { m["vault_id"] = "00" },
		"vault id in capitals":  func(m map[string]any) { m["vault_id"] = strings.Repeat("A", 32) },
		"vault id not digits":   func(m map[string]any) { m["vault_id"] = strings.Repeat("g", 32) },
		"unknown cipher":        func(m map[string]any) { m["cipher"] = "rot13" },
		"the test cipher":       func(m map[string]any) { m["cipher"] = "none-for-tests" },
		"made at no time":       func(m map[string]any) { m["created_at"] = "" },
		"made in half a second": func(m map[string]any) { m["created_at"] = "2026-07-01T12:00:00.5Z" },
		"made elsewhere":        func(m map[string]any) { m["created_at"] = "2026-07-01T12:00:00+02:00" },
		"made a day later":      func(m map[string]any) { m["created_at"] = "2026-07-02T12:00:00Z" },
		"frozen":                func(m map[string]any) { m["frozen_at"] = "2026-07-02T12:00:00Z" },
		"frozen at no time":     func(m map[string]any) { m["frozen_at"] = "yesterday" },
		"backed up":             func(m map[string]any) { m["last_backup_at"] = "2026-07-02T12:00:00Z" },
		"an unknown member":     func(m map[string]any) { m["zzz"] = 1 },
		"a member in capitals":  func(m map[string]any) { m["Format"] = 1 },
	} {
		out = append(out, kitCase{name, func(t *testing.T, k *kit, dir string) { everyHeader(t, dir, editJSON(t, k.head, edit)) }})
	}
	for name, edit := range map[string]func(string) string{
		"a space":         func(s string) string { return strings.Replace(s, ",", ", ", 1) },
		"a line feed":     func(s string) string { return s + "\n" },
		"a member twice":  func(s string) string { return strings.Replace(s, `"format":1`, `"format":1,"format":1`, 1) },
		"members moved":   func(s string) string { return `{"vault_id"` + s[strings.LastIndex(s, `":"`)+1:len(s)-1] + "," + s[1:] },
		"a nest of lists": func(string) string { return strings.Repeat("[", 60_000) },
		"an escape":       func(s string) string { return strings.Replace(s, "aes-256-gcm", `aes-256-gc\u006d`, 1) },
	} {
		out = append(out, kitCase{name, func(t *testing.T, k *kit, dir string) {
			everyHeader(t, dir, reframe([]byte(edit(string(k.head[44:])))))
		}})
	}
	return out
}

// everyHeader puts one header into all three places.
func everyHeader(t *testing.T, dir string, head []byte) {
	t.Helper()
	headers(t, dir, head, head)
	raw(t, dir, func(bt *bbolt.Tx) error {
		if head == nil {
			return bt.Bucket(vault.SystemBucket).Delete(vault.HeaderKey)
		}
		return bt.Bucket(vault.SystemBucket).Put(vault.HeaderKey, head)
	})
}

// editJSON changes members of a header, and makes its digest fit again.
func editJSON(t *testing.T, head []byte, edit func(map[string]any)) []byte {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(head[44:]))
	d.UseNumber()
	var m map[string]any
	if err := d.Decode(&m); err != nil {
		t.Fatal(err)
	}
	edit(m)
	body, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return reframe(body)
}

// other is text64 of the same length with a bit changed.
func other(text any) string {
	b, err := base64.RawURLEncoding.DecodeString(text.(string))
	if err != nil {
		panic(err)
	}
	b[0] ^= 1
	return base64.RawURLEncoding.EncodeToString(b)
}

func slotCases(*kit) []kitCase {
	kdf := func(name string, value any) func(map[string]any) {
		return func(slot map[string]any) { slot["kdf"].(map[string]any)[name] = value }
	}
	edits := map[string]func(map[string]any){
		"commit changed": func(s map[string]any) { s["commit"] = other(s["commit"]) }, "commit short": func(s map[string]any) { s["commit"] = "AAAA" },
		"commit missing": func(s map[string]any) { delete(s, "commit") }, "key changed": func(s map[string]any) { s["wrapped"] = other(s["wrapped"]) },
		"key short": func(s map[string]any) { s["wrapped"] = "AAAA" }, "key missing": func(s map[string]any) { delete(s, "wrapped") },
		"id 0": func(s map[string]any) { s["id"] = 0 }, "id 9": func(s map[string]any) { s["id"] = 9 }, "kind unknown": func(s map[string]any) { s["kind"] = "tattoo" },
		"kind recovery": func(s map[string]any) { s["kind"] = "recovery" }, "made at no time": func(s map[string]any) { s["created_at"] = "x" },
		"made a day later": func(s map[string]any) { s["created_at"] = "2026-07-02T12:00:00Z" }, "an unknown member": func(s map[string]any) { s["x"] = 1 },
		"kdf missing": func(s map[string]any) { delete(s, "kdf") }, "kdf unknown": kdf("name", "scrypt"), "kdf of another version": kdf("version", 16),
		"memory 0": kdf("memory_kib", 0), "memory 65": kdf("memory_kib", 65), "memory at the floor": kdf("memory_kib", 19456), "memory below the floor": kdf("memory_kib", 19455),
		"memory 2 GiB": kdf("memory_kib", 2<<20), "memory 4 TiB": kdf("memory_kib", 1<<32), "time 0": kdf("time", 0), "time 2": kdf("time", 2), "time 17": kdf("time", 17),
		"threads 0": kdf("threads", 0), "threads 2": kdf("threads", 2), "threads 17": kdf("threads", 17), "threads 256": kdf("threads", 256),
		"salt changed": func(s map[string]any) { m := s["kdf"].(map[string]any); m["salt"] = other(m["salt"]) }, "salt short": kdf("salt", "AAAA"),
		"salt empty": kdf("salt", ""), "salt long": kdf("salt", strings.Repeat("AAAA", 30)),
	}
	var out []kitCase
	for name, edit := range edits {
		out = append(out, kitCase{name, func(t *testing.T, k *kit, dir string) {
			everyHeader(t, dir, editJSON(t, k.head, func(m map[string]any) { edit(m["slots"].([]any)[0].(map[string]any)) }))
		}})
	}
	return out
}

// structureCases are those of the pre-flight, on the vault's own file.
func structureCases() []kitCase {
	var out []kitCase
	for _, c := range flightCases {
		out = append(out, kitCase{c.name, func(t *testing.T, _ *kit, dir string) {
			rewrite(t, file(dir, "vault.db"), func(b []byte) []byte {
				f := boltFile(b)
				c.edit(&f)
				return append([]byte{}, f...)
			})
		}})
	}
	for name, edit := range byteEdits {
		out = append(out, kitCase{"file, " + name, func(t *testing.T, _ *kit, dir string) { rewrite(t, file(dir, "vault.db"), edit) }})
	}
	return out
}

func inBucket(label string, edit func(b *bbolt.Bucket, r []row) error) func(*testing.T, *kit, string) {
	return func(t *testing.T, k *kit, dir string) {
		raw(t, dir, func(bt *bbolt.Tx) error {
			b := bt.Bucket(k.names[label])
			return edit(b, rows(b))
		})
	}
}

func dropBucket(label string) func(*testing.T, *kit, string) {
	return func(t *testing.T, k *kit, dir string) {
		raw(t, dir, func(bt *bbolt.Tx) error { return bt.DeleteBucket(k.names[label]) })
	}
}

// valueEdits change one sealed value; the places are those of the format page.
var valueEdits = map[string]func(v []byte) []byte{
	"empty": func([]byte) []byte { return []byte{} }, "one byte": func(v []byte) []byte { return v[:1] },
	"last byte cut": func(v []byte) []byte { return v[:len(v)-1] }, "one byte more": func(v []byte) []byte { return append(v, 0) },
	"only a head": func(v []byte) []byte { return v[:37] }, "format": bitAt(0), "key version": bitAt(4), "key version of none": bitAt(1), "revision": bitAt(12),
	"time": bitAt(20), "locator": bitAt(30), "nonce": bitAt(40), "text": bitAt(60), "tag": func(v []byte) []byte { v[len(v)-1] ^= 1; return v },
	"zeros": func(v []byte) []byte { return make([]byte, len(v)) },
}

func bitAt(at int) func([]byte) []byte {
	return func(v []byte) []byte { v[at] ^= 1; return v }
}

func recordCases(k *kit) []kitCase {
	var out []kitCase
	for _, label := range []string{"memories r", "memories l", "relations r", "conversations r", "chunks r", "raw r", "settings r"} {
		for name, edit := range valueEdits {
			out = append(out, kitCase{label + ", " + name, inBucket(label, func(b *bbolt.Bucket, r []row) error {
				return b.Put(r[0].k, edit(r[0].v))
			})})
		}
		out = append(out,
			kitCase{label + ", one dropped", inBucket(label, func(b *bbolt.Bucket, r []row) error { return b.Delete(r[0].k) })},
			kitCase{label + ", all dropped", dropBucket(label)},
			kitCase{label + ", a strange key", inBucket(label, func(b *bbolt.Bucket, r []row) error { return b.Put([]byte("x"), r[0].v) })})
		if len(k.older[label]) > 0 {
			out = append(out, kitCase{label + ", one put back", func(t *testing.T, k *kit, dir string) {
				raw(t, dir, func(bt *bbolt.Tx) error { return putBack(bt.Bucket(k.names[label]), k.older[label]) })
			}})
		}
		out = append(out,
			kitCase{label + ", two exchanged", inBucket(label, func(b *bbolt.Bucket, r []row) error {
				return errors.Join(b.Put(r[0].k, r[1].v), b.Put(r[1].k, r[0].v))
			})},
			kitCase{label + ", one doubled", inBucket(label, func(b *bbolt.Bucket, r []row) error {
				next := bytes.Clone(r[len(r)-1].k)
				next[len(next)-1]++
				return b.Put(next, r[0].v)
			})})
	}
	return append(out, kitCase{"a strange bucket", func(t *testing.T, _ *kit, dir string) {
		raw(t, dir, func(bt *bbolt.Tx) error { _, err := bt.CreateBucket([]byte("hello")); return err })
	}})
}

func entryCases() []kitCase {
	var out []kitCase
	for _, label := range []string{"memories i", "conversations i", "relations i"} {
		for name, edit := range map[string]func(b *bbolt.Bucket, r []row) error{
			"dropped":       func(b *bbolt.Bucket, r []row) error { return b.Delete(r[0].k) },
			"invented":      func(b *bbolt.Bucket, r []row) error { return b.Put(make([]byte, 16), r[0].v) },
			"exchanged":     func(b *bbolt.Bucket, r []row) error { return errors.Join(b.Put(r[0].k, r[1].v), b.Put(r[1].k, r[0].v)) },
			"leads nowhere": func(b *bbolt.Bucket, r []row) error { return b.Put(r[0].k, []byte{0, 0, 0, 0, 0, 1, 0, 0}) },
			"two to one":    func(b *bbolt.Bucket, r []row) error { return b.Put(r[0].k, r[1].v) },
			"a short value": func(b *bbolt.Bucket, r []row) error { return b.Put(r[0].k, []byte("x")) },
			"a short key":   func(b *bbolt.Bucket, r []row) error { return b.Put([]byte("x"), r[0].v) },
			"under other name": func(b *bbolt.Bucket, r []row) error {
				return errors.Join(b.Delete(r[0].k), b.Put(make([]byte, 16), r[0].v))
			},
		} {
			out = append(out, kitCase{label + ", " + name, inBucket(label, edit)})
		}
		out = append(out, kitCase{label + ", all dropped", dropBucket(label)})
	}
	return out
}

// inSystem changes one value of the system bucket; nil takes it away.
func inSystem(key []byte, edit func(k *kit, value []byte) []byte) func(*testing.T, *kit, string) {
	return func(t *testing.T, k *kit, dir string) {
		raw(t, dir, func(bt *bbolt.Tx) error {
			b := bt.Bucket(vault.SystemBucket)
			if made := edit(k, bytes.Clone(b.Get(key))); made != nil {
				return b.Put(key, made)
			}
			return b.Delete(key)
		})
	}
}

func stateCases(*kit) []kitCase {
	var out []kitCase
	for name, edit := range map[string]func(k *kit, v []byte) []byte{
		"missing": func(*kit, []byte) []byte { return nil }, "empty": func(*kit, []byte) []byte { return []byte{} },
		"of the commit before": func(k *kit, _ []byte) []byte { return k.state }, "last byte cut": func(_ *kit, v []byte) []byte { return v[:len(v)-1] },
		"only a head": func(_ *kit, v []byte) []byte { return v[:9] }, "format": func(_ *kit, v []byte) []byte { v[0] = 2; return v },
		"generation": func(_ *kit, v []byte) []byte { v[8]++; return v }, "nonce": func(_ *kit, v []byte) []byte { v[10] ^= 1; return v },
		"text": func(_ *kit, v []byte) []byte { v[40] ^= 1; return v }, "tag": func(_ *kit, v []byte) []byte { v[len(v)-1] ^= 1; return v },
		"zeros": func(_ *kit, v []byte) []byte { return make([]byte, len(v)) },
	} {
		out = append(out, kitCase{name, inSystem(vault.StateKey, edit)})
	}
	for name, change := range map[string]func(s *vault.SealedState){
		"sealed with a record more":       func(s *vault.SealedState) { s.Collections[vault.Memories].Records++ },
		"sealed with a link less":         func(s *vault.SealedState) { s.Collections[vault.Memories].Links-- },
		"sealed with a lower next number": func(s *vault.SealedState) { s.Collections[vault.Memories].Next = 2 },
		"sealed with another sum":         func(s *vault.SealedState) { s.Collections[vault.Memories].Sum[0] ^= 1 },
		"sealed without a collection":     func(s *vault.SealedState) { delete(s.Collections, vault.Relations) },
		"sealed without collections":      func(s *vault.SealedState) { s.Collections = nil },
		"sealed with values more":         func(s *vault.SealedState) { s.Epochs[0].Values++ },
		"sealed without epochs":           func(s *vault.SealedState) { s.Epochs = nil },
		"sealed with an epoch more":       func(s *vault.SealedState) { s.Epochs = append(s.Epochs, s.Epochs[0]); s.Epochs[1].Version = 9 },
		"sealed with another scope":       func(s *vault.SealedState) { s.Epochs[0].Scope = 7 },
		"sealed with a newer header":      func(s *vault.SealedState) { s.HeaderGeneration++ },
	} {
		out = append(out, kitCase{name, func(t *testing.T, _ *kit, dir string) {
			v := open(t, dir)
			vault.ChangeState(t, v, change)
			closeVault(t, v)
		}})
	}
	return append(out, kitCase{"system bucket missing", func(t *testing.T, _ *kit, dir string) {
		raw(t, dir, func(bt *bbolt.Tx) error { return bt.DeleteBucket(vault.SystemBucket) })
	}})
}

func epochCases() []kitCase {
	var out []kitCase
	for name, edit := range map[string]func(k *kit, v []byte) []byte{
		"missing": func(*kit, []byte) []byte { return nil }, "empty": func(*kit, []byte) []byte { return []byte{} },
		"last byte cut": func(_ *kit, v []byte) []byte { return v[:len(v)-1] }, "one byte more": func(_ *kit, v []byte) []byte { return append(v, 0) },
		"format": func(_ *kit, v []byte) []byte { v[0]++; return v }, "scope": func(_ *kit, v []byte) []byte { v[2]++; return v },
		"nonce": func(_ *kit, v []byte) []byte { v[5] ^= 1; return v }, "text": func(_ *kit, v []byte) []byte { v[20] ^= 1; return v },
		"tag": func(_ *kit, v []byte) []byte { v[len(v)-1] ^= 1; return v },
	} {
		out = append(out, kitCase{name, inSystem(vault.EpochKey(1), edit)})
	}
	return append(out, kitCase{"under another number", func(t *testing.T, _ *kit, dir string) {
		raw(t, dir, func(bt *bbolt.Tx) error {
			b := bt.Bucket(vault.SystemBucket)
			wrapped := bytes.Clone(b.Get(vault.EpochKey(1)))
			return errors.Join(b.Delete(vault.EpochKey(1)), b.Put(vault.EpochKey(2), wrapped))
		})
	}})
}

func searchCases() []kitCase {
	var out []kitCase
	for name, edit := range byteEdits {
		out = append(out, kitCase{name, func(t *testing.T, _ *kit, dir string) { rewrite(t, file(dir, "index.db"), edit) }})
	}
	inIndex := func(fn func(bt *bbolt.Tx) error) func(*testing.T, *kit, string) {
		return func(t *testing.T, _ *kit, dir string) {
			db, err := bbolt.Open(file(dir, "index.db"), 0o600, &bbolt.Options{Timeout: time.Second})
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(db.Update(fn), db.Close()); err != nil {
				t.Fatal(err)
			}
		}
	}
	return append(out,
		kitCase{"salt missing", inIndex(func(bt *bbolt.Tx) error { return bt.Bucket([]byte{0}).Delete([]byte{1}) })},
		kitCase{"salt short", inIndex(func(bt *bbolt.Tx) error { return bt.Bucket([]byte{0}).Put([]byte{1}, []byte("x")) })},
		kitCase{"salt changed", inIndex(func(bt *bbolt.Tx) error { return bt.Bucket([]byte{0}).Put([]byte{1}, make([]byte, 16)) })},
		kitCase{"salt's bucket missing", inIndex(func(bt *bbolt.Tx) error { return bt.DeleteBucket([]byte{0}) })},
		kitCase{"blocks missing", inIndex(func(bt *bbolt.Tx) error { return bt.DeleteBucket([]byte{1}) })},
		kitCase{"a block changed", inIndex(func(bt *bbolt.Tx) error {
			b := bt.Bucket([]byte{1})
			return b.Put([]byte{1}, bitAt(20)(bytes.Clone(b.Get([]byte{1}))))
		})},
		kitCase{"a block cut", inIndex(func(bt *bbolt.Tx) error { return bt.Bucket([]byte{1}).Put([]byte{1}, []byte("x")) })},
		kitCase{"blocks exchanged", inIndex(func(bt *bbolt.Tx) error {
			b := bt.Bucket([]byte{1})
			x, y := bytes.Clone(b.Get([]byte{1})), bytes.Clone(b.Get([]byte{2}))
			return errors.Join(b.Put([]byte{1}, y), b.Put([]byte{2}, x))
		})})
}

func blobCases(k *kit) []kitCase {
	var out []kitCase
	edits := map[string]func([]byte) []byte{
		"one byte more": func(b []byte) []byte { return append(b, 0) }, "version": bitAt(4), "key version": bitAt(8), "salt": bitAt(20), "nonce of the head": bitAt(45),
		"head": bitAt(60), "tag of the head": bitAt(105), "nonce of the chunk": bitAt(112), "chunk": bitAt(130), "only a head": func(b []byte) []byte { return b[:109] },
	}
	for name, edit := range byteEdits {
		edits[name] = edit
	}
	for name, edit := range edits {
		out = append(out, kitCase{name, func(t *testing.T, k *kit, dir string) { rewrite(t, file(dir, "blobs", k.blob), edit) }})
	}
	return append(out,
		kitCase{"another blob under its name", func(t *testing.T, k *kit, dir string) {
			v := open(t, dir)
			ref, _ := putBlob(t, v, []byte("another picture"))
			closeVault(t, v)
			if err := os.Rename(file(dir, "blobs", ref), file(dir, "blobs", k.blob)); err != nil {
				t.Fatal(err)
			}
		}},
		kitCase{"a stray file beside it", func(t *testing.T, _ *kit, dir string) { write(t, file(dir, "blobs", "notes.txt"), "x") }},
		kitCase{"a folder in its place", func(t *testing.T, k *kit, dir string) {
			rewrite(t, file(dir, "blobs", k.blob), byteEdits["missing"])
			mkdir(t, file(dir, "blobs", k.blob))
		}})
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func mkdir(t *testing.T, path string) {
	t.Helper()
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
}

func lockCases() []kitCase {
	return []kitCase{
		{"missing", func(t *testing.T, _ *kit, dir string) { remove(t, file(dir, "lock")) }},
		{"not empty", func(t *testing.T, _ *kit, dir string) { write(t, file(dir, "lock"), "1234") }},
		{"a folder in its place", func(t *testing.T, _ *kit, dir string) {
			remove(t, file(dir, "lock"))
			mkdir(t, file(dir, "lock"))
		}},
		{"held by another", func(t *testing.T, k *kit, dir string) {
			v, err := vault.Open(dir, clock)
			if err != nil {
				t.Fatal(err)
			}
			k.hold = func() { _ = v.Close() }
		}},
		{"data file held by another", func(t *testing.T, k *kit, dir string) {
			db, err := bbolt.Open(file(dir, "vault.db"), 0o600, &bbolt.Options{Timeout: time.Second})
			if err != nil {
				t.Fatal(err)
			}
			k.hold = func() { _ = db.Close() }
		}},
	}
}

func folderCases(*kit) []kitCase {
	return []kitCase{
		{"as it was", func(*testing.T, *kit, string) {}},
		{"missing", func(t *testing.T, _ *kit, dir string) { remove(t, dir) }},
		{"empty", func(t *testing.T, _ *kit, dir string) { remove(t, dir); mkdir(t, dir) }},
		{"a file in its place", func(t *testing.T, _ *kit, dir string) { remove(t, dir); write(t, dir, "x") }},
		{"data file missing", func(t *testing.T, _ *kit, dir string) { remove(t, file(dir, "vault.db")) }},
		{"a folder in the data file's place", func(t *testing.T, _ *kit, dir string) {
			remove(t, file(dir, "vault.db"))
			mkdir(t, file(dir, "vault.db"))
		}},
		{"only the data file", func(t *testing.T, _ *kit, dir string) {
			remove(t, file(dir, "vault.head"))
			remove(t, file(dir, "vault.head.bak"))
		}},
		{"only the headers", func(t *testing.T, _ *kit, dir string) {
			remove(t, file(dir, "vault.db"))
			remove(t, file(dir, "blobs"))
		}},
		{"no folder of blobs", func(t *testing.T, _ *kit, dir string) { remove(t, file(dir, "blobs")) }},
		{"remains of a write", func(t *testing.T, _ *kit, dir string) { write(t, file(dir, ".tmp-vault.head"), "half") }},
		{"remains of a creation", func(t *testing.T, _ *kit, dir string) { write(t, file(dir, ".tmp-vault.db"), "half") }},
		{"other people's files", func(t *testing.T, _ *kit, dir string) { write(t, file(dir, "thesis.odt"), "x") }},
		{"data file of another vault", func(t *testing.T, _ *kit, dir string) {
			foreign := filepath.Join(t.TempDir(), "vault")
			v, _ := create(t, foreign)
			closeVault(t, v)
			raw, err := os.ReadFile(file(foreign, "vault.db"))
			if err != nil {
				t.Fatal(err)
			}
			write(t, file(dir, "vault.db"), string(raw))
		}},
		{"headers of another vault", func(t *testing.T, _ *kit, dir string) {
			foreign := filepath.Join(t.TempDir(), "vault")
			v, _ := create(t, foreign)
			closeVault(t, v)
			raw, err := os.ReadFile(file(foreign, "vault.head"))
			if err != nil {
				t.Fatal(err)
			}
			headers(t, dir, raw, raw)
		}},
	}
}
