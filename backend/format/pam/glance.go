package pam

import "bytes"

// glance is what one pass over a memory in canonical form finds: texts as they
// stand between their quotes, nil where they are null or missing.
type glance struct {
	id, content, contentHash []byte
	embedding                []byte
	conversation, extracted  []byte // of the provenance
	created, updated         []byte
	validFrom, validUntil    []byte
	supersededBy, reinforced []byte
	superseded, archived     bool // the status
	kept                     bool // access.exportable is false (§9)
}

// look reads the memory at the start of b and returns its length. It is not 0
// where the text is canonical (RFC 8785) and the schema allows it; a test holds
// it to the schema. 0 means only that the schema itself must be asked, and the
// canonical form be made, some forty times as slow, or that b is cut off.
func look(b []byte) (g glance, n int) {
	m := memoryCursor{cursor: cursor{b: b}}
	if !m.object(m.member) || !m.isWhole() {
		return glance{}, 0
	}
	return m.glance, m.i
}

// memoryCursor holds what was seen of one memory.
type memoryCursor struct {
	cursor
	glance
	kind, custom          []byte
	customSet, provenance bool
	entry                 bool // the platform it came from
}

// isWhole is what §4.1 requires, and the rule of §5.1.
func (m *memoryCursor) isWhole() bool {
	if len(m.id) == 0 || len(m.content) == 0 || m.contentHash == nil || m.kind == nil || m.created == nil || !m.provenance {
		return false
	}
	if string(m.kind) == "custom" {
		return len(m.custom) > 0
	}
	return !m.customSet
}

func (m *memoryCursor) member(name []byte) (ok bool) {
	switch string(name) {
	case "access":
		return m.object(m.access)
	case "confidence":
		return m.object(m.confidence)
	case "content":
		m.content, ok = m.text()
		return ok
	case "content_hash":
		m.contentHash, ok = m.text()
		return ok && isDigest(m.contentHash)
	case "custom_type":
		m.custom, ok = m.textOrNull()
		m.customSet = m.custom != nil
		return ok
	case "embedding_ref":
		m.embedding, ok = m.textOrNull()
		return ok
	case "summary":
		_, ok = m.textOrNull()
		return ok
	case "id":
		m.id, ok = m.text()
		return ok
	case "metadata":
		return m.object(m.metadata)
	case "provenance":
		m.provenance = m.object(m.origin) && m.entry
		return m.provenance
	case "status":
		m.superseded = m.word(`"superseded"`)
		m.archived = !m.superseded && m.word(`"archived"`)
		return m.superseded || m.archived || m.oneOf("active", "deprecated", "retracted")
	case "tags":
		return m.tags()
	case "temporal":
		return m.object(m.times)
	case "type":
		return m.taxonomy()
	}
	return false
}

// textOrNull is nil for null, and not nil for a string.
func (c *cursor) textOrNull() (raw []byte, ok bool) {
	if c.word("null") {
		return nil, true
	}
	return c.text()
}

func (c *cursor) oneOf(words ...string) bool {
	raw, ok := c.text()
	if !ok {
		return false
	}
	for _, w := range words {
		if string(raw) == w {
			return true
		}
	}
	return false
}

func (c *cursor) nullOr(words ...string) bool { return c.word("null") || c.oneOf(words...) }

func (m *memoryCursor) taxonomy() bool {
	start := m.i + 1
	if !m.oneOf("fact", "preference", "skill", "context", "relationship", "goal", "instruction", "identity", "environment", "project", "custom") {
		return false
	}
	m.kind = m.b[start : m.i-1]
	return true
}

func (m *memoryCursor) access(name []byte) bool {
	switch string(name) {
	case "exportable":
		m.kept = m.word("false")
		return m.kept || m.word("true")
	case "shared_with":
		return m.array(m.grant)
	case "visibility":
		return m.oneOf("private", "shared", "public")
	}
	return false
}

func (m *memoryCursor) grant() bool {
	var entity, permissions bool
	ok := m.object(func(name []byte) bool {
		switch string(name) {
		case "entity":
			raw, ok := m.text()
			entity = ok && len(raw) > 0
			return entity
		case "permissions":
			permissions = m.permissions()
			return permissions
		}
		return false
	})
	return ok && entity && permissions
}

// permissions are at least one of three, none twice.
func (m *memoryCursor) permissions() bool {
	var seen [3]bool
	n := 0
	return m.array(func() bool {
		raw, ok := m.text()
		i := map[string]int{"read": 1, "write": 2, "delete": 3}[string(raw)] - 1
		if !ok || i < 0 || seen[i] {
			return false
		}
		seen[i] = true
		n++
		return true
	}) && n > 0
}

func (m *memoryCursor) confidence(name []byte) (ok bool) {
	switch string(name) {
	case "current", "initial":
		return m.share()
	case "decay_model":
		return m.nullOr("time_linear", "time_exponential", "none")
	case "last_reinforced":
		m.reinforced, ok = m.textOrNull()
		return ok
	}
	return false
}

func (m *memoryCursor) metadata(name []byte) bool {
	switch string(name) {
	case "domain":
		_, ok := m.textOrNull()
		return ok
	case "language":
		raw, ok := m.textOrNull()
		return ok && (raw == nil || isLanguage(raw))
	}
	return m.anything()
}

func (m *memoryCursor) origin(name []byte) (ok bool) {
	switch string(name) {
	case "platform":
		raw, ok := m.text()
		m.entry = ok && isPlatform(raw)
		return m.entry
	case "conversation_ref":
		m.conversation, ok = m.textOrNull()
		return ok
	case "extracted_at":
		m.extracted, ok = m.textOrNull()
		return ok
	case "message_ref", "platform_user_id":
		_, ok = m.textOrNull()
		return ok
	case "extraction_method":
		return m.nullOr("llm_inference", "explicit_user_input", "api_export", "browser_extraction", "manual")
	case "extractor":
		raw, ok := m.textOrNull()
		return ok && (raw == nil || isSystem(raw))
	}
	return false
}

func (m *memoryCursor) times(name []byte) (ok bool) {
	switch string(name) {
	case "created_at":
		m.created, ok = m.text()
	case "superseded_by":
		m.supersededBy, ok = m.textOrNull()
	case "updated_at":
		m.updated, ok = m.textOrNull()
	case "valid_from":
		m.validFrom, ok = m.textOrNull()
	case "valid_until":
		m.validUntil, ok = m.textOrNull()
	}
	return ok
}

// tags are few; more than these go the long way.
const fewTags = 32

func (m *memoryCursor) tags() bool {
	var seen [fewTags][]byte
	n := 0
	return m.array(func() bool {
		raw, ok := m.text()
		if !ok || !isTag(raw) || n == fewTags {
			return false
		}
		for _, other := range seen[:n] {
			if bytes.Equal(raw, other) {
				return false
			}
		}
		seen[n] = raw
		n++
		return true
	})
}
