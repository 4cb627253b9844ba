package exports

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"keepsake/backend/atomicfile"
	"keepsake/backend/core/circles"
	"keepsake/backend/core/files"
	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/core/sensitivity"
	"keepsake/backend/fault"
	"keepsake/backend/handoff"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// HandoffRules say which memories one target (assistant) may be given. The vault stores
// them.
type HandoffRules struct {
	Types       []memory.Type  `json:"types"`        // empty: all
	WithoutTags []string       `json:"without_tags"` // a memory with one of these is left out
	Projects    bool           `json:"projects"`     // include memories that apply only to some project
	Limits      map[string]int `json:"limits"`       // part name → UTF-16 units; absent: the part's default
}

// HandoffTarget is an assistant with the limits of its text fields and its rules.
type HandoffTarget struct {
	Target   string         `json:"target"`
	Training string         `json:"training"` // AI learns from it: "" no, "trains" yes, "setting": per account
	Parts    []HandoffLimit `json:"parts"`
	Rules    HandoffRules   `json:"rules"`
}

// HandoffLimit is the length limit of a part (a text field of an assistant). Source says
// where the limit comes from, and Dated when it was looked up.
type HandoffLimit struct {
	Name   string `json:"name"`
	Limit  int    `json:"limit"`  // UTF-16 units
	Source string `json:"source"` // "documented" by the assistant's owner, "reported" by users, "ours": our choice
	Dated  string `json:"dated"`
	Own    bool   `json:"own"` // set by the person
}

// HandoffOptions are the options of one hand-off. Nothing stores them.
type HandoffOptions struct {
	RedactionOptions                   // by default on
	Budget           *int              // if set, it replaces the limit of every part; UTF-16 units
	Part             string            // name of the only HandoffPart that is wanted; "" = all parts
	Dest             string            // file to write; "" = none
	Language         string            // of headings, one of HandoffLanguages; "" = the first
	Person           string            // "first" or "third": in which memories are told; "" = as each part wants
	Without          []string          // ids of memories that are left out
	Edits            map[string]string // id of a memory → what is said in its place
	For              string            // circle whose memories are told; "" = what the target may have
	Within           map[uint64]bool   // sequence numbers of the memories that the caller lets be told, whoever they are shared with; nil = all
	Most             int               // number of memories that are read, see Handoff.foremost; 0 = all
}

// Handoff holds the texts for one assistant, and what was left out of them.
type Handoff struct {
	Target   string         `json:"target"`
	Training string         `json:"training"`
	File     string         `json:"file"` // suggested file name; after writing to Dest: that path
	Parts    []HandoffPart  `json:"parts"`
	Memories int            `json:"memories"` // memories that may be given to this assistant
	Excluded map[string]int `json:"excluded"` // reason → n
	Findings Findings       `json:"findings"` // in the memories used; the first 200
	Language string         `json:"language"` // of the headings
	// OtherLanguages are those of memories used that are not the language of the headings.
	OtherLanguages []HandoffLanguage `json:"other_languages"`
	// Sensitive are the sensitive topics of the memories used.
	Sensitive sensitivity.Listing `json:"sensitive"`

	// Unread counts the memories that HandoffOptions.Most left out.
	Unread int `json:"-"`

	circle *circles.Choice // what leaves for HandoffOptions.For; nil: not for a circle
	given  rows.Numbers    // the memories that are told
}

// HandoffLanguage names the memories that are in one language.
type HandoffLanguage struct {
	Language string   `json:"language"` // BCP 47, without a region
	Count    int      `json:"count"`
	IDs      []string `json:"ids"`
}

// HandoffPart is the text for one text field of an assistant. The person pastes its
// Messages into this field, one after the other.
type HandoffPart struct {
	HandoffLimit
	Follows      bool             `json:"follows"`
	Person       string           `json:"person"` // "first", "third", or "" where memories stay as they are
	Messages     []string         `json:"messages"`
	CodePoints   int              `json:"code_points"`
	UTF16        int              `json:"utf16_units"`
	Taken        []string         `json:"taken"`
	Lines        []HandoffLine    `json:"lines"`    // those taken and those unticked, in the order of the text
	LeftOut      []HandoffLeftOut `json:"left_out"` // the first 200, in the order in which they would come in
	LeftOutTotal int              `json:"left_out_total"`
}

