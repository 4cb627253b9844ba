package agents

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"keepsake/backend/core/browse"
	"keepsake/backend/core/exports"
	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
	"keepsake/backend/redact"
	"keepsake/backend/search"
	"keepsake/backend/vault"
)

// Item is a memory as an agent gets it. Its texts are data, and what is sensitive in them is hidden
// unless the grant says otherwise.
type Item struct {
	ID         string      `json:"id"`
	Type       memory.Type `json:"type"`
	Content    string      `json:"content"`
	Cut        bool        `json:"cut,omitempty"` // content goes on
	Tags       []string    `json:"tags"`
	Platform   string      `json:"platform"`
	CreatedAt  memory.Time `json:"created_at"`
	UpdatedAt  memory.Time `json:"updated_at,omitzero"`
	Confidence float64     `json:"confidence"`       // now, 0 to 1
	Hidden     int         `json:"hidden,omitempty"` // places that were hidden
	Score      float64     `json:"score,omitempty"`  // of a search, 0 to 1
	Matched    string      `json:"matched,omitempty"`
}

// Values of Item.Matched.
const (
	byWords   = "words"
	byMeaning = "meaning"
)

// Bounds of answers.
const (
	mostItems      = 50
	usualItems     = 10
	longestContent = 8_000  // bytes of the content of one memory among others
	largestAnswer  = 90_000 // bytes of items as JSON
	largestOne     = 80_000 // bytes of the content of a memory asked for by its id
)

// Items is a page of memories.
type Items struct {
	Memories []Item `json:"memories"`
	LeftOut  int    `json:"left_out,omitempty"` // that had no room in the answer
	Next     string `json:"next,omitempty"`     // cursor of the page that follows
}

// item reads a memory as the agent may have it.
func (s *sight) item(row *rows.Memory, now memory.Time, longest int) (Item, error) {
	stored, err := rows.NeedMemory(s.tx, row.ID)
	if err != nil {
		return Item{}, err
	}
	r, hidden := stored.Record, 0
	shown := func(text string) string {
		out, n := s.hide(text)
		hidden += n
		return out
	}
	library.EachText(&r, func(_, text string) string { return shown(text) })
	tags := []string{}
	for _, tag := range r.Tags {
		tags = append(tags, shown(tag))
	}
	it := Item{
		ID: r.ID, Type: r.Type, Content: r.Content, Tags: tags, Platform: shown(r.Provenance.Platform),
		CreatedAt: r.Temporal.CreatedAt, UpdatedAt: r.Temporal.UpdatedAt, Confidence: rows.Round(row.Certainty(now)), Hidden: hidden,
	}
	it.Content, it.Cut = cut(it.Content, longest)
	return it, nil
}

// cut returns the beginning of a text, at most so many bytes of it, and whether more follows.
func cut(text string, most int) (string, bool) {
	if len(text) <= most {
		return text, false
	}
	return strings.ToValidUTF8(text[:most], ""), true
}

// hide returns a text as the agent may have it, and how many places are hidden in it.
func (s *sight) hide(text string) (string, int) {
	if s.agent.Grant.Unredacted {
		return visible(text), 0
	}
	out, hidden := redact.Hide(text, redact.Find(text, redact.Default()), nil)
	return visible(out), len(hidden)
}

// hides returns browse.SearchQuery.Hide of an agent, nil if nothing is hidden from it.
func (g Grant) hides() func(text string) (shown, words string) {
	if g.Unredacted {
		return nil
	}
	return func(text string) (shown, words string) {
		places := redact.Find(text, redact.Default())
		var b strings.Builder
		at := 0
		for _, p := range places {
			b.WriteString(text[at:p.Start] + search.Break)
			at = p.End
		}
		b.WriteString(text[at:])
		shown, _ = redact.Hide(text, places, nil)
		return shown, b.String()
	}
}

