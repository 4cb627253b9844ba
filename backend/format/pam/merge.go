package pam

import (
	"bufio"
	"context"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/fault"
	"keepsake/backend/intake"
	"keepsake/backend/jcs"
	"keepsake/backend/schema"
)

// Merged is what a merge made of two documents.
type Merged struct {
	Memories      int            `json:"memories"` // in the result
	Added         int            `json:"added"`
	Updated       int            `json:"updated"`
	Retracted     int            `json:"retracted"` // those of Updated that the delta retracts
	Unchanged     int            `json:"unchanged"` // in both alike
	Relations     int            `json:"relations"`
	Conversations int            `json:"conversations"`
	LeftOut       map[string]int `json:"left_out"` // what the result does not hold, by the reasons below
	Checksum      string         `json:"checksum"`
}

// Reasons of Merged.LeftOut. The result is one document, so of a bundle the
// files beside the store stay where they are.
const (
	leftRelation   = "relation-without-memory"
	leftFile       = "conversation-file"
	leftEmbeddings = "embeddings" // of memories, counted one by one
	leftAttachment = "attachment"
	leftSignature  = "signature"
)

// Merge writes the memory store that base becomes with delta (§16.3, Appendix E):
// a memory of the delta takes the place of the one with its id or is added, none
// is removed, and the checksum is made anew. Everything else base says of itself
// stays but the signature, which was over another checksum. Relations are merged
// by id, the index too, with derived_memories made from the memories. The result
// is one document in canonical pieces: files beside the stores are not in it, are
// counted, and no memory or entry names one.
//
// Both must agree with their own sums. A delta that does not name base is refused
// unless anyBase. What is held is the delta, the ids, and the relations and the
// index of both; of a base whose memories do not stand in order, its memories.
func Merge(ctx context.Context, base, delta *intake.Tree, rules *schema.Set, anyBase bool, w io.Writer) (Merged, error) {
	ground, err := soundStore(ctx, base, rules)
	if err != nil {
		return Merged{}, err
	}
	news, err := soundStore(ctx, delta, rules)
	if err != nil {
		return Merged{}, err
	}
	if b := news.text("base_export_id"); !anyBase && (b == "" || b != ground.text("export_id")) {
		return Merged{}, fault.New(fault.Refused, "merge-base", "{delta} does not build on {base}.").
			With("delta", delta.Name()).With("base", base.Name()).Advise("Name the export it builds on. To merge them all the same, give --any-base.")
	}
	m := &merging{
		ctx: ctx, ground: ground, news: news, ids: map[string]bool{}, derived: map[string][]origin{},
		out:  &storeWriter{w: bufio.NewWriterSize(w, 1<<16)},
		done: Merged{LeftOut: map[string]int{}},
	}
	if err := m.write(); err != nil {
		return Merged{}, err
	}
	return m.done, m.out.flush()
}

// soundDocument is a verified store that is at hand to be read again.
type soundDocument struct {
	*verification
	tree     *intake.Tree
	store    intake.File
	unsorted bool
}

// soundStore verifies a document; one that does not agree with itself, or that
// cannot be checked, is refused: its sums are about to be made anew.
func soundStore(ctx context.Context, tree *intake.Tree, rules *schema.Set) (*soundDocument, error) {
	store, err := findStore(tree)
	if err != nil {
		return nil, err
	}
	v := newVerification(rules)
	if err := v.read(ctx, tree, store); err != nil {
		return nil, err
	}
	d := &soundDocument{v, tree, store, v.sum.unsorted}
	if !v.failed {
		if err := v.settleSum(ctx, tree, store); err != nil {
			return nil, err
		}
	}
	r := v.report(Trust{})
	if r.Valid {
		return d, nil
	}
	f := Finding{Check: "document"}
	if len(r.Problems) > 0 {
		f = r.Problems[0]
	}
	return nil, fault.New(fault.Invalid, "merge-unsound", "{name} is not a sound document ({check} at {place}: {finding}).").
		With("name", tree.Name()).With("check", f.Check).With("place", placeOr(f.Path)).With("finding", f.Message)
}

