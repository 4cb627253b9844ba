package bridge

import (
	"cmp"
	"context"

	"keepsake/backend/core"
	"keepsake/backend/memory"
)

// AgentGrantView is what an agent may do.
type AgentGrantView struct {
	Circle        string   `json:"circle"`        // entity; "": none, so nothing may be read
	Permissions   []string `json:"permissions"`   // of "read", "propose", "write" and "delete"
	Conversations string   `json:"conversations"` // "none", "titles" or "all"
	Memories      int      `json:"memories"`      // an hour; 0: no limit
	Bytes         int      `json:"bytes"`         // of answers an hour; 0: no limit
	Until         string   `json:"until"`         // "": until it is taken back
	Types         []string `json:"types"`         // of the circle only these
	Tags          []string `json:"tags"`
	Platforms     []string `json:"platforms"`
	Projects      []string `json:"projects"`
	CreatedSince  string   `json:"createdSince"`  // "": no bound
	CreatedBefore string   `json:"createdBefore"` // "": no bound
	Unredacted    bool     `json:"unredacted"`
}

// AgentView is a program that asked for memories, under a name that it gave itself.
type AgentView struct {
	Name       string              `json:"name"`
	State      string              `json:"state"` // "waiting", "allowed" or "refused"
	Paused     bool                `json:"paused"`
	FirstAsk   string              `json:"firstAsk"`
	LastCall   string              `json:"lastCall"` // "": none is kept
	Calls      int                 `json:"calls"`    // as far as they are kept
	Memories   int                 `json:"memories"` // in the answers to them
	Refused    int                 `json:"refused"`
	Proposed   int                 `json:"proposed"` // memories and changes
	Accepted   int                 `json:"accepted"` // of these
	CircleName string              `json:"circleName"`
	Grant      AgentGrantView      `json:"grant"`
	Forgets    []ForgetRequestView `json:"forgets"` // the oldest first
}

// ForgetRequestView is what an agent asked to have forgotten.
type ForgetRequestView struct {
	Token string   `json:"token"`
	At    string   `json:"at"`
	IDs   []string `json:"ids"` // of the memories that are still there
}

// AgentCallView is one call of an agent.
type AgentCallView struct {
	Number   int64  `json:"number"`
	Agent    string `json:"agent"`
	At       string `json:"at"`
	Tool     string `json:"tool"`
	Memories int    `json:"memories"`
	Bytes    int    `json:"bytes"`
	Refused  string `json:"refused"` // reason of the fault, "" if it was answered
}

// AgentCallQueryView selects calls; "" is any, Limit 0 is 100.
type AgentCallQueryView struct {
	Agent   string `json:"agent"`
	Memory  string `json:"memory"` // that was in the answer
	Tool    string `json:"tool"`
	Outcome string `json:"outcome"` // "answered" or "refused"
	Since   string `json:"since"`
	Until   string `json:"until"`
	Offset  int    `json:"offset"`
	Limit   int    `json:"limit"`
}

// AgentCallGivenView is what was in the answer to a call, at most 100 of the memories, and how many
// are in the vault still and no longer.
type AgentCallGivenView struct {
	Memories []GivenMemoryView `json:"memories"`
	Total    int               `json:"total"`
	Gone     int               `json:"gone"`
}

// GivenMemoryView is the beginning of a memory.
type GivenMemoryView struct {
	ID      string `json:"id"`
	Content string `json:"content"`
	Clipped bool   `json:"clipped"`
}

// AgentCallsView is a page of calls, newest first.
type AgentCallsView struct {
	Items []AgentCallView `json:"items"`
	Total int             `json:"total"`
}

// AgentsEventView is the payload of the event "agents": an agent asked, was answered or refused.
type AgentsEventView struct{}

func agentView(a core.ListedAgent) AgentView {
	g := a.Grant
	return AgentView{
		Name: a.Name, State: string(a.State), Paused: a.Paused, FirstAsk: a.FirstAsk.String(), LastCall: a.LastCall.String(), Calls: a.Calls, Memories: a.Memories, Refused: a.Refused, Proposed: a.Proposed, Accepted: a.Accepted,
		CircleName: a.CircleName, Grant: AgentGrantView{
			Circle: g.Circle, Permissions: words(g.Permissions), Conversations: string(g.Conversations), Memories: g.Memories, Bytes: g.Bytes, Until: g.Until.String(),
			Types: words(g.Scope.Types), Tags: words(g.Scope.Tags), Platforms: words(g.Scope.Platforms), Projects: words(g.Scope.Projects), Unredacted: g.Unredacted,
			CreatedSince: g.Scope.Since.String(), CreatedBefore: g.Scope.Until.String(),
		},
		Forgets: list(a.Forgets, func(r core.ForgetRequest) ForgetRequestView { return ForgetRequestView{r.Token, r.At.String(), r.IDs} }),
	}
}

