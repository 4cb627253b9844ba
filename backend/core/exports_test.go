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
	"slices"
	"strings"
	"testing"
	"time"

	"filippo.io/age"

	"keepsake/backend/core"
	"keepsake/backend/fault"
	"keepsake/backend/format/mif"
	"keepsake/backend/memory"
)

// store is what the tests look at in a memory store.
type store struct {
	ExportID     string            `json:"export_id"`
	ExportType   string            `json:"export_type"`
	BaseExportID string            `json:"base_export_id"`
	Since        string            `json:"since"`
	TypeRegistry string            `json:"type_registry"`
	Memories     []memory.Record   `json:"memories"`
	Relations    []memory.Relation `json:"relations"`
	Index        []core.IndexEntry `json:"conversations_index"`
	Signature    map[string]string `json:"signature"`
}

func readStore(t testing.TB, text []byte) (s store) {
	t.Helper()
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

func (k *kit) export(name string, o core.ExportOptions) (core.ExportResult, []byte) {
	k.t.Helper()
	r, err := k.ExportPAM(ctx, filepath.Join(k.root, name)+tail(name), o)
	if err != nil {
		k.t.Fatalf("export %s: %v", name, err)
	}
	if info, err := os.Stat(r.Path); err != nil || info.IsDir() {
		return r, nil
	}
	text, err := os.ReadFile(r.Path)
	if err != nil {
		k.t.Fatal(err)
	}
	return r, text
}

// valid holds that the file passes every check we have.
func (k *kit) valid(path string) {
	k.t.Helper()
	v, err := k.Validate(ctx, core.Input{Path: path})
	if err != nil || !v.Valid || len(v.Warnings) != 0 {
		k.t.Errorf("validate %s: %+v, %v", filepath.Base(path), v, err)
	}
}

func (k *kit) verdict(path string) core.Verdict {
	k.t.Helper()
	r, err := k.Verify(ctx, core.Input{Path: path}, nil)
	if err != nil {
		k.t.Fatal(err)
	}
	return r.Verdict
}

// full is a vault with something of everything in it.
func full(t *testing.T) *kit {
	k := fresh(t)
	b := sampleBook()
	b.Conversations[0].File = "photo.png"
	k.imports(k.write("a.zip", b, "photo.png", "\x89PNG bytes of a picture"))
	old, young := k.saying("User lives in Lisbon").ID, k.add("I live in Porto").ID
	ok(k.SetStatus(ctx, old, memory.Superseded, young))
	ok(k.Relate(ctx, young, memory.RelatedTo, k.saying("User drinks green tea").ID))
	return k
}

// Promise: the titles of conversations stay where they are not wanted, and the document
// is as good without them.
func TestWindow12TitlesStayWhereTheyAreNotWanted(t *testing.T) {
	k := full(t)
	r, text := k.export("with.pam.json", core.ExportOptions{})
	var titles []string
	for _, e := range readStore(t, text).Index {
		titles = append(titles, e.Title)
	}
	if len(titles) == 0 || slices.Contains(titles, "") || r.Titles != len(titles) || ok(k.PreviewExport(ctx, core.ExportOptions{})).Titles != len(titles) {
		t.Fatalf("with them: %q, %+v", titles, r)
	}
	bare := core.ExportOptions{WithoutTitles: true}
	r, text = k.export("without.pam.json", bare)
	s := readStore(t, text)
	if r.Titles != 0 || r.Verdict != "own" || len(s.Index) != len(titles) || ok(k.PreviewExport(ctx, bare)).Titles != len(titles) {
		t.Errorf("without them: %+v", r)
	}
	for i, e := range s.Index {
		if e.Title != "" || len(e.Tags) != 0 || e.ID == "" || bytes.Contains(text, []byte(titles[i])) {
			t.Errorf("%+v", e)
		}
	}
	k.valid(r.Path)
	if !slices.ContainsFunc(s.Memories, func(m memory.Record) bool { return m.Provenance.ConversationRef != "" }) {
		t.Error("no memory names where it came from")
	}
	whole := core.ExportOptions{IncludeConversations: true}
	if p := ok(k.PreviewExport(ctx, whole)); p.Titles != 0 {
		t.Errorf("of whole conversations: %+v", p)
	}
	whole.WithoutTitles = true
	_, err := k.PreviewExport(ctx, whole)
	wantFault(t, err, fault.Invalid, "export-titles-needless")
}

func TestSignedExportVerifies(t *testing.T) {
	k := full(t)
	r, text := k.export("out.pam.json", core.ExportOptions{})
	if !r.Signed || r.Verdict != "own" || r.Memories != 4 || r.Bytes != int64(len(text)) || len(r.Words) != 6 || r.DID != k.state().DID {
		t.Errorf("result: %+v", r)
	}
	if k.verdict(r.Path) != core.VerdictOwn {
		t.Error("the own key is not recognised")
	}
	k.valid(r.Path)
	s := readStore(t, text)
	if len(s.Relations) != 2 || len(s.Index) != 2 {
		t.Errorf("store: %+v", s)
	}
	for _, entry := range s.Index {
		for _, id := range entry.DerivedMemories {
			if !slices.ContainsFunc(s.Memories, func(m memory.Record) bool { return m.ID == id && m.Provenance.ConversationRef == entry.ID }) {
				t.Errorf("index names %s, which did not come from %s", id, entry.ID)
			}
		}
	}
	if err := k.Lock(ctx); err != nil {
		t.Fatal(err)
	}
	if k.verdict(r.Path) != core.VerdictUnknown {
		t.Error("without the vault the key should be one not seen before")
	}
}

// TestAnyChangeIsNoticed changes every value inside a memory in turn.
func TestAnyChangeIsNoticed(t *testing.T) {
	k := full(t)
	r, text := k.export("out.pam.json", core.ExportOptions{})
	s := readStore(t, text)
	for _, value := range []string{s.Memories[0].Content, string(s.Memories[0].Type), s.Memories[0].ID, s.Memories[0].Temporal.CreatedAt.String()} {
		changed := bytes.Replace(text, []byte(value), []byte(strings.ToUpper(value)+"0"), 1)
		if got := k.verdict(k.file("changed.json", changed)); got != core.VerdictBroken {
			t.Errorf("%q changed: %s", value, got)
		}
	}
	if got := k.verdict(k.file("cut.json", text[:len(text)-5])); got != core.VerdictBroken {
		t.Errorf("cut off: %s", got)
	}
	if got := k.verdict(r.Path); got != core.VerdictOwn {
		t.Errorf("untouched: %s", got)
	}
}

func TestSameVaultSameBytes(t *testing.T) {
	k := full(t)
	for _, name := range []string{"one.pam.json", "one.pam.zip"} {
		o := core.ExportOptions{IncludeAttachments: strings.HasSuffix(name, "zip")}
		ids := k.ids.Load()
		_, one := k.export(name, o)
		k.ids.Store(ids)
		_, two := k.export("two-"+name, o)
		if !bytes.Equal(one, two) {
			t.Errorf("%s: the same vault, options and clock gave other bytes", name)
		}
	}
}

func TestWhatMayNotLeaveStays(t *testing.T) {
	k := full(t)
	secret := k.add("my secret place").ID
	ok(k.Relate(ctx, secret, memory.RelatedTo, k.saying("I live in Porto").ID))
	ok(k.EditMemory(ctx, secret, core.MemoryEdit{Exportable: to(false)}))
	for _, name := range []string{"out.pam.json", "out.pam.zip", "folder/"} {
		o := core.ExportOptions{IncludeConversations: name != "out.pam.json"}
		p := ok(k.PreviewExport(ctx, o))
		r, _ := k.export(name, o)
		if p.Excluded["not-exportable"] != 1 || r.Excluded["not-exportable"] != 1 || p.Memories != r.Memories || p.Relations != 2 {
			t.Errorf("%s: preview %+v, result %+v", name, p, r)
		}
		for file, text := range unpack(t, r.Path) {
			if bytes.Contains(text, []byte("secret")) || bytes.Contains(text, []byte(secret)) {
				t.Errorf("%s: the memory left in %s", name, file)
			}
		}
		k.valid(r.Path)
	}
}

// unpack reads a file, zip or folder by names.
func unpack(t testing.TB, path string) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		err := filepath.WalkDir(path, func(p string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			rel, _ := filepath.Rel(path, p)
			out[filepath.ToSlash(rel)], err = os.ReadFile(p)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	z, err := zip.OpenReader(path)
	if err != nil {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return map[string][]byte{"": text}
	}
	defer z.Close()
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if out[f.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
		_ = r.Close()
	}
	return out
}

func TestBundleHoldsConversationsAndAttachments(t *testing.T) {
	k := full(t)
	for _, name := range []string{"out.pam.zip", "folder"} {
		if name == "folder" {
			if err := os.Mkdir(filepath.Join(k.root, name), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		r, _ := k.export(name, core.ExportOptions{IncludeAttachments: true})
		k.valid(r.Path)
		if k.verdict(r.Path) != core.VerdictOwn {
			t.Errorf("%s: verdict %s", name, k.verdict(r.Path))
		}
		files := unpack(t, r.Path)
		conversations, attachments := 0, 0
		for file, text := range files {
			switch {
			case strings.HasPrefix(file, "conversations/"):
				conversations++
			case strings.HasPrefix(file, "attachments/"):
				attachments++
				if string(text) != "\x89PNG bytes of a picture" {
					t.Errorf("attachment: %q", text)
				}
				if !slices.ContainsFunc(slices.Collect(mapValues(files)), func(b []byte) bool { return bytes.Contains(b, []byte(`"ref":"`+file+`"`)) }) {
					t.Error("no conversation leads to the attachment")
				}
			}
		}
		if conversations != 2 || attachments != 1 {
			t.Errorf("%s: %d conversations, %d attachments", name, conversations, attachments)
		}
	}
	_, err := k.ExportPAM(ctx, filepath.Join(k.root, "folder"), core.ExportOptions{})
	wantFault(t, err, fault.Conflict, "export-folder-not-empty")
	_, err = k.ExportPAM(ctx, filepath.Join(k.root, "x.json"), core.ExportOptions{IncludeConversations: true})
	wantFault(t, err, fault.Invalid, "export-needs-bundle")
	_, err = k.ExportPAM(ctx, filepath.Join(k.root, "nowhere", "x.json"), core.ExportOptions{})
	wantFault(t, err, fault.Refused, "export-not-written")
}

func mapValues[K comparable, V any](m map[K]V) func(func(V) bool) {
	return func(yield func(V) bool) {
		for _, v := range m {
			if !yield(v) {
				return
			}
		}
	}
}

func TestPartsNameOnlyWhatTheyHold(t *testing.T) {
	k := full(t)
	ok(k.EditMemory(ctx, k.saying("I live in Porto").ID, core.MemoryEdit{Type: to(memory.Identity)}))
	r, text := k.export("facts.json", core.ExportOptions{Types: []memory.Type{memory.Fact}})
	if v := ok(k.Validate(ctx, core.Input{Path: r.Path})); !v.Valid {
		t.Errorf("validate: %+v", v)
	}
	s := readStore(t, text)
	if len(s.Memories) != 3 || len(s.Relations) != 0 || r.Excluded["type"] != 1 {
		t.Errorf("%d memories, %d relations, %v", len(s.Memories), len(s.Relations), r.Excluded)
	}
	for _, m := range s.Memories {
		if m.Temporal.SupersededBy != "" {
			t.Error("a memory names another one that stayed")
		}
	}
	r, text = k.export("active.json", core.ExportOptions{Statuses: []memory.Status{memory.Active}, Unsigned: true})
	if s = readStore(t, text); len(s.Memories) != 3 || r.Excluded["status"] != 1 || s.Signature != nil || r.Verdict != "unsigned" {
		t.Errorf("store: %+v, %+v", s, r)
	}
}

// Promise: what is not valid does not leave, whichever file of a bundle it is in.
func TestAnExportIsReadBackThroughItsSchemas(t *testing.T) {
	k := fresh(t)
	b := sampleBook()
	b.Conversations[0].Lines[0].Role = "narrator" // no reader may give it, and a fault in one could
	k.imports(k.write("a.zip", b))
	k.export("without.zip", core.ExportOptions{})
	for _, name := range []string{"whole.zip", "folder"} {
		path := filepath.Join(k.root, name)
		_, err := k.ExportPAM(ctx, path, core.ExportOptions{IncludeConversations: true})
		wantFault(t, err, fault.Internal, "export-not-verified")
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is there: %v", name, err)
		}
	}
}

// TestSharedOnly holds PAM §9: private is for nobody else, shared for those
// who are named, public for everybody.
func TestSharedOnly(t *testing.T) {
	k := fresh(t)
	public := k.add("public").ID
	k.add("private")
	ok(k.EditMemory(ctx, public, core.MemoryEdit{Visibility: to(memory.Public)}))
	shared := k.add("shared with somebody else").ID
	ok(k.EditMemory(ctx, shared, core.MemoryEdit{Visibility: to(memory.Shared)}))
	r, text := k.export("for.json", core.ExportOptions{For: "agent-work"})
	if s := readStore(t, text); len(s.Memories) != 1 || s.Memories[0].Content != "public" || r.Excluded["not-shared"] != 2 {
		t.Errorf("%+v %v", s.Memories, r.Excluded)
	}
}

// Promise: "No memory stays behind" is so where no reason is given: every memory of the
// vault leaves or stays for one reason that is counted.
func TestMemoriesLeaveOrAreCounted(t *testing.T) {
	k := full(t)
	kept := k.add("stays on this computer").ID
	ok(k.EditMemory(ctx, kept, core.MemoryEdit{Exportable: to(false)}))
	ok(k.EditMemory(ctx, k.add("tagged").ID, core.MemoryEdit{Tags: to([]string{"work"})}))
	ok(k.SetStatus(ctx, k.add("put away").ID, memory.Archived, ""))
	ok(k.SetStatus(ctx, k.add("taken back").ID, memory.Retracted, ""))
	base, _ := k.export("base.json", core.ExportOptions{})
	ok(k.EditMemory(ctx, k.add("new").ID, core.MemoryEdit{Visibility: to(memory.Public)}))
	all := ok(k.Memories(ctx, core.MemoryQuery{})).Total
	for name, opt := range map[string]core.ExportOptions{
		"everything": {}, "active": {Statuses: []memory.Status{memory.Active}}, "facts": {Types: []memory.Type{memory.Fact}}, "tagged": {Tags: []string{"work"}},
		"platform": {Platforms: []string{"parrot"}}, "conversation": {Conversations: []string{k.saying("User drinks green tea").Provenance.ConversationRef}}, "health": {Categories: []core.Category{"health"}},
		"for somebody": {For: "agent-work"}, "young": {Since: memory.At(time.Now())}, "changed": {Incremental: true, Base: base.ExportID},
	} {
		p := ok(k.PreviewExport(ctx, opt))
		stay := 0
		for _, n := range p.Excluded {
			stay += n
		}
		if p.Memories+stay != all || stay == 0 {
			t.Errorf("%s: %d leave and %d of %d stay: %v", name, p.Memories, stay, all, p.Excluded)
		}
	}
}

func TestStrippedIDs(t *testing.T) {
	k := full(t)
	r, _ := k.export("out.pam.zip", core.ExportOptions{IncludeConversations: true, StripIDs: true})
	k.valid(r.Path)
	for file, text := range unpack(t, r.Path) {
		for _, id := range []string{`"m1"`, `"m3"`, `"n1"`, `"c1"`, `"c2"`} {
			if id == `"m1"` && strings.HasPrefix(file, "conversations/") {
				continue // messages are numbered m1, m2, … instead
			}
			if bytes.Contains(text, []byte(id)) && !(id == `"m3"` && strings.HasPrefix(file, "conversations/")) {
				t.Errorf("%s still holds %s", file, id)
			}
		}
	}
}

// TestConfidenceIsThatOfTheDay holds that a decaying memory leaves with its
// confidence as of the export, and that the vault keeps what it had.
func TestConfidenceIsThatOfTheDay(t *testing.T) {
	k := full(t)
	stored := k.saying("User lives in Lisbon")
	k.later(300 * 24 * time.Hour)
	r, text := k.export("out.json", core.ExportOptions{})
	k.valid(r.Path)
	for _, m := range readStore(t, text).Memories {
		if m.ID == stored.ID && (*m.Confidence.Current >= *stored.Confidence.Current || *m.Confidence.Initial != *stored.Confidence.Initial) {
			t.Errorf("confidence %+v, stored %+v", m.Confidence, stored.Confidence)
		}
	}
	equal(t, stored, k.saying("User lives in Lisbon"))
	if d := ok(k.Memory(ctx, stored.ID)); d.ConfidenceNow >= *stored.Confidence.Current {
		t.Errorf("now: %v", d.ConfidenceNow)
	}
}

func TestEncryptedExportOpensWithItsPassphrase(t *testing.T) {
	if testing.Short() {
		t.Skip("age's key derivation takes seconds; its cost is not ours to lower")
	}
	k := full(t)
	plain, _ := k.export("out.pam.json", core.ExportOptions{})
	r, text := k.export("out.pam.json.age", core.ExportOptions{Passphrase: []byte("another passphrase")})
	if !r.Encrypted || r.Verdict != "own" || bytes.Contains(text, []byte("Lisbon")) {
		t.Fatalf("result: %+v", r)
	}
	with := ok(age.NewScryptIdentity("another passphrase"))
	open, err := age.Decrypt(bytes.NewReader(text), with)
	if err != nil {
		t.Fatal(err)
	}
	inside := ok(io.ReadAll(open))
	if len(readStore(t, inside).Memories) != plain.Memories {
		t.Error("the encrypted file holds something else")
	}
	_, err = k.ExportPAM(ctx, filepath.Join(k.root, "dir")+"/", core.ExportOptions{Passphrase: []byte("x")})
	wantFault(t, err, fault.Invalid, "export-folder-encrypted")
}

// TestNothingIsLeftOfAFailedExport holds that a name appears only with a
// verified file behind it.
func TestNothingIsLeftOfAFailedExport(t *testing.T) {
	k := full(t)
	dir := filepath.Join(k.root, "out")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	stopped, cancel := contextWithCancel()
	cancel()
	for _, name := range []string{"a.json", "a.zip", "a/"} {
		_, err := k.ExportPAM(stopped, filepath.Join(dir, name)+tail(name), core.ExportOptions{IncludeConversations: name != "a.json"})
		if fault.CodeOf(err) != fault.Cancelled {
			t.Errorf("%s: %v", name, err)
		}
	}
	if left := ok(os.ReadDir(dir)); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// Promise: an export that is stopped while it is made says so, and that nothing was
// written, whatever its form. It asks for an id when it begins.
func TestStoppedExportSaysSo(t *testing.T) {
	k := full(t)
	stop := func() {}
	cfg := k.cfg
	cfg.NewID = func() string { stop(); return k.cfg.NewID() }
	s := ok(core.New(cfg))
	t.Cleanup(func() { _ = s.Close() })
	if err := errors.Join(k.Lock(ctx), s.Unlock(ctx, passphrase)); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	exports := map[string]func(ctx context.Context) error{
		"pam": func(ctx context.Context) error {
			_, err := s.ExportPAM(ctx, filepath.Join(dir, "a.json"), core.ExportOptions{})
			return err
		},
	}
	for _, form := range mif.Forms() {
		exports["mif as "+string(form)] = func(ctx context.Context) error {
			_, err := s.ExportMIF(ctx, filepath.Join(dir, "a.mif"), core.MIFOptions{Format: form})
			return err
		}
	}
	for _, form := range []core.Form{core.CSV, core.HTML, core.Markdown, core.Obsidian, core.Personal, core.PersonalMarkdown} {
		exports[string(form)] = func(ctx context.Context) error {
			_, err := s.ExportForm(ctx, filepath.Join(dir, "a-"+string(form)), core.FormOptions{Form: form})
			return err
		}
	}
	for name, export := range exports {
		var stopped context.Context
		stopped, stop = context.WithCancel(ctx)
		err := export(stopped)
		stop()
		if fault.From(err).Code != fault.Cancelled || fault.From(err).Reason != "export-cancelled" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if left := ok(os.ReadDir(dir)); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func tail(name string) string {
	if strings.HasSuffix(name, "/") {
		return "/"
	}
	return ""
}

// TestReadsBesideDeletions: what lists memories passes over those that are gone, or not there yet,
// at the moment it reads.
func TestReadsBesideDeletions(t *testing.T) {
	k := full(t)
	stop := again(func(n int) {
		k.adds(fmt.Sprint("Waits for number ", n))
		succeeds(t, second(k.Undo(ctx)))
	})
	for i := range 100 {
		at := filepath.Join(k.root, fmt.Sprint(i))
		succeeds(t, second(k.ExportPAM(ctx, at+".json", core.ExportOptions{})))
		succeeds(t, second(k.ExportMIF(ctx, at+".mif.json", core.MIFOptions{})))
		succeeds(t, second(k.Memories(ctx, core.MemoryQuery{})))
		succeeds(t, second(k.ExportFindings(ctx, core.ExportOptions{}, core.FindingQuery{})))
	}
	stop()
}
