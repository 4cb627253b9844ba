package core_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"keepsake/backend/core"
	"keepsake/backend/fault"
	"keepsake/backend/format/mif"
	"keepsake/backend/format/pam"
	"keepsake/backend/importer/importertest/gen"
	"keepsake/backend/memory"
)

// contents are the texts of the memories in a store.
func (s store) contents() []string {
	var all []string
	for _, m := range s.Memories {
		all = append(all, m.Content)
	}
	slices.Sort(all)
	return all
}

func (k *kit) delta(name string, o core.ExportOptions) (core.ExportResult, store) {
	k.t.Helper()
	o.Incremental = true
	r, _ := k.export(name, o)
	k.valid(r.Path)
	files := unpack(k.t, r.Path)
	text, ok := files[""]
	if !ok {
		text = files["memory-store.json"]
	}
	return r, readStore(k.t, text)
}

// Promise (PAM §16): an increment holds what is new or changed since its base,
// whatever the times of the memories say, and says what it builds on.
func TestIncrementalHoldsWhatIsNewOrChanged(t *testing.T) {
	k := full(t)
	_, err := k.ExportPAM(ctx, filepath.Join(k.root, "x.json"), core.ExportOptions{Incremental: true})
	wantFault(t, err, fault.NotFound, "export-no-base")
	base, _ := k.export("base.json", core.ExportOptions{})
	_, err = k.ExportPAM(ctx, filepath.Join(k.root, "x.json"), core.ExportOptions{Incremental: true})
	wantFault(t, err, fault.NotFound, "export-nothing-new")

	k.later(time.Hour)
	ok(k.SetStatus(ctx, k.saying("User drinks green tea").ID, memory.Retracted, ""))
	k.imports(k.write("old.zip", book{Memories: []statement{{Key: "old", Text: "User once lived in Rome", At: dayOne.AddDate(-20, 0, 0)}}}))
	k.reopen()
	r, s := k.delta("one.json", core.ExportOptions{})
	want := []string{"User drinks green tea", "User once lived in Rome"}
	if got := s.contents(); !slices.Equal(got, want) {
		t.Errorf("the increment holds %q", got)
	}
	if r.ExportType != "incremental" || r.BaseExportID != base.ExportID || r.Since.Compare(base.ExportDate) != 0 || r.Excluded["unchanged"] != 3 {
		t.Errorf("result: %+v", r)
	}
	if s.ExportType != "incremental" || s.BaseExportID != base.ExportID || s.Since != base.ExportDate.String() {
		t.Errorf("root: %+v", s)
	}
	for _, m := range s.Memories {
		if m.Content == "User drinks green tea" && m.Status != memory.Retracted {
			t.Error("the retraction did not leave")
		}
	}
	ok(k.Undo(ctx)) // the import: a memory that is gone cannot be told by an increment
	if _, s = k.delta("two.json", core.ExportOptions{Base: base.ExportID}); len(s.Memories) != 1 {
		t.Errorf("after undo it holds %q", s.contents())
	}
}

// Promise: base and increments put together are the vault, relations too, and
// each of them is valid alone.
func TestBaseAndIncrementMakeTheVault(t *testing.T) {
	k := full(t)
	ok(k.EditMemory(ctx, k.saying("User is called Ana").ID, core.MemoryEdit{Exportable: to(false)}))
	base, text := k.export("base.json", core.ExportOptions{})
	held := map[string]string{}
	edges := map[string]memory.Relation{}
	merge := func(s store) {
		for _, m := range s.Memories {
			held[m.ID] = string(ok(json.Marshal(m)))
		}
		for _, rel := range s.Relations {
			edges[rel.ID] = rel
		}
	}
	merge(readStore(t, text))
	tea, porto := k.saying("User drinks green tea").ID, k.saying("I live in Porto").ID
	ok(k.Relate(ctx, tea, memory.Supports, porto)) // both unchanged
	ok(k.EditMemory(ctx, k.saying("User is called Ana").ID, core.MemoryEdit{Exportable: to(true)}))
	ok(k.EditMemory(ctx, k.saying("User lives in Lisbon").ID, core.MemoryEdit{Tags: to([]string{"past"})})) // superseded by one that is unchanged
	r, s := k.delta("delta.json", core.ExportOptions{Base: base.ExportID})
	merge(s)
	_, text = k.export("whole.json", core.ExportOptions{})
	whole := readStore(t, text)
	wanted := map[string]string{}
	for _, m := range whole.Memories {
		wanted[m.ID] = string(ok(json.Marshal(m)))
	}
	if !maps.Equal(held, wanted) || len(edges) != len(whole.Relations) {
		t.Errorf("merged %d of %d memories, %d of %d relations", len(held), len(wanted), len(edges), len(whole.Relations))
	}
	if r.Excluded["unchanged"] != 0 || k.verdict(r.Path) != core.VerdictOwn {
		t.Errorf("result %+v", r)
	}
}

