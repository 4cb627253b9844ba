package pam

import (
	"context"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/memory"
	"keepsake/backend/schema"
)

// storeFacts is what the checks across a store need to remember.
type storeFacts struct {
	*verification // schema, sums, hashes and the signature are checked as Verify does

	memories      []memoryFact   // that have an id, in the order of the document
	byID          map[string]int // in memories; of an id that stands twice, the last
	names         map[string]string
	relationIDs   places
	edges         []edge
	conversations map[string]*indexView
	indexOrder    []string
}

// memoryFact is what other parts of the document say about a memory. There is
// one to each memory as long as a validation lasts, so it is kept small.
type memoryFact struct {
	i                                         int // in the array
	id, conversation, embedding, supersededBy string
	superseded, archived                      bool // the status
}

func (m memoryFact) path() string { return pointer("memories", m.i) }

// memory finds one by its id.
func (f *storeFacts) memory(id string) (memoryFact, bool) {
	k, ok := f.byID[id]
	if !ok {
		return memoryFact{}, false
	}
	return f.memories[k], true
}

// each yields the memories in the order of the document, as they are known by
// their ids.
func (f *storeFacts) each(yield func(memoryFact) bool) {
	for _, m := range f.memories {
		if !yield(f.memories[f.byID[m.id]]) {
			return
		}
	}
}

// shared is the one copy of a name that many memories have.
func (f *storeFacts) shared(name string) string {
	one, ok := f.names[name]
	if !ok {
		one = name
		f.names[name] = one
	}
	return one
}

type edge struct{ path, from, to string }

// memoryView is the part of a memory that the deep checks look at.
type memoryView struct {
	ID           string        `json:"id"`
	Type         memory.Type   `json:"type"`
	CustomType   *string       `json:"custom_type"`
	Status       memory.Status `json:"status"`
	EmbeddingRef string        `json:"embedding_ref"`
	Temporal     struct {
		CreatedAt    stated `json:"created_at"`
		UpdatedAt    stated `json:"updated_at"`
		ValidFrom    stated `json:"valid_from"`
		ValidUntil   stated `json:"valid_until"`
		SupersededBy string `json:"superseded_by"`
	} `json:"temporal"`
	Provenance struct {
		ConversationRef string `json:"conversation_ref"`
		ExtractedAt     stated `json:"extracted_at"`
	} `json:"provenance"`
	Confidence struct {
		LastReinforced stated `json:"last_reinforced"`
	} `json:"confidence"`
}

// viewOf is the view of a memory that was looked at. Its type and custom type go
// together, or the look would not have taken it.
func viewOf(g glance) (m memoryView) {
	m.ID, m.EmbeddingRef = unquoted(g.id), unquoted(g.embedding)
	switch {
	case g.superseded:
		m.Status = memory.Superseded
	case g.archived:
		m.Status = memory.Archived
	}
	m.Temporal.CreatedAt, m.Temporal.UpdatedAt = statedOf(g.created), statedOf(g.updated)
	m.Temporal.ValidFrom, m.Temporal.ValidUntil = statedOf(g.validFrom), statedOf(g.validUntil)
	m.Temporal.SupersededBy = unquoted(g.supersededBy)
	m.Provenance.ConversationRef, m.Provenance.ExtractedAt = unquoted(g.conversation), statedOf(g.extracted)
	m.Confidence.LastReinforced = statedOf(g.reinforced)
	return m
}

// indexView is an entry of conversations_index.
type indexView struct {
	path     string
	i        int      // in the array
	sorted   []string // DerivedMemories
	ID       string   `json:"id"`
	Platform string   `json:"platform"`
	Temporal struct {
		CreatedAt stated `json:"created_at"`
		UpdatedAt stated `json:"updated_at"`
	} `json:"temporal"`
	MessageCount    jsontext.Value `json:"message_count"` // any number
	DerivedMemories []string       `json:"derived_memories"`
	Storage         *Storage       `json:"storage"`
}

func (e *indexView) derives(id string) bool {
	_, ok := slices.BinarySearch(e.sorted, id)
	return ok
}

// derived makes ready what is asked of the derived memories. They share the
// text of the ids that are known by now.
func (f *storeFacts) derived(e *indexView) {
	for i, id := range e.DerivedMemories {
		if k, ok := f.byID[id]; ok {
			e.DerivedMemories[i] = f.memories[k].id
		}
	}
	if e.sorted = e.DerivedMemories; !slices.IsSorted(e.sorted) {
		e.sorted = slices.Sorted(slices.Values(e.DerivedMemories))
	}
}

