package pam

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"path"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/jcs"
	"keepsake/backend/memory"
	"keepsake/backend/schema"
)

// storeFacts is what the checks across a store need to remember.
type storeFacts struct {
	verification // sums, hashes and the signature are checked as Verify does

	memories      map[string]memoryFact
	memoryOrder   []string
	relationIDs   ids
	edges         []edge
	conversations map[string]IndexEntry
	hasIndex      bool
}

// memoryFact is what other parts of the document say about a memory.
type memoryFact struct {
	path, conversation, embedding, supersededBy string
	status                                      memory.Status
}

type edge struct{ path, from, to string }

// memoryView is the part of a memory that the deep checks look at.
type memoryView struct {
	ID           string        `json:"id"`
	Status       memory.Status `json:"status"`
	EmbeddingRef string        `json:"embedding_ref"`
	Temporal     struct {
		CreatedAt    string `json:"created_at"`
		UpdatedAt    string `json:"updated_at"`
		ValidFrom    string `json:"valid_from"`
		ValidUntil   string `json:"valid_until"`
		SupersededBy string `json:"superseded_by"`
	} `json:"temporal"`
	Provenance struct {
		ConversationRef string `json:"conversation_ref"`
		ExtractedAt     string `json:"extracted_at"`
	} `json:"provenance"`
	Confidence struct {
		LastReinforced string `json:"last_reinforced"`
	} `json:"confidence"`
}

func (v *validator) memoryStore(ctx context.Context) error {
	facts := &storeFacts{
		verification: verification{rules: v.rules, sum: newArraySum()},
		memories:     map[string]memoryFact{}, relationIDs: ids{}, conversations: map[string]IndexEntry{},
	}
	root, whole, err := v.walkDocument(ctx, v.store, "", func(array string, i int, raw jsontext.Value) error {
		return v.storeElement(facts, array, i, raw)
	})
	if err != nil {
		return err
	}
	facts.root = root
	v.conformsRoot(schema.MemoryStore, "", root)
	if !whole {
		return nil
	}
	if facts.sum.unsorted {
		if facts.sum, err = heldSum(ctx, v.tree, v.store); err != nil {
			return err
		}
	}
	v.rootRules(facts)
	v.references(facts)
	return v.companions(ctx, facts)
}

func (v *validator) storeElement(facts *storeFacts, array string, i int, raw jsontext.Value) error {
	at := pointer(array, i)
	switch array {
	case "memories":
		v.memory(facts, at, raw)
	case "relations":
		v.relation(facts, at, raw)
	case "conversations_index":
		facts.hasIndex = true
		v.indexEntry(facts, at, raw)
	default: // a member of another kind of document
		v.check(false, "schema", "/"+array, "is not a member of a memory store")
	}
	return nil
}

func (v *validator) memory(facts *storeFacts, at string, raw jsontext.Value) {
	canonical, err := jcs.Transform(raw)
	v.check(err == nil || errors.Is(err, jcs.ErrBigInteger), "json", at, "has no canonical form")
	v.advise(!errors.Is(err, jcs.ErrBigInteger), "number", at, "holds a whole number that programs round differently")
	var m memoryView
	if !v.conforms(schema.Memory, at, raw) || json.Unmarshal(raw, &m) != nil {
		facts.sum.add(idOf(raw), canonical)
		return
	}
	before := len(facts.problems)
	facts.checkHash(at, raw)
	v.check(len(facts.problems) == before, "content-hash", at+"/content_hash", "is not the hash of the content")
	facts.sum.add(m.ID, canonical)
	_, twice := facts.memories[m.ID]
	v.check(!twice, "memory-id", at+"/id", "stands twice")
	facts.memories[m.ID] = memoryFact{at, m.Provenance.ConversationRef, m.EmbeddingRef, m.Temporal.SupersededBy, m.Status}
	facts.memoryOrder = append(facts.memoryOrder, m.ID)
	v.memoryTimes(at, m)
}

