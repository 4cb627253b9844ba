package core_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"keepsake/backend/core"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
	"keepsake/backend/seal"
	"keepsake/backend/vault/vaulttest"
)

// secretWords are in nothing but what the tests forget.
const secretWords = "mulberry-heliotrope"

// withSecret is a vault, sealed by nothing so that its files can be searched,
// with a memory and a conversation that hold the secret words in every place
// where words can lie: titles, texts, tags, summaries, undo, an attachment.
func withSecret(t *testing.T) (k *kit, memoryID, talkID string, export string) {
	t.Helper()
	k = bare(t, seal.Plaintext)
	if _, err := k.CreateVault(ctx, passphrase, "test"); err != nil {
		t.Fatal(err)
	}
	export = k.write("book.json", book{
		Conversations: []talk{
			{ID: "secret-talk", Title: "About " + secretWords, At: dayOne, Updated: dayOne, Lines: []line{
				{ID: "a", Role: "user", Text: "I grow " + secretWords, At: dayOne}, {ID: "b", Parent: "a", Role: "assistant", Text: "Nice, " + secretWords + "!", At: dayOne},
			}},
			{ID: "plain-talk", Title: "About tea", At: dayOne, Updated: dayOne, Lines: []line{{ID: "c", Role: "user", Text: "I drink tea", At: dayOne}}},
		},
		Memories: []statement{
			{Key: "1", Text: "User grows " + secretWords, At: dayOne, Tags: []string{"garden"}},
			{Key: "2", Text: "User drinks tea", At: dayOne, Tags: []string{"kitchen"}},
		},
	})
	k.imports(export)
	page := ok(k.Memories(ctx, core.MemoryQuery{Text: secretWords}))
	if page.Total != 1 {
		t.Fatalf("%d memories hold the words", page.Total)
	}
	memoryID = page.Items[0].ID
	text := "User grows much " + secretWords
	ok(k.EditMemory(ctx, memoryID, core.MemoryEdit{Content: &text, Summary: &text}))
	other := ok(k.Memories(ctx, core.MemoryQuery{Text: "tea"})).Items[0].ID
	ok(k.Relate(ctx, memoryID, memory.RelatedTo, other))
	if err := k.SettleCopies(ctx); err != nil {
		t.Fatal(err)
	}
	talks := ok(k.Conversations(ctx, core.ConversationQuery{Text: "About"}))
	for _, c := range talks.Items {
		if strings.Contains(c.Title, secretWords) {
			talkID = c.ID
		}
	}
	return k, memoryID, talkID, export
}

// holding are the files of the vault in which the words can be read.
func (k *kit) holding(words string) []string {
	k.t.Helper()
	return ok(vaulttest.Scan([]string{words}, k.cfg.VaultDir))[words]
}

// stopAfterOne is a context that ends once it has been asked whether it did.
type stopAfterOne struct {
	context.Context
	once sync.Once
	done chan struct{}
}

func (c *stopAfterOne) Done() <-chan struct{} { return c.done }

func (c *stopAfterOne) Err() (err error) {
	err = context.Canceled
	c.once.Do(func() { close(c.done); err = nil })
	return err
}

