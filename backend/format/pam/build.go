package pam

import (
	"bufio"
	"bytes"
	stdjson "encoding/json"
	"fmt"
	"io"
	"iter"

	"github.com/go-json-experiment/json"

	"keepsake/backend/fault"
	"keepsake/backend/jcs"
	"keepsake/backend/memory"
	"keepsake/backend/schema"
)

// Owner is who the memories are about (§3, §17).
type Owner struct {
	ID        string      `json:"id"`
	DID       string      `json:"did,omitempty"`
	CreatedAt memory.Time `json:"created_at,omitzero"`
}

// IndexEntry is an entry of conversations_index (§14). Its members stand in
// canonical order, so that what is written is canonical without being sorted.
type IndexEntry struct {
	DerivedMemories []string                    `json:"derived_memories,omitempty"`
	ID              string                      `json:"id"`
	MessageCount    *int                        `json:"message_count,omitempty"` // nil where nobody counted
	Platform        string                      `json:"platform"`
	Storage         *Storage                    `json:"storage,omitempty"`
	Tags            []string                    `json:"tags,omitempty"`
	Temporal        memory.ConversationTemporal `json:"temporal"`
	Title           string                      `json:"title,omitempty"`

	// Alone says that there is no more of the conversation than this entry: a bundle
	// holds no file of it, and Storage stays what it is.
	Alone bool `json:"-"`
	// Undated says that created_at only stands for an unknown time.
	Undated bool `json:"-"`
}

// Storage says where a conversation lies inside a bundle (§14.2).
type Storage struct {
	Format string `json:"format,omitempty"`
	Ref    string `json:"ref"`
	Type   string `json:"type"`
}

// Memory is one as it is written: the bytes of EncodeMemory, and its id again.
type Memory struct {
	ID        string
	Canonical []byte
}

// Source is what an export is built from. Memories are in ascending order of id
// (code points); the sequence may be read once.
type Source struct {
	Memories  iter.Seq2[Memory, error]
	Relations []memory.Relation
	Index     []IndexEntry
}

// Options of an export.
type Options struct {
	ExportID   string
	Date       memory.Time // export_date and, since both come from one clock, signed_at
	ExportedBy string      // name/semver
	Owner      Owner
	Signer     *Key // nil: not signed

	// BaseExportID is the export that this one builds on, "" for a full one, and
	// Since its date (§16).
	BaseExportID string
	Since        memory.Time
	TypeRegistry string // "" where no memory has a type of its own (§19)
}

// Summary is what was written.
type Summary struct {
	Checksum string // sha256:…
	Memories int
	Bytes    int64
}

// integrity is the block of §15.3.
type integrity struct {
	Canonicalization string `json:"canonicalization"`
	Checksum         string `json:"checksum"`
	TotalMemories    int    `json:"total_memories"`
}

// WriteStore writes memory-store.json. Memories stream through: what is held
// is one memory and the relations. The same source and options give the same
// bytes. A memory that may not leave (access.exportable false) is a fault: the
// caller should have left it out.
func WriteStore(w io.Writer, src Source, o Options) (Summary, error) {
	out := &storeWriter{w: bufio.NewWriterSize(w, 1<<16)}
	out.text("{\n")
	out.member("schema", "portable-ai-memory")
	out.member("schema_version", SchemaVersion)
	out.member("spec_uri", SpecURI)
	out.member("export_id", o.ExportID)
	out.member("exported_by", o.ExportedBy)
	out.member("export_date", o.Date)
	out.exportType(o)
	if o.TypeRegistry != "" {
		out.member("type_registry", o.TypeRegistry)
	}
	out.member("owner", o.Owner)
	sum, err := out.memories(src.Memories)
	if err != nil {
		return Summary{}, err
	}
	list(out, "relations", schema.Relation, src.Relations, nil)
	list(out, "conversations_index", schema.IndexEntry, src.Index, appendEntry)
	if o.Signer != nil {
		signature, err := sign(sum.Checksum, o)
		if err != nil {
			return Summary{}, err
		}
		out.member("signature", signature)
	}
	out.last("integrity", integrity{"RFC8785", sum.Checksum, sum.Memories})
	out.text("\n}\n")
	sum.Bytes = out.n
	return sum, out.flush()
}

// storeWriter writes members one to a line and remembers the first error.
type storeWriter struct {
	w   *bufio.Writer
	n   int64
	err error
}

func (s *storeWriter) bytes(b []byte) {
	if s.err != nil {
		return
	}
	n, err := s.w.Write(b)
	s.n += int64(n)
	s.err = err
}

func (s *storeWriter) flush() error {
	if s.err == nil {
		s.err = s.w.Flush()
	}
	return s.err
}

func (s *storeWriter) text(t string) {
	if s.err != nil {
		return
	}
	n, err := s.w.WriteString(t)
	s.n += int64(n)
	s.err = err
}

func (s *storeWriter) member(name string, v any) {
	s.last(name, v)
	s.text(",\n")
}

// last writes the member that no comma follows.
func (s *storeWriter) last(name string, v any) {
	value, err := jcs.Marshal(v)
	if err != nil && s.err == nil {
		s.err = fmt.Errorf("write %s: %w", name, err)
	}
	s.text(`"` + name + `": `)
	s.bytes(value)
}

