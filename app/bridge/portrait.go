package bridge

import (
	"context"

	"keepsake/backend/core"
	"keepsake/backend/memory"
)

// Portrait is what the memories say of the person, and what the person says of them.
type Portrait struct{ k *kit }

// PortraitView is the first sentences of each chapter.
type PortraitView struct {
	Chapters []PortraitPartView `json:"chapters"`
	Total    int                `json:"total"`
	Left     int                `json:"left"` // sentences that are not reviewed yet
}

// PortraitPartView is a chapter, or some sentences of it.
type PortraitPartView struct {
	Chapter   string         `json:"chapter"`
	Total     int            `json:"total"`
	Left      int            `json:"left"`
	Sentences []SentenceView `json:"sentences"` // at most 200
}

// SentenceView is an active memory, with those that say the same.
type SentenceView struct {
	ID        string   `json:"id"`
	Content   string   `json:"content"`
	Clipped   bool     `json:"clipped"` // the content is longer
	Type      string   `json:"type"`
	Platforms []string `json:"platforms"`
	Told      int      `json:"told"` // how often
	CreatedAt string   `json:"createdAt"`
	Reviewed  bool     `json:"reviewed"`
	Stays     bool     `json:"stays"` // leaves in nothing
	Moved     bool     `json:"moved"` // the person chose the chapter
	Also      []string `json:"also"`  // ids of memories that say the same
}

// mostSentences is how many sentences of a chapter a page gets at once.
const mostSentences = 200

// Read returns the first sentences of each chapter.
func (p *Portrait) Read() (PortraitView, error) {
	return call(p.k, func(ctx context.Context) (PortraitView, error) {
		read, err := p.k.core.Portrait(ctx, core.PortraitQuery{})
		return PortraitView{Chapters: list(read.Chapters, partView), Total: read.Total, Left: read.Left}, err
	})
}

// Chapter returns up to 200 sentences of a chapter, after the first offset of them.
func (p *Portrait) Chapter(name string, offset int) (PortraitPartView, error) {
	return call(p.k, func(ctx context.Context) (PortraitPartView, error) {
		read, err := p.k.core.Portrait(ctx, core.PortraitQuery{Chapter: name, Offset: offset, Limit: mostSentences})
		if err != nil || len(read.Chapters) == 0 {
			return PortraitPartView{Chapter: name, Sentences: []SentenceView{}}, err
		}
		return partView(read.Chapters[0]), nil
	})
}

func partView(part core.PortraitPart) PortraitPartView {
	return PortraitPartView{Chapter: part.Chapter.String(), Total: part.Total, Left: part.Left, Sentences: list(part.Sentences, sentenceView)}
}

func sentenceView(s core.Sentence) SentenceView {
	content, clipped := clip(s.Content, maxRowText)
	return SentenceView{
		ID: s.ID, Content: content, Clipped: clipped, Type: string(s.Type), Platforms: words(s.Platforms), Told: s.Told,
		CreatedAt: s.CreatedAt.String(), Reviewed: s.Reviewed, Stays: s.Stays, Moved: s.Moved, Also: words(s.Also),
	}
}

// Confirm notes that memories are true as they are, and returns how many were not reviewed before.
func (p *Portrait) Confirm(ids []string) (int, error) {
	return p.many(func(ctx context.Context) (core.ManyChanged, error) { return p.k.core.ConfirmMemories(ctx, ids) })
}

// Retract retracts memories that are wrong.
func (p *Portrait) Retract(ids []string) (int, error) {
	return p.many(func(ctx context.Context) (core.ManyChanged, error) {
		return p.k.core.EditMany(ctx, core.ManyEdit{IDs: ids, Status: memory.Retracted})
	})
}

// Keep lets memories leave in nothing, or again.
func (p *Portrait) Keep(ids []string, stays bool) (int, error) {
	leaves := !stays
	return p.many(func(ctx context.Context) (core.ManyChanged, error) {
		return p.k.core.EditMany(ctx, core.ManyEdit{IDs: ids, Exportable: &leaves})
	})
}

// Move puts memories into a chapter; "" lets the program choose it again.
func (p *Portrait) Move(ids []string, chapter string) (int, error) {
	return p.many(func(ctx context.Context) (core.ManyChanged, error) { return p.k.core.MoveMemories(ctx, ids, chapter) })
}

func (p *Portrait) many(change func(context.Context) (core.ManyChanged, error)) (int, error) {
	return call(p.k, func(ctx context.Context) (int, error) {
		n, err := change(ctx)
		return n.Changed, err
	})
}

// End says that a memory is not true any more, since a day ("" where it is unknown); what holds
// instead ("" for nothing) supersedes it.
func (p *Portrait) End(id, since, instead string) error {
	return do(p.k, func(ctx context.Context) error {
		from, err := instant(since)
		if err != nil {
			return err
		}
		_, err = p.k.core.EndMemory(ctx, id, core.Ending{Since: from, Instead: instead})
		return err
	})
}

