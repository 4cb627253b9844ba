package agents

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"time"

	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
	"keepsake/backend/seal"
	"keepsake/backend/vault"
)

// proposeChange puts a change of memories that the agent may see into the Inbox.
func (s *Service) proposeChange(ctx context.Context, q *question, change library.ProposedChange) (Done, error) {
	shown, may, err := q.lookTwice(ctx, Propose, change.Memories)
	if err != nil {
		return Done{}, err
	}
	if change.Content != nil && *change.Content == shown[0].Content {
		change.Content = nil
	}
	if err := checkChange(change, shown); err != nil {
		return Done{}, err
	}
	p := library.Proposal{By: q.name, Platform: q.name, Confidence: 1, Change: &change}
	if p.Instructs, err = s.doesInstruct(change.Content, change.Type, shown[0]); err != nil {
		return Done{}, err
	}
	if nothing, err := s.base(ctx, &change); nothing || err != nil {
		return Done{}, err
	}
	if err := s.announce(ctx, seal.ProposedChangesFeature); err != nil {
		return Done{}, err
	}
	err = s.lib.Write(ctx, func(e *library.Tx) error {
		if err := may(e); err != nil { // also if a memory changed since base read it
			return err
		}
		p.ID, p.SaidAt, p.FoundAt = e.NewID(), e.Now, e.Now
		_, err := enqueue(e, q.name, []library.Proposal{p})
		return err
	})
	return Done{Status: "proposed"}, err
}

// base notes what a change is proposed for. It reports whether the change changes nothing, and refuses
// what the library would.
func (s *Service) base(ctx context.Context, change *library.ProposedChange) (nothing bool, err error) {
	err = s.lib.Read(ctx, func(v *library.Session, tx *vault.Tx) error {
		stored, err := changed(tx, *change)
		if err != nil {
			return err
		}
		for _, r := range stored {
			change.Basis = append(change.Basis, basisOf(*change, r))
		}
		nothing, err = changesNothing(library.NewTx(tx, v.Rows), *change, stored[0])
		return err
	})
	return nothing, err
}

// checkChange returns an error if an agent may not make a change of memories that it is shown so.
func checkChange(c library.ProposedChange, shown []Item) error {
	if c.Kind == library.ToRelate {
		return checkRelation(c.Relation)
	}
	return checkContent(c.Content, shown[0])
}

// changed reads the memories of a proposed change.
func changed(tx *vault.Tx, c library.ProposedChange) (list []memory.Record, err error) {
	for _, id := range c.Memories {
		m, err := rows.NeedMemory(tx, id)
		if err != nil {
			return nil, err
		}
		list = append(list, m.Record)
	}
	return list, nil
}

// changesNothing reports that a memory is as a change would make it. It refuses what the library would.
func changesNothing(e *library.Tx, c library.ProposedChange, r memory.Record) (bool, error) {
	switch c.Kind {
	case library.ToRelate:
		return false, e.CheckRelation(c.Memories[0], c.Relation, c.Memories[1])
	case library.ToRetract:
		return false, nil
	}
	before := r
	editOf(c).Apply(&r)
	return r.Content == before.Content && r.Type == before.Type && slices.Equal(r.Tags, before.Tags), library.CheckRecord(r)
}

func editOf(c library.ProposedChange) library.MemoryEdit {
	return library.MemoryEdit{Content: c.Content, Type: c.Type, Tags: c.Tags, Inferred: true}
}

// basisOf is a hash of what a change of a memory was proposed for: its content, and what else would
// change.
func basisOf(c library.ProposedChange, r memory.Record) []byte {
	parts := []string{r.Content}
	if c.Type != nil {
		parts = append(parts, string(r.Type), r.CustomType)
	}
	if c.Tags != nil {
		parts = append(parts, r.Tags...)
	}
	return rows.Sum([]byte(strings.Join(parts, "\x00")))
}

// Standing says whether a proposed change can be accepted, "" if it can.
type Standing string

// Reasons for which a proposed change cannot be accepted.
const (
	StandsGone     Standing = "gone"     // a memory is no longer in the vault
	StandsInactive Standing = "inactive" // a memory was retracted, archived or superseded
	StandsChanged  Standing = "changed"  // a memory is not what the change was proposed for
	StandsOutside  Standing = "outside"  // the agent may not see a memory any more
	StandsHidden   Standing = "hidden"   // something is hidden from the agent in the content that would change
)

// ChangeNow is a proposed change as it stands now, with the memories that are still there.
type ChangeNow struct {
	Standing Standing
	Memories []memory.Record

	state guard
	rows  []*rows.Memory
}

