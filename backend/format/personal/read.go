package personal

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/fault"
	"keepsake/backend/memory"
)

// Platform is where a record is from that names none.
const Platform = "personal"

// maxRecord bounds one record as it is written, in bytes.
const maxRecord = 256 << 20

// Head is what an export says of itself, "" where it says nothing.
type Head struct {
	Version    string // export_version
	UserID     string
	ExportedAt memory.Time
	Count      int // record_count, -1 where it says none
}

// Refused is why an export of this version cannot be read, nil where it can.
func (h Head) Refused(name string) *fault.Error {
	if major, _, _ := strings.Cut(h.Version, "."); major == "1" {
		return nil
	}
	return fault.New(fault.Unsupported, "personal-version", "{name} is a personal-memory export of version {version}; this Keepsake reads version 1.").
		With("name", name).With("version", clip(h.Version)).Advise("A newer Keepsake may read it.")
}

// Memory is a record as a memory of PAM.
type Memory struct {
	memory.Record
	Use memory.Use
	// Says are the members of Record that the export has, as JSON pointers: what
	// others are like it cannot say.
	Says  []string
	Links []memory.Relation // from this memory; without id and date
}

// Taker takes what an export holds, in its order. An error of one ends the
// reading and is returned as it is.
type Taker struct {
	Memory func(Memory) error
	// Conversation gets a transcript, and the SHA-256 of its record.
	Conversation func(memory.Conversation, [32]byte) error
	// Skipped gets the reason why a record is left out on purpose.
	Skipped func(reason string)
	// Unknown gets the kind of what is not understood: "memory:mood".
	Unknown func(kind string)
	// Bad gets a record that cannot be taken, and why.
	Bad func(at string, why *fault.Error) error
}

// Glance reads what an export says of itself, which may stand behind its records.
func Glance(ctx context.Context, r io.Reader) (Head, error) {
	t := taking{ctx: ctx, head: Head{Count: -1}, glance: true, to: Taker{Unknown: func(string) {}}}
	err := t.run(r)
	if errors.Is(err, errSeen) {
		err = nil
	}
	return t.head, err
}

// Take streams an export, of which one record at a time is held. It returns what
// the export says of itself, and how many records it has.
func Take(ctx context.Context, r io.Reader, name string, to Taker) (Head, int, error) {
	t := taking{ctx: ctx, head: Head{Count: -1}, to: to}
	err := t.run(r)
	if isOfText(err) {
		err = fault.New(fault.Invalid, "personal-not-whole", "{name} is not one whole personal-memory export.").With("name", name).Because(err)
	}
	return t.head, t.found, err
}

// isOfText reports a mistake of the text.
func isOfText(err error) bool {
	var broken *jsontext.SyntacticError
	return !fault.Known(err) && (errors.As(err, &broken) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, errShape))
}

var (
	errShape = errors.New("not of the form of an export")
	errSeen  = errors.New("seen enough")
)

// taking is one reading of an export.
type taking struct {
	ctx    context.Context
	dec    *jsontext.Decoder
	in     *meter
	to     Taker
	head   Head
	found  int
	glance bool // only the head
}

// meter ends the reading of a record that is too long.
type meter struct {
	r    io.Reader
	left int64
}

func (m *meter) Read(p []byte) (int, error) {
	if m.left <= 0 {
		return 0, fault.New(fault.TooLarge, "personal-record-too-large", "A record of a personal-memory export has at most {limit} MiB.").With("limit", maxRecord>>20)
	}
	n, err := m.r.Read(p[:min(int64(len(p)), m.left)])
	m.left -= int64(n)
	return n, err
}

func (t *taking) run(r io.Reader) error {
	b := bufio.NewReader(r)
	if mark, _ := b.Peek(3); string(mark) == "\xEF\xBB\xBF" {
		_, _ = b.Discard(3) // they were peeked at
	}
	t.in = &meter{b, maxRecord}
	t.dec = jsontext.NewDecoder(t.in)
	if err := t.object(t.member); err != nil {
		return err
	}
	if _, err := t.dec.ReadToken(); !errors.Is(err, io.EOF) {
		return errors.Join(errShape, err)
	}
	return nil
}

