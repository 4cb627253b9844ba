package core_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"keepsake/backend/core"
	"keepsake/backend/importer"
)

// forked are the files of a session and of a fork of it, which begins with a copy of its
// first two messages. Both go on.
type forked struct {
	platform      string
	first, second string // ids of the sessions
	files         func(k *kit) [2]string
	more          int // lines that begin a turn
}

func forkedClaudeCode() forked {
	const a, b = "11111111-2222-4333-8444-555555555555", "99999999-2222-4333-8444-555555555555"
	line := func(id, parent, session, role, words string, second int) string {
		up, more := "null", ""
		if parent != "" {
			up = `"` + parent + `"`
		}
		if session == b {
			more = `,"sessionKind":"bg"`
		}
		return fmt.Sprintf(`{"type":%q,"uuid":%q,"parentUuid":%s,"sessionId":%q,"timestamp":"2026-09-02T09:00:%02d.000Z","isSidechain":false%s,"message":{"role":%q,"content":[{"type":"text","text":%q}]}}`+"\n",
			role, id, up, session, second, more, role, words)
	}
	chain := func(session string) string {
		return line("d1", "", session, "user", "Plan the shelf.", 1) + line("d2", "d1", session, "assistant", "Three boards.", 2)
	}
	return forked{platform: "claude-code", first: a, second: b, files: func(k *kit) [2]string {
		return [2]string{
			k.file(filepath.Join("a", a+".jsonl"), []byte(chain(a)+line("d3", "d2", a, "user", "Add a drawer.", 3)+line("d4", "d3", a, "assistant", "Drawer added.", 4))),
			k.file(filepath.Join("b", b+".jsonl"), []byte(chain(b)+line("e3", "d2", b, "user", "Now the shopping list.", 9)+line("e4", "e3", b, "assistant", "Wood, screws, glue.", 10))),
		}
	}}
}

// forkedCodex is a fork whose copies have times of their own; turns are where they were
// named.
func forkedCodex(turns bool) forked {
	const a, b = "01a00000-0000-7000-8000-00000000000a", "01a00000-0000-7000-8000-00000000000b"
	line := func(day int, kind, payload string) string {
		return fmt.Sprintf(`{"timestamp":"2026-09-%02dT10:00:00.000Z","type":%q,"payload":%s}`+"\n", day, kind, payload)
	}
	turn := func(day int, id, question, answer string) string {
		text := ""
		if turns {
			text = line(day, "turn_context", fmt.Sprintf(`{"turn_id":%q}`, id))
		}
		for _, said := range [][2]string{{"user", question}, {"assistant", answer}} {
			text += line(day, "response_item", fmt.Sprintf(`{"type":"message","role":%q,"content":[{"type":"text","text":%q}]}`, said[0], said[1]))
		}
		return text
	}
	meta := func(day int, id, more string) string {
		return line(day, "session_meta", fmt.Sprintf(`{"id":%q,"timestamp":"2026-09-%02dT10:00:00.000Z"%s}`, id, day, more))
	}
	return forked{platform: "codex", first: a, second: b, more: map[bool]int{true: 1}[turns], files: func(k *kit) [2]string {
		return [2]string{
			k.file(filepath.Join("a", "rollout-2026-09-03T10-00-00-"+a+".jsonl"), []byte(meta(3, a, "")+turn(3, "t1", "Plan the shelf.", "Three boards.")+turn(3, "t2", "Add a drawer.", "Drawer added."))),
			k.file(filepath.Join("b", "rollout-2026-09-04T10-00-00-"+b+".jsonl"), []byte(meta(4, b, `,"forked_from_id":"`+a+`"`)+meta(4, a, "")+turn(4, "t1", "Plan the shelf.", "Three boards.")+turn(4, "t3", "Now the shopping list.", "Wood, screws, glue."))),
		}
	}}
}

// talks are the words of both sessions, the first one's first.
func (k *kit) talks(f forked) (both [2]string) {
	k.t.Helper()
	for i, session := range []string{f.first, f.second} {
		thread, err := k.Thread(ctx, importer.ConversationID(f.platform, session), "", 0, 50)
		if err != nil {
			continue
		}
		var words []string
		for _, m := range thread.Messages {
			words = append(words, m.Content.PlainText())
		}
		both[i] = strings.Join(words, "; ")
	}
	return both
}

const wordsOfBoth, wordsOfFirst, wordsOfSecond = "Plan the shelf.; Three boards.", "Add a drawer.; Drawer added.", "Now the shopping list.; Wood, screws, glue."

