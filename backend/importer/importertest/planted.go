package importertest

import (
	"slices"
	"strings"
	"testing"

	"keepsake/backend/importer"
	"keepsake/backend/importer/importertest/gen"
	"keepsake/backend/memory"
)

// CheckPlanted holds that exactly what a generator planted was read.
func CheckPlanted(t *testing.T, r *Recording, truth gen.Truth) {
	t.Helper()
	if len(r.Conversations) != len(truth.Conversations) {
		t.Errorf("%d conversations, planted were %d", len(r.Conversations), len(truth.Conversations))
	}
	messages := 0
	for _, talk := range truth.Conversations {
		c := r.talk(talk)
		if c == nil {
			t.Errorf("no conversation %q", talk.Title)
			continue
		}
		messages += len(c.Messages)
		checkTalk(t, c, talk)
	}
	if messages != truth.Messages {
		t.Errorf("%d messages, planted were %d", messages, truth.Messages)
	}
	if got, want := r.Contents(), truth.Contents(); !slices.Equal(got, want) {
		t.Errorf("memories %q, planted were %q", got, want)
	}
	if len(r.Attachments) != truth.Attachments || len(r.Missing) != truth.Missing {
		t.Errorf("%d attachments and %d missing, planted were %d and %d", len(r.Attachments), len(r.Missing), truth.Attachments, truth.Missing)
	}
}

// talk finds a planted conversation by its id, or by its title where the export
// gives none.
func (r *Recording) talk(talk gen.Talk) *Conversation {
	if talk.ID != "" {
		return r.Conversation(talk.ID)
	}
	i := slices.IndexFunc(r.Conversations, func(c Conversation) bool { return c.Title == talk.Title })
	if i < 0 {
		return nil
	}
	return &r.Conversations[i]
}

func checkTalk(t *testing.T, c *Conversation, talk gen.Talk) {
	t.Helper()
	if c.Title != talk.Title || len(c.Messages) != talk.Messages || talk.Leaf != "" && c.Leaf != talk.Leaf {
		t.Errorf("%s: title %q, %d messages, leaf %s; planted were %q, %d, %s", talk.ID, c.Title, len(c.Messages), c.Leaf, talk.Title, talk.Messages, talk.Leaf)
	}
	whole := c.Conversation
	whole.Leaf = c.Leaf
	var said []string
	for _, m := range whole.ActivePath() {
		if m.Role == memory.User {
			said = append(said, m.Content.PlainText())
		}
	}
	if !slices.Equal(said, talk.Said) {
		t.Errorf("%s: said %q, planted was %q", talk.Title, said, talk.Said)
	}
}

// CheckAnyFile holds for any bytes at all that a reader neither panics nor gives
// what is not sound.
func CheckAnyFile(t *testing.T, im importer.Importer, name string, data []byte) {
	if len(data) == 0 {
		return
	}
	tree, err := Fixture{Files: []gen.File{{Name: name, Data: data}}}.Open()
	if err != nil {
		return // refused before any reader saw it
	}
	defer tree.Close()
	if _, err := im.Sniff(t.Context(), tree); err != nil {
		t.Fatal(err)
	}
	r := &Recording{}
	if err := im.Read(t.Context(), tree, r.Sink()); err == nil {
		CheckDrafts(t, im.Info(), r)
	}
}

// StrangersTo are exports of everybody but the reader of that id, which it must
// leave to them.
func StrangersTo(id string) []Fixture {
	list := []Fixture{
		Loose("conversations.json", `[]`),
		Loose("empty.json", `{}`),
		Loose("page.html", `<html><body>Gemini and Grok</body></html>`),
		Loose("notes.txt", `Conversation and Time, Author and Message`),
		Loose("table.csv", "Date,Amount\n2026-01-01,5\n"),
		Loose("webui.json", `[{"id":"1","chat":{"history":{"messages":{}}}}]`),
		Loose("mem0.json", `{"results":[{"memory":"likes tea","user_id":"u"}]}`),
		Loose("pam.json", `{"schema":"portable-ai-memory","schema_version":"1.0","owner":{"id":"o"},"memories":[]}`),
	}
	for _, s := range gen.Exports() {
		if !strings.HasPrefix(s.Provider, id) {
			list = append(list, Fixture{Name: s.Provider + " " + s.Layout, Files: s.Files})
		}
	}
	return list
}
