package core_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"keepsake/backend/core"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// shown is everything that lists show of a vault.
type shown struct {
	Memories      core.MemoryPage
	Facets        core.Facets
	Conversations core.ConversationPage
	State         core.VaultState
}

func (k *kit) shown() shown {
	return shown{
		ok(k.Service.Memories(ctx, core.MemoryQuery{})), ok(k.Facets(ctx, core.MemoryQuery{})),
		ok(k.Conversations(ctx, core.ConversationQuery{})), ok(k.VaultState(ctx)),
	}
}

// mixed is a vault with everything that rows hold.
func mixed(t *testing.T) *kit {
	k := fresh(t)
	var all book
	for i := range 150 {
		all.Memories = append(all.Memories, statement{
			Key: fmt.Sprint("k", i), Text: fmt.Sprintf("User keeps number %d in mind, não é", i), At: dayOne.Add(time.Duration(i) * time.Hour),
			Tags: []string{fmt.Sprint("tag", i%5), "ação"}[:i%3], Confidence: float64(i%7) / 7, Decay: []memory.Decay{"", memory.DecayLinear, memory.DecayNone}[i%3],
		})
		all.Conversations = append(all.Conversations, talk{
			ID: fmt.Sprint("c", i), Title: fmt.Sprint("Talk ", i), At: dayOne, Updated: dayOne.Add(time.Duration(i) * time.Minute),
			Lines:    []line{{ID: "m", Role: "user", Text: "hello", At: dayOne}},
			Memories: []statement{{Key: fmt.Sprint("s", i), Text: fmt.Sprint("User said so in talk ", i%140), Message: "m", At: dayOne}},
		})
	}
	k.imports(k.write("a.zip", all))
	list := k.memories(core.MemoryQuery{})
	for i := 0; i < 40; i += 4 {
		k.later(time.Minute)
		ok(k.EditMemory(ctx, list[i].ID, core.MemoryEdit{Content: to(fmt.Sprint("mended ", i))}))
		ok(k.SetStatus(ctx, list[i+1].ID, memory.Retracted, ""))
		ok(k.Relate(ctx, list[i].ID, memory.RelatedTo, list[i+2].ID))
	}
	return k
}

// TestRowsSurviveLocking: what lists show after an unlock is what they showed
// before, though before it was kept as it changed and after it is read.
func TestRowsSurviveLocking(t *testing.T) {
	k := mixed(t)
	before := k.shown()
	k.reopen()
	after := k.shown()
	after.State.Generation = before.State.Generation // unlocking is written into the log
	after.State.Size = before.State.Size             // what lay over the data file goes into it at a lock
	if diff := cmp.Diff(before, after); diff != "" {
		t.Error(diff)
	}
}

// TestRowsAreMadeAgain: rows of another version, missing ones, and ones that
// were never written are made again from the records.
func TestRowsAreMadeAgain(t *testing.T) {
	for name, spoil := range map[string]func(tx *vault.Tx, id string) error{
		"another version": func(tx *vault.Tx, id string) error {
			_, err := tx.PutRow(vault.Memories, id, []byte{200, 1, 2})
			return err
		},
		"cut": func(tx *vault.Tx, id string) error {
			_, err := tx.PutRow(vault.Memories, id, []byte{1, 20, 'x'})
			return err
		},
		"no pages": func(tx *vault.Tx, _ string) error {
			var pages []string
			for e, err := range tx.Each(vault.Rows) {
				if err != nil {
					return err
				}
				pages = append(pages, e.ID)
			}
			for _, id := range pages {
				if err := tx.Delete(vault.Rows, id); err != nil {
					return err
				}
			}
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			k := mixed(t)
			before := k.shown()
			id := before.Memories.Items[3].ID
			k.inVault(func(tx *vault.Tx) error { return spoil(tx, id) })
			k.reopen()
			after := k.shown()
			after.State = before.State // the rows were stored again, in a generation of their own
			if diff := cmp.Diff(before, after); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// inVault changes the vault behind the back of the Service.
func (k *kit) inVault(fn func(*vault.Tx) error) {
	k.t.Helper()
	if err := k.Lock(ctx); err != nil {
		k.t.Fatal(err)
	}
	v, err := vault.Open(k.cfg.VaultDir, k.cfg.Now)
	if err != nil {
		k.t.Fatal(err)
	}
	defer v.Close()
	if err := v.Unlock(ctx, passphrase); err != nil {
		k.t.Fatal(err)
	}
	if err := v.Update(fn); err != nil {
		k.t.Fatal(err)
	}
}
