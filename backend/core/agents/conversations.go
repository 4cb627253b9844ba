package agents

import (
	"context"
	"slices"
	"strings"

	"keepsake/backend/core/browse"
	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
	"keepsake/backend/search"
	"keepsake/backend/vault"
)

// Talk is a conversation that was found, or a message in it.
type Talk struct {
	ConversationID string      `json:"conversation_id"`
	Title          string      `json:"title"`
	Platform       string      `json:"platform"`
	CreatedAt      memory.Time `json:"created_at,omitzero"`
	Excerpt        string      `json:"excerpt,omitempty"` // of a message, with permission to read all
}

// Talks are conversations that were found.
type Talks struct {
	Conversations []Talk `json:"conversations"`
}

// AgentConversations finds conversations by the words of their titles and, with permission to read
// all of them, of their messages.
func (s *Service) AgentConversations(ctx context.Context, name, text string, limit int) (Talks, error) {
	return answer(ctx, s, name, "search_conversations", Read, func(ctx context.Context, q *question) (Talks, error) {
		ask := browse.SearchQuery{Text: text, In: "messages", Limit: limited(limit)}
		err := q.see(ctx, func(sees *sight) (err error) {
			ask.TitlesOnly, ask.Hide = sees.agent.Grant.Conversations == TitlesOnly, sees.agent.Grant.hides()
			ask.Accept, err = sees.talks()
			return err
		})
		if err != nil {
			return Talks{}, err
		}
		found, err := s.browse.Search(ctx, ask)
		if err != nil {
			return Talks{}, err
		}
		out := Talks{Conversations: []Talk{}}
		err = q.see(ctx, func(sees *sight) error {
			for _, h := range found.Hits {
				head, err := sees.head(h.ConversationID)
				if rows.IsAbsent(err) {
					continue // deleted since
				}
				if err != nil {
					return err
				}
				t := Talk{ConversationID: h.ConversationID, CreatedAt: h.CreatedAt}
				t.Title, _ = sees.hide(head.Title)
				t.Platform, _ = sees.hide(head.Provider.Name)
				if h.Kind == library.FoundMessage && sees.agent.Grant.Conversations == AllOfThem {
					t.Excerpt, _ = sees.hide(textOf(h.Snippet)) // cut out of the message in which all is hidden already
				}
				out.Conversations = append(out.Conversations, t)
			}
			return nil
		})
		return out, err
	})
}

func textOf(snippet []browse.Piece) string {
	var b strings.Builder
	for _, p := range snippet {
		b.WriteString(p.Text)
	}
	return b.String()
}

// talks returns which conversations the agent may see: those of the platforms and dates of its
// scope. Without permission it is an error.
func (s *sight) talks() (func(search.Kind, uint64) bool, error) {
	g := s.agent.Grant
	if g.Conversations == NoConversations {
		return nil, fault.New(fault.Refused, "agent-no-conversations", "{name} may not read conversations.").With("name", s.agent.Name)
	}
	rs := s.v.Rows
	return func(kind search.Kind, seq uint64) bool {
		if kind != search.Conversation {
			return false
		}
		rs.RLock()
		defer rs.RUnlock()
		entry := rs.Conversations.BySeq.At(seq)
		return entry != nil && g.Scope.hasTalk(rs.Words.Text(entry.Platform), entry.Created)
	}, nil
}

// hasTalk reports whether a conversation is in the scope. One whose scope has tags, types or
// projects has none, because conversations have no tags and types.
func (s Scope) hasTalk(platform string, created rows.Micro) bool {
	return len(s.Tags)+len(s.Types)+len(s.Projects) == 0 && (len(s.Platforms) == 0 || slices.Contains(s.Platforms, platform)) && s.hasDate(created)
}

// head returns the head of a conversation that the agent may see. One that it may not see and one
// that does not exist are the same error.
func (s *sight) head(id string) (vault.ConversationHead, error) {
	may, err := s.talks()
	if err != nil {
		return vault.ConversationHead{}, err
	}
	if s.tx.Has(vault.Conversations, id) {
		seq, err := s.tx.Seq(vault.Conversations, id)
		if err != nil {
			return vault.ConversationHead{}, err
		}
		if may(search.Conversation, seq) {
			return s.tx.ConversationHead(id)
		}
	}
	return vault.ConversationHead{}, library.ErrNoConversation(id)
}

// Said is one message as an agent gets it.
type Said struct {
	Role      memory.Role `json:"role"`
	CreatedAt memory.Time `json:"created_at,omitzero"`
	Text      string      `json:"text"`
	Cut       bool        `json:"cut,omitempty"`
}

// Thread is a page of the messages of a conversation, in the order in which they are stored.
type Thread struct {
	ConversationID string `json:"conversation_id"`
	Title          string `json:"title"`
	Platform       string `json:"platform"`
	Messages       []Said `json:"messages"`
	Next           int    `json:"next,omitempty"` // offset of the page that follows
}

// AgentConversation returns messages of a conversation from a position on.
func (s *Service) AgentConversation(ctx context.Context, name, id string, offset, limit int) (Thread, error) {
	return answer(ctx, s, name, "get_conversation", Read, func(ctx context.Context, q *question) (t Thread, err error) {
		err = q.see(ctx, func(sees *sight) error {
			head, err := sees.head(id)
			if err != nil {
				return err
			}
			if sees.agent.Grant.Conversations != AllOfThem {
				return fault.New(fault.Refused, "agent-titles-only", "{name} may read the titles of conversations only.").With("name", sees.agent.Name)
			}
			t = Thread{ConversationID: id, Messages: []Said{}}
			t.Title, _ = sees.hide(head.Title)
			t.Platform, _ = sees.hide(head.Provider.Name)
			return sees.read(ctx, &t, max(offset, 0), limited(limit))
		})
		return t, err
	})
}

// read fills a thread with messages until it has enough or the answer is full.
func (s *sight) read(ctx context.Context, t *Thread, offset, limit int) error {
	at, size := offset, 0
	for m, err := range s.tx.MessagesFrom(t.ConversationID, offset) {
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		said := Said{Role: m.Role, CreatedAt: m.CreatedAt}
		text, _ := s.hide(m.Content.PlainText())
		said.Text, said.Cut = cut(text, longestContent)
		n, err := sizeOf(said)
		if err != nil {
			return err
		}
		if size += n; len(t.Messages) == limit || size > largestAnswer {
			t.Next = at
			return nil
		}
		t.Messages = append(t.Messages, said)
		at++
	}
	return nil
}
