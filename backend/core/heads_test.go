package core_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"keepsake/backend/core"
	"keepsake/backend/importer/importertest/gen"
)

// headed are files of several programs that say the same below two heads, and twice below one.
func headed() map[string]string {
	line := "- Waters the hives at noon\n"
	text := "## First head\n\n" + line + "\n## Second head\n\n" + line + line
	block := ok(json.Marshal("## First head\n" + line + "## Second head\n" + line + line))
	bullet := ok(json.Marshal("## First head\n- [stated] Waters the hives at noon\n## Second head\n- [stated] Waters the hives at noon\n"))
	return map[string]string{
		"CLAUDE.md": text,
		"agent.af": `{"agents":[{"name":"Bolt","block_ids":["b"],"messages":[]}],"blocks":[{"id":"b","label":"human","value":` + string(block) +
			`},{"id":"c","label":"Second head","value":"Waters the hives at noon"}]}`,
		"memories.json": `[{"account_uuid":"11111111-2222-4333-8444-555555555555","memory_files":[{"path":"/topics/bees.md","content":` + string(bullet) + `}]}]`,
		"answer.txt":    "## First head\n[2026-01-02] - Waters the hives at noon\n\n## Second head\n[2026-01-02] - Waters the hives at noon\n[2026-01-03] - Keeps four hives\n",
		"memory.json":   `{"entities":[{"name":"hives","entityType":"First head","observations":["Waters the hives at noon"]},{"name":"noon","entityType":"Second head","observations":["Waters the hives at noon"]}],"relations":[]}`,
		"mem0.json":     `{"results":[{"id":"1","memory":"Waters the hives at noon","hash":"a","user_id":"p","categories":["First head"]},{"id":"2","memory":"Waters the hives at noon","hash":"a","user_id":"p","categories":["Second head"]}]}`,
	}
}

// TestForeignF12WordsBelowSeveralHeads: words that stand below several heads of one file are one
// memory with all of them, as sure as if they stood there once; and so they stay.
func TestForeignF12WordsBelowSeveralHeads(t *testing.T) {
	for name, text := range headed() {
		t.Run(name, func(t *testing.T) {
			k := provider(t)
			path := k.file(name, []byte(text))
			dry := ok(k.Import(ctx, inputs(path), core.ImportOptions{DryRun: true}, nil))
			r := k.imports(path)
			if dry.Memories != r.Memories {
				t.Errorf("foreseen %+v, done %+v", dry.Memories, r.Memories)
			}
			m := k.saying("Waters the hives at noon")
			if m.Confidence == nil || m.Confidence.Current != nil && *m.Confidence.Current != *m.Confidence.Initial {
				t.Errorf("confidence: %+v", m.Confidence)
			}
			said := strings.ToLower(string(ok(json.Marshal(m))))
			for _, head := range []string{"first", "second"} {
				if !strings.Contains(said, head+" head") && !strings.Contains(said, head+"-head") {
					t.Errorf("the %s head is nowhere in %s", head, said)
				}
			}
			again := k.imports(k.file("again/"+name, append([]byte(text), '\n')))
			if now := k.saying("Waters the hives at noon"); strings.ToLower(string(ok(json.Marshal(now)))) != said || again.Memories.Merged+again.Memories.New != 0 {
				t.Errorf("again: %+v, %s", again.Memories, ok(json.Marshal(now)))
			}
		})
	}
}

// TestForeignF12ManyHeads: of very many heads each is kept, and the work does not grow with
// their square.
func TestForeignF12ManyHeads(t *testing.T) {
	const heads = 6000
	k := provider(t)
	var text strings.Builder
	for i := range heads {
		fmt.Fprintf(&text, "# Head %d\n\n- Waters the hives at noon\n\n", i)
	}
	r := k.imports(k.file("CLAUDE.md", []byte(text.String())))
	m := k.saying("Waters the hives at noon")
	if also, _ := m.Metadata["also"].([]any); len(also) != heads-1 || *m.Confidence.Current != *m.Confidence.Initial || r.Memories.Repeated != heads-1 {
		t.Errorf("%d heads, %+v, %+v", len(also), m.Confidence, r.Memories)
	}
	ok(k.UndoImport(ctx, r.ImportID))
	if n := k.state().Memories; n != 0 {
		t.Errorf("%d memories after it was taken back", n)
	}
}

// TestForeignF12OtherFiles: a second file that says the same makes it surer, as before.
func TestForeignF12OtherFiles(t *testing.T) {
	k := provider(t)
	k.imports(k.file("z.zip", gen.Zip([]gen.File{{Name: "a/CLAUDE.md", Data: []byte("- Use tabs\n")}, {Name: "b/CLAUDE.md", Data: []byte("# B\n- Use tabs\n")}})))
	if m := k.saying("Use tabs"); m.Confidence.Current == nil || *m.Confidence.Current <= *m.Confidence.Initial {
		t.Errorf("%+v", m.Confidence)
	}
}
