package instructions_test

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"keepsake/backend/importer"
	. "keepsake/backend/importer/importertest"
	"keepsake/backend/importer/instructions"
	"keepsake/backend/intake"
	"keepsake/backend/memory"
)

// dropped reads folders or files of a home that holds these files.
func dropped(t *testing.T, home map[string]string, at ...string) *Recording {
	t.Helper()
	root := filepath.Join(t.TempDir(), "home")
	for name, text := range home {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var sources []intake.Source
	for _, place := range at {
		source, err := intake.FromPath(filepath.Join(root, filepath.FromSlash(place)))
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, source)
	}
	tree, err := intake.Open(context.Background(), sources, intake.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tree.Close() })
	if m, err := (instructions.Importer{}).Sniff(t.Context(), tree); err != nil || m.Certainty != importer.Certain {
		t.Errorf("%s: %+v, %v", at, m, err)
	}
	r := Read(t, instructions.Importer{}, tree)
	CheckDrafts(t, instructions.Importer{}.Info(), r)
	return r
}

// tools are the programs that what was read is of.
func tools(r *Recording) []string {
	all := map[string]bool{}
	for _, m := range r.Memories {
		all[m.Metadata["tool"].(string)] = true
	}
	return slices.Sorted(maps.Keys(all))
}

// find is the memory that begins so.
func find(t *testing.T, r *Recording, begin string) importer.MemoryDraft {
	t.Helper()
	for _, m := range r.Memories {
		if strings.HasPrefix(m.Content, begin) {
			return m
		}
	}
	t.Fatalf("nothing begins %q: %q, left out: %v", begin, r.Contents(), r.Skipped)
	return importer.MemoryDraft{}
}

// autoMemory is what Claude Code keeps of a project, with a topic that no line of the index
// names and one in a folder.
func autoMemory() map[string]string {
	const at = ".claude/projects/-home-pat/memory/"
	return map[string]string{
		at + "MEMORY.md":         "# Memory Index\n\n- [Role](user_role.md) — a carpenter\n- [Tests](./feedback_tests.md): run them\n- **till.md** → rounding\n- `topics/sawing.md`: when\n- [Lost](gone.md) — the shed is rented\n- Uses a hand plane\n",
		at + "user_role.md":      "---\nname: user_role\ndescription: Pat is a carpenter: learns Go\nmetadata:\n  type: user\n---\n\nPat is a carpenter who learns Go.\n\n**Why:** said so.\n**How to apply:** explain with wood.\n",
		at + "till.md":           "# Till\n\nThe till rounds down since March.\n\n**Why:**\nThe bank asked.\n\n## Notes\n\nWhy not cents: nobody has them.\n",
		at + "topics/sawing.md":  "Saws on Fridays.\n",
		at + "feedback_tests.md": "---\nname: feedback_tests\ndescription: tests first\ntype: feedback\n---\n\nRun the tests first.\n",
	}
}

// TestField40AutoMemory: the memory of Claude Code is read whole whichever folder around it
// is dropped; lines of its index are no memories, and reasons stay with their statement.
func TestField40AutoMemory(t *testing.T) {
	for _, at := range []string{".claude", ".claude/projects", ".claude/projects/-home-pat", ".claude/projects/-home-pat/memory", "."} {
		r := dropped(t, autoMemory(), at)
		if len(r.Memories) != 7 || r.Skipped["index-line"] != 4 || len(r.Skipped) != 1 || !slices.Equal(tools(r), []string{"Claude Code"}) {
			t.Errorf("%s: %q, %v, %v", at, r.Contents(), r.Skipped, tools(r))
		}
		if m := find(t, r, "Pat is"); m.Content != "Pat is a carpenter who learns Go.\n**Why:** said so.\n**How to apply:** explain with wood." {
			t.Errorf("%q", m.Content)
		}
		if m := find(t, r, "The till"); m.Content != "The till rounds down since March.\n**Why:** The bank asked." || m.Method != memory.LLMInference {
			t.Errorf("%+v", m)
		}
		if m := find(t, r, "Run the"); m.Type != memory.Instruction || m.Method != memory.LLMInference {
			t.Errorf("%+v", m)
		}
	}
}