// object gives the name of each member; visit reads its value.
func (t *taking) object(visit func(name string) error) error {
	if err := t.expect('{'); err != nil {
		return err
	}
	for t.dec.PeekKind() != '}' {
		name, err := t.dec.ReadToken()
		if err != nil {
			return err
		}
		if err := visit(name.String()); err != nil {
			return err
		}
	}
	return t.expect('}')
}

func (t *taking) expect(kind jsontext.Kind) error {
	token, err := t.dec.ReadToken()
	if err == nil && token.Kind() != kind {
		err = errShape
	}
	return err
}

func (t *taking) member(name string) error {
	switch name {
	case "export_version":
		return t.read(&t.head.Version)
	case "user_id":
		return t.read(&t.head.UserID)
	case "exported_at":
		return t.read(&t.head.ExportedAt)
	case "record_count":
		return t.read(&t.head.Count)
	case "categories":
		switch {
		case !t.glance:
			return t.object(t.category)
		case t.head.UserID != "" && t.head.Version != "":
			return errSeen
		}
		t.in.left = math.MaxInt64 // passed over, and never held
		return t.dec.SkipValue()
	}
	t.to.Unknown("document:" + clip(name))
	return t.dec.SkipValue()
}

func (t *taking) read(into any) error {
	v, err := t.dec.ReadValue()
	if err == nil && json.Unmarshal(v, into) != nil {
		err = errShape
	}
	return err
}

func (t *taking) category(name string) error {
	c := Category(name)
	if !slices.Contains(Categories(), c) {
		t.to.Unknown("category:" + clip(name))
	}
	return t.object(func(name string) error {
		if name != "records" {
			return t.dec.SkipValue() // the count says nothing that the records do not
		}
		if err := t.expect('['); err != nil {
			return err
		}
		for i := 0; t.dec.PeekKind() != ']'; i++ {
			t.in.left = maxRecord
			raw, err := t.dec.ReadValue()
			if err != nil {
				return err
			}
			t.found++
			if err := t.record(c, "/categories/"+clip(string(c))+"/records/"+strconv.Itoa(i), raw); err != nil {
				return err
			}
			if err := t.ctx.Err(); err != nil {
				return err
			}
		}
		return t.expect(']')
	})
}

// given is a record as it is read: the export's own, and the members of the
// record schema that lie elsewhere there.
type given struct {
	record
	CategoryToo Category    `json:"category"`
	UserID      string      `json:"user_id"`
	DeletedAt   memory.Time `json:"deleted_at"`
	Source      struct {
		SessionID string `json:"session_id"`
		Channel   string `json:"channel"`
		MessageID string `json:"message_id"`
	} `json:"source"`
	Metadata struct {
		metadata
		Tags []string `json:"topic_tags"`
	} `json:"metadata"`
}

// known are the members that are read of a record and of its metadata. Those of a
// server say nothing here.
var (
	knownMembers  = strings.Fields("memory_id content_type content content_hash session_id channel source_msg_id topic_tags created_at updated_at metadata category user_id org_id deleted_at source embedding_ref content_ref")
	knownMetadata = strings.Fields("importance_score access_count last_accessed compacted_from ttl title type custom_type status superseded_by summary platform relations topic_tags")
)

func (t *taking) record(c Category, at string, raw jsontext.Value) error {
	var g given
	if err := json.Unmarshal(raw, &g); err != nil {
		return t.to.Bad(at, errRecord(at).Because(err))
	}
	g.fold(c)
	members, err := t.strange("memory:", raw, knownMembers)
	if inner := members["metadata"]; err == nil && inner != nil {
		_, err = t.strange("memory.metadata:", inner, knownMetadata)
	}
	if err != nil {
		return t.to.Bad(at, errRecord(at).Because(err))
	}
	isTalk := g.ContentType == ContentTranscript && c == Conversation
	switch {
	case !g.DeletedAt.IsZero():
		t.to.Skipped("deleted-there")
		return nil
	case isTalk && g.Content == "":
		t.to.Skipped("empty")
		return nil
	case g.MemoryID == "" || strings.TrimSpace(g.Content) == "" || g.CreatedAt.IsZero():
		return t.to.Bad(at, errRecord(at))
	}
	if talk, ok := g.conversation(); isTalk && ok {
		return t.to.Conversation(talk, sha256.Sum256(raw))
	}
	return t.to.Memory(g.memory(c))
}