// ProposedChanges tells how changes stand that agents propose, by the ids of their proposals. Other ids
// are left out.
func (s *Service) ProposedChanges(ctx context.Context, ids []string) (map[string]ChangeNow, error) {
	v, ctx, leave, err := s.lib.Enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	all := map[string]ChangeNow{}
	changes := changesOf(v.Rows) // before the transaction begins: see leavesOf
	err = v.View(func(tx *vault.Tx) error {
		for _, id := range ids {
			var p library.Proposal
			found, err := rows.FindJSON(tx, vault.Proposals, id, "proposal", &p)
			if err != nil {
				return err
			}
			if !found || p.Change == nil {
				continue
			}
			if all[id], err = s.changeNow(ctx, v, tx, changes, p); err != nil {
				return err
			}
		}
		return nil
	})
	return all, err
}

func (s *Service) changeNow(ctx context.Context, v *library.Session, tx *vault.Tx, changes uint64, p library.Proposal) (now ChangeNow, err error) {
	agents, err := agentsIn(tx)
	if err != nil {
		return now, err
	}
	sees := &sight{v: v, tx: tx, agent: agents[p.By], since: changes, hides: map[string]bool{}} // of one that was removed nothing
	sees.may, err = sees.agent.leavesOf(ctx, s.lib, v, tx, changes)
	if fault.CodeOf(err) == fault.Refused { // its circle was deleted
		err = nil
	}
	if err == nil {
		now.state, err = guardOf(tx, sees.agent)
	}
	for i, id := range p.Change.Memories {
		if err != nil {
			return now, err
		}
		err = now.add(sees, p.Change, i, id, s.lib.Now())
	}
	return now, err
}

// add looks at a memory of a proposed change.
func (n *ChangeNow) add(sees *sight, c *library.ProposedChange, i int, id string, now memory.Time) error {
	m, found, err := rows.LoadMemory(sees.tx, id)
	if err != nil || !found {
		n.stands(StandsGone)
		return err
	}
	n.Memories = append(n.Memories, m.Record)
	n.stands(standingOf(*c, i, m.Record))
	row, err := sees.row(id)
	if err != nil {
		n.stands(StandsOutside)
		return nil
	}
	n.rows = append(n.rows, row)
	it, err := sees.item(row, now, largestOne)
	if err == nil && checkChange(*c, []Item{it}) != nil {
		n.stands(StandsHidden)
	}
	return err
}

// stands notes why a change cannot be accepted, unless there is a reason already.
func (n *ChangeNow) stands(why Standing) {
	if n.Standing == "" {
		n.Standing = why
	}
}

// standingOf compares a memory with what a change was proposed for.
func standingOf(c library.ProposedChange, i int, r memory.Record) Standing {
	switch {
	case r.Status != memory.Active:
		return StandsInactive
	case !bytes.Equal(basisOf(c, r), c.Basis[i]):
		return StandsChanged
	}
	return ""
}

// Acceptance is the acceptance of changes that agents propose.
type Acceptance struct {
	v     *library.Session
	looks map[string]ChangeNow // by proposal
	made  map[string]int       // changes, by agent
	done  map[string]bool      // proposals, by what they say
}

// Accept looks at changes that are about to be accepted, by the ids of their proposals. Other ids are
// left out.
func Accept(ctx context.Context, s *Service, ids []string) (*Acceptance, error) {
	v, _, leave, err := s.lib.Enter(ctx)
	if err != nil {
		return nil, err
	}
	leave()
	a := &Acceptance{v: v, made: map[string]int{}, done: map[string]bool{}}
	for range mostLooks { // see lookTwice
		before := a.looks
		if a.looks, err = s.ProposedChanges(ctx, ids); err != nil || before != nil && a.sameAs(before) {
			return a, err
		}
	}
	return nil, errChanged()
}

func (a *Acceptance) sameAs(before map[string]ChangeNow) bool {
	for id, now := range a.looks {
		if !slices.Equal(now.rows, before[id].rows) {
			return false
		}
	}
	return true
}

// Make makes a change that was proposed, as the person's own, and returns its memory, the first of two.
// What Accept saw must still be so.
func (a *Acceptance) Make(e *library.Tx, p library.Proposal) (memory.Record, error) {
	if now := a.looks[p.ID]; now.Standing != "" {
		return memory.Record{}, errStands(now.Standing, p.By)
	}
	if !a.done[p.Key()] { // that of another agent, which is the same
		if err := a.make(e, p); err != nil {
			return memory.Record{}, err
		}
	}
	if err := e.Decide(p); err != nil {
		return memory.Record{}, err
	}
	m, err := rows.NeedMemory(e.VaultTx, p.Change.Memories[0])
	return m.Record, err
}

