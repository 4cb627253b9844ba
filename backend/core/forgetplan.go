package core

import (
	"cmp"
	"context"
	"strings"
	"time"

	"keepsake/backend/core/browse"
	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
	"keepsake/backend/search"
	"keepsake/backend/vault"
)

// ForgetQuery selects the memories and conversations to forget (delete for good). Exactly
// one field but Also may be set: two could mean the union or the intersection of both.
type ForgetQuery struct {
	IDs           []string            // of memories or conversations
	Conversations []string            // with their messages and attachments
	Tags          []string            // memories that have any of them
	Before        time.Time           // memories and conversations from before this time
	Texts         []string            // memories that a search for any of these finds
	Library       *browse.MemoryQuery // memories that this query selects; its Offset and Limit are ignored

	// Also selects further memories and conversations by their ids, beside any of the fields
	// above: those of ForgetPlan.Near that the person picked.
	Also []string
}

// ways counts the fields that are set.
func (q ForgetQuery) ways() (n int) {
	for _, set := range []bool{len(q.IDs) > 0, len(q.Conversations) > 0, len(q.Tags) > 0, !q.Before.IsZero(), len(q.Texts) > 0, q.Library != nil} {
		if set {
			n++
		}
	}
	return n
}

// ForgetPlan is the result of a dry run of Forget: the memories and conversations that a
// ForgetQuery selects, each once, and counts of the records that would go with them.
type ForgetPlan struct {
	Memories      []string `json:"memories"`      // ids
	Conversations []string `json:"conversations"` // ids
	Messages      int      `json:"messages"`      // in those conversations
	Relations     int      `json:"relations"`     // relations of those memories
	// Originals counts the imported files stored in the vault that would be deleted,
	// because they hold or may hold the selection; KeptOriginals those that would stay.
	Originals     int                 `json:"originals"`
	KeptOriginals int                 `json:"kept_originals"`
	Sample        []library.Forgotten `json:"sample"` // the first selected ones, for review

	// Left lists tasks, saved views and drafts with the same text as a selected memory.
	// They stay, because the person wrote them.
	Left []library.Forgotten `json:"left,omitempty"`

	// Near lists memories and conversations that are close in meaning to the words of the query,
	// or to the memories that they select. They stay, unless ForgetQuery.Also has their ids.
	Near []library.Forgotten `json:"near,omitempty"`

	selected map[string]bool // ids of the selected memories and conversations
	says     []string        // texts of the memories, normalized by library.WordsKey
}

// PlanForget returns what Forget would delete for a query. It deletes nothing. A query that
// selects nothing is a NotFound fault; if it has words, the plan then has what is close to them
// in meaning.
func (s *Service) PlanForget(ctx context.Context, q ForgetQuery) (ForgetPlan, error) {
	p := ForgetPlan{Memories: []string{}, Conversations: []string{}, Sample: []library.Forgotten{}}
	_, ctx, release, err := s.lib.Hold(ctx)
	if err != nil {
		return p, err
	}
	defer release()
	if err := s.planSelected(ctx, q, &p); err != nil {
		if len(q.Texts) > 0 && fault.CodeOf(err) == fault.NotFound {
			err = cmp.Or(s.planNear(ctx, q, &p), err)
		}
		return p, err
	}
	if err := s.planIDs(ctx, q.Also, &p); err != nil {
		return p, err
	}
	if err := s.planNear(ctx, q, &p); err != nil {
		return p, err
	}
	if len(p.Memories)+len(p.Conversations) == 0 {
		return p, fault.New(fault.NotFound, "forget-selects-nothing", "Nothing in the vault is selected by this, so nothing was forgotten.")
	}
	if err := s.planOriginals(ctx, &p); err != nil {
		return p, err
	}
	err = s.lib.Read(ctx, func(v *library.Session, tx *vault.Tx) error { return planLeft(v, tx, &p) })
	return p, err
}

// planSelected adds to a plan the memories and conversations that a query selects.
func (s *Service) planSelected(ctx context.Context, q ForgetQuery, p *ForgetPlan) error {
	switch {
	case q.ways() > 1:
		return fault.New(fault.Invalid, "forget-two-ways", "What to forget is said in two ways, so nothing was forgotten.").
			Advise("Select by one of them: ids, conversations, tags, words or a date.")
	case len(q.IDs) > 0:
		return s.planIDs(ctx, q.IDs, p)
	case len(q.Conversations) > 0:
		return s.planTalks(ctx, q.Conversations, p)
	case !q.Before.IsZero():
		if _, err := s.planMemories(ctx, browse.MemoryQuery{Until: q.Before}, p); err != nil {
			return err
		}
		return s.planConversations(ctx, browse.ConversationQuery{Until: q.Before}, p)
	case q.Library != nil:
		all := *q.Library
		all.Offset, all.Limit = 0, 0
		_, err := s.planMemories(ctx, all, p)
		return err
	}
	for _, tag := range q.Tags {
		if err := s.planTarget(ctx, tag, browse.MemoryQuery{Tags: []string{tag}}, p); err != nil {
			return err
		}
	}
	for _, text := range q.Texts {
		if err := s.findable(ctx, text); err != nil {
			return err
		}
		if err := s.planTarget(ctx, text, browse.MemoryQuery{Text: text + wordEnd}, p); err != nil {
			return err
		}
	}
	return nil
}