// Promise: what is forgotten is in no file of the vault any more, whatever held
// it: the record, its rows, undo, the index, the journal, copies of the vault;
// nothing else goes, and an import does not bring it back.
func TestForgetLeavesNothing(t *testing.T) {
	k, memoryID, talkID, export := withSecret(t)
	if err := k.WaitForIndex(ctx); err != nil {
		t.Fatal(err)
	}
	if held := k.holding(secretWords); len(held) < 2 {
		t.Fatalf("the control: only %v hold the words", held)
	}
	receipt, err := k.Forget(ctx, []string{memoryID}, []string{talkID})
	if err != nil {
		t.Fatal(err)
	}
	if receipt.Memories != 1 || receipt.Conversations != 1 || receipt.Messages != 2 || receipt.Relations != 1 || !receipt.Erased {
		t.Errorf("the receipt says %+v", receipt)
	}
	if held := k.holding(secretWords); len(held) > 0 {
		t.Errorf("still in %v", held)
	}
	if held := k.holding("mulberry"); len(held) > 0 {
		t.Errorf("a word of it is still in %v", held)
	}
	check := func(where string) {
		t.Helper()
		if n := ok(k.Memories(ctx, core.MemoryQuery{})).Total; n != 1 {
			t.Errorf("%s: %d memories", where, n)
		}
		if n := ok(k.Conversations(ctx, core.ConversationQuery{})).Total; n != 1 {
			t.Errorf("%s: %d conversations", where, n)
		}
		if n := len(ok(k.Relations(ctx))); n != 0 {
			t.Errorf("%s: %d relations", where, n)
		}
	}
	check("after it")
	report := k.imports(export)
	if report.Identical != "" || report.Conversations.Unchanged != 1 || report.Ledger[0].Skipped["forgotten"] != 2 {
		t.Errorf("the same import says %+v", report) // nothing of the forgotten is in the vault
	}
	check("after the same import")
	grown := k.write("grown.json", book{Parrot: true, Conversations: []talk{{ID: "secret-talk", Title: "About " + secretWords, At: dayOne, Updated: dayOne.Add(time.Hour),
		Lines: []line{{ID: "a", Role: "user", Text: "I grow " + secretWords, At: dayOne}}}},
		Memories: []statement{{Key: "9", Text: "User grows " + secretWords, At: dayOne}}})
	report = k.imports(grown)
	if report.Ledger[0].Skipped["forgotten"] != 2 {
		t.Errorf("the next import says %+v", report.Ledger)
	}
	check("after another import")
	for range 5 {
		if _, err := k.Undo(ctx); err != nil {
			break
		}
	}
	if page := ok(k.Memories(ctx, core.MemoryQuery{Text: secretWords})); page.Total != 0 {
		t.Error("undo brought it back")
	}
	text, err := json.Marshal(ok(k.Receipts(ctx)))
	if err != nil || !bytes.Contains(text, []byte(receipt.ID)) || bytes.Contains(text, []byte(secretWords)) {
		t.Errorf("the receipts are %s, %v", text, err)
	}
}