// Promise: an increment of a bundle holds the conversations that are new or that
// have grown, and those its memories came from.
func TestIncrementalBundle(t *testing.T) {
	k := fresh(t)
	b := sampleBook()
	k.imports(k.write("a.zip", b))
	k.export("base.pam.zip", core.ExportOptions{IncludeConversations: true})
	b.Conversations[0].Updated = b.Conversations[0].Updated.Add(time.Hour)
	b.Conversations[0].Lines = append(b.Conversations[0].Lines, line{ID: "m4", Parent: "m3", Role: "user", Text: "More", At: dayOne})
	b.Conversations = append(b.Conversations, talk{ID: "c3", Title: "New", At: dayOne, Updated: dayOne, Lines: []line{{ID: "x", Role: "user", Text: "hi", At: dayOne}}})
	k.imports(k.write("b.zip", b))
	r, s := k.delta("delta.pam.zip", core.ExportOptions{IncludeConversations: true})
	files := unpack(t, r.Path)
	companions := slices.DeleteFunc(slices.Collect(maps.Keys(files)), func(name string) bool { return !strings.HasPrefix(name, "conversations/") })
	if len(s.Index) != 2 || len(s.Memories) != 0 || len(companions) != 2 {
		t.Errorf("%d conversations, %d memories, files %v", len(s.Index), len(s.Memories), slices.Collect(maps.Keys(files)))
	}
}

// Promise: the vault remembers its exports, sealed, and only a full one of the
// same selection is built on.
func TestExportsAreRemembered(t *testing.T) {
	k := full(t)
	facts := core.ExportOptions{Types: []memory.Type{memory.Fact}}
	one, _ := k.export("one.json", core.ExportOptions{Unsigned: true})
	two, _ := k.export("two.pam.zip", core.ExportOptions{IncludeConversations: true})
	three, _ := k.export("three.json", facts)
	ok(k.EditMemory(ctx, k.saying("User is called Ana").ID, core.MemoryEdit{Summary: to("Ana")}))
	four, _ := k.delta("four.json", core.ExportOptions{})
	k.reopen()
	all := ok(k.Exports(ctx))
	var ids []string
	for _, x := range all {
		ids = append(ids, x.ExportID)
	}
	if want := []string{four.ExportID, three.ExportID, two.ExportID, one.ExportID}; !slices.Equal(ids, want) {
		t.Fatalf("list: %v, want %v", ids, want)
	}
	if four.BaseExportID != two.ExportID {
		t.Errorf("builds on %s, want the newest full export of everything", four.BaseExportID)
	}
	if x := all[2]; x.File != "two.pam.zip" || x.Memories != 4 || x.Relations != 2 || x.Conversations != 2 || !x.Signed || x.Checksum != two.Checksum || x.Bytes != two.Bytes {
		t.Errorf("remembered: %+v", x)
	}
	for base, reason := range map[string]string{four.ExportID: "export-base-not-full", three.ExportID: "export-base-differs", "nobody": "export-base-unknown"} {
		_, err := k.ExportPAM(ctx, filepath.Join(k.root, "x.json"), core.ExportOptions{Incremental: true, Base: base})
		wantFault(t, err, fault.CodeOf(err), reason)
	}
	facts.Incremental = true
	if p := ok(k.PreviewExport(ctx, facts)); p.BaseExportID != three.ExportID || p.Memories != 1 || p.ExportType != "incremental" || !strings.Contains(p.FileName, "-incremental.pam.json") {
		t.Errorf("preview: %+v", p)
	}
	if err := k.FreezeVault(ctx, true); err != nil {
		t.Fatal(err)
	}
	if k.export("frozen.json", core.ExportOptions{}); len(ok(k.Exports(ctx))) != 4 {
		t.Error("a frozen vault changed")
	}
}