func TestField04ForksOfClaudeCode(t *testing.T) { forksHoldTheirOwn(t, forkedClaudeCode()) }

func TestField09ForksOfCodex(t *testing.T) {
	forksHoldTheirOwn(t, forkedCodex(true))
	forksHoldTheirOwn(t, forkedCodex(false))
}

// forksHoldTheirOwn holds that what a fork copied stands once, whichever of both comes
// first; that the other conversation names it; and that undo of one import leaves all
// words of the other.
func forksHoldTheirOwn(t *testing.T, f forked) {
	for name, c := range map[string]struct {
		order [][]int
		want  [2]string
	}{
		"together":         {[][]int{{0, 1}}, [2]string{wordsOfBoth + "; " + wordsOfFirst, wordsOfSecond}},
		"together, turned": {[][]int{{1, 0}}, [2]string{wordsOfBoth + "; " + wordsOfFirst, wordsOfSecond}},
		"in order":         {[][]int{{0}, {1}}, [2]string{wordsOfBoth + "; " + wordsOfFirst, wordsOfSecond}},
		"the fork first":   {[][]int{{1}, {0}}, [2]string{wordsOfBoth + "; " + wordsOfFirst, wordsOfSecond}},
		"again, turned":    {[][]int{{1}, {0}, {1}, {0}}, [2]string{wordsOfBoth + "; " + wordsOfFirst, wordsOfSecond}},
		"the fork alone":   {[][]int{{1}}, [2]string{"", wordsOfBoth + "; " + wordsOfSecond}},
		"again":            {[][]int{{0}, {1}, {0}, {1}}, [2]string{wordsOfBoth + "; " + wordsOfFirst, wordsOfSecond}},
	} {
		k := provider(t)
		files := f.files(k)
		for _, some := range c.order {
			var paths []string
			for _, i := range some {
				paths = append(paths, files[i])
			}
			said := ok(k.PlanImport(ctx, inputs(paths...), core.ImportOptions{}))
			r := k.imports(paths...)
			addsUp(t, r)
			planned := 0
			for _, s := range said.Sources {
				planned += s.New
			}
			if n := r.Ledger[0].Skipped["copied"]; name == "together" && n != 2 {
				t.Errorf("%s: %d copies", f.platform, n)
			}
			if planned != r.Conversations.New {
				t.Errorf("%s, %s: planned %d conversations, took %d", f.platform, name, planned, r.Conversations.New)
			}
		}
		if got := k.talks(f); got != c.want {
			t.Errorf("%s, %s: %q", f.platform, name, got)
		}
		whole, own := f.first, f.second
		from := string(k.conversation(importer.ConversationID(f.platform, own)).RawMetadata["keepsake_continues"])
		if want := `"conversation_id":"` + importer.ConversationID(f.platform, whole) + `"`; name != "the fork alone" && (!strings.Contains(from, want) || !strings.Contains(from, "message_id")) {
			t.Errorf("%s, %s: it goes on from %s", f.platform, name, from)
		}
	}
	for undone := range 2 {
		for _, order := range [][2]int{{0, 1}, {1, 0}} {
			k := provider(t)
			files, ids := f.files(k), map[int]string{}
			for _, i := range order {
				ids[i] = k.imports(files[i]).ImportID
			}
			ok(k.UndoImport(ctx, ids[undone]))
			both := k.talks(f)
			want := wordsOfBoth + "; " + []string{wordsOfSecond, wordsOfFirst}[undone]
			for _, words := range strings.Split(want, "; ") {
				if !slices.ContainsFunc(both[:], func(said string) bool { return strings.Contains(said, words) }) {
					t.Errorf("%s, import %d of %v undone: %q is gone: %q", f.platform, undone, order, words, both)
				}
			}
		}
	}
}