func placeOr(path string) string {
	if path == "" {
		return "/"
	}
	return path
}

// origin is a memory that came from a conversation.
type origin struct{ id, platform, created string }

// merging is one merge under way.
type merging struct {
	ctx          context.Context
	ground, news *soundDocument
	out          *storeWriter
	done         Merged

	embedded bool                // an embeddings file lies beside one of the stores
	ids      map[string]bool     // memories of the result
	derived  map[string][]origin // by conversation
}

func (m *merging) write() error {
	m.out.text("{\n")
	for _, name := range storeMembers {
		switch name {
		case "memories", "relations", "conversations_index", "integrity", "signature":
			continue
		}
		if raw, ok := m.ground.root[name]; ok {
			m.out.member(name, raw)
		}
	}
	if raw := m.ground.root["signature"]; raw != nil && raw.Kind() == '{' {
		m.done.LeftOut[leftSignature]++
	}
	m.beside()
	sum, err := m.memories()
	if err != nil {
		return err
	}
	relations, index, err := m.rest()
	if err != nil {
		return err
	}
	m.array("relations", relations)
	m.array("conversations_index", index)
	m.done.Relations, m.done.Conversations = len(relations), len(index)
	m.done.Memories, m.done.Checksum = sum.n, sum.finish()
	m.out.last("integrity", integrity{"RFC8785", m.done.Checksum, m.done.Memories})
	m.out.text("\n}\n")
	return m.out.err
}

func (m *merging) array(name string, items []jsontext.Value) {
	m.out.text(`"` + name + `": [`)
	for i, item := range items {
		if i > 0 {
			m.out.text(",")
		}
		m.out.text("\n")
		m.out.bytes(item)
	}
	m.out.text("\n],\n")
}

// beside counts what lies beside the stores and has no place in one document.
func (m *merging) beside() {
	attachments := map[string]bool{}
	for _, d := range []*soundDocument{m.ground, m.news} {
		if _, ok := sibling(d.tree, d.store, EmbeddingsName); ok {
			m.embedded = true
		}
		for _, f := range d.tree.Files() {
			if name, inside := within(path.Dir(d.store.Path), f.Path); inside && strings.HasPrefix(name, attachmentFolder) {
				attachments[name] = true
			}
		}
	}
	if len(attachments) > 0 {
		m.done.LeftOut[leftAttachment] = len(attachments)
	}
}

// alone is a memory without the name of an embedding whose file does not come
// along (§12.1).
func (m *merging) alone(h held) (held, error) {
	if !m.embedded {
		return h, nil
	}
	var members map[string]jsontext.Value
	if err := json.Unmarshal(h.canonical, &members); err != nil {
		return h, err
	}
	if ref := members["embedding_ref"]; ref.Kind() != '"' {
		return h, nil
	}
	delete(members, "embedding_ref")
	m.done.LeftOut[leftEmbeddings]++
	canonical, err := jcs.Marshal(members)
	return held{h.id, canonical}, err
}

// memories writes the array, sorted by id, and sums it.
func (m *merging) memories() (*arraySum, error) {
	news, err := m.news.heldMemories(m.ctx)
	if err != nil {
		return nil, err
	}
	sum := newArraySum()
	m.out.text(`"memories": [`)
	take := func(h held) error {
		h, err := m.alone(h)
		if err != nil {
			return err
		}
		if sum.n > 0 {
			m.out.text(",")
		}
		m.out.text("\n")
		m.out.bytes(h.canonical)
		sum.add([]byte(h.id), h.canonical)
		m.note(h)
		return m.out.err
	}
	next := 0
	err = m.ground.eachMemory(m.ctx, func(h held) error {
		for ; next < len(news) && news[next].id < h.id; next++ {
			m.done.Added++
			if err := take(news[next]); err != nil {
				return err
			}
		}
		if next < len(news) && news[next].id == h.id {
			h = m.updated(h, news[next])
			next++
		}
		return take(h)
	})
	for ; err == nil && next < len(news); next++ {
		m.done.Added++
		err = take(news[next])
	}
	m.out.text("\n],\n")
	return sum, err
}