func TestSelectionByTagAndPlatform(t *testing.T) {
	k := full(t)
	_, text := k.export("tag.json", core.ExportOptions{Tags: []string{"drinks-food"}})
	if got := readStore(t, text).contents(); !slices.Equal(got, []string{"User drinks green tea"}) {
		t.Errorf("by tag: %q", got)
	}
	r, text := k.export("platform.json", core.ExportOptions{Platforms: []string{"manual"}})
	if got := readStore(t, text).contents(); !slices.Equal(got, []string{"I live in Porto"}) || r.Excluded["platform"] != 3 {
		t.Errorf("by platform: %q, %v", got, r.Excluded)
	}
	for _, o := range []core.ExportOptions{
		{Tags: []string{"nothing"}}, {Tags: []string{"drinks-food", "nothing"}}, {Platforms: []string{"manual", "nowhere"}}, {Conversations: []string{"none"}},
	} {
		_, err := k.ExportPAM(ctx, filepath.Join(k.root, "x.json"), o)
		wantFault(t, err, fault.NotFound, "export-no-such-target")
	}
}

// Promise (PAM §9): for somebody else leaves what they may read, without whom
// else it is shared with, and without the conversations it came from.
func TestForSomebodyLeavesNothingOfOthers(t *testing.T) {
	k := full(t)
	tea := k.saying("User drinks green tea").ID
	grants := []memory.Grant{{Entity: "doctor", Permissions: []string{"read"}}, {Entity: "secret-friend", Permissions: []string{"read", "write"}}}
	ok(k.EditMemory(ctx, tea, core.MemoryEdit{SharedWith: &grants}))
	ok(k.EditMemory(ctx, k.saying("User is called Ana").ID, core.MemoryEdit{SharedWith: to([]memory.Grant{{Entity: "doctor", Permissions: []string{"write"}}})}))
	r, text := k.export("for.json", core.ExportOptions{For: "doctor"})
	k.valid(r.Path)
	s := readStore(t, text)
	if !slices.Equal(s.contents(), []string{"User drinks green tea"}) || len(s.Index) != 0 || s.Memories[0].Provenance.ConversationRef != "" {
		t.Errorf("store: %s", text)
	}
	if bytes.Contains(text, []byte("secret-friend")) || !slices.Equal(s.Memories[0].Access.SharedWith[0].Permissions, []string{"read"}) {
		t.Errorf("grants: %+v", s.Memories[0].Access)
	}
	_, err := k.ExportPAM(ctx, filepath.Join(k.root, "x.zip"), core.ExportOptions{For: "doctor", IncludeConversations: true})
	wantFault(t, err, fault.Invalid, "export-for-conversations")
	_, err = k.PreviewExport(ctx, core.ExportOptions{For: "doctor", IncludeAttachments: true})
	wantFault(t, err, fault.Invalid, "export-for-conversations")
}

