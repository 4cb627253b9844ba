package core

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"sync"
	"unicode/utf8"

	"keepsake/backend/fault"
	"keepsake/backend/format/pam"
	"keepsake/backend/memory"
	"keepsake/backend/redact"
	"keepsake/backend/vault"
)

// RedactionOptions say what is hidden in what leaves. Nothing in the vault changes.
type RedactionOptions struct {
	// Redact hides what is found; nil leaves it to what is made: on for a hand-off
	// and for anything made for somebody else, off for the owner's own export.
	Redact *bool
	// Keep names what stays as it is: ids of findings, or kinds.
	Keep []string
	// Addresses looks for street addresses, too.
	Addresses bool
}

// Found is one finding in a memory, for review.
type Found struct {
	ID       string `json:"id"` // of this text of this kind in this memory
	MemoryID string `json:"memory_id"`
	Field    string `json:"field"` // "content", "summary", "metadata.…"
	Kind     string `json:"kind"`
	Text     string `json:"text"`
	Before   string `json:"before"` // up to 40 code points around it
	After    string `json:"after"`
	Kept     bool   `json:"kept"` // it would leave as it is
}

// Findings is a window on what was found in what would leave.
type Findings struct {
	Items  []Found        `json:"items"`
	Total  int            `json:"total"`
	Hidden int            `json:"hidden"`
	ByKind map[string]int `json:"by_kind"`
}

// FindingQuery is the window. A limit of 0 is everything.
type FindingQuery struct{ Offset, Limit int }

// redactionsMember of a memory's metadata, an open block (PAM §10), says what was
// hidden in it, with MIF's members (§6.1) and the field.
const redactionsMember = "redactions"

// hiddenPlace is one redaction as metadata tells it.
type hiddenPlace struct {
	Field string `json:"field"`
	redact.Redaction
}

// hiding decides about findings.
type hiding struct {
	kinds []redact.Kind
	keep  map[string]bool // ids and kinds
}

func newHiding(o RedactionOptions) (hiding, error) {
	h := hiding{kinds: redact.Default(), keep: map[string]bool{}}
	if o.Addresses {
		h.kinds = redact.All()
	}
	for _, k := range o.Keep {
		if !slices.Contains(redact.All(), redact.Kind(k)) && !looksLikeFindingID(k) {
			return h, fault.New(fault.Invalid, "unknown-finding", "{name} is neither a kind of finding nor the id of one.").With("name", shortID(k)).
				Advise("The kinds are private_key, api_key, password, iban, credit_card, national_id, email, phone and address.")
		}
		h.keep[k] = true
	}
	return h, nil
}

const findingIDSize = 16 // hex digits

func looksLikeFindingID(s string) bool {
	_, err := hex.DecodeString(s)
	return err == nil && len(s) == findingIDSize
}

// findingID is the same for the same text of a kind in one memory, so that a
// choice holds while other words of the memory change.
func findingID(memoryID string, kind redact.Kind, text string) string {
	sum := sha256.Sum256([]byte(memoryID + "\x00" + string(kind) + "\x00" + text))
	return hex.EncodeToString(sum[:])[:findingIDSize]
}

func (h hiding) keeps(id string, kind redact.Kind) bool { return h.keep[id] || h.keep[string(kind)] }

// text hides in one text of the thing with this id.
func (h hiding) text(id, s string) (string, []redact.Redaction) {
	return redact.Hide(s, redact.Find(s, h.kinds), func(x redact.Finding) bool {
		return h.keeps(findingID(id, x.Kind, s[x.Start:x.End]), x.Kind)
	})
}

// clean is text without its redactions.
func (h hiding) clean(id, s string) string {
	out, _ := h.text(id, s)
	return out
}

// memory hides in every text of a memory, gives it the hash of what it says then,
// and tells in its metadata what was hidden.
func (h hiding) memory(r *memory.Record) {
	var all []hiddenPlace
	eachText(r, func(field, text string) string {
		out, hidden := h.text(r.ID, text)
		for _, x := range hidden {
			all = append(all, hiddenPlace{field, x})
		}
		return out
	})
	if len(all) == 0 {
		return
	}
	r.ContentHash = memory.ContentHash(r.Content)
	if r.Metadata == nil {
		r.Metadata = map[string]any{}
	}
	r.Metadata[redactionsMember] = all
}

