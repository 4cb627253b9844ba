package agents

import (
	"context"
	"slices"
	"time"
	"unicode"

	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/format/personal"
	"keepsake/backend/memory"
)

// Store is a record of the Personal Memory Specification that an agent wants kept.
type Store struct {
	Content string
	Tags    []string
	As      library.StoredAs
}

// Stored is what became of it: a proposal, which has no vector before the person accepted it.
type Stored struct {
	ID        string      `json:"memory_id"`
	Embedded  bool        `json:"embedding_generated"`
	Hash      string      `json:"content_hash"`
	CreatedAt memory.Time `json:"created_at"`
	Status    string      `json:"status"` // proposed
}

// longestReference bounds the ids of a session and of a message, in bytes.
const longestReference = 200

// AgentStore puts a record into the Inbox, as AgentPropose does.
func (s *Service) AgentStore(ctx context.Context, name string, w Store) (Stored, error) {
	return answer(ctx, s, name, "store_memory", Propose, func(ctx context.Context, q *question) (Stored, error) {
		if err := checkStored(w.As); err != nil {
			return Stored{}, err
		}
		if err := q.see(ctx, func(*sight) error { return nil }); err != nil {
			return Stored{}, err
		}
		ids, err := s.suggest(ctx, q, Suggestion{Content: w.Content, Tags: w.Tags, stored: &w.As})
		if err != nil {
			return Stored{}, err
		}
		return Stored{ID: ids[0], Hash: memory.ContentHash(w.Content), CreatedAt: s.lib.Now(), Status: "proposed"}, nil
	})
}

// checkStored refuses names that the specification does not have, and references that are none.
func checkStored(as library.StoredAs) error {
	isReference := func(id string) bool {
		return len(id) <= longestReference && !slices.ContainsFunc([]rune(id), func(r rune) bool { return unicode.IsControl(r) || r == unicode.ReplacementChar })
	}
	switch {
	case !slices.Contains(personal.Categories(), as.Category):
		return fault.New(fault.Invalid, "unknown-category", "There is no category called {category}.").With("category", rows.ShortID(string(as.Category)))
	case !slices.Contains(personal.ContentTypes(), as.ContentType):
		return fault.New(fault.Invalid, "unknown-content-type", "There is no content type called {type}.").With("type", rows.ShortID(string(as.ContentType)))
	case as.Channel != "" && !slices.Contains(personal.Channels(), as.Channel):
		return fault.New(fault.Invalid, "unknown-channel", "There is no channel called {channel}.").With("channel", rows.ShortID(as.Channel))
	case !isReference(as.Session) || !isReference(as.Message):
		return fault.New(fault.Invalid, "agent-reference", "The id of a session or a message is text of at most {limit} bytes.").With("limit", longestReference)
	}
	return library.CheckImportance(as.Importance)
}

// Retrieve is a search as the Personal Memory Specification has it.
type Retrieve struct {
	Query         string
	Categories    []personal.Category // none: all
	Limit         int                 // 0: 10, at most 50
	MinSimilarity float64             // of what is found by its meaning; 0: 0.7
	After, Before memory.Time         // of created_at; zero: no bound
}

// Retrieved are the memories that it found, the best first.
type Retrieved struct {
	Memories []RetrievedMemory `json:"memories"`
	Searched int               `json:"total_searched"`
	Millis   int64             `json:"query_time_ms"`
	LeftOut  int               `json:"left_out,omitempty"` // that had no room in the answer
}

// RetrievedMemory is a memory as the Personal Memory Specification names its members.
type RetrievedMemory struct {
	ID          string               `json:"memory_id"`
	Category    personal.Category    `json:"category"`
	ContentType personal.ContentType `json:"content_type"`
	Content     string               `json:"content"`
	Score       float64              `json:"similarity_score"`
	Tags        []string             `json:"topic_tags"`
	CreatedAt   memory.Time          `json:"created_at"`
}

// AgentRetrieve is AgentSearch in the words of the Personal Memory Specification.
func (s *Service) AgentRetrieve(ctx context.Context, name string, ask Retrieve) (Retrieved, error) {
	return answer(ctx, s, name, "retrieve_memory", Read, func(ctx context.Context, q *question) (out Retrieved, err error) {
		began := time.Now()
		search := Search{Text: ask.Query, Within: Scope{Since: ask.After, Until: ask.Before, categories: ask.Categories}, MinSimilarity: ask.MinSimilarity, Limit: ask.Limit}
		found, err := s.found(ctx, q, search)
		if err != nil {
			return out, err
		}
		out.Memories, out.LeftOut = []RetrievedMemory{}, found.LeftOut
		err = q.see(ctx, func(sees *sight) error {
			may, err := sees.narrow(search.Within)
			out.Searched = len(may)
			for _, it := range found.Memories {
				if err != nil {
					break
				}
				var r RetrievedMemory
				r, err = sees.retrieved(q, it)
				out.Memories = append(out.Memories, r)
			}
			return err
		})
		out.Millis = time.Since(began).Milliseconds()
		return out, err
	})
}

// retrieved names the members of a memory as the specification does.
func (s *sight) retrieved(q *question, it Item) (RetrievedMemory, error) {
	row, err := s.row(it.ID)
	if err != nil {
		return RetrievedMemory{}, errChanged()
	}
	stored, err := rows.NeedMemory(s.tx, it.ID)
	if err != nil {
		return RetrievedMemory{}, err
	}
	q.give(row)
	r := RetrievedMemory{ID: it.ID, Content: it.Content, Score: it.Score, Tags: it.Tags, CreatedAt: it.CreatedAt}
	r.Category, r.ContentType = personal.OfRecord(stored.Record)
	return r, nil
}
