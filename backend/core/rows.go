package core

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	jsonv2 "github.com/go-json-experiment/json"

	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// rows is what lists, facets and sorting need of an unlocked vault, kept in
// memory: no text of any memory, but the titles of conversations. Everything
// in it goes when the vault is locked.
type rows struct {
	mu            sync.RWMutex
	memories      map[string]*memoryRow
	conversations map[string]*conversationRow
	relations     map[string]memory.Relation
	// touching lists the relations of a memory, either way round.
	touching map[string][]string
	// stated lists, per conversation, the memories stated in it, once for each
	// statement.
	stated map[string][]string
	// unfinished imports broke off; what they took may lack memories.
	unfinished map[string]bool
	names      map[string]string // one copy of each platform, tag and type
}

// memoryRow is about 200 bytes, so that 100,000 fit in 20 MB.
type memoryRow struct {
	id           string
	kind         memory.Type
	status       memory.Status
	platform     string
	tags         []string
	conversation string
	created      int64 // microseconds since 1970
	updated      int64 // created where it was never changed
	confidence   memory.Confidence
	decays       bool
	exportable   bool
	guarded      bool // visibility is private: shared with nobody by that alone
	supersededBy string
	sources      []string // conversation of each statement
}

type conversationRow struct {
	ConversationHead
	sum      [32]byte
	importer string // version of the reader
	// bare conversations were taken without their memories.
	bare bool
}

func newRows() *rows {
	return &rows{
		memories:      map[string]*memoryRow{},
		conversations: map[string]*conversationRow{},
		relations:     map[string]memory.Relation{},
		touching:      map[string][]string{},
		stated:        map[string][]string{},
		unfinished:    map[string]bool{},
		names:         map[string]string{},
	}
}

func (r *rows) intern(s string) string {
	if one, ok := r.names[s]; ok {
		return one
	}
	r.names[s] = s
	return s
}

func (r *rows) putMemory(m memory.Record, side sideRecord) {
	part := rowPart{
		ID: m.ID, Type: m.Type, Status: m.Status, Tags: m.Tags, Confidence: m.Confidence, Access: m.Access,
	}
	part.Temporal.CreatedAt, part.Temporal.UpdatedAt = microOf(m.Temporal.CreatedAt), microOf(m.Temporal.UpdatedAt)
	part.Temporal.SupersededBy = m.Temporal.SupersededBy
	part.Provenance.Platform, part.Provenance.ConversationRef = m.Provenance.Platform, m.Provenance.ConversationRef
	var said saidIn
	for _, src := range side.Sources {
		said.Sources = append(said.Sources, struct {
			ConversationRef string `json:"conversation_ref"`
		}{src.ConversationRef})
	}
	r.put(part, said)
}

func (r *rows) put(m rowPart, said saidIn) {
	r.dropStatements(m.ID)
	row := &memoryRow{
		id: m.ID, kind: memory.Type(r.intern(string(m.Type))), status: memory.Status(r.intern(string(m.Status))),
		platform: r.intern(m.Provenance.Platform), conversation: m.Provenance.ConversationRef,
		created: int64(m.Temporal.CreatedAt), updated: int64(m.Temporal.UpdatedAt), exportable: m.Access == nil || m.Access.Exportable,
		supersededBy: m.Temporal.SupersededBy,
	}
	if row.updated == 0 {
		row.updated = row.created
	}
	for _, tag := range m.Tags {
		row.tags = append(row.tags, r.intern(tag))
	}
	if m.Confidence != nil {
		row.confidence = *m.Confidence
		row.decays = m.Confidence.DecayModel == memory.DecayLinear || m.Confidence.DecayModel == memory.DecayExponential
	} else {
		row.confidence.Current = 1
	}
	for _, s := range said.Sources {
		if s.ConversationRef != "" {
			row.sources = append(row.sources, s.ConversationRef)
			r.stated[s.ConversationRef] = append(r.stated[s.ConversationRef], m.ID)
		}
	}
	r.memories[m.ID] = row
}

func (r *rows) dropMemory(id string) {
	r.dropStatements(id)
	delete(r.memories, id)
}

func (r *rows) dropStatements(id string) {
	old := r.memories[id]
	if old == nil {
		return
	}
	for _, conversation := range old.sources {
		if i := slices.Index(r.stated[conversation], id); i >= 0 {
			r.stated[conversation] = slices.Delete(r.stated[conversation], i, i+1)
		}
	}
}

func (r *rows) putRelation(rel memory.Relation) {
	r.dropRelation(rel.ID)
	r.relations[rel.ID] = rel
	r.touching[rel.From] = append(r.touching[rel.From], rel.ID)
	r.touching[rel.To] = append(r.touching[rel.To], rel.ID)
}