func (v AgentGrantView) grant() (core.AgentGrant, error) {
	until, err := instant(v.Until)
	since, notSince := instant(v.CreatedSince)
	before, notBefore := instant(v.CreatedBefore)
	return core.AgentGrant{
		Circle: v.Circle, Permissions: typed[core.AgentPermission](v.Permissions), Conversations: core.AgentConversations(v.Conversations),
		Memories: v.Memories, Bytes: v.Bytes, Until: memory.At(until), Unredacted: v.Unredacted,
		Scope: core.AgentScope{Types: v.Types, Tags: v.Tags, Platforms: v.Platforms, Projects: v.Projects, Since: memory.At(since), Until: memory.At(before)},
	}, cmp.Or(err, notSince, notBefore)
}

// Agents lists the agents that asked: those that wait for an answer first.
func (l *Library) Agents() ([]AgentView, error) {
	return call(l.k, func(ctx context.Context) ([]AgentView, error) {
		all, err := l.k.core.Agents(ctx)
		return list(all, agentView), err
	})
}

// AllowAgent gives an agent a grant, in place of the one that it had.
func (l *Library) AllowAgent(name string, grant AgentGrantView) error {
	return do(l.k, func(ctx context.Context) error {
		g, err := grant.grant()
		if err == nil {
			_, err = l.k.core.AllowAgent(ctx, name, g)
		}
		return err
	})
}

// RefuseAgent answers an agent that it may nothing.
func (l *Library) RefuseAgent(name string) error {
	return do(l.k, func(ctx context.Context) error {
		_, err := l.k.core.RefuseAgent(ctx, name)
		return err
	})
}

// PauseAgents lets one agent, or all for "", ask for nothing until they may go on.
func (l *Library) PauseAgents(name string, on bool) error {
	return do(l.k, func(ctx context.Context) error { return l.k.core.PauseAgents(ctx, name, on) })
}

// RemoveAgent forgets an agent with its grant.
func (l *Library) RemoveAgent(name string) error {
	return do(l.k, func(ctx context.Context) error { return l.k.core.RemoveAgent(ctx, name) })
}

// DeclineForget keeps what an agent asked to have forgotten.
func (l *Library) DeclineForget(token string) error {
	return do(l.k, func(ctx context.Context) error { return l.k.core.DeclineForget(ctx, token) })
}

// AgentCalls lists calls, the newest first.
func (l *Library) AgentCalls(query AgentCallQueryView) (AgentCallsView, error) {
	return call(l.k, func(ctx context.Context) (AgentCallsView, error) {
		since, err := instant(query.Since)
		until, notUntil := instant(query.Until)
		if err = cmp.Or(err, notUntil); err != nil {
			return AgentCallsView{}, err
		}
		page, err := l.k.core.AgentCalls(ctx, core.AgentCallQuery{
			Agent: query.Agent, Memory: query.Memory, Tool: query.Tool, Outcome: core.AgentCallOutcome(query.Outcome),
			Since: memory.At(since), Until: memory.At(until), Offset: query.Offset, Limit: query.Limit,
		})
		return AgentCallsView{list(page.Items, func(c core.AgentCall) AgentCallView {
			return AgentCallView{int64(c.Number), c.Agent, c.At.String(), c.Tool, c.Memories, c.Bytes, c.Refused}
		}), page.Total}, err
	})
}

// AgentCallGave lists the memories in the answer to a call.
func (l *Library) AgentCallGave(number int64) (AgentCallGivenView, error) {
	return call(l.k, func(ctx context.Context) (AgentCallGivenView, error) {
		given, err := l.k.core.AgentCallGave(ctx, uint64(max(number, 0)))
		return AgentCallGivenView{list(given.Memories, func(m core.AgentGivenMemory) GivenMemoryView {
			return GivenMemoryView{m.ID, m.Content, m.Cut}
		}), given.Total, given.Gone}, err
	})
}
