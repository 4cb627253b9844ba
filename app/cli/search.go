package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"keepsake/backend/core"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
)

func (d *door) search() *cobra.Command {
	var s selection
	var in, mode string
	var byMeaning, byWords bool
	var least float64
	cmd := &cobra.Command{
		Use:   "search QUERY…",
		Short: "Find memories and messages by their words and their meaning",
		Long: "What has the words comes first, then what is close in meaning to the question, in any of sixteen languages; --words\nand --meaning search for one of the two. Words must all be found; OR takes either, NOT or a hyphen excludes, quotes make a phrase,\n" +
			"word* is the beginning of a word. Filters: type:, category:, status:, tag:, platform:, project:,\nin:memories|messages|titles, since:, until:, before:, after:, date: (2026, 2026-11 or 2026-11-21).\n" +
			"Memories come first, then titles, messages, and last what tools were asked and answered; of those with\nthe same words one is listed. The score of a hit is that of BM25 as a share of the best hit's: the best has 1, and where there are filters alone all have.\n" +
			"Memories that were archived are left out and counted; status:archived finds them.",
		Args: atLeastOne,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case byMeaning:
				mode = "semantic"
			case byWords:
				mode = "lexical"
			}
			by, err := oneOf("mode", core.SearchMode(mode), core.SearchModes())
			if err != nil {
				return err
			}
			since, until, err := s.span()
			if err != nil {
				return err
			}
			if err := s.checkWindow(); err != nil {
				return err
			}
			categories, err := eachOneOf("category", s.category, core.Categories())
			if err != nil {
				return err
			}
			svc, err := d.unlocked(cmd.Context())
			if err != nil {
				return err
			}
			return d.find(cmd.Context(), svc, core.SearchQuery{
				Text: strings.Join(args, " "), Mode: by, In: in, Platforms: s.platform, Categories: categories,
				Since: since, Until: until, MinScore: least, Limit: s.limit, Offset: s.offset,
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&in, "in", "all", "memories, messages or all")
	flags.StringVar(&mode, "mode", "hybrid", "hybrid, lexical (words alone) or semantic (meaning alone)")
	flags.BoolVar(&byMeaning, "meaning", false, "the same as --mode semantic")
	flags.BoolVar(&byWords, "words", false, "the same as --mode lexical")
	cmd.MarkFlagsMutuallyExclusive("mode", "meaning", "words")
	flags.StringSliceVar(&s.platform, "platform", nil, "platforms")
	flags.StringSliceVar(&s.category, "category", nil, categoryWords)
	flags.Float64Var(&least, "min-score", 0, "leave out what scores less, from 0 to 1; of what is close in meaning, what is less similar")
	flags.StringVar(&s.since, "since", "", "from this day (2026-11-21) or time on")
	flags.StringVar(&s.until, "until", "", "until the end of this day, or before this time")
	flags.IntVar(&s.limit, "limit", 20, "at most so many, up to 200")
	flags.IntVar(&s.offset, "offset", 0, "leave out so many first")
	return cmd
}

// foundView is the JSON of a search.
type foundView struct {
	Hits  []hitView `json:"hits"`
	Next  int       `json:"next_offset,omitempty"` // of the next page
	Total int       `json:"total"`
	Exact bool      `json:"exact"` // total is not only the least there are
	// Archived memories fit as well and are left out, unless the query has status:.
	Archived int `json:"archived"`
	// Widened are the words that are so rare that those at one slip were looked for too.
	Widened []string `json:"widened,omitempty"`
	Elapsed int64    `json:"elapsed_ms"`
}

type hitView struct {
	Kind           string      `json:"kind"` // memory, message or conversation
	ID             string      `json:"id"`
	ConversationID string      `json:"conversation_id,omitempty"`
	Title          string      `json:"title,omitempty"`
	Platform       string      `json:"platform,omitempty"`
	Score          float64     `json:"score"`
	Close          bool        `json:"close_in_meaning,omitempty"` // found by its meaning; score is the similarity
	Snippet        string      `json:"snippet"`
	Marks          [][2]int    `json:"marks"` // from and to in bytes of snippet
	CreatedAt      memory.Time `json:"created_at,omitzero"`
	ToolCalls      bool        `json:"tool_calls,omitempty"` // a message in which only tools are called or answer
	Alike          []alikeView `json:"alike,omitempty"`      // others with the same words
}

// alikeView is one of those with the words of a hit.
type alikeView struct {
	ID             string      `json:"id"`
	ConversationID string      `json:"conversation_id,omitempty"`
	Title          string      `json:"title,omitempty"`
	Platform       string      `json:"platform,omitempty"`
	CreatedAt      memory.Time `json:"created_at,omitzero"`
}

// meant makes vectors for a search. Where that fails, one that goes by words too says so and
// goes on.
func (d *door) meant(ctx context.Context, svc *core.Service, mode core.SearchMode) error {
	err := svc.MakeVectors(ctx, fewVectors)
	switch f := fault.From(err); {
	case err == nil:
	case mode == core.Semantic || fault.Stopped(err):
		return err
	case f.Reason != "no-model":
		d.note("%s", f.Message())
	}
	return nil
}

// find waits for the index first: one process follows another, and each must
// find what the one before has written.
func (d *door) find(ctx context.Context, svc *core.Service, q core.SearchQuery) error {
	if err := svc.WaitForIndex(ctx); err != nil {
		return err
	}
	if q.Mode != core.Lexical {
		if err := d.meant(ctx, svc, q.Mode); err != nil {
			return err
		}
	}
	found, err := svc.Search(ctx, q)
	if err != nil {
		return err
	}
	view := foundView{Hits: []hitView{}, Next: found.Next, Total: found.Total, Exact: found.Exact, Archived: found.Archived, Widened: found.Widened, Elapsed: found.Elapsed.Milliseconds()}
	for _, h := range found.Hits {
		view.Hits = append(view.Hits, viewHit(h))
	}
	err = d.answer(view, func() {
		for _, h := range found.Hits {
			d.say("%s  %-12s %.2f  %s%s%s%s", h.ID, kindOf(h), h.Score, oneLine(marked(h), 200), closeTo(h), conversationOf(h), alikeOf(h))
		}
		d.say("%s", placesFound(found))
		if found.Archived > 0 {
			d.note("%s too: add status:archived.", count(found.Archived, "memory that was put away fits", "memories that were put away fit"))
		}
		if len(found.Widened) > 0 {
			d.note("Looked for words close to these too: %s.", oneLine(strings.Join(found.Widened, ", "), 200))
		}
	})
	return orNotSo(err, found.Total > 0)
}

// placesFound says how many places of all are shown.
func placesFound(found core.SearchResult) string {
	shown := len(found.Hits)
	for _, h := range found.Hits {
		shown += len(h.Alike)
	}
	if found.Exact {
		return outOf(shown, found.Total, "place", "places")
	}
	return grouped(shown) + " of at least " + count(found.Total, "place", "places")
}

// conversationOf names the conversation of a message, which show takes; a message
// alone is shown by nothing.
func conversationOf(h core.Hit) string {
	if h.ConversationID == "" || h.ConversationID == h.ID {
		return ""
	}
	return "  (in conversation " + h.ConversationID + ")"
}

// closeTo says of a hit that it need not have the words.
func closeTo(h core.Hit) string { return oneOrOther(h.Close, "  (close in meaning)", "") }

// kindOf is what a hit is, in a word.
func kindOf(h core.Hit) string {
	return oneOrOther(h.ToolCalls, "tool call", h.Kind)
}

// alikeOf says how many others have the same words.
func alikeOf(h core.Hit) string {
	return oneOrOther(len(h.Alike) > 0, "  (and "+grouped(len(h.Alike))+" alike)", "")
}

func viewHit(h core.Hit) hitView {
	v := hitView{
		Kind: h.Kind, ID: h.ID, ConversationID: h.ConversationID, Title: h.Title, Platform: h.Platform,
		Score: h.Score, Close: h.Close, Marks: [][2]int{}, CreatedAt: h.CreatedAt, ToolCalls: h.ToolCalls,
	}
	for _, a := range h.Alike {
		v.Alike = append(v.Alike, alikeView{a.ID, a.ConversationID, a.Title, a.Platform, a.CreatedAt})
	}
	for _, p := range h.Snippet {
		if p.Marked {
			v.Marks = append(v.Marks, [2]int{len(v.Snippet), len(v.Snippet) + len(p.Text)})
		}
		v.Snippet += p.Text
	}
	return v
}

// marked is the snippet with brackets around what was looked for.
func marked(h core.Hit) string {
	var b strings.Builder
	for _, p := range h.Snippet {
		if p.Marked {
			b.WriteString("[" + p.Text + "]")
		} else {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}