// Promise: a plan says what would go, by each way of choosing, and takes nothing.
func TestPlanForget(t *testing.T) {
	k, memoryID, talkID, _ := withSecret(t)
	tests := map[string]struct {
		q                       core.ForgetQuery
		memories, conversations int
	}{
		"a memory":       {core.ForgetQuery{IDs: []string{memoryID}}, 1, 0},
		"both":           {core.ForgetQuery{IDs: []string{memoryID, talkID}}, 1, 1},
		"a conversation": {core.ForgetQuery{Conversations: []string{talkID}}, 0, 1},
		"a tag":          {core.ForgetQuery{Tags: []string{"garden"}}, 1, 0},
		"words":          {core.ForgetQuery{Texts: []string{"tea"}}, 1, 0},
		"twice the same": {core.ForgetQuery{Tags: []string{"garden", "garden"}}, 1, 0},
		"a beginning":    {core.ForgetQuery{Texts: []string{"te*"}}, 1, 0},
		"two searches":   {core.ForgetQuery{Texts: []string{"tea", "garden"}}, 2, 0},
		"a list":         {core.ForgetQuery{Library: &core.MemoryQuery{Text: "tea", Offset: 1, Limit: 1}}, 1, 0},
		"a day":          {core.ForgetQuery{Before: dayOne.Add(time.Hour)}, 2, 2},
	}
	for name, test := range tests {
		p, err := k.PlanForget(ctx, test.q)
		if err != nil || len(p.Memories) != test.memories || len(p.Conversations) != test.conversations || len(p.Sample) != test.memories+test.conversations {
			t.Errorf("%s: %+v, %v", name, p, err)
		}
	}
	generation := k.state().Generation
	for name, c := range map[string]struct {
		q      core.ForgetQuery
		reason string
	}{
		"no tag":                     {core.ForgetQuery{Tags: []string{"nothing"}}, "forget-no-such-target"},
		"no words":                   {core.ForgetQuery{Texts: []string{"zeppelin"}}, "forget-no-such-target"},
		"nothing":                    {core.ForgetQuery{}, "forget-selects-nothing"},
		"no id":                      {core.ForgetQuery{IDs: []string{memoryID, "x"}}, "forget-no-such-id"},
		"the beginning of a word":    {core.ForgetQuery{Texts: []string{"te"}}, "forget-no-such-target"},
		"the middle of one":          {core.ForgetQuery{Texts: []string{"arde"}}, "forget-no-such-target"},
		"a tag of two":               {core.ForgetQuery{Tags: []string{"garden", "nothing"}}, "forget-no-such-target"},
		"words of two":               {core.ForgetQuery{Texts: []string{"tea", "zeppelin"}}, "forget-no-such-target"},
		"empty words":                {core.ForgetQuery{Texts: []string{""}}, "forget-no-such-target"},
		"spaces":                     {core.ForgetQuery{Texts: []string{"tea", "  "}}, "forget-no-such-target"},
		"an empty tag":               {core.ForgetQuery{Tags: []string{""}}, "forget-no-such-target"},
		"before everything":          {core.ForgetQuery{Before: dayOne.Add(-time.Hour * 24 * 9999)}, "forget-selects-nothing"},
		"a memory as a conversation": {core.ForgetQuery{Conversations: []string{talkID, memoryID}}, "forget-no-such-conversation"},
	} {
		if _, err := k.PlanForget(ctx, c.q); fault.CodeOf(err) != fault.NotFound || fault.From(err).Reason != c.reason {
			t.Errorf("%s: %v", name, err)
		}
	}
	ways := []func(*core.ForgetQuery){
		func(q *core.ForgetQuery) { q.IDs = []string{memoryID} },
		func(q *core.ForgetQuery) { q.Conversations = []string{talkID} },
		func(q *core.ForgetQuery) { q.Tags = []string{"garden"} },
		func(q *core.ForgetQuery) { q.Before = dayOne.Add(time.Hour) },
		func(q *core.ForgetQuery) { q.Texts = []string{"tea"} },
		func(q *core.ForgetQuery) { q.Library = &core.MemoryQuery{} },
	}
	for i, one := range ways {
		for j, other := range ways[:i] {
			var q core.ForgetQuery
			one(&q)
			other(&q)
			if _, err := k.PlanForget(ctx, q); fault.From(err).Reason != "forget-two-ways" {
				t.Errorf("ways %d and %d at once: %v", i, j, err)
			}
		}
	}
	if now := k.state(); now.Generation != generation || now.Memories != 2 || now.Conversations != 2 {
		t.Errorf("the vault was written to: %+v", now)
	}
}

// Promise: a forget that a lock stopped before the files were searched is
// completed after the next unlock.
func TestForgetGoesOn(t *testing.T) {
	k, memoryID, _, _ := withSecret(t)
	stopping := &stopAfterOne{Context: ctx, done: make(chan struct{})}
	if _, err := k.Forget(stopping, []string{memoryID}, nil); err == nil {
		t.Fatal("it was not stopped")
	}
	if held := k.holding("User grows much"); len(held) == 0 {
		t.Fatal("the control: nothing holds the words")
	}
	k.reopen()
	for range 200 {
		if len(k.holding("User grows much")) == 0 {
			return
		}
		time.Sleep(20 * time.Millisecond) // it goes on in the background and tells nobody when it is done
	}
	t.Errorf("still in %v", k.holding("User grows much"))
}
