package pam

import (
	"archive/zip"
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/fault"
	"keepsake/backend/intake"
	"keepsake/backend/jcs"
	"keepsake/backend/memory"
	"keepsake/backend/schema"
)

// Target is where a merge writes: one document, or a bundle with all that lies
// beside the stores.
type Target struct {
	create creator
	bundle bool
	close  func() error
}

// ToFile takes one document.
func ToFile(w io.Writer) Target {
	one := func(string) (io.WriteCloser, error) { return withoutClose{w}, nil }
	return Target{one, false, func() error { return nil }}
}

// ToZip takes a bundle as a zip, whose entries have a date.
func ToZip(w io.Writer, date memory.Time) Target {
	z := zip.NewWriter(w)
	return Target{zipCreator(z, date), true, z.Close}
}

// ToFolder takes a bundle in a folder that exists and is empty.
func ToFolder(dir string) Target {
	return Target{folderCreator(dir), true, func() error { return nil }}
}

// ToNothing takes one document or a bundle and keeps nothing of it, for a dry run.
func ToNothing(bundle bool) Target {
	nothing := func(string) (io.WriteCloser, error) { return withoutClose{io.Discard}, nil }
	return Target{nothing, bundle, func() error { return nil }}
}

// beside is what lies beside the stores, and what of it the result has. Of what
// both have, the result has the delta's where it may change base (Authority), but:
//   - a conversation of which base has every message of the delta, and more, stays
//     as base has it;
//   - an embedding goes with the words it was made of, whoever they are from.
type beside struct {
	ground, news *soundDocument

	indexed       map[string]bool                             // conversations that base's index has
	filed         map[string]bool                             // conversations whose entry names a file
	titles        map[string]string                           // theirs
	conversations map[string]map[*soundDocument]companionFile // by id
	attachments   map[string]map[*soundDocument]intake.File   // by path in the bundle
	embeddings    map[*soundDocument]companionFile
	vectors       map[*soundDocument]map[string]vector // by memory; nil for a store without the file

	placed map[string]carriedFile // files of conversations in the result, by id
	places map[string]bool        // their paths in small letters, as some systems tell names apart
	chosen map[string]chosen      // embeddings in the result, by memory
	called map[string]bool        // their ids
}

// vector is an embedding: what it is called, and a sum to tell it from another.
type vector struct {
	id  string
	sum [sha256.Size]byte
}

// chosen is an embedding that comes along under an id.
type chosen struct {
	of *soundDocument
	id string
}

// carriedFile is the file of a conversation that comes along.
type carriedFile struct {
	of       *soundDocument
	file     companionFile
	ref      string
	messages int // how many it has, where both have one; else -1
}

func newBeside(ground, news *soundDocument) *beside {
	return &beside{
		ground: ground, news: news, indexed: map[string]bool{}, filed: map[string]bool{}, titles: map[string]string{},
		conversations: map[string]map[*soundDocument]companionFile{}, attachments: map[string]map[*soundDocument]intake.File{},
		embeddings: map[*soundDocument]companionFile{}, vectors: map[*soundDocument]map[string]vector{},
		placed: map[string]carriedFile{}, places: map[string]bool{}, chosen: map[string]chosen{}, called: map[string]bool{},
	}
}

func (b *beside) embedded() bool { return b.vectors[b.ground] != nil || b.vectors[b.news] != nil }

// noteFile notes the file of a conversation that an index names. One outside of
// the bundle is refused, and one that two entries name: it holds one conversation.
func (m *merging) noteFile(d *soundDocument, i int, raw jsontext.Value) error {
	var e struct {
		ID      string  `json:"id"`
		Title   string  `json:"title"`
		Storage Storage `json:"storage"`
	}
	if json.Unmarshal(raw, &e) != nil {
		return nil
	}
	if d == m.ground {
		m.beside.indexed[e.ID] = true
	}
	if m.beside.titles[e.ID] == "" {
		m.beside.titles[e.ID] = e.Title
	}
	if e.Storage.Type != "file" {
		return nil
	}
	if !isInside(e.Storage.Ref) {
		return fault.New(fault.Refused, "merge-outside", "{place} of {name} names a file outside of the bundle, so nothing was merged.").
			With("place", pointer("conversations_index", i)+"/storage/ref").With("name", d.tree.Name())
	}
	m.beside.filed[e.ID] = true
	f, ok := sibling(d.tree, d.store, e.Storage.Ref)
	if !ok || f.Path == d.store.Path || !m.target.bundle {
		return nil
	}
	place := pointer("conversations_index", i) + "/storage/ref"
	if other, twice := d.named[f.Path]; twice {
		return fault.New(fault.Invalid, "merge-same-file", "{place} and {other} of {name} name the same file, so nothing was merged.").
			With("place", other).With("other", place).With("name", d.tree.Name())
	}
	d.named[f.Path] = place
	c, err := d.companion(m.ctx, f, conversationForm)
	if err != nil {
		return err
	}
	note(m.beside.conversations, e.ID, d, c)
	return nil
}

