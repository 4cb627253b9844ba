package exports

import (
	"context"
	"slices"
	"sync"
	"unicode/utf8"

	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/format/pam"
	"keepsake/backend/redact"
	"keepsake/backend/vault"
)

// place is one finding (a sensitive place in a text, such as an email address) without
// the text itself. id is its findingID.
type place struct {
	id    string
	field string
	redact.Finding
}

// ThingKind is the kind of item that contains a finding (a sensitive place in a text).
type ThingKind string

// Kinds of items that are searched for findings (sensitive texts such as an address).
const (
	InMemory       ThingKind = "memory"
	InConversation ThingKind = "conversation"
	InTask         ThingKind = "task"
	InDocument     ThingKind = "document" // content of imported MIF documents that PAM has no field for
)

// leavingItem is a memory, conversation, task or document in an export, with its findings.
type leavingItem struct {
	in     ThingKind
	id     string
	places []place
	texts  func(see library.Seeing) error // passes each text of the item to see
}

// lookedAt caches findings, so that a preview searches only items that changed. It holds
// no text, and is dropped when the vault is locked.
type lookedAt struct {
	mu       sync.Mutex
	memories map[uint64]scanned // by sequence number
	titles   map[string]scanned // titles of conversations, by conversation id
	talks    map[string]scanned // whole conversations, by id
}

type scanned struct {
	done       bool
	generation uint64 // change counter of the vault when the item was last written
	addresses  bool   // the search included street addresses
	places     []place
}

// holds reports whether the cached findings are valid for the settings of h, and for an
// item that was last written at this generation (change counter of the vault).
func (l scanned) holds(generation uint64, h redactor) bool {
	return l.done && l.generation == generation && (l.addresses || !h.addresses())
}

func (h redactor) addresses() bool { // searched on request only: they take longer than all other kinds
	return slices.Contains(h.kinds, redact.Address)
}

// held locks the cache and returns it. The caller unlocks l.mu.
func (l *lookedAt) held() *lookedAt {
	l.mu.Lock()
	if l.memories == nil {
		l.memories, l.titles, l.talks = map[uint64]scanned{}, map[string]scanned{}, map[string]scanned{}
	}
	return l
}

// placesIn returns the findings (sensitive places) in the listed memories, by id, without
// memories that have none. It decrypts only memories whose findings are not cached yet. Of a
// memory that was changed since tx began it caches none: tx has another text.
func placesIn(v *library.Session, ctx context.Context, tx *vault.Tx, list []*rows.Memory, h redactor) (map[string][]place, error) {
	known := library.Kept[lookedAt](v).held()
	defer known.mu.Unlock()
	all := map[string][]place{}
	generation := tx.Generation()
	var unknown []*rows.Memory
	for _, row := range list {
		if was := known.memories[row.Seq]; !was.holds(row.Generation, h) || row.Generation > generation {
			unknown = append(unknown, row)
		} else if was.places != nil {
			all[row.ID] = was.places
		}
	}
	unknown = rows.StoredIn(tx, unknown)
	i := 0
	for e, err := range tx.Numbered(vault.Memories, rows.SeqsOf(unknown)) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		row := unknown[i]
		i++
		r, err := pam.DecodeMemory(e.Plain)
		if err != nil {
			return nil, err
		}
		places := h.places(r.ID, func(see library.Seeing) { library.EachText(&r, see) })
		known.memories[row.Seq] = scanned{row.Generation <= generation, row.Generation, h.addresses(), places}
		if places != nil {
			all[row.ID] = places
		}
	}
	return all, nil
}

// placesInTalks returns the findings of h in conversations, by conversation id. It
// searches all their texts if whole is true, else only their titles.
func placesInTalks(v *library.Session, ctx context.Context, tx *vault.Tx, talks []talk, whole bool, h redactor) (map[string][]place, error) {
	known := library.Kept[lookedAt](v).held()
	defer known.mu.Unlock()
	from := known.titles
	if whole {
		from = known.talks
	}
	all := map[string][]place{}
	for _, t := range talks {
		was := from[t.id]
		if !was.holds(t.generation, h) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			var bad error
			places := h.places(t.id, func(see library.Seeing) { bad = t.texts(tx, whole, see) })
			if bad != nil {
				return nil, bad
			}
			was = scanned{true, t.generation, h.addresses(), places}
			from[t.id] = was
		}
		if was.places != nil {
			all[t.id] = was.places
		}
	}
	return all, nil
}