// HandoffLine is what a part says of one memory.
type HandoffLine struct {
	ID        string `json:"id"`
	Heading   string `json:"heading"` // under which it stands
	Text      string `json:"text"`
	Ticked    bool   `json:"ticked"`    // else it is not in the text
	Edited    bool   `json:"edited"`    // the person wrote it for this time
	Shortened bool   `json:"shortened"` // only its first sentences are in the text
}

// HandoffLeftOut is a memory that had no room in a part (a text field), with the reason.
type HandoffLeftOut struct {
	ID      string `json:"id"`
	Reason  string `json:"reason"`
	Content string `json:"content"`
}

const (
	handoffID  = "handoff-rules"
	logHandoff = "handoff"
	maxLeftOut = 200 // maximum number of listed findings, and of memories listed as left out
	saidOfLeft = 120 // code points shown of a memory that was left out

	longestEdit = 8_000 // code points of what is said in place of a memory
)

// HandoffLanguages are the languages that the headings of a hand-off can have.
func HandoffLanguages() []string { return handoff.Languages() }

// HandoffPersons are the persons in which memories can be told.
func HandoffPersons() []string { return []string{string(handoff.First), string(handoff.Third)} }

// Handoffs lists the targets with their limits and rules.
func (s *Service) Handoffs(ctx context.Context) ([]HandoffTarget, error) {
	rules, err := library.ReadValue(ctx, s.lib, readHandoffRules)
	if err != nil {
		return nil, err
	}
	var all []HandoffTarget
	for _, info := range handoff.Targets() {
		t := HandoffTarget{Target: string(info.Target), Training: string(info.Training), Rules: rulesOf(rules, info.Target)}
		for _, p := range info.Parts {
			t.Parts = append(t.Parts, limitOf(p, t.Rules))
		}
		all = append(all, t)
	}
	return all, nil
}

func limitOf(p handoff.Part, rules HandoffRules) HandoffLimit {
	l := HandoffLimit{Name: p.Name, Limit: p.Limit, Source: string(p.As), Dated: p.Dated}
	if n, ok := rules.Limits[p.Name]; ok {
		l.Limit, l.Own = n, true
	}
	return l
}

func readHandoffRules(tx *vault.Tx) (map[handoff.Target]HandoffRules, error) {
	rules := map[handoff.Target]HandoffRules{}
	_, err := rows.FindJSON(tx, vault.Settings, handoffID, "hand-off rules", &rules)
	return rules, err
}

// rulesOf returns the rules for a target; no slice or map in them is nil.
func rulesOf(all map[handoff.Target]HandoffRules, t handoff.Target) HandoffRules {
	r := all[t]
	if r.Types == nil {
		r.Types = []memory.Type{}
	}
	if r.WithoutTags == nil {
		r.WithoutTags = []string{}
	}
	if r.Limits == nil {
		r.Limits = map[string]int{}
	}
	return r
}

func targetOf(name string) (handoff.Info, error) {
	info, ok := handoff.Find(handoff.Target(name))
	if !ok {
		return info, fault.New(fault.Invalid, "unknown-target", "There is no hand-off to {target}.").With("target", rows.ShortID(name)).
			Advise("There are chatgpt, claude, gemini, system-prompt, claude-md and agents-md.")
	}
	return info, nil
}

// SetHandoffRules stores the rules and limits of a target in the vault.
func (s *Service) SetHandoffRules(ctx context.Context, target string, rules HandoffRules) error {
	return s.lib.Write(ctx, func(e *library.Tx) error {
		info, err := rules.fit(target)
		if err != nil {
			return err
		}
		all, err := readHandoffRules(e.VaultTx)
		if err != nil {
			return err
		}
		all[info.Target] = rules
		return e.PutSetting(handoffID, all)
	})
}

