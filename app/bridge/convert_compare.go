package bridge

import (
	"slices"

	"keepsake/backend/core"
	"keepsake/backend/memory"
)

// How many compared memories go over the bridge at once, how much of what each
// says, and how many of its members with how much of each, in bytes: together
// they stay below a megabyte.
const (
	comparePage   = 50
	compareText   = 1000
	compareField  = 180
	compareFields = 20
)

// compareView shows a page of a comparison; names are those of the file that is
// held against the vault, or of both files.
// common is the file that both come from, "" where there is none.
func compareView(c core.Comparison, names []string, common string, offset int) CompareView {
	at := min(max(offset, 0), len(c.Memories))
	return CompareView{
		Same: c.Same, Ours: c.Ours, Theirs: c.Theirs, Differing: c.Differing, Conflicts: c.Conflicts, Forgotten: c.Forgotten,
		Total: len(c.Memories), Beside: c.Beside, Unknown: first(tally(c.Unknown)), Names: append([]string{}, names...), Common: common,
		Newer:    newerOf(c.Newer, names),
		Refused:  string(c.Refused),
		Document: planDocumentView(c.Document),
		Items:    list(c.Memories[at:min(at+comparePage, len(c.Memories))], comparedView),
	}
}

// newerOf are the names of the files that are of a newer version.
func newerOf(sides []core.Standing, names []string) []string {
	newer := []string{}
	for i, name := range names {
		side := core.OnlyTheirs
		if i == 0 && len(names) == 2 {
			side = core.OnlyOurs
		}
		if slices.Contains(sides, side) {
			newer = append(newer, name)
		}
	}
	return newer
}

func comparedView(m core.ComparedMemory) ComparedView {
	v := ComparedView{ID: m.ID, Standing: string(m.Standing), Ours: saying(m.Ours), Theirs: saying(m.Theirs), Suggested: suggested(m.Suggested), Gone: m.Gone}
	for _, r := range []*memory.Record{m.Ours, m.Theirs} {
		if r != nil {
			v.Type = string(r.Type)
		}
	}
	v.Fields = list(m.Fields[:min(len(m.Fields), compareFields)], func(f core.FieldDiff) FieldChangeView {
		view := fieldView(f, compareField)
		view.Pickable = m.IsPickable(f)
		was, by := m.Base(f)
		view.Base, _ = clip(string(was), compareField)
		view.By = string(by)
		return view
	})
	return v
}

// suggested is a choice in the words of the page.
func suggested(c *core.MergeChoice) string {
	switch {
	case c == nil:
		return ""
	case c.Of == core.OfBoth:
		return "fields"
	case c.Of == core.OfBase:
		return string(core.KeepOurs)
	}
	return string(core.TakeTheirs)
}

func fieldView(f core.FieldDiff, limit int) FieldChangeView {
	path, _ := clip(f.Path, 200)
	ours, _ := clip(string(f.A), limit)
	theirs, _ := clip(string(f.B), limit)
	return FieldChangeView{Path: path, Ours: ours, Theirs: theirs}
}

func saying(r *memory.Record) string {
	if r == nil {
		return ""
	}
	text, _ := clip(r.Content, compareText)
	return text
}

// mergeChoices are what a person picked between two files.
func mergeChoices(picks []PickView) map[string]core.MergeChoice {
	all := map[string]core.MergeChoice{}
	for _, p := range picks {
		switch {
		case core.OnConflict(p.Take) == core.KeepOurs:
			all[p.ID] = core.MergeChoice{Of: core.OfBase}
		case len(p.Fields) > 0:
			all[p.ID] = core.MergeChoice{Of: core.OfBoth, Fields: p.Fields}
		default:
			all[p.ID] = core.MergeChoice{Of: core.OfDelta}
		}
	}
	return all
}

// mergedEnding is what the name of a merged file ends in.
func mergedEnding(beside, encrypted bool) string {
	ending := ".pam.json"
	if beside {
		ending = ".pam.zip"
	}
	if encrypted {
		ending += ".age"
	}
	return ending
}

func mergedView(m core.Merged, offer Offer, encrypted bool) MergedView {
	return MergedView{
		Token: offer.Token, Name: offer.Name, Bytes: offer.Size, Encrypted: encrypted,
		Memories: m.Memories, Relations: m.Relations, Conversations: m.Files, Attachments: m.Attachments, Embeddings: m.Embeddings,
		LeftOut: tally(m.LeftOut),
		Taken:   mergeChangesView(m.Changes, func(c core.MergeChange) bool { return c.Taken && c.Kind != "memory" }), // a memory was picked by the person
		Kept:    mergeChangesView(m.Changes, func(c core.MergeChange) bool { return !c.Taken }),
	}
}

// Bounds of what a view lists of a merge.
const (
	mergeChanges      = 100
	mergeChangeFields = 20
)

func mergeChangesView(all []core.MergeChange, is func(core.MergeChange) bool) MergeChangesView {
	v := MergeChangesView{Items: []MergeChangeView{}}
	for _, c := range all {
		if !is(c) {
			continue
		}
		if v.Count++; v.Count > mergeChanges {
			continue
		}
		id, _ := clip(c.ID, 200)
		v.Items = append(v.Items, MergeChangeView{
			Kind: c.Kind, ID: id, Title: c.Title, Why: string(c.Why),
			Fields: list(c.Fields[:min(len(c.Fields), mergeChangeFields)], func(f core.FieldDiff) FieldChangeView { return fieldView(f, compareField) }),
		})
	}
	return v
}
