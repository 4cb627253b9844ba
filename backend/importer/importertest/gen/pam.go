package gen

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"
)

// PAMOptions says what a Portable AI Memory document holds.
type PAMOptions struct {
	Seed          uint64
	Memories      int
	Conversations int
	Turns         int
	// Foreign writes what others may: null members, times with an offset,
	// members that no specification has, no message parents.
	Foreign bool
	// Delta makes it incremental, on the export of this id.
	Delta string
}

// PAMTruth is what is planted in a document.
type PAMTruth struct {
	Contents      []string // of memories, in the order of the file
	IDs           []string
	Relations     int
	Conversations []string // ids
	Unknown       int      // members that nobody knows
}

type pamFile struct {
	o PAMOptions
	maker
	truth PAMTruth
	named map[string][]string // conversation → memories
}

// PAM makes a bundle: the store and its conversations. The first file alone is
// a document, too.
func PAM(o PAMOptions) ([]File, PAMTruth) {
	p := &pamFile{o: o, maker: newMaker(o.Seed), named: map[string][]string{}}
	var files []File
	for range o.Conversations {
		p.truth.Conversations = append(p.truth.Conversations, p.uuid())
	}
	memories := []any{}
	for i := range o.Memories {
		memories = append(memories, p.memory(i))
	}
	index := []any{}
	for i, id := range p.truth.Conversations {
		doc, entry := p.conversation(i, id)
		files = append(files, File{Name: "conversations/" + id + ".json", Data: toJSON(doc)})
		index = append(index, entry)
	}
	store := object{
		"schema": "portable-ai-memory", "schema_version": "1.0", "export_id": p.uuid(), "export_date": "2026-08-01T10:00:00Z",
		"export_type": "full", "owner": object{"id": p.uuid()}, "memories": memories, "relations": p.relations(), "conversations_index": index,
		"integrity": object{"canonicalization": "RFC8785", "checksum": "sha256:" + hexSum(toJSON(byID(memories))), "total_memories": len(memories)},
	}
	if o.Delta != "" {
		store["export_type"], store["base_export_id"], store["since"] = "incremental", o.Delta, "2026-07-01T00:00:00Z"
	}
	if o.Foreign {
		store["spec_uri"], store["signature"], store["exported_with_love"] = nil, nil, true
		p.truth.Unknown++
	}
	return append([]File{{Name: "memory-store.json", Data: toJSON(store)}}, files...), p.truth
}

// byID are memories in the order in which they are summed.
func byID(memories []any) []any {
	id := func(m any) string { return m.(object)["id"].(string) }
	out := slices.Clone(memories)
	slices.SortFunc(out, func(a, b any) int { return strings.Compare(id(a), id(b)) })
	return out
}

func hexSum(text []byte) string {
	s := sha256.Sum256(text)
	return hex.EncodeToString(s[:])
}

func (p *pamFile) at(day int) string {
	t := time.Date(2026, 3, 1, 9, 30, 0, 0, time.UTC).AddDate(0, 0, day)
	if p.o.Foreign {
		return t.In(time.FixedZone("", -3*3600)).Format("2006-01-02T15:04:05-07:00")
	}
	return t.Format("2006-01-02T15:04:05Z")
}

func (p *pamFile) memory(i int) object {
	content := fmt.Sprintf("keeps %d brass clocks of seed %d", i+1, p.o.Seed)
	id := p.uuid()
	p.truth.Contents, p.truth.IDs = append(p.truth.Contents, content), append(p.truth.IDs, id)
	provenance := object{"platform": []string{"chatgpt", "claude", "gemini"}[i%3], "extraction_method": "explicit_user_input"}
	if n := len(p.truth.Conversations); n > 0 && i%2 == 0 {
		ref := p.truth.Conversations[i%n]
		provenance["conversation_ref"] = ref
		p.named[ref] = append(p.named[ref], id)
	}
	m := object{
		"id": id, "type": []string{"fact", "skill", "custom", "goal"}[i%4], "content": content, "content_hash": "sha256:" + hexSum([]byte(strings.ToLower(content))),
		"status": []string{"active", "active", "archived", "retracted", "active"}[i%5], "tags": []string{"clocks"},
		"temporal":   object{"created_at": p.at(i)},
		"provenance": provenance,
		"confidence": object{"initial": 0.9, "current": 0.75, "decay_model": "time_linear"},
		"access":     object{"visibility": "shared", "exportable": true, "shared_with": []any{object{"entity": "agent-x", "permissions": []string{"read"}}}},
		"metadata":   object{"language": "en", "workshop": "Tromso"},
	}
	if m["type"] == "custom" {
		m["custom_type"] = "collection"
	}
	if p.o.Foreign {
		m["summary"], m["embedding_ref"], m["mood"] = nil, nil, "calm"
		provenance["camera"] = "none"
		p.truth.Unknown += 2
	}
	return m
}

func (p *pamFile) relations() []any {
	all := []any{}
	for i := 1; i < len(p.truth.IDs); i += 2 {
		all = append(all, object{
			"id": p.uuid(), "from": p.truth.IDs[i], "to": p.truth.IDs[i-1], "type": []string{"supports", "extends", "related_to"}[i%3],
			"confidence": 0.5, "created_at": p.at(i),
		})
	}
	p.truth.Relations = len(all)
	return all
}

func (p *pamFile) conversation(i int, id string) (doc, entry object) {
	messages := []any{}
	before := ""
	for k := range 2 * p.o.Turns {
		m := object{"id": fmt.Sprintf("m%d-%d", i, k), "role": []string{"user", "assistant"}[k%2], "created_at": p.at(k),
			"content": object{"type": "text", "text": fmt.Sprintf("line %d about clock %d", k, i)}}
		if !p.o.Foreign && before != "" {
			m["parent_id"] = before
		}
		if p.o.Foreign {
			m["parent_id"], m["model"] = nil, nil
		} else if k < 2*p.o.Turns-1 {
			m["children_ids"] = []string{fmt.Sprintf("m%d-%d", i, k+1)}
		}
		before = m["id"].(string)
		messages = append(messages, m)
	}
	platform := []string{"claude", "chatgpt"}[i%2]
	doc = object{
		"schema": "portable-ai-memory-conversation", "schema_version": "1.0", "id": id, "title": fmt.Sprintf("Clock %d", i),
		"provider": object{"name": platform, "conversation_id": "native-" + id}, "temporal": object{"created_at": p.at(0), "updated_at": p.at(i + 1)},
		"messages": messages,
	}
	entry = object{
		"id": id, "platform": platform, "title": fmt.Sprintf("Clock %d", i), "message_count": len(messages),
		"temporal": object{"created_at": p.at(0), "updated_at": p.at(i + 1)}, "derived_memories": p.named[id],
		"storage": object{"type": "file", "ref": "conversations/" + id + ".json", "format": "json"},
	}
	if p.named[id] == nil {
		delete(entry, "derived_memories")
	}
	return doc, entry
}
