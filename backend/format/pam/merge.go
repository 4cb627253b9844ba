package pam

import (
	"bufio"
	"context"
	"io"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/fault"
	"keepsake/backend/intake"
	"keepsake/backend/jcs"
	"keepsake/backend/memory"
	"keepsake/backend/schema"
)

// Merged is what a merge made of two documents.
type Merged struct {
	Memories      int            `json:"memories"` // in the result
	Added         int            `json:"added"`
	Updated       int            `json:"updated"`
	Retracted     int            `json:"retracted"` // those of Updated that the delta retracts
	Unchanged     int            `json:"unchanged"` // in both alike
	Kept          int            `json:"kept"`      // as base has them, because somebody chose that
	Refused       int            `json:"refused"`   // as base has them, because the delta may not change them
	Mixed         int            `json:"mixed"`     // those of Updated of which only chosen members are the delta's
	Relations     int            `json:"relations"`
	Conversations int            `json:"conversations"`
	Bundle        bool           `json:"bundle"` // not one document
	Files         int            `json:"conversation_files"`
	Attachments   int            `json:"attachments"`
	Embeddings    int            `json:"embeddings"`
	LeftOut       map[string]int `json:"left_out"` // what the result does not hold, by the reasons below
	Checksum      string         `json:"checksum"`

	// Unknown is how often each member that PAM 1.0 does not have stood in documents
	// of a newer minor version, by its name: "memory:mood". The result has none of them.
	Unknown map[string]int `json:"unknown,omitempty"`

	// Changes are what the delta may not change without the person's word, and what
	// differs beside the stores.
	Changes []MergeChange `json:"changes"`
}

// Reasons of Merged.LeftOut. The result is one document, so of a bundle the
// files beside the store stay where they are.
const (
	leftRelation   = "relation-without-memory"
	leftSuccessor  = "superseded-by-without-memory" // the name of it, in a memory that it took the place of
	leftFile       = "conversation-file"
	leftEmbeddings = "embeddings" // of memories, counted one by one
	leftAttachment = "attachment"
	leftSignature  = "signature"
	leftKept       = "not-exportable" // memories that may leave in no export
	leftUnpicked   = "not-picked"     // memories that somebody chose to leave out
	leftUnknown    = "unknown-member" // that PAM 1.0 does not have
	leftRefused    = "not-allowed"    // relations and embeddings of memories of base, which the delta may not add
	leftOther      = "other-file"     // of a bundle, which no specification knows
)

// Version is whose version of a memory a merge takes.
type Version string

const (
	OfBase  Version = "base"  // as base has it: left out where base has none
	OfDelta Version = "delta" // as the delta has it: left out where the delta has none
	OfBoth  Version = "both"  // as base has it, but for the members that are named
)

// Choice is what somebody chose for one memory.
type Choice struct {
	Of     Version  `json:"of"`
	Fields []string `json:"fields,omitempty"` // of OfBoth: pointers as in FieldDiff, taken as the delta has them
}

// MergeOptions say how two documents become one.
type MergeOptions struct {
	AnyBase bool  // although delta does not build on base
	Trust   Trust // whose signatures allow delta to change base, beside that of who signed base
	Theirs  bool  // the person takes whatever delta has in another version, but no wider access
	// Choices are the person's, by the id of the memory. What is not named is merged as
	// §16.3 has it, where the delta may change base; Suggested are for what it may
	// change, where the two come from a third. With either the result is no longer base
	// with the delta, so it gets an identity of its own: the three below.
	Choices    map[string]Choice
	Suggested  map[string]Choice
	ExportID   string
	ExportedBy string
	Date       memory.Time
}

