package bridge

import (
	"context"

	"keepsake/backend/core"
	"keepsake/backend/memory"
)

// Inbox is what was found in conversations and waits for the person's decision.
type Inbox struct{ k *kit }

// ProposalView is a sentence of the person's own that may become a memory.
type ProposalView struct {
	ID             string   `json:"id"`
	Type           string   `json:"type"`
	Content        string   `json:"content"`
	Rule           string   `json:"rule"`
	Confidence     float64  `json:"confidence"` // 0..1
	Platform       string   `json:"platform"`
	ConversationID string   `json:"conversationId"`
	MessageID      string   `json:"messageId"`
	SaidAt         string   `json:"saidAt"`    // "" when unknown
	By             string   `json:"by"`        // agent that proposed it, "" for a sentence of the person
	Tags           []string `json:"tags"`      // that the agent gave it
	Reason         string   `json:"reason"`    // in the agent's words
	Instructs      bool     `json:"instructs"` // it tells an assistant what to do
	// Change is what the agent would do with memories; content is empty then.
	Change *ProposedChangeView `json:"change,omitempty"`
}

// ProposedChangeView is a change of memories that an agent proposes, and the memories as they are now.
type ProposedChangeView struct {
	Kind     string              `json:"kind"`     // "update", "retract" or "relate"
	Standing string              `json:"standing"` // why it cannot be accepted: "gone", "inactive", "changed", "outside" or "hidden"; "" if it can
	Memories []ChangedMemoryView `json:"memories"` // of "relate" from and to; only those that are still there
	Content  string              `json:"content"`  // new; "": as it is
	Type     string              `json:"type"`     // new; "": as it is
	Tags     []string            `json:"tags"`     // new
	Retags   bool                `json:"retags"`   // tags would change
	Relation string              `json:"relation"`
}

// ChangedMemoryView is a memory that a proposed change is about.
type ChangedMemoryView struct {
	ID         string   `json:"id"`
	Type       string   `json:"type"`
	CustomType string   `json:"customType"`
	Status     string   `json:"status"`
	Content    string   `json:"content"`
	Clipped    bool     `json:"clipped"`
	Tags       []string `json:"tags"`
}

// InboxView is what waits, at most 200 at once, the surest first.
type InboxView struct {
	Allowed bool           `json:"allowed"` // looking for proposals is switched on
	Total   int            `json:"total"`
	Items   []ProposalView `json:"items"`
}

// NearView is a memory that is similar to a proposal, in its words, its meaning or both.
type NearView struct {
	ID      string  `json:"id"`
	Content string  `json:"content"`
	Status  string  `json:"status"`
	Words   float64 `json:"words"`   // share of common words, 0..1; 0: few or none
	Meaning float64 `json:"meaning"` // similarity of meaning, 0..1; 0: not close, or not compared
}

// ProposalEditView changes a proposal while it is accepted; "" leaves as it is.
type ProposalEditView struct {
	Content string   `json:"content"`
	Type    string   `json:"type"`
	Tags    []string `json:"tags"`
}

// LookedView says what looking through conversations came to.
type LookedView struct {
	Conversations int `json:"conversations"`
	Messages      int `json:"messages"`
	New           int `json:"new"`
	Rejected      int `json:"rejected"` // sentences that say the same as a rejected proposal, in other words
	Flagged       int `json:"flagged"`  // messages that try to command an assistant
}

// mostProposals is how many of the Inbox a page gets at once.
const mostProposals = 200

// List returns what waits: "memories" that would be new, "changes" of those that are there, or "" for
// both; of "total" it returns the count alone, for which no memory and no circle is looked at.
func (i *Inbox) List(about string) (InboxView, error) {
	return call(i.k, func(ctx context.Context) (InboxView, error) {
		allowed, err := i.k.core.Proposing(ctx)
		if err != nil {
			return InboxView{}, err
		}
		query := core.ProposalQuery{About: core.ProposalAbout(about), Limit: mostProposals}
		if about == "total" {
			query = core.ProposalQuery{}
		}
		page, err := i.k.core.Proposals(ctx, query)
		if err != nil || about == "total" {
			return InboxView{Allowed: allowed, Total: page.Total, Items: []ProposalView{}}, err
		}
		changes, err := i.k.core.ProposedChanges(ctx, list(page.Items, func(p core.Proposal) string { return p.ID }))
		return InboxView{Allowed: allowed, Total: page.Total, Items: proposalViews(page.Items, changes)}, err
	})
}

