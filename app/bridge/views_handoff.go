package bridge

import "keepsake/backend/core"

// FindingsView is a window on what was found that looks like personal data or a
// secret.
type FindingsView struct {
	Items  []HideableView `json:"items"`
	Total  int            `json:"total"`
	Hidden int            `json:"hidden"`
	Kinds  []CountView    `json:"kinds"`
	Unread int            `json:"unread"` // conversations that were not looked through
}

// HideableView is one finding. Kept findings leave as they are.
type HideableView struct {
	ID     string `json:"id"`
	In     string `json:"in"`   // "memory", "conversation", "task" or "document"
	Kind   string `json:"kind"` // "email", "phone", …
	Text   string `json:"text"`
	Before string `json:"before"`
	After  string `json:"after"`
	Kept   bool   `json:"kept"`
}

// HandoffTargetView is an assistant. Training is "", "setting" or "trains".
type HandoffTargetView struct {
	Target   string             `json:"target"`
	Training string             `json:"training"`
	Parts    []HandoffLimitView `json:"parts"`
	Rules    HandoffRulesView   `json:"rules"`
}

// HandoffLimitView is how long a part may be. Source is "documented", "reported"
// or "ours"; Own where the person set it.
type HandoffLimitView struct {
	Name   string `json:"name"`
	Limit  int    `json:"limit"`
	Source string `json:"source"`
	Dated  string `json:"dated"`
	Own    bool   `json:"own"`
}

// HandoffRulesView say what one target may be given; no types means all.
type HandoffRulesView struct {
	Types       []string    `json:"types"`
	WithoutTags []string    `json:"withoutTags"`
	Projects    bool        `json:"projects"` // what was told for one project, too
	Limits      []CountView `json:"limits"`
}

// HandoffOptionsView of one hand-off. Redact is "" for the default, "on" or "off".
type HandoffOptionsView struct {
	Redact    string   `json:"redact"`
	Keep      []string `json:"keep"` // ids of findings, and kinds
	Addresses bool     `json:"addresses"`
	Part      string   `json:"part"` // "" = all
	For       string   `json:"for"`  // circle whose memories are told; "" = what the assistant may have
	// What follows holds for one text and is stored nowhere.
	Language string            `json:"language"` // of the headings, "" for the first of HandoffView.Languages
	Without  []string          `json:"without"`  // ids of memories that are left out
	Edits    []HandoffEditView `json:"edits"`
}

// HandoffEditView is what is said in place of a memory.
type HandoffEditView struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// HandoffView is what an assistant would be told.
type HandoffView struct {
	Target   string            `json:"target"`
	Training string            `json:"training"`
	File     string            `json:"file"`
	Parts    []HandoffPartView `json:"parts"`
	Memories int               `json:"memories"`
	Excluded []CountView       `json:"excluded"`
	Findings FindingsView      `json:"findings"`
	Language string            `json:"language"` // of the headings
	// Languages are those that headings can have.
	Languages []string `json:"languages"`
	// OtherLanguages counts the memories in it that are in another language.
	OtherLanguages []CountView   `json:"otherLanguages"`
	Sensitive      SensitiveView `json:"sensitive"` // of the memories that are told
}

// HandoffLineView is what a part says of one memory. A line that is not ticked is not in
// the text.
type HandoffLineView struct {
	ID        string `json:"id"`
	Heading   string `json:"heading"` // under which it stands
	Text      string `json:"text"`
	Ticked    bool   `json:"ticked"`
	Edited    bool   `json:"edited"`
	Shortened bool   `json:"shortened"` // only its first sentences
}

// HandoffPartView is one text of it. LeftOut is the first 200 of LeftOutTotal.
type HandoffPartView struct {
	Name         string            `json:"name"`
	Limit        int               `json:"limit"`
	Source       string            `json:"source"`
	Dated        string            `json:"dated"`
	Own          bool              `json:"own"`
	Follows      bool              `json:"follows"`
	Messages     []string          `json:"messages"`
	Lines        []HandoffLineView `json:"lines"`
	CodePoints   int               `json:"codePoints"`
	UTF16        int               `json:"utf16"`
	Taken        int               `json:"taken"`
	LeftOut      []LeftOutView     `json:"leftOut"`
	LeftOutTotal int               `json:"leftOutTotal"`
}

// LeftOutView is a memory that found no room; Reason is "no-room" or "too-long".
type LeftOutView struct {
	ID      string `json:"id"`
	Reason  string `json:"reason"`
	Content string `json:"content"`
}

func redaction(how string, keep []string, addresses bool) core.RedactionOptions {
	o := core.RedactionOptions{Keep: keep, Addresses: addresses}
	if how != "" {
		on := how == "on"
		o.Redact = &on
	}
	return o
}

func handoffOptions(v HandoffOptionsView) core.HandoffOptions {
	edits := map[string]string{}
	for _, e := range v.Edits {
		edits[e.ID] = e.Text
	}
	return core.HandoffOptions{RedactionOptions: redaction(v.Redact, v.Keep, v.Addresses), Part: v.Part, For: v.For, Language: v.Language, Without: v.Without, Edits: edits}
}

func findingsView(f core.Findings) FindingsView {
	return FindingsView{Items: list(f.Items, hideableView), Total: f.Total, Hidden: f.Hidden, Kinds: tally(f.ByKind), Unread: f.Unread}
}

func hideableView(f core.Found) HideableView {
	return HideableView{ID: f.ID, In: string(f.In), Kind: f.Kind, Text: f.Text, Before: f.Before, After: f.After, Kept: f.Kept}
}

func handoffTargetView(t core.HandoffTarget) HandoffTargetView {
	return HandoffTargetView{
		Target: t.Target, Training: t.Training, Parts: list(t.Parts, func(l core.HandoffLimit) HandoffLimitView { return HandoffLimitView(l) }),
		Rules: HandoffRulesView{Types: words(t.Rules.Types), WithoutTags: words(t.Rules.WithoutTags), Projects: t.Rules.Projects, Limits: tally(t.Rules.Limits)},
	}
}

func handoffView(h core.Handoff) HandoffView {
	return HandoffView{
		Target: h.Target, Training: h.Training, File: h.File, Parts: list(h.Parts, handoffPartView), Memories: h.Memories,
		Excluded: tally(h.Excluded), Findings: findingsView(h.Findings), Language: h.Language, Languages: core.HandoffLanguages(),
		Sensitive:      sensitiveView(h.Sensitive),
		OtherLanguages: list(h.OtherLanguages, func(l core.HandoffLanguage) CountView { return CountView{Name: l.Language, Count: l.Count} }),
	}
}

func handoffPartView(p core.HandoffPart) HandoffPartView {
	return HandoffPartView{
		Name: p.Name, Limit: p.Limit, Source: p.Source, Dated: p.Dated, Own: p.Own, Follows: p.Follows, Messages: words(p.Messages), CodePoints: p.CodePoints, UTF16: p.UTF16,
		Lines: list(p.Lines, func(l core.HandoffLine) HandoffLineView { return HandoffLineView(l) }),
		Taken: len(p.Taken), LeftOut: list(p.LeftOut, func(x core.HandoffLeftOut) LeftOutView { return LeftOutView(x) }), LeftOutTotal: p.LeftOutTotal,
	}
}