// TestField40LooseFiles: files of such a folder that are given one by one are read as if it
// had been given.
func TestField40LooseFiles(t *testing.T) {
	home := map[string]string{}
	var files []string
	for name, text := range autoMemory() {
		name = strings.TrimPrefix(name, ".claude/projects/-home-pat/")
		home[name] = text
		if !strings.Contains(name, "topics") {
			files = append(files, name)
		}
	}
	r := dropped(t, home, files...)
	if len(r.Memories) != 7 || r.Skipped["index-line"] != 3 || r.Skipped["other-file"] != 0 || !slices.Equal(tools(r), []string{"Claude Code"}) {
		t.Errorf("%q, %v, %v", r.Contents(), r.Skipped, tools(r))
	}
}

// TestForeignF03TopicFiles: a topic file of Claude Code by itself is known by its head, and
// so are neighbours of a MEMORY.md that links to nothing.
func TestForeignF03TopicFiles(t *testing.T) {
	topic := "---\nname: a\ndescription: b\nmetadata:\n  type: reference\n---\nThe plans are in the blue folder.\n"
	r := dropped(t, map[string]string{"a.md": topic}, "a.md")
	if find(t, r, "The plans").Metadata["tool"] != "Claude Code" {
		t.Errorf("%+v", r.Memories)
	}
	r = dropped(t, map[string]string{"notes/MEMORY.md": "- Likes tea\n", "notes/a.md": topic, "notes/b.md": "Sleeps late.\n"}, "notes")
	if len(r.Memories) != 3 || !slices.Equal(tools(r), []string{"Claude Code"}) {
		t.Errorf("%q, %v", r.Contents(), tools(r))
	}
	// Beside the MEMORY.md of a project lies the project.
	r = dropped(t, map[string]string{"p/MEMORY.md": "- Likes tea\n", "p/README.md": "A shop.\n", "p/main.go": "package main", "p/docs/use.md": "Use it.\n"}, "p")
	if len(r.Memories) != 1 || r.Skipped["other-file"] != 3 || !slices.Equal(tools(r), []string{"MEMORY.md"}) {
		t.Errorf("%q, %v, %v", r.Contents(), r.Skipped, tools(r))
	}
}

// TestField67OpenClawWorkspace: what an agent of OpenClaw keeps, from whichever folder.
func TestField67OpenClawWorkspace(t *testing.T) {
	home := map[string]string{
		".openclaw/workspace/MEMORY.md":            "# Long-term memory\n\n- Pat keeps four hives\n",
		".openclaw/workspace/SOUL.md":              "# SOUL.md\n\nBe helpful.\n",
		".openclaw/workspace/IDENTITY.md":          "- **Name:** Bolt\n",
		".openclaw/workspace/AGENTS.md":            "Read SOUL.md first.\n",
		".openclaw/workspace/DREAMS.md":            "Dreamt of bees.\n",
		".openclaw/workspace/USER.md":              "# USER.md - About your human\n\n_Learn about them._\n\n- **Name:** Pat\n- **Pronouns:** _(optional)_\n- **Notes:**\n- Email:\n\n## Context\n\nPat is allergic to walnuts.\n",
		".openclaw/workspace/memory/2026-09-01.md": "# 2026-09-01\n\n- Decided to sell jam on Fridays\n",
	}
	for _, at := range []string{".openclaw/workspace", ".openclaw", "."} {
		r := dropped(t, home, at)
		if len(r.Memories) != 6 || r.Skipped["persona"] != 2 || r.Skipped["template"] != 2 || r.Skipped["empty"] != 2 || r.Skipped["other-file"] != 0 ||
			!slices.Equal(tools(r), []string{"AGENTS.md", "OpenClaw"}) {
			t.Errorf("%s: %q, %v, %v", at, r.Contents(), r.Skipped, tools(r))
		}
		if m := find(t, r, "Name: Pat"); m.Type != memory.Identity || m.Method == memory.ExplicitUserInput {
			t.Errorf("%+v", m)
		}
		if m := find(t, r, "Decided"); m.CreatedAt.String() != "2026-09-01T00:00:00Z" || m.Metadata["keepsake_created_at"] != "day" {
			t.Errorf("%+v", m)
		}
	}
	// Without SOUL.md a workspace is known by its daily notes; USER.md alone by its head.
	r := dropped(t, map[string]string{"w/MEMORY.md": "- Keeps hives\n", "w/AGENTS.md": "Be brief.\n", "w/memory/2026-09-01-jam.md": "Sold jam.\n"}, "w")
	if len(r.Memories) != 3 || find(t, r, "Keeps").Metadata["tool"] != "OpenClaw" {
		t.Errorf("%q, %v", r.Contents(), r.Skipped)
	}
	if r = dropped(t, home, ".openclaw/workspace/USER.md"); len(r.Memories) != 2 {
		t.Errorf("%q", r.Contents())
	}
}

