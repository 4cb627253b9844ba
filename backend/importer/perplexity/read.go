package perplexity

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/fault"
	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/intake"
	"keepsake/backend/memory"
)

// Read streams conversations, then memories, then what extensions wrote.
func (Importer) Read(ctx context.Context, tree *intake.Tree, sink importer.Sink) error {
	e, err := look(ctx, tree, 0)
	if err != nil {
		return err
	}
	r := &reading{importer.NewReading(ctx, tree, sink)}
	r.CreatedFrom = "file"
	for _, t := range e.talks {
		if err := r.talks(t); err != nil {
			return err
		}
	}
	for _, t := range e.memories {
		if err := r.memories(t); err != nil {
			return err
		}
	}
	if err := r.EachElement(e.Files[list], r.single); err != nil {
		return err
	}
	if err := r.EachElement(e.Files[thread], r.thread); err != nil {
		return err
	}
	return r.ReadCut(e.Survey)
}

// reading is one run over one tree.
type reading struct{ *importer.Reading }

// rows goes over a sheet. What is wrong with the sheet is remembered, what take
// returns ends the reading.
func (r *reading) rows(t table, known []string, take func(row) error) error {
	err := t.each(r.Ctx, known, func(row row) error {
		if err := take(row); err != nil {
			return r.Told(err)
		}
		r.Progress()
		return nil
	})
	if err != nil {
		return r.Ended(err)
	}
	return nil
}

var talkColumns = []string{"UUID", "CREATED", "UPDATED", "TITLE", "OUTPUT_STR", "QUERY_STR", "QUERY"}

// talks reads the sheet Conversations. Rows of one id are one conversation.
func (r *reading) talks(t table) error {
	var pile importer.Pile[row]
	for _, r.Quiet = range []bool{true, false} {
		err := r.rows(t, talkColumns, func(row row) error {
			id := row.cells["UUID"]
			switch {
			case id == "":
				r.Bad(t.item(row), true, fault.New(fault.Invalid, "perplexity-no-id", "Item {at} of {name} has no id and was left out."))
				return nil
			case r.Quiet:
				pile.Expect(id)
				return nil
			}
			rows, refused := pile.Put(id, row, row.size())
			if refused {
				r.TooLarge(t.file, row.n, true, jsonstream.MaxElement)
			}
			return r.talk(t, rows)
		})
		if err != nil {
			return err
		}
	}
	for _, rows := range pile.Rest() {
		if err := r.talk(t, rows); err != nil {
			return err
		}
	}
	return nil
}

func (r row) size() (n int) {
	for _, cell := range r.cells {
		n += len(cell)
	}
	return n
}

// sum is a hash over all cells of rows.
func sum(rows []row) [32]byte {
	h := sha256.New()
	for _, r := range rows {
		for _, name := range slices.Sorted(maps.Keys(r.cells)) {
			fmt.Fprintf(h, "%q %q\n", name, r.cells[name])
		}
		fmt.Fprintf(h, "%q\n", r.more)
	}
	return [32]byte(h.Sum(nil))
}

// talk gives one conversation of the workbook; no rows are none.
func (r *reading) talk(t table, rows []row) error {
	if len(rows) == 0 {
		return nil
	}
	slices.SortStableFunc(rows, func(a, b row) int { return when(a.cells["CREATED"]).Compare(when(b.cells["CREATED"])) })
	first, last := rows[0].cells, rows[len(rows)-1].cells
	d, ok := r.Begin(platform, first["UUID"], sum(rows), t.file)
	if !ok {
		return nil
	}
	d.Title, d.Provider.ExportFormatVersion = importer.Line(first["TITLE"]), "workbook"
	d.Temporal.CreatedAt, d.Temporal.UpdatedAt = when(first["CREATED"]), when(last["UPDATED"])
	if !hasZone(first["CREATED"]) && !d.Temporal.CreatedAt.IsZero() {
		importer.KeepText(&d.RawMetadata, "keepsake_time_zone", "assumed-utc")
	}
	if d.Title != first["TITLE"] {
		importer.KeepText(&d.RawMetadata, "TITLE", first["TITLE"])
	}
	d.Messages = make([]memory.Message, 0, 2*len(rows))
	th := importer.NewThread(d)
	for i, row := range rows {
		rows[i].cells = nil // of a long conversation what was read twice would be much
		asked := memory.Message{ID: d.ID + "#" + strconv.Itoa(i+1), Role: memory.User, CreatedAt: when(row.cells["CREATED"])}
		said := row.cells["QUERY_STR"] + row.cells["QUERY"]
		if said == "" {
			said = row.cells["TITLE"]
			importer.KeepText(&asked.RawMetadata, "keepsake_question", "title")
		}
		asked.Content = importer.Words(said)
		for _, cell := range row.more {
			importer.KeepText(&asked.RawMetadata, cell[0], cell[1])
		}
		if asked.CreatedAt.IsZero() {
			importer.KeepText(&asked.RawMetadata, "CREATED", row.cells["CREATED"])
		}
		addPair(th, asked, answerOf(row.cells["OUTPUT_STR"]))
	}
	th.Join(th.Last(), "parent")
	return r.Sink.Conversation(r.Ctx, *d)
}

