package cli_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"keepsake/backend/core"
)

// operation is one of the personal-memory specification (docs/personal-memory.md):
// the command that does it here, what the page calls for it, and what the log then
// says.
type operation struct {
	name string
	args []string // of a command; $NAME is an id that an earlier one gave
	page string   // in the sources of the page
	log  string
}

var operations = []operation{
	{"store", []string{"add", "--category", "preference", "--importance", "0.8", "--tag", "tea", "Prefers tea"}, "backend.Library.Add(", "store"},
	{"store (import)", []string{"import", "export.json"}, "backend.Imports.Start(", "store"},
	{"retrieve", []string{"search", "tea", "--category", "preference", "--since", "2020-01-01", "--until", "2100-01-01", "--min-score", "0.5", "--limit", "5"}, "backend.Search.Find(", "search"},
	{"retrieve (one)", []string{"show", "$ID"}, "backend.Library.Get(", "read"},
	{"update (rectification)", []string{"edit", "$ID", "--content", "Prefers green tea"}, "backend.Library.Edit(", "update"},
	{"export (JSON)", []string{"export", "personal", "--category", "preference", "-o", "leaves.json"}, "backend.Exports.Start(", "export"},
	{"export (Markdown)", []string{"export", "personal", "--format", "markdown", "--no-metadata", "-o", "leaves.md"}, "backend.Exports.Start(", "export"},
	{"portability (PAM)", []string{"export", "pam", "-o", "leaves.pam.json"}, "backend.Exports.Start(", "export"},
	{"portability (MIF)", []string{"export", "mif", "-o", "leaves.mif.json"}, "backend.Exports.Start(", "export"},
	{"access report", []string{"report"}, "backend.Care.Held(", "report"},
	{"compact", []string{"compaction", "apply", "mem_l3"}, "backend.Care.ApplyCompaction(", "compact-memories"},
	{"restriction", []string{"freeze"}, "backend.Care.Freeze(", "freeze"},
	{"restriction lifted", []string{"unfreeze"}, "backend.Care.Freeze(", "unfreeze"},
	{"forget (memory_ids)", []string{"forget", "--id", "$ID", "--yes"}, "backend.Care.Forget(", "forget"},
	{"forget (session_id)", []string{"forget", "--conversation", "$SESSION", "--yes"}, "backend.Care.Forget(", "forget"},
	{"forget (query)", []string{"forget", "--query", "pipeline", "--yes"}, "backend.Care.Forget(", "forget"},
	{"forget (topic_tags)", []string{"forget", "--tag", "reports", "--yes"}, "backend.Care.Forget(", "forget"},
	{"forget (before)", []string{"forget", "--before", "2026-04-30", "--yes"}, "backend.Care.Forget(", "forget"},
}

// personalExport has something for each target of forget.
const personalExport = `{"export_version":"1.0","user_id":"usr_1","exported_at":"2026-04-15T10:00:00Z","record_count":5,"categories":{
"conversation":{"count":1,"records":[{"memory_id":"mem_c1","content_type":"transcript","content":"user: What is the risk?\n\nassistant: A small one.","session_id":"ses_1","created_at":"2026-04-12T09:15:00Z"}]},
"work_pattern":{"count":1,"records":[{"memory_id":"mem_w1","content":"Reviews reports on Mondays","topic_tags":["reports"],"created_at":"2026-05-12T09:15:00Z"}]},
"preference":{"count":0,"records":[]},
"learned_context":{"count":3,"records":[{"memory_id":"mem_l1","content":"Asked about the pipeline","created_at":"2026-05-12T09:15:00Z"},{"memory_id":"mem_l3","content":"Used to live in Turin","created_at":"2026-01-01T09:15:00Z"},{"memory_id":"mem_l2","content":"Manages three people","created_at":"2026-04-01T09:15:00Z"}]}}}`

