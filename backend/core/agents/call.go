package agents

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// Call is one call of an agent, as the vault keeps it. It holds no text.
type Call struct {
	Number   uint64       `json:"number,omitempty"` // only where calls are listed
	Agent    string       `json:"agent"`
	At       memory.Time  `json:"at"`
	Tool     string       `json:"tool"`
	Memories int          `json:"memories"` // in the answer
	Given    rows.Numbers `json:"given,omitempty"`
	Bytes    int          `json:"bytes"`             // of the answer
	Written  int          `json:"written,omitempty"` // memories that it changed
	Refused  string       `json:"refused,omitempty"` // reason of the fault
}

// Bounds of the calls that the vault keeps, each with what it gave. The log has all of them. Refused
// calls are kept apart, so that no number of them drives out a call that was answered.
const (
	mostCalls   = 20_000 // answered
	mostRefused = 2_000
)

// note stores a call and writes it into the log. If the agent may no longer have the answer, or has
// used up its budget with it, the call is stored as refused and the error says why.
func (s *Service) note(ctx context.Context, c Call, permission Permission) error {
	v, _, leave, err := s.lib.Enter(ctx)
	if err != nil {
		return err
	}
	kept := library.Kept[keptCalls](v)
	var refused error
	err = s.lib.Update(v, func(e *library.Tx) error {
		a, err := need(e.VaultTx, c.Agent)
		if err != nil {
			return err
		}
		c.At = e.Now
		if c.Refused == "" && permission == Read { // what was written stays, and is told
			if refused = cmp.Or(pausedNow(v, a).allows(permission, e.Now), a.hasBudget(v, e.VaultTx, c.Memories, c.Bytes, e.Now)); refused != nil {
				c = Call{Agent: c.Agent, At: c.At, Tool: c.Tool, Refused: fault.From(refused).Reason}
			}
		}
		return c.keep(e, kept, v.Vault.Frozen())
	})
	leave()
	if err != nil {
		return err
	}
	if v.Vault.Frozen() {
		kept.add(c)
	}
	s.lib.Emit(library.EventAgents, nil)
	return refused
}

// hasBudget returns an error if the agent may not be given so much more within the hour.
func (a Agent) hasBudget(v *library.Session, tx *vault.Tx, memories, bytes int, now memory.Time) error {
	if a.Grant.Memories == 0 && a.Grant.Bytes == 0 {
		return nil
	}
	had, err := library.Kept[keptCalls](v).lately(tx, a.Name, now)
	if err != nil {
		return err
	}
	if a.Grant.Memories > 0 && had.memories+memories > a.Grant.Memories || a.Grant.Bytes > 0 && had.bytes+bytes > a.Grant.Bytes {
		return fault.New(fault.Refused, "agent-budget-spent", "{name} has been given as much as it may have in an hour.").With("name", a.Name).
			Advise("Ask again later, or for less.")
	}
	return nil
}

// keep stores a call. Of a frozen vault only the log tells.
func (c Call) keep(e *library.Tx, kept *keptCalls, frozen bool) error {
	action := library.LogAgentCall
	if c.Refused != "" {
		action = library.LogAgentRefused
	}
	if err := e.LogAs(c.Agent, action, c.Tool, c.Memories); err != nil || frozen {
		return err
	}
	oldest, full, err := kept.oldest(e.VaultTx, c.Refused != "")
	if err != nil {
		return err
	}
	if full && e.VaultTx.Has(vault.AgentCalls, callID(oldest)) {
		if err := e.DropAgentCall(callID(oldest)); err != nil {
			return err
		}
	}
	return e.PutAgentCall(callID(e.VaultTx.Next(vault.AgentCalls)), c)
}

func callID(number uint64) string { return fmt.Sprintf("%020d", number) }

// CallCounts counts calls of one agent: those that the vault kept when it was unlocked, and later ones.
type CallCounts struct {
	Calls    int         `json:"calls"`
	Memories int         `json:"memories"` // in the answers
	Refused  int         `json:"refused"`
	LastCall memory.Time `json:"last_call,omitzero"`
}

func (n *CallCounts) add(c Call) {
	n.Calls++
	n.Memories += c.Memories
	if c.Refused != "" {
		n.Refused++
	}
	n.LastCall = c.At // calls are stored in their order
}