// Merge writes what base becomes with delta (§16.3, Appendix E): a memory of the
// delta takes the place of the one with its id, where Authority or the person allows
// that, or is added, none is removed, and
// the checksum is made anew; Choices say otherwise of single memories. Everything
// else base says of itself stays but the signature, which was over another
// checksum. Relations are merged by id, the index too, with derived_memories made
// from the memories. The stores come out in canonical pieces. A bundle carries what
// lies beside them: see beside. One file holds none of it; there it is counted, and
// no memory or entry names it.
//
// A memory does not go on naming a successor that stays behind: superseded_by goes,
// counted. One that neither document has is left named, as it was.
//
// Both must agree with their own sums and digests, and have each id once. The result is of version 1.0;
// what a newer minor version added is counted and left out. A delta that does not name base,
// and a base that is a delta itself (§16.3: a full export), are refused unless AnyBase. What is held is the delta, the ids, and the relations
// and the index of both; of a base whose memories do not stand in order, its
// memories.
func Merge(ctx context.Context, base, delta *intake.Tree, rules *schema.Set, o MergeOptions, out Target) (Merged, error) {
	ground, err := soundStore(ctx, base, rules, o.Trust)
	if err != nil {
		return Merged{}, err
	}
	news, err := soundStore(ctx, delta, rules, o.Trust)
	if err != nil {
		return Merged{}, err
	}
	if ground.head().IsIncremental() && !o.AnyBase {
		return Merged{}, fault.New(fault.Refused, "merge-base-delta", "{base} holds only what changed since another export, so it is no base for {delta}.").
			With("delta", delta.Name()).With("base", base.Name()).Advise("Name a full export. To merge the two all the same, give --any-base: what comes of it is again what changed since that export.")
	}
	if b := news.text("base_export_id"); !o.AnyBase && (b == "" || b != ground.text("export_id")) {
		return Merged{}, fault.New(fault.Refused, "merge-base", "{delta} does not build on {base}.").
			With("delta", delta.Name()).With("base", base.Name()).Advise("Name the export it builds on. To merge them all the same, give --any-base.")
	}
	if one, other := ground.owner().ID, news.owner().ID; !o.AnyBase && one != other {
		return Merged{}, fault.New(fault.Refused, "merge-owner", "{delta} holds the memories of another owner than {base}.").
			With("delta", delta.Name()).With("base", base.Name()).Advise("To merge them all the same, give --any-base.")
	}
	m := &merging{
		ctx: ctx, ground: ground, news: news, options: o, target: out,
		ids: map[string]bool{}, met: map[string]bool{}, stay: map[string]bool{}, derived: map[string][]origin{},
		inBase: map[string]bool{}, beside: newBeside(ground, news),
		done: Merged{LeftOut: map[string]int{}, Changes: []MergeChange{}, Bundle: out.bundle},
	}
	if !o.Theirs {
		m.authority = AuthorityOver(ground.verdict, news.verdict, o.Trust)
	}
	if err := m.run(); err != nil {
		return Merged{}, err
	}
	m.done.Unknown = unknownIn(ground, news)
	for _, n := range m.done.Unknown {
		m.done.LeftOut[leftUnknown] += n
	}
	return m.done, out.close()
}

// soundDocument is a verified store that is at hand to be read again.
type soundDocument struct {
	*verification
	tree     *intake.Tree
	store    intake.File
	verdict  Report
	unsorted bool
	isNewer  bool              // of a minor version that may have what 1.0 does not
	unknown  map[string]int    // members that were left out, by their names
	named    map[string]string // the place that names each file of a conversation, by its path
}

// soundStore verifies a document; one that does not agree with itself, or that
// cannot be checked, is refused: its sums are about to be made anew.
func soundStore(ctx context.Context, tree *intake.Tree, rules *schema.Set, trust Trust) (*soundDocument, error) {
	store, err := findStore(tree)
	if err != nil {
		return nil, err
	}
	v := newVerification(rules)
	if err := v.read(ctx, tree, store); err != nil {
		return nil, err
	}
	d := &soundDocument{verification: v, tree: tree, store: store, unsorted: v.sum.unsorted, unknown: map[string]int{}, named: map[string]string{}}
	if refused := v.head().Refused(tree.Name()); refused != nil && !v.failed {
		return nil, refused
	}
	if !v.failed {
		if err := v.settleSum(ctx, tree, store); err != nil {
			return nil, err
		}
	}
	if !v.failed {
		if err := v.checkDigest(ctx, tree, store); err != nil {
			return nil, err
		}
	}
	r := v.report(trust)
	d.verdict = r
	if d.isNewer = r.Head.IsNewer(); d.isNewer {
		d.leave(strangeInRoot(d.root))
	}
	if len(v.twins) > 0 {
		t := v.twins[0]
		return nil, ErrTwice(tree.Name(), pointer("memories", t.other)+"/id", pointer("memories", t.at)+"/id", t.id)
	}
	if r.Valid || d.isNewer && v.onlyAdds() {
		return d, nil
	}
	f := Finding{Check: "document"}
	if len(r.Problems) > 0 {
		f = r.Problems[0]
	}
	return nil, fault.New(fault.Invalid, "merge-unsound", "{name} is not a sound document ({check} at {place}: {finding}).").
		With("name", tree.Name()).With("check", f.Check).With("place", clip(placeOr(f.Path))).With("finding", f.Message)
}

