package agents

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/extract"
	"keepsake/backend/fault"
	"keepsake/backend/format/personal"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// Suggestion is a memory that an agent proposes.
type Suggestion struct {
	Content string
	Type    memory.Type // "": fact
	Tags    []string
	Reason  string // why, in the agent's words

	stored *library.StoredAs // of store_memory
}

// Proposed is what became of a suggestion.
type Proposed struct {
	ID     string `json:"id"`
	Status string `json:"status"` // proposed
	Near   []Item `json:"near"`   // memories that say something like it
}

// Bounds of what agents propose.
const (
	mostOpen       = 200   // proposals of one agent that wait in the Inbox
	longestWritten = 4_000 // bytes of the content of a memory that an agent proposes or changes
	longestReason  = 1_000
	mostNear       = 3
	mostAsked      = 40 // words of a proposal by which what is like it is looked for
	mostWritten    = 50 // memories within an hour: the person can undo the last 200 changes
)

// AgentPropose puts a suggestion into the Inbox, where the person accepts or rejects it.
func (s *Service) AgentPropose(ctx context.Context, name string, w Suggestion) (Proposed, error) {
	return answer(ctx, s, name, "propose_memory", Propose, func(ctx context.Context, q *question) (Proposed, error) {
		near := []Item{}
		if err := q.see(ctx, func(*sight) error { return nil }); err != nil {
			return Proposed{}, err
		}
		ids, err := s.suggest(ctx, q, w)
		if err != nil {
			return Proposed{}, err
		}
		hits, err := s.hits(ctx, q, Search{Text: bare(w.Content), Limit: mostNear})
		if err != nil { // what is like it cannot be looked for, which is no reason not to propose it
			return Proposed{ids[0], "proposed", near}, ctx.Err()
		}
		err = q.see(ctx, func(sees *sight) error {
			if err := sees.mayRead(mostNear, q.lib.Now()); fault.CodeOf(err) == fault.Refused {
				return nil
			} else if err != nil {
				return err
			}
			for _, h := range hits {
				row, err := sees.row(h.ID)
				if err != nil || !h.Close && h.Score < 1 {
					continue
				}
				it, err := sees.item(row, q.lib.Now(), longestContent)
				if err != nil {
					return err
				}
				near = append(near, it)
				q.give(row)
			}
			return nil
		})
		return Proposed{ids[0], "proposed", near}, err
	})
}

// bare is a text as a question, without what would be the syntax of a search.
func bare(text string) string {
	words := extract.Words(text)
	return strings.Join(words[:min(len(words), mostAsked)], " ")
}

// suggest stores proposals of an agent, all or none, and returns their ids: that of the proposal that
// waits already where one says the same.
func (s *Service) suggest(ctx context.Context, q *question, all ...Suggestion) ([]string, error) {
	reader, err := s.reader()
	if err != nil {
		return nil, err
	}
	var ids []string
	err = s.lib.Write(ctx, func(e *library.Tx) error {
		a, err := need(e.VaultTx, q.name)
		if err == nil {
			err = a.allows(Propose, e.Now)
		}
		if err != nil {
			return err
		}
		list := make([]library.Proposal, len(all))
		for i, w := range all {
			if list[i], err = w.proposal(e, q.name); err != nil {
				return err
			}
			list[i].Instructs = w.Type == memory.Instruction || instructs(reader, w.Content, w.Reason, strings.Join(w.Tags, " "))
		}
		ids, err = enqueue(e, q.name, list)
		return err
	})
	return ids, err
}

// enqueue puts proposals of an agent into the Inbox, but for those that wait there already or that the
// person has rejected. It returns their ids, of one that waits already the id of that.
func enqueue(e *library.Tx, agent string, list []library.Proposal) ([]string, error) {
	open, err := library.Proposals(e.VaultTx)
	if err != nil {
		return nil, err
	}
	open = slices.DeleteFunc(open, func(o library.Proposal) bool { return o.By != agent })
	waited, ids := len(open), make([]string, len(list))
	for i, p := range list {
		if at := slices.IndexFunc(open, func(o library.Proposal) bool { return o.Key() == p.Key() && o.Type == p.Type }); at >= 0 {
			ids[i] = open[at].ID
			continue
		}
		ids[i] = p.ID
		if isRejected(e.VaultTx, p) {
			continue // it is answered like any other, and asks the person for nothing
		}
		if len(open) >= mostOpen {
			return nil, fault.New(fault.TooLarge, "agent-inbox-full", "{limit} proposals of {name} wait already.").With("name", agent).With("limit", mostOpen).
				Advise("Ask the person to look at them in Keepsake first.")
		}
		if err := e.PutProposal(p); err != nil {
			return nil, err
		}
		open = append(open, p)
	}
	return ids, count(e, agent, func(a *Agent) { a.Proposed += len(open) - waited })
}

// count changes what is counted of an agent, if it was not removed.
func count(e *library.Tx, agent string, change func(*Agent)) error {
	all, err := agentsIn(e.VaultTx)
	a, ok := all[agent]
	if err != nil || !ok {
		return err
	}
	if change(&a); a.Proposed == all[agent].Proposed && a.Accepted == all[agent].Accepted {
		return nil
	}
	all[agent] = a
	return put(e, all)
}

