package vault_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"keepsake/backend/fault"
	"keepsake/backend/seal"
	"keepsake/backend/vault"
)

// fingerprint is the names, sizes, times, permissions and bytes of a folder.
func fingerprint(t *testing.T, dir string) string {
	t.Helper()
	h := sha256.New()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintln(h, path, info.Size(), info.ModTime().UnixNano(), info.Mode())
		if d.IsDir() {
			return nil
		}
		raw, err := os.ReadFile(path)
		h.Write(raw)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Promise: only the owner of the account can even see the sealed files.
func TestPermissions(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no permission bits; the user's profile folder is private by its access list")
	}
	dir := filepath.Join(t.TempDir(), "deep", "vault")
	v, _ := create(t, dir)
	put(t, v, vault.Memories, "m", 5)
	putBlob(t, v, []byte("x"))
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		want := fs.FileMode(0o600)
		if d.IsDir() {
			want = 0o700
		}
		if info.Mode().Perm() != want {
			t.Errorf("%s has %v", path, info.Mode().Perm())
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Promise: a new vault says what it is, also before it is unlocked.
func TestInspect(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	v, _ := create(t, dir)
	before := fingerprint(t, dir)
	info, err := vault.Inspect(dir) // while it is in use
	if err != nil {
		t.Fatal(err)
	}
	if info.Format != 1 || len(info.VaultID) != 32 || !info.WeakKDF || info.KDF != seal.TestKDF() || info.Size < 16<<10 ||
		len(info.Slots) != 2 || info.Slots[0].Kind != "passphrase" || info.Slots[1].Kind != "recovery" || !info.CreatedAt.Equal(day) {
		t.Errorf("it says %+v", info)
	}
	if own := v.Info(); own.VaultID != info.VaultID || own.Repaired {
		t.Errorf("the open vault says %+v", own)
	}
	if fingerprint(t, dir) != before {
		t.Error("looking changed it")
	}
	_, err = vault.Inspect(t.TempDir())
	wantFault(t, err, fault.NotFound, "no-vault")
}

func TestOpenNothing(t *testing.T) {
	dir := t.TempDir()
	for _, d := range []string{dir, filepath.Join(dir, "missing")} {
		_, err := vault.Open(d, clock)
		wantFault(t, err, fault.NotFound, "no-vault")
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 0 {
		t.Errorf("it made %v", entries)
	}
}

// Promise: a vault is never made over another, nor between other people's
// files, and a refusal leaves everything as it was.
func TestCreateRefuses(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	v, _ := create(t, dir)
	closeVault(t, v)
	full := t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "thesis.odt"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	good := vault.CreateOptions{Passphrase: []byte(passphrase), KDF: seal.TestKDF(), Now: clock}
	short, weird := good, good
	short.Passphrase = []byte("short")
	weird.KDF = seal.KDF{MemoryKiB: 1 << 30, Time: 1, Threads: 1}
	for _, c := range []struct {
		name, dir string
		o         vault.CreateOptions
		code      fault.Code
	}{
		{"over a vault", dir, good, fault.Conflict},
		{"between other files", full, good, fault.Conflict},
		{"in a file", filepath.Join(full, "thesis.odt"), good, fault.Invalid},
		{"below a file", filepath.Join(full, "thesis.odt", "vault"), good, fault.Invalid},
		{"with a short passphrase", filepath.Join(full, "new"), short, fault.Invalid},
		{"beyond the bounds", filepath.Join(full, "new"), weird, fault.Internal},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := fingerprint(t, full) + fingerprint(t, dir)
			if _, _, err := vault.Create(c.dir, c.o); fault.CodeOf(err) != c.code {
				t.Errorf("got %v", err)
			}
			if fingerprint(t, full)+fingerprint(t, dir) != before {
				t.Error("it left traces")
			}
		})
	}
}

// Promise: the remains of a creation that was killed are made into a whole
// vault by the next one.
func TestCreateAfterKilledCreation(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	v, _ := create(t, dir)
	closeVault(t, v)
	if err := os.Rename(filepath.Join(dir, "vault.db"), filepath.Join(dir, ".tmp-vault.db")); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(dir, "snapshots")); err != nil { // the first is made last
		t.Fatal(err)
	}
	_, err := vault.Open(dir, clock)
	wantFault(t, err, fault.Damaged, "vault-data-missing")
	_, err = vault.Inspect(dir)
	wantFault(t, err, fault.Damaged, "vault-data-missing")
	v, code := create(t, dir)
	closeVault(t, v)
	v = open(t, dir)
	v.Lock()
	if err := v.UnlockRecovery(context.Background(), code); err != nil {
		t.Fatal(err)
	}
}