// ErrTwice is the fault of a document of which something cannot be told because an
// id stands at two places.
func ErrTwice(name, one, other, id string) *fault.Error {
	return fault.New(fault.Invalid, "pam-twice", "In {name}, {place} and {other} are both {id}, so it cannot be told which one counts.").
		With("name", name).With("place", one).With("other", other).With("id", clip(id)).Advise("The Verify screen and keepsake validate name every such place.")
}

// onlyAdds reports that nothing is wrong with a document but what the schema of
// this version says of additions, which a newer one may have made.
func (v *verification) onlyAdds() bool {
	return len(v.problems) == 0 && !slices.ContainsFunc(v.uncheckable, func(f Finding) bool { return !isOfSchema(f) || f.Check == "schema" && !f.added })
}

// canonical is the canonical form of an object of one of the arrays. Of a newer
// version it is without the members that 1.0 does not have, which are counted.
func (d *soundDocument) canonical(array string, raw jsontext.Value) ([]byte, error) {
	if !d.isNewer {
		return jcs.Fast(raw)
	}
	strange := strangeIn(array, raw, (*form).additions)
	if len(strange) == 0 {
		return jcs.Fast(raw)
	}
	d.leave(strange)
	plain, err := json.Marshal(formIn(array).without(raw))
	if err != nil {
		return nil, err
	}
	return jcs.Fast(plain)
}

// leave counts members that the result does not have.
func (d *soundDocument) leave(names []string) {
	for _, name := range names {
		d.unknown[name]++
	}
}

// unknownIn is what was left out of documents.
func unknownIn(documents ...*soundDocument) map[string]int {
	all := map[string]int{}
	for _, d := range documents {
		for name, n := range d.unknown {
			all[name] += n
		}
	}
	return all
}

// origin is a memory that came from a conversation.
type origin struct{ id, platform, created string }

// merging is one merge under way.
type merging struct {
	ctx          context.Context
	ground, news *soundDocument
	options      MergeOptions
	target       Target
	out          *storeWriter
	beside       *beside
	done         Merged

	authority Authority
	ids       map[string]bool     // memories of the result
	inBase    map[string]bool     // those of them that base has
	met       map[string]bool     // memories of either, where somebody chose
	stay      map[string]bool     // memories of either that the result does not have
	derived   map[string][]origin // by conversation
}

// run writes the store and then, of a bundle, what lies beside it.
func (m *merging) run() error {
	if err := m.lookBeside(); err != nil {
		return err
	}
	err := m.target.create.file(StoreName, func(w io.Writer) error {
		m.out = &storeWriter{w: bufio.NewWriterSize(w, 1<<16)}
		if err := m.write(); err != nil {
			return err
		}
		return m.out.flush()
	})
	if err != nil || !m.target.bundle {
		return err
	}
	return m.carry()
}

