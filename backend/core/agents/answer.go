package agents

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"keepsake/backend/core/circles"
	"keepsake/backend/core/library"
	"keepsake/backend/core/meaning"
	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
	"keepsake/backend/search"
	"keepsake/backend/vault"
)

// question is one call of an agent that is being answered.
type question struct {
	lib     *library.Library
	name    string
	need    Permission
	given   map[uint64]string // ids of the memories in the answer, by sequence number
	written int               // memories that the call changed
	state   guard             // of what the agent was shown last
}

// sight is what an agent may see in one read transaction.
type sight struct {
	v     *library.Session
	tx    *vault.Tx
	agent Agent
	may   map[uint64]bool // memories, by sequence number
	since uint64          // Changes of the rows before the transaction began
	hides map[string]bool // tags and platforms that have a hidden place, as far as they were looked at
}

// guard tells whether an agent may see a memory as before, as long as that was not changed itself.
type guard struct {
	circle []byte // its stored record
	grant  []byte
}

// Refused calls beyond so many within a minute are answered one by one, after a pause.
const (
	freeRefusals = 30
	refusalPause = time.Second
)

// answer lets fn answer a call of an agent, and returns what fn returned. Before the answer leaves,
// the call is in the vault and in its log: also one that fn or the grant refused. fn runs outside of
// a transaction, and reads by see. The calls of one agent are answered one after the other.
func answer[T any](ctx context.Context, s *Service, name, tool string, permission Permission, fn func(context.Context, *question) (T, error)) (T, error) {
	var none T
	a, end, err := s.begin(ctx, name)
	if err != nil {
		return none, err
	}
	defer end()
	q := &question{lib: s.lib, name: a.Name, need: permission, given: map[uint64]string{}}
	got := none
	if err = a.allows(permission, s.lib.Now()); err == nil {
		got, err = fn(ctx, q)
	}
	c := Call{Agent: a.Name, Tool: tool}
	if err == nil {
		c.Bytes, err = sizeOf(got)
	}
	if err != nil {
		err = fault.From(err)
		c.Refused = fault.From(err).Reason
	} else {
		c.Memories, c.Given = len(q.given), numbersOf(q.given)
	}
	c.Written = q.written // also where something failed later
	if noted := s.note(ctx, c, permission); noted != nil {
		return none, noted
	}
	if err != nil {
		return none, err
	}
	s.noteUse(ctx, q.given)
	return got, nil
}

// NoteRefusedCall notes a call of an agent that reached no tool, and why.
func (s *Service) NoteRefusedCall(ctx context.Context, name, tool string, why error) error {
	a, end, err := s.begin(ctx, name)
	if err != nil {
		return err
	}
	defer end()
	return s.note(ctx, Call{Agent: a.Name, Tool: tool, Refused: fault.From(why).Reason}, "")
}

func numbersOf(given map[uint64]string) rows.Numbers {
	set := make(map[uint64]bool, len(given))
	for seq := range given {
		set[seq] = true
	}
	return rows.NumbersOf(set)
}

// noteUse counts that memories were used. What is locked meanwhile is not counted.
func (s *Service) noteUse(ctx context.Context, given map[uint64]string) {
	v, _, leave, err := s.lib.Enter(ctx)
	if err != nil {
		return
	}
	defer leave()
	for _, id := range given {
		v.Note(id, s.lib.Now())
	}
}

// begin begins a call of an agent, which lasts until end is called.
func (s *Service) begin(ctx context.Context, name string) (a Agent, end func(), err error) {
	err = s.lib.Read(ctx, func(v *library.Session, tx *vault.Tx) error {
		a, err = need(tx, name)
		a = pausedNow(v, a)
		return err
	})
	if err != nil {
		return a, nil, err
	}
	end, err = s.turn(ctx, a.Name)
	return a, end, err
}

