package gemini

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/fault"
	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/intake"
	"keepsake/backend/memory"
)

// Read goes over the activity twice, first to learn the verb and which records
// belong together; then it reads Gems, Workspace and AI Studio.
func (Importer) Read(ctx context.Context, tree *intake.Tree, sink importer.Sink) error {
	s, err := look(ctx, tree, 0)
	if err != nil {
		return err
	}
	r := &reading{Reading: importer.NewReading(ctx, tree, sink), used: map[string]bool{}, verbs: &verbs{}, answers: newConverter()}
	if err := r.activity(s); err != nil {
		return err
	}
	if err := r.readGems(s); err != nil {
		return err
	}
	if err := r.EachElement(s.Files[workspace], r.document(r.workspaceTalk)); err != nil {
		return err
	}
	if err := r.EachElement(s.Files[studio], r.document(r.studioTalk)); err != nil {
		return err
	}
	for range s.Files[scheduled] {
		sink.Skipped("scheduled-actions")
	}
	for range s.Files[strangers] {
		sink.Skipped("other-product")
	}
	s.Others = slices.DeleteFunc(s.Others, func(f intake.File) bool { return r.used[f.Path] })
	return r.ReadCut(s)
}

// reading is one run over one tree.
type reading struct {
	*importer.Reading
	used    map[string]bool // paths of files that a record shows
	verbs   *verbs
	answers *converter.Converter
}

// activityFile is a file of records.
type activityFile struct {
	intake.File
	isPage bool // HTML; JSON otherwise
}

// place is what the first pass learned of a record. There may be a million of them, of
// other products, so it is small.
type place struct {
	group string // records of one group are a conversation: see surveyor.place
	nth   uint32 // how many records before it have its time
	fate  fate
	bare  bool // it holds no answer, so it may be no question
}

// fate of a record.
type fate byte

const (
	ours    fate = iota
	foreign      // of another product
	again        // another file held the same
	unfit        // it is no record
)

// guessed begins the name of a group whose records name no conversation.
const guessed = "guess\x00"

// chat is the provider's id of the conversation, "" for a guessed one.
func (p place) chat() string {
	if strings.HasPrefix(p.group, guessed) {
		return ""
	}
	return p.group
}

// gap is how far apart questions of one sitting may be, where nothing else says
// what belongs together.
const gap = time.Hour

// surveyor gives every record its place.
type surveyor struct {
	places []place
	groups map[string]string // each name of one is in memory once
	times  map[string]uint32 // how often a time was seen
	files  map[[32]byte]int  // the file a record was first seen in
	last   memory.Time       // of the record before, which named no conversation
	group  string            // and its group
}

func (r *reading) activity(s *importer.Survey) error {
	files, err := r.activityFiles(s)
	if err != nil {
		return err
	}
	v := &surveyor{groups: map[string]string{}, times: map[string]uint32{}, files: map[[32]byte]int{}}
	r.Quiet = true
	for i := range files {
		v.last, v.group = memory.Time{}, ""
		err := r.records(&files[i], func(_ int, raw []byte) error {
			t, ok := files[i].turn(raw)
			if ok && t.ours && t.answered() {
				r.verbs.see(t.title)
			}
			v.places = append(v.places, v.place(i, importer.Sum(raw), t, ok))
			return nil
		})
		if err != nil {
			return err
		}
	}
	r.Quiet = false
	r.verbs.learn()
	return r.talks(files, v.places)
}

func (r *reading) activityFiles(s *importer.Survey) (files []activityFile, err error) {
	all := slices.Clone(s.Files[rowsJSON])
	for _, f := range s.Files[rowsHTML] {
		twin := slices.ContainsFunc(s.Files[rowsJSON], func(j intake.File) bool { return path.Dir(j.Path) == path.Dir(f.Path) })
		if twin { // the same records, with less in them
			r.Sink.Skipped("html-twin")
			continue
		}
		all = append(all, f)
	}
	for _, f := range all {
		head, err := beginning(r.Ctx, r.Tree, f, lookBytes)
		if err != nil {
			return nil, err
		}
		files = append(files, activityFile{f, isPage(head)})
	}
	return files, nil
}

