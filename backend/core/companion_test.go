package core_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"
	"testing"

	"keepsake/backend/core"
	"keepsake/backend/format/pam"
	"keepsake/backend/importer/importertest/gen"
	"keepsake/backend/memory"
	"keepsake/schemas"
)

// unfilled says of fields of PAM §14 and §25 that no export of ChatGPT or Claude
// fills why that is so.
var unfilled = map[string]string{
	"messages[].token_count": "neither ChatGPT nor Claude says how many tokens a message took; their budgets are kept in raw_metadata",
}

// rarities is an export of ChatGPT with what the generated ones lack.
const rarities = `[{"id":"conv-rare","conversation_id":"conv-rare","title":"Rare","create_time":1719900000,"update_time":1719900100,"is_archived":true,"current_node":"b",
	"mapping":{"r":{"id":"r","parent":null,"children":["a"],"message":null},
	"a":{"id":"a","parent":"r","children":["b"],"message":{"id":"a","author":{"role":"user"},"create_time":1719900001,"content":{"content_type":"text","parts":["Where is Porto?"]}}},
	"b":{"id":"b","parent":"a","children":["c"],"message":{"id":"b","author":{"role":"assistant"},"create_time":1719900002,"content":{"content_type":"text","parts":["In Portugal."]},
		"metadata":{"citations":[{"metadata":{"type":"webpage","title":"Porto","url":"https://example.org/porto","text":"a city in Portugal"}}]}}},
	"c":{"id":"c","parent":"b","children":[],"message":{"id":"c","author":{"role":"assistant"},"create_time":1719900003,"recipient":"all","content":{"content_type":"code","language":"python","text":"print(1)"}}}}}]`

// Promise (PAM §14, §25): every field of a companion file and of the index is
// filled where a provider has what belongs there. The fields are those of the
// schema; each stands in some export, or a reason says why it cannot.
func TestEveryFieldOfAConversationIsFilled(t *testing.T) {
	found := map[string]bool{}
	for name, data := range generated(t) {
		k := provider(t)
		k.imports(k.file(name, data))
		r, _ := k.export("out.pam.zip", core.ExportOptions{IncludeConversations: true, IncludeAttachments: true})
		for file, text := range unpack(t, r.Path) {
			var doc map[string]any
			switch {
			case path.Dir(file) == "conversations":
				if err := json.Unmarshal(text, &doc); err != nil {
					t.Fatal(err)
				}
				filledIn(doc, "", found)
			case file == "memory-store.json":
				if err := json.Unmarshal(text, &doc); err != nil {
					t.Fatal(err)
				}
				filledIn(doc["conversations_index"], "conversations_index", found)
			}
		}
	}
	wanted := fieldsOf(t, schemas.Conversation, "")
	index := fieldsOf(t, schemas.MemoryStore, "conversations_index[]")
	for _, field := range slices.Sorted(maps.Keys(wanted)) {
		check(t, field, found[field])
	}
	for _, field := range slices.Sorted(maps.Keys(index)) {
		check(t, field, found[field])
	}
	if len(wanted) < 40 || len(index) < 9 {
		t.Errorf("only %d and %d fields were looked at", len(wanted), len(index))
	}
}

func check(t *testing.T, field string, filled bool) {
	t.Helper()
	switch _, excused := unfilled[field]; {
	case !filled && !excused:
		t.Errorf("%s is filled by no export", field)
	case filled && excused:
		t.Errorf("%s is filled, and a reason says why it cannot be", field)
	}
}

// generated are exports of every layout that is read.
func generated(t *testing.T) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	for _, era := range gen.Eras() {
		if era != gen.Loose {
			all["chatgpt-"+string(era)+".zip"], _ = gen.ChatGPT(gen.ChatGPTOptions{Seed: 7, Era: era})
		}
	}
	all["conversations.json"] = []byte(rarities)
	for _, memories := range []string{"array", "object", "files"} {
		all["claude-"+memories+".zip"], _ = gen.Claude(gen.ClaudeOptions{Seed: 3, Memories: memories})
	}
	return all
}