// SplittingView is the single facts that a memory may be split into; none where it is one fact.
type SplittingView struct {
	Facts []string `json:"facts"`
}

// PlanSplit returns the facts that an active memory may be split into.
func (p *Portrait) PlanSplit(id string) (SplittingView, error) {
	return call(p.k, func(ctx context.Context) (SplittingView, error) {
		plan, err := p.k.core.PlanSplit(ctx, id)
		return SplittingView{words(plan.Facts)}, err
	})
}

// Split makes a memory of each fact of an active one, which is archived, and returns how many there are.
func (p *Portrait) Split(id string, facts []string) (int, error) {
	return call(p.k, func(ctx context.Context) (int, error) {
		parts, err := p.k.core.SplitMemory(ctx, id, facts)
		return len(parts), err
	})
}

// PortraitNewsView is what the newest export of an account says that the one before did not.
type PortraitNewsView struct {
	Platform string         `json:"platform"`
	Account  string         `json:"account"` // "": the export names none
	Since    string         `json:"since"`   // up to when the export before told
	Left     int            `json:"left"`    // sentences in it that are not reviewed yet
	Learned  StatementsView `json:"learned"`
	Changed  StatementsView `json:"changed"`
	Dropped  StatementsView `json:"dropped"`
}

// StatementsView is a list of sentences, or some of it.
type StatementsView struct {
	Total int             `json:"total"`
	First []StatementView `json:"first"`
}

// StatementView is a sentence of an export.
type StatementView struct {
	ID       string `json:"id"`
	Content  string `json:"content"`
	Before   string `json:"before"` // of one that changed
	Clipped  bool   `json:"clipped"`
	Status   string `json:"status"`
	Reviewed bool   `json:"reviewed"`
}

// PortraitDeletionsView is what to ask an assistant to forget.
type PortraitDeletionsView struct {
	Platform string          `json:"platform"`
	Account  string          `json:"account"`
	Exported string          `json:"exported"` // up to when its newest export tells
	Total    int             `json:"total"`
	First    []StatementView `json:"first"`
}

// PortraitListView names a list of an account, of which more is read.
type PortraitListView struct {
	Platform string `json:"platform"`
	Account  string `json:"account"`
	List     string `json:"list"` // "learned", "changed", "dropped"; "" for what is to be deleted
	Offset   int    `json:"offset"`
}

// query asks for up to 200 of a list, or for the first of all.
func (l PortraitListView) query() core.NewsQuery {
	q := core.NewsQuery{Platform: l.Platform, Account: l.Account, List: l.List, Offset: l.Offset}
	if l.Platform != "" {
		q.Limit = mostSentences
	}
	return q
}

// News returns the first sentences of each list of each account; where a platform is named, up to
// 200 of one list, after the first offset of them.
func (p *Portrait) News(of PortraitListView) ([]PortraitNewsView, error) {
	return call(p.k, func(ctx context.Context) ([]PortraitNewsView, error) {
		news, err := p.k.core.PortraitNews(ctx, of.query())
		return list(news, func(n core.PortraitNews) PortraitNewsView {
			return PortraitNewsView{
				Platform: n.Platform, Account: n.Account, Since: n.Since.String(), Left: n.Left,
				Learned: statementsView(n.Learned), Changed: statementsView(n.Changed), Dropped: statementsView(n.Dropped),
			}
		}), err
	})
}

// ToDelete returns in the same way what to ask assistants to forget.
func (p *Portrait) ToDelete(of PortraitListView) ([]PortraitDeletionsView, error) {
	return call(p.k, func(ctx context.Context) ([]PortraitDeletionsView, error) {
		there, err := p.k.core.PortraitDeletions(ctx, of.query())
		return list(there, func(d core.PortraitDeletions) PortraitDeletionsView {
			return PortraitDeletionsView{Platform: d.Platform, Account: d.Account, Exported: d.Exported.String(), Total: d.Total, First: list(d.First, statementView)}
		}), err
	})
}

// Asked notes that the person asked a platform to forget memories.
func (p *Portrait) Asked(platform string, ids []string) (int, error) {
	return p.many(func(ctx context.Context) (core.ManyChanged, error) { return p.k.core.MarkAsked(ctx, platform, ids) })
}

func statementsView(s core.Statements) StatementsView {
	return StatementsView{Total: s.Total, First: list(s.First, statementView)}
}

func statementView(s core.Statement) StatementView {
	content, clipped := clip(s.Content, maxRowText)
	before, less := clip(s.Before, maxRowText)
	return StatementView{ID: s.ID, Content: content, Before: before, Clipped: clipped || less, Status: string(s.Status), Reviewed: s.Reviewed}
}