// records gives those of a file as they are written. What is given of a page is written
// over by the next.
func (r *reading) records(f *activityFile, take func(at int, raw []byte) error) error {
	if f.isPage {
		return r.cells(f.File, take)
	}
	return r.Elements(f.File, func(it importer.Item) error { return take(it.At, it.Raw) })
}

// turn reads a record; false where it is none.
func (f *activityFile) turn(raw []byte) (turn, bool) {
	if f.isPage {
		return pageTurn(f.File, raw)
	}
	if jsontext.Value(raw).Kind() != '{' {
		return turn{}, false
	}
	return jsonTurn(f.File, raw), true
}

// place decides what a record belongs to. File counts the files. The name of a group is
// the provider's id of a conversation, or made of that of its first record.
func (v *surveyor) place(file int, sum [32]byte, t turn, ok bool) place {
	if !ok {
		return place{fate: unfit}
	}
	if !t.ours {
		return place{fate: foreign}
	}
	if first, seen := v.files[sum]; seen && first != file {
		return place{fate: again}
	}
	v.files[sum] = file
	p := place{nth: v.times[t.moment()], bare: !t.answered() && t.asked == ""}
	v.times[t.moment()]++
	if len(t.chats) > 0 {
		p.group = v.named(t.chats[0])
		return p
	}
	if v.group == "" || t.when.IsZero() || v.last.IsZero() || v.last.Sub(t.when.Time).Abs() >= gap {
		v.group = guessed + t.id(p.nth)
	}
	v.last, p.group = t.when, v.group
	return p
}

func (v *surveyor) named(group string) string {
	if known, ok := v.groups[group]; ok {
		return known
	}
	v.groups[group] = group
	return group
}

// row is a record of a conversation, as it is written, and its place. Of a long
// conversation what was read of each would be much, so each is read when its turn comes.
type row struct {
	raw  []byte
	file *activityFile
	place
}

func (w row) turn() turn {
	t, _ := w.file.turn(w.raw)
	return t
}

// talks is the second pass.
func (r *reading) talks(files []activityFile, places []place) error {
	var pile importer.Pile[row]
	for _, p := range places {
		if p.fate == ours {
			pile.Expect(p.group)
		}
	}
	for i := range files {
		f := &files[i]
		err := r.records(f, func(at int, raw []byte) error {
			if len(places) == 0 {
				return nil // the file has grown since
			}
			p := places[0]
			places = places[1:]
			if p.fate != ours {
				r.leftOut(f, at, p.fate)
				return nil
			}
			rows, refused := pile.Put(p.group, row{bytes.Clone(raw), f, p}, len(raw))
			if refused {
				r.TooLarge(f.File, at, true, jsonstream.MaxElement)
			}
			return r.talk(rows)
		})
		if err != nil {
			return err
		}
	}
	for _, rows := range pile.Rest() {
		if err := r.talk(rows); err != nil {
			return err
		}
	}
	return nil
}

// leftOut tells of a record that is in no conversation.
func (r *reading) leftOut(f *activityFile, at int, why fate) {
	switch why {
	case unfit:
		r.Bad(importer.Item{File: f.File, At: at}, false, fault.New(fault.Invalid, "gemini-not-a-record",
			"Item {at} of {name} is not a record of Google's activity and was left out."))
	case foreign:
		r.Sink.Skipped("other-product")
	case again:
		r.Sink.Skipped("duplicate")
	}
}