// eachText replaces every text of a memory that somebody may have written. Metadata
// is copied, for the record may be shared.
func eachText(r *memory.Record, replace func(field, text string) string) {
	r.Content, r.Summary = replace("content", r.Content), replace("summary", r.Summary)
	if who := r.Provenance.PlatformUserID; who != "" && replace("platform_user_id", who) != who {
		r.Provenance.PlatformUserID = ""
	}
	if r.Metadata != nil {
		r.Metadata, _ = eachString(r.Metadata, "metadata", replace).(map[string]any)
	}
}

// eachString is a JSON value with its strings replaced; names stay.
func eachString(value any, path string, replace func(path, text string) string) any {
	switch v := value.(type) {
	case string:
		return replace(path, v)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = eachString(v[i], path+"."+strconv.Itoa(i), replace)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for _, name := range slices.Sorted(maps.Keys(v)) {
			out[name] = eachString(v[name], path+"."+name, replace)
		}
		return out
	}
	return value
}

// conversation hides in every text of a conversation. Members of the provider that
// we did not read may hold anything, so they go.
func (h hiding) conversation(c *memory.Conversation) {
	clean := func(s string) string { return h.clean(c.ID, s) }
	c.Title, c.SystemInstruction = clean(c.Title), clean(c.SystemInstruction)
	c.RawMetadata = ownMembers(c.RawMetadata)
	for i := range c.Participants {
		c.Participants[i].Name, c.Participants[i].ProviderID = clean(c.Participants[i].Name), clean(c.Participants[i].ProviderID)
	}
	c.Provider.AccountID = clean(c.Provider.AccountID)
	for i := range c.Messages {
		h.message(&c.Messages[i], clean)
	}
}

func (h hiding) message(m *memory.Message, clean func(string) string) {
	m.RawMetadata = nil
	if m.Content != nil {
		m.Content.Text = clean(m.Content.Text)
		for i := range m.Content.Parts {
			m.Content.Parts[i].Text = clean(m.Content.Parts[i].Text)
		}
	}
	for i := range m.Attachments {
		m.Attachments[i].Name = clean(m.Attachments[i].Name)
	}
	for i := range m.Citations {
		q := &m.Citations[i]
		q.Title, q.Snippet = clean(q.Title), clean(q.Snippet)
		if clean(q.URL) != q.URL { // an address with a mark in it leads nowhere
			q.URL = ""
		}
	}
	for i := range m.ToolCalls {
		call := &m.ToolCalls[i]
		call.Input, call.Output = cleanJSON(call.Input, clean), clean(call.Output)
	}
}

// cleanJSON hides in the strings of a value; what is no value goes.
func cleanJSON(raw json.RawMessage, clean func(string) string) json.RawMessage {
	var value any
	if len(raw) == 0 || json.Unmarshal(raw, &value) != nil {
		return nil
	}
	found := false
	out := eachString(value, "", func(_, s string) string {
		c := clean(s)
		found = found || c != s
		return c
	})
	if !found { // numbers stay as they were written
		return raw
	}
	text, err := json.Marshal(out)
	if err != nil {
		return nil
	}
	return text
}

// place is one finding, without its text.
type place struct {
	id    string
	field string
	redact.Finding
}

// lookedAt remembers what was found in memories, so that a preview looks only at
// those that changed. It holds no text, and goes when the vault is locked.
type lookedAt struct {
	mu    sync.Mutex
	bySeq map[uint64]looked
}

type looked struct {
	generation uint64
	addresses  bool // looked for, too
	places     []place
}