// How much text of memories that would change a page gets: of one, and in all.
const (
	longestChanged = 8_000
	changedText    = budget(200_000)
)

func proposalViews(items []core.Proposal, changes map[string]core.ProposedChangeNow) []ProposalView {
	room := changedText
	return list(items, func(p core.Proposal) ProposalView {
		view := proposalView(p)
		if now, ok := changes[p.ID]; ok {
			view.Change = changeProposedView(*p.Change, now, &room)
		}
		return view
	})
}

func changeProposedView(c core.ProposedChange, now core.ProposedChangeNow, room *budget) *ProposedChangeView {
	view := ProposedChangeView{Kind: string(c.Kind), Standing: string(now.Standing), Relation: string(c.Relation), Tags: []string{}, Retags: c.Tags != nil}
	if c.Content != nil {
		view.Content = *c.Content
	}
	if c.Type != nil {
		view.Type = string(*c.Type)
	}
	if c.Tags != nil {
		view.Tags = *c.Tags
	}
	view.Memories = list(now.Memories, func(r memory.Record) ChangedMemoryView {
		m := ChangedMemoryView{ID: r.ID, Type: string(r.Type), CustomType: r.CustomType, Status: string(r.Status), Tags: words(r.Tags)}
		m.Content, m.Clipped = room.take(r.Content, longestChanged)
		return m
	})
	return &view
}

func proposalView(p core.Proposal) ProposalView {
	return ProposalView{
		ID: p.ID, Type: string(p.Type), Content: p.Content, Rule: p.Rule, Confidence: p.Confidence,
		Platform: p.Platform, ConversationID: p.ConversationID, MessageID: p.MessageID, SaidAt: p.SaidAt.String(), By: p.By, Tags: words(p.Tags), Reason: p.Reason, Instructs: p.Instructs,
	}
}

// Near lists the memories that are similar to a proposal, the most similar first.
func (i *Inbox) Near(id string) ([]NearView, error) {
	return call(i.k, func(ctx context.Context) ([]NearView, error) {
		near, err := i.k.core.NearMemories(ctx, id)
		return list(near, func(m core.NearMemory) NearView { return NearView(m) }), err
	})
}

// Accept makes a proposal a memory.
func (i *Inbox) Accept(id string, edit ProposalEditView) (MemoryView, error) {
	return call(i.k, func(ctx context.Context) (MemoryView, error) {
		wanted := core.ProposalEdit{Tags: edit.Tags}
		if edit.Content != "" {
			wanted.Content = &edit.Content
		}
		if edit.Type != "" {
			wanted.Type = (*memory.Type)(&edit.Type)
		}
		r, err := i.k.core.AcceptProposal(ctx, id, wanted)
		return i.k.memory(ctx, r.ID, err)
	})
}

// AcceptAll makes proposals memories as they are, in one change.
func (i *Inbox) AcceptAll(ids []string) (int, error) {
	return call(i.k, func(ctx context.Context) (int, error) { return i.k.core.AcceptProposals(ctx, ids) })
}

// Reject takes proposals out of the Inbox; they do not come again.
func (i *Inbox) Reject(ids []string) (int, error) {
	return call(i.k, func(ctx context.Context) (int, error) { return i.k.core.RejectProposals(ctx, ids) })
}

// Merge counts a proposal as said once more of a memory.
func (i *Inbox) Merge(id, into string) (MemoryView, error) {
	return call(i.k, func(ctx context.Context) (MemoryView, error) {
		r, err := i.k.core.MergeProposal(ctx, id, into)
		return i.k.memory(ctx, r.ID, err)
	})
}

// Allow switches looking for proposals on, and looks, or off.
func (i *Inbox) Allow(on bool) (LookedView, error) {
	return call(i.k, func(ctx context.Context) (LookedView, error) {
		if err := i.k.core.AllowProposing(ctx, on); err != nil || !on {
			return LookedView{}, err
		}
		looked, err := i.k.core.LookThrough(ctx, nil)
		return LookedView{Conversations: looked.Conversations, Messages: looked.Messages, New: looked.New, Rejected: looked.Rejected, Flagged: looked.Flagged}, err
	})
}
