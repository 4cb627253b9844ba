package cline

import (
	"context"
	"crypto/sha256"
	"path"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/fault"
	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/intake"
)

// Read gives each task: first what the program knows of them, then what was said.
func (i Importer) Read(ctx context.Context, tree *intake.Tree, sink importer.Sink) error {
	r := &reading{Reading: importer.NewReading(ctx, tree, sink), notes: map[string]jsontext.Value{}, seen: map[string]bool{}, most: i.most}
	files, err := r.sort()
	if err != nil {
		return err
	}
	if err := r.EachElement(files[known], r.note); err != nil {
		return err
	}
	for _, f := range files[shown] {
		if err := r.task(f, (*talk).entry); err != nil {
			return err
		}
	}
	for _, f := range files[sent] {
		if r.seen[folderOf(f)] { // the window showed it
			sink.Skipped("repeated")
			continue
		}
		if err := r.task(f, (*talk).turn); err != nil {
			return err
		}
	}
	for range r.notes {
		sink.Skipped("session-note")
	}
	return r.End()
}

type reading struct {
	*importer.Reading
	notes map[string]jsontext.Value // what the program knows of a task, by its id
	seen  map[string]bool           // folders of which what was shown is read
	most  int64                     // as Importer has it
}

// sort tells the files by what they are.
func (r *reading) sort() (map[string][]intake.File, error) {
	files := map[string][]intake.File{}
	for _, f := range r.Tree.Files() {
		kind := ""
		if importer.HasEnding(f, ".json") || len(r.Tree.Files()) == 1 {
			shape, _, err := importer.LookAt(r.Ctx, r.Tree, f)
			if err != nil {
				return nil, err
			}
			kind = kindOf(f, shape)
			if kind == "" && shape.Cut { // too little is left of it to tell
				kind = map[string]string{"ui_messages.json": shown, "api_conversation_history.json": sent}[f.Base()]
			}
		}
		if kind == "" {
			r.Sink.OtherFile(f)
			continue
		}
		files[kind] = append(files[kind], f)
	}
	return files, nil
}

func folderOf(f intake.File) string { return path.Dir(f.Path) }

// note remembers what the program knows of a task.
func (r *reading) note(it importer.Item) error {
	id := importer.TextIn(it.Raw, "id")
	if _, twice := r.notes[id]; twice || id == "" {
		r.Sink.Skipped("session-note")
		return nil
	}
	r.notes[id] = it.Raw
	return nil
}

// task gives the conversation of one file, of whose items take makes messages.
func (r *reading) task(f intake.File, take func(*talk, jsontext.Value) error) error {
	r.seen[folderOf(f)] = true
	size := importer.Session{Max: r.most}
	sum := sha256.New()
	var rows []jsontext.Value
	err := r.Elements(f, func(it importer.Item) error {
		if it.Raw.Kind() != '{' {
			r.Bad(it, false, fault.New(fault.Invalid, "cline-not-a-message", "Item {at} of {name} is not a message of Cline and was left out."))
			return nil
		}
		if !size.Hold(len(it.Raw)) {
			rows = nil
			return nil
		}
		sum.Write(it.Raw)
		rows = append(rows, it.Raw)
		return nil
	})
	if err != nil {
		return err
	}
	if size.Over() {
		r.TooLarge(f, 1, true, size.Limit())
		return nil
	}
	return r.give(f, rows, sum.Sum, take)
}

// give makes a conversation of the items of one file.
func (r *reading) give(f intake.File, rows []jsontext.Value, sum func([]byte) []byte, take func(*talk, jsontext.Value) error) error {
	native := idOf(f, rows)
	note := r.notes[native]
	delete(r.notes, native)
	if importer.TextIn(note, "parentTaskId") != "" { // a model gave it
		r.Sink.Skipped("subagent")
		return nil
	}
	d, ok := r.Begin(platform, native, [32]byte(sum(nil)), f)
	if !ok {
		return nil
	}
	d.Provider.ExportFormatVersion = programOf(f)
	d.RawMetadata = importer.Rest(note, "id", "task", "ts")
	t := &talk{reading: r, d: d}
	for i, v := range rows {
		if err := take(t, v); err != nil {
			return err
		}
		rows[i] = nil // of a long task what was read twice would be much
	}
	if len(t.unknown) > 0 {
		importer.KeepRaw(&d.RawMetadata, "unknown_messages", importer.List(t.unknown))
	}
	d.Title = importer.TitleOf(importer.FirstOf(importer.TextIn(note, "task"), t.asked))
	importer.JoinInOrder(&d.Conversation)
	return r.Give(d)
}

// idOf is what the folder of a task is called: milliseconds or a UUID. A file that lies in
// no such folder is known by what it begins with.
func idOf(f intake.File, rows []jsontext.Value) string {
	if name := path.Base(folderOf(f)); regexp.MustCompile(`^(\d{12,}|[0-9a-f]{8}-[0-9a-f-]{27})$`).MatchString(name) {
		return name
	}
	var begins []string
	for _, v := range rows[:min(1, len(rows))] {
		begins = append(begins, string(jsonstream.Member(v, "ts")), importer.FirstText(v, "text", "content"))
		for _, block := range jsonstream.Items(jsonstream.Member(v, "content")) {
			begins = append(begins, importer.TextIn(block, "text"))
		}
	}
	return "x-" + importer.Digest(begins...)
}

// programOf is which of the programs a file lies in the folder of, "" where that is not
// known.
func programOf(f intake.File) string {
	for _, p := range []struct{ folder, name string }{{"saoudrizwan.claude-dev/", "cline"}, {"rooveterinaryinc.roo-cline/", "roo-code"}, {"kilocode.kilo-code/", "kilo-code"}} {
		if strings.Contains("/"+f.Path, "/"+p.folder) {
			return p.name
		}
	}
	return ""
}