// placesIn is what h finds in the memories of rows, by id; those without a
// finding are not in it.
func (v *session) placesIn(ctx context.Context, tx *vault.Tx, rows []*memoryRow, h hiding) (map[string][]place, error) {
	v.looked.mu.Lock()
	defer v.looked.mu.Unlock()
	if v.looked.bySeq == nil {
		v.looked.bySeq = map[uint64]looked{}
	}
	addresses := slices.Contains(h.kinds, redact.Address) // which take longer than all the rest
	all := map[string][]place{}
	var seqs []uint64
	var unknown []*memoryRow
	for _, row := range rows {
		if known, ok := v.looked.bySeq[row.seq]; !ok || known.generation != row.generation || addresses && !known.addresses {
			seqs, unknown = append(seqs, row.seq), append(unknown, row)
		} else if known.places != nil {
			all[row.id] = known.places
		}
	}
	i := 0
	for e, err := range tx.Numbered(vault.Memories, seqs) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		row := unknown[i]
		i++
		places, err := h.placesOf(e.Plain)
		if err != nil {
			return nil, err
		}
		v.looked.bySeq[row.seq] = looked{row.generation, addresses, places}
		if places != nil {
			all[row.id] = places
		}
	}
	return all, nil
}

func (h hiding) placesOf(text []byte) (places []place, err error) {
	r, err := pam.DecodeMemory(text)
	if err != nil {
		return nil, err
	}
	eachText(&r, func(field, s string) string {
		for _, x := range redact.Find(s, h.kinds) {
			places = append(places, place{findingID(r.ID, x.Kind, s[x.Start:x.End]), field, x})
		}
		return s
	})
	return places, nil
}

// wants reports that a finding is of the kinds that are looked for.
func (h hiding) wants(p place) bool { return slices.Contains(h.kinds, p.Kind) }

// hides reports that some place of a memory is hidden.
func (h hiding) hides(places []place) bool {
	return slices.ContainsFunc(places, func(p place) bool { return h.wants(p) && !h.keeps(p.id, p.Kind) })
}

// count tells what of the places is looked for, and what of that is hidden.
func (h hiding) count(all map[string][]place, on bool) (f Findings) {
	f.ByKind, f.Items = map[string]int{}, []Found{}
	for _, places := range all {
		for _, p := range places {
			if !h.wants(p) {
				continue
			}
			f.Total++
			f.ByKind[string(p.Kind)]++
			if on && !h.keeps(p.id, p.Kind) {
				f.Hidden++
			}
		}
	}
	return f
}

// review is a window on the places with their texts, in the order of the rows.
func (h hiding) review(tx *vault.Tx, rows []*memoryRow, all map[string][]place, on bool, q FindingQuery) (Findings, error) {
	f := h.count(all, on)
	at := 0
	for _, row := range rows {
		places := slices.DeleteFunc(slices.Clone(all[row.id]), func(p place) bool { return !h.wants(p) })
		from, to := q.Offset-at, len(places)
		at += len(places)
		if from >= len(places) || len(places) == 0 {
			continue
		}
		if q.Limit > 0 {
			to = min(to, max(0, from)+q.Limit-len(f.Items))
		}
		r, err := need(tx, row.id)
		if err != nil {
			return f, err
		}
		for _, p := range places[max(0, from):to] {
			f.Items = append(f.Items, h.shown(r.Record, p, on))
		}
		if q.Limit > 0 && len(f.Items) >= q.Limit {
			break
		}
	}
	return f, nil
}

// shown is a place with its text and some words around it.
func (h hiding) shown(r memory.Record, p place, on bool) Found {
	f := Found{ID: p.id, MemoryID: r.ID, Field: p.field, Kind: string(p.Kind), Kept: !on || h.keeps(p.id, p.Kind)}
	eachText(&r, func(field, s string) string {
		if field == p.field && p.End <= len(s) {
			f.Text, f.Before, f.After = s[p.Start:p.End], lastPoints(s[:p.Start], aroundFinding), firstPoints(s[p.End:], aroundFinding)
		}
		return s
	})
	return f
}

const aroundFinding = 40 // code points

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

// ExportFindings lists what was found in the memories of an export, for review.
func (s *Service) ExportFindings(ctx context.Context, o ExportOptions, q FindingQuery) (Findings, error) {
	f := Findings{Items: []Found{}, ByKind: map[string]int{}}
	if err := o.check(); err != nil {
		return f, err
	}
	err := s.read(ctx, func(v *session, tx *vault.Tx) error {
		l, err := s.leaving(ctx, v, tx, o, s.now())
		if err != nil {
			return err
		}
		if err := l.look(ctx, v, tx); err != nil {
			return err
		}
		f, err = l.hiding.review(tx, l.rows, l.places, o.redacts(), q)
		return err
	})
	return f, err
}