func idOf(raw jsontext.Value) string {
	var m struct {
		ID string `json:"id"`
	}
	_ = json.Unmarshal(raw, &m) // an id that is no text sorts first
	return m.ID
}

func (v *validator) memoryTimes(at string, m memoryView) {
	v.instant(at+"/temporal/created_at", m.Temporal.CreatedAt)
	v.instant(at+"/provenance/extracted_at", m.Provenance.ExtractedAt)
	v.ordered("time-order", at+"/temporal/updated_at", m.Temporal.CreatedAt, m.Temporal.UpdatedAt, "is before created_at")
	v.ordered("time-order", at+"/temporal/valid_until", m.Temporal.ValidFrom, m.Temporal.ValidUntil, "is before valid_from")
	reinforced, ok := v.instant(at+"/confidence/last_reinforced", m.Confidence.LastReinforced)
	created, okCreated := v.instant(at+"/temporal/created_at", m.Temporal.CreatedAt)
	v.advise(!ok || !okCreated || !reinforced.Before(created), "time-order", at+"/confidence/last_reinforced", "is before created_at")
}

func (v *validator) relation(facts *storeFacts, at string, raw jsontext.Value) {
	var r struct {
		ID, From, To string
		CreatedAt    string `json:"created_at"`
	}
	if !v.conforms(schema.Relation, at, raw) || json.Unmarshal(raw, &r) != nil {
		return
	}
	v.unique(facts.relationIDs, r.ID, "relation-id", at+"/id")
	v.instant(at+"/created_at", r.CreatedAt)
	v.advise(r.From != r.To, "relation-self", at, "relates a memory to itself")
	facts.edges = append(facts.edges, edge{at, r.From, r.To})
}

func (v *validator) indexEntry(facts *storeFacts, at string, raw jsontext.Value) {
	var e IndexEntry
	if !v.conforms(schema.IndexEntry, at, raw) {
		return
	}
	if json.Unmarshal(raw, &e) != nil {
		v.check(false, "date-time", at+"/temporal", "is not RFC 3339")
		return
	}
	_, twice := facts.conversations[e.ID]
	v.check(!twice, "conversation-id", at+"/id", "stands twice")
	facts.conversations[e.ID] = e
}

// rootRules are the rules between members of the root.
func (v *validator) rootRules(facts *storeFacts) {
	before := len(facts.problems)
	facts.checkIntegrity()
	signature, signed := facts.signature()
	if signed {
		facts.checkSignature(signature)
	}
	v.out.ChecksRun += 3
	for _, p := range facts.problems[before:] {
		v.fail(p.Check, p.Path, p.Message)
	}
	v.instant("/export_date", textOf(facts.root, "export_date"))
	v.instant("/since", textOf(facts.root, "since"))
	for _, name := range []string{"spec_uri", "type_registry"} {
		text := textOf(facts.root, name)
		u, err := url.Parse(text)
		v.check(text == "" || err == nil && u.IsAbs(), "uri", "/"+name, "is not a URI")
	}
	if textOf(facts.root, "export_type") == "incremental" {
		v.advise(textOf(facts.root, "base_export_id") != "", "incremental", "/base_export_id", "is missing from an incremental export")
		v.advise(textOf(facts.root, "since") != "", "incremental", "/since", "is missing from an incremental export")
	}
}

// references checks what points at what inside the store.
func (v *validator) references(facts *storeFacts) {
	for _, e := range facts.edges {
		_, from := facts.memories[e.from]
		_, to := facts.memories[e.to]
		v.check(from, "relation-target", e.path+"/from", "is not a memory of this export")
		v.check(to, "relation-target", e.path+"/to", "is not a memory of this export")
	}
	for _, id := range facts.memoryOrder {
		v.memoryReferences(facts, id, facts.memories[id])
	}
	for _, id := range sortedKeys(facts.conversations) {
		for _, derived := range facts.conversations[id].DerivedMemories {
			m, ok := facts.memories[derived]
			v.check(ok && m.conversation == id, "derived-memories", "/conversations_index", "lists a memory that does not come from the conversation")
		}
	}
}