// fit returns an error if the target is unknown or cannot have these rules.
func (rules HandoffRules) fit(target string) (handoff.Info, error) {
	info, err := targetOf(target)
	if err != nil {
		return info, err
	}
	for name, n := range rules.Limits {
		if !slices.ContainsFunc(info.Parts, func(p handoff.Part) bool { return p.Name == name }) {
			return info, errNoPart(target, name)
		}
		if n <= 0 {
			return info, handoff.ErrNoBudget(n)
		}
	}
	for _, t := range rules.Types {
		if !slices.Contains(memory.Types(), t) {
			return info, fault.New(fault.Invalid, "unknown-type", "There is no memory type called {type}.").With("type", rows.ShortID(string(t)))
		}
	}
	return info, nil
}

func errNoPart(target, name string) error {
	return fault.New(fault.Invalid, "handoff-no-part", "A hand-off to {target} has no part called {part}.").With("target", target).With("part", rows.ShortID(name))
}

// PreviewHandoff composes the texts for an assistant, and lists the memories that would
// be left out, with reasons. It writes and logs nothing.
func (s *Service) PreviewHandoff(ctx context.Context, target string, o HandoffOptions) (h Handoff, err error) {
	err = s.lib.Read(ctx, func(v *library.Session, tx *vault.Tx) error {
		h, err = s.handingOff(ctx, v, tx, target, o)
		return err
	})
	return h, err
}

// HandOff composes the texts, writes them to o.Dest if it is set, and logs the hand-off.
func (s *Service) HandOff(ctx context.Context, target string, o HandoffOptions) (h Handoff, err error) {
	v, ctx, leave, err := s.lib.Enter(ctx)
	if err != nil {
		return h, err
	}
	defer leave()
	err = v.View(func(tx *vault.Tx) error {
		h, err = s.handingOff(ctx, v, tx, target, o)
		return err
	})
	if err != nil {
		return h, err
	}
	taken := h.taken()
	if len(taken) == 0 && h.leftOut() > 0 {
		return h, fault.New(fault.NotFound, "handoff-no-room", "No memory fits into the room there is for {target}, so there is no text.").With("target", target).
			Advise("Allow longer parts, or shorten a memory.")
	}
	if len(taken) == 0 {
		return h, fault.New(fault.NotFound, "handoff-nothing", "No memory may be handed to {target}, so there is no text.").With("target", target)
	}
	if o.Dest != "" {
		write := func(w io.Writer) error { _, err := io.WriteString(w, h.Text()+"\n"); return err }
		if err := atomicfile.WriteNew(o.Dest, 0o600, write); err != nil {
			return h, files.WriteFault(o.Dest, err)
		}
		h.File = o.Dest
	}
	return h, s.lib.Update(v, func(e *library.Tx) error { return s.noteHandoff(v, e, h, len(taken)) })
}

// noteHandoff stores the record of a hand-off, unless the vault is frozen, and logs it.
func (s *Service) noteHandoff(v *library.Session, e *library.Tx, h Handoff, memories int) error {
	if !v.Vault.Frozen() {
		k := keptExport{Generation: e.VaultTx.Generation(), Given: h.given, PastExport: PastExport{ExportID: e.NewID(), ExportDate: e.Now, Format: handedOff, File: h.Target, Memories: memories}}
		if h.circle != nil {
			k.Selection.For = h.circle.Entity
		}
		if err := keepExport(e, k); err != nil {
			return err
		}
	}
	return e.Log(logHandoff, h.Target, memories)
}