// isRejected reports whether the person has rejected what a proposal says.
func isRejected(tx *vault.Tx, p library.Proposal) bool {
	id, known := tx.Linked(vault.Proposals, p.Key())
	return known && id == ""
}

// instructs reports whether a text tells an assistant what to do.
func instructs(reader *extract.Reader, texts ...string) bool {
	return slices.ContainsFunc(texts, func(text string) bool {
		_, flags := reader.Read(text)
		return len(flags) > 0
	})
}

func (w Suggestion) proposal(e *library.Tx, agent string) (library.Proposal, error) {
	if w.Type == "" {
		w.Type = memory.Fact
	}
	p := library.Proposal{
		ID: e.NewID(), By: agent, Type: w.Type, Content: strings.TrimSpace(w.Content), Tags: library.NormalizeTags(w.Tags), Reason: strings.TrimSpace(w.Reason),
		Platform: agent, SaidAt: e.Now, FoundAt: e.Now, Confidence: 1,
	}
	p.Reason, _ = cut(p.Reason, longestReason)
	if len(p.Content) > longestWritten {
		return p, errTooLong()
	}
	custom := ""
	if w.stored != nil {
		p.Stored, p.Platform = w.stored, cmp.Or(w.stored.Channel, agent)
		p.Type, custom = personal.TypeOf(w.stored.Category, w.stored.ContentType)
	}
	if w.Type == memory.Custom {
		return p, fault.New(fault.Invalid, "agent-custom-type", "An agent proposes no memory of a type of its own.").Advise("Leave the type out, or take one of those that PAM has.")
	}
	r := memory.Record{ID: p.ID, Type: p.Type, CustomType: custom, Content: p.Content, Status: memory.Active, Tags: p.Tags, Temporal: memory.Temporal{CreatedAt: e.Now}, Confidence: memory.Certain(1, memory.DecayNone),
		Provenance: memory.Provenance{Platform: p.Platform, ExtractionMethod: memory.LLMInference, ExtractedAt: e.Now, Extractor: library.Extractor}}
	return p, library.CheckRecord(r)
}

// Correction changes the fields of a memory that are not nil.
type Correction struct {
	Content *string
	Type    *memory.Type
	Tags    *[]string
}

// Done says whether a call changed something, or put it to the person.
type Done struct {
	Changed bool   `json:"changed"`
	Status  string `json:"status,omitempty"` // proposed
}

func errTooLong() error {
	return fault.New(fault.TooLarge, "agent-content-too-long", "What an agent proposes or changes has {limit} bytes at most.").With("limit", longestWritten)
}

// AgentUpdate changes a memory at once, which Undo takes back, or proposes that. A memory of which
// something is hidden from the agent keeps its content: what it was shown would take the place of what
// is there. A content that tells an assistant what to do is not written without the person.
func (s *Service) AgentUpdate(ctx context.Context, name, id string, c Correction) (Done, error) {
	change := library.ProposedChange{Kind: library.ToUpdate, Memories: []string{id}, Content: c.Content, Type: c.Type, Tags: c.Tags}
	return s.writing(ctx, name, "update_memory", change, func(ctx context.Context, shown []Item) (bool, error) { return s.correct(ctx, c, id, shown[0]) })
}

func (s *Service) correct(ctx context.Context, c Correction, id string, shown Item) (bool, error) {
	if c.Content != nil && *c.Content == shown.Content {
		c.Content = nil // what is hidden in it stays
	}
	if err := checkContent(c.Content, shown); err != nil {
		return false, err
	}
	if does, err := s.doesInstruct(c.Content, c.Type, shown); err != nil {
		return false, err
	} else if does {
		return false, errInstructs()
	}
	edited, err := s.edit.EditMemory(ctx, id, library.MemoryEdit{Content: c.Content, Type: c.Type, Tags: c.Tags})
	return edited.Changed, err
}

// checkContent returns an error if an agent may not put a content in place of that of a memory.
func checkContent(content *string, shown Item) error {
	switch {
	case content == nil:
		return nil
	case shown.Hidden > 0 || shown.Cut:
		return fault.New(fault.Refused, "agent-content-hidden", "A part of this memory is not shown to agents, so they cannot change its content.").
			Advise("Propose a memory instead.")
	case len(*content) > longestWritten:
		return errTooLong()
	}
	return nil
}

// doesInstruct reports whether a memory would tell an assistant what to do that does not now.
func (s *Service) doesInstruct(content *string, t *memory.Type, shown Item) (bool, error) {
	if t != nil && *t == memory.Instruction && shown.Type != memory.Instruction {
		return true, nil
	}
	if content == nil {
		return false, nil
	}
	reader, err := s.reader()
	return err == nil && instructs(reader, *content), err
}

func errInstructs() error {
	return fault.New(fault.Refused, "agent-instructs", "A memory that tells an assistant what to do is not written without the person.").
		Advise("Propose it instead.")
}

