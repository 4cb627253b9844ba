package mif

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/fault"
	"keepsake/backend/jcs"
	"keepsake/backend/memory"
)

// Members of metadata in which the other format's are kept.
const (
	Kept          = "mif"           // in a memory of PAM
	keptPAM       = "pam"           // in a memory or an edge of MIF
	keptEmbedding = "pam_embedding" // in a memory of MIF: where a vector lies that is not in the file
)

// ofContent is the member of what is kept that says what content it belongs to.
const ofContent = "content_hash"

// Embedding is the vector of a memory's words. Of one that lies elsewhere only
// StorageRef is set.
type Embedding struct {
	ID          string // "" where the document gives none
	Model       string
	Dimensions  int
	CreatedAt   memory.Time
	Vector      []float64
	StorageType string
	StorageRef  string
}

// embeddingID is what an embedding is called that has no id of its own.
func embeddingID(record string) string { return "embedding-" + record }

// baseRecord is what the mapping alone makes of a memory of MIF.
func baseRecord(m object) memory.Record {
	created, _ := memory.ParseTime(m.string("created_at"))
	updated, _ := memory.ParseTime(m.string("updated_at"))
	source := m.object("source")
	content := m.string("content")
	r := memory.Record{
		ID: recordID(ofMemory, m.string("id")), Type: pamType(m.string("type")), Content: content, ContentHash: memory.ContentHash(content),
		Status: memory.Active, Tags: tagsOf(m.strings("tags")),
		Temporal:   memory.Temporal{CreatedAt: created, UpdatedAt: updated},
		Provenance: memory.Provenance{Platform: platformOf(source), ExtractionMethod: methodOf(source)},
	}
	r.SetImportance(importanceOf(m))
	return r
}

// importanceOf is the importance of a memory of MIF, nil where it is none.
func importanceOf(m object) *float64 {
	var importance float64
	if m["importance"].Kind() != '0' || json.Unmarshal(m["importance"], &importance) != nil || importance < 0 || importance > 1 {
		return nil
	}
	return &importance
}

// UseOf is what a document of MIF said of how often a memory was read, which is
// kept with the memory.
func UseOf(r memory.Record) (count int64, last memory.Time) {
	kept := keptOf(r)
	if json.Unmarshal(kept["access_count"], &count) != nil || count < 0 {
		count = 0
	}
	last, _ = memory.ParseTime(kept.string("accessed_at"))
	return count, last
}

// baseMemory is what the mapping alone makes of a memory of PAM.
func baseMemory(r memory.Record) object {
	m := object{
		"id": quoted(mifID(ofMemory, r.ID)), "content": quoted(r.Content), "type": quoted(mifType(r.Type)),
		"created_at": quoted(r.Temporal.CreatedAt.String()),
	}
	if len(r.Tags) > 0 {
		m.put("tags", r.Tags)
	}
	if !r.Temporal.UpdatedAt.IsZero() {
		m.put("updated_at", r.Temporal.UpdatedAt.String())
	}
	if importance, ok := r.Importance(); ok {
		m.put("importance", importance)
	}
	return m
}

// apart are members of a memory that come back from elsewhere: the vault keeps
// vectors by themselves, and what a memory names as relations.
var apart = []string{"embedding", "parent_id"}

// record makes a memory of PAM of one of MIF, and keeps what PAM has no member
// for.
func record(m object) (memory.Record, error) {
	r := baseRecord(m)
	if m["content"].Kind() != '"' || r.Content == "" || r.ID == "" {
		return r, fault.New(fault.Invalid, "mif-no-memory", "A memory without an id or without words was left out.")
	}
	if r.Temporal.CreatedAt.IsZero() {
		return r, fault.New(fault.Invalid, "mif-no-time", "A memory whose created_at is no time was left out.")
	}
	metadata := m.object("metadata")
	r = withKeptPAM(r, keptIn(metadata, keptPAM), m)
	rest := m.inOwnTime("created_at", "updated_at")
	for _, name := range apart {
		if name != "parent_id" || !isOwnName(m.string(name)) {
			delete(rest, name)
		}
	}
	if metadata != nil {
		metadata = maps.Clone(metadata)
		delete(metadata, keptPAM)
		delete(metadata, keptEmbedding)
		delete(rest, "metadata")
		if len(metadata) > 0 || m.object("metadata").string(keptPAM)+m.object("metadata").string(keptEmbedding) == "" {
			rest["metadata"] = metadata.text()
		}
	}
	if relations := m.object("relations"); relations != nil {
		if len(rawList(relations["related_memories"])) > 0 && !slices.ContainsFunc(relations.strings("related_memories"), isOwnName) {
			delete(relations, "related_memories")
		}
		rest.putOrDrop("relations", relations)
	}
	if e := m.object("embedding"); e != nil && embeddingOf(m, r) == nil {
		rest["embedding"] = m["embedding"] // of a form that PAM has no place for
	} else {
		for _, name := range []string{"vector", "id", "created_at", "dimensions", "model"} { // PAM says these of a vector
			delete(e, name)
		}
		rest.putOrDrop("embedding", e)
	}
	kept := differing(baseMemory(r), rest)
	if kept == nil {
		return r, nil
	}
	if kept["embedding"] != nil || kept["redactions"] != nil {
		kept.put(ofContent, r.ContentHash)
	}
	text, err := jcs.Fast(kept.text())
	if err != nil {
		return r, err
	}
	if r.Metadata == nil {
		r.Metadata = map[string]any{}
	}
	r.Metadata[Kept] = string(text)
	return r, nil
}