// exportType says what the export builds on (§16.2).
func (s *storeWriter) exportType(o Options) {
	if o.BaseExportID == "" {
		s.member("export_type", Full)
		return
	}
	s.member("export_type", Incremental)
	s.member("base_export_id", o.BaseExportID)
	s.member("since", o.Since)
}

// memories writes the array and sums its canonical form, which is the
// canonical elements joined.
func (s *storeWriter) memories(all iter.Seq2[Memory, error]) (Summary, error) {
	sum := newArraySum()
	s.text(`"memories": [`)
	var id []byte
	for m, err := range all {
		if err != nil {
			return Summary{}, fmt.Errorf("read memory: %w", err)
		}
		if err := mayLeave(m.Canonical); err != nil {
			return Summary{}, err
		}
		id = append(id[:0], m.ID...)
		if sum.n > 0 {
			s.text(",")
			if bytes.Compare(id, sum.last) <= 0 {
				return Summary{}, fault.New(fault.Internal, "export-order", "The memories to export are not in order.")
			}
		}
		sum.add(id, m.Canonical)
		s.text("\n")
		s.bytes(m.Canonical)
	}
	s.text("\n],\n")
	return Summary{Checksum: sum.finish(), Memories: sum.n}, s.err
}

// accessFirst is how the bytes of EncodeMemory begin where a memory has an access
// block (§9): no other member of a memory comes before it.
const accessFirst = `{"access":{`

// mayLeave is the last door a memory passes (§21.1).
func mayLeave(canonical []byte) error {
	if bytes.HasPrefix(canonical, []byte(accessFirst)) && isKept(canonical) {
		return fault.New(fault.Refused, "not-exportable", "A memory that is marked as not exportable was about to leave; nothing was exported.")
	}
	return nil
}

// list writes an array. What quick, where there is one, writes is canonical; of the
// rest, what a glance finds to be canonical as it was written needs no
// canonicalization.
func list[T any](s *storeWriter, name string, kind schema.Kind, items []T, quick func([]byte, *T) ([]byte, bool)) {
	var line []byte
	slow := newElements(kind)
	s.text(`"` + name + `": [`)
	for i := range items {
		ok := false
		if quick != nil {
			line, ok = quick(line[:0], &items[i])
		}
		text := line
		if !ok {
			var err error
			if text, err = slow.canonical(&items[i]); err != nil && s.err == nil {
				s.err = fmt.Errorf("write %s: %w", name, err)
			}
		}
		if i > 0 {
			s.text(",")
		}
		s.text("\n")
		s.bytes(text)
	}
	if len(items) > 0 {
		s.text("\n")
	}
	s.text("],\n")
}

// elements writes those of one kind, one after the other.
type elements struct {
	kind schema.Kind
	line bytes.Buffer
	enc  *stdjson.Encoder
}

func newElements(kind schema.Kind) *elements {
	e := &elements{kind: kind}
	e.enc = stdjson.NewEncoder(&e.line)
	e.enc.SetEscapeHTML(false)
	return e
}

// canonical is valid until the next one.
func (e *elements) canonical(item any) ([]byte, error) {
	e.line.Reset()
	if err := e.enc.Encode(item); err != nil {
		return nil, err
	}
	text := bytes.TrimSuffix(e.line.Bytes(), []byte("\n"))
	if isKnown(e.kind, text) {
		return text, nil
	}
	return jcs.Marshal(item)
}

// payload is what a signature covers (§18.3): the strings as written.
func payload(checksum, exportID, exportDate, ownerID string) ([]byte, error) {
	return jcs.Marshal(map[string]string{
		"checksum": checksum, "export_id": exportID, "export_date": exportDate, "owner_id": ownerID,
	})
}

func sign(checksum string, o Options) (Signature, error) {
	text, err := payload(checksum, o.ExportID, o.Date.String(), o.Owner.ID)
	if err != nil {
		return Signature{}, fmt.Errorf("build signature payload: %w", err)
	}
	return newSignature(o.Signer, text, o.Date), nil
}

func newSignature(key *Key, payload []byte, at memory.Time) Signature {
	public := key.Public()
	return Signature{
		Algorithm: "Ed25519", PublicKey: public.Multibase(), Value: base64url(key.sign(payload)),
		SignedAt: at.String(), KeyID: public.KeyID(),
	}
}

// isKept reports a memory that may not leave (§9, §21.1), and one whose access
// cannot be read.
func isKept(canonical []byte) bool {
	if g, n := look(canonical); n > 0 && n == len(canonical) {
		return g.kept
	}
	var m struct {
		Access struct {
			Exportable *bool `json:"exportable"`
		} `json:"access"`
	}
	err := json.Unmarshal(canonical, &m)
	return err != nil || m.Access.Exportable != nil && !*m.Access.Exportable
}

// isKnown reports a piece that a glance at it finds to be valid.
func isKnown(kind schema.Kind, raw []byte) bool {
	n := 0
	switch kind {
	case schema.Relation:
		n = lookRelation(raw)
	case schema.IndexEntry:
		n = lookEntry(raw)
	}
	return n > 0 && n == len(raw)
}