// TestAForkGoesOn: a fork that was imported again after it went on has its new messages
// and no copies, also after what it goes on from was forgotten. A fork that holds nothing
// of its own is none yet.
func TestAForkGoesOn(t *testing.T) {
	for _, f := range []forked{forkedClaudeCode(), forkedCodex(true), forkedCodex(false)} {
		for _, forgotten := range []bool{false, true} {
			k := provider(t)
			files := f.files(k)
			r := k.imports(files[0], files[1])
			addsUp(t, r)
			grown := k.shortened(files[1], 0) + strings.NewReplacer("e3", "g3", "e4", "g4", "d2", "e4", "t3", "t9", "Now the shopping list.", "And nails.", "Wood, screws, glue.", "Nails.").Replace(k.shortened(files[1], 2))
			if forgotten {
				ok(k.Forget(ctx, nil, []string{importer.ConversationID(f.platform, f.first)}))
			}
			addsUp(t, k.imports(k.file(filepath.Join("c", filepath.Base(files[1])), []byte(grown))))
			if got := k.talks(f)[1]; got != wordsOfSecond+"; And nails.; Nails." {
				t.Errorf("%s, forgotten %v: %q", f.platform, forgotten, got)
			}
		}
		k := provider(t)
		files := f.files(k)
		r := k.imports(files[0])
		begun := strings.Split(k.shortened(files[1], 0), "\n")
		r = k.imports(k.file(filepath.Join("c", filepath.Base(files[1])), []byte(strings.Join(begun[:len(begun)-3-f.more], "\n")+"\n")))
		addsUp(t, r)
		if got := k.talks(f); got[1] != "" || r.Conversations.New != 0 || r.Conversations.Unchanged != 1 {
			t.Errorf("%s: %q, %+v", f.platform, got, r.Conversations)
		}
	}
}

// shortened are the last lines of a file, all where last is 0.
func (k *kit) shortened(path string, last int) string {
	k.t.Helper()
	lines := strings.SplitAfter(string(ok(os.ReadFile(path))), "\n")
	if last > 0 {
		lines = lines[len(lines)-1-last:]
	}
	return strings.Join(lines, "")
}

// TestField07AnExcerptReplacesNothing: a session that comes without the files that its
// results were saved to takes none of their text away, and one that comes with them later
// brings it.
func TestField07AnExcerptReplacesNothing(t *testing.T) {
	const id = "11111111-2222-4333-8444-555555555555"
	text := fmt.Sprintf(`{"type":"user","uuid":"g3","parentUuid":null,"sessionId":%q,"timestamp":"2026-09-02T09:00:01.000Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t9","content":"<persisted-output>\nFull output saved to: /p/%s/tool-results/t9.txt\n\nM3\n</persisted-output>"}]}}`+"\n", id, id)
	for _, withFirst := range []bool{false, true} {
		k := provider(t)
		alone := k.file(filepath.Join("a", id+".jsonl"), []byte(text))
		k.file(filepath.Join("b", id+".jsonl"), []byte(text))
		k.file(filepath.Join("b", id, "tool-results", "t9.txt"), []byte("M3 to M12"))
		with := filepath.Join(k.root, "b")
		order := []string{alone, with}
		if withFirst {
			order = []string{with, alone}
		}
		for range 2 {
			for _, path := range order {
				addsUp(t, k.imports(path))
			}
		}
		if c := k.conversation(importer.ConversationID("claude-code", id)); len(c.Messages) != 1 || c.Messages[0].Content.PlainText() != "M3 to M12" {
			t.Errorf("with its files first %v: %+v", withFirst, c.Messages)
		}
	}
}

// TestGoesOnWithoutACopy: a session that was resumed in a file of its own, and one whose
// history is only named, say what they go on from.
func TestGoesOnWithoutACopy(t *testing.T) {
	k := provider(t)
	first, second := resumed(k)
	k.imports(first)
	k.imports(second)
	const a, b = "aaaaaaaa-2222-4333-8444-555555555555", "bbbbbbbb-2222-4333-8444-555555555555"
	if from := core.ContinuedOf(k.conversation(importer.ConversationID("claude-code", b)).RawMetadata); from.ConversationID != importer.ConversationID("claude-code", a) {
		t.Errorf("resumed: %+v", from)
	}
	line := func(id, more string) []byte {
		return []byte(`{"timestamp":"2026-09-03T10:00:00.000Z","type":"session_meta","payload":{"id":"` + id + `","timestamp":"2026-09-03T10:00:00.000Z"` + more + "}}\n" +
			`{"timestamp":"2026-09-03T10:00:01.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Said in ` + id + `."}]}}` + "\n")
	}
	k.imports(k.file("rollout-1.jsonl", line("parent", "")))
	k.imports(k.file("rollout-2.jsonl", line("child", `,"history_base":{"thread_id":"parent","ordinal":4}`)))
	if from := core.ContinuedOf(k.conversation(importer.ConversationID("codex", "child")).RawMetadata); from.ConversationID != importer.ConversationID("codex", "parent") {
		t.Errorf("paginated: %+v", from)
	}
}
