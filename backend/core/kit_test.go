package core_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"keepsake/backend/core"
	"keepsake/backend/fault"
	"keepsake/backend/importer"
	"keepsake/backend/importer/mif"
	"keepsake/backend/importer/pam"
	"keepsake/backend/importer/personal"
	"keepsake/backend/intake"
	"keepsake/backend/memory"
	"keepsake/backend/seal"
)

var (
	ctx        = context.Background()
	passphrase = []byte("correct horse battery")
	dayOne     = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
)

// kit is a Service on a real vault in a folder of the test's own, with a clock
// and ids that the test holds.
type kit struct {
	*core.Service
	t     testing.TB
	root  string
	clock time.Time // moved on by later, which what goes on in the background reads
	ticks sync.Mutex
	ids   atomic.Int64
	cfg   core.Config
}

func bare(t testing.TB, cipher seal.Cipher) *kit {
	t.Helper()
	k := &kit{t: t, root: t.TempDir(), clock: dayOne}
	k.cfg = core.Config{
		VaultDir: filepath.Join(k.root, "vault"), SettingsFile: filepath.Join(k.root, "config", "settings.json"),
		ScratchDir: filepath.Join(k.root, "scratch"), Importers: importer.Registry{parrot{}, pam.New(), mif.Importer{}, personal.Importer{}}, Cipher: cipher,
		Now: func() time.Time {
			k.ticks.Lock()
			defer k.ticks.Unlock()
			return k.clock
		},
		NewID: func() string {
			return fmt.Sprintf("00000000-0000-4000-8000-%012d", k.ids.Add(1))
		},
	}
	s, err := core.New(k.cfg)
	if err != nil {
		t.Fatal(err)
	}
	k.Service = s
	t.Cleanup(func() { _ = k.Service.Close() }) // which a test may have replaced
	return k
}

// fresh is a kit with an unlocked vault.
func fresh(t testing.TB) *kit {
	t.Helper()
	k := bare(t, "")
	if _, err := k.CreateVault(ctx, passphrase, "test"); err != nil {
		t.Fatal(err)
	}
	return k
}

func (k *kit) later(d time.Duration) {
	k.ticks.Lock()
	defer k.ticks.Unlock()
	k.clock = k.clock.Add(d)
}

// book is an export of the made-up provider "parrot": one JSON file.
type book struct {
	Conversations []talk      `json:"conversations"`
	Memories      []statement `json:"memories"`
	Forget        []statement `json:"forget"`
	Panic         bool        `json:"panic,omitempty"`
	BreakAfter    int         `json:"break_after,omitempty"`
	Parrot        bool        `json:"parrot"`
	Account       string      `json:"account,omitempty"`  // where the export says whose it is
	Nameless      bool        `json:"nameless,omitempty"` // it says no more of the account than its id
	Whole         bool        `json:"whole,omitempty"`    // it says that it is all there is
}

type talk struct {
	ID       string      `json:"id"`
	Title    string      `json:"title"`
	Project  string      `json:"project,omitempty"`
	At       time.Time   `json:"at"`
	Updated  time.Time   `json:"updated"`
	Lines    []line      `json:"lines"`
	Bad      bool        `json:"bad,omitempty"`
	Empty    bool        `json:"empty,omitempty"`
	Memories []statement `json:"memories"`
	File     string      `json:"file,omitempty"`    // attachment of the first line
	Speaker  string      `json:"speaker,omitempty"` // who the account is called in it
}

type line struct {
	ID, Parent, Role, Text string
	At                     time.Time
}

type statement struct {
	Key, Text, Message string
	At                 time.Time
	Tags               []string
	Confidence         float64
	Decay              memory.Decay
}

// parrot reads what book writes. It is a whole importer, so that what core
// promises is tested without any provider's habits.
type parrot struct{}

func (parrot) Info() importer.Info {
	return importer.Info{ID: "parrot", Name: "Parrot", Platform: "parrot", Version: "parrot/2026.01"}
}

func (parrot) Sniff(ctx context.Context, tree *intake.Tree) (importer.Match, error) {
	for _, f := range tree.Match("*.json") {
		text, err := tree.ReadAll(ctx, f, 1<<30)
		if err != nil {
			return importer.Match{}, err
		}
		var b book
		if json.Unmarshal(text, &b) == nil && b.Parrot {
			m := importer.Match{Certainty: importer.Certain, Format: "book"}
			if b.Whole && len(tree.Sources()) == 1 {
				m.Whole = importer.Whole{Conversations: true, Memories: true}
			}
			if b.Account != "" {
				m.Accounts = []string{b.Account}
				if !b.Nameless {
					m.Names = map[string]string{b.Account: "Ana of " + b.Account}
				}
			}
			return m, nil
		}
	}
	return importer.Match{}, nil
}

