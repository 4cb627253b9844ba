package agents

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// ForgetTarget selects the memories that an agent wants forgotten. Exactly one field is set.
type ForgetTarget struct {
	IDs     []string
	Session string // id of the conversation that the memories are from
	Query   string
	Before  memory.Time // created before it
	Tags    []string    // any of them
}

// ForgetAnswer tells an agent what it asked to have forgotten. Nothing is forgotten yet.
type ForgetAnswer struct {
	Token   string `json:"confirmation_token"`
	Total   int    `json:"total"`
	Matches []Item `json:"matches"` // the first of them, with permission to read
	Status  string `json:"status"`  // waiting-for-person
}

// ForgetRequest is what an agent asked to have forgotten, for the person to decide.
type ForgetRequest struct {
	Token string      `json:"token"`
	At    memory.Time `json:"at"`
	IDs   []string    `json:"ids"` // of the memories that are still there
}

// storedRequest is a ForgetRequest as the vault keeps it: without ids, which have to go with their
// memories.
type storedRequest struct {
	Agent    string       `json:"agent"`
	At       memory.Time  `json:"at"`
	Memories rows.Numbers `json:"memories"`
}

// requestsID is the id of the setting with all requests to forget, by token.
const requestsID = "agent-forgets"

// mostRequests is how many requests to forget wait for one agent.
const mostRequests = 20

// AgentForget asks the person to forget memories. The agent cannot confirm it.
func (s *Service) AgentForget(ctx context.Context, name string, target ForgetTarget) (ForgetAnswer, error) {
	return answer(ctx, s, name, "forget_memories", Delete, func(ctx context.Context, q *question) (a ForgetAnswer, err error) {
		list, err := s.targeted(ctx, q, target)
		if err != nil {
			return a, err
		}
		if len(list) == 0 {
			return a, fault.New(fault.NotFound, "forget-selects-nothing", "Nothing in the vault is selected by this, so nothing was forgotten.")
		}
		a = ForgetAnswer{Total: len(list), Matches: []Item{}, Status: "waiting-for-person"}
		err = q.see(ctx, func(sees *sight) error {
			if err := sees.mayRead(min(len(list), usualItems), q.lib.Now()); fault.CodeOf(err) == fault.Refused {
				return nil
			} else if err != nil {
				return err
			}
			page, err := q.page(sees, list[:min(len(list), usualItems)], func(*Item) {})
			a.Matches = page.Memories
			return err
		})
		if err == nil {
			a.Token, err = s.request(ctx, q.name, list)
		}
		return a, err
	})
}

// targeted lists the memories that a target selects among those that the agent may see.
func (s *Service) targeted(ctx context.Context, q *question, t ForgetTarget) (list []*rows.Memory, err error) {
	ways := 0
	for _, set := range []bool{len(t.IDs) > 0, t.Session != "", t.Query != "", !t.Before.IsZero(), len(t.Tags) > 0} {
		if set {
			ways++
		}
	}
	if ways != 1 {
		return nil, fault.New(fault.Invalid, "agent-forget-target", "What to forget is said in one way: by ids, a session, a query, a date or tags.")
	}
	if t.Query != "" {
		hits, err := s.hits(ctx, q, Search{Text: t.Query, Limit: mostItems})
		if err != nil {
			return nil, err
		}
		for _, h := range hits {
			t.IDs = append(t.IDs, h.ID)
		}
	}
	err = q.see(ctx, func(sees *sight) error {
		if t.Query != "" || len(t.IDs) > 0 {
			for _, id := range t.IDs {
				row, err := sees.row(id)
				if err != nil {
					return err
				}
				list = append(list, row)
			}
			return nil
		}
		list, err = sees.newestFirst(Scope{Tags: t.Tags, Until: t.Before})
		if t.Session != "" {
			list = slices.DeleteFunc(list, func(row *rows.Memory) bool { return row.Conversation != t.Session })
		}
		return err
	})
	return list, err
}