// TestField68HermesAndCodex: entries of Hermes stand between lines "§"; what Codex keeps was
// drawn up by a model.
func TestField68HermesAndCodex(t *testing.T) {
	home := map[string]string{
		".hermes/memories/MEMORY.md": "Runs Arch Linux.\n\nOn a laptop.\n§\nThe till is in the shed\n§\n",
		".hermes/memories/USER.md":   "Name: Pat\n§\nPrefers short answers",
		".hermes/SOUL.md":            "Be kind.\n",
		".codex/memories/MEMORY.md": "# Task Group: till\napplies_to: cwd=/till\n\n## Task 1: round down\n\n### rollout_summary_files\n\n- rollout_summaries/a.md\n\n### keywords\n\n- till, cents\n\n" +
			"## Preferences\n\n- when counting cents, the user prefers to round down\n",
		".codex/memories/memory_summary.md":      "## User Profile\n\nPat mends a till.\n",
		".codex/memories/rollout_summaries/a.md": "A long account.\n",
	}
	for _, at := range []string{".hermes/memories", ".hermes/memories/MEMORY.md", ".hermes"} {
		r := dropped(t, home, at)
		want := []string{"Runs Arch Linux.\n\nOn a laptop.", "The till is in the shed"}
		if at != ".hermes/memories/MEMORY.md" {
			want = append(want, "Name: Pat", "Prefers short answers")
		}
		if !slices.Equal(r.Contents(), want) || !slices.Equal(tools(r), []string{"Hermes"}) {
			t.Errorf("%s: %q, %v, %v", at, r.Contents(), tools(r), r.Skipped)
		}
	}
	for _, at := range []string{".codex/memories", ".codex"} {
		r := dropped(t, home, at)
		m := find(t, r, "when counting")
		if len(r.Memories) != 2 || r.Skipped["index-line"] != 3 || r.Skipped["other-file"] != 1 || !slices.Equal(tools(r), []string{"Codex"}) ||
			m.Method != memory.LLMInference || m.Confidence > 0.6 || m.Metadata["about"] != "applies_to: cwd=/till" {
			t.Errorf("%s: %q, %v, %+v", at, r.Contents(), r.Skipped, m)
		}
	}
}

// TestField41RulesAndAgents: rules of several programs are instructions with the paths that
// they are for; what is none stays another file.
func TestField41RulesAndAgents(t *testing.T) {
	home := map[string]string{
		"p/.claude/rules/web/api.md":               "---\npaths:\n  - \"src/api/**/*.ts\"\n  - lib/*.ts\n---\n\n# API\n\n- Validate every input\n",
		"p/.claude/agents/reviewer.md":             "---\nname: reviewer\ndescription: reviews\n---\nYou review.\n",
		"p/.clinerules/style.md":                   "- Two spaces\n",
		"p/.roo/rules/style.md":                    "- Ask before deleting\n",
		"p/.roo/rules-code/style.md":               "- Small functions\n",
		"p/.github/instructions/t.instructions.md": "---\napplyTo: \"**/*_test.{go,ts}, *.md\"\n---\n\n- Name tests\n",
	}
	r := dropped(t, home, "p")
	if len(r.Memories) != 5 || r.Skipped["other-file"] != 1 || !slices.Equal(tools(r), []string{"Claude Code", "Cline", "GitHub Copilot", "Roo Code"}) {
		t.Errorf("%q, %v, %v", r.Contents(), r.Skipped, tools(r))
	}
	for begin, want := range map[string][]string{"Validate": {"src/api/**/*.ts", "lib/*.ts"}, "Name tests": {"**/*_test.{go,ts}", "*.md"}} {
		if m := find(t, r, begin); !slices.Equal(m.Metadata["paths"].([]string), want) || m.Type != memory.Instruction || m.Method != memory.ExplicitUserInput {
			t.Errorf("%+v", m)
		}
	}
	for _, at := range []string{"p/.clinerules", "p/.roo", "p/.claude/rules", "p/.roo/rules/style.md"} {
		if r := dropped(t, home, at); len(r.Memories) == 0 || r.Skipped["other-file"] != 0 {
			t.Errorf("%s: %q, %v", at, r.Contents(), r.Skipped)
		}
	}
}