// texts calls see for every text of a conversation, or for its title alone.
func (t talk) texts(tx *vault.Tx, whole bool, see library.Seeing) error {
	if whole {
		return library.EachTextOfConversation(tx, t.id, see)
	}
	see(library.TitleField, t.title)
	return nil
}

// places returns the findings of h in the texts of the item id. It calls over once, with a
// callback to which over must pass each of these texts.
func (h redactor) places(id string, over func(see library.Seeing)) (places []place) {
	over(func(field, s string) string {
		for _, x := range redact.Find(s, h.kinds) {
			places = append(places, place{findingID(id, x.Kind, s[x.Start:x.End]), field, x})
		}
		return s
	})
	return places
}

// wants reports whether a finding is of a kind that h searches for.
func (h redactor) wants(p place) bool { return slices.Contains(h.kinds, p.Kind) }

// hidesPlace reports whether h hides a place, provided that redaction is on.
func (h redactor) hidesPlace(p place) bool { return h.wants(p) && !h.keeps(p.id, p.Kind) }

// count counts the findings in all items of things that are of a kind that h searches
// for, and how many of these findings h hides: none if redaction is off (on is false).
func (h redactor) count(things []leavingItem, on bool) (f Findings) {
	f.ByKind, f.Items = map[string]int{}, []Found{}
	for _, t := range things {
		for _, p := range t.places {
			if !h.wants(p) {
				continue
			}
			f.Total++
			f.ByKind[string(p.Kind)]++
			if on && h.hidesPlace(p) {
				f.Hidden++
			}
		}
	}
	return f
}

// review counts the findings in all items of things. It returns the page of findings that
// q asks for, with their texts, in the order of the items. on: redaction is on.
func (h redactor) review(things []leavingItem, on bool, q FindingQuery) (Findings, error) {
	f := h.count(things, on)
	at := 0
	for _, t := range things {
		places := slices.DeleteFunc(slices.Clone(t.places), func(p place) bool { return !h.wants(p) })
		from, to := q.Offset-at, len(places)
		at += len(places)
		if from >= len(places) || len(places) == 0 {
			continue
		}
		if q.Limit > 0 {
			to = min(to, max(0, from)+q.Limit-len(f.Items))
		}
		shown, err := h.shown(t, places[max(0, from):to], on)
		if err != nil {
			return f, err
		}
		f.Items = append(f.Items, shown...)
		if q.Limit > 0 && len(f.Items) >= q.Limit {
			break
		}
	}
	return f, nil
}

// shown returns findings of one item with their text and the text around them. Both are
// empty if the item's text at this place has changed since the search.
func (h redactor) shown(t leavingItem, places []place, on bool) ([]Found, error) {
	all := make([]Found, len(places))
	byField := map[string][]int{}
	for i, p := range places {
		all[i] = Found{ID: p.id, In: t.in, InID: t.id, Field: p.field, Kind: string(p.Kind), Kept: !on || h.keeps(p.id, p.Kind)}
		byField[p.field] = append(byField[p.field], i)
	}
	err := t.texts(func(field, s string) string {
		for _, i := range byField[field] {
			if p, f := places[i], &all[i]; p.End <= len(s) && p.id == findingID(t.id, p.Kind, s[p.Start:p.End]) {
				f.Text, f.Before, f.After = s[p.Start:p.End], lastPoints(s[:p.Start], aroundFinding), firstPoints(s[p.End:], aroundFinding)
			}
		}
		return s
	})
	return all, err
}

const aroundFinding = 40 // code points of context shown before and after a finding

func lastPoints(s string, n int) string {
	at := len(s)
	for range n {
		_, size := utf8.DecodeLastRuneInString(s[:at])
		at -= size
	}
	return s[at:]
}

