package bridge

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"keepsake/backend/core"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
)

// Limits of one answer; together they keep it under a megabyte, for text that
// JSON does not have to escape.
const (
	maxRows     = 200
	maxTags     = 100
	maxRowText  = 1200    // bytes of a memory's text in a list
	maxPartText = 192_000 // bytes of one piece of a message
	maxMessage  = 384_000 // bytes of text of one message
	maxThread   = 576_000 // bytes of text in one answer of Thread
	maxLink     = 8192    // bytes of an address
)

// list converts a slice; the result is never nil.
func list[T, V any](items []T, convert func(T) V) []V {
	views := make([]V, 0, len(items))
	for _, item := range items {
		views = append(views, convert(item))
	}
	return views
}

// first is the beginning of what may be too long for one answer.
func first[T any](items []T) []T { return items[:min(len(items), maxRows)] }

// words copies a slice of strings of any kind; the result is never nil.
func words[S ~string](items []S) []string {
	return list(items, func(s S) string { return string(s) })
}

func typed[S ~string](items []string) []S {
	if len(items) == 0 {
		return nil
	}
	return list(items, func(s string) S { return S(s) })
}

// tally sorts counts by size, then name.
func tally[K ~string](counts map[K]int) []CountView {
	views := make([]CountView, 0, len(counts))
	for name, n := range counts {
		views = append(views, CountView{Name: string(name), Count: n})
	}
	slices.SortFunc(views, func(a, b CountView) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name))
	})
	return views
}

func rows(limit int) int {
	if limit <= 0 || limit > maxRows {
		return maxRows
	}
	return limit
}

// clip cuts text at a whole character.
func clip(text string, limit int) (string, bool) {
	if len(text) <= limit {
		return text, false
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit], true
}

// finite is f between 0 and 1, 0 for what is no number: a page shell ends the
// program when it meets NaN.
func finite(f float64) float64 {
	if math.IsNaN(f) {
		return 0
	}
	return min(max(f, 0), 1)
}

// instant reads a time from a page; "" is the zero time.
func instant(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}, fault.New(fault.Invalid, "not-a-time", "A time is written like 2026-03-04T05:06:07Z.").Because(err)
	}
	return t, nil
}

func memoryQuery(v QueryView) (core.MemoryQuery, error) {
	since, err := instant(v.Since)
	if err != nil {
		return core.MemoryQuery{}, err
	}
	until, err := instant(v.Until)
	return core.MemoryQuery{
		Text: v.Text, Types: typed[memory.Type](v.Types), Statuses: typed[memory.Status](v.Statuses),
		Platforms: v.Platforms, Accounts: v.Accounts, Tags: v.Tags, Projects: v.Projects, Years: v.Years,
		Confidence: typed[core.Certainty](v.Confidence), Conversation: v.Conversation, HasRelations: v.HasRelations,
		Since: since, Until: until, Sort: v.Sort, Offset: max(v.Offset, 0), Limit: rows(v.Limit),
	}, err
}

func conversationQuery(v ConversationQueryView) (core.ConversationQuery, error) {
	since, err := instant(v.Since)
	if err != nil {
		return core.ConversationQuery{}, err
	}
	until, err := instant(v.Until)
	return core.ConversationQuery{
		Text: v.Text, Platforms: v.Platforms, Accounts: v.Accounts, Since: since, Until: until,
		Sort: v.Sort, Offset: max(v.Offset, 0), Limit: rows(v.Limit),
	}, err
}

func memoryEdit(v EditView) (core.MemoryEdit, error) {
	edit := core.MemoryEdit{
		Content: v.Content, CustomType: v.CustomType, Summary: v.Summary, Domain: v.Domain, Language: v.Language, Importance: v.Importance, Exportable: v.Exportable,
		Type: (*memory.Type)(v.Type), Visibility: (*memory.Visibility)(v.Visibility),
	}
	if v.Tags != nil {
		edit.Tags = &v.Tags
	}
	var err error
	if edit.ValidFrom, err = bound(v.ValidFrom); err != nil {
		return core.MemoryEdit{}, err
	}
	edit.ValidUntil, err = bound(v.ValidUntil)
	return edit, err
}

func bound(text *string) (*time.Time, error) {
	if text == nil {
		return nil, nil
	}
	t, err := instant(*text)
	return &t, err
}

func memoryPageView(page core.MemoryPage) MemoryPageView {
	view := MemoryPageView{Items: make([]MemoryRowView, 0, len(page.Items)), Total: page.Total}
	for i, record := range page.Items {
		relations := 0
		if i < len(page.Relations) {
			relations = page.Relations[i]
		}
		row := rowView(record, relations)
		if record.Confidence.IsStated() && i < len(page.Certainty) {
			row.Confidence = finite(page.Certainty[i])
		}
		row.Removed = i < len(page.Removed) && page.Removed[i]
		view.Items = append(view.Items, row)
	}
	return view
}

func rowView(r memory.Record, relations int) MemoryRowView {
	text, clipped := clip(r.Content, maxRowText)
	confidence := -1.0
	if r.Confidence.IsStated() {
		confidence = finite(r.Confidence.Value())
	}
	return MemoryRowView{
		ID: r.ID, Type: string(r.Type), CustomType: r.CustomType, Content: text, Clipped: clipped,
		Status: string(r.Status), Tags: words(r.Tags), Platform: r.Provenance.Platform,
		CreatedAt: r.Temporal.CreatedAt.String(), UpdatedAt: r.Temporal.UpdatedAt.String(),
		Confidence: confidence, Relations: relations, Exportable: r.MayLeave(),
	}
}