// updated is the delta's memory in the place of the base's.
func (m *merging) updated(was, is held) held {
	if string(was.canonical) == string(is.canonical) {
		m.done.Unchanged++
		return is
	}
	m.done.Updated++
	if isRetracted(is.canonical) && !isRetracted(was.canonical) {
		m.done.Retracted++
	}
	return is
}

func isRetracted(canonical []byte) bool {
	var m struct {
		Status string `json:"status"`
	}
	return json.Unmarshal(canonical, &m) == nil && m.Status == "retracted"
}

// note keeps what relations and the index ask of a memory.
func (m *merging) note(h held) {
	var v memoryView
	var from struct {
		Provenance struct {
			Platform string `json:"platform"`
		} `json:"provenance"`
	}
	m.ids[h.id] = true
	if json.Unmarshal(h.canonical, &v) != nil || json.Unmarshal(h.canonical, &from) != nil || v.Provenance.ConversationRef == "" {
		return
	}
	ref := v.Provenance.ConversationRef
	m.derived[ref] = append(m.derived[ref], origin{h.id, from.Provenance.Platform, v.Temporal.CreatedAt})
}

// heldMemories holds all memories in canonical form, sorted by id; of one id the
// last counts.
func (d *soundDocument) heldMemories(ctx context.Context) ([]held, error) {
	var all []held
	size := 0
	err := eachMemory(ctx, d.tree, d.store, jcs.Fast, func(id string, canonical []byte) error {
		if size += len(canonical); size > maxHeld {
			return fault.New(fault.TooLarge, "merge-too-large", "The memories of {name} take over {limit} MiB and cannot be put into the order of their ids.").
				With("name", d.tree.Name()).With("limit", maxHeld>>20)
		}
		all = append(all, held{id, slices.Clone(canonical)})
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(all, func(a, b held) int { return strings.Compare(a.id, b.id) })
	kept := all[:0]
	for i, h := range all {
		if i+1 == len(all) || all[i+1].id != h.id {
			kept = append(kept, h)
		}
	}
	return kept, nil
}

// eachMemory gives the memories in the order of their ids, one at a time where
// they stand in it.
func (d *soundDocument) eachMemory(ctx context.Context, take func(held) error) error {
	if d.unsorted {
		all, err := d.heldMemories(ctx)
		for i := 0; err == nil && i < len(all); i++ {
			err = take(all[i])
		}
		return err
	}
	var last *held // one that the next may replace, where an id stands twice
	err := d.eachElement(ctx, "memories", func(raw jsontext.Value) error {
		canonical, err := jcs.Fast(raw)
		if err != nil {
			return err
		}
		h := held{idOf(raw), slices.Clone(canonical)}
		if last != nil && last.id != h.id {
			if err := take(*last); err != nil {
				return err
			}
		}
		last = &h
		return nil
	})
	if err == nil && last != nil {
		err = take(*last)
	}
	return err
}

// eachElement reads one of the arrays again.
func (d *soundDocument) eachElement(ctx context.Context, array string, take func(jsontext.Value) error) error {
	r, err := open(ctx, d.tree, d.store)
	if err != nil {
		return err
	}
	defer r.Close()
	return walk(ctx, r, visitor{
		member: func(string, jsontext.Value) error { return nil },
		element: func(of string, _ int, raw jsontext.Value) error {
			if of != array {
				return nil
			}
			return take(raw)
		},
		known: func(of string, _ int, b []byte) int {
			if of == "memories" && of != array {
				_, n := look(b)
				return n
			}
			return 0
		},
	})
}

// rest merges relations and the index.
func (m *merging) rest() (relations, index []jsontext.Value, err error) {
	rels, err := m.byID("relations", func(jsontext.Value) {})
	if err != nil {
		return nil, nil, err
	}
	for _, raw := range rels {
		var ends struct {
			From string `json:"from"`
			To   string `json:"to"`
		}
		if json.Unmarshal(raw, &ends) != nil || !m.ids[ends.From] || !m.ids[ends.To] {
			m.done.LeftOut[leftRelation]++
			continue
		}
		relations = append(relations, raw)
	}
	filed := map[string]bool{}
	entries, err := m.byID("conversations_index", func(raw jsontext.Value) {
		if hasFile(raw) {
			filed[idOf(raw)] = true
		}
	})
	if err != nil {
		return nil, nil, err
	}
	if len(filed) > 0 {
		m.done.LeftOut[leftFile] = len(filed)
	}
	index, err = m.index(entries)
	return relations, index, err
}

// hasFile reports an entry of the index whose conversation lies in a file.
func hasFile(entry jsontext.Value) bool {
	var e struct {
		Storage struct {
			Type string `json:"type"`
		} `json:"storage"`
	}
	return json.Unmarshal(entry, &e) == nil && e.Storage.Type == "file"
}

// byID is an array of both documents in canonical pieces: those of the base in
// their order, each as the delta has it, then what the delta adds. see is shown
// every piece.
func (m *merging) byID(array string, see func(jsontext.Value)) ([]jsontext.Value, error) {
	var all []jsontext.Value
	at := map[string]int{}
	for _, d := range []*soundDocument{m.ground, m.news} {
		err := d.eachElement(m.ctx, array, func(raw jsontext.Value) error {
			canonical, err := jcs.Fast(raw)
			if err != nil {
				return err
			}
			see(raw)
			id := idOf(raw)
			if i, ok := at[id]; ok {
				all[i] = slices.Clone(canonical)
				return nil
			}
			at[id] = len(all)
			all = append(all, slices.Clone(canonical))
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// index lets each entry name the memories that came from its conversation, and
// adds an entry for a conversation that has none (§14.1). Where neither document
// has an index, none is made.
func (m *merging) index(entries []jsontext.Value) ([]jsontext.Value, error) {
	if len(entries) == 0 {
		return nil, nil
	}
	var out []jsontext.Value
	named := map[string]bool{}
	for _, raw := range entries {
		id := idOf(raw)
		named[id] = true
		entry, err := m.entry(raw, m.derived[id])
		if err != nil {
			return nil, err
		}
		out = append(out, entry)
	}
	var missing []string
	for id := range m.derived {
		if !named[id] {
			missing = append(missing, id)
		}
	}
	slices.Sort(missing)
	for _, id := range missing {
		from := m.derived[id]
		raw, err := jcs.Marshal(map[string]any{
			"id": id, "platform": from[0].platform, "temporal": map[string]string{"created_at": from[0].created},
		})
		if err != nil {
			return nil, err
		}
		entry, err := m.entry(raw, from)
		if err != nil {
			return nil, err
		}
		out = append(out, entry)
	}
	return out, nil
}

// entry is one entry with its memories, and without a file that does not come
// along.
func (m *merging) entry(raw jsontext.Value, from []origin) (jsontext.Value, error) {
	var entry map[string]jsontext.Value
	if err := json.Unmarshal(raw, &entry); err != nil {
		return nil, err
	}
	if hasFile(raw) {
		delete(entry, "storage")
	}
	delete(entry, "derived_memories")
	if len(from) > 0 {
		ids := make([]string, len(from))
		for i, o := range from {
			ids[i] = o.id
		}
		list, err := jcs.Marshal(ids)
		if err != nil {
			return nil, err
		}
		entry["derived_memories"] = list
	}
	return jcs.Marshal(entry)
}