// AgentRetract retracts a memory at once, which Undo takes back, or proposes that.
func (s *Service) AgentRetract(ctx context.Context, name, id string) (Done, error) {
	change := library.ProposedChange{Kind: library.ToRetract, Memories: []string{id}}
	return s.writing(ctx, name, "retract_memory", change, func(ctx context.Context, _ []Item) (bool, error) {
		_, err := s.edit.SetStatus(ctx, id, memory.Retracted, "")
		return err == nil, err
	})
}

// AgentRelate adds a relation between two memories at once, which Undo takes back, or proposes that. It
// replaces none by another, because which of two is newer may depend on memories that the agent does not
// see.
func (s *Service) AgentRelate(ctx context.Context, name, from string, t memory.RelationType, to string) (Done, error) {
	change := library.ProposedChange{Kind: library.ToRelate, Memories: []string{from, to}, Relation: t}
	return s.writing(ctx, name, "relate_memories", change, func(ctx context.Context, _ []Item) (bool, error) {
		if err := checkRelation(t); err != nil {
			return false, err
		}
		_, err := s.edit.Relate(ctx, from, t, to)
		return err == nil, err
	})
}

// checkRelation returns an error if agents add no relations of a type.
func checkRelation(t memory.RelationType) error {
	if t == memory.Supersedes {
		return fault.New(fault.Refused, "agent-supersedes", "An agent does not replace one memory by another.").Advise("Correct or retract the older one.")
	}
	return nil
}

// writing makes a change of memories that the agent may see, and tells write how it sees them. If the
// agent may only propose, the change becomes a proposal.
func (s *Service) writing(ctx context.Context, name, tool string, change library.ProposedChange, write func(context.Context, []Item) (bool, error)) (Done, error) {
	permission := s.permissionToChange(ctx, name)
	return answer(ctx, s, name, tool, permission, func(ctx context.Context, q *question) (d Done, err error) {
		if permission == Propose {
			return s.proposeChange(ctx, q, change)
		}
		d.Changed, err = q.change(ctx, change.Memories, write)
		return d, err
	})
}

// permissionToChange is the permission by which an agent has memories changed; Write if it has none,
// or is not known: what follows refuses it then.
func (s *Service) permissionToChange(ctx context.Context, name string) Permission {
	a, err := library.ReadValue(ctx, s.lib, func(tx *vault.Tx) (Agent, error) { return need(tx, name) })
	if err == nil && slices.Contains(a.Grant.Permissions, Propose) && !slices.Contains(a.Grant.Permissions, Write) {
		return Propose
	}
	return Write
}

// change lets write change memories that the agent may see, under the name of the agent.
func (q *question) change(ctx context.Context, ids []string, write func(context.Context, []Item) (bool, error)) (changed bool, err error) {
	shown, may, err := q.lookTwice(ctx, Write, ids)
	if err != nil {
		return false, err
	}
	if changed, err = write(library.As(ctx, q.name, may), shown); changed {
		q.written++
	}
	return changed, err
}

// lookTwice is look, until two looks saw the same: a row may be newer than the set of what the agent may
// see, and one that the look before saw, too, is not.
func (q *question) lookTwice(ctx context.Context, by Permission, ids []string) (shown []Item, may func(*library.Tx) error, err error) {
	var before []*rows.Memory
	for range mostLooks {
		shown, list, may, err := q.look(ctx, by, ids)
		if err != nil || slices.Equal(list, before) {
			return shown, may, err
		}
		before = list
	}
	return nil, nil, errChanged()
}

// mostLooks is how often memories are looked at that are changed again and again.
const mostLooks = 10

// look returns memories as the agent sees them, with their rows, and the check that they are still so,
// if it may have them changed by a permission.
func (q *question) look(ctx context.Context, by Permission, ids []string) (shown []Item, list []*rows.Memory, may func(*library.Tx) error, err error) {
	err = q.see(ctx, func(sees *sight) error {
		if err := sees.agent.allows(by, q.lib.Now()); err != nil {
			return err
		}
		for _, id := range ids {
			row, err := sees.row(id)
			if err != nil {
				return err
			}
			it, err := sees.item(row, q.lib.Now(), largestOne)
			if err != nil {
				return err
			}
			shown, list = append(shown, it), append(list, row)
		}
		may = q.stillMay(sees.v, list)
		if by != Write {
			return nil
		}
		return sees.mayChange(1, q.lib.Now())
	})
	return shown, list, may, err
}

// mayChange returns an error if the agent may not change so many memories more within the hour.
func (s *sight) mayChange(more int, now memory.Time) error {
	had, err := library.Kept[keptCalls](s.v).lately(s.tx, s.agent.Name, now)
	if err == nil && had.written+more > mostWritten {
		err = errWritesSpent(s.agent.Name)
	}
	return err
}

func errWritesSpent(agent string) error {
	return fault.New(fault.Refused, "agent-writes-spent", "{name} may change {limit} memories within an hour, and no more now.").With("name", agent).With("limit", mostWritten)
}