func note[T any](all map[string]map[*soundDocument]T, name string, d *soundDocument, f T) {
	if all[name] == nil {
		all[name] = map[*soundDocument]T{}
	}
	all[name][d] = f
}

// lookBeside finds attachments and embeddings.
func (m *merging) lookBeside() error {
	b := m.beside
	for _, d := range []*soundDocument{b.ground, b.news} {
		for _, f := range d.tree.Files() {
			if name, inside := within(path.Dir(d.store.Path), f.Path); inside && strings.HasPrefix(name, attachmentFolder) {
				note(b.attachments, name, d, f)
			}
		}
		if err := m.vectorsOf(d); err != nil {
			return err
		}
	}
	if n := len(b.attachments); n > 0 && !m.target.bundle {
		m.done.LeftOut[leftAttachment] = n
	}
	return nil
}

// vectorsOf tells what the embeddings of a bundle are called, and them apart. Two of
// one memory are refused (§12.1).
func (m *merging) vectorsOf(d *soundDocument) error {
	f, ok := sibling(d.tree, d.store, EmbeddingsName)
	if !ok {
		return nil
	}
	of := map[string]vector{}
	m.beside.vectors[d] = of
	if !m.target.bundle {
		return nil
	}
	c, err := d.companion(m.ctx, f, embeddingsForm)
	if err != nil {
		return err
	}
	m.beside.embeddings[d] = c
	seen := places{}
	return d.eachEmbedding(m.ctx, c, func(e jsontext.Value, memoryID string) error {
		place := func(i int) string { return at(f.Path, pointer("embeddings", i)) + "/memory_id" }
		if before, twice := seen[memoryID]; twice {
			return ErrTwice(d.tree.Name(), place(before), place(len(seen)), memoryID)
		}
		seen[memoryID] = len(seen)
		canonical, err := jcs.Fast(e)
		of[memoryID] = vector{idOf(e), sha256.Sum256(canonical)}
		return err
	})
}

func (d *soundDocument) eachEmbedding(ctx context.Context, f companionFile, take func(e jsontext.Value, memoryID string) error) error {
	return d.eachPiece(ctx, f, "embeddings", embeddingForm, func(raw jsontext.Value) error {
		var e struct {
			MemoryID string `json:"memory_id"`
		}
		if json.Unmarshal(raw, &e) != nil {
			return nil // the finished bundle is validated, which names it
		}
		return take(raw, e.MemoryID)
	})
}

// embed is the memory with the name of the embedding that comes along with it, or
// without one.
func (m *merging) embed(t *taken) (held, error) {
	if !m.beside.embedded() {
		return t.held, nil
	}
	var is struct {
		Ref  string `json:"embedding_ref"`
		Hash string `json:"content_hash"`
	}
	if err := json.Unmarshal(t.canonical, &is); err != nil {
		return t.held, err
	}
	if !m.target.bundle {
		if is.Ref != "" {
			m.done.LeftOut[leftEmbeddings]++
		}
		return withRef(t.held, is.Ref, "")
	}
	return withRef(t.held, is.Ref, m.chooseVector(t, is.Hash))
}

// chooseVector takes the embedding of the words that a memory has, and gives the
// id that it has in the result; "" where there is none.
func (m *merging) chooseVector(t *taken, hash string) string {
	b, why := m.beside, m.authority.Beside
	of, from := t.of, t.from
	both := t.other != nil && hashOf(t.other.canonical) == hash // have these words
	if both && why != "" {
		of, from = m.ground, m.news
	}
	is, has := b.vectors[of][t.id]
	others, othersHas := b.vectors[from][t.id]
	if othersHas && !both {
		m.done.LeftOut[leftEmbeddings]++ // it is of other words
		othersHas = false
	}
	switch {
	case !has && !othersHas:
		return ""
	case !has && why != "":
		m.tell(changedEmbedding, t.id, "", why, nil)
		m.done.LeftOut[leftRefused]++
		return ""
	case !has:
		is, of = others, from
	case othersHas && is.sum != others.sum && (of == m.news || why != ""):
		m.tell(changedEmbedding, t.id, "", why, nil)
	}
	id := is.id
	for b.called[id] {
		id += "+"
	}
	b.called[id] = true
	b.chosen[t.id] = chosen{of, id}
	return id
}

func hashOf(canonical []byte) string {
	var is struct {
		Hash string `json:"content_hash"`
	}
	_ = json.Unmarshal(canonical, &is) // a memory of a sound document
	return is.Hash
}