// visible writes control characters, but for line ends and tabs, and those that turn the direction
// of writing as \u{…}: a person who reads what an assistant was told sees all of it.
func visible(text string) string {
	if !strings.ContainsFunc(text, isControl) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if isControl(r) {
			fmt.Fprintf(&b, `\u{%x}`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func isControl(r rune) bool {
	return r != '\n' && r != '\t' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
}

// row returns the row of a memory that the agent may see. One that it may not see and one that does
// not exist are the same error.
func (s *sight) row(id string) (*rows.Memory, error) {
	if s.tx.Has(vault.Memories, id) {
		seq, err := s.tx.Seq(vault.Memories, id)
		if err != nil {
			return nil, err
		}
		if row := s.rowAt(seq); row != nil && s.may[seq] {
			return row, nil
		}
	}
	return nil, rows.ErrNoMemory(id)
}

// mayRead returns an error if a tool that does something else may tell of no memories beside.
func (s *sight) mayRead(most int, now memory.Time) error {
	if err := s.agent.allows(Read, now); err != nil {
		return err
	}
	return s.agent.hasBudget(s.v, s.tx, most, most*longestContent, now)
}

func (s *sight) rowAt(seq uint64) *rows.Memory { return rowAt(s.v, seq) }

func rowAt(v *library.Session, seq uint64) *rows.Memory {
	v.Rows.RLock()
	defer v.Rows.RUnlock()
	return v.Rows.Memories.BySeq.At(seq)
}

// page fills an answer with memories until it is full.
func (q *question) page(s *sight, list []*rows.Memory, each func(*Item)) (Items, error) {
	out, size := Items{Memories: []Item{}}, 0
	for i, row := range list {
		it, err := s.item(row, q.lib.Now(), longestContent)
		if err != nil {
			return out, err
		}
		each(&it)
		n, err := sizeOf(it)
		if err != nil {
			return out, err
		}
		if size += n; size > largestAnswer {
			out.LeftOut = len(list) - i
			return out, nil
		}
		out.Memories = append(out.Memories, it)
		q.give(row)
	}
	return out, nil
}

// give notes that a memory is in the answer.
func (q *question) give(row *rows.Memory) {
	q.given[row.Seq] = row.ID
}

func limited(n int) int {
	if n <= 0 {
		n = usualItems
	}
	return min(n, mostItems)
}

// Search is what an agent looks for among the memories that it may see.
type Search struct {
	Text          string
	Within        Scope
	MinSimilarity float64 // of what is found by its meaning; 0: 0.7
	Limit         int     // 0: 10, at most 50
}

// AgentSearch finds memories by words and meaning, the best first.
func (s *Service) AgentSearch(ctx context.Context, name string, ask Search) (Items, error) {
	return answer(ctx, s, name, "search_memories", Read, func(ctx context.Context, q *question) (Items, error) { return s.found(ctx, q, ask) })
}

// found is a page of what a search finds.
func (s *Service) found(ctx context.Context, q *question, ask Search) (out Items, err error) {
	hits, err := s.hits(ctx, q, ask)
	if err != nil {
		return Items{}, err
	}
	err = q.see(ctx, func(sees *sight) error {
		var list []*rows.Memory
		found := map[string]browse.Hit{}
		for _, h := range hits {
			if row, err := sees.row(h.ID); err == nil { // else it was deleted since, or held back
				list, found[h.ID] = append(list, row), h
			}
		}
		out, err = q.page(sees, list, func(it *Item) {
			it.Score, it.Matched = rows.Round(found[it.ID].Score), byWords
			if found[it.ID].Close {
				it.Matched = byMeaning
			}
		})
		return err
	})
	return out, err
}

// hits searches among the memories that the agent may see.
func (s *Service) hits(ctx context.Context, q *question, ask Search) ([]browse.Hit, error) {
	var may map[uint64]bool
	var hide func(string) (string, string)
	err := q.see(ctx, func(sees *sight) (err error) {
		hide = sees.agent.Grant.hides()
		may, err = sees.narrow(ask.Within)
		return err
	})
	if err != nil {
		return nil, err
	}
	if ask.MinSimilarity < 0 || ask.MinSimilarity > 1 {
		return nil, fault.New(fault.Invalid, "similarity-range", "The least similarity is a number from 0 to 1.")
	}
	found, err := s.browse.Search(ctx, browse.SearchQuery{
		Text: ask.Text, Mode: browse.Hybrid, In: "memories", Limit: limited(ask.Limit), Hide: hide,
		Accept: func(kind search.Kind, seq uint64) bool { return kind == search.Memory && may[seq] },
	})
	var hits []browse.Hit
	for _, h := range found.Hits {
		if !h.Close || h.Score >= ask.MinSimilarity {
			hits = append(hits, append([]browse.Hit{h}, h.Alike...)...)
		}
	}
	return hits[:min(len(hits), limited(ask.Limit))], err
}

// Detail is one memory with what it is related to.
type Detail struct {
	Item
	Summary   string        `json:"summary,omitempty"`
	Relations []RelatedItem `json:"relations"`
	Source    *MemoryOrigin `json:"source,omitempty"`
}

// RelatedItem is a relation to another memory that the agent may see.
type RelatedItem struct {
	Type     memory.RelationType `json:"type"`
	Outgoing bool                `json:"outgoing"` // from this memory to the other
	ID       string              `json:"id"`
	Content  string              `json:"content"`
}

// MemoryOrigin is the conversation that a memory came from.
type MemoryOrigin struct {
	ConversationID string `json:"conversation_id"`
	Title          string `json:"title"`
}

// AgentMemory returns one memory. One outside of the agent's circle does not exist for it.
func (s *Service) AgentMemory(ctx context.Context, name, id string) (Detail, error) {
	return answer(ctx, s, name, "get_memory", Read, func(ctx context.Context, q *question) (d Detail, err error) {
		err = q.see(ctx, func(sees *sight) error {
			row, err := sees.row(id)
			if err != nil {
				return err
			}
			if d.Item, err = sees.item(row, q.lib.Now(), largestOne); err != nil {
				return err
			}
			q.give(row)
			if d.Relations, err = q.related(sees, row); err != nil {
				return err
			}
			d.Source, err = sees.origin(row)
			return err
		})
		return d, err
	})
}

// related lists the relations of a memory whose other end the agent may see.
func (q *question) related(s *sight, row *rows.Memory) ([]RelatedItem, error) {
	s.v.Rows.RLock()
	relations := s.v.Rows.RelationsOf(row.ID)
	s.v.Rows.RUnlock()
	all := []RelatedItem{}
	for _, rel := range relations {
		r := RelatedItem{Type: rel.Type, Outgoing: rel.From == row.ID, ID: rel.To}
		if !r.Outgoing {
			r.ID = rel.From
		}
		other, err := s.row(r.ID)
		if err != nil || len(all) == mostItems {
			continue
		}
		it, err := s.item(other, q.lib.Now(), longestContent/mostItems)
		if err != nil {
			return nil, err
		}
		r.Content = it.Content
		all = append(all, r)
		q.give(other)
	}
	return all, nil
}

// origin names the conversation of a memory, if the agent may know of it.
func (s *sight) origin(row *rows.Memory) (*MemoryOrigin, error) {
	if row.Conversation == "" || s.agent.Grant.Conversations == NoConversations {
		return nil, nil
	}
	head, err := s.head(row.Conversation)
	if rows.IsAbsent(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	title, _ := s.hide(head.Conversation.Title)
	return &MemoryOrigin{row.Conversation, title}, nil
}

// Listing is a page of memories that an agent asks for, the newest first.
type Listing struct {
	Within Scope
	Cursor string // Items.Next of the page before; "": the first page
	Limit  int    // 0: 10, at most 50
}

// cursor is where a page ends: behind a memory that the agent was given.
type cursor struct {
	Created rows.Micro `json:"c"`
	ID      string     `json:"i"`
}

func (c cursor) compare(row *rows.Memory) int {
	return cmp.Or(cmp.Compare(c.Created, row.Created), cmp.Compare(c.ID, row.ID))
}

func (c cursor) String() string {
	text, err := json.Marshal(c)
	if err != nil {
		return "" // cannot happen
	}
	return base64.RawURLEncoding.EncodeToString(text)
}

func parseCursor(text string) (c cursor, err error) {
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil {
		err = json.Unmarshal(raw, &c)
	}
	if err != nil {
		err = fault.New(fault.Invalid, "agent-cursor", "The cursor is none that an answer had.")
	}
	return c, err
}

// AgentMemories lists memories, the newest first.
func (s *Service) AgentMemories(ctx context.Context, name string, ask Listing) (Items, error) {
	return answer(ctx, s, name, "list_memories", Read, func(ctx context.Context, q *question) (out Items, err error) {
		var after cursor
		if ask.Cursor != "" {
			if after, err = parseCursor(ask.Cursor); err != nil {
				return out, err
			}
		}
		err = q.see(ctx, func(sees *sight) error {
			list, err := sees.newestFirst(ask.Within)
			if err != nil {
				return err
			}
			if ask.Cursor != "" {
				at, _ := slices.BinarySearchFunc(list, after, func(row *rows.Memory, c cursor) int { return c.compare(row) })
				for at < len(list) && after.compare(list[at]) <= 0 {
					at++
				}
				list = list[at:]
			}
			shown := list[:min(len(list), limited(ask.Limit))]
			if out, err = q.page(sees, shown, func(*Item) {}); err != nil {
				return err
			}
			if n := len(out.Memories); n > 0 && n < len(list) {
				last := list[n-1]
				out.Next, out.LeftOut = cursor{last.Created, last.ID}.String(), 0
			}
			return nil
		})
		return out, err
	})
}

// narrow returns the memories of a scope that the agent may see. By tags, projects and platforms one
// is not found that has a hidden place in its tags or its platform. The map is not to be changed.
func (s *sight) narrow(within Scope) (map[uint64]bool, error) {
	if within.isEmpty() {
		return s.may, nil
	}
	may, err := within.narrow(s.v.Rows, s.may)
	if err != nil || len(within.Tags)+len(within.Projects)+len(within.Platforms) == 0 {
		return may, err
	}
	maps.DeleteFunc(may, func(seq uint64, _ bool) bool {
		row := s.rowAt(seq)
		return row == nil || s.hidesTags(row)
	})
	return may, nil
}

// newestFirst lists the memories of a scope that the agent may see.
func (s *sight) newestFirst(within Scope) ([]*rows.Memory, error) {
	may, err := s.narrow(within)
	if err != nil {
		return nil, err
	}
	list := make([]*rows.Memory, 0, len(may))
	for seq := range may {
		if row := s.rowAt(seq); row != nil {
			list = append(list, row)
		}
	}
	list = rows.StoredIn(s.tx, list)
	slices.SortFunc(list, func(a, b *rows.Memory) int {
		return cursor{b.Created, b.ID}.compare(a)
	})
	return list, nil
}

// Context is what an assistant should know now.
type Context struct {
	Text     string `json:"text"`
	Memories int    `json:"memories"`
	LeftOut  int    `json:"left_out,omitempty"` // memories that had no room
}

// Bounds of a context, in tokens of about four characters.
const (
	usualTokens = 2_000
	mostTokens  = 20_000
	perToken    = 4
	shortLine   = 20 // bytes; few memories have fewer, so room for more of them is not looked for
)

// AgentContext tells what the agent may see in the form of a hand-off, within tokens (0: 2,000, at
// most 20,000). With a topic, what fits it comes first, on up to half of the room.
func (s *Service) AgentContext(ctx context.Context, name, topic string, tokens int) (Context, error) {
	return answer(ctx, s, name, "get_context", Read, func(ctx context.Context, q *question) (Context, error) {
		if tokens <= 0 {
			tokens = usualTokens
		}
		room := min(tokens, mostTokens) * perToken
		about, err := s.about(ctx, q, topic, room/2)
		if err != nil {
			return Context{}, err
		}
		var may map[uint64]bool
		var grant Grant
		if err := q.see(ctx, func(sees *sight) error { may, grant = sees.may, sees.agent.Grant; return nil }); err != nil {
			return Context{}, err
		}
		room -= len(about.text)
		redacted := !grant.Unredacted
		h := exports.Handoff{}
		if len(may) > len(about.ids) {
			h, err = s.exports.PreviewHandoff(ctx, contextTarget, exports.HandoffOptions{
				RedactionOptions: exports.RedactionOptions{Redact: &redacted}, Budget: &room, Within: may, Without: about.ids, Most: max(1, room/shortLine) + len(about.ids),
			})
			if err != nil {
				return Context{}, err
			}
		}
		return q.told(ctx, about, h)
	})
}

// contextTarget is the hand-off in whose form a context is told.
const contextTarget = "system-prompt"

// topical is what is told of a topic.
type topical struct {
	text string
	ids  []string
}

// about tells what fits a topic, in at most room bytes.
func (s *Service) about(ctx context.Context, q *question, topic string, room int) (topical, error) {
	var t topical
	if strings.TrimSpace(topic) == "" {
		return t, nil
	}
	hits, err := s.hits(ctx, q, Search{Text: topic, MinSimilarity: 0, Limit: mostItems})
	if err != nil {
		return t, err
	}
	err = q.see(ctx, func(sees *sight) error {
		for _, h := range hits {
			row, err := sees.row(h.ID)
			if err != nil {
				continue // deleted since, or held back
			}
			it, err := sees.item(row, q.lib.Now(), longestContent)
			if err != nil {
				return err
			}
			line := "- " + strings.Join(strings.Fields(it.Content), " ") + "\n"
			if len(t.text)+len(line) > room {
				break
			}
			t.text, t.ids = t.text+line, append(t.ids, it.ID)
		}
		return nil
	})
	return t, err
}

// told makes a context of what fits the topic and of a hand-off, if the agent may still see every
// memory in it.
func (q *question) told(ctx context.Context, about topical, h exports.Handoff) (Context, error) {
	out := Context{Text: about.text, LeftOut: h.Unread}
	ids := about.ids
	for _, p := range h.Parts {
		ids = slices.Concat(ids, p.Taken)
		out.LeftOut += p.LeftOutTotal
	}
	if len(ids) > len(about.ids) {
		out.Text = strings.TrimSpace(about.text + "\n" + visible(h.Text()))
	}
	out.Memories = len(ids)
	return out, q.see(ctx, func(sees *sight) error {
		for _, id := range ids {
			row, err := sees.row(id)
			if err != nil {
				return errChanged()
			}
			q.give(row)
		}
		return nil
	})
}
