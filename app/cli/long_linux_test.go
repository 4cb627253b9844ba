package cli_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"keepsake/backend/importer/importertest/gen"
)

// mostLong is what it may take to read a conversation of very many messages: about one
// and a half times its text and 60 MB.
const mostLong = 480

// TestLongConversation follows a conversation of very many messages through all that
// is done with it: it is read, read again once it has gone on and there is another, found,
// taken back, shown, given away and read by another vault.
func TestLongConversation(t *testing.T) {
	messages := sized(8000, 200_000)
	for name, make := range map[string]func(later bool) ([]byte, gen.Truth){
		"ChatGPT": func(later bool) ([]byte, gen.Truth) {
			return gen.ChatGPT(gen.ChatGPTOptions{Seed: 5, Conversations: 1, Turns: messages / 2, Bare: true, Later: later})
		},
		"Claude": func(later bool) ([]byte, gen.Truth) {
			return gen.Claude(gen.ClaudeOptions{Seed: 5, Conversations: 1, Turns: messages / 2, Later: later})
		},
		"Gemini": func(later bool) ([]byte, gen.Truth) { // as many records, of which each is two messages
			files, truth := gen.Takeout(gen.TakeoutOptions{Seed: 5, Conversations: 1, Turns: messages, Later: later})
			return gen.TakeoutZips(files, 1)[0].Data, truth
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			one, two, out := filepath.Join(dir, "one.zip"), filepath.Join(dir, "two.zip"), filepath.Join(dir, "out.zip")
			data, before := make(false)
			later, after := make(true)
			err := errors.Join(os.WriteFile(one, data, 0o600), os.WriteFile(two, later, 0o600),
				os.WriteFile(filepath.Join(dir, "pass"), []byte("correct horse battery staple\n"), 0o600))
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d messages", after.Messages)
			s := &small{t: t, disk: dir, pass: filepath.Join(dir, "pass")}
			said := after.Conversations[0].Said
			words := fmt.Sprintf(`"%s" OR "%s"`, said[0], said[len(said)-1]) // something is always found
			watched(t, dir, "init", "--kdf", "test")
			within(t, mostLong, dir, "import", one)
			had := s.messages()
			within(t, mostLong, dir, "import", two)
			if now := s.messages(); now != had+after.Messages-before.Messages-(after.Empty-before.Empty) {
				t.Errorf("%d messages became %d; the export has %d and then %d", had, now, before.Messages, after.Messages)
			}
			found := s.finds(words)
			within(t, 100, dir, "undo")
			if now := s.messages(); now != had {
				t.Errorf("%d messages are back of %d", now, had)
			}
			if now := s.finds(words); now != found-1 {
				t.Errorf("%s is found %d times, and %d times without the last question", words, found, now)
			}
			within(t, 70, dir, "show", s.longest())
			for _, hide := range []string{"--redact", "--no-redact"} {
				within(t, 70, dir, "export", "pam", "--include", "conversations", hide, "-o", out)
			}
			bounded(t, dir, "verify", out)
			bounded(t, dir, "validate", out)
			other := filepath.Join(dir, "other")
			if err := errors.Join(os.Mkdir(other, 0o700), os.WriteFile(filepath.Join(other, "pass"), []byte("correct horse battery staple\n"), 0o600)); err != nil {
				t.Fatal(err)
			}
			watched(t, other, "init", "--kdf", "test")
			within(t, mostLong, other, "import", out)
			s = &small{t: t, disk: other, pass: filepath.Join(other, "pass")}
			if now := s.messages(); now != had {
				t.Errorf("another vault has %d messages of %d", now, had)
			}
		})
	}
}

func (s *small) messages() int {
	s.t.Helper()
	var all status
	s.run(0, &all, "status")
	return all.Messages
}

// longest is the conversation of most messages.
func (s *small) longest() string {
	s.t.Helper()
	var page struct{ Items []struct{ ID string } }
	s.run(0, &page, "list", "conversations", "--sort", "-messages", "--limit", "1")
	return page.Items[0].ID
}

// finds is how many hits there are for words.
func (s *small) finds(words string) int {
	s.t.Helper()
	var found struct{ Total int }
	s.run(0, &found, "search", words)
	return found.Total
}

// TestTinyConversations reads very many conversations of two messages, which are as
// many rows, records and entries of every list that an import keeps.
func TestTinyConversations(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "export.zip")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	truth, err := gen.TinyTalks(f, 6, sized(20_000, 1_000_000))
	if err := errors.Join(err, f.Close(), os.WriteFile(filepath.Join(dir, "pass"), []byte("correct horse battery staple\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	watched(t, dir, "init", "--kdf", "test")
	bounded(t, dir, "import", path)
	s := &small{t: t, disk: dir, pass: filepath.Join(dir, "pass")}
	s.completes(path, truth, 0, 0)
}