// filledIn notes the paths of all members with a value that says something.
func filledIn(v any, at string, found map[string]bool) {
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v {
			place := strings.TrimPrefix(at+"."+name, ".")
			if isRaw(name) {
				found[place] = found[place] || len(value.(map[string]any)) > 0
				continue
			}
			filledIn(value, place, found)
		}
	case []any:
		for _, item := range v {
			filledIn(item, at+"[]", found)
		}
	case nil:
	case string:
		found[at] = found[at] || v != ""
	case bool:
		found[at] = found[at] || v
	default:
		found[at] = true
	}
	if strings.HasSuffix(at, ".input") && v != nil { // open: an object or a text
		found[at] = true
	}
}

func isRaw(name string) bool { return name == "raw_metadata" }

// fieldsOf lists the leaves that a published schema knows, below a place.
func fieldsOf(t *testing.T, file, below string) map[string]bool {
	t.Helper()
	text, err := schemas.FS.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var root map[string]any
	if err := json.Unmarshal(text, &root); err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	leavesOf(root, root, "", found)
	maps.DeleteFunc(found, func(field string, _ bool) bool { return !strings.HasPrefix(field, below) })
	return found
}

func leavesOf(root, s map[string]any, at string, found map[string]bool) {
	if ref, ok := s["$ref"].(string); ok {
		def, _ := root["$defs"].(map[string]any)[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)
		leavesOf(root, def, at, found)
		return
	}
	for _, alternatives := range []string{"anyOf", "oneOf"} {
		if list, ok := s[alternatives].([]any); ok && s["properties"] == nil {
			for _, a := range list {
				leavesOf(root, a.(map[string]any), at, found)
			}
			return
		}
	}
	if items, ok := s["items"].(map[string]any); ok {
		leavesOf(root, items, at+"[]", found)
		return
	}
	properties, ok := s["properties"].(map[string]any)
	if !ok {
		if at != "" && s["type"] != "null" {
			found[at] = true
		}
		return
	}
	for name, p := range properties {
		leavesOf(root, p.(map[string]any), strings.TrimPrefix(at+"."+name, "."), found)
	}
}

// Promise: index and provenance agree both ways, and what a companion file holds
// reads back as what the vault holds: branches, thoughts, tool calls and all.
func TestCompanionsRoundTrip(t *testing.T) {
	branches, thoughts, calls := 0, 0, 0
	for name, data := range generated(t) {
		k := provider(t)
		k.imports(k.file(name, data))
		r, _ := k.export("out.pam.zip", core.ExportOptions{IncludeConversations: true})
		files := unpack(t, r.Path)
		s := readStore(t, files["memory-store.json"])
		derived, provenance := map[string]string{}, map[string]string{}
		for _, entry := range s.Index {
			for _, id := range entry.DerivedMemories {
				derived[id] = entry.ID
			}
			var listed struct{ Messages []any }
			if err := json.Unmarshal(files[entry.Storage.Ref], &listed); err != nil {
				t.Fatal(err)
			}
			doc, _, _, err := pam.DecodeConversation(ctx, func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(files[entry.Storage.Ref])), nil })
			if err != nil {
				t.Fatal(err)
			}
			kept := k.conversation(entry.ID)
			if said := len(kept.Messages) - kept.EmptyCount(); len(kept.Messages) != len(doc.Messages) || *entry.MessageCount != said || len(listed.Messages) != said {
				t.Fatalf("%s: %d messages came back of %d; %d are listed and %d counted of %d", name, len(doc.Messages), len(kept.Messages), len(listed.Messages), *entry.MessageCount, said)
			}
			for i, m := range kept.Messages {
				got := doc.Messages[i]
				if len(m.ChildrenIDs) > 1 {
					branches++
				}
				if m.IsThought {
					thoughts++
				}
				calls += len(m.ToolCalls)
				for a := range m.Attachments {
					m.Attachments[a].Ref = "" // the files stay
				}
				if m.Content != nil {
					for p := range m.Content.Parts {
						m.Content.Parts[p].Ref = ""
					}
				}
				if one, two := string(ok(json.Marshal(m))), string(ok(json.Marshal(got))); one != two && !strings.Contains(one, `\ud`) {
					t.Errorf("%s: message %s came back otherwise:\n%s\n%s", name, m.ID, one, two)
				}
			}
			if doc.Leaf != kept.Leaf {
				t.Errorf("%s: the active path ends at %q, not %q", name, doc.Leaf, kept.Leaf)
			}
		}
		for _, m := range s.Memories {
			if m.Provenance.ConversationRef != "" {
				provenance[m.ID] = m.Provenance.ConversationRef
			}
		}
		if !maps.Equal(derived, provenance) {
			t.Errorf("%s: index and provenance differ:\n%v\n%v", name, derived, provenance)
		}
	}
	if branches == 0 || thoughts == 0 || calls == 0 {
		t.Errorf("%d forks, %d thoughts, %d tool calls were looked at", branches, thoughts, calls)
	}
}