// talk gives one conversation; no rows are none.
func (r *reading) talk(rows []row) error {
	if len(rows) == 0 {
		return nil
	}
	if rows[0].turn().when.Compare(rows[len(rows)-1].turn().when) >= 0 {
		slices.Reverse(rows) // newest first; of equal times as well
	}
	chat := rows[0].chat()
	if chat == "" {
		if rows = slices.DeleteFunc(rows, r.happened); len(rows) == 0 {
			return nil
		}
	}
	h := sha256.New()
	for _, w := range rows {
		sum := importer.Sum(w.raw)
		h.Write(sum[:])
	}
	c := memory.Conversation{Provider: memory.Provider{Name: platform, ConversationID: chat, ExportFormatVersion: "takeout"}}
	if c.ID = importer.ConversationID(platform, chat); chat == "" {
		c.ID = importer.ConversationID(platform, guessed+rows[0].turn().id(rows[0].nth))
		importer.KeepText(&c.RawMetadata, "keepsake_grouping", "gap")
	}
	d := importer.ConversationDraft{Conversation: c, Sum: [32]byte(h.Sum(nil)), File: rows[0].file.Base()}
	for _, w := range rows {
		d.AlsoFrom(w.file.Base())
	}
	if !r.IsNew(c.ID, chat, d.Sum) {
		return nil
	}
	if err := r.thread(&d, rows); err != nil {
		return err
	}
	return r.Sink.Conversation(r.Ctx, d)
}

// happened reports that a record is no question, and counts it.
func (r *reading) happened(w row) bool {
	if !w.bare || r.verbs.isQuestion(w.turn().title) {
		return false
	}
	r.Sink.Skipped("activity")
	return true
}

func (r *reading) thread(d *importer.ConversationDraft, rows []row) error {
	d.Messages = make([]memory.Message, 0, 2*len(rows))
	var owner importer.Owner
	for i, w := range rows {
		rows[i] = row{} // of a long conversation both, the text and what was read of it, would be much
		t := w.turn()
		if len(t.chats) > 1 {
			r.Sink.Unknown("record-of:several-conversations") // its addresses stay in details
		}
		list, err := r.messages(t, t.id(w.nth))
		if err != nil {
			return err
		}
		for _, m := range list {
			if d.Title == "" && m.Role == memory.User {
				d.Title = importer.TitleOf(m.Content.PlainText())
			}
			owner.Own(&m)
			d.Messages = append(d.Messages, m)
		}
	}
	importer.JoinInOrder(&d.Conversation)
	importer.Dates(d)
	d.Temporal.UpdatedAt = d.Messages[len(d.Messages)-1].CreatedAt
	return nil
}

// document gives the conversation that a whole file is. Fill fills it in; it
// returns the provider's id, "" where there is none, and what stands for one.
func (r *reading) document(fill func(*importer.ConversationDraft, importer.Item) (native, likeness string, err error)) func(importer.Item) error {
	return func(it importer.Item) error {
		d := importer.ConversationDraft{Sum: importer.Sum(it.Raw), File: it.File.Base()}
		d.Provider.Name = platform
		native, likeness, err := fill(&d, it)
		if err != nil {
			return err
		}
		if len(d.Messages) == 0 {
			r.Sink.Skipped(importer.EmptyConversation)
			return nil
		}
		d.Provider.ConversationID = native
		d.ID = importer.ConversationID(platform, likeness)
		if !r.IsNew(d.ID, native, d.Sum) {
			return nil
		}
		for i := range d.Messages { // made without a conversation id of their own
			d.Messages[i].ID = importer.ConversationID(d.ID, strconv.Itoa(i))
		}
		importer.JoinInOrder(&d.Conversation)
		d.TimeSource = ""
		importer.Dates(&d)
		return r.Sink.Conversation(r.Ctx, d)
	}
}

// workspaceTalk translates a conversation_<id>.txt.
func (r *reading) workspaceTalk(d *importer.ConversationDraft, it importer.Item) (native, likeness string, err error) {
	title := importer.TextIn(it.Raw, "title")
	d.Title = importer.Line(title)
	d.Temporal.CreatedAt = importer.When(importer.TextIn(it.Raw, "creation_time"))
	d.Temporal.UpdatedAt = importer.When(importer.TextIn(it.Raw, "last_modification_time"))
	d.Provider.ExportFormatVersion = "workspace"
	importer.KeepOthers(&d.RawMetadata, it.Raw, "title", "creation_time", "last_modification_time", "conversation_turns")
	for _, v := range jsonstream.Items(jsonstream.Member(it.Raw, "conversation_turns")) {
		d.Messages = append(d.Messages, r.workspaceTurn(v))
	}
	if m := workspaceName.FindStringSubmatch(it.File.Base()); m != nil {
		return m[1], "workspace\x00" + m[1], nil
	}
	return "", fmt.Sprintf("workspace\x00%s\x00%s", d.Temporal.CreatedAt, title), nil
}