// wordEnd is appended to a query so that its last word matches as a whole word: in the
// list of memories the last word of a query matches as a prefix.
const wordEnd = " "

// findable checks that text is a valid query and waits for the search index. Without the
// index, or with an invalid query, the list of memories falls back to a substring match,
// which would select too much.
func (s *Service) findable(ctx context.Context, text string) error {
	if _, err := search.Parse(text); err != nil {
		return err
	}
	return s.WaitForIndex(ctx)
}

// planTarget adds the memories that one tag or one search text (target) selects. If it
// selects none, it may be mistyped, so the whole plan fails, as for an unknown id. A blank
// target fails, too: it would select every memory.
func (s *Service) planTarget(ctx context.Context, target string, q browse.MemoryQuery, p *ForgetPlan) error {
	found := 0
	if strings.TrimSpace(target) != "" {
		var err error
		if found, err = s.planMemories(ctx, q, p); err != nil {
			return err
		}
	}
	if found == 0 {
		return fault.New(fault.NotFound, "forget-no-such-target", "No memory in the vault is selected by “{value}”, so nothing was forgotten.").With("value", library.Beginning(target))
	}
	return nil
}

// has reports whether an id is selected already, and selects it if not.
func (p *ForgetPlan) has(id string) bool {
	if p.selected == nil {
		p.selected = map[string]bool{}
	}
	before := p.selected[id]
	p.selected[id] = true
	return before
}

func (p *ForgetPlan) memory(r memory.Record, relations int) {
	if p.has(r.ID) {
		return
	}
	p.Memories = append(p.Memories, r.ID)
	p.Relations += relations
	if key := library.WordsKey(r.Content); key != "" {
		p.says = append(p.says, key)
	}
	p.sample(library.Forgotten{Kind: library.FoundMemory, ID: r.ID, Text: r.Content})
}

func (p *ForgetPlan) conversation(id, title string, messages int) {
	if p.has(id) {
		return
	}
	p.Conversations = append(p.Conversations, id)
	p.Messages += messages
	p.sample(library.Forgotten{Kind: library.FoundConversation, ID: id, Text: title})
}

func (p *ForgetPlan) sample(f library.Forgotten) {
	if len(p.Sample) == library.MaxSampled {
		return
	}
	f.Text = library.Beginning(f.Text)
	p.Sample = append(p.Sample, f)
}

func (s *Service) planIDs(ctx context.Context, ids []string, p *ForgetPlan) error {
	return s.lib.Read(ctx, func(v *library.Session, tx *vault.Tx) error {
		for _, id := range ids {
			m, ok, err := rows.LoadMemory(tx, id)
			if err != nil {
				return err
			}
			if ok {
				p.memory(m.Record, len(v.Rows.TouchingOf(id)))
				continue
			}
			absent := fault.New(fault.NotFound, "forget-no-such-id", "There is no memory and no conversation {id}, so nothing was forgotten.")
			if err := p.conversationWithID(tx, id, absent); err != nil {
				return err
			}
		}
		return nil
	})
}

// planTalks adds to a plan the conversations with these ids.
func (s *Service) planTalks(ctx context.Context, ids []string, p *ForgetPlan) error {
	return s.lib.Read(ctx, func(_ *library.Session, tx *vault.Tx) error {
		for _, id := range ids {
			absent := fault.New(fault.NotFound, "forget-no-such-conversation", "There is no conversation {id}, so nothing was forgotten.")
			if err := p.conversationWithID(tx, id, absent); err != nil {
				return err
			}
		}
		return nil
	})
}

// conversationWithID adds a conversation to the plan; it returns absent if there is none
// with this id.
func (p *ForgetPlan) conversationWithID(tx *vault.Tx, id string, absent *fault.Error) error {
	head, err := tx.ConversationHead(id)
	if rows.IsAbsent(err) {
		return absent.With("id", rows.ShortID(id))
	}
	if err == nil {
		p.conversation(id, head.Title, head.Said())
	}
	return err
}

// planMemories adds the memories that q selects to the plan p, and returns their number.
func (s *Service) planMemories(ctx context.Context, q browse.MemoryQuery, p *ForgetPlan) (int, error) {
	page, err := s.Memories(ctx, q)
	for i, r := range page.Items {
		p.memory(r, page.Relations[i])
	}
	return len(page.Items), err
}

func (s *Service) planConversations(ctx context.Context, q browse.ConversationQuery, p *ForgetPlan) error {
	page, err := s.Conversations(ctx, q)
	for _, c := range page.Items {
		p.conversation(c.ID, c.Title, c.MessageCount)
	}
	return err
}

// planOriginals counts the imported files stored in the vault that Forget would delete,
// and those that it would keep.
func (s *Service) planOriginals(ctx context.Context, p *ForgetPlan) error {
	return s.lib.Read(ctx, func(_ *library.Session, tx *vault.Tx) error {
		var places library.Holding
		for _, id := range p.Memories {
			seq, err := tx.Seq(vault.Memories, id)
			if err != nil {
				return err
			}
			places.Memories.Add(seq)
		}
		for _, id := range p.Conversations {
			seq, err := tx.Seq(vault.Conversations, id)
			if err != nil {
				return err
			}
			places.Conversations.Add(seq)
		}
		return library.EachKeeping(tx, places, func(report library.ImportReport, holds bool) {
			if holds {
				p.Originals += report.KeptFiles()
			} else {
				p.KeptOriginals += report.KeptFiles()
			}
		})
	})
}