func (p parrot) Read(ctx context.Context, tree *intake.Tree, sink importer.Sink) error {
	for _, f := range tree.Match("*.json") {
		text, err := tree.ReadAll(ctx, f, 1<<30)
		if err != nil {
			return err
		}
		var b book
		if err := json.Unmarshal(text, &b); err != nil {
			return fault.New(fault.Invalid, "parrot-broken", "broken").Because(err)
		}
		if err := p.read(ctx, tree, b, sink); err != nil {
			return err
		}
		sink.Progress(tree.Consumed())
	}
	return nil
}

func (p parrot) read(ctx context.Context, tree *intake.Tree, b book, sink importer.Sink) error {
	for i, c := range b.Conversations {
		if b.BreakAfter > 0 && i == b.BreakAfter {
			return fault.New(fault.Invalid, "parrot-broken", "broken off")
		}
		if err := p.talk(ctx, tree, b.Account, c, sink); err != nil {
			return err
		}
		sink.Progress(tree.Consumed())
	}
	if b.Panic {
		panic("secret content in a panic")
	}
	for _, s := range b.Memories {
		if err := sink.Memory(ctx, s.draft(b.Account, "")); err != nil {
			return err
		}
	}
	for _, s := range b.Forget {
		r := importer.RetractionDraft{SourceKey: s.Key, Text: s.Text, Account: b.Account, At: memory.At(s.At)}
		if err := sink.Retraction(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

func (s statement) draft(account, conversation string) importer.MemoryDraft {
	d := importer.MemoryDraft{
		SourceKey: s.Key, Type: memory.Fact, Content: s.Text, Tags: s.Tags, Method: memory.ExplicitUserInput,
		Confidence: 0.8, Decay: s.Decay, PlatformUserID: account, ConversationID: conversation, MessageID: s.Message, CreatedAt: memory.At(s.At),
	}
	if s.Confidence > 0 {
		d.Confidence = s.Confidence
	}
	return d
}

func (parrot) talk(ctx context.Context, tree *intake.Tree, account string, c talk, sink importer.Sink) error {
	if c.Bad {
		sink.Problem(importer.Problem{Path: "book.json", At: c.ID, Fault: fault.New(fault.Invalid, "parrot-bad", "bad item"), Conversation: true})
		return nil
	}
	if c.Empty {
		sink.Skipped(importer.EmptyConversation)
		return nil
	}
	rawText, err := json.Marshal(c)
	if err != nil {
		return err
	}
	sum := importer.Sum(rawText)
	if sink.Unchanged(c.ID, sum) {
		return nil
	}
	d := importer.ConversationDraft{Sum: sum, File: "book.json"}
	d.ID = importer.ConversationID("parrot", c.ID)
	if c.Speaker != "" {
		d.Participants = []memory.Participant{{Role: memory.User, Name: c.Speaker, ProviderID: account}, {Role: memory.Assistant, Name: "Parrot"}}
	}
	if c.Project != "" {
		d.RawMetadata = memory.RawMetadata{"project": ok(json.Marshal(map[string]string{"name": c.Project}))}
	}
	d.Title, d.Provider = c.Title, memory.Provider{Name: "parrot", ConversationID: c.ID, AccountID: account}
	d.Temporal = memory.ConversationTemporal{CreatedAt: memory.At(c.At), UpdatedAt: memory.At(c.Updated)}
	for _, l := range c.Lines {
		d.Messages = append(d.Messages, memory.Message{
			ID: l.ID, ParentID: l.Parent, Role: memory.Role(l.Role), CreatedAt: memory.At(l.At),
			Content: &memory.Content{Type: "text", Text: l.Text},
		})
		d.Leaf = l.ID
	}
	if f, ok := tree.File(c.File); ok && c.File != "" {
		ref, err := sink.Attachment(ctx, importer.AttachmentDraft{
			Name: c.File, Size: f.Size, Open: func() (io.ReadCloser, error) { return tree.Open(ctx, f) },
		})
		if err != nil {
			return err
		}
		d.Messages[0].Attachments = []memory.Attachment{{Type: "file", Name: c.File, Ref: ref}}
	}
	if err := sink.Conversation(ctx, d); err != nil {
		return err
	}
	for _, s := range c.Memories {
		if err := sink.Memory(ctx, s.draft(account, d.ID)); err != nil {
			return err
		}
	}
	return nil
}

// write puts a book into a zip and returns its path.
func (k *kit) write(name string, b book, files ...string) string {
	k.t.Helper()
	b.Parrot = true
	text, err := json.Marshal(b)
	if err != nil {
		k.t.Fatal(err)
	}
	var buf bytes.Buffer
	z := zip.NewWriter(&buf)
	parts := append([]string{"book.json", string(text)}, files...)
	for i := 0; i < len(parts); i += 2 {
		w, err := z.Create(parts[i])
		if err == nil {
			_, err = io.WriteString(w, parts[i+1])
		}
		if err != nil {
			k.t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		k.t.Fatal(err)
	}
	return k.file(name, buf.Bytes())
}

func (k *kit) file(name string, data []byte) string {
	k.t.Helper()
	path := filepath.Join(k.root, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, data, 0o600)); err != nil {
		k.t.Fatal(err)
	}
	return path
}

func (k *kit) imports(paths ...string) core.ImportReport {
	k.t.Helper()
	report, err := k.Import(ctx, inputs(paths...), core.ImportOptions{}, nil)
	if err != nil {
		k.t.Fatalf("import: %v", err)
	}
	addsUp(k.t, report)
	return report
}

func inputs(paths ...string) (in []core.Input) {
	for _, p := range paths {
		in = append(in, core.Input{Path: p})
	}
	return in
}

// addsUp holds that no item is lost without a trace.
func addsUp(t testing.TB, r core.ImportReport) {
	t.Helper()
	for _, row := range r.Ledger {
		total := row.Taken + row.Merged + row.Unchanged
		for _, n := range row.Skipped {
			total += n
		}
		for _, n := range row.Unknown {
			total += n
		}
		if row.Seen != total {
			t.Errorf("ledger of %s: %d seen, %d accounted for: %+v", row.Source, row.Seen, total, row)
		}
	}
}

func (k *kit) memories(q core.MemoryQuery) []memory.Record {
	k.t.Helper()
	page, err := k.Memories(ctx, q)
	if err != nil {
		k.t.Fatal(err)
	}
	return page.Items
}

// saying finds the one memory with a text.
func (k *kit) saying(text string) memory.Record {
	k.t.Helper()
	for _, r := range k.memories(core.MemoryQuery{}) {
		if r.Content == text {
			return r
		}
	}
	k.t.Fatalf("no memory says %q", text)
	return memory.Record{}
}

func (k *kit) state() core.VaultState {
	k.t.Helper()
	st, err := k.VaultState(ctx)
	if err != nil {
		k.t.Fatal(err)
	}
	return st
}

// ok is the value of a call that must not fail.
func ok[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// wantFault holds the code and the sentence of an error.
func wantFault(t testing.TB, err error, code fault.Code, reason string) {
	t.Helper()
	f := fault.From(err)
	if f == nil || f.Code != code || f.Reason != reason {
		t.Fatalf("fault is %v (%v), want %s %s", err, reasonOf(f), code, reason)
	}
}

func reasonOf(f *fault.Error) string {
	if f == nil {
		return "none"
	}
	return string(f.Code) + " " + f.Reason
}

// sampleBook has two conversations, one with a fork, and four statements of
// three memories.
func sampleBook() book {
	at := func(day int) time.Time { return time.Date(2025, 6, day, 9, 0, 0, 0, time.UTC) }
	return book{
		Conversations: []talk{
			{ID: "c1", Title: "Lisbon trip", At: at(1), Updated: at(2), Lines: []line{
				{ID: "m1", Role: "user", Text: "I live in Lisbon", At: at(1)},
				{ID: "m2", Parent: "m1", Role: "assistant", Text: "Noted.", At: at(1)},
				{ID: "m3", Parent: "m1", Role: "assistant", Text: "Lovely!", At: at(2)},
			}, Memories: []statement{{Key: "bio:m1:0", Text: "User lives in Lisbon", Message: "m1", At: at(1), Decay: memory.DecayLinear}}},
			{ID: "c2", Title: "Tea", At: at(3), Updated: at(3), Lines: []line{
				{ID: "n1", Role: "user", Text: "Remember that I drink green tea", At: at(3)},
				{ID: "n2", Parent: "n1", Role: "assistant", Text: "Done", At: at(3)},
			}, Memories: []statement{
				{Key: "bio:n1:0", Text: "User drinks green tea", Message: "n1", At: at(3), Tags: []string{"Drinks & Food"}},
				{Key: "bio:n1:1", Text: "User lives in  LISBON", Message: "n1", At: at(3)},
			}},
		},
		Memories: []statement{{Key: "file:1", Text: "User is called Ana", At: at(4)}},
	}
}

// again calls change with rising numbers, beside what the test does, until stop is called, which waits
// for its end.
func again(change func(n int)) (stop func()) {
	over, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for n := 0; ; n++ {
			select {
			case <-over:
				return
			default:
			}
			change(n)
		}
	}()
	return func() {
		close(over)
		<-ended
	}
}
