package browse

import (
	"context"
	"regexp"
	"strings"

	"keepsake/backend/core/library"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// ThreadMatches are the messages of a thread (path through a conversation) that contain a
// text: their positions on the thread, and how often the text occurs in each.
type ThreadMatches struct {
	At    []int
	Times []int
}

// FindInThread searches the messages of a thread for a text. It ignores case, accents and
// Markdown marks. leaf selects the thread as in Service.Thread. Blank text matches nothing.
func (s *Service) FindInThread(ctx context.Context, id, leaf, text string) (ThreadMatches, error) {
	found := ThreadMatches{At: []int{}, Times: []int{}}
	err := s.lib.Read(ctx, func(v *library.Session, tx *vault.Tx) error {
		g, _, err := graphIn(v, tx, id)
		if err != nil {
			return err
		}
		path, err := g.path(leaf)
		if err != nil {
			return err
		}
		times, err := timesOn(ctx, tx, id, path, newTextQuery(text))
		if err != nil {
			return err
		}
		for at, n := range times {
			if n > 0 {
				found.At, found.Times = append(found.At, at), append(found.Times, n)
			}
		}
		s.lib.NoteReading(v, library.LogRead, id)
		return nil
	})
	return found, err
}

// timesOn counts how often a text occurs in each message of a thread. path has the stored
// positions of these messages; it may jump far, so messages are read in stored order.
func timesOn(ctx context.Context, tx *vault.Tx, id string, path []int, w textQuery) ([]int, error) {
	times := make([]int, len(path))
	place := make(map[int]int, len(path))
	for at, i := range path {
		place[i] = at
	}
	i := 0
	for m, err := range UntilDone(ctx, tx.Messages(id)) {
		if err != nil {
			return nil, err
		}
		if at, ok := place[i]; ok {
			times[at] = w.timesIn(m.Content)
		}
		i++
	}
	return times, nil
}

// textQuery is a text to search for, normalized.
type textQuery struct {
	text string
	bare string // text without Markdown marks; "" if it consists only of marks
}

func newTextQuery(text string) textQuery {
	return textQuery{text: likened(text), bare: likened(unmarked(text))}
}

// timesIn counts how often the text occurs in the content of a message.
func (w textQuery) timesIn(c *memory.Content) (times int) {
	if c == nil || w.text == "" {
		return 0
	}
	if c.Type != "multipart" {
		return w.timesInPart(memory.Part{Type: "text", Text: c.Text})
	}
	for _, p := range c.Parts {
		times += w.timesInPart(p)
	}
	return times
}

func (w textQuery) timesInPart(p memory.Part) int {
	if p.Type == "code" || w.bare == "" {
		return strings.Count(likened(p.Text), w.text)
	}
	return strings.Count(likened(unmarked(p.Text)), w.bare)
}

// likened normalizes a text for comparison: without case and accents (Fold), with single
// spaces between words, and with the Greek final sigma replaced by sigma.
func likened(text string) string {
	return strings.ReplaceAll(library.Fold(strings.Join(strings.Fields(text), " ")), "ς", "σ")
}

// link matches a Markdown link or image; group 1 is its text.
var link = regexp.MustCompile(`!?\[([^\]\n]*)\]\([^()\s]*\)`)

// inner removes Markdown marks inside a line. It also removes characters that only look
// like marks, as in snake_case. That is harmless, as query and text are treated alike.
var inner = strings.NewReplacer("*", "", "_", "", "`", "")

// unmarked returns a text without Markdown marks.
func unmarked(text string) string {
	if strings.Contains(text, "](") {
		text = link.ReplaceAllString(text, "$1")
	}
	var b strings.Builder
	b.Grow(len(text))
	for line := range strings.Lines(text) {
		b.WriteString(withoutHead(line))
	}
	return inner.Replace(b.String())
}

// withoutHead returns a line without the Markdown mark at its beginning: that of a
// heading, a quote or a list item. A line that opens or closes a code block becomes "".
func withoutHead(line string) string {
	rest := strings.TrimLeft(line, " \t")
	if strings.HasPrefix(rest, "```") || strings.HasPrefix(rest, "~~~") {
		return ""
	}
	for _, marks := range []string{"#", ">", "*+-"} {
		said := strings.TrimLeft(rest, marks)
		if n := len(rest) - len(said); n > 0 && n <= 6 && strings.IndexAny(said, " \t") == 0 {
			return said
		}
	}
	return line
}
