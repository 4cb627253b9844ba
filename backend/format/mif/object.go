package mif

import (
	"bytes"
	"crypto/sha1" // #nosec: ids by name are version 5 of RFC 9562, not a safeguard
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/jcs"
	"keepsake/backend/memory"
)

// object is a JSON object whose members stay as they are written.
type object map[string]jsontext.Value

func asObject(raw []byte) (object, error) {
	var o object
	err := jsonv2.Unmarshal(raw, &o)
	return o, err
}

// objectOf is any value of ours as an object.
func objectOf(v any) object {
	text, err := json.Marshal(v)
	if err != nil {
		return object{}
	}
	o, err := asObject(text)
	if err != nil {
		return object{}
	}
	return o
}

// text writes an object; what is in it was valid before.
func (o object) text() []byte {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, name := range slices.Sorted(maps.Keys(o)) {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(quoted(name))
		b.WriteByte(':')
		b.Write(o[name])
	}
	b.WriteByte('}')
	return b.Bytes()
}

// string is a member that is a text, "" where it is none.
func (o object) string(name string) string {
	var s string
	if o[name].Kind() != '"' || json.Unmarshal(o[name], &s) != nil {
		return ""
	}
	return s
}

// strings is a member that is a list of texts; what else is in it is left out.
func (o object) strings(name string) []string {
	var texts []string
	for _, v := range rawList(o[name]) {
		var s string
		if v.Kind() == '"' && json.Unmarshal(v, &s) == nil {
			texts = append(texts, s)
		}
	}
	return texts
}

// object is a member that is an object, nil where it is none.
func (o object) object(name string) object {
	if o[name].Kind() != '{' {
		return nil
	}
	in, err := asObject(o[name])
	if err != nil {
		return nil
	}
	return in
}

// objectOrNew is object, and an empty one where there is none.
func (o object) objectOrNew(name string) object {
	if in := o.object(name); in != nil {
		return in
	}
	return object{}
}

// putOrDrop writes an object into a member, or drops the member where it is empty.
func (o object) putOrDrop(name string, in object) {
	if len(in) > 0 {
		o[name] = in.text()
	} else {
		delete(o, name)
	}
}

func (o object) put(name string, v any) { o[name] = value(v) }

// value writes a value of ours without escaping < > &.
func value(v any) jsontext.Value {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return jsontext.Value("null")
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

func quoted(s string) jsontext.Value { return value(s) }

// same compares two values by their canonical form; an absent one is null.
func same(a, b jsontext.Value) bool {
	if bytes.Equal(a, b) {
		return true
	}
	one, err := jcs.Fast(orNull(a))
	if err != nil {
		return false
	}
	other, err := jcs.Fast(orNull(b))
	return err == nil && bytes.Equal(one, other)
}

func orNull(v jsontext.Value) jsontext.Value {
	if len(v) == 0 {
		return jsontext.Value("null")
	}
	return v
}

// differing are the members of is that was does not have like that, and nulls for
// those that only was has. nil where there are none.
func differing(was, is object) object {
	out := object{}
	for name, v := range is {
		if !same(was[name], v) {
			out[name] = v
		}
	}
	for name := range was {
		if _, ok := is[name]; !ok {
			out[name] = jsontext.Value("null")
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// over lays members over an object: null takes one away.
func (o object) over(kept object) object {
	out := maps.Clone(o)
	for name, v := range kept {
		if v.Kind() == 'n' {
			delete(out, name)
		} else {
			out[name] = v
		}
	}
	return out
}

// keptIn reads the members that are kept as a text in a metadata block.
func keptIn(metadata object, name string) object {
	text := metadata.string(name)
	if text == "" {
		return nil
	}
	o, err := asObject([]byte(text))
	if err != nil || jcs.IsTooDeep([]byte(text)) {
		return nil
	}
	return o
}

// inOwnTime writes members that are times as the vault does, where that is the
// same instant to the nanosecond; others stay as they are.
func (o object) inOwnTime(names ...string) object {
	out := maps.Clone(o)
	for _, name := range names {
		at, err := time.Parse(time.RFC3339Nano, o.string(name))
		if err == nil && memory.At(at).Equal(at) {
			out.put(name, memory.At(at).String())
		}
	}
	return out
}

// isUUID reports the written form of RFC 9562, in lower case.
func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i, c := range []byte(s) {
		dash := i == 8 || i == 13 || i == 18 || i == 23
		if dash != (c == '-') || !dash && (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// nameSpace is that of ids which are made from names here.
const nameSpace = "keepsake/mif\x00"

// namedUUID is the UUID of a name, the same wherever it is made.
func namedUUID(name string) string {
	sum := sha1.Sum([]byte(nameSpace + name))
	b := sum[:16]
	b[6], b[8] = b[6]&0x0f|0x50, b[8]&0x3f|0x80
	h := hex.EncodeToString(b)
	return strings.Join([]string{h[:8], h[8:12], h[12:16], h[16:20], h[20:]}, "-")
}