func errRecord(at string) *fault.Error {
	return fault.New(fault.Invalid, "personal-record", "The record at {place} has no id, no words or no date, or is not of the form of the specification.").With("place", at)
}

// fold brings together what lies in one of two places.
func (g *given) fold(c Category) {
	g.SessionID = cmp.Or(g.SessionID, g.Source.SessionID)
	g.Channel = cmp.Or(g.Channel, g.Source.Channel)
	g.MessageID = cmp.Or(g.MessageID, g.Source.MessageID)
	g.ContentType = cmp.Or(g.ContentType, ContentOf(c))
	if g.Tags == nil {
		g.Tags = g.Metadata.Tags
	}
}

// strange counts the members of an object that are not read, and returns all of them.
func (t *taking) strange(kind string, raw []byte, known []string) (members map[string]json.RawMessage, err error) {
	err = json.Unmarshal(raw, &members)
	for name := range members {
		if !slices.Contains(known, name) {
			t.to.Unknown(kind + clip(name))
		}
	}
	return members, err
}

// What a record says of a memory: with PAM's own type all that Keepsake writes,
// otherwise what it has.
var (
	saysAlways = []string{"/content", "/content_hash", "/temporal/created_at"}
	saysAll    = append(slices.Clone(saysAlways), "/type", "/custom_type", "/status", "/summary", "/tags", "/provenance/platform", "/provenance/conversation_ref",
		"/provenance/message_ref", "/temporal/updated_at", "/temporal/valid_until", "/temporal/superseded_by", "/metadata/importance")
)

// memory makes a memory of PAM of a record.
func (g *given) memory(c Category) Memory {
	x := g.Metadata
	m := Memory{Says: saysAll, Record: memory.Record{
		ID: g.MemoryID, Type: x.Type, CustomType: x.CustomType, Content: g.Content, ContentHash: memory.ContentHash(g.Content), Status: memory.Status(x.Status), Summary: x.Summary, Tags: g.Tags,
		Temporal: memory.Temporal{CreatedAt: g.CreatedAt, UpdatedAt: g.UpdatedAt, ValidUntil: x.TTL, SupersededBy: x.SupersededBy},
		Provenance: memory.Provenance{Platform: platformOf(x.Platform, g.Channel), ConversationRef: g.SessionID, MessageRef: g.MessageID,
			ExtractionMethod: memory.APIExport},
	}}
	if !slices.Contains(memory.Types(), x.Type) || (x.Type == memory.Custom) != (x.CustomType != "") {
		m.Type, m.CustomType = TypeOf(c, g.ContentType)
		m.Says = g.says()
	}
	if !slices.Contains(memory.Statuses(), m.Status) {
		m.Status = memory.Active
	}
	if x.Importance != nil && *x.Importance >= 0 && *x.Importance <= 1 {
		m.SetImportance(x.Importance)
	}
	Keep(&m.Record, c, g.ContentType)
	if x.AccessCount != nil && *x.AccessCount > 0 {
		m.Use = memory.Use{Count: *x.AccessCount, Last: x.LastAccessed}
	}
	for _, from := range x.CompactedFrom {
		m.Links = append(m.Links, memory.Relation{From: m.ID, To: from, Type: memory.DerivedFrom})
	}
	for _, l := range x.Relations {
		if slices.Contains(memory.RelationTypes(), l.Type) && l.MemoryID != "" {
			m.Links = append(m.Links, memory.Relation{From: m.ID, To: l.MemoryID, Type: l.Type})
		}
	}
	return m
}