// Promise: wrong passphrase and damage are never mixed up.
func TestWrongPassphraseIsNotDamage(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	v, code := create(t, dir)
	closeVault(t, v)
	v, err := vault.Open(dir, clock)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	wantFault(t, v.Unlock(t.Context(), []byte("correct horse batterx")), fault.WrongPassphrase, "wrong-passphrase")
	wantFault(t, v.UnlockRecovery(t.Context(), "not a code"), fault.Invalid, "recovery-code-typo")
	wantFault(t, v.View(func(*vault.Tx) error { return nil }), fault.Locked, "vault-locked")
	if err := v.UnlockRecovery(t.Context(), strings.ToLower(code)); err != nil {
		t.Fatal(err)
	}
	wantFault(t, v.Unlock(t.Context(), []byte("correct horse batterx")), fault.WrongPassphrase, "wrong-passphrase")
	if !v.Unlocked() {
		t.Error("a wrong passphrase locked it")
	}
	if err := v.Unlock(t.Context(), []byte(passphrase)); err != nil {
		t.Fatalf("checking the passphrase again: %v", err)
	}
}

// headers writes the two header files.
func headers(t *testing.T, dir string, head, copy []byte) {
	t.Helper()
	for name, raw := range map[string][]byte{"vault.head": head, "vault.head.bak": copy} {
		path := filepath.Join(dir, name)
		if raw == nil {
			_ = os.Remove(path)
			continue
		}
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// Promise: as long as one of the three copies of the header is whole, the
// vault opens, and the others are put right.
func TestHeaderCopiesHeal(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	v, _ := create(t, dir)
	closeVault(t, v)
	good, err := os.ReadFile(filepath.Join(dir, "vault.head"))
	if err != nil {
		t.Fatal(err)
	}
	bad := bytes.Clone(good)
	bad[len(bad)/2] ^= 1
	for name, files := range map[string][2][]byte{
		"first damaged": {bad, good}, "second damaged": {good, bad}, "both damaged": {bad, bad},
		"first lost": {nil, good}, "second lost": {good, nil}, "both lost": {nil, nil}, "first empty": {{}, good},
		"first without its digest": {reframe(bad[44:]), good},
		"both weakened":            {weaken(good), weaken(good)},
	} {
		t.Run(name, func(t *testing.T) {
			headers(t, dir, files[0], files[1])
			if info, err := vault.Inspect(dir); err != nil || info.Format != 1 { // which doors ask for before they open
				t.Errorf("inspect says %+v, %v", info, err)
			}
			v := open(t, dir)
			if !v.Info().Repaired {
				t.Error("it does not say that it repaired something")
			}
			closeVault(t, v)
			for _, file := range []string{"vault.head", "vault.head.bak"} {
				if raw, err := os.ReadFile(filepath.Join(dir, file)); err != nil || !bytes.Equal(raw, good) {
					t.Errorf("%s was not put right: %v", file, err)
				}
			}
			if v = open(t, dir); v.Info().Repaired {
				t.Error("it repairs again")
			}
			closeVault(t, v)
		})
	}
}

func reframe(body []byte) []byte {
	sum := sha256.Sum256(body)
	out := binary.BigEndian.AppendUint32([]byte("KEEPSAKE"), uint32(len(body)))
	return append(append(out, sum[:]...), body...)
}

// weaken asks for another cost and makes the digest fit again.
func weaken(head []byte) []byte {
	body := bytes.Replace(head[44:], []byte(`"memory_kib":64,"name":"argon2id"`), []byte(`"memory_kib":19456,"name":"argon2id"`), 1)
	return reframe(body)
}

// Promise: every byte of the header that changes in all copies ends in a
// fault, and no changed header opens the vault.
func TestEveryHeaderByteInAllCopies(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	v, _ := create(t, dir)
	closeVault(t, v)
	good, err := os.ReadFile(filepath.Join(dir, "vault.head"))
	if err != nil {
		t.Fatal(err)
	}
	beside, err := filepath.Glob(filepath.Join(dir, "snapshots", "*", "vault.head"))
	if err != nil || len(beside) != 1 {
		t.Fatal(beside, err)
	}
	for i := 0; i < len(good); i += 3 {
		bad := bytes.Clone(good)
		bad[i] ^= 1
		headers(t, dir, bad, bad)
		storeHeader(t, dir, bad)
		damage(t, beside[0], func([]byte) []byte { return bad })
		_, err := vault.Open(dir, clock)
		if code := fault.CodeOf(err); code != fault.Damaged {
			t.Fatalf("byte %d: %v", i, err)
		}
		if _, err := vault.Inspect(dir); fault.CodeOf(err) != fault.Damaged {
			t.Fatalf("byte %d: inspect says %v", i, err)
		}
	}
	changed := weaken(good)
	headers(t, dir, changed, changed)
	storeHeader(t, dir, changed)
	if _, err := tryOpen(t, dir); fault.CodeOf(err) != fault.WrongPassphrase {
		t.Fatalf("a changed cost: %v", err)
	}
}

// Promise: a header from before a slot was taken away does not open the vault
// of today.
func TestOldHeader(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	v, _ := create(t, dir)
	vault.ChangeState(t, v, func(s *vault.SealedState) { s.HeaderGeneration++ })
	closeVault(t, v)
	before := filesOf(t, dir)
	_, err := tryOpen(t, dir)
	wantFault(t, err, fault.Damaged, "vault-header-old")
	if !maps.Equal(before, filesOf(t, dir)) {
		t.Error("a file of the vault changed")
	}
}

// Promise: a vault of a newer Keepsake is refused in words, and not one byte,
// name or time in its folder changes.
func TestNewerFormatWritesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	v, _ := create(t, dir)
	closeVault(t, v)
	good, err := os.ReadFile(filepath.Join(dir, "vault.head"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "lock")); err != nil {
		t.Fatal(err)
	}
	newer := reframe(bytes.Replace(good[44:], []byte(`"format":1`), []byte(`"format":2,"new":[{}]`), 1))
	featured := reframe(bytes.Replace(good[44:], []byte(`"features":[]`), []byte(`"features":["x"]`), 1))
	for _, c := range []struct {
		head, copy []byte
		reason     string
	}{
		{newer, newer, "vault-newer-format"}, {good, newer, "vault-newer-format"}, {newer, nil, "vault-newer-format"},
		{featured, featured, "vault-unknown-feature"},
	} {
		if stored := c.copy; stored == nil {
			everyHeader(t, dir, c.head)
		} else {
			everyHeader(t, dir, stored) // in the data file, too; it decides
		}
		headers(t, dir, c.head, c.copy)
		before := fingerprint(t, dir)
		_, err := vault.Open(dir, clock)
		wantFault(t, err, fault.Unsupported, c.reason)
		_, err = vault.Inspect(dir)
		wantFault(t, err, fault.Unsupported, c.reason)
		_, _, err = vault.Create(dir, vault.CreateOptions{Passphrase: []byte(passphrase), KDF: seal.TestKDF()})
		wantFault(t, err, fault.Conflict, "vault-exists")
		if fingerprint(t, dir) != before {
			t.Error("the folder changed")
		}
	}
}

// Promise: a data file that was cut, emptied, overwritten or exchanged ends in
// a fault.
func TestDamagedData(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	v, _ := create(t, dir)
	put(t, v, vault.Memories, "m", 2000)
	closeVault(t, v)
	other := filepath.Join(t.TempDir(), "other")
	v2, _ := create(t, other)
	closeVault(t, v2)
	path := filepath.Join(dir, "vault.db")
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	foreign, err := os.ReadFile(filepath.Join(other, "vault.db"))
	if err != nil {
		t.Fatal(err)
	}
	pages := bytes.Clone(good)
	clear(pages[2*4096:])
	for name, data := range map[string][]byte{
		"emptied": {}, "one byte": {0}, "only meta pages": good[:8192], "cut in half": good[:len(good)/2],
		"last page cut": good[:len(good)-4096], "metas lost": append(make([]byte, 8192), good[8192:]...),
		"pages lost": pages, "text": bytes.Repeat([]byte("not a database\n"), 4096), "of another vault": foreign,
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			v, err := tryOpen(t, dir)
			if fault.CodeOf(err) != fault.Damaged && !harmless(t, v, err) {
				t.Errorf("got %v", err)
			}
			if v != nil {
				_ = v.Close()
			}
			if raw, _ := os.ReadFile(path); err != nil && !bytes.Equal(raw, data) {
				t.Error("the damaged file was changed")
			}
		})
	}
}

// harmless reports whether everything can still be read: the last page of a
// file may be a free one.
func harmless(t *testing.T, v *vault.Vault, err error) bool {
	t.Helper()
	if err != nil {
		return false
	}
	n := 0
	err = v.View(func(tx *vault.Tx) error {
		for _, err := range tx.Each(vault.Memories) {
			if err != nil {
				return err
			}
			n++
		}
		return nil
	})
	return err == nil && n == 2000
}