func firstPoints(s string, n int) string {
	at := 0
	for range n {
		_, size := utf8.DecodeRuneInString(s[at:])
		at += size
	}
	return s[:at]
}

// look fills l.places with the findings in the selected memories, unless it is filled.
// They are needed to redact, and to list findings for review.
func (l *selection) look(ctx context.Context, v *library.Session, tx *vault.Tx) (err error) {
	if l.places == nil {
		l.places, err = placesIn(v, ctx, tx, l.rows, l.hiding)
	}
	return err
}

// things returns the exported items with findings (sensitive texts), in export order.
func (l *selection) things(ctx context.Context, v *library.Session, tx *vault.Tx) ([]leavingItem, error) {
	if err := l.look(ctx, v, tx); err != nil {
		return nil, err
	}
	all := thingsOf(tx, l.rows, l.places)
	if l.options.noIndex || l.options.WithoutTitles {
		return append(all, l.beside...), nil
	}
	whole := l.withConversations() && l.options.redacts()
	places, err := placesInTalks(v, ctx, tx, l.talks, whole, l.hiding)
	for _, t := range l.talks {
		if found := places[t.id]; found != nil {
			all = append(all, leavingItem{InConversation, t.id, found, func(see library.Seeing) error { return t.texts(tx, whole, see) }})
		}
	}
	return append(all, l.beside...), err
}

// thingsOf returns the memories of list that have findings, each with its findings.
func thingsOf(tx *vault.Tx, list []*rows.Memory, places map[string][]place) (all []leavingItem) {
	for _, row := range list {
		if found := places[row.ID]; len(found) > 0 {
			all = append(all, leavingItem{InMemory, row.ID, found, func(see library.Seeing) error {
				r, err := rows.NeedMemory(tx, row.ID)
				if err == nil {
					library.EachText(&r.Record, see)
				}
				return err
			}})
		}
	}
	return all
}

// findings returns the page of the list that q asks for: the sensitive places found in
// the texts that this export would contain.
func (l *selection) findings(ctx context.Context, v *library.Session, tx *vault.Tx, q FindingQuery) (Findings, error) {
	things, err := l.things(ctx, v, tx)
	if err != nil {
		return Findings{}, err
	}
	f, err := l.hiding.review(things, l.options.redacts(), q)
	f.Unread = l.unread()
	return f, err
}

// counted is like findings, but returns only the counts and no texts.
func (l *selection) counted(ctx context.Context, v *library.Session, tx *vault.Tx) (Findings, error) {
	things, err := l.things(ctx, v, tx)
	f := l.hiding.count(things, l.options.redacts())
	f.Unread = l.unread()
	return f, err
}

func (l *selection) unread() int {
	if l.options.redacts() || !l.withConversations() {
		return 0
	}
	return len(l.talks)
}

// ExportFindings lists the sensitive places in the texts that an export would contain,
// for review before it is made.
func (s *Service) ExportFindings(ctx context.Context, o FormatOptions, q FindingQuery) (Findings, error) {
	o, err := o.settled()
	if err != nil {
		return Findings{}, err
	}
	return o.findings(ctx, s, q)
}

func (o ExportOptions) findings(ctx context.Context, s *Service, q FindingQuery) (f Findings, err error) {
	err = s.lib.Read(ctx, func(v *library.Session, tx *vault.Tx) error {
		l, err := s.leaving(ctx, v, tx, o, s.lib.Now())
		if err == nil {
			f, err = l.findings(ctx, v, tx, q)
		}
		return err
	})
	return f, err
}

// findings finds sensitive text in memories, tasks and stored content of MIF documents.
func (o MIFOptions) findings(ctx context.Context, s *Service, q FindingQuery) (f Findings, err error) {
	err = s.lib.Read(ctx, func(v *library.Session, tx *vault.Tx) error {
		x, err := s.interchanging(ctx, v, tx, o, s.lib.Now())
		if err == nil {
			f, err = x.findings(ctx, v, tx, q)
		}
		return err
	})
	return f, err
}