// turn waits until no other call of an agent is being answered, and holds up one that had many calls
// refused within a minute.
func (s *Service) turn(ctx context.Context, name string) (end func(), err error) {
	s.mu.Lock()
	t := s.turns[name]
	if t == nil {
		t = make(chan struct{}, 1)
		s.turns[name] = t
	}
	s.mu.Unlock()
	select {
	case t <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	end = func() { <-t }
	if err := s.pace(ctx, name); err != nil {
		end()
		return nil, err
	}
	return end, nil
}

func (s *Service) pace(ctx context.Context, name string) error {
	var had spending
	err := s.lib.Read(ctx, func(v *library.Session, tx *vault.Tx) (err error) {
		had, err = library.Kept[keptCalls](v).lately(tx, name, s.lib.Now())
		return err
	})
	if err != nil || had.refused < freeRefusals {
		return err
	}
	select {
	case <-time.After(refusalPause):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// sizeOf is how many bytes an answer has as JSON.
func sizeOf(answer any) (int, error) {
	text, err := json.Marshal(answer)
	return len(text), err
}

// see runs fn in one read transaction, with what the agent may see in it. What fn puts into given
// replaces what an earlier transaction of the call put there.
func (q *question) see(ctx context.Context, fn func(*sight) error) error {
	v, ctx, leave, err := q.lib.Enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	clear(q.given)
	changes := changesOf(v.Rows) // before the transaction begins: see leavesOf
	return v.View(func(tx *vault.Tx) error {
		a, err := need(tx, q.name)
		if err != nil {
			return err
		}
		if err := pausedNow(v, a).allows(q.need, q.lib.Now()); err != nil {
			return err
		}
		if q.state, err = guardOf(tx, a); err != nil {
			return err
		}
		may, err := a.leavesOf(ctx, q.lib, v, tx, changes)
		if err != nil {
			return err
		}
		return fn(&sight{v, tx, a, may, changes, map[string]bool{}})
	})
}

// guardOf returns the state on which depends, beside the memories themselves, what an agent may see.
func guardOf(tx *vault.Tx, a Agent) (guard, error) {
	_, circle, err := circles.Stored(tx, a.Grant.Circle)
	if err != nil {
		return guard{}, err
	}
	grant, err := rows.EncodeJSON(a.Grant)
	return guard{circle, grant}, err
}

func (g guard) equal(to guard) bool {
	return bytes.Equal(g.circle, to.circle) && bytes.Equal(g.grant, to.grant)
}

// stillMay returns a check for a write transaction: that the agent may do this now, and that the memories
// it was shown are as they were, and are for it.
func (q *question) stillMay(v *library.Session, shown []*rows.Memory) func(*library.Tx) error {
	state := q.state
	return func(e *library.Tx) error {
		a, err := need(e.VaultTx, q.name)
		if err != nil {
			return err
		}
		if err := pausedNow(v, a).allows(q.need, e.Now); err != nil {
			return err
		}
		now, err := guardOf(e.VaultTx, a)
		if err != nil {
			return err
		}
		for _, row := range shown {
			if rowAt(v, row.Seq) != row { // a row is replaced, never modified
				return errChanged()
			}
		}
		if !now.equal(state) {
			return errChanged()
		}
		return nil
	}
}

func errChanged() error {
	return fault.New(fault.Conflict, "agent-changed", "What may be seen changed meanwhile, so this was not done.").Advise("Ask again.")
}

func changesOf(rs *rows.Rows) uint64 {
	rs.RLock()
	defer rs.RUnlock()
	return rs.Changes
}

// leaves caches what agents may see, so that a call after which nothing was changed need not look at
// every memory. It is dropped when the vault is locked.
type leaves struct {
	mu sync.Mutex
	of map[string]cachedLeaves // by agent
}

type cachedLeaves struct {
	changes uint64 // of the rows
	vectors int    // by which sensitive topics are found, too
	circle  []byte // its stored record
	scope   string
	may     map[uint64]bool
}

// leavesOf returns the memories of the agent's circle and scope that may leave. changes was read
// before the transaction began: what is kept is kept only if no memory was changed until its end.
func (a Agent) leavesOf(ctx context.Context, lib *library.Library, v *library.Session, tx *vault.Tx, changes uint64) (map[uint64]bool, error) {
	if a.Grant.Circle == "" {
		return map[uint64]bool{}, nil
	}
	scope, err := rows.EncodeJSON(a.Grant.Scope)
	if err != nil {
		return nil, err
	}
	state, err := meaning.Of(v).State()
	if err != nil && !meaning.IsUnavailable(err) {
		return nil, err
	}
	vectors := state.Vectors
	seq, circle, err := circles.Stored(tx, a.Grant.Circle)
	if err != nil {
		return nil, err
	}
	if a.Grant.CircleNumber != 0 && seq != a.Grant.CircleNumber {
		return nil, a.errCircleGone()
	}
	cache := library.Kept[leaves](v)
	cache.mu.Lock()
	defer cache.mu.Unlock()
	if c, ok := cache.of[a.Name]; ok && c.changes == changes && c.vectors == vectors && bytes.Equal(c.circle, circle) && c.scope == string(scope) {
		return c.may, nil
	}
	choice, err := circles.ChooseEntity(ctx, lib, v, tx, a.Grant.Circle)
	if fault.CodeOf(err) == fault.NotFound {
		return nil, a.errCircleGone()
	}
	if err != nil {
		return nil, err
	}
	may, err := a.Grant.Scope.narrow(v.Rows, choice.Leaves)
	if err != nil {
		return nil, err
	}
	if changesOf(v.Rows) == changes {
		if cache.of == nil {
			cache.of = map[string]cachedLeaves{}
		}
		cache.of[a.Name] = cachedLeaves{changes, vectors, circle, string(scope), may}
	}
	return may, nil
}

func (a Agent) errCircleGone() error {
	return fault.New(fault.Refused, "agent-circle-gone", "The circle that {name} reads from was deleted.").With("name", a.Name).
		Advise("Open Keepsake and choose another.")
}

// narrow returns the active memories among some that are in the scope.
func (s Scope) narrow(rs *rows.Rows, leaves map[uint64]bool) (map[uint64]bool, error) {
	type filter = func(search.Kind, uint64, uint32, int64) bool
	var lists [][]filter
	var categories []string
	for _, c := range s.categories {
		categories = append(categories, string(c))
	}
	for name, values := range map[string][]string{"type": s.Types, "tag": s.Tags, "platform": s.Platforms, "project": s.Projects, "category": categories} {
		var any []filter
		for _, value := range values {
			f, err := library.RowFilter(rs, name, value)
			if err != nil {
				return nil, err
			}
			any = append(any, f)
		}
		if len(any) > 0 {
			lists = append(lists, any)
		}
	}
	may := map[uint64]bool{}
	for seq, is := range leaves {
		if is && s.isAt(rs, seq) && every(lists, func(f filter) bool { return f(search.Memory, seq, 0, 0) }) {
			may[seq] = true
		}
	}
	return may, nil
}

// every reports whether each list has an element that passes a test.
func every[T any](lists [][]T, passes func(T) bool) bool {
	for _, list := range lists {
		if !slices.ContainsFunc(list, passes) {
			return false
		}
	}
	return true
}

// isAt reports whether a memory is active and was created within the dates of the scope.
func (s Scope) isAt(rs *rows.Rows, seq uint64) bool {
	rs.RLock()
	defer rs.RUnlock()
	row := rs.Memories.BySeq.At(seq)
	return row != nil && row.Status == memory.Active && s.hasDate(row.Created)
}

// hasDate reports whether an instant is within the dates of the scope.
func (s Scope) hasDate(created rows.Micro) bool {
	return (s.Since.IsZero() || created >= rows.MicroOf(s.Since)) && (s.Until.IsZero() || created < rows.MicroOf(s.Until))
}