func (v *validator) memoryReferences(facts *storeFacts, id string, m memoryFact) {
	if m.supersededBy != "" {
		_, ok := facts.memories[m.supersededBy]
		v.advise(ok, "superseded-by", m.path+"/temporal/superseded_by", "is not a memory of this export")
	}
	v.advise((m.supersededBy != "") == (m.status == memory.Superseded), "superseded-by", m.path+"/status", "and superseded_by do not go together")
	if m.conversation == "" || !facts.hasIndex {
		return
	}
	entry, ok := facts.conversations[m.conversation]
	v.check(ok, "conversation-ref", m.path+"/provenance/conversation_ref", "is not in conversations_index")
	if !ok {
		return
	}
	listed := false
	for _, derived := range entry.DerivedMemories {
		listed = listed || derived == id
	}
	v.check(listed, "derived-memories", m.path+"/provenance/conversation_ref", "is not repeated in derived_memories of its conversation")
}

// companions checks the files beside the store: conversations and embeddings.
func (v *validator) companions(ctx context.Context, facts *storeFacts) error {
	version := textOf(facts.root, "schema_version")
	isBundle := len(v.tree.Files()) > 1
	for _, id := range sortedKeys(facts.conversations) {
		entry := facts.conversations[id]
		if entry.Storage == nil || entry.Storage.Type != "file" {
			continue
		}
		if err := v.companion(ctx, entry, isBundle, version); err != nil {
			return err
		}
	}
	return v.embeddingCompanion(ctx, facts, version)
}

func (v *validator) companion(ctx context.Context, entry IndexEntry, isBundle bool, version string) error {
	ref := entry.Storage.Ref
	at := "/conversations_index/" + escape(entry.ID) + "/storage/ref"
	local := !path.IsAbs(ref) && !strings.HasPrefix(path.Clean(ref), "..")
	v.check(local, "storage-ref", at, "leaves the bundle")
	f, ok := sibling(v.tree, v.store, ref)
	if !local || !ok {
		v.check(!local || !isBundle, "storage-ref", at, "names a file that is not in the bundle")
		v.advise(isBundle, "storage-ref", at, "names a file, but this is a single document")
		return nil
	}
	c, err := v.conversation(ctx, f, f.Path)
	if err != nil || c == nil {
		return err
	}
	v.check(c.id == entry.ID, "conversation-id", f.Path+"#/id", "is not the id of its index entry")
	v.check(c.platform == entry.Platform, "platform", f.Path+"#/provider/name", "is not the platform of its index entry")
	v.check(c.version == version, "schema-version", f.Path+"#/schema_version", "differs from the memory store's")
	v.advise(entry.MessageCount == 0 || entry.MessageCount == c.messages, "message-count", f.Path+"#/messages", "are not as many as the index entry says")
	return nil
}

func (v *validator) embeddingCompanion(ctx context.Context, facts *storeFacts, version string) error {
	f, ok := sibling(v.tree, v.store, "embeddings.json")
	if !ok {
		for _, id := range facts.memoryOrder {
			m := facts.memories[id]
			v.advise(m.embedding == "", "embedding-ref", m.path+"/embedding_ref", "is set, but there is no embeddings file")
		}
		return nil
	}
	e, err := v.embeddings(ctx, f, f.Path)
	if err != nil || e == nil {
		return err
	}
	v.check(e.version == version, "schema-version", f.Path+"#/schema_version", "differs from the memory store's")
	for _, id := range sortedKeys(e.memoryOf) {
		_, ok := facts.memories[e.memoryOf[id]]
		v.check(ok, "embedding-memory", f.Path+"#/embeddings", "holds an embedding of a memory that is not in this export")
	}
	for _, id := range facts.memoryOrder {
		m := facts.memories[id]
		v.check(m.embedding == "" || e.memoryOf[m.embedding] == id, "embedding-ref", m.path+"/embedding_ref", "does not name the embedding of this memory")
	}
	return nil
}
