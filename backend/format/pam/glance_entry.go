package pam

import "math"

// lookRelation is look for a relation (§13).
func lookRelation(b []byte) (n int) {
	r := relationCursor{cursor: cursor{b: b}}
	if !r.object(r.member) || r.required != 5 {
		return 0
	}
	return r.i
}

// lookEntry is look for an entry of conversations_index (§14).
func lookEntry(b []byte) (n int) {
	e := entryCursor{cursor: cursor{b: b}}
	if !e.object(e.member) || e.required != 3 {
		return 0
	}
	return e.i
}

// relationCursor counts the members that must be there; none can come twice.
type relationCursor struct {
	cursor
	required int
}

func (r *relationCursor) member(name []byte) bool {
	switch string(name) {
	case "confidence":
		return r.word("null") || r.share()
	case "created_at":
		r.required++
		_, ok := r.text()
		return ok
	case "from", "id", "to":
		r.required++
		return r.someText()
	case "type":
		r.required++
		return r.oneOf("supports", "contradicts", "extends", "supersedes", "related_to", "derived_from")
	}
	return false
}

type entryCursor struct {
	cursor
	required int
}

func (e *entryCursor) member(name []byte) bool {
	switch string(name) {
	case "derived_memories":
		return e.array(e.someText)
	case "id":
		e.required++
		return e.someText()
	case "message_count":
		return e.word("null") || e.count()
	case "platform":
		e.required++
		raw, ok := e.text()
		return ok && isPlatform(raw)
	case "storage":
		return e.storage()
	case "tags":
		return e.array(func() bool { raw, ok := e.text(); return ok && isTag(raw) })
	case "temporal":
		e.required++
		return e.temporal()
	case "title":
		_, ok := e.textOrNull()
		return ok
	}
	return false
}

func (e *entryCursor) temporal() bool {
	created := false
	return e.object(func(name []byte) (ok bool) {
		switch string(name) {
		case "created_at":
			_, created = e.text()
			return created
		case "updated_at":
			_, ok = e.textOrNull()
		}
		return ok
	}) && created
}

func (e *entryCursor) storage() bool {
	required := 0
	return e.object(func(name []byte) (ok bool) {
		switch string(name) {
		case "format":
			_, ok = e.textOrNull()
		case "ref":
			required++
			ok = e.someText()
		case "type":
			required++
			ok = e.oneOf("file", "database", "object_storage", "vector_db", "uri")
		}
		return ok
	}) && required == 2
}

func (c *cursor) someText() bool {
	raw, ok := c.text()
	return ok && len(raw) > 0
}

// share is a number from 0 to 1.
func (c *cursor) share() bool {
	f, ok := c.number()
	return ok && f >= 0 && f <= 1
}

func (c *cursor) count() bool {
	f, ok := c.number()
	return ok && f >= 0 && f == math.Trunc(f)
}