// keptCalls caches what is asked of the stored calls, so that only those that came since are read. In
// a frozen vault, which stores none, it has the calls of this session.
type keptCalls struct {
	mu       sync.Mutex
	next     uint64 // number of the first call that is not in here
	counts   map[string]*CallCounts
	recent   map[string][]Call // of the last hour, the oldest first, without Given
	answered []uint64          // numbers of the stored calls
	refused  []uint64
}

// read takes in the calls that tx has and that are new.
func (k *keptCalls) read(tx *vault.Tx) error {
	for end := tx.Next(vault.AgentCalls); k.next < end; k.next++ {
		var c Call
		found, err := rows.FindJSON(tx, vault.AgentCalls, callID(k.next), "call of an agent", &c)
		if err != nil {
			return err
		}
		if !found {
			continue
		}
		if c.Refused == "" {
			k.answered = latest(append(k.answered, k.next), mostCalls)
		} else {
			k.refused = latest(append(k.refused, k.next), mostRefused)
		}
		k.take(c)
	}
	return nil
}

// latest returns the last most elements of a list.
func latest(list []uint64, most int) []uint64 { return list[max(0, len(list)-most):] }

func (k *keptCalls) take(c Call) {
	if k.counts == nil {
		k.counts, k.recent = map[string]*CallCounts{}, map[string][]Call{}
	}
	if k.counts[c.Agent] == nil {
		k.counts[c.Agent] = &CallCounts{}
	}
	k.counts[c.Agent].add(c)
	c.Given = ""
	k.recent[c.Agent] = append(k.recent[c.Agent], c)
}

// add takes in a call that is not stored.
func (k *keptCalls) add(c Call) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.take(c)
}

// oldest returns the number of the oldest stored call of a kind, and whether there are as many as are kept.
func (k *keptCalls) oldest(tx *vault.Tx, refused bool) (number uint64, full bool, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.read(tx); err != nil {
		return 0, false, err
	}
	list, most := k.answered, mostCalls
	if refused {
		list, most = k.refused, mostRefused
	}
	if len(list) < most {
		return 0, false, nil
	}
	return list[0], true, nil
}

// all returns the counts of every agent.
func (k *keptCalls) all(tx *vault.Tx) (map[string]CallCounts, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	err := k.read(tx)
	all := make(map[string]CallCounts, len(k.counts))
	for name, c := range k.counts {
		all[name] = *c
	}
	return all, err
}

// spending is what an agent had within the last hour.
type spending struct {
	memories, bytes int
	written         int // memories
	refused         int // calls within the last minute
}

// lately adds up the calls of an agent within the last hour.
func (k *keptCalls) lately(tx *vault.Tx, name string, now memory.Time) (spent spending, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.read(tx); err != nil {
		return spent, err
	}
	hour, minute := memory.At(now.Add(-time.Hour)), memory.At(now.Add(-time.Minute))
	list := k.recent[name]
	for len(list) > 0 && list[0].At.Compare(hour) < 0 {
		list = list[1:]
	}
	if k.recent != nil {
		k.recent[name] = list
	}
	for _, c := range list {
		spent.memories, spent.bytes = spent.memories+c.Memories, spent.bytes+c.Bytes
		spent.written += c.Written
		if c.Refused != "" && c.Refused != keyDiffers && c.At.Compare(minute) > 0 {
			spent.refused++
		}
	}
	return spent, nil
}

// CallQuery selects calls of agents.
type CallQuery struct {
	Agent         string // "": any
	Memory        string // id that was in the answer; "": any
	Tool          string // "": any
	Outcome       Outcome
	Since, Until  memory.Time // Since is within, Until is not; zero: no bound
	Offset, Limit int         // Limit 0: 100
}

// Outcome is what became of a call, "" for either.
type Outcome string

// Outcomes of a call.
const (
	WasAnswered Outcome = "answered"
	WasRefused  Outcome = "refused"
)

// has reports whether a call is selected, but for the memory.
func (q CallQuery) has(c Call) bool {
	return (q.Agent == "" || c.Agent == q.Agent) && (q.Tool == "" || c.Tool == q.Tool) &&
		(q.Outcome == "" || (q.Outcome == WasRefused) == (c.Refused != "")) &&
		c.At.Compare(q.Since) >= 0 && (q.Until.IsZero() || c.At.Compare(q.Until) < 0)
}