// says are the members that a record has which does not say PAM's type.
func (g *given) says() []string {
	says := slices.Clone(saysAlways)
	for path, has := range map[string]bool{
		"/tags": g.Tags != nil, "/provenance/conversation_ref": g.SessionID != "", "/provenance/message_ref": g.MessageID != "", "/temporal/updated_at": !g.UpdatedAt.IsZero(),
		"/temporal/valid_until": !g.Metadata.TTL.IsZero(), "/metadata/importance": g.Metadata.Importance != nil, "/summary": g.Metadata.Summary != "",
	} {
		if has {
			says = append(says, path)
		}
	}
	slices.Sort(says)
	return says
}

// platformOf is the first that is the name of one.
func platformOf(names ...string) string {
	for _, name := range names {
		odd := func(r rune) bool { return r != '_' && r != '-' && (r < '0' || r > '9') && (r < 'a' || r > 'z') }
		if len(name) >= 2 && len(name) <= 32 && !strings.ContainsFunc(name, odd) {
			return name
		}
	}
	return Platform
}

// conversation makes one of a transcript; ok is false where its words are none.
func (g *given) conversation() (c memory.Conversation, ok bool) {
	path, others := turns(g.Content)
	if len(path) == 0 {
		return c, false
	}
	c = memory.Conversation{
		ID: g.MemoryID, Title: strings.NewReplacer("\n", " ", "\r", " ").Replace(g.Metadata.Title), Tags: g.Tags, Provider: memory.Provider{Name: platformOf(g.Metadata.Platform, g.Channel)},
		Temporal: memory.ConversationTemporal{CreatedAt: g.CreatedAt, UpdatedAt: g.UpdatedAt}, Messages: append(chain(0, path), chain(len(path), others)...),
	}
	c.Leaf = c.Messages[len(path)-1].ID
	return c, true
}

// otherBranches stands in a transcript between the active path and the rest.
const otherBranches = "[other branches]\n\n"

// turn is what somebody said.
type turn struct {
	role memory.Role
	text string
}

// turns reads a transcript as it is written here; none where it is no such.
func turns(text string) (path, others []turn) {
	said := &path
	for text != "" {
		if rest, ok := strings.CutPrefix(text, otherBranches); ok && said == &path && len(path) > 0 {
			said, text = &others, rest
		}
		role := roleAt(text)
		if role == "" {
			return nil, nil
		}
		text = text[len(role)+2:]
		end := len(text)
		for at := 0; at < len(text); {
			next := strings.Index(text[at:], "\n\n")
			if next < 0 {
				break
			}
			at += next + 1
			if after := text[at+1:]; roleAt(after) != "" || strings.HasPrefix(after, otherBranches) && roleAt(after[len(otherBranches):]) != "" && said == &path {
				end = at - 1
				break
			}
		}
		*said = append(*said, turn{role, text[:end]})
		text = text[min(len(text), end+2):]
	}
	return path, others
}

// roleAt is the role whose words begin there, "" where none do.
func roleAt(text string) memory.Role {
	for _, role := range []memory.Role{memory.User, memory.Assistant, memory.System, memory.Tool} {
		if strings.HasPrefix(text, string(role)+": ") {
			return role
		}
	}
	return ""
}

// chain makes messages of turns, each the parent of the next. They are numbered
// from after that many.
func chain(after int, said []turn) []memory.Message {
	name := func(i int) string { return fmt.Sprintf("turn-%d", after+i+1) }
	var all []memory.Message
	for i, s := range said {
		m := memory.Message{ID: name(i), Role: s.role, Content: &memory.Content{Type: "text", Text: s.text}}
		if i > 0 {
			m.ParentID = name(i - 1)
		}
		if i+1 < len(said) {
			m.ChildrenIDs = []string{name(i + 1)}
		}
		all = append(all, m)
	}
	return all
}

// clip bounds a name of the file that stands in a sentence.
func clip(s string) string {
	const longest = 40
	if len(s) <= longest {
		return s
	}
	return strings.ToValidUTF8(s[:longest], "") + "…"
}