// Text returns the whole hand-off: the only message, or all messages, each under a line
// with its part's name and its number.
func (h Handoff) Text() string {
	if len(h.Parts) == 1 && len(h.Parts[0].Messages) == 1 {
		return h.Parts[0].Messages[0]
	}
	var b strings.Builder
	for _, p := range h.Parts {
		for i, m := range p.Messages {
			fmt.Fprintf(&b, "=== %s, %d of %d ===\n\n%s\n\n", p.Name, i+1, len(p.Messages), m)
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

// handingOff selects the memories for a target, redacts them, and composes the texts.
func (s *Service) handingOff(ctx context.Context, v *library.Session, tx *vault.Tx, target string, o HandoffOptions) (Handoff, error) {
	info, err := targetOf(target)
	if err != nil {
		return Handoff{}, err
	}
	hiding, err := newRedactor(o.RedactionOptions)
	if err != nil {
		return Handoff{}, err
	}
	kept, err := readHandoffRules(tx)
	if err != nil {
		return Handoff{}, err
	}
	rules := rulesOf(kept, info.Target)
	hides := func(id, content string) string { return content }
	if o.redacts() {
		hides = func(id, content string) string { return hiding.in(id, new([]hiddenPlace))("content", content) }
	}
	if err := o.fit(tx); err != nil {
		return Handoff{}, err
	}
	h := Handoff{Target: target, Training: string(info.Training), File: info.File, Excluded: map[string]int{}, Language: cmp.Or(o.Language, HandoffLanguages()[0])}
	if o.For != "" {
		choice, err := circles.Choose(ctx, s.lib, v, tx, o.For)
		if err != nil {
			return h, err
		}
		h.circle = &choice
	}
	chosen, err := h.choose(ctx, v, tx, rules, o, s.lib.Now())
	if err != nil {
		return h, err
	}
	h.Memories = len(chosen)
	texts, err := handoff.Compose(info, o.told(ctx, tx, chosen, hides), handoff.Options{Limits: o.limits(info, rules), Named: maxLeftOut, Language: h.Language, Person: handoff.Person(o.Person)})
	if err != nil {
		return h, err
	}
	if h.Parts, err = partsOf(target, texts, rules, o); err != nil {
		return h, err
	}
	taken := h.taken()
	var told []*rows.Memory
	for _, c := range chosen {
		if taken[c.row.ID] {
			told = append(told, c.row)
		}
	}
	h.given = givenOf(told)
	h.OtherLanguages = otherLanguages(texts, h.Language, taken)
	if h.Sensitive, err = sensitivity.ListingOf(ctx, s.lib, v, tx, told); err != nil {
		return h, err
	}
	h.Findings, err = h.review(ctx, v, tx, chosen, hiding, o)
	return h, err
}

// fit returns an error for an unknown person, for the id of no memory, and for an edit that says nothing or too much.
func (o HandoffOptions) fit(tx *vault.Tx) error {
	if !slices.Contains(HandoffPersons(), o.Person) && o.Person != "" {
		return fault.New(fault.Invalid, "handoff-person", "A hand-off speaks in the first or the third person, not in {person}.").With("person", rows.ShortID(o.Person))
	}
	for _, id := range slices.Concat(o.Without, slices.Sorted(maps.Keys(o.Edits))) {
		if !tx.Has(vault.Memories, id) {
			return rows.ErrNoMemory(id)
		}
	}
	for id, text := range o.Edits {
		if strings.TrimSpace(text) == "" {
			return fault.New(fault.Invalid, "handoff-edit-empty", "What is to be said in place of the memory {id} is empty.").With("id", rows.ShortID(id)).
				Advise("Leave the memory out instead.")
		}
		if n := utf8.RuneCountInString(text); n > longestEdit {
			return fault.New(fault.Invalid, "handoff-edit-too-long", "What is to be said in place of the memory {id} has {count} characters; {most} are allowed.").
				With("id", rows.ShortID(id)).With("count", n).With("most", longestEdit)
		}
	}
	return nil
}

// redacts tells whether sensitive places are hidden: by default they are.
func (o HandoffOptions) redacts() bool { return o.Redact == nil || *o.Redact }

// limits returns the limit of each part: the requested budget, else the limit that the
// person set, else the built-in one.
func (o HandoffOptions) limits(info handoff.Info, rules HandoffRules) map[string]int {
	limits := map[string]int{}
	for _, p := range info.Parts {
		limits[p.Name] = limitOf(p, rules).Limit
		if o.Budget != nil {
			limits[p.Name] = *o.Budget
		}
	}
	return limits
}

// review lists the sensitive places in what h.Parts say of memories.
func (h *Handoff) review(ctx context.Context, v *library.Session, tx *vault.Tx, chosen []candidate, hiding redactor, o HandoffOptions) (Findings, error) {
	var list []*rows.Memory
	var edited []leavingItem
	taken := h.taken()
	for _, c := range chosen {
		text, written := o.Edits[c.row.ID]
		switch {
		case !taken[c.row.ID]:
		case written:
			over := func(see library.Seeing) { see("content", text) }
			edited = append(edited, leavingItem{InMemory, c.row.ID, hiding.places(c.row.ID, over), func(see library.Seeing) error { over(see); return nil }})
		default:
			list = append(list, c.row)
		}
	}
	slices.SortFunc(list, func(a, b *rows.Memory) int { return cmp.Compare(a.Seq, b.Seq) })
	places, err := placesIn(v, ctx, tx, list, hiding)
	if err != nil {
		return Findings{}, err
	}
	for id, all := range places { // a hand-off contains only the content of a memory
		places[id] = slices.DeleteFunc(slices.Clone(all), func(p place) bool { return p.field != "content" })
	}
	return hiding.review(append(thingsOf(tx, list, places), edited...), o.redacts(), FindingQuery{Limit: maxLeftOut})
}

// otherLanguages lists the memories whose language is known and another one, most of a
// language first.
func otherLanguages(texts []handoff.Text, language string, taken map[string]bool) []HandoffLanguage {
	base := func(tag string) string { b, _, _ := strings.Cut(strings.ToLower(tag), "-"); return b }
	ids := map[string][]string{}
	for _, t := range texts {
		for _, l := range t.Lines {
			other := base(l.Language)
			if taken[l.ID] && other != "" && other != base(language) && !slices.Contains(ids[other], l.ID) {
				ids[other] = append(ids[other], l.ID)
			}
		}
	}
	all := []HandoffLanguage{}
	for _, name := range slices.Sorted(maps.Keys(ids)) {
		all = append(all, HandoffLanguage{name, len(ids[name]), ids[name]})
	}
	slices.SortStableFunc(all, func(a, b HandoffLanguage) int { return cmp.Compare(b.Count, a.Count) })
	return all
}

// taken returns the ids of the memories that at least one part contains.
func (h *Handoff) taken() map[string]bool {
	taken := map[string]bool{}
	for _, p := range h.Parts {
		for _, id := range p.Taken {
			taken[id] = true
		}
	}
	return taken
}

// leftOut counts memories that had no room in a part; a memory counts once for each part.
func (h *Handoff) leftOut() (n int) {
	for _, p := range h.Parts {
		n += p.LeftOutTotal
	}
	return n
}

func partsOf(target string, texts []handoff.Text, rules HandoffRules, o HandoffOptions) ([]HandoffPart, error) {
	parts := []HandoffPart{}
	for _, t := range texts {
		if o.Part != "" && o.Part != t.Name {
			continue
		}
		p := HandoffPart{
			HandoffLimit: limitOf(t.Part, rules), Follows: t.Follows, Person: string(t.Person), Messages: t.Messages, CodePoints: t.CodePoints, UTF16: t.UTF16,
			Taken: t.Taken, Lines: []HandoffLine{}, LeftOut: []HandoffLeftOut{}, LeftOutTotal: t.LeftOutTotal,
		}
		p.Own = p.Own || o.Budget != nil
		if p.Limit = t.Limit; p.Messages == nil {
			p.Messages = []string{}
		}
		for _, l := range t.Lines {
			p.Lines = append(p.Lines, HandoffLine{l.ID, l.Heading, l.Text, !l.Unticked, l.Edited, l.Shortened})
		}
		for _, x := range t.LeftOut {
			p.LeftOut = append(p.LeftOut, HandoffLeftOut{x.ID, x.Reason, firstPoints(x.Content, saidOfLeft)})
		}
		parts = append(parts, p)
	}
	if len(parts) == 0 {
		return nil, errNoPart(target, o.Part)
	}
	return parts, nil
}
