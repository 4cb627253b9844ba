package core_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"keepsake/backend/core"
	"keepsake/backend/importer"
)

// resumed are the files of two sessions of Claude Code: the second went on from the
// second line of the first, and its file begins with copies of these lines.
func resumed(k *kit) (first, second string) {
	k.t.Helper()
	const a, b = "aaaaaaaa-2222-4333-8444-555555555555", "bbbbbbbb-2222-4333-8444-555555555555"
	line := func(id, parent, session, role, words string, second int) string {
		up := "null"
		if parent != "" {
			up = `"` + parent + `"`
		}
		return fmt.Sprintf(`{"type":%q,"uuid":%q,"parentUuid":%s,"sessionId":%q,"timestamp":"2026-09-02T09:00:%02d.000Z","isSidechain":false,"message":{"role":%q,"content":[{"type":"text","text":%q}]}}`+"\n",
			role, id, up, session, second, role, words)
	}
	shared := line("p1", "", a, "user", "Plan a pond.", 1) + line("p2", "p1", a, "assistant", "How deep?", 2)
	first = k.file(filepath.Join("a", a+".jsonl"), []byte(shared+line("p3", "p2", a, "user", "And the fish?", 3)+line("p4", "p3", a, "assistant", "Carp.", 4)))
	second = k.file(filepath.Join("b", b+".jsonl"), []byte(shared+line("q3", "p2", b, "user", "No fish, frogs.", 9)+line("q4", "q3", b, "assistant", "Frogs it is.", 10)))
	return first, second
}

// sayings are the words of the conversations of Claude Code, each as "words; words".
func (k *kit) sayings() []string {
	k.t.Helper()
	var all []string
	for _, session := range []string{"aaaaaaaa-2222-4333-8444-555555555555", "bbbbbbbb-2222-4333-8444-555555555555"} {
		thread, err := k.Thread(ctx, importer.ConversationID("claude-code", session), "", 0, 50)
		if err != nil {
			continue
		}
		var words []string
		for _, m := range thread.Messages {
			words = append(words, m.Content.PlainText())
		}
		all = append(all, strings.Join(words, "; "))
	}
	return all
}

// Promise (K1): whatever the order in which files of one history come, together or one
// by one, no message that was there goes; and undo of one import leaves the other's.
func TestField53NoImportTakesMessagesAway(t *testing.T) {
	whole := []string{"Plan a pond.; How deep?; And the fish?; Carp.", "No fish, frogs.; Frogs it is."}
	for name, order := range map[string][][]int{"a then b": {{0}, {1}}, "b then a": {{1}, {0}}, "together": {{0, 1}}, "again": {{0}, {1}, {0}, {1}}} {
		k := provider(t)
		files := [2]string{}
		files[0], files[1] = resumed(k)
		for _, some := range order {
			var paths []string
			for _, i := range some {
				paths = append(paths, files[i])
			}
			addsUp(t, k.imports(paths...))
		}
		if got := k.sayings(); !slices.Equal(got, whole) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestField52OneSessionInTwoFolders: of a session that Codex keeps twice, in one folder a
// while ago and in the other as it went on, one conversation with all of it comes.
func TestField52OneSessionInTwoFolders(t *testing.T) {
	line := func(second int, kind, payload string) string {
		return fmt.Sprintf(`{"timestamp":"2026-09-03T10:00:%02d.000Z","type":%q,"payload":%s}`+"\n", second, kind, payload)
	}
	said := func(second int, role, words string) string {
		return line(second, "response_item", fmt.Sprintf(`{"type":"message","role":%q,"content":[{"type":"text","text":%q}]}`, role, words))
	}
	const name, id = "rollout-2026-09-03T10-00-00-01a00000-0000-7000-8000-00000000000a.jsonl", "01a00000-0000-7000-8000-00000000000a"
	short := line(0, "session_meta", fmt.Sprintf(`{"id":%q,"timestamp":"2026-09-03T10:00:00.000Z"}`, id)) + said(1, "user", "Name the boat.") + said(2, "assistant", "Kittiwake.")
	long := short + said(3, "user", "And the dinghy?") + said(4, "assistant", "Puffin.")
	for _, folders := range [][2]string{{"archived_sessions", "sessions"}, {"sessions", "archived_sessions"}} {
		k := provider(t)
		for i, text := range []string{short, long} {
			k.file(filepath.Join("codex", folders[i], name), []byte(text))
		}
		addsUp(t, k.imports(filepath.Join(k.root, "codex")))
		if n := k.state().Conversations; n != 1 {
			t.Errorf("%v: %d conversations", folders, n)
		}
		if th := ok(k.Thread(ctx, importer.ConversationID("codex", id), "", 0, 9)); th.Total != 4 {
			t.Errorf("%v: %d messages", folders, th.Total)
		}
	}
}

// TestUndoLeavesTheOthersMessages: of two imports of one history either can be taken
// back, and what the other held stays.
func TestUndoLeavesTheOthersMessages(t *testing.T) {
	for undone := range 2 {
		for _, order := range [][2]int{{0, 1}, {1, 0}} {
			k := provider(t)
			files := [2]string{}
			files[0], files[1] = resumed(k)
			ids := map[int]string{}
			for _, i := range order {
				ids[i] = k.imports(files[i]).ImportID
			}
			ok(k.UndoImport(ctx, ids[undone]))
			said := strings.Join(k.sayings(), "; ")
			want := []string{"Plan a pond.", "How deep?", "And the fish?", "Carp."}
			if undone == 0 {
				want = []string{"Plan a pond.", "How deep?", "No fish, frogs.", "Frogs it is."}
			}
			for _, words := range want {
				if !strings.Contains(said, words) {
					t.Errorf("import %d of %v undone: %q is gone: %q", undone, order, words, said)
				}
			}
		}
	}
}

// TestUnitedConversationsAreTold: a conversation of which each of two files holds only a
// part is put together, and the report says so, once; where one file holds all, nothing
// was put together.
func TestUnitedConversationsAreTold(t *testing.T) {
	part := func(k *kit, folder string, last string) string {
		line := func(id, parent, words string) string {
			return fmt.Sprintf(`{"type":"user","uuid":%q,"parentUuid":%q,"sessionId":"aaaaaaaa-2222-4333-8444-555555555555","timestamp":"2026-09-02T09:00:00.000Z","message":{"role":"user","content":%q}}`+"\n", id, parent, words)
		}
		text := line("p1", "", "Plan a pond.") + line("p2", "p1", "How deep?")
		if last != "" {
			text += line(last, "p2", "And "+last+"?")
		}
		return k.file(filepath.Join(folder, "aaaaaaaa-2222-4333-8444-555555555555.jsonl"), []byte(text))
	}
	united := func(r core.ImportReport) int { return r.Conversations.United }
	k := provider(t)
	start, fish, frogs := part(k, "start", ""), part(k, "fish", "fish"), part(k, "frogs", "frogs")
	for i, step := range []struct {
		paths []string
		want  int
	}{{[]string{start}, 0}, {[]string{fish}, 0}, {[]string{frogs}, 1}, {[]string{frogs}, 0}, {[]string{start}, 0}} {
		if got := united(k.imports(step.paths...)); got != step.want {
			t.Errorf("step %d: %d put together, want %d", i, got, step.want)
		}
	}
	other := provider(t)
	if got := united(other.imports(part(other, "a", "fish"), part(other, "b", "frogs"), part(other, "c", "newts"))); got != 1 {
		t.Errorf("three files in one import: %d put together", got)
	}
}
