package browse

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"keepsake/backend/core/library"
	"keepsake/backend/core/meaning"
	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/format/pam"
	"keepsake/backend/memory"
	"keepsake/backend/search"
	"keepsake/backend/vault"
)

// SearchQuery is a full-text query. Text is in the syntax of search.Parse; the other
// fields narrow the result.
type SearchQuery struct {
	Text         string
	Mode         SearchMode
	TitlesOnly   bool   // of conversations, whatever Text says
	AsYouType    bool   // the last word also matches as a prefix
	In           string // "memories", "messages" (titles included) or "all"; "" is all
	Platforms    []string
	Categories   []library.Category // of the Personal Memory Specification; messages and titles count as conversation
	Since, Until time.Time
	Accept       func(kind search.Kind, seq uint64) bool // nil: every record may be found; else the result says nothing of others
	MinScore     float64                                 // the least score of a hit, from 0 (any) to 1
	Offset       int                                     // SearchResult.Next of the previous page; 0: first page, the only one with hits by meaning if Mode is Hybrid
	Limit        int                                     // 0 = 20, at most 200; hits in Alike do not count

	// Hide, if not nil, hides places of texts, which then cannot be searched for: shown has marks in
	// place of them, and words has neither. Both are text where there is nothing to hide.
	Hide func(text string) (shown, words string)

	// Meanwhile, if not nil, is called with partial results while a phrase search still
	// reads texts, which may take a second. Calls do not overlap, and none comes after
	// Search has returned. It is called for the first page only.
	Meanwhile func(SearchResult)
	// Patience is the delay before the first partial results; 0 is 30 ms. The delay
	// doubles each time.
	Patience time.Duration
}

// Piece is a part of a snippet. A marked piece matches the query.
type Piece struct {
	Text   string `json:"text"`
	Marked bool   `json:"marked,omitempty"`
}

// Hit is a memory, message or conversation title that a search found.
type Hit struct {
	Kind           string      `json:"kind"`
	ID             string      `json:"id"` // of the memory, message or conversation
	ConversationID string      `json:"conversation_id,omitempty"`
	Title          string      `json:"title,omitempty"` // of the conversation
	Platform       string      `json:"platform,omitempty"`
	Role           memory.Role `json:"role,omitempty"`   // of a message: its author's role
	Type           memory.Type `json:"type,omitempty"`   // of a memory
	Status         string      `json:"status,omitempty"` // of a memory
	CreatedAt      memory.Time `json:"created_at,omitzero"`
	// Score is the BM25 score divided by that of the best hit, so at most 1. If a query
	// has only filters, every hit has 1. If Close is set, it is the similarity of the
	// meanings, from 0 to 1.
	Score   float64 `json:"score"`
	Close   bool    `json:"close,omitempty"` // found by its meaning; it need not have the words
	Snippet []Piece `json:"snippet"`
	// ToolCalls marks a message without text of its own, which holds only a tool call or
	// a tool's answer.
	ToolCalls bool `json:"tool_calls,omitempty"`
	// Alike lists further hits of the same Kind with the same words as this hit, in the
	// order of the result. They have no snippet.
	Alike []Hit `json:"alike,omitempty"`
	// Same is equal for all hits of one kind with the same words, so that duplicates on
	// different pages can be grouped. Within a page they are in Alike.
	Same string `json:"-"`
}

// SearchResult is a page of hits: memories first, then conversations by their titles, then
// messages, and last tool calls. Of hits with the same words, the first is in Hits and the
// others are in its Alike.
type SearchResult struct {
	Hits    []Hit
	Next    int      // the Offset of the next page; 0 when this is the last
	Total   int      // number of hits on all pages, including those in Hit.Alike
	Exact   bool     // false if Total is only a lower bound
	Widened []string // words for which the search also accepted words with one typo
	Missing int      // records that are not indexed yet
	// NoMeaning is why a Hybrid search compared no meaning, nil if it did or had no question.
	NoMeaning error
	// Archived is how many archived memories match, too. They are left out of Hits,
	// unless the query itself has a status filter.
	Archived int
	Elapsed  time.Duration
}

// FewestHits is the default number of hits in one result, and mostHits the maximum.
const (
	FewestHits = 20
	mostHits   = 200
	// mostVerified is the number of texts after which a phrase search stops, with Exact
	// false, once it has found a page of hits. That limits its time to about a second.
	mostVerified = 20_000
)

