package vault_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

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
	if runtime.GOOS == "windows" { // where bbolt makes a small file shorter: half of it would be too little
		if err := os.Truncate(filepath.Join(k.dir, "index.db"), 256<<10); err != nil {
			t.Fatal(err)
		}
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
// are the data that were stored. Where it is said that nothing was changed, no file was.
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
			before := filesOf(t, dir)
			word, err := k.word(dir)
			if err != nil && strings.Contains(fault.From(err).Advice(), "Nothing was changed.") && !maps.Equal(before, filesOf(t, dir)) {
				t.Errorf("%s: it ends in %s, and the vault is another one", key, word)
			}
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

// filesOf are the bytes of every file below a folder, which may be missing.
func filesOf(t testing.TB, dir string) map[string]string {
	t.Helper()
	held := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		raw, err := os.ReadFile(path)
		if runtime.GOOS == "windows" && filepath.Base(path) == "vault.db" {
			raw = bytes.TrimRight(raw, "\x00") // bbolt makes a file there as long as what it maps
		}
		held[path] = string(raw)
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return held
}
