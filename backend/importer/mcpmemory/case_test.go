package mcpmemory_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	. "keepsake/backend/importer/importertest"
	"keepsake/backend/importer/mcpmemory"
)

// TestBadLines: blank lines, one bad line, a kind nobody knows and a torn end
// do not lose the rest.
func TestBadLines(t *testing.T) {
	text := "{\"type\":\"entity\",\"name\":\"A\",\"entityType\":\"x\",\"observations\":[\"A likes tea\"]}\n\n{bad}\n{\"type\":\"note\",\"text\":\"?\"}\n" +
		"{\"type\":\"relation\",\"from\":\"A\",\"to\":\"B\",\"relationType\":\"KNOWS\"}\n{\"type\":\"entity\",\"name\":\"C\",\"obs"
	r := Read(t, mcpmemory.Importer{}, Loose("memory.jsonl", text).Tree(t))
	if !slices.Equal(r.Contents(), []string{"A likes tea", "A knows B"}) || len(r.Problems) != 2 || r.Unknown["record:note"] != 1 {
		t.Errorf("%q, %+v, %v", r.Contents(), r.Problems, r.Unknown)
	}
}

// TestLongEntity: an entity is gone over once, and not for each of its observations.
func TestLongEntity(t *testing.T) {
	const all = 50_000 // quadratic work would take minutes
	var said []string
	for i := range all {
		said = append(said, fmt.Sprintf(`"likes tea %d%s"`, i, strings.Repeat(" and", 80)))
	}
	r := Read(t, mcpmemory.Importer{}, Loose("memory.jsonl", `{"type":"entity","name":"A","entityType":"x","since":"kept","observations":[`+strings.Join(said, ",")+"]}").Tree(t))
	if len(r.Memories) != all {
		t.Fatalf("%d memories of %d", len(r.Memories), all)
	}
	for _, i := range []int{0, all - 1} {
		if raw, err := json.Marshal(r.Memories[i].Metadata["raw"]); err != nil || string(raw) != `{"since":"kept"}` {
			t.Errorf("memory %d keeps %s, %v", i, raw, err)
		}
	}
}

// TestField64NearRelatives: files of mcp-knowledge-graph begin with a line of their own, and
// mcp-memory-service keeps statements and no graph.
func TestField64NearRelatives(t *testing.T) {
	service := `{"export_metadata":{"source_machine":"desk"},"memories":[{"content":"Pat keeps bees","content_hash":"abc","tags":["hobby"],"created_at":1780000000.0,"created_at_iso":"2026-05-28T20:26:40Z","memory_type":"note","metadata":{}}]}`
	aim := `{"type":"_aim","source":"mcp-knowledge-graph"}` + "\n" + `{"type":"entity","name":"Pat","entityType":"person","observations":["Pat keeps bees"]}` + "\n"
	for name, text := range map[string]string{"memories_export.json": service, "memory-home.jsonl": aim} {
		f := Loose(name, text)
		if m, err := (mcpmemory.Importer{}).Sniff(t.Context(), f.Tree(t)); err != nil || m.Format == "" {
			t.Errorf("%s: %+v, %v", name, m, err)
		}
		r := Read(t, mcpmemory.Importer{}, f.Tree(t))
		if len(r.Memories) != 1 || r.Memories[0].Content != "Pat keeps bees" || len(r.Problems) != 0 {
			t.Errorf("%s: %+v, %+v", name, r.Memories, r.Problems)
		}
		if name == "memories_export.json" && (r.Memories[0].CreatedAt.String() != "2026-05-28T20:26:40Z" || !slices.Contains(r.Memories[0].Tags, "hobby")) {
			t.Errorf("%+v", r.Memories[0])
		}
	}
}

// TestSavedToolResults: the graph inside the saved result of the server's tool.
func TestSavedToolResults(t *testing.T) {
	const graph = `{"entities":[{"type":"entity","name":"Pat","entityType":"person","observations":["Keeps four hives"]}],"relations":[{"from":"Pat","to":"hives","relationType":"owns"}]}`
	quoted := strconv.Quote(graph)
	content := `"content":[{"type":"text","text":` + quoted + `}]`
	for name, text := range map[string]string{
		"a.json": "{" + content + "}",
		"b.json": `{"jsonrpc":"2.0","id":2,"result":{` + content + `,"structuredContent":` + graph + `}}`,
		"c.json": `{"content":[],"structuredContent":` + graph + `}`,
		"d.json": `[{"type":"text","text":` + quoted + `}]`,
		"g.json": `{"jsonrpc":"2.0","id":2,"result":{"structuredContent":` + graph + `}}`,
		"e.txt":  "{" + content + `,"isError":false}`,
	} {
		f := Loose(name, text)
		if m, err := (mcpmemory.Importer{}).Sniff(t.Context(), f.Tree(t)); err != nil || m.Format != "graph" {
			t.Errorf("%s: %+v, %v", name, m, err)
		}
		r := Read(t, mcpmemory.Importer{}, f.Tree(t))
		if want := []string{"Pat: Keeps four hives", "Pat owns hives"}; !slices.Equal(r.Contents(), want) || len(r.Problems)+len(r.Skipped) != 0 {
			t.Errorf("%s: %q, %+v, %v", name, r.Contents(), r.Problems, r.Skipped)
		}
	}
	cut := Read(t, mcpmemory.Importer{}, Loose("f.json", `{"content":[{"type":"text","text":"{\"entities\":[{"}]}`).Tree(t))
	if len(cut.Problems) != 1 || cut.Problems[0].Reason != "mcp-not-a-graph" {
		t.Errorf("%+v", cut.Problems)
	}
}