func (v *validator) memoryStore(ctx context.Context) error {
	facts := &storeFacts{
		verification: newVerification(v.rules),
		byID:         map[string]int{}, names: map[string]string{}, relationIDs: places{}, conversations: map[string]*indexView{},
	}
	root, whole, err := v.walkDocument(ctx, v.store, "", storeMembers, visitor{
		element: func(array string, i int, raw jsontext.Value) error {
			v.storeElement(facts, array, i, raw)
			return nil
		},
		known: func(array string, i int, b []byte) int { return v.known(facts, array, i, b) },
	})
	if err != nil {
		return err
	}
	facts.root = root
	if !whole {
		return nil
	}
	v.conformsRoot(schema.MemoryStore, "", root)
	if err := facts.settleSum(ctx, v.tree, v.store); err != nil {
		return err
	}
	v.out.SumRule = facts.sumRule
	v.rootRules(facts)
	v.references(facts)
	return v.companions(ctx, facts)
}

func (v *validator) storeElement(facts *storeFacts, array string, i int, raw jsontext.Value) {
	switch array {
	case "memories":
		v.memory(facts, i, raw)
	case "relations":
		v.relation(facts, i, raw)
	case "conversations_index":
		v.indexEntry(facts, i, raw)
	}
}

// known takes a memory that a glance is enough for.
func (v *validator) known(facts *storeFacts, array string, i int, b []byte) int {
	if array != "memories" {
		return 0
	}
	g, n := look(b)
	if n > 0 {
		facts.knownMemory(i, g, b[:n])
		v.take(facts.verification, memoryChecks)
		v.deepMemory(facts, i, viewOf(g))
	}
	return n
}

// memoryChecks is how many a verification makes of a memory: schema, content
// hash, canonical form.
const memoryChecks = 3

func (v *validator) memory(facts *storeFacts, i int, raw jsontext.Value) {
	facts.verification.memory(i, raw)
	v.take(facts.verification, memoryChecks)
	var m memoryView
	if json.Unmarshal(raw, &m) != nil || m.ID == "" {
		return // the schema has said so
	}
	v.deepMemory(facts, i, m)
}

func (v *validator) deepMemory(facts *storeFacts, i int, m memoryView) {
	at := pointer("memories", i)
	v.out.ChecksRun++
	if k, twice := facts.byID[m.ID]; twice {
		v.fail(ruleMemoryID.twin(facts.memories[k].i).found(at+"/id", m.ID))
	}
	isCustom, hasCustom := m.Type == memory.Custom, m.CustomType != nil && *m.CustomType != ""
	v.check(isCustom == hasCustom, ruleCustomType, at+"/custom_type", string(m.Type))
	facts.byID[m.ID] = len(facts.memories)
	facts.memories = append(facts.memories, memoryFact{
		i, m.ID, facts.shared(m.Provenance.ConversationRef), m.EmbeddingRef, m.Temporal.SupersededBy, m.Status == memory.Superseded, m.Status == memory.Archived,
	})
	v.memoryTimes(at, m)
}

// take moves what a verification has found into the result. What cannot be
// checked is no error of the document.
func (v *validator) take(from *verification, checks int) {
	v.out.ChecksRun += checks
	for _, p := range from.problems {
		v.fail(p)
	}
	for _, p := range slices.Concat(from.uncheckable, from.warnings) {
		v.remark(p)
	}
	from.problems, from.uncheckable, from.warnings = nil, nil, nil
}

func (v *validator) memoryTimes(at string, m memoryView) {
	v.instant(at+"/provenance/extracted_at", m.Provenance.ExtractedAt)
	v.ordered(at+"/temporal", createdUpdated, span{m.Temporal.CreatedAt, m.Temporal.UpdatedAt})
	v.ordered(at+"/temporal", validity, span{m.Temporal.ValidFrom, m.Temporal.ValidUntil})
	reinforced, ok := v.instant(at+"/confidence/last_reinforced", m.Confidence.LastReinforced)
	created, okCreated := parseInstant(string(m.Temporal.CreatedAt))
	v.advise(!ok || !okCreated || !reinforced.Before(created), ruleAfterCreated.expects(string(m.Temporal.CreatedAt)), at+"/confidence/last_reinforced", string(m.Confidence.LastReinforced))
}

func (v *validator) relation(facts *storeFacts, i int, raw jsontext.Value) {
	at := pointer("relations", i)
	var r struct {
		ID        string `json:"id"`
		From      string `json:"from"`
		To        string `json:"to"`
		CreatedAt stated `json:"created_at"`
	}
	if !v.conforms(schema.Relation, at, raw) || json.Unmarshal(raw, &r) != nil {
		return
	}
	v.unique(facts.relationIDs, r.ID, ruleRelationID, at+"/id", i)
	v.instant(at+"/created_at", r.CreatedAt)
	v.advise(r.From != r.To, ruleRelationSelf, at, r.From)
	facts.edges = append(facts.edges, edge{at, r.From, r.To})
}

