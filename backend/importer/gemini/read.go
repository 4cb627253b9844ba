package gemini

import (
	"context"
	"crypto/sha256"
	"fmt"
	"path"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/fault"
	"keepsake/backend/importer"
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
	r := &reading{Reading: importer.NewReading(ctx, tree, sink), used: map[string]bool{}, verbs: &verbs{}}
	for _, step := range []func(*importer.Survey) error{r.activity, r.readGems, r.readWorkspace, r.readStudio} {
		if err := step(s); err != nil {
			return err
		}
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
	used  map[string]bool // paths of files that a record shows
	verbs *verbs
}

// place is what the first pass learned of a record of Gemini.
type place struct {
	group string // records of one group are a conversation
	id    string // of the record
	chat  string // the provider's id of the conversation, "" for a guessed one
	again bool   // another file held the same record
}

// gap is how far apart questions of one sitting may be, where nothing else says
// what belongs together.
const gap = time.Hour

// surveyor gives every record of Gemini its place.
type surveyor struct {
	places []place
	times  map[string]int   // how often a time was seen
	files  map[[32]byte]int // the file a record was first seen in
	last   memory.Time      // of the record before, which named no conversation
	group  string           // and its group
}

func (r *reading) activity(s *importer.Survey) error {
	files := slices.Clone(s.Files[rowsJSON])
	for _, f := range s.Files[rowsHTML] {
		twin := slices.ContainsFunc(s.Files[rowsJSON], func(j intake.File) bool { return path.Dir(j.Path) == path.Dir(f.Path) })
		if twin { // the same records, with less in them
			r.Sink.Skipped("html-twin")
			continue
		}
		files = append(files, f)
	}
	v := &surveyor{times: map[string]int{}, files: map[[32]byte]int{}}
	r.Quiet = true
	for i, f := range files {
		v.last, v.group = memory.Time{}, ""
		err := r.turns(f, func(t turn) error {
			if t.answered() {
				r.verbs.see(t.title)
			}
			v.place(i, t)
			return nil
		})
		if err != nil {
			return err
		}
	}
	r.Quiet = false
	r.verbs.learn()
	return r.talks(files, v)
}

// turns gives the records of Gemini in a file; others are counted.
func (r *reading) turns(f intake.File, take func(turn) error) error {
	one := func(t turn) error {
		if t.ours {
			return take(t)
		}
		if !r.Quiet {
			r.Sink.Skipped("other-product")
		}
		return nil
	}
	head, err := beginning(r.Ctx, r.Tree, f, lookBytes)
	if err != nil {
		return err
	}
	if !isPage(head) {
		return r.Elements(f, func(it importer.Item) error {
			if it.Raw.Kind() != '{' {
				r.Bad(it, false, notARecord())
				return nil
			}
			return one(jsonTurn(it))
		})
	}
	return r.cells(f, func(at int, cell []byte) error {
		t, ok := pageTurn(f, at, cell)
		if !ok {
			r.Bad(importer.Item{File: f, At: at}, false, notARecord())
			return nil
		}
		return one(t)
	})
}

func notARecord() *fault.Error {
	return fault.New(fault.Invalid, "gemini-not-a-record", "Item {at} of {name} is not a record of Google's activity and was left out.")
}

// place decides what a record belongs to. File counts the files.
func (v *surveyor) place(file int, t turn) {
	if first, seen := v.files[t.sum]; seen && first != file {
		v.places = append(v.places, place{again: true})
		return
	}
	v.files[t.sum] = file
	moment := t.stamp
	if !t.when.IsZero() {
		moment = t.when.String()
	}
	id := importer.ConversationID(platform, "record\x00"+moment+"\x00"+strconv.Itoa(v.times[moment]))
	v.times[moment]++
	if len(t.chats) > 0 {
		v.places = append(v.places, place{group: t.chats[0], id: id, chat: t.chats[0]})
		return
	}
	if v.group == "" || t.when.IsZero() || v.last.IsZero() || v.last.Sub(t.when.Time).Abs() >= gap {
		v.group = "guess\x00" + id
	}
	v.last = t.when
	v.places = append(v.places, place{group: v.group, id: id})
}

// placed is a record and its place.
type placed struct {
	turn
	place
}

// talks is the second pass.
func (r *reading) talks(files []intake.File, v *surveyor) error {
	var pile importer.Pile[placed]
	for _, p := range v.places {
		if !p.again {
			pile.Expect(p.group)
		}
	}
	v.times, v.files = nil, nil
	next := 0
	for _, f := range files {
		err := r.turns(f, func(t turn) error {
			if next == len(v.places) {
				return nil // the file has grown since
			}
			p := v.places[next]
			next++
			if p.again {
				r.Sink.Skipped("duplicate")
				return nil
			}
			rows, refused := pile.Put(p.group, placed{t, p}, t.size)
			if refused {
				r.TooLarge(f, t.at)
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

// talk gives one conversation; no rows are none.
func (r *reading) talk(rows []placed) error {
	if len(rows) == 0 {
		return nil
	}
	if rows[0].when.Compare(rows[len(rows)-1].when) >= 0 {
		slices.Reverse(rows) // newest first; of equal times as well
	}
	chat := rows[0].chat
	if chat == "" {
		rows = slices.DeleteFunc(rows, func(p placed) bool {
			happened := !p.answered() && p.asked == "" && !r.verbs.isQuestion(p.title)
			if happened {
				r.Sink.Skipped("activity")
			}
			return happened
		})
		if len(rows) == 0 {
			return nil
		}
	}
	h := sha256.New()
	for _, p := range rows {
		h.Write(p.sum[:])
	}
	c := memory.Conversation{Provider: memory.Provider{Name: platform, ConversationID: chat, ExportFormatVersion: "takeout"}}
	if c.ID = importer.ConversationID(platform, chat); chat == "" {
		c.ID = importer.ConversationID(platform, "guess\x00"+rows[0].id)
		importer.KeepText(&c.RawMetadata, "keepsake_grouping", "gap")
	}
	d := importer.ConversationDraft{Conversation: c, Sum: [32]byte(h.Sum(nil)), File: rows[0].file.Base()}
	for _, p := range rows {
		d.AlsoFrom(p.file.Base())
	}
	if !r.Begin(c.ID, chat, d.Sum) {
		return nil
	}
	if err := r.thread(&d, rows); err != nil {
		return err
	}
	return r.Sink.Conversation(r.Ctx, d)
}

func (r *reading) thread(d *importer.ConversationDraft, rows []placed) error {
	t := importer.NewThread(d)
	d.Messages = make([]memory.Message, 0, 2*len(rows))
	last := rows[len(rows)-1].when
	for i, p := range rows {
		rows[i] = placed{} // of a long conversation what was read twice would be much
		if len(p.chats) > 1 {
			r.Sink.Unknown("record-of:several-conversations") // its addresses stay in details
		}
		list, err := r.messages(p.turn, p.id)
		if err != nil {
			return err
		}
		list[0].ParentID = t.Last()
		for _, m := range list {
			if d.Title == "" && m.Role == memory.User {
				d.Title = importer.TitleOf(m.Content.PlainText())
			}
			t.Add(m)
		}
	}
	t.Join(t.Last(), "parent")
	d.Temporal.UpdatedAt = last
	return nil
}

// readWorkspace reads Gemini in Workspace, a conversation to a file.
func (r *reading) readWorkspace(s *importer.Survey) error {
	for _, f := range s.Files[workspace] {
		if err := r.Elements(f, func(it importer.Item) error { return r.document(it, r.workspaceTalk) }); err != nil {
			return err
		}
	}
	return nil
}

// readStudio reads AI Studio, a conversation to a file.
func (r *reading) readStudio(s *importer.Survey) error {
	for _, f := range s.Files[studio] {
		if err := r.Elements(f, func(it importer.Item) error { return r.document(it, r.studioTalk) }); err != nil {
			return err
		}
	}
	return nil
}

// document gives the conversation that a whole file is. Fill fills it in; it
// returns the provider's id, "" where there is none, and what stands for one.
func (r *reading) document(it importer.Item, fill func(*importer.ConversationDraft, importer.Item) (native, likeness string)) error {
	d := importer.ConversationDraft{Sum: importer.Sum(it.Raw), File: it.File.Base()}
	d.Provider.Name = platform
	native, likeness := fill(&d, it)
	if len(d.Messages) == 0 {
		r.Sink.Skipped(importer.EmptyConversation)
		return nil
	}
	d.Provider.ConversationID = native
	d.ID = importer.ConversationID(platform, likeness)
	if !r.Begin(d.ID, native, d.Sum) {
		return nil
	}
	for i := range d.Messages { // made without a conversation id of their own
		d.Messages[i].ID = importer.ConversationID(d.ID, strconv.Itoa(i))
		d.Messages[i].ParentID, d.Messages[i].ChildrenIDs = "", nil
		if i > 0 {
			d.Messages[i].ParentID = d.Messages[i-1].ID
			d.Messages[i-1].ChildrenIDs = []string{d.Messages[i].ID}
		}
	}
	d.Leaf = d.Messages[len(d.Messages)-1].ID
	if d.TimeSource = ""; d.Temporal.CreatedAt.IsZero() {
		d.TimeSource = "none"
	}
	return r.Sink.Conversation(r.Ctx, d)
}

// workspaceTalk translates a conversation_<id>.txt.
func (r *reading) workspaceTalk(d *importer.ConversationDraft, it importer.Item) (native, likeness string) {
	title := importer.TextIn(it.Raw, "title")
	d.Title = importer.Line(title)
	d.Temporal.CreatedAt = importer.When(importer.TextIn(it.Raw, "creation_time"))
	d.Temporal.UpdatedAt = importer.When(importer.TextIn(it.Raw, "last_modification_time"))
	d.Provider.ExportFormatVersion = "workspace"
	importer.KeepOthers(&d.RawMetadata, it.Raw, "title", "creation_time", "last_modification_time", "conversation_turns")
	for _, v := range importer.Items(importer.Member(it.Raw, "conversation_turns")) {
		d.Messages = append(d.Messages, r.workspaceTurn(v))
	}
	if m := workspaceName.FindStringSubmatch(it.File.Base()); m != nil {
		return m[1], "workspace\x00" + m[1]
	}
	return "", fmt.Sprintf("workspace\x00%s\x00%s", d.Temporal.CreatedAt, title)
}

func (r *reading) workspaceTurn(v jsontext.Value) memory.Message {
	m := memory.Message{Role: memory.System}
	for name, value := range importer.Members(v) {
		switch name {
		case "user_turn":
			m.Role, m.Content = memory.User, importer.Words(importer.TextIn(value, "prompt"))
			importer.KeepOthers(&m.RawMetadata, value, "prompt")
		case "system_turn":
			m.Role = memory.Assistant
			var all []string
			for _, text := range importer.Items(importer.Member(value, "text")) {
				all = append(all, importer.TextIn(text, "data"))
				if !importer.IsNothing(importer.Member(text, "preamble")) {
					importer.KeepRaw(&m.RawMetadata, "text", importer.Keep(importer.Member(value, "text")))
				}
			}
			m.Content = importer.Words(joined(all))
			importer.KeepOthers(&m.RawMetadata, value, "text")
		default:
			r.Sink.Unknown("turn:" + name)
			importer.KeepRaw(&m.RawMetadata, name, importer.Keep(value))
		}
	}
	return m
}

// studioTalk translates a file of AI Studio. It holds neither times nor an id:
// its name and its first text stand for one.
func (r *reading) studioTalk(d *importer.ConversationDraft, it importer.Item) (native, likeness string) {
	d.Title = importer.Line(it.File.Base())
	d.Provider.ExportFormatVersion = "ai-studio"
	d.Model = path.Base("/" + importer.TextIn(importer.Member(it.Raw, "runSettings"), "model"))
	if d.Model == "/" {
		d.Model = ""
	}
	d.SystemInstruction = told(importer.Member(it.Raw, "systemInstruction"))
	importer.KeepOthers(&d.RawMetadata, it.Raw, "chunkedPrompt", "systemInstruction")
	prompt := importer.Member(it.Raw, "chunkedPrompt")
	importer.KeepOthers(&d.RawMetadata, prompt, "chunks")
	first := ""
	for _, v := range importer.Items(importer.Member(prompt, "chunks")) {
		m := r.chunk(v)
		d.Messages = append(d.Messages, m)
		if first == "" {
			first = m.Content.PlainText()
		}
	}
	return "", "studio\x00" + d.Title + "\x00" + first
}

// told is an instruction: a text, or an object with one or with parts.
func told(v jsontext.Value) string {
	if s, ok := importer.Text(v); ok {
		return s
	}
	if s := importer.TextIn(v, "text"); s != "" {
		return s
	}
	var all []string
	for _, part := range importer.Items(importer.Member(v, "parts")) {
		all = append(all, importer.TextIn(part, "text"))
	}
	return joined(all)
}

func (r *reading) chunk(v jsontext.Value) memory.Message {
	m := memory.Message{Role: memory.System, Content: importer.Words(importer.TextIn(v, "text"))}
	switch role := importer.TextIn(v, "role"); role {
	case "user":
		m.Role = memory.User
	case "model":
		m.Role = memory.Assistant
	default:
		r.Sink.Unknown("role:" + role)
		importer.KeepText(&m.RawMetadata, "role", role)
	}
	m.IsThought = importer.True(importer.Member(v, "isThought"))
	m.TokenCount = importer.Count(importer.Member(v, "tokenCount"))
	for name, value := range importer.Members(v) {
		switch name {
		case "text", "role", "isThought", "tokenCount":
		case "driveImage", "driveDocument", "driveVideo", "driveAudio", "inlineFile", "inlineImage", "inlineAudio":
			m.Attachments = append(m.Attachments, r.Absent(importer.FirstText(value, "name", "id")))
			importer.KeepRaw(&m.RawMetadata, name, importer.Keep(value))
		default:
			if !importer.IsNothing(value) {
				importer.KeepRaw(&m.RawMetadata, name, importer.Keep(value))
			}
		}
	}
	return m
}
