package vault_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"keepsake/backend/fault"
	"keepsake/backend/seal"
	"keepsake/backend/vault"
)

// counting tries a passphrase and adds up what that costs (KiB × passes) without
// spending it on headers that a test forged.
func counting(passphrase string, work *uint64) vault.Opening {
	try := vault.ByPassphrase(context.Background(), []byte(passphrase))
	return func(h *seal.Header) (*seal.Keys, error) {
		*work += h.Work()
		if h.Work() > seal.TestKDF().Work() {
			return nil, fault.New(fault.WrongPassphrase, "wrong-passphrase", "")
		}
		return try(h)
	}
}

// forged is a header that asks for the most that is accepted, of a generation above
// every other.
func forged(t *testing.T, head []byte, slots, generation int) []byte {
	return editJSON(t, head, func(m map[string]any) {
		first := m["slots"].([]any)[0].(map[string]any)
		kdf := first["kdf"].(map[string]any)
		kdf["memory_kib"], kdf["time"] = 1<<20, 16
		var all []any
		for id := 1; id <= slots; id++ {
			slot := map[string]any{}
			for name, value := range first {
				slot[name] = value
			}
			slot["id"] = id
			all = append(all, slot)
		}
		m["slots"], m["next_slot"], m["generation"] = all, slots+1, generation
	})
}

// Promise: headers that somebody without the key put into the folder cost no more
// than one slot may, all of them together, and nothing where the header in the data
// file opens; none of them keeps the vault from its passphrase.
func TestForgedHeadersCostNoMoreThanOneSlot(t *testing.T) {
	whole := snapped(t)
	head, err := os.ReadFile(filepath.Join(whole, "vault.head"))
	if err != nil {
		t.Fatal(err)
	}
	featured := editJSON(t, head, func(m map[string]any) { m["features"] = []string{"x"} })
	newer := editJSON(t, head, func(m map[string]any) { m["format"] = 2 })
	own := seal.TestKDF().Work()
	for name, c := range map[string][2][]byte{
		"one dear slot":       {forged(t, head, 1, 99), head},
		"in both files":       {forged(t, head, 1, 99), forged(t, head, 1, 99)},
		"two of them":         {forged(t, head, 1, 99), forged(t, head, 1, 98)},
		"fifteen dear slots":  {forged(t, head, 15, 99), forged(t, head, 15, 98)},
		"two slots of a kind": {forged(t, head, 2, 99), head},
		"of another vault":    {editJSON(t, forged(t, head, 1, 99), func(m map[string]any) { m["vault_id"] = strings.Repeat("0", 32) }), head},
		"a feature":           {featured, head},
		"a feature in both":   {featured, featured},
		"a newer format":      {newer, newer},
	} {
		for does, do := range map[string]func(dir string, try vault.Opening) error{
			"open": func(dir string, try vault.Opening) error {
				v, err := vault.Open(dir, clock)
				if err != nil {
					return err
				}
				defer v.Close()
				return v.UnlockBy(try)
			},
			"open at once": func(dir string, try vault.Opening) error {
				v, err := vault.OpenBy(dir, clock, try, nil)
				if err != nil {
					return err
				}
				return v.Close()
			},
			"recover": func(dir string, try vault.Opening) error {
				_, err := vault.Recover(context.Background(), dir, clock, true, try)
				return err
			},
			"salvage": func(dir string, try vault.Opening) error {
				r, err := vault.Salvage(context.Background(), dir, try)
				if err == nil {
					r.Close()
				}
				return err
			},
		} {
			dir := filepath.Join(t.TempDir(), "vault")
			copyFolder(t, whole, dir)
			headers(t, dir, c[0], c[1])
			if _, err := vault.Inspect(dir); err != nil {
				t.Errorf("%s: inspect: %v", name, err)
			}
			var work uint64
			err := do(dir, counting("not the passphrase", &work))
			if fault.CodeOf(err) != fault.WrongPassphrase || work > seal.MaxWork+own {
				t.Errorf("%s, %s, wrong passphrase: %v, work %d of %d", name, does, err, work, uint64(seal.MaxWork))
			}
			work = 0
			if err := do(dir, counting(passphrase, &work)); err != nil || work > 3*own {
				t.Errorf("%s, %s: %v, work %d, own %d", name, does, err, work, own)
			}
		}
	}
}

// snapped is a vault with a record and a snapshot.
func snapped(t *testing.T) (dir string) {
	t.Helper()
	v := newVault(t)
	put(t, v, vault.Memories, "m", 3)
	if err := v.Snapshot(context.Background()); err != nil {
		t.Fatal(err)
	}
	dir = v.Info().Dir
	closeVault(t, v)
	return dir
}
