package pam

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/memory"
)

// DecodeMemory reads one memory object, in any order of members; members it does
// not know are passed over. In canonical form, as memories are stored, this
// takes a fifth of the time. The texts of the record share one memory.
func DecodeMemory(raw []byte) (r memory.Record, err error) {
	err = DecodeMemoryInto(raw, &r)
	return r, err
}

// DecodeMemoryInto is DecodeMemory into an empty record, which is large.
func DecodeMemoryInto(raw []byte, r *memory.Record) error {
	if decodeQuickly(raw, r) {
		return nil
	}
	*r = memory.Record{}
	if err := json.Unmarshal(raw, r); err != nil {
		return fmt.Errorf("decode memory: %w", err)
	}
	return nil
}

func decodeQuickly(raw []byte, r *memory.Record) bool {
	d := recordCursor{cursor: cursor{b: raw}, whole: string(raw), record: r}
	return d.object(d.member) && d.i == len(raw)
}

// recordCursor decodes a memory in canonical form. As with any cursor, a "no"
// is no verdict: everything it takes, the thorough decoder reads the same way.
type recordCursor struct {
	cursor
	whole  string // b, of which texts without escapes are parts
	record *memory.Record
}

func (d *recordCursor) member(name []byte) bool {
	r := d.record
	switch string(name) {
	case "access":
		r.Access = &memory.Access{}
		return d.object(d.access)
	case "confidence":
		r.Confidence = &memory.Confidence{}
		return d.object(d.confidence)
	case "content":
		return textInto(d, &r.Content)
	case "content_hash":
		return textInto(d, &r.ContentHash)
	case "custom_type":
		return textInto(d, &r.CustomType)
	case "embedding_ref":
		return textInto(d, &r.EmbeddingRef)
	case "id":
		return textInto(d, &r.ID)
	case "metadata":
		r.Metadata = map[string]any{}
		return d.members(r.Metadata)
	case "provenance":
		return d.object(d.origin)
	case "status":
		return textInto(d, &r.Status)
	case "summary":
		return textInto(d, &r.Summary)
	case "tags":
		return d.texts(&r.Tags)
	case "temporal":
		return d.object(d.times)
	case "type":
		return textInto(d, &r.Type)
	}
	return false
}

func (d *recordCursor) access(name []byte) bool {
	a := d.record.Access
	switch string(name) {
	case "exportable":
		a.Exportable = d.word("true")
		return a.Exportable || d.word("false")
	case "shared_with":
		a.SharedWith = []memory.Grant{}
		return d.array(d.grant)
	case "visibility":
		return textInto(d, &a.Visibility)
	}
	return false
}

func (d *recordCursor) grant() bool {
	var g memory.Grant
	ok := d.object(func(name []byte) bool {
		switch string(name) {
		case "entity":
			return textInto(d, &g.Entity)
		case "permissions":
			return d.texts(&g.Permissions)
		}
		return false
	})
	d.record.Access.SharedWith = append(d.record.Access.SharedWith, g)
	return ok
}

func (d *recordCursor) confidence(name []byte) bool {
	c := d.record.Confidence
	switch string(name) {
	case "current":
		return d.share(&c.Current)
	case "decay_model":
		return textInto(d, &c.DecayModel)
	case "initial":
		return d.share(&c.Initial)
	case "last_reinforced":
		return d.time(&c.LastReinforced)
	}
	return false
}

func (d *recordCursor) share(into **float64) bool {
	value, ok := d.number()
	*into = &value
	return ok
}

func (d *recordCursor) origin(name []byte) bool {
	p := &d.record.Provenance
	switch string(name) {
	case "conversation_ref":
		return textInto(d, &p.ConversationRef)
	case "extracted_at":
		return d.time(&p.ExtractedAt)
	case "extraction_method":
		return textInto(d, &p.ExtractionMethod)
	case "extractor":
		return textInto(d, &p.Extractor)
	case "message_ref":
		return textInto(d, &p.MessageRef)
	case "platform":
		return textInto(d, &p.Platform)
	case "platform_user_id":
		return textInto(d, &p.PlatformUserID)
	}
	return false
}

func (d *recordCursor) times(name []byte) bool {
	t := &d.record.Temporal
	switch string(name) {
	case "created_at":
		return d.time(&t.CreatedAt)
	case "superseded_by":
		return textInto(d, &t.SupersededBy)
	case "updated_at":
		return d.time(&t.UpdatedAt)
	case "valid_from":
		return d.time(&t.ValidFrom)
	case "valid_until":
		return d.time(&t.ValidUntil)
	}
	return false
}

// textInto reads a text, or null as "".
func textInto[T ~string](d *recordCursor, into *T) bool {
	raw, ok := d.textOrNull()
	if raw != nil {
		*into = T(d.unescaped(raw))
	}
	return ok
}

// unescaped is what the text says that was just read.
func (d *recordCursor) unescaped(raw []byte) string {
	end := d.i - len(`"`)
	if bytes.IndexByte(raw, '\\') < 0 {
		return d.whole[end-len(raw) : end]
	}
	text, _ := jsontext.AppendUnquote(nil, d.b[end-len(raw)-1:d.i]) // the cursor took it
	return string(text)
}

// time reads an instant in the form that we write, or null.
func (d *recordCursor) time(into *memory.Time) (ok bool) {
	raw, ok := d.textOrNull()
	if raw != nil {
		*into, ok = memory.OwnTime(raw)
	}
	return ok
}

// texts reads an array of texts; it is not nil.
func (d *recordCursor) texts(into *[]string) bool {
	*into = []string{}
	return d.array(func() bool {
		raw, ok := d.text()
		if ok {
			*into = append(*into, d.unescaped(raw))
		}
		return ok
	})
}

// members reads an object of the open block.
func (d *recordCursor) members(into map[string]any) bool {
	return d.object(func(name []byte) bool {
		key := d.whole[d.i-len(`":`)-len(name) : d.i-len(`":`)]
		value, ok := d.value()
		into[key] = value
		return ok
	})
}

// value reads any value of the open block, as encoding/json does into an any.
func (d *recordCursor) value() (v any, ok bool) {
	if d.i == len(d.b) {
		return nil, false
	}
	switch d.b[d.i] {
	case '"':
		raw, ok := d.text()
		if !ok {
			return nil, false
		}
		return d.unescaped(raw), true
	case '{', '[':
		return d.block()
	case 't':
		return true, d.word("true")
	case 'f':
		return false, d.word("false")
	case 'n':
		return nil, d.word("null")
	}
	return d.number()
}

func (d *recordCursor) block() (v any, ok bool) {
	if d.depth++; d.depth > maxNested {
		return nil, false
	}
	defer func() { d.depth-- }()
	if d.b[d.i] == '{' {
		all := map[string]any{}
		return all, d.members(all)
	}
	all := []any{}
	ok = d.array(func() bool {
		v, ok := d.value()
		all = append(all, v)
		return ok
	})
	return all, ok
}