// Promise: a bundle that comes back to the vault it left changes nothing there,
// however often: not a memory, conversation, relation or file. Neither does one
// whose files stayed behind, or in which something was hidden on the way.
func TestOwnBundleComesBackUnchanged(t *testing.T) {
	leaving := []core.ExportOptions{
		{IncludeConversations: true, IncludeAttachments: true, IncludeEmbeddings: true},
		{IncludeConversations: true},
		{IncludeConversations: true, RedactionOptions: core.RedactionOptions{Redact: to(true), Addresses: true}},
		{},
	}
	related, attached := 0, 0
	for _, e := range append(gen.Exports(), pamExport()) {
		name := e.Provider + " " + e.Layout
		k := provider(t)
		var paths []string
		for _, f := range e.Files {
			paths = append(paths, k.file(f.Name, f.Data))
		}
		k.imports(paths...)
		if all := k.memories(core.MemoryQuery{}); len(all) > 1 {
			ok(k.Relate(ctx, all[0].ID, memory.Extends, all[1].ID))
			if err := core.PutEmbeddings(k.Service, pam.Embedding{ID: "e", MemoryID: all[0].ID, Model: "m", Dimensions: 2, CreatedAt: memory.At(dayOne), Vector: []float64{1, 2}}); err != nil {
				t.Fatal(err)
			}
		}
		before := k.everything()
		related, attached = related+len(before.relations), attached+len(before.files)
		for i, o := range leaving {
			for n := range 2 {
				r, _ := k.export(fmt.Sprintf("out%d%d.pam.zip", i, n), o)
				planned := ok(k.Import(ctx, inputs(r.Path), core.ImportOptions{DryRun: true}, nil))
				report := k.imports(r.Path)
				if planned.Conversations != report.Conversations || planned.Memories != report.Memories {
					t.Errorf("%s, %+v: planned %+v %+v", name, o, planned.Conversations, planned.Memories)
				}
				m, c, of := report.Memories, report.Conversations, report.Relations
				if report.Changed || report.ProblemCount != 0 || m.Unchanged != len(before.memories) || of.Unchanged != len(before.relations) || c.New+c.Updated+c.Skipped != 0 {
					t.Errorf("%s, %+v: memories %+v of %d, conversations %+v of %d, relations %+v of %d, problems %+v", name, o,
						m, len(before.memories), c, len(before.conversations), of, len(before.relations), report.Problems)
				}
			}
		}
		if after := k.everything(); !reflect.DeepEqual(before, after) {
			t.Errorf("%s: the vault is another one", name)
		}
	}
	if related == 0 || attached == 0 {
		t.Errorf("%d relations, %d files were looked at", related, attached)
	}
}

// held is all of a vault as its pages show it, in words.
type held struct{ memories, conversations, relations, files map[string]string }

func (k *kit) everything() held {
	k.t.Helper()
	out := held{map[string]string{}, map[string]string{}, map[string]string{}, map[string]string{}}
	for _, m := range k.memories(core.MemoryQuery{}) {
		out.memories[m.ID] = string(ok(json.Marshal(m)))
	}
	for _, r := range ok(k.Relations(ctx)) {
		out.relations[r.ID] = string(ok(json.Marshal(r)))
	}
	for _, c := range ok(k.Conversations(ctx, core.ConversationQuery{Limit: 100})).Items {
		whole := k.conversation(c.ID)
		out.conversations[c.ID] = whole.Leaf + string(ok(json.Marshal(whole)))
		for _, m := range whole.Messages {
			for _, a := range m.Attachments {
				if a.Ref != "" {
					out.files[a.Ref] = k.text(a.Ref)
				}
			}
		}
	}
	return out
}

func pamExport() gen.Export {
	files, _ := gen.PAM(gen.PAMOptions{Seed: 4, Memories: 5, Conversations: 3, Turns: 2, Foreign: true})
	return gen.Export{Provider: "pam", Layout: "foreign", Files: []gen.File{{Name: "memories.pam.zip", Data: gen.Zip(files)}}}
}
