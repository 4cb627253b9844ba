package bridge

import (
	"context"

	"keepsake/backend/core"
	"keepsake/backend/memory"
)

// CircleView is a circle: who may be given which memories.
type CircleView struct {
	Entity      string   `json:"entity"` // names it for ever
	Name        string   `json:"name"`
	Types       []string `json:"types"` // what it is filled with: memories that have one of each list that is not empty
	Tags        []string `json:"tags"`
	Domains     []string `json:"domains"`
	Topics      []string `json:"topics"`
	Without     []string `json:"without"` // sensitive topics that do not leave for it, but for what was put in by hand
	Members     int      `json:"members"`
	Unconfirmed int      `json:"unconfirmed"` // memories that a document of somebody else puts into it
}

// CirclesView is all circles by name, and what is in none and in all of them.
type CirclesView struct {
	Circles []CircleView `json:"circles"`
	Nobody  int          `json:"nobody"` // memories that never leave
	Public  int          `json:"public"` // memories in every circle
}

// CirclePreviewView is what of a circle leaves now, and what stays.
type CirclePreviewView struct {
	Circle  CircleView  `json:"circle"`
	Leaves  int         `json:"leaves"`
	Stays   []CountView `json:"stays"`   // by reason: "sensitive", "status", "not-exportable"
	Topics  []CountView `json:"topics"`  // of those that stay because they are sensitive
	ByWords int         `json:"byWords"` // members of which only the words were looked at so far
	Waiting int         `json:"waiting"` // memories that fit and are not in it
}

// CircleEditView is what is set of a circle.
type CircleEditView struct {
	Name    string   `json:"name"`
	Types   []string `json:"types"`
	Tags    []string `json:"tags"`
	Domains []string `json:"domains"`
	Topics  []string `json:"topics"`
	Without []string `json:"without"`
}

func (v CircleEditView) rule() core.CircleRule {
	return core.CircleRule{Types: typed[memory.Type](v.Types), Tags: v.Tags, Domains: v.Domains, Topics: typed[core.SensitiveTopic](v.Topics)}
}

func circleView(c core.Circle) CircleView {
	return CircleView{
		Entity: c.Entity, Name: c.Name, Types: words(c.Rule.Types), Tags: words(c.Rule.Tags), Domains: words(c.Rule.Domains),
		Topics: words(c.Rule.Topics), Without: words(c.Without),
	}
}

func listedCircleView(c core.ListedCircle) CircleView {
	view := circleView(c.Circle)
	view.Members, view.Unconfirmed = c.Members, c.Unconfirmed
	return view
}

// Circles lists all circles.
func (l *Library) Circles() (CirclesView, error) {
	return call(l.k, func(ctx context.Context) (CirclesView, error) {
		all, err := l.k.core.Circles(ctx)
		return CirclesView{list(all.Circles, listedCircleView), all.Nobody, all.Public}, err
	})
}

// PreviewCircle says what of a circle leaves now.
func (l *Library) PreviewCircle(circle string) (CirclePreviewView, error) {
	return call(l.k, func(ctx context.Context) (CirclePreviewView, error) {
		p, err := l.k.core.PreviewCircle(ctx, circle)
		view := CirclePreviewView{circleView(p.Circle), p.Leaves, tally(p.Stays), tally(p.ByTopic), p.ByWords, p.Waiting}
		view.Circle.Members = p.Members
		return view, err
	})
}

// MakeCircle makes a circle without members.
func (l *Library) MakeCircle(edit CircleEditView) (CircleView, error) {
	return call(l.k, func(ctx context.Context) (CircleView, error) {
		c, err := l.k.core.MakeCircle(ctx, core.Circle{Name: edit.Name, Rule: edit.rule(), Without: typed[core.SensitiveTopic](edit.Without)})
		return circleView(c), err
	})
}

// EditCircle changes all that is set of a circle.
func (l *Library) EditCircle(circle string, edit CircleEditView) (CircleView, error) {
	return call(l.k, func(ctx context.Context) (CircleView, error) {
		c, err := l.k.core.EditCircle(ctx, circle, core.CircleEdit{Name: &edit.Name, Rule: new(edit.rule()), Without: new(typed[core.SensitiveTopic](edit.Without))})
		return circleView(c), err
	})
}

// DropCircle deletes a circle; it returns how many memories were taken out.
func (l *Library) DropCircle(circle string) (int, error) {
	return call(l.k, func(ctx context.Context) (int, error) {
		done, err := l.k.core.DropCircle(ctx, circle)
		return done.Changed, err
	})
}

// JoinCircle puts memories into a circle, or takes them out; it returns how many changed.
func (l *Library) JoinCircle(circle string, ids []string, in bool) (int, error) {
	return call(l.k, func(ctx context.Context) (int, error) {
		done, err := l.k.core.JoinCircle(ctx, circle, ids, in)
		return done.Changed, err
	})
}

// FillCircle puts in what fits; it returns how many memories that were.
func (l *Library) FillCircle(circle string) (int, error) {
	return call(l.k, func(ctx context.Context) (int, error) {
		done, err := l.k.core.FillCircle(ctx, circle)
		return done.Changed, err
	})
}

// ConfirmCircle puts in what only documents of somebody else put there; it returns how many
// memories that were.
func (l *Library) ConfirmCircle(circle string) (int, error) {
	return call(l.k, func(ctx context.Context) (int, error) {
		done, err := l.k.core.ConfirmCircle(ctx, circle)
		return done.Changed, err
	})
}

// MembershipView is a circle that a memory is in.
type MembershipView struct {
	Entity string `json:"entity"`
	Name   string `json:"name"`
	// Stays is why the memory does not leave for it: "" if it does, "sensitive", "status",
	// "not-exportable", or "unconfirmed" where only a document of somebody else put it in.
	Stays string `json:"stays"`
}

// CirclesOf lists the circles that a memory is in.
func (l *Library) CirclesOf(id string) ([]MembershipView, error) {
	return call(l.k, func(ctx context.Context) ([]MembershipView, error) {
		all, err := l.k.core.CirclesOf(ctx, id)
		return list(all, func(m core.Membership) MembershipView { return MembershipView(m) }), err
	})
}