// Search finds memories, messages and titles by their words. It does not wait for the
// index: records that are not indexed yet are missing from the result.
func (s *Service) Search(ctx context.Context, q SearchQuery) (SearchResult, error) {
	began := time.Now()
	result := SearchResult{Hits: []Hit{}}
	v, ctx, leave, err := s.lib.Enter(ctx)
	if err != nil {
		return result, err
	}
	defer leave()
	parsed, opt, err := q.read()
	if err != nil {
		return result, err
	}
	opt.Spare = mostAlike
	index, missing, err := v.Indexer.State()
	result.Missing = missing
	if err != nil || index == nil {
		return result, err
	}
	switch {
	case q.Mode == Semantic:
		err = s.semantic(ctx, v, index, parsed, q, opt, &result)
	case q.Hide != nil:
		err = q.redacted(ctx, v, index, parsed, opt, &result)
	default:
		err = s.hybrid(ctx, v, index, parsed, q, opt, &result)
	}
	if errors.Is(err, search.ErrUnsynced) {
		err = nil
	}
	if q.Accept != nil {
		result.Missing = 0
	} else if err == nil {
		s.lib.NoteReading(v, library.LogSearch, "")
	}
	result.Elapsed = time.Since(began)
	return result, err
}

// hybrid answers a query by its words and, if its Mode says so, adds what is close to it in
// meaning to the first page.
func (s *Service) hybrid(ctx context.Context, v *library.Session, index *search.Index, parsed search.Query, q SearchQuery, opt search.SearchOptions, result *SearchResult) error {
	return withTexts(v, func(t *texts) error {
		opt.Text = t.read
		if !parsed.Empty() && !parsed.Asks(byStatus) && q.In != "messages" && hasArchived(v.Rows) {
			one := opt // only the total is needed
			one.Limit, one.Offset, one.Spare = 1, 0, 0
			away, err := index.Search(ctx, parsed.Narrow(byStatus, string(memory.Archived)), one)
			if err != nil {
				return err
			}
			result.Archived = away.Total
			parsed = parsed.Without(byStatus, string(memory.Archived))
		}
		partial := newPartialResults(q, t, opt.Limit) // only now: the count of archived memories sends no partial results
		opt.Each = partial.each
		stop := partial.begin(ctx, parsed, *result)
		found, err := index.Search(ctx, parsed, opt)
		stop()
		if err != nil {
			return err
		}
		result.Total, result.Exact = found.Total, found.Exact
		for _, w := range found.Widened {
			result.Widened = append(result.Widened, w.Word)
		}
		var near []nearHit
		if q.Mode == Hybrid && opt.Offset == 0 && meaning.Of(v).Compares() {
			near, result.NoMeaning = q.near(ctx, v, index, parsed, max(leastNear, q.MinScore))
		}
		return t.fill(ctx, result, found, notIn(near, found.Hits), opt)
	})
}

// fold reads the records of found until it has limit hits with different words, and also
// returns how many of found it used. It adds a hit that repeats the words of an earlier
// hit to Alike of the earlier hit. best is the highest score of the whole result.
func (t *texts) fold(ctx context.Context, found []search.Hit, best float64, q search.Query, limit int) ([]Hit, int, error) {
	hits := []Hit{}
	byWords := map[string]int{}
	for i, h := range found {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		if best > 0 {
			h.Score /= best
		} else {
			h.Score = 1
		}
		o, err := t.open(h)
		if rows.IsAbsent(err) {
			continue // deleted since the search read the index
		}
		if err != nil {
			return nil, 0, err
		}
		o.Score, o.Same = h.Score, o.words()
		at, again := byWords[o.Same]
		switch {
		case again:
			hits[at].Alike = append(hits[at].Alike, o.Hit)
		case len(hits) == limit:
			return hits, i, nil
		default:
			byWords[o.Same] = len(hits)
			o.Snippet = pieces(search.Excerpt(o.text, q, 0))
			hits = append(hits, o.Hit)
		}
	}
	return hits, len(found), nil
}

// mostAlike is how many hits a page may have beyond its limit, if they repeat the words
// of a hit on the page and so go into the Alike list of that hit.
const mostAlike = 200

// words is a hash that is equal for hits of one kind with the same words.
func (o *openedHit) words() string {
	text := strings.Join(strings.Fields(o.text), " ")
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%t\n%s", o.Kind, o.Status, o.ToolCalls, text))
	return hex.EncodeToString(sum[:12])
}