// CallPage is a page of calls, newest first.
type CallPage struct {
	Items []Call `json:"items"`
	Total int    `json:"total"`
}

// keyDiffers is the reason for which another program under the name of an agent is refused.
const keyDiffers = "agent-key-differs"

// usualCalls is the Limit of a CallQuery that has none.
const usualCalls = 100

// AgentCalls lists the calls of agents that the vault keeps, newest first.
func (s *Service) AgentCalls(ctx context.Context, q CallQuery) (CallPage, error) {
	if !slices.Contains([]Outcome{"", WasAnswered, WasRefused}, q.Outcome) {
		return CallPage{}, fault.New(fault.Invalid, "agent-call-outcome", "A call was answered or refused, and not {outcome}.").With("outcome", rows.ShortID(string(q.Outcome)))
	}
	return library.ReadValue(ctx, s.lib, func(tx *vault.Tx) (CallPage, error) {
		gave := func(Call) bool { return true }
		if q.Memory != "" {
			if !tx.Has(vault.Memories, q.Memory) {
				return CallPage{}, rows.ErrNoMemory(q.Memory)
			}
			seq, err := tx.Seq(vault.Memories, q.Memory)
			if err != nil {
				return CallPage{}, err
			}
			gave = func(c Call) bool { return c.Given.Has(seq) }
		}
		all := []Call{}
		for e, err := range tx.Each(vault.AgentCalls) {
			if err != nil {
				return CallPage{}, err
			}
			c, err := rows.DecodeJSON[Call](e.Plain, "call of an agent")
			if err != nil {
				return CallPage{}, err
			}
			if q.has(c) && gave(c) {
				if c.Number, err = strconv.ParseUint(e.ID, 10, 64); err != nil {
					return CallPage{}, err
				}
				all = append(all, c)
			}
		}
		slices.Reverse(all)
		if q.Limit <= 0 {
			q.Limit = usualCalls
		}
		return CallPage{append([]Call{}, library.Page(all, q.Offset, q.Limit)...), len(all)}, nil
	})
}

// Given is what was in the answer to a call, as it stands in the vault now.
type Given struct {
	Memories []GivenMemory `json:"memories"` // the oldest first, at most mostGiven
	Total    int           `json:"total"`    // that are still there
	Gone     int           `json:"gone"`     // that are not
}

// GivenMemory is a memory that was in an answer.
type GivenMemory struct {
	ID      string `json:"id"`
	Content string `json:"content"` // its beginning
	Cut     bool   `json:"cut,omitempty"`
}

// Bounds of Given.
const (
	mostGiven    = 100
	longestGiven = 300 // bytes
)

// AgentCallGave lists the memories in the answer to a call.
func (s *Service) AgentCallGave(ctx context.Context, number uint64) (given Given, err error) {
	given.Memories = []GivenMemory{}
	err = s.lib.Read(ctx, func(v *library.Session, tx *vault.Tx) error {
		var c Call
		if found, err := rows.FindJSON(tx, vault.AgentCalls, callID(number), "call of an agent", &c); err != nil {
			return err
		} else if !found {
			return fault.New(fault.NotFound, "no-agent-call", "This call of an assistant is no longer kept.")
		}
		seqs := slices.Sorted(maps.Keys(c.Given.Set()))
		for _, id := range idsAt(v.Rows, seqs) {
			text, err := tx.Find(vault.Memories, id)
			if err != nil {
				return err
			}
			if text == nil { // deleted meanwhile
				continue
			}
			if given.Total++; given.Total > mostGiven {
				continue
			}
			m := GivenMemory{ID: id}
			if m.Content, err = rows.ContentOf(text); err != nil {
				return err
			}
			m.Content, m.Cut = cut(m.Content, longestGiven)
			given.Memories = append(given.Memories, m)
		}
		given.Gone = len(seqs) - given.Total
		return nil
	})
	return given, err
}

// idsAt returns the ids of the memories with numbers, of those that are still there.
func idsAt(rs *rows.Rows, seqs []uint64) (ids []string) {
	rs.RLock()
	defer rs.RUnlock()
	for _, seq := range seqs {
		if row := rs.Memories.BySeq.At(seq); row != nil {
			ids = append(ids, row.ID)
		}
	}
	return ids
}