func (v *validator) indexEntry(facts *storeFacts, i int, raw jsontext.Value) {
	at := pointer("conversations_index", i)
	e := &indexView{path: at, i: i}
	if !v.conforms(schema.IndexEntry, at, raw) || json.Unmarshal(raw, e) != nil {
		return
	}
	v.ordered(at+"/temporal", createdUpdated, span{e.Temporal.CreatedAt, e.Temporal.UpdatedAt})
	v.out.ChecksRun++
	if before, twice := facts.conversations[e.ID]; twice {
		v.fail(ruleConversationTwice.twin(before.i).found(at+"/id", e.ID))
	} else {
		facts.indexOrder = append(facts.indexOrder, e.ID)
	}
	facts.derived(e)
	facts.conversations[e.ID] = e
}

// rootRules are the rules between members of the root.
func (v *validator) rootRules(facts *storeFacts) {
	facts.checkIntegrity()
	if signature, signed := facts.signature(); signed {
		facts.checkSignature(signature)
		v.check(isBase64url(signature.Value), ruleSignatureForm, "/signature/value", signature.Value)
	}
	v.take(facts.verification, 4) // total, checksum, signature, its time
	v.instant("/export_date", statedIn(facts.root, "export_date"))
	v.instant("/since", statedIn(facts.root, "since"))
	var within struct {
		DID       string `json:"did"`
		CreatedAt stated `json:"created_at"`
		SignedAt  stated `json:"signed_at"`
	}
	if json.Unmarshal(facts.root["signature"], &within) == nil {
		v.instant("/signature/signed_at", within.SignedAt)
	}
	if json.Unmarshal(facts.root["owner"], &within) == nil {
		v.instant("/owner/created_at", within.CreatedAt)
		v.check(within.DID == "" || didForm.MatchString(within.DID), ruleDID, "/owner/did", within.DID)
	}
	for _, name := range []string{"spec_uri", "type_registry"} {
		v.uri("/"+name, statedIn(facts.root, name))
	}
	if facts.text("export_type") == "incremental" {
		v.advise(facts.text("base_export_id") != "", ruleIncremental, "/base_export_id", "")
		v.advise(facts.text("since") != "", ruleIncremental, "/since", "")
	}
}

func isBase64url(text string) bool {
	_, err := unbase64url(text)
	return err == nil
}

// uri checks a member that names one; "" is absent and fine.
func (v *validator) uri(path string, text stated) {
	v.check(isURI(text), ruleURI, path, string(text))
}

// references checks what points at what inside the store. Where an export
// gives no index, nothing is asked of conversation_ref (§14 is optional).
func (v *validator) references(facts *storeFacts) {
	for _, e := range facts.edges {
		_, from := facts.byID[e.from]
		_, to := facts.byID[e.to]
		v.check(from, ruleRelationTarget, e.path+"/from", e.from)
		v.check(to, ruleRelationTarget, e.path+"/to", e.to)
	}
	for m := range facts.each {
		v.memoryReferences(facts, m)
	}
	for _, id := range facts.indexOrder {
		e := facts.conversations[id]
		for i, derived := range e.DerivedMemories {
			m, ok := facts.memory(derived)
			at := e.path + pointer("derived_memories", i)
			v.check(ok && m.conversation == id, ruleDerived, at, derived)
		}
	}
}

// supersession says whether a status is the one of a memory that was replaced.
var supersession = map[bool]string{true: "superseded, and superseded_by not set", false: "another status, and superseded_by set"}

func (v *validator) memoryReferences(facts *storeFacts, m memoryFact) {
	at := m.path()
	if m.supersededBy != "" {
		_, ok := facts.byID[m.supersededBy]
		v.advise(ok, ruleSuperseded, at+"/temporal/superseded_by", m.supersededBy)
	}
	isArchived := m.archived && m.supersededBy != "" // after it was superseded (§7.1)
	v.advise(isArchived || (m.supersededBy != "") == m.superseded, ruleSupersession, at+"/status", supersession[m.superseded])
	if m.conversation == "" || len(facts.conversations) == 0 {
		return
	}
	entry, ok := facts.conversations[m.conversation]
	v.check(ok, ruleConversationRef, at+"/provenance/conversation_ref", m.conversation)
	v.check(!ok || entry.derives(m.id), ruleNotDerived, at+"/provenance/conversation_ref", "")
}
