package mif

import (
	"encoding/json"
	"maps"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Members that have another name in version 2, by theirs in version 1.
var (
	twoMemory = map[string]string{"type": "memory_type", "embedding": "embeddings"}
	twoSource = map[string]string{"type": "source_type"}
	twoEntity = map[string]string{"text": "name", "type": "entity_type"}
	twoNote   = map[string]string{"type": "comment_type"}
)

// refs are the lists of ids that a memory has in both versions.
var refs = []struct{ one, two, prefix string }{
	{"related_memories", "related_memory_ids", ofMemory},
	{"related_todos", "related_todo_ids", ofTodo},
}

// todoRefs are members of a task that name other things.
var todoRefs = map[string]string{"parent_id": ofTodo, "related_memory_ids": ofMemory}

// mifIDMember keeps in version 2, which has UUIDs only, an id that is none.
const mifIDMember = "mif_id"

// renamed gives members other names. One that has the new name already stays
// under its own.
func renamed(o object, names map[string]string) object {
	out := maps.Clone(o)
	for old, name := range names {
		v, ok := o[old]
		if _, taken := o[name]; !ok || taken {
			continue
		}
		delete(out, old)
		out[name] = v
	}
	return out
}

func reversed(names map[string]string) map[string]string {
	out := make(map[string]string, len(names))
	for one, two := range names {
		out[two] = one
	}
	return out
}

// each changes the objects of a list in a member; what is no list, or holds anything
// else, stays as it is.
func (o object) each(name string, change func(object) object) {
	if o[name].Kind() != '[' {
		return
	}
	list := rawList(o[name])
	for i, v := range list {
		if in, err := asObject(v); err == nil && v.Kind() == '{' {
			list[i] = change(in).text()
		}
	}
	o[name] = listOf(list)
}

func listOf(list []jsontext.Value) jsontext.Value {
	text, err := json.Marshal(list)
	if err != nil || list == nil {
		return jsontext.Value("[]")
	}
	return text
}

// keptID is the member that keeps ids of version 1 which are no UUIDs.
func keptID(name string) string { return "mif_" + name }

// refsToTwo puts ids of other things, one or a list, into the form of version 2.
// Those that do not come back from it are kept beside.
func (o object) refsToTwo(name, prefix string, raw jsontext.Value) {
	exact := true
	out := eachText(raw, func(id string) string {
		bare := bareID(prefix, id)
		exact = exact && prefix+bare == id
		return bare
	})
	o[name] = out
	if !exact {
		o[keptID(name)] = raw
	}
}

// refsFromTwo is its way back.
func (o object) refsFromTwo(name, prefix string) jsontext.Value {
	if kept, ok := o[keptID(name)]; ok {
		delete(o, keptID(name))
		return kept
	}
	return eachText(o[name], func(id string) string { return prefixed(prefix, id) })
}

// eachText changes a text, or each text of a list.
func eachText(raw jsontext.Value, change func(string) string) jsontext.Value {
	switch raw.Kind() {
	case '"':
		var s string
		if json.Unmarshal(raw, &s) == nil {
			return quoted(change(s))
		}
	case '[':
		list := rawList(raw)
		for i, v := range list {
			if v.Kind() == '"' {
				list[i] = eachText(v, change)
			}
		}
		return listOf(list)
	}
	return raw
}

// within changes the object in a member.
func (o object) within(name string, change func(object) object) {
	if in := o.object(name); in != nil {
		o[name] = change(in).text()
	}
}

// bareID is an id of version 1 in version 2.
func bareID(prefix, id string) string {
	if rest, ok := strings.CutPrefix(id, prefix); ok && isUUID(rest) {
		return rest
	}
	return namedUUID(id)
}

// prefixed is an id of version 2 in version 1.
func prefixed(prefix, id string) string {
	if isUUID(id) {
		return prefix + id
	}
	return id
}

func typeOf(from, to func(i int) string, name string) string {
	for i := range types {
		if from(i) == name {
			return to(i)
		}
	}
	return name
}

func one(i int) string { return types[i].one }
func two(i int) string { return types[i].two }

// memoryFromTwo puts a memory of version 2 into the words of version 1.
func memoryFromTwo(m object) object {
	m = renamed(m, reversed(twoMemory))
	m.idFromTwo(ofMemory)
	if m["type"].Kind() == '"' {
		m.put("type", typeOf(two, one, m.string("type")))
	}
	m.within("source", func(s object) object { return renamed(s, reversed(twoSource)) })
	m.each("entities", func(e object) object { return renamed(e, reversed(twoEntity)) })
	m.metadataFromTwo()
	relations := object{}
	for _, ref := range refs {
		if m[ref.two].Kind() == '[' {
			relations[ref.one] = m.refsFromTwo(ref.two, ref.prefix)
			delete(m, ref.two)
		}
	}
	if len(relations) > 0 {
		m["relations"] = relations.text()
	}
	if m["parent_id"].Kind() == '"' {
		m["parent_id"] = m.refsFromTwo("parent_id", ofMemory)
	}
	return m
}

// memoryToTwo is its way back.
func memoryToTwo(m object) object {
	m = renamed(m, twoMemory)
	m.idToTwo(ofMemory)
	if m["memory_type"].Kind() == '"' {
		m.put("memory_type", typeOf(one, two, m.string("memory_type")))
	}
	m.within("source", func(s object) object { return renamed(s, twoSource) })
	m.each("entities", func(e object) object { return renamed(e, twoEntity) })
	m.metadataToTwo()
	if relations := m.object("relations"); relations != nil {
		for _, ref := range refs {
			if relations[ref.one].Kind() == '[' {
				m.refsToTwo(ref.two, ref.prefix, relations[ref.one])
				delete(relations, ref.one)
			}
		}
		m.putOrDrop("relations", relations)
	}
	if m["parent_id"].Kind() == '"' {
		m.refsToTwo("parent_id", ofMemory, m["parent_id"])
	}
	return m
}

// metadataToTwo keeps beside the metadata of version 2, which are texts, those that are
// none.
func (o object) metadataToTwo() {
	metadata, others := o.object("metadata"), object{}
	for name, v := range metadata {
		if v.Kind() != '"' {
			others[name] = v
			delete(metadata, name)
		}
	}
	if len(others) == 0 {
		return
	}
	o[keptID("metadata")] = others.text()
	o.putOrDrop("metadata", metadata)
}

// metadataFromTwo is its way back.
func (o object) metadataFromTwo() {
	others := o.object(keptID("metadata"))
	if others == nil {
		return
	}
	metadata := o.objectOrNew("metadata")
	for name, v := range others {
		if metadata[name] == nil && v.Kind() != '"' {
			metadata[name] = v
		}
	}
	o["metadata"] = metadata.text()
	delete(o, keptID("metadata"))
}

// idFromTwo takes back an id that could not stand in a version as it was.
func (o object) idFromTwo(prefix string) {
	if kept := o.string(mifIDMember); kept != "" && namedUUID(kept) == strings.TrimPrefix(o.string("id"), prefix) {
		o.put("id", kept)
		delete(o, mifIDMember)
		return
	}
	if o["id"].Kind() == '"' {
		o.put("id", prefixed(prefix, o.string("id")))
	}
}

func (o object) idToTwo(prefix string) {
	id := o.string("id")
	bare := bareID(prefix, id)
	if prefix+bare != id {
		o.put(mifIDMember, id)
	}
	o.put("id", bare)
}

// todoFromTwo puts a task of version 2 into the words of version 1.
func todoFromTwo(t object) object {
	t = maps.Clone(t)
	t.idFromTwo(ofTodo)
	for name, prefix := range todoRefs {
		if t[name] != nil {
			t[name] = t.refsFromTwo(name, prefix)
		}
	}
	t.each("comments", func(c object) object { return renamed(c, reversed(twoNote)) })
	if p := t.object("project"); p != nil && projectID(p) == t.string("project_id") {
		delete(t, "project_id")
	}
	return t
}

// todoToTwo is its way back. The members that version 2 requires are there.
func todoToTwo(t object) object {
	t = maps.Clone(t)
	t.idToTwo(ofTodo)
	for name, prefix := range todoRefs {
		if t[name] != nil {
			t.refsToTwo(name, prefix, t[name])
		}
	}
	t.each("comments", func(c object) object { return renamed(c, twoNote) })
	if p := t.object("project"); p != nil && t["project_id"] == nil {
		t.put("project_id", projectID(p))
	}
	if t["updated_at"] == nil {
		t["updated_at"] = t["created_at"]
	}
	if t["priority"] == nil {
		t.put("priority", "none")
	}
	return t
}

// projectID is the UUID by which version 2 names the project of a task.
func projectID(p object) string {
	id := strings.TrimPrefix(p.string("id"), "proj_")
	if isUUID(id) {
		return id
	}
	return namedUUID("project\x00" + p.string("id") + "\x00" + p.string("name"))
}