// idLike finds what providers use as ids in their exports.
var idLike = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|user-[A-Za-z0-9]{8,}|file[-_][A-Za-z0-9]{8,}|toolu_[A-Za-z0-9]{8,}|[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[a-z]{2,}`)

// Promise (PAM §21.3): with the ids stripped, no id of a provider is anywhere in
// the bundle. Canaries are all ids that stand in the provider's own export.
func TestNoProviderIDLeavesStripped(t *testing.T) {
	claude, _ := gen.Claude(gen.ClaudeOptions{Seed: 3})
	exports := map[string][]byte{"claude": claude}
	for _, era := range gen.Eras() {
		if era != gen.Loose { // a file and no zip; Single has the same members
			exports["chatgpt-"+string(era)], _ = gen.ChatGPT(gen.ChatGPTOptions{Seed: 7, Era: era})
		}
	}
	for name, data := range exports {
		t.Run(name, func(t *testing.T) {
			k := provider(t)
			path := k.file(name+".zip", data)
			k.imports(path)
			canaries := map[string]bool{}
			for file, text := range unpack(t, path) {
				for _, id := range idLike.FindAllString(file+"\n"+string(text), -1) {
					canaries[id] = true
				}
			}
			o := core.ExportOptions{IncludeConversations: true, IncludeAttachments: false, StripIDs: true}
			r, _ := k.export("stripped.pam.zip", o)
			k.valid(r.Path)
			open, _ := k.export("open.pam.zip", core.ExportOptions{IncludeConversations: true})
			controls := 0
			for file, text := range unpack(t, open.Path) {
				for _, id := range idLike.FindAllString(file+"\n"+string(text), -1) {
					if canaries[id] {
						controls++
					}
				}
			}
			if controls < 10 {
				t.Errorf("the control finds only %d ids", controls)
			}
			for file, text := range unpack(t, r.Path) {
				for _, id := range idLike.FindAllString(file+"\n"+string(text), -1) {
					if canaries[id] {
						at := strings.Index(string(text), id)
						t.Fatalf("%s is in %s: …%s…", id, file, text[max(0, at-80):min(len(text), at+80)])
					}
				}
			}
		})
	}
}

// Promise: ids leave also where they stand in a title, a text, a link or what a
// tool was given.
func TestIDsInWordsAreStripped(t *testing.T) {
	k := fresh(t)
	id := "conv-8c1f2a77d0"
	b := book{Conversations: []talk{{ID: id, Title: "See " + id, At: dayOne, Updated: dayOne, Lines: []line{
		{ID: "msg-000000001", Role: "user", Text: "look at https://example.org/c/" + id + "#msg-000000001", At: dayOne},
	}, Memories: []statement{{Key: "k1", Text: "User keeps a diary, see " + id + " and msg-000000001", Message: "msg-000000001", At: dayOne}}}}}
	k.imports(k.write("a.zip", b))
	r, _ := k.export("out.pam.zip", core.ExportOptions{IncludeConversations: true, StripIDs: true})
	k.valid(r.Path)
	for file, text := range unpack(t, r.Path) {
		for _, canary := range []string{id, "msg-000000001"} {
			if bytes.Contains(text, []byte(canary)) || strings.Contains(file, canary) {
				t.Errorf("%s holds %s: %s", file, canary, text)
			}
		}
	}
}

// exportsOf are all methods that write what the vault holds, in every way they
// can be asked to. Log entries name nothing, a public key is about
// keys alone; a backup is the sealed vault itself.
var exportsOf = map[string][]func(k *kit) string{
	"ExportPAM": {
		func(k *kit) string { return leaves(k, "e.json", core.ExportOptions{Incremental: true}) },
		func(k *kit) string { return leaves(k, "a.json", core.ExportOptions{}) },
		func(k *kit) string {
			return leaves(k, "a.pam.zip", core.ExportOptions{IncludeConversations: true, IncludeAttachments: true, IncludeEmbeddings: true})
		},
		func(k *kit) string {
			return leaves(k, "a/", core.ExportOptions{IncludeEmbeddings: true, StripIDs: true})
		},
		func(k *kit) string {
			return leaves(k, "b.json", core.ExportOptions{Unsigned: true, Tags: []string{"canary"}})
		},
		func(k *kit) string { return leaves(k, "c.json", core.ExportOptions{For: "friend"}) },
		func(k *kit) string { return leaves(k, "d.json", core.ExportOptions{Types: []memory.Type{memory.Fact}}) },
	},
	"ExportReadable": {func(k *kit) string {
		path := filepath.Join(k.root, "rescued.pam.zip")
		ok(k.ExportReadable(ctx, path, core.Secret{Passphrase: passphrase}))
		return path
	}},
	"ExportMIF": {
		func(k *kit) string { return leavesMIF(k, "e.mif.json", core.MIFOptions{}) },
		func(k *kit) string {
			return leavesMIF(k, "f.mif.yaml", core.MIFOptions{Format: mif.YAML, ExportOptions: plain})
		},
		func(k *kit) string {
			return leavesMIF(k, "g.mif.jsonl", core.MIFOptions{Format: mif.JSONL, Version: "2"})
		},
		func(k *kit) string {
			return leavesMIF(k, "h.mif.json", core.MIFOptions{ExportOptions: core.ExportOptions{For: "friend"}})
		},
	},
	"ExportForm": {
		func(k *kit) string { return leavesForm(k, "a.csv", core.FormOptions{Form: core.CSV}) },
		func(k *kit) string {
			return leavesForm(k, "tables/", core.FormOptions{Form: core.CSV, ExportOptions: core.ExportOptions{IncludeConversations: true}})
		},
		func(k *kit) string {
			return leavesForm(k, "a.html", core.FormOptions{Form: core.HTML, ExportOptions: core.ExportOptions{IncludeConversations: true}})
		},
		func(k *kit) string {
			return leavesForm(k, "p.json", core.FormOptions{Form: core.Personal, ExportOptions: core.ExportOptions{IncludeConversations: true}})
		},
		func(k *kit) string { return leavesForm(k, "p.md", core.FormOptions{Form: core.PersonalMarkdown}) },
		func(k *kit) string { return leavesForm(k, "notes.zip", core.FormOptions{Form: core.Markdown}) },
		func(k *kit) string {
			return leavesForm(k, "notes/", core.FormOptions{Form: core.Obsidian, ExportOptions: core.ExportOptions{For: "friend"}})
		},
	},
	"ExportFindings": {func(k *kit) string {
		f := ok(k.ExportFindings(ctx, core.ExportOptions{}, core.FindingQuery{}))
		return k.file("findings.txt", fmt.Appendf(nil, "%+v", f))
	},
		// HandOff and its preview, while the vault is open.
		func(k *kit) string {
			path := filepath.Join(k.root, "handoff.txt")
			h := ok(k.HandOff(ctx, "claude", core.HandoffOptions{Dest: path}))
			return k.file("told.txt", fmt.Appendf(ok(os.ReadFile(path)), "%+v", h))
		},
		func(k *kit) string {
			return k.file("preview.txt", fmt.Appendf(nil, "%+v", ok(k.PreviewHandoff(ctx, "gemini", core.HandoffOptions{}))))
		},
	},
	"ExportLog": nil,
	"ExportKey": nil,
}

func leavesForm(k *kit, name string, o core.FormOptions) string {
	r, _ := k.form(name, o)
	return r.Path
}

func leavesMIF(k *kit, name string, o core.MIFOptions) string {
	r, _ := k.mif(name, o)
	return r.Path
}

func leaves(k *kit, name string, o core.ExportOptions) string {
	r, _ := k.export(name, o)
	return r.Path
}

// Promise (PAM §21.1): a memory that is not exportable leaves by no door, in no
// format. A method that exports and is not listed here fails the test.
func TestNotExportableLeavesByNoDoor(t *testing.T) {
	service := reflect.TypeFor[*core.Service]()
	for i := range service.NumMethod() {
		name := service.Method(i).Name
		if _, listed := exportsOf[name]; strings.HasPrefix(name, "Export") && name != "Exports" && !listed {
			t.Errorf("%s exports something: list it", name)
		}
	}
	k := full(t)
	canary := "canary0123456789"
	k.add("open for everybody")
	shared := core.MemoryEdit{Tags: to([]string{"canary"}), SharedWith: to([]memory.Grant{{Entity: "friend", Permissions: []string{"read"}}})}
	ok(k.EditMemory(ctx, k.saying("open for everybody").ID, shared))
	k.export("base.json", core.ExportOptions{})
	secret := k.add("my secret " + canary).ID
	shared.Exportable, shared.Summary = to(false), to(canary)
	ok(k.EditMemory(ctx, secret, shared))
	ok(k.Relate(ctx, secret, memory.RelatedTo, k.saying("open for everybody").ID))
	ok(k.SetStatus(ctx, k.saying("User is called Ana").ID, memory.Superseded, secret))
	embedding := pam.Embedding{ID: "e-" + canary, MemoryID: secret, Model: "m", Dimensions: 1, CreatedAt: memory.At(dayOne), Vector: []float64{0.123456789}}
	if err := core.PutEmbeddings(k.Service, embedding); err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(exportsOf)) {
		for i, export := range exportsOf[name] {
			for file, text := range unpack(t, export(k)) {
				for _, trace := range []string{canary, secret, "0.123456789"} {
					if bytes.Contains(text, []byte(trace)) {
						t.Errorf("%s %d: %s holds %s", name, i, file, trace)
					}
				}
			}
		}
	}
}

// Promise (PAM §12): embeddings are kept, leave where they are asked for, agree
// with their memories both ways, and go with the words they were made of.
func TestEmbeddingsLeaveWithTheirMemories(t *testing.T) {
	k := full(t)
	tea, ana := k.saying("User drinks green tea").ID, k.saying("User is called Ana").ID
	all := []pam.Embedding{
		{ID: "e1", MemoryID: tea, Model: "small", Dimensions: 3, CreatedAt: memory.At(dayOne), Vector: []float64{0.1, -1e-7, 3}},
		{ID: "e2", MemoryID: ana, Model: "small", Dimensions: 3, CreatedAt: memory.At(dayOne), Storage: &pam.EmbeddingStorage{Type: "vector_db", Ref: "db://account/7"}},
	}
	if err := core.PutEmbeddings(k.Service, all...); err != nil {
		t.Fatal(err)
	}
	read := func(r core.ExportResult) (list []pam.Embedding, refs map[string]string) {
		files := unpack(t, r.Path)
		var doc struct {
			Embeddings []pam.Embedding `json:"embeddings"`
		}
		if text, ok := files["embeddings.json"]; ok {
			if err := json.Unmarshal(text, &doc); err != nil {
				t.Fatal(err)
			}
		}
		text, ok := files["memory-store.json"]
		if !ok {
			text = files[""]
		}
		refs = map[string]string{}
		for _, m := range readStore(t, text).Memories {
			if m.EmbeddingRef != "" {
				refs[m.EmbeddingRef] = m.ID
			}
		}
		return doc.Embeddings, refs
	}
	r, _ := k.export("with.pam.zip", core.ExportOptions{IncludeEmbeddings: true})
	k.valid(r.Path)
	list, refs := read(r)
	slices.SortFunc(list, func(a, b pam.Embedding) int { return strings.Compare(a.ID, b.ID) })
	if !reflect.DeepEqual(list, all) || !maps.Equal(refs, map[string]string{"e1": tea, "e2": ana}) {
		t.Errorf("left: %+v, named: %v", list, refs)
	}
	r, _ = k.export("without.pam.json", core.ExportOptions{})
	if _, refs = read(r); len(refs) != 0 {
		t.Errorf("memories name embeddings that stay: %v", refs)
	}
	r, _ = k.export("stripped.pam.zip", core.ExportOptions{IncludeEmbeddings: true, StripIDs: true})
	k.valid(r.Path)
	if list, _ = read(r); len(list) != 1 || list[0].ID != "embedding-"+tea {
		t.Errorf("stripped: %+v", list)
	}
	ok(k.EditMemory(ctx, tea, core.MemoryEdit{Summary: to("tea")}))
	ok(k.EditMemory(ctx, tea, core.MemoryEdit{Content: to("User drinks black tea")}))
	if p := ok(k.PreviewExport(ctx, core.ExportOptions{IncludeEmbeddings: true})); p.Embeddings != 1 {
		t.Errorf("after the words changed: %+v", p)
	}
	ok(k.Undo(ctx))
	if p := ok(k.PreviewExport(ctx, core.ExportOptions{IncludeEmbeddings: true})); p.Embeddings != 2 {
		t.Errorf("after they were put back: %+v", p)
	}
	for name, x := range map[string]pam.Embedding{
		"embedding-dimensions": {ID: "e", MemoryID: ana, Model: "m", Dimensions: 2, Vector: []float64{1}},
		"embedding-empty":      {ID: "e", MemoryID: ana, Model: "m", Dimensions: 2},
		"embedding-in-file":    {ID: "e", MemoryID: ana, Model: "m", Dimensions: 2, Storage: &pam.EmbeddingStorage{Type: "file", Ref: "v.bin"}},
	} {
		err := core.PutEmbeddings(k.Service, x)
		wantFault(t, err, fault.CodeOf(err), name)
	}
	ok(k.Forget(ctx, []string{tea}, nil))
	if p := ok(k.PreviewExport(ctx, core.ExportOptions{IncludeEmbeddings: true})); p.Embeddings != 1 {
		t.Errorf("after forgetting: %+v", p)
	}
	if _, err := os.Stat(r.Path); err != nil {
		t.Error(err)
	}
}
