package pam

import "bytes"

// glance is what one pass over a memory in canonical form finds.
type glance struct {
	id, content, contentHash []byte // raw, between the quotes
	kept                     bool   // access.exportable is false (§9)
}

// look reads a memory. ok means that the text is canonical (RFC 8785) and that
// the schema allows it; a test holds it to the schema. Not ok means only that
// the schema itself must be asked, and the canonical form be made: some forty
// times as slow.
func look(raw []byte) (g glance, ok bool) {
	m := memoryCursor{cursor: cursor{b: raw}}
	ok = m.object(m.member) && m.i == len(raw) && m.isWhole()
	return m.glance, ok
}

// memoryCursor holds what was seen of one memory.
type memoryCursor struct {
	cursor
	glance
	kind, custom                           []byte
	customSet, temporal, provenance, entry bool
}

// isWhole is what §4.1 requires, and the rule of §5.1.
func (m *memoryCursor) isWhole() bool {
	if len(m.id) == 0 || len(m.content) == 0 || m.contentHash == nil || m.kind == nil || !m.temporal || !m.provenance {
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
	case "embedding_ref", "summary":
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
		return m.oneOf("active", "superseded", "deprecated", "retracted", "archived")
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

func (m *memoryCursor) confidence(name []byte) bool {
	switch string(name) {
	case "current", "initial":
		f, ok := m.number()
		return ok && f >= 0 && f <= 1
	case "decay_model":
		return m.nullOr("time_linear", "time_exponential", "none")
	case "last_reinforced":
		_, ok := m.textOrNull()
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

func (m *memoryCursor) origin(name []byte) bool {
	switch string(name) {
	case "platform":
		raw, ok := m.text()
		m.entry = ok && isPlatform(raw)
		return m.entry
	case "platform_user_id", "conversation_ref", "message_ref", "extracted_at":
		_, ok := m.textOrNull()
		return ok
	case "extraction_method":
		return m.nullOr("llm_inference", "explicit_user_input", "api_export", "browser_extraction", "manual")
	case "extractor":
		raw, ok := m.textOrNull()
		return ok && (raw == nil || isSystem(raw))
	}
	return false
}

func (m *memoryCursor) times(name []byte) bool {
	switch string(name) {
	case "created_at":
		_, m.temporal = m.text()
		return m.temporal
	case "updated_at", "valid_from", "valid_until", "superseded_by":
		_, ok := m.textOrNull()
		return ok
	}
	return false
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
