package core_test

import (
	"testing"

	"keepsake/backend/core"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
)

// TestMergeMemories: of two memories that say the same one stays as it is and gains the
// sources of the other, which is superseded by it. Importing again changes nothing, later
// words of a source reach only the memory that it stated, and undo takes all back.
func TestMergeMemories(t *testing.T) {
	k := fresh(t)
	book1 := k.write("one.zip", book{Account: "ana", Memories: []statement{{Key: "a", Text: "User drinks green tea.", At: dayOne}}})
	book2 := k.write("two.zip", book{Account: "ana", Memories: []statement{{Key: "b", Text: "Drinks green tea every day.", At: dayOne}}})
	first, second := k.imports(book1), k.imports(book2)
	kept, other := k.saying("User drinks green tea."), k.saying("Drinks green tea every day.")
	before := state(k)

	merged := ok(k.MergeMemories(ctx, kept.ID, other.ID))
	equal(t, kept.Content, merged.Content)
	if merged.Confidence.Value() <= kept.Confidence.Value() {
		t.Errorf("confidence %v after %v", merged.Confidence.Value(), kept.Confidence.Value())
	}
	var from []string
	for _, s := range ok(k.Memory(ctx, kept.ID)).Sources {
		from = append(from, s.ImportID)
	}
	equal(t, []string{first.ImportID, second.ImportID}, from)
	gone := ok(k.Memory(ctx, other.ID))
	equal(t, memory.Superseded, gone.Record.Status)
	equal(t, kept.ID, gone.Record.Temporal.SupersededBy)
	equal(t, 1, len(gone.Relations))

	after := state(k)
	if r := k.imports(book2); r.Memories.New+r.Memories.Merged+r.Memories.Updated != 0 || state(k) != after {
		t.Errorf("importing again: %+v", r.Memories)
	}
	k.imports(k.write("three.zip", book{Account: "ana", Memories: []statement{{Key: "b", Text: "Drinks black tea every day.", At: dayOne}}}))
	equal(t, kept.Content, ok(k.Memory(ctx, kept.ID)).Record.Content)
	ok(k.Undo(ctx))
	ok(k.Undo(ctx))
	equal(t, before, state(k))

	ok(k.MergeMemories(ctx, kept.ID, other.ID))
	ok(k.UndoImport(ctx, first.ImportID))
	if d, err := k.Memory(ctx, kept.ID); err != nil || len(d.Sources) != 1 || d.Sources[0].ImportID != second.ImportID {
		t.Errorf("what the second import states too went with the first: %+v, %v", d.Sources, err)
	}
}

func TestMergeMemoriesRefused(t *testing.T) {
	k := fresh(t)
	a, b, c := added(t, k, "Likes tea."), added(t, k, "Is fond of tea."), added(t, k, "Likes no tea.")
	ok(k.SetStatus(ctx, c.ID, memory.Retracted, ""))
	before := state(k)
	for _, wrong := range []struct{ into, other, reason string }{
		{a.ID, a.ID, "relation-to-itself"},
		{a.ID, "nobody", "no-memory"},
		{"nobody", a.ID, "no-memory"},
		{c.ID, a.ID, "merge-inactive"},
		{a.ID, c.ID, "final-step"},
	} {
		if _, err := k.MergeMemories(ctx, wrong.into, wrong.other); fault.From(err).Reason != wrong.reason {
			t.Errorf("%s into %s: %v", wrong.other, wrong.into, err)
		}
		equal(t, before, state(k))
	}
	ok(k.MergeMemories(ctx, a.ID, b.ID))
	if _, err := k.MergeMemories(ctx, b.ID, a.ID); err == nil {
		t.Error("merged in a circle")
	}
}

// TestMergedSourceHasNoAuthority: a document that may change the memory that was merged may
// not change the one that it was merged into.
func TestMergedSourceHasNoAuthority(t *testing.T) {
	k := full(t)
	_, text := k.export("out.pam.json", core.ExportOptions{})
	n := fresh(t)
	mine := added(t, n, "Drinks green tea.")
	n.imports(n.file("theirs.pam.json", text))
	theirs := n.saying("User drinks green tea")
	ok(n.MergeMemories(ctx, mine.ID, theirs.ID))
	for _, s := range ok(n.Memory(ctx, mine.ID)).Sources {
		if s.OriginalID != "" || s.Owner != "" || s.Signer != "" || s.Record != "" {
			t.Errorf("a source with authority: %+v", s)
		}
	}
}