// withKeptPAM lays over r what a document kept of PAM, but for members that do
// not go with what the document says now.
func withKeptPAM(r memory.Record, kept, m object) memory.Record {
	if kept == nil {
		return r
	}
	delete(kept, "content")
	delete(kept, "content_hash")
	whole, ok := recordOf(objectOf(r).over(kept))
	if !ok {
		return r
	}
	again := baseMemory(whole)
	if again.string("type") != m.string("type") {
		whole.Type, whole.CustomType = r.Type, ""
	}
	if !whole.Temporal.CreatedAt.Equal(r.Temporal.CreatedAt.Time) || !whole.Temporal.UpdatedAt.Equal(r.Temporal.UpdatedAt.Time) {
		whole.Temporal.CreatedAt, whole.Temporal.UpdatedAt = r.Temporal.CreatedAt, r.Temporal.UpdatedAt
	}
	if !slices.Equal(whole.Tags, r.Tags) {
		whole.Tags = r.Tags
	}
	if mifID(ofMemory, whole.ID) != m.string("id") {
		whole.ID = r.ID
	}
	if !same(again["importance"], m["importance"]) {
		whole.SetImportance(importanceOf(m))
	}
	whole.Content, whole.ContentHash = r.Content, r.ContentHash
	return whole
}

func recordOf(o object) (r memory.Record, ok bool) {
	return r, json.Unmarshal(o.text(), &r) == nil
}

// keptOver makes a memory of MIF of one of PAM, with what was kept of MIF. It is
// without its embedding and relations.
func keptOver(r memory.Record) object {
	return withKeptMIF(baseMemory(r), keptOf(r), r)
}

// withLost keeps in a memory of MIF what that has no member for of the one of PAM that
// it was made of.
func withLost(m object, r memory.Record) object {
	if r.Metadata != nil {
		r.Metadata = maps.Clone(r.Metadata)
		delete(r.Metadata, Kept)
		if len(r.Metadata) == 0 {
			r.Metadata = nil
		}
	}
	r.EmbeddingRef = ""
	if lost := differing(objectOf(baseRecord(m)), objectOf(r)); lost != nil {
		keep(m, keptPAM, lost)
	}
	return m
}

// keep puts members into the metadata of a memory or an edge, as a text.
func keep(m object, name string, kept object) {
	metadata := m.objectOrNew("metadata")
	metadata.put(name, string(kept.text()))
	m["metadata"] = metadata.text()
}

// keptOf are the members that the vault kept of MIF, nil for none.
func keptOf(r memory.Record) object {
	text, _ := r.Metadata[Kept].(string)
	kept, _ := asObject([]byte(text))
	return kept
}

// withKeptMIF lays over m what the vault kept of MIF, but for members that do
// not go with what the memory says now.
func withKeptMIF(m, kept object, r memory.Record) object {
	if kept == nil {
		return m
	}
	kept = maps.Clone(kept)
	if hash := kept.string(ofContent); hash != "" && hash != r.ContentHash {
		delete(kept, "embedding")
		delete(kept, "redactions")
	}
	delete(kept, ofContent)
	delete(kept, "content")
	whole := m.over(kept)
	again := baseRecord(whole)
	if again.Type != r.Type {
		whole["type"] = m["type"]
	}
	if again.ID != r.ID {
		whole["id"] = m["id"]
	}
	if !slices.Equal(again.Tags, tagsOf(r.Tags)) {
		whole.back("tags", m)
	}
	if !again.Temporal.CreatedAt.Equal(r.Temporal.CreatedAt.Time) {
		whole["created_at"] = m["created_at"]
	}
	if !again.Temporal.UpdatedAt.Equal(r.Temporal.UpdatedAt.Time) {
		whole.back("updated_at", m)
	}
	if m["importance"] != nil {
		whole["importance"] = m["importance"]
	}
	return whole
}

// back takes a member as another object has it.
func (o object) back(name string, from object) {
	if v, ok := from[name]; ok {
		o[name] = v
	} else {
		delete(o, name)
	}
}

