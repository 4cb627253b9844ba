package importertest

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"keepsake/backend/core"
	"keepsake/backend/fault"
	"keepsake/backend/importer/all"
	"keepsake/backend/memory"
)

// stored is a fixture as files on the disk, and a vault of its own to import them
// into.
type stored struct {
	*core.Service
	t      *testing.T
	inputs []core.Input
}

func store(t *testing.T, f Fixture) stored {
	t.Helper()
	root := t.TempDir()
	s, err := core.New(core.Config{VaultDir: filepath.Join(root, "vault"), ScratchDir: filepath.Join(root, "scratch"), Importers: all.Importers()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if _, err := s.CreateVault(t.Context(), []byte("a passphrase of the suite"), "test"); err != nil {
		t.Fatal(err)
	}
	out := stored{Service: s, t: t}
	out.inputs = out.placed(filepath.Join(root, "export"), f)
	return out
}

// placed writes the files of a fixture into a folder, to be imported.
func (s stored) placed(dir string, f Fixture) (inputs []core.Input) {
	s.t.Helper()
	for _, path := range writeFiles(s.t, dir, f.Files) {
		inputs = append(inputs, core.Input{Path: path})
	}
	return inputs
}

// figures are what a dry run and an import must say alike.
type figures struct {
	Conversations core.ConversationCounts
	Messages      core.MessageCounts
	Memories      core.MemoryCounts
	Relations     core.RelationCounts
	Todos         core.TodoCounts
	Missing       int // attachments
	Ledger        []core.LedgerRow
	Unknown       map[string]int
	Textless      map[string]int
	Problems      []core.ReportProblem
	Fault         string
}

func figuresOf(r core.ImportReport, err error) figures {
	f := figures{r.Conversations, r.Messages, r.Memories, r.Relations, r.Todos, r.Attachments.Missing, r.Ledger, r.Unknown, r.AnswersWithoutText, r.Problems, ""}
	if err != nil {
		f.Fault = fault.From(err).Reason
	}
	return f
}

// imports imports the fixture and holds that a dry run just before says what the
// import then does, and that each row of the ledger adds up. Options that differ
// from those of an earlier import have the files read again.
func (s stored) imports(when string, o core.ImportOptions) core.ImportReport {
	s.t.Helper()
	o.AcceptBroken, o.AnyBase, o.DryRun = true, true, true // fixtures of documents are changed by hand
	said := figuresOf(s.Import(s.t.Context(), s.inputs, o, nil))
	o.DryRun = false
	report, err := s.Import(s.t.Context(), s.inputs, o, nil)
	if diff := cmp.Diff(said, figuresOf(report, err)); diff != "" {
		s.t.Errorf("%s: a dry run says otherwise (-dry run +import):\n%s", when, diff)
	}
	if report.Identical != "" {
		s.t.Errorf("%s: the files were not read again", when)
	}
	for _, row := range report.Ledger {
		sum := row.Taken + row.Merged + row.Unchanged
		for _, n := range row.Skipped {
			sum += n
		}
		for _, n := range row.Unknown {
			sum += n
		}
		if sum != row.Seen {
			s.t.Errorf("%s: %d seen, %d accounted for: %+v", when, row.Seen, sum, row)
		}
	}
	return report
}

// checkVault takes a fixture into a vault: foreseen by a dry run, undone without a
// trace, unchanged the second time, exported whole, and what was forgotten or
// retracted there stays so.
func checkVault(t *testing.T, f Fixture) {
	s := store(t, f)
	first := s.imports("into an empty vault", core.ImportOptions{})
	if !first.Changed {
		t.Fatalf("nothing was taken: %+v", first)
	}
	if _, err := s.UndoImport(t.Context(), first.ImportID); err != nil {
		t.Fatal(err)
	}
	if n := s.held(); n != (holds{}) {
		t.Errorf("undone, and left: %+v", n)
	}
	first = s.imports("after it was undone", core.ImportOptions{})
	before := s.held()
	again := s.imports("a second time", core.ImportOptions{OnConflict: core.KeepOurs})
	if again.Changed || s.held() != before {
		t.Errorf("the second import changed something: %+v", again)
	}
	for _, row := range again.Ledger {
		if row.Taken+row.Merged > 0 {
			t.Errorf("the second import took something: %+v", row)
		}
	}
	s.leaves()
	s.change()
	before = s.held()
	s.imports("after something was forgotten and retracted", core.ImportOptions{MergeIn: "nobody"})
	if now := s.held(); now != before {
		t.Errorf("what was forgotten or retracted came back: %+v, before %+v", now, before)
	}
}

// leaves holds that everything can be exported: a bundle with a file that its schema
// refuses is not handed out.
func (s stored) leaves() {
	s.t.Helper()
	whole := core.ExportOptions{IncludeConversations: true, IncludeAttachments: true, IncludeEmbeddings: true}
	if _, err := s.ExportPAM(s.t.Context(), filepath.Join(s.t.TempDir(), "whole.zip"), whole); err != nil {
		s.t.Errorf("it does not leave as a bundle: %v", err)
	}
}

// holds is how much a vault has.
type holds struct{ Memories, Active, Conversations, Messages, Relations, Todos int }

func (s stored) held() holds {
	s.t.Helper()
	state, err := s.VaultState(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	active, err := s.Memories(s.t.Context(), core.MemoryQuery{Statuses: []memory.Status{memory.Active}, Limit: 1})
	if err != nil {
		s.t.Fatal(err)
	}
	todos, err := s.Todos(s.t.Context(), core.TodoQuery{})
	if err != nil {
		s.t.Fatal(err)
	}
	return holds{state.Memories, active.Total, state.Conversations, state.Messages, state.Relations, len(todos)}
}

// change forgets one memory and retracts another; where there are no memories, it
// forgets a conversation.
func (s stored) change() {
	s.t.Helper()
	page, err := s.Memories(s.t.Context(), core.MemoryQuery{Statuses: []memory.Status{memory.Active}})
	if err != nil {
		s.t.Fatal(err)
	}
	if len(page.Items) > 1 {
		if _, err := s.SetStatus(s.t.Context(), page.Items[1].ID, memory.Retracted, ""); err != nil {
			s.t.Fatal(err)
		}
	}
	var memories, conversations []string
	if len(page.Items) > 0 {
		memories = append(memories, page.Items[0].ID)
	} else {
		talks, err := s.Conversations(s.t.Context(), core.ConversationQuery{Limit: 1})
		if err != nil || len(talks.Items) == 0 {
			s.t.Fatalf("neither memories nor conversations: %v", err)
		}
		conversations = append(conversations, talks.Items[0].ID)
	}
	if _, err := s.Forget(s.t.Context(), memories, conversations); err != nil {
		s.t.Fatal(err)
	}
}