// request stores that the person is asked to forget memories. What is asked for twice has one token.
func (s *Service) request(ctx context.Context, agent string, list []*rows.Memory) (token string, err error) {
	set := map[uint64]bool{}
	for _, row := range list {
		set[row.Seq] = true
	}
	r := storedRequest{Agent: agent, Memories: rows.NumbersOf(set)}
	err = s.changeRequests(ctx, func(e *library.Tx, all map[string]storedRequest) error {
		open := 0
		for t, other := range all {
			if other.Agent != agent {
				continue
			}
			if open++; other.Memories == r.Memories {
				token = t
				return nil
			}
		}
		if open >= mostRequests {
			return fault.New(fault.TooLarge, "agent-forgets-waiting", "{limit} requests of {name} to forget wait already.").With("name", agent).With("limit", mostRequests).
				Advise("Ask the person to look at them in Keepsake first.")
		}
		token, r.At = e.NewID(), e.Now
		all[token] = r
		return nil
	})
	return token, err
}

// changeRequests lets fn change the requests, and stores those that can still be answered.
func (s *Service) changeRequests(ctx context.Context, fn func(*library.Tx, map[string]storedRequest) error) error {
	v, _, leave, err := s.lib.Enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	return s.lib.Update(v, func(e *library.Tx) error {
		all, err := requestsIn(v, e.VaultTx)
		if err != nil {
			return err
		}
		if err := fn(e, all); err != nil {
			return err
		}
		return e.PutSetting(requestsID, all)
	})
}

// requestsIn reads the requests that can still be answered: the agent may ask for them, and some of
// the memories are there.
func requestsIn(v *library.Session, tx *vault.Tx) (map[string]storedRequest, error) {
	all := map[string]storedRequest{}
	if _, err := rows.FindJSON(tx, vault.Settings, requestsID, "requests to forget", &all); err != nil {
		return nil, err
	}
	agents, err := agentsIn(tx)
	if err != nil {
		return nil, err
	}
	for token, r := range all {
		if a := agents[r.Agent]; a.State != Allowed || !slices.Contains(a.Grant.Permissions, Delete) {
			delete(all, token)
			continue
		}
		if len(r.ids(v.Rows)) == 0 {
			delete(all, token)
		}
	}
	return all, nil
}

// ids returns the ids of the memories that are still there.
func (r storedRequest) ids(rs *rows.Rows) []string {
	return idsAt(rs, slices.Sorted(maps.Keys(r.Memories.Set())))
}

// forgetsOf lists the requests of each agent, the oldest first. Forgetting the memories answers a request.
func forgetsOf(v *library.Session, tx *vault.Tx) (map[string][]ForgetRequest, error) {
	all, err := requestsIn(v, tx)
	by := map[string][]ForgetRequest{}
	for token, r := range all {
		by[r.Agent] = append(by[r.Agent], ForgetRequest{token, r.At, r.ids(v.Rows)})
	}
	for _, list := range by {
		slices.SortFunc(list, func(a, b ForgetRequest) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Token, b.Token)) })
	}
	return by, err
}

// RequestedIDs returns the ids of the memories that a request to forget is about, by its token.
func RequestedIDs(all []Listed, token string) ([]string, error) {
	for _, a := range all {
		for _, r := range a.Forgets {
			if r.Token == token {
				return r.IDs, nil
			}
		}
	}
	return nil, errNoRequest()
}

func errNoRequest() error {
	return fault.New(fault.NotFound, "no-forget-request", "No agent waits for an answer with this token.").
		Advise("keepsake agents list shows what is asked for.")
}

// DeclineForget answers a request with no: its memories stay.
func (s *Service) DeclineForget(ctx context.Context, token string) error {
	err := s.changeRequests(ctx, func(_ *library.Tx, all map[string]storedRequest) error {
		if _, ok := all[token]; !ok {
			return errNoRequest()
		}
		delete(all, token)
		return nil
	})
	if err == nil {
		s.lib.Emit(library.EventAgents, nil)
	}
	return err
}