// embeddingOf reads the vector of a memory, nil where there is none that PAM has
// a place for.
func embeddingOf(m object, r memory.Record) *Embedding {
	if away := keptIn(m.object("metadata"), keptEmbedding); away != nil {
		e := &Embedding{ID: away.string("id"), Model: away.string("model"), StorageType: away.string("type"), StorageRef: away.string("ref")}
		e.CreatedAt, _ = memory.ParseTime(away.string("created_at"))
		_ = json.Unmarshal(away["dimensions"], &e.Dimensions) // 0 where it is no number
		return e
	}
	in := m.object("embedding")
	e := &Embedding{ID: embeddingID(r.ID), Model: in.string("model"), CreatedAt: r.Temporal.CreatedAt}
	if json.Unmarshal(in["dimensions"], &e.Dimensions) != nil || json.Unmarshal(in["vector"], &e.Vector) != nil ||
		e.Model == "" || e.Dimensions < 1 || len(e.Vector) != e.Dimensions {
		return nil
	}
	if id := in.string("id"); id != "" {
		e.ID = id
	}
	if at, err := memory.ParseTime(in.string("created_at")); err == nil {
		e.CreatedAt = at
	}
	return e
}

// putEmbedding writes a vector into a memory, over what was kept of it.
func putEmbedding(m object, r memory.Record, e Embedding) {
	if e.Vector == nil {
		away := object{"id": quoted(e.ID), "model": quoted(e.Model), "type": quoted(e.StorageType), "ref": quoted(e.StorageRef),
			"created_at": quoted(e.CreatedAt.String()), "dimensions": value(e.Dimensions)}
		keep(m, keptEmbedding, away)
		delete(m, "embedding") // there is no vector here of which it could say more
		return
	}
	out := m.objectOrNew("embedding")
	out["model"], out["dimensions"], out["vector"] = quoted(e.Model), value(e.Dimensions), value(e.Vector)
	if e.ID != embeddingID(r.ID) {
		out.put("id", e.ID)
	}
	if !e.CreatedAt.Equal(r.Temporal.CreatedAt.Time) {
		out.put("created_at", e.CreatedAt.String())
	}
	m["embedding"] = out.text()
}

// How a relation that a memory names leaves again.
const (
	Related = "related" // in relations.related_memories of its first memory
	Parent  = "parent"  // as parent_id of its first memory
)

// Links are both.
func Links() []string { return []string{Related, Parent} }

// IsLink reports one of them.
func IsLink(how string) bool { return how == Related || how == Parent }

// Link is a relation that a memory names by itself.
type Link struct {
	To  string // id as the vault has it
	How string // Related or Parent
}

func linksOf(m object) []Link {
	var links []Link
	for _, id := range m.object("relations").strings("related_memories") {
		links = append(links, Link{recordID(ofMemory, id), Related})
	}
	if id := m.string("parent_id"); id != "" {
		links = append(links, Link{recordID(ofMemory, id), Parent})
	}
	return links
}

// isOwnName reports an id that is made of no UUID: what the vault calls such a memory
// does not lead back to it, so it is kept where a memory names another one so.
func isOwnName(id string) bool { return mifID(ofMemory, recordID(ofMemory, id)) != id && id != "" }

// putLinks writes the relations that a memory names, by the names that were kept of
// them. What was kept of relations that are no more does not leave.
func putLinks(m object, links []Link) {
	relations := m.objectOrNew("relations")
	names := map[string]string{}
	for _, id := range append(relations.strings("related_memories"), m.string("parent_id")) {
		names[recordID(ofMemory, id)] = id
	}
	delete(m, "parent_id")
	var related []string
	for _, l := range links {
		id := cmp.Or(names[l.To], mifID(ofMemory, l.To))
		if l.How == Parent {
			m.put("parent_id", id)
			continue
		}
		related = append(related, id)
	}
	if len(rawList(relations["related_memories"])) > 0 {
		delete(relations, "related_memories")
	}
	if len(related) > 0 {
		relations.put("related_memories", related)
	}
	m.putOrDrop("relations", relations)
}

// relation is the relation of PAM that a link of a memory is.
func (l Link) relation(from memory.Record) memory.Relation {
	t := memory.RelatedTo
	if l.How == Parent {
		t = memory.DerivedFrom
	}
	return memory.Relation{ID: namedUUID(strings.Join([]string{from.ID, l.To, string(t), l.How}, "\x00")), From: from.ID, To: l.To, Type: t, CreatedAt: from.Temporal.CreatedAt}
}

// known lists members that are not unknown: of version 1 with its schema, of
// version 2, and ours.
func known(names ...string) map[string]bool {
	set := map[string]bool{}
	for _, name := range strings.Fields(strings.Join(names, " ")) {
		set[name] = true
	}
	return set
}

var memoryMembers = known("id content type importance created_at updated_at accessed_at access_count decay_rate tags source entities embedding relations redactions",
	"metadata parent_id agent_id external_id version")

// clip shortens a name of somebody else's so that it fits into a sentence.
func clip(name string) string {
	const longest = 64
	if len(name) > longest {
		name = name[:longest]
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == '\uFFFD' {
			return '?'
		}
		return r
	}, strings.ToValidUTF8(name, "?"))
}

// rawList is a list of values.
func rawList(raw jsontext.Value) (all []jsontext.Value) {
	_ = json.Unmarshal(raw, &all) // what is no list has no items
	return all
}