func (a *Acceptance) make(e *library.Tx, p library.Proposal) error {
	err := a.check(e, p, a.looks[p.ID])
	if err != nil {
		return err
	}
	c := *p.Change
	switch c.Kind {
	case library.ToUpdate:
		_, err = e.Edit(c.Memories[0], editOf(c))
	case library.ToRetract:
		_, err = e.SetStatus(c.Memories[0], memory.Retracted, "")
	case library.ToRelate:
		_, err = e.Relate(c.Memories[0], c.Relation, c.Memories[1])
	}
	if err != nil {
		return err
	}
	a.made[p.By]++
	a.done[p.Key()] = true
	return e.Log(logAccepted+" "+p.By, c.Memories[0], 1)
}

// logAccepted is, with the name of an agent, the action of the log for a change that it had proposed.
const logAccepted = "accepted"

// check returns an error if a change is not as Accept saw it, or is one too many of its agent.
func (a *Acceptance) check(e *library.Tx, p library.Proposal, now ChangeNow) error {
	agent, err := need(e.VaultTx, p.By)
	if err != nil {
		return err
	}
	state, err := guardOf(e.VaultTx, agent)
	if err != nil {
		return err
	}
	if len(now.rows) != len(p.Change.Memories) || !state.equal(now.state) || slices.ContainsFunc(now.rows, func(row *rows.Memory) bool { return rowAt(a.v, row.Seq) != row }) {
		return errChanged()
	}
	stored, err := changed(e.VaultTx, *p.Change) // also what was accepted before it in this transaction
	if err != nil {
		return err
	}
	for i, r := range stored {
		if why := standingOf(*p.Change, i, r); why != "" {
			return errStands(why, p.By)
		}
	}
	return a.mayMake(e, p.By)
}

// mayMake returns an error if no more changes of an agent are made within the hour: its own, and those
// that it proposed.
func (a *Acceptance) mayMake(e *library.Tx, agent string) error {
	had, err := library.Kept[keptCalls](a.v).lately(e.VaultTx, agent, e.Now)
	if err != nil {
		return err
	}
	accepted, err := acceptedSince(e.VaultTx, agent, memory.At(e.Now.Add(-time.Hour)))
	if err == nil && had.written+accepted+a.made[agent] >= mostWritten {
		err = errWritesSpent(agent)
	}
	return err
}

// acceptedSince counts the changes that an agent proposed and that were accepted since a time, as far as
// they were not undone.
func acceptedSince(tx *vault.Tx, agent string, since memory.Time) (n int, err error) {
	for h, err := range library.ChangeHeads(tx) {
		if err != nil {
			return n, err
		}
		if h.Kind != library.AcceptKind || h.At.Compare(since) < 0 {
			continue
		}
		accepted, err := library.ProposalsBefore(tx, h)
		if err != nil {
			return n, err
		}
		for _, p := range accepted {
			if p.By == agent && p.Change != nil {
				n++
			}
		}
	}
	return n, nil
}

// CountAccepted counts proposals of agents that the person accepted.
func CountAccepted(e *library.Tx, accepted []library.Proposal) error {
	for _, p := range accepted {
		if err := count(e, p.By, func(a *Agent) { a.Accepted++ }); err != nil {
			return err
		}
	}
	return nil
}

// errStands says why a proposed change cannot be accepted.
func errStands(why Standing, agent string) error {
	switch why {
	case StandsGone:
		return fault.New(fault.Conflict, "change-gone", "A memory that {name} proposes to change is no longer in the vault.").With("name", agent).Advise("Reject the proposal.")
	case StandsInactive:
		return fault.New(fault.Conflict, "change-inactive", "A memory that {name} proposes to change is not active any more.").With("name", agent).
			Advise("Reject the proposal. If you agree with it still, change the memory yourself.")
	case StandsChanged:
		return fault.New(fault.Conflict, "change-changed", "A memory has changed since {name} proposed to change it.").With("name", agent).
			Advise("Reject the proposal. If you agree with it still, change the memory yourself.")
	case StandsHidden:
		return fault.New(fault.Conflict, "change-hidden", "{name} is not shown all of a memory any more, so it cannot change its content.").With("name", agent).
			Advise("Reject the proposal. If you agree with it still, change the memory yourself.")
	}
	return fault.New(fault.Conflict, "change-outside", "{name} may not see a memory any more that it proposes to change.").With("name", agent).
		Advise("Reject the proposal. If you agree with it still, change the memory yourself.")
}