// byStatus is the name of the query filter status:, as in status:archived.
const byStatus = "status"

func hasArchived(r *rows.Rows) bool {
	r.RLock()
	defer r.RUnlock()
	return slices.ContainsFunc(r.Memories.BySeq, func(row *rows.Memory) bool { return row != nil && row.Status == memory.Archived })
}

func (q SearchQuery) read() (search.Query, search.SearchOptions, error) {
	opt := search.SearchOptions{Limit: q.Limit, Offset: max(q.Offset, 0), Verify: mostVerified, Location: time.Local}
	if opt.Limit <= 0 {
		opt.Limit = FewestHits
	}
	opt.Limit = min(opt.Limit, mostHits)
	if !(q.MinScore >= 0 && q.MinScore <= 1) {
		return search.Query{}, opt, fault.New(fault.Invalid, "score-range", "The least score is a number from 0 to 1.")
	}
	opt.AtLeast, opt.Accept = q.MinScore, q.Accept
	switch q.In {
	case "", "all":
	case "memories":
		opt.Kinds = []search.Kind{search.Memory}
	case "messages":
		opt.Kinds = []search.Kind{search.Conversation}
	default:
		return search.Query{}, opt, fault.New(fault.Invalid, "unknown-place-to-search", "There is nothing called {in} to search in.").
			With("in", rows.ShortID(q.In)).Advise("Use memories, messages or all.")
	}
	if q.Mode != "" && !slices.Contains(SearchModes(), q.Mode) {
		return search.Query{}, opt, fault.New(fault.Invalid, "search-mode", "A search is lexical, semantic or hybrid, not {mode}.").
			With("mode", rows.ShortID(string(q.Mode)))
	}
	parsed, err := search.Parse(q.Text)
	if err != nil {
		return parsed, opt, err
	}
	if q.AsYouType {
		parsed = parsed.AsYouType()
	}
	if q.TitlesOnly {
		parsed = parsed.Narrow("in", "titles")
	}
	parsed = parsed.Narrow("platform", q.Platforms...)
	var categories []string
	for _, c := range q.Categories {
		categories = append(categories, string(c))
	}
	parsed = parsed.Narrow("category", categories...)
	if !q.Since.IsZero() {
		parsed = parsed.Narrow(library.SinceSecond, strconv.FormatInt(q.Since.Unix(), 10))
	}
	if !q.Until.IsZero() {
		parsed = parsed.Narrow(library.UntilSecond, strconv.FormatInt(q.Until.Unix(), 10))
	}
	return parsed, opt, nil
}

// WaitForIndex returns once every record in the vault is indexed for search.
func (s *Service) WaitForIndex(ctx context.Context) error {
	v, ctx, release, err := s.lib.Hold(ctx)
	if err != nil {
		return err
	}
	defer release()
	return v.Indexer.Wait(ctx)
}

// RebuildIndex deletes the search index and all vectors, and makes them again in the
// background. WaitForIndex waits for the end of the first, MakeVectors makes the second.
func (s *Service) RebuildIndex(ctx context.Context) error {
	v, _, release, err := s.lib.Hold(ctx)
	if err != nil {
		return err
	}
	defer release()
	v.Indexer.Rebuild()
	return meaning.Of(v).Rebuild()
}

// texts reads the records that hits refer to. It has a pool of readers, so that several
// goroutines can use it.
type texts struct {
	session *library.Session
	hide    func(text string) (string, bool) // for SearchQuery.Hide: how a text is read, and whether places in it are hidden; nil: as it is stored
	readers chan *textReader
}

// textReader is one transaction, with a reader that decrypts messages in it.
type textReader struct {
	tx       *vault.Tx
	messages *vault.Texts
}

func newTextReader(tx *vault.Tx) *textReader { return &textReader{tx, tx.Texts()} }

// withTexts opens two transactions, one for each worker of a search.
func withTexts(v *library.Session, fn func(*texts) error) error {
	return v.Vault.ViewPair(func(one, other *vault.Tx) error { return fn(textsIn(v, one, other)) })
}

// textsIn reads texts in transactions, of which each is used by one goroutine at a time.
func textsIn(v *library.Session, txs ...*vault.Tx) *texts {
	t := &texts{session: v, readers: make(chan *textReader, len(txs))}
	for _, tx := range txs {
		t.readers <- newTextReader(tx)
	}
	return t
}