func (m *merging) write() error {
	m.out.text("{\n")
	for _, name := range storeMembers {
		switch name {
		case "memories", "relations", "conversations_index", "integrity", "signature":
			continue
		}
		if own := m.identity(name); own != nil {
			m.out.member(name, own)
		} else if raw, ok := m.ground.root[name]; ok {
			m.out.member(name, storeForm.members[name].without(raw))
		}
	}
	if raw := m.ground.root["signature"]; raw != nil && raw.Kind() == '{' {
		m.done.LeftOut[leftSignature]++
	}
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

// identity is a member by which the result differs from base, most of them only
// one that somebody chose; nil for any other.
func (m *merging) identity(name string) any {
	if name == "schema_version" {
		return SchemaVersion
	}
	if m.options.Choices == nil && m.options.Suggested == nil {
		return nil
	}
	switch name {
	case "export_id":
		return m.options.ExportID
	case "exported_by":
		return m.options.ExportedBy
	case "export_date":
		return m.options.Date
	}
	return nil
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

// note keeps what relations and the index ask of a memory.
func (m *merging) note(h held, inBase bool) {
	var v memoryView
	var from struct {
		Provenance struct {
			Platform string `json:"platform"`
		} `json:"provenance"`
	}
	m.ids[h.id] = true
	if inBase {
		m.inBase[h.id] = true
	}
	if json.Unmarshal(h.canonical, &v) != nil || json.Unmarshal(h.canonical, &from) != nil || v.Provenance.ConversationRef == "" {
		return
	}
	ref := v.Provenance.ConversationRef
	m.derived[ref] = append(m.derived[ref], origin{h.id, from.Provenance.Platform, string(v.Temporal.CreatedAt)})
}

// eachElement reads one of the arrays again.
func (d *soundDocument) eachElement(ctx context.Context, array string, take func(i int, raw jsontext.Value) error) error {
	r, err := open(ctx, d.tree, d.store)
	if err != nil {
		return err
	}
	defer r.Close()
	return walk(ctx, r, visitor{
		member: func(string, jsontext.Value) error { return nil },
		element: func(of string, i int, raw jsontext.Value) error {
			if of != array {
				return nil
			}
			return take(i, raw)
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
	rels, ofBase, err := m.byID("relations", func(*soundDocument, int, jsontext.Value) error { return nil })
	if err != nil {
		return nil, nil, err
	}
	for i, raw := range rels {
		var ends struct {
			From string `json:"from"`
			To   string `json:"to"`
			Type string `json:"type"`
		}
		if json.Unmarshal(raw, &ends) != nil || !m.ids[ends.From] || !m.ids[ends.To] {
			m.done.LeftOut[leftRelation]++
			continue
		}
		if i >= ofBase && !m.mayRelate(raw, ends.From, ends.To, ends.Type) {
			m.done.LeftOut[leftRefused]++
			continue
		}
		relations = append(relations, raw)
	}
	entries, _, err := m.byID("conversations_index", m.noteFile)
	if err != nil {
		return nil, nil, err
	}
	if err := m.chooseFiles(); err != nil {
		return nil, nil, err
	}
	index, err = m.index(entries)
	return relations, index, err
}

// byID is an array of both documents in canonical pieces: those of the base, ofBase
// of them, in their order, each as the delta has it where it may replace it, then what
// the delta adds. see is shown every piece, whose it is and where it stands.
func (m *merging) byID(array string, see func(*soundDocument, int, jsontext.Value) error) (all []jsontext.Value, ofBase int, err error) {
	at := map[string]int{}
	for _, d := range []*soundDocument{m.ground, m.news} {
		own := places{}
		err := d.eachElement(m.ctx, array, func(i int, raw jsontext.Value) error {
			canonical, err := d.canonical(array, raw)
			if err != nil {
				return err
			}
			id := idOf(raw)
			if before, twice := own[id]; twice {
				return ErrTwice(d.tree.Name(), pointer(array, before)+"/id", pointer(array, i)+"/id", id)
			}
			own[id] = i
			if err := see(d, i, raw); err != nil {
				return err
			}
			if k, ok := at[id]; ok {
				if m.mayReplace(array, id, all[k], canonical) {
					all[k] = slices.Clone(canonical)
				}
				return nil
			}
			at[id] = len(all)
			all = append(all, slices.Clone(canonical))
			return nil
		})
		if err != nil {
			return nil, 0, err
		}
		if d == m.ground {
			ofBase = len(all)
		}
	}
	return all, ofBase, nil
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

// entry is one entry with its memories, and with the file of its conversation
// where that comes along.
func (m *merging) entry(raw jsontext.Value, from []origin) (jsontext.Value, error) {
	var entry map[string]jsontext.Value
	if err := json.Unmarshal(raw, &entry); err != nil {
		return nil, err
	}
	if err := m.place(idOf(raw), entry); err != nil {
		return nil, err
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