func (r *rows) dropRelation(id string) {
	rel, ok := r.relations[id]
	if !ok {
		return
	}
	delete(r.relations, id)
	for _, end := range []string{rel.From, rel.To} {
		if i := slices.Index(r.touching[end], id); i >= 0 {
			r.touching[end] = slices.Delete(r.touching[end], i, i+1)
		}
		if len(r.touching[end]) == 0 {
			delete(r.touching, end)
		}
	}
}

// memoriesOf lists the memories stated in a conversation, each once.
func (r *rows) memoriesOf(conversation string) []string {
	ids := slices.Clone(r.stated[conversation])
	slices.Sort(ids)
	return slices.Compact(ids)
}

// head is a conversation's row with what depends on memories filled in.
func (r *rows) head(row *conversationRow) ConversationHead {
	h := row.ConversationHead
	h.DerivedCount = len(r.memoriesOf(h.ID))
	return h
}

func (r *rows) messages() (n int) {
	for _, c := range r.conversations {
		n += c.MessageCount
	}
	return n
}

// read fills the rows from the vault.
func (r *rows) read(tx *vault.Tx) error {
	said := make(map[string]saidIn, tx.Count(vault.Sources))
	for e, err := range tx.Each(vault.Sources) {
		if err != nil {
			return err
		}
		var where saidIn
		if err := jsonv2.Unmarshal(e.Plain, &where); err != nil {
			return fmt.Errorf("read sources: %w", err)
		}
		said[e.ID] = where
	}
	for e, err := range tx.Each(vault.Memories) {
		if err != nil {
			return err
		}
		var m rowPart
		if err := jsonv2.Unmarshal(e.Plain, &m); err != nil {
			return fmt.Errorf("read memory: %w", err)
		}
		r.put(m, said[e.ID])
	}
	return r.readRest(tx)
}

func (r *rows) readRest(tx *vault.Tx) error {
	for e, err := range tx.Each(vault.Relations) {
		if err != nil {
			return err
		}
		var rel memory.Relation
		if err := json.Unmarshal(e.Plain, &rel); err != nil {
			return fmt.Errorf("read relation: %w", err)
		}
		r.putRelation(rel)
	}
	for e, err := range tx.Each(vault.Imports) {
		if err != nil {
			return err
		}
		report, err := decodeReport(e.Plain)
		if err != nil {
			return err
		}
		r.putReport(report)
	}
	for h, err := range tx.EachConversation() {
		if err != nil {
			return err
		}
		r.putConversation(h)
	}
	return nil
}

// rowPart is what of a stored memory goes into a row; text and metadata are
// not even decoded.
type rowPart struct {
	ID       string        `json:"id"`
	Type     memory.Type   `json:"type"`
	Status   memory.Status `json:"status"`
	Tags     []string      `json:"tags"`
	Temporal struct {
		CreatedAt    micro  `json:"created_at"`
		UpdatedAt    micro  `json:"updated_at"`
		SupersededBy string `json:"superseded_by"`
	} `json:"temporal"`
	Provenance struct {
		Platform        string `json:"platform"`
		ConversationRef string `json:"conversation_ref"`
	} `json:"provenance"`
	Confidence *memory.Confidence `json:"confidence"`
	Access     *memory.Access     `json:"access"`
}

// saidIn is what of a side record goes into a row.
type saidIn struct {
	Sources []struct {
		ConversationRef string `json:"conversation_ref"`
	} `json:"sources"`
}

// micro is an instant in microseconds since 1970, 0 for unknown. It is read
// from the one form in which we write times.
type micro int64

// UnmarshalJSON reads RFC 3339 in quotes.
func (m *micro) UnmarshalJSON(text []byte) error {
	t, err := time.Parse(time.RFC3339Nano, strings.Trim(string(text), `"`))
	*m = micro(t.UnixMicro())
	return err
}

func microOf(t memory.Time) micro {
	if t.IsZero() {
		return 0
	}
	return micro(t.UnixMicro())
}

// contentOf takes only the text out of a stored memory.
func contentOf(text []byte) (string, error) {
	var p struct {
		Content string `json:"content"`
	}
	if err := jsonv2.Unmarshal(text, &p); err != nil {
		return "", fmt.Errorf("read memory: %w", err)
	}
	return p.Content, nil
}

func (r *rows) isUnfinished(importID string) bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.unfinished[importID]
}

func (r *rows) putReport(report ImportReport) {
	if report.Unfinished {
		r.unfinished[report.ImportID] = true
	} else {
		delete(r.unfinished, report.ImportID)
	}
}

// statements counts how often memories were stated in a conversation.
func (r *rows) statements(conversation string) int {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return len(r.stated[conversation])
}

// ofPlatform lists the memories that can still be retracted.
func (r *rows) ofPlatform(platform string) (ids []string) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for id, row := range r.memories {
		if row.platform == platform && row.status.CanBecome(memory.Retracted) {
			ids = append(ids, id)
		}
	}
	return ids
}