func facetsView(f core.Facets) FacetsView {
	most := func(counts map[string]int) []CountView {
		all := tally(counts)
		return all[:min(len(all), maxTags)]
	}
	years := slices.SortedFunc(maps.Keys(f.Years), func(a, b int) int { return b - a })
	return FacetsView{
		Types: tally(f.Types), Statuses: tally(f.Statuses), Platforms: tally(f.Platforms),
		Accounts: most(f.Accounts), Tags: most(f.Tags), Projects: most(f.Projects),
		Years:      list(years, func(y int) CountView { return CountView{Name: strconv.Itoa(y), Count: f.Years[y]} }),
		Confidence: tally(f.Certainty), Related: f.Related,
	}
}

func memoryView(d core.MemoryDetail) MemoryView {
	r := d.Record
	view := MemoryView{
		ID: r.ID, Type: string(r.Type), CustomType: r.CustomType, Content: r.Content, ContentHash: r.ContentHash,
		Summary: r.Summary, Domain: textIn(r.Metadata, "domain"), Language: textIn(r.Metadata, "language"), Status: string(r.Status), Tags: words(r.Tags),
		CreatedAt: r.Temporal.CreatedAt.String(), CreatedFrom: r.CreatedFrom(), UpdatedAt: r.Temporal.UpdatedAt.String(),
		ValidFrom: r.Temporal.ValidFrom.String(), ValidUntil: r.Temporal.ValidUntil.String(),
		SupersededBy: r.Temporal.SupersededBy, Provenance: provenanceView(r.Provenance),
		Visibility: string(memory.Private), Exportable: r.MayLeave(), SharedWith: []GrantView{},
		Metadata: metadata(r.Metadata), Relations: list(first(d.Relations), relatedView),
		Sources: list(first(d.Sources), sourceView), Corrected: d.Corrected, Next: words(d.Next), Was: string(d.Was), Versions: d.Versions, Removed: d.Removed,
		Reads: d.Use.Count, LastRead: d.Use.Last.String(),
	}
	if importance, ok := r.Importance(); ok {
		view.Importance = &importance
	}
	if r.Access != nil {
		view.Visibility = string(r.Access.Visibility)
		view.SharedWith = list(r.Access.SharedWith, func(g memory.Grant) GrantView {
			return GrantView{Entity: g.Entity, Permissions: words(g.Permissions)}
		})
	}
	if c := r.Confidence; c.IsStated() {
		view.Confidence = &ConfidenceView{
			Now: finite(d.ConfidenceNow), DecayModel: string(c.DecayModel),
			Curve: list(d.Curve.Values, finite), At: finite(d.Curve.Now),
		}
	}
	if d.Conversation != nil {
		head := headView(*d.Conversation)
		view.Conversation = &head
	}
	return view
}

func provenanceView(p memory.Provenance) ProvenanceView {
	return ProvenanceView{
		Platform: p.Platform, PlatformUserID: p.PlatformUserID, ConversationRef: p.ConversationRef,
		MessageRef: p.MessageRef, Method: string(p.ExtractionMethod), ExtractedAt: p.ExtractedAt.String(),
		Extractor: p.Extractor,
	}
}

func relatedView(r core.RelatedMemory) RelatedView {
	return RelatedView{
		ID: r.Relation.ID, Type: string(r.Relation.Type), Outgoing: r.Outgoing,
		CreatedAt: r.Relation.CreatedAt.String(), Other: rowView(r.Other, 0), Words: relationWords(r.Words),
	}
}

// maxWords is how many words a relation shows that sources had for it.
const maxWords = 8

func relationWords(all []string) []string {
	return list(all[:min(len(all), maxWords)], func(word string) string {
		shown, _ := clip(word, 80)
		return shown
	})
}

func sourceView(s core.MemorySource) SourceView {
	return SourceView{
		Platform: s.Platform, Account: s.Account, ImportID: s.ImportID, ConversationRef: s.ConversationRef,
		MessageRef: s.MessageRef, SaidAt: s.SaidAt.String(),
	}
}

// textIn is a text of an open block, "" where it has none of that name.
func textIn(block map[string]any, name string) string {
	said, _ := block[name].(string)
	said, _ = clip(said, maxRowText)
	return said
}

// metadata shows the open block as names and text, sorted by name.
func metadata(block map[string]any) []PairView {
	pairs := make([]PairView, 0, len(block))
	for name, value := range block {
		text, ok := value.(string)
		if !ok {
			if encoded, err := json.Marshal(value); err == nil {
				text = string(encoded)
			} else {
				text = fmt.Sprint(value)
			}
		}
		text, _ = clip(text, maxRowText)
		pairs = append(pairs, PairView{Name: name, Value: text})
	}
	slices.SortFunc(pairs, func(a, b PairView) int { return strings.Compare(a.Name, b.Name) })
	return pairs
}

func changeView(c *core.Change) ChangeView {
	if c == nil {
		return ChangeView{Subjects: []string{}}
	}
	return ChangeView{ID: c.ID, At: c.At.String(), Kind: c.Kind, Subjects: words(first(c.Subjects)), Kept: c.Kept}
}

func typeView(t core.TypeInfo) TypeView {
	return TypeView{
		Type: string(t.Type), CustomType: t.CustomType, Description: t.Description, Status: t.Status, Own: t.Own, Memories: t.Memories,
	}
}