// withRef is a memory whose embedding_ref becomes another; "" is none.
func withRef(h held, was, is string) (held, error) {
	if was == is {
		return h, nil
	}
	var members map[string]jsontext.Value
	if err := json.Unmarshal(h.canonical, &members); err != nil {
		return h, err
	}
	delete(members, "embedding_ref")
	if is != "" {
		text, err := jcs.Marshal(is)
		if err != nil {
			return h, err
		}
		members["embedding_ref"] = text
	}
	canonical, err := jcs.Marshal(members)
	return held{h.id, canonical, h.i}, err
}

// chooseFiles decides which files of conversations come along, and counts those
// that stay behind.
func (m *merging) chooseFiles() error {
	b := m.beside
	for _, id := range slices.Sorted(maps.Keys(b.filed)) {
		if !m.target.bundle || len(b.conversations[id]) == 0 {
			m.done.LeftOut[leftFile]++
			continue
		}
		if _, inBase := b.conversations[id][m.ground]; !inBase && b.indexed[id] && m.authority.Beside != "" {
			m.tell(changedConversation, id, b.titles[id], m.authority.Beside, nil)
			m.done.LeftOut[leftFile]++
			continue
		}
		p, err := m.choose(id, b.conversations[id])
		if err != nil {
			return err
		}
		p.ref = b.freePlace(id)
		b.placed[id] = p
	}
	if m.target.bundle {
		m.countOthers()
	}
	return nil
}

// choose decides between the files of one conversation.
func (m *merging) choose(id string, files map[*soundDocument]companionFile) (carriedFile, error) {
	old, inBase := files[m.ground]
	now, inDelta := files[m.news]
	if !inDelta {
		return carriedFile{of: m.ground, file: old, messages: -1}, nil
	}
	p := carriedFile{of: m.news, file: now, messages: -1}
	if !inBase {
		return p, nil
	}
	was, err := m.ground.messagesOf(m.ctx, old)
	if err != nil {
		return p, err
	}
	is, err := m.news.messagesOf(m.ctx, now)
	if err != nil {
		return p, err
	}
	p.messages = len(is)
	ofBase := carriedFile{of: m.ground, file: old, messages: len(was)}
	switch why := m.authority.Beside; {
	case why == "" && holdsAll(is, was):
	case holdsAll(was, is):
		return ofBase, nil
	default:
		m.tell(changedConversation, id, m.beside.titles[id], why, nil)
		if why != "" {
			return ofBase, nil
		}
	}
	return p, nil
}

// messagesOf are sums of the messages of a conversation, without who answers them,
// which grows with it.
func (d *soundDocument) messagesOf(ctx context.Context, f companionFile) (map[string][sha256.Size]byte, error) {
	all := map[string][sha256.Size]byte{}
	err := d.eachPiece(ctx, f, "messages", messageForm, func(raw jsontext.Value) error {
		var message map[string]jsontext.Value
		if json.Unmarshal(raw, &message) != nil {
			return nil // the finished bundle is validated, which names it
		}
		delete(message, "children_ids")
		all[idOf(raw)] = sumOfMembers(message)
		return nil
	})
	return all, err
}

// sumOfMembers is the same for an object in any order of its members. A value that has
// no canonical form, such as an id of a provider's beyond 2^53, counts as it is written.
func sumOfMembers(object map[string]jsontext.Value) [sha256.Size]byte {
	var all []byte
	for _, name := range slices.Sorted(maps.Keys(object)) {
		value, err := jcs.Marshal(object[name])
		if err != nil {
			value = object[name]
		}
		all = binary.AppendUvarint(all, uint64(len(name)))
		all = append(all, name...)
		all = binary.AppendUvarint(all, uint64(len(value)))
		all = append(all, value...)
	}
	return sha256.Sum256(all)
}

// holdsAll reports that a conversation has every message of another.
func holdsAll(all, some map[string][sha256.Size]byte) bool {
	for id, sum := range some {
		if is, ok := all[id]; !ok || is != sum {
			return false
		}
	}
	return true
}

// freePlace is where a conversation lies in the result: under its id, or under a
// sum of it where that cannot be the name of a file or is taken.
func (b *beside) freePlace(id string) string {
	ref := ConversationRef(id)
	if ref == "" || b.places[strings.ToLower(ref)] {
		sum := sha256.Sum256([]byte(id))
		ref = ConversationRef(hex.EncodeToString(sum[:16]))
	}
	b.places[strings.ToLower(ref)] = true
	return ref
}