// read implements search.SearchOptions.Text; it returns "" for a deleted record.
func (t *texts) read(_ context.Context, kind search.Kind, seq uint64, part uint32) (string, error) {
	text, err := t.text(search.Hit{Kind: kind, Seq: seq, Part: part})
	if rows.IsAbsent(err) {
		return "", nil
	}
	return text, err
}

// text returns the searchable text of the record that a hit refers to, without the other
// fields that a result shows.
func (t *texts) text(h search.Hit) (string, error) {
	if h.Kind == search.Memory || h.Part == search.Title {
		open, err := t.open(h)
		return open.text, err
	}
	r := <-t.readers
	defer func() { t.readers <- r }()
	words, err := r.messages.Words(h.Seq, h.Position())
	if err != nil {
		return "", fmt.Errorf("read message: %w", err)
	}
	return library.MessageText(words), nil
}

// openedHit is a hit with the whole text of the record that it refers to.
type openedHit struct {
	Hit
	text string
	concealed
}

// concealed says where places of a record were hidden.
type concealed struct {
	somewhere bool
	inFields  bool // in its tags or its platform, by which a query can filter
}

// hidden returns a text as it is shown, and notes in c whether places in it are hidden.
func (t *texts) hidden(text string, c *concealed) string {
	if t.hide == nil {
		return text
	}
	shown, is := t.hide(text)
	c.somewhere = c.somewhere || is
	return shown
}

func (t *texts) open(h search.Hit) (openedHit, error) {
	r := <-t.readers
	defer func() { t.readers <- r }()
	if h.Kind == search.Memory {
		return t.memory(r, h)
	}
	t.session.Rows.RLock()
	entry := t.session.Rows.Conversations.BySeq.At(h.Seq)
	t.session.Rows.RUnlock()
	if entry == nil {
		return openedHit{}, rows.ErrNoMemory("")
	}
	row, ok, err := entry.Row(r.tx)
	if err != nil {
		return openedHit{}, err
	}
	if !ok {
		return openedHit{}, rows.ErrNoMemory("")
	}
	out := openedHit{Hit: Hit{Kind: library.FoundConversation, ID: row.ID, ConversationID: row.ID, Platform: row.Platform, CreatedAt: row.Began()}}
	out.Title = t.hidden(row.Title, &out.concealed)
	if out.text = out.Title; h.Part == search.Title {
		return out, nil
	}
	m, err := r.messages.At(h.Seq, h.Position())
	if err != nil {
		return openedHit{}, fmt.Errorf("read message: %w", err)
	}
	out.Kind, out.ID, out.Role, out.CreatedAt = library.FoundMessage, m.ID, m.Role, m.CreatedAt
	out.ToolCalls = h.Part&search.ToolCalls != 0
	out.text = t.hidden(library.MessageText(m.MessageWords), &out.concealed)
	return out, nil
}

func (t *texts) memory(r *textReader, h search.Hit) (openedHit, error) {
	e, err := r.tx.EntryAt(vault.Memories, h.Seq)
	if err != nil {
		return openedHit{}, err
	}
	m, err := pam.DecodeMemory(e.Plain)
	if err != nil {
		return openedHit{}, err
	}
	var c concealed
	platform := t.hidden(m.Provenance.Platform, &c)
	for i, tag := range m.Tags {
		m.Tags[i] = t.hidden(tag, &c)
	}
	c.inFields = c.somewhere
	m.Content, m.Summary = t.hidden(m.Content, &c), t.hidden(m.Summary, &c)
	return openedHit{Hit{
		Kind: library.FoundMemory, ID: e.ID, ConversationID: m.Provenance.ConversationRef, Platform: platform,
		Type: m.Type, Status: string(m.Status), CreatedAt: m.Temporal.CreatedAt,
	}, library.MemoryText(m), c}, nil
}

// pieces splits a snippet into marked and unmarked pieces.
func pieces(s search.Snippet) []Piece {
	out := []Piece{}
	from := 0
	for _, span := range s.Spans {
		if span[0] > from {
			out = append(out, Piece{Text: s.Text[from:span[0]]})
		}
		out = append(out, Piece{Text: s.Text[span[0]:span[1]], Marked: true})
		from = span[1]
	}
	if from < len(s.Text) {
		out = append(out, Piece{Text: s.Text[from:]})
	}
	return out
}