// addPair chains a question and its answer.
func addPair(t *importer.Thread, asked, told memory.Message) {
	asked.ParentID = t.Last()
	told.ParentID = t.Add(asked)
	told.ID, told.Role, told.CreatedAt = told.ParentID+"#answer", memory.Assistant, asked.CreatedAt
	t.Add(told)
}

// single gives one question of an extension's list as a conversation.
func (r *reading) single(it importer.Item) error {
	id := importer.FirstText(it.Raw, "uuid", "id")
	asked := importer.FirstText(it.Raw, "query", "question", "title")
	if id == "" || asked == "" {
		r.Bad(it, true, notAThread())
		return nil
	}
	d, ok := r.Begin(platform, id, importer.Sum(it.Raw), it.File)
	if !ok {
		return nil
	}
	d.Title, d.Provider.ExportFormatVersion = importer.TitleOf(asked), "extension"
	d.Temporal.CreatedAt = importer.When(importer.FirstText(it.Raw, "created_at", "timestamp", "date", "updated_at"))
	importer.KeepOthers(&d.RawMetadata, it.Raw, "uuid", "query", "answer", "sources")
	t := importer.NewThread(d)
	found := jsonstream.Member(it.Raw, "sources")
	told := memory.Message{Content: importer.Words(importer.TextIn(it.Raw, "answer")), Citations: sources(found)}
	if !importer.IsNothing(found) {
		importer.KeepRaw(&told.RawMetadata, "sources", jsonstream.Keep(found))
	}
	addPair(t, memory.Message{ID: d.ID + "#1", Role: memory.User, CreatedAt: d.Temporal.CreatedAt, Content: importer.Words(asked)}, told)
	t.Join(t.Last(), "parent")
	return r.Sink.Conversation(r.Ctx, *d)
}

func notAThread() *fault.Error {
	return fault.New(fault.Invalid, "perplexity-not-a-thread", "Item {at} of {name} is not a thread of Perplexity and was left out.")
}

// thread gives the thread that a file is. It is an object with entries, which
// the stream gives whole.
func (r *reading) thread(it importer.Item) error {
	entries := jsonstream.Member(it.Raw, "entries")
	about := jsonstream.Member(it.Raw, "thread_metadata")
	id := importer.FirstText(about, "thread_uuid", "uuid", "id", "slug", "context_uuid")
	for _, e := range jsonstream.Items(entries) {
		if id != "" {
			break
		}
		id = importer.FirstText(e, "context_uuid", "thread_url_slug", "backend_uuid", "uuid")
	}
	if id == "" {
		r.Bad(it, true, notAThread())
		return nil
	}
	d, ok := r.Begin(platform, id, importer.Sum(it.Raw), it.File)
	if !ok {
		return nil
	}
	d.Title, d.Provider.ExportFormatVersion = importer.Line(importer.TextIn(about, "title")), "extension-thread"
	importer.KeepOthers(&d.RawMetadata, it.Raw, "entries")
	t := importer.NewThread(d)
	for _, e := range jsonstream.Items(entries) {
		r.entry(t, d, e)
	}
	if len(d.Messages) == 0 {
		r.Sink.Skipped(importer.EmptyConversation)
		return nil
	}
	t.Join(t.Last(), "parent")
	return r.Sink.Conversation(r.Ctx, *d)
}

// entry adds one question of a thread and its answer.
func (r *reading) entry(t *importer.Thread, d *importer.ConversationDraft, e jsontext.Value) {
	said := importer.FirstText(e, "query_str", "query", "question")
	if d.Title == "" {
		d.Title = importer.TitleOf(importer.FirstText(e, "thread_title") + said)
	}
	asked := memory.Message{ID: importer.FirstText(e, "uuid", "backend_uuid"), Role: memory.User, Content: importer.Words(said),
		CreatedAt: importer.When(importer.FirstText(e, "entry_created_datetime", "created_at", "updated_datetime"))}
	asked.ProviderMessageID = asked.ID
	told := answerOf(importer.FirstText(e, "answer", "text"))
	for _, block := range jsonstream.Items(jsonstream.Member(e, "blocks")) {
		if text := importer.TextIn(jsonstream.Member(block, "markdown_block"), "answer"); text != "" {
			told.Content = importer.Words(text)
		}
	}
	told.Model = importer.FirstText(e, "display_model", "model")
	told.Citations = append(told.Citations, sources(jsonstream.Member(e, "sources"))...)
	importer.KeepOthers(&told.RawMetadata, e, "uuid", "query_str", "query", "question", "answer")
	addPair(t, asked, told)
}

// when reads a time: text, or days since the end of 1899 as workbooks count. A
// missing zone means UTC.
func when(s string) memory.Time {
	if days, err := strconv.ParseFloat(s, 64); err == nil {
		if days < 25570 || days > 80000 { // 1970 to 2119
			return memory.Time{}
		}
		epoch := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
		return memory.At(epoch.Add(time.Duration(days * float64(24*time.Hour))).Round(time.Millisecond))
	}
	s = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSpace(s), " UTC"), " Z")
	return importer.When(s)
}

// hasZone reports whether a time says where.
func hasZone(s string) bool {
	_, err := memory.ParseTime(strings.TrimSpace(s))
	return err == nil || strings.HasSuffix(s, "UTC") || strings.HasSuffix(s, "Z")
}