func (r *reading) workspaceTurn(v jsontext.Value) memory.Message {
	m := memory.Message{Role: memory.System}
	for name, value := range jsonstream.Members(v) {
		switch name {
		case "user_turn":
			m.Role, m.Content = memory.User, importer.Words(importer.TextIn(value, "prompt"))
			importer.KeepOthers(&m.RawMetadata, value, "prompt")
		case "system_turn":
			m.Role = memory.Assistant
			var all []string
			for _, text := range jsonstream.Items(jsonstream.Member(value, "text")) {
				all = append(all, importer.TextIn(text, "data"))
				if !importer.IsNothing(jsonstream.Member(text, "preamble")) {
					importer.KeepRaw(&m.RawMetadata, "text", jsonstream.Keep(jsonstream.Member(value, "text")))
				}
			}
			m.Content = importer.Words(joined(all))
			importer.KeepOthers(&m.RawMetadata, value, "text")
		default:
			r.Sink.Unknown("turn:" + name)
			importer.KeepRaw(&m.RawMetadata, name, jsonstream.Keep(value))
		}
	}
	return m
}

// studioTalk translates a file of AI Studio. It holds no id: its name and its first text
// stand for one.
func (r *reading) studioTalk(d *importer.ConversationDraft, it importer.Item) (native, likeness string, err error) {
	d.Title = importer.Line(it.File.Base())
	d.Provider.ExportFormatVersion = "ai-studio"
	d.Model = path.Base("/" + importer.TextIn(jsonstream.Member(it.Raw, "runSettings"), "model"))
	if d.Model == "/" {
		d.Model = ""
	}
	d.SystemInstruction = told(jsonstream.Member(it.Raw, "systemInstruction"))
	d.Temporal.CreatedAt, d.Temporal.UpdatedAt = importer.AnyTime(jsonstream.Member(it.Raw, "createTime")), importer.AnyTime(jsonstream.Member(it.Raw, "updateTime"))
	importer.KeepOthers(&d.RawMetadata, it.Raw, "chunkedPrompt", "systemInstruction")
	prompt := jsonstream.Member(it.Raw, "chunkedPrompt")
	importer.KeepOthers(&d.RawMetadata, prompt, "chunks")
	for _, v := range jsonstream.Items(jsonstream.Member(prompt, "pendingInputs")) {
		if all, err := r.chunk(v); err != nil {
			return "", "", err
		} else if !all[0].IsEmpty() {
			r.Sink.Skipped("not-sent")
		}
	}
	first := ""
	for _, v := range jsonstream.Items(jsonstream.Member(prompt, "chunks")) {
		all, err := r.chunk(v)
		if err != nil {
			return "", "", err
		}
		if len(all) == 1 && all[0].IsEmpty() && importer.TextIn(v, "errorMessage") != "" {
			r.Sink.Skipped("notice")
			continue
		}
		d.Messages = append(d.Messages, all...)
		if first == "" {
			first = all[0].Content.PlainText()
		}
	}
	return "", "studio\x00" + d.Title + "\x00" + first, nil
}

// told is an instruction: a text, or an object with one or with parts.
func told(v jsontext.Value) string {
	if s, ok := jsonstream.Text(v); ok {
		return s
	}
	if s := importer.TextIn(v, "text"); s != "" {
		return s
	}
	var all []string
	for _, part := range jsonstream.Items(jsonstream.Member(v, "parts")) {
		all = append(all, importer.TextIn(part, "text"))
	}
	return joined(all)
}