// TestEveryOperation does each operation of the specification by its command, and
// holds that the page has it, too, and that it stands in the log. Destroy, which
// leaves no log, leaves its receipt.
func TestEveryOperation(t *testing.T) {
	r := &refusing{t: t, root: t.TempDir()}
	for name, text := range map[string]string{"pass": "correct horse battery staple\n", "export.json": personalExport} {
		if err := os.WriteFile(r.path(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r.ok("init", "--kdf", "test")
	r.ok("audit", "--reading", "on") // one's own is not logged otherwise
	r.ok("compaction", "limits", "--tokens", "8")
	page := pageSources(t)
	ids := strings.NewReplacer()
	for _, o := range operations {
		if !strings.Contains(page, o.page) {
			t.Errorf("%s: the page has no %s…)", o.name, o.page)
		}
		args := make([]string, len(o.args))
		for i, arg := range o.args {
			args[i] = ids.Replace(arg)
		}
		before := r.logged(o.log)
		said := r.ok(args...)
		if now := r.logged(o.log); now != before+1 {
			t.Errorf("%s: %d entries %q in the log, %d before", o.name, now, o.log, before)
		}
		if is, want := r.operation(o.log), wordOf(o.name); is != want {
			t.Errorf("%s: the log calls it %q, and the specification %q", o.name, is, want)
		}
		switch o.name {
		case "store":
			ids = strings.NewReplacer("$ID", idIn(t, said, "id"))
		case "store (import)":
			ids = strings.NewReplacer("$ID", ids.Replace("$ID"), "$SESSION", idIn(t, r.ok("list", "conversations"), "items", "id"))
		}
	}
	if !strings.Contains(page, "backend.Care.Destroy(") {
		t.Error("destroy: the page has none")
	}
	r.ok("destroy", "--confirm", idIn(t, r.ok("status"), "vault_id"), "--receipt", "receipt.txt")
	receipt, err := os.ReadFile(r.path("receipt.txt"))
	if err != nil || len(receipt) == 0 {
		t.Errorf("destroy: no receipt, %v", err)
	}
	if left, _ := filepath.Glob(r.path("vault/vault*")); len(left) > 0 {
		t.Errorf("destroy: %q are left", left)
	}
}

// logged counts the entries of an action, among the newest.
func (r *refusing) logged(action string) int {
	return strings.Count(r.ok("audit"), `"action": "`+action+`"`)
}

// operation is what the log says that the newest entry of an action is in the words of
// the specification.
func (r *refusing) operation(action string) string {
	var page core.LogPage
	if err := json.Unmarshal([]byte(r.ok("audit")), &page); err != nil {
		r.t.Fatal(err)
	}
	i := slices.IndexFunc(page.Entries, func(e core.LogEntry) bool { return e.Action == action })
	if i < 0 {
		r.t.Fatalf("no entry %q", action)
	}
	return page.Entries[i].Operation
}

// wordOf is the specification's word for the log, "" where it has none for an operation.
func wordOf(name string) string {
	switch word, _, _ := strings.Cut(name, " "); word {
	case "portability":
		return "export"
	case "access", "restriction":
		return ""
	default:
		return word
	}
}

// idIn finds a member of the JSON document that a command printed, of the first
// element where a list is on the way.
func idIn(t *testing.T, said string, path ...string) string {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(said), &v); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	for _, name := range path {
		if list, ok := v.([]any); ok && len(list) > 0 {
			v = list[0]
		}
		in, _ := v.(map[string]any)
		v = in[name]
	}
	id, _ := v.(string)
	if id == "" {
		t.Fatalf("no %q in %s", path, said)
	}
	return id
}

// pageSources are the sources of the page but for its tests and what stands in for
// the program in them.
func pageSources(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir("../../frontend/src/features", func(path string, at fs.DirEntry, err error) error {
		if err != nil || at.IsDir() || strings.HasSuffix(path, ".test.ts") {
			return err
		}
		text, err := os.ReadFile(path)
		all.Write(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}