// countOthers counts files that nothing names.
func (m *merging) countOthers() {
	b := m.beside
	for _, d := range []*soundDocument{b.ground, b.news} {
		named := map[string]bool{d.store.Path: true}
		for _, files := range b.conversations {
			named[files[d].Path] = true
		}
		for _, f := range d.tree.Files() {
			name, inside := within(path.Dir(d.store.Path), f.Path)
			switch {
			case named[f.Path], inside && (name == EmbeddingsName || name == DigestName || strings.HasPrefix(name, attachmentFolder)):
			case inside && strings.HasPrefix(name, conversationFolder):
				m.done.LeftOut[leftFile]++
			default:
				m.done.LeftOut[leftOther]++
			}
		}
	}
}

// place lets an entry say where its conversation lies in the result.
func (m *merging) place(id string, entry map[string]jsontext.Value) error {
	p, ok := m.beside.placed[id]
	if !ok {
		if m.beside.filed[id] && isFiled(entry["storage"]) {
			delete(entry, "storage")
		}
		return nil
	}
	storage, err := jcs.Marshal(Storage{Type: "file", Ref: p.ref, Format: "json"})
	if err != nil {
		return err
	}
	entry["storage"] = storage
	if _, counted := entry["message_count"]; counted && p.messages >= 0 {
		entry["message_count"], err = jcs.Marshal(p.messages)
	}
	return err
}

func isFiled(storage jsontext.Value) bool {
	var s Storage
	return json.Unmarshal(storage, &s) == nil && s.Type == "file"
}

// carry writes what comes along beside the store.
func (m *merging) carry() error {
	b := m.beside
	if len(b.chosen) > 0 {
		if err := m.target.create.file(EmbeddingsName, m.embeddings); err != nil {
			return err
		}
	}
	for _, id := range slices.Sorted(maps.Keys(b.placed)) {
		p := b.placed[id]
		if err := m.conversation(p); err != nil {
			return err
		}
	}
	for _, vectors := range b.vectors {
		for id := range vectors {
			if !m.ids[id] { // of a memory that stays behind, or of none
				m.done.LeftOut[leftEmbeddings]++
			}
		}
	}
	m.done.Files, m.done.Embeddings, m.done.Attachments = len(b.placed), len(b.chosen), len(b.attachments)
	for _, name := range slices.Sorted(maps.Keys(b.attachments)) {
		if err := m.attachment(name, b.attachments[name]); err != nil {
			return err
		}
	}
	return nil
}

func (m *merging) copy(name string, of *soundDocument, f intake.File) error {
	return m.target.create.file(name, func(w io.Writer) error {
		r, err := of.tree.Open(m.ctx, f)
		if err != nil {
			return err
		}
		defer r.Close()
		_, err = io.Copy(w, r)
		return err
	})
}

// attachment carries one over; of two that differ, the delta's.
func (m *merging) attachment(name string, files map[*soundDocument]intake.File) error {
	was, inBase := files[m.ground]
	is, inDelta := files[m.news]
	if !inDelta {
		return m.copy(name, m.ground, was)
	}
	if inBase {
		one, err := sumOf(m.ctx, m.ground.tree, was, name)
		if err != nil {
			return err
		}
		other, err := sumOf(m.ctx, m.news.tree, is, name)
		if err != nil {
			return err
		}
		if one != other {
			m.tell(changedAttachment, strings.TrimPrefix(name, attachmentFolder), "", m.authority.Beside, nil)
		}
		if m.authority.Beside != "" {
			return m.copy(name, m.ground, was)
		}
	}
	return m.copy(name, m.news, is)
}

// embeddings writes the file of those that come along, base's first.
func (m *merging) embeddings(w io.Writer) error {
	out := &storeWriter{w: bufio.NewWriterSize(w, 1<<16)}
	out.text("{\n")
	out.member("schema", string(schema.Embeddings))
	out.member("schema_version", SchemaVersion)
	out.text(`"embeddings": [`)
	between := "\n"
	for _, d := range []*soundDocument{m.ground, m.news} {
		f, ok := m.beside.embeddings[d]
		if !ok {
			continue
		}
		err := d.eachEmbedding(m.ctx, f, func(e jsontext.Value, memoryID string) error {
			c, ok := m.beside.chosen[memoryID]
			if !ok || c.of != d {
				return out.err
			}
			text, err := called(e, c.id)
			if err != nil {
				return err
			}
			out.text(between)
			between = ",\n"
			out.bytes(text)
			return out.err
		})
		if err != nil {
			return err
		}
	}
	out.text("\n]\n}\n")
	return out.flush()
}

// called is an embedding under an id, in canonical form.
func called(e jsontext.Value, id string) ([]byte, error) {
	var members map[string]jsontext.Value
	if err := json.Unmarshal(e, &members); err != nil {
		return nil, err
	}
	text, err := jcs.Marshal(id)
	if err != nil {
		return nil, err
	}
	members["id"] = text
	whole, err := json.Marshal(members)
	if err != nil {
		return nil, err
	}
	canonical, err := jcs.Fast(whole)
	return jcs.Readable(canonical), err
}
