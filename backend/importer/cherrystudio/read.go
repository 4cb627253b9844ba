package cherrystudio

import (
	"context"
	"crypto/sha256"
	"path"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/fault"
	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/intake"
	"keepsake/backend/memory"
)

// Read gives the topics of each file.
func (Importer) Read(ctx context.Context, tree *intake.Tree, sink importer.Sink) error {
	r := &reading{Reading: importer.NewReading(ctx, tree, sink), files: map[string]intake.File{}, used: map[string]bool{}}
	r.Whole = true
	texts, err := r.sort()
	if err != nil {
		return err
	}
	if err := r.EachElement(texts, r.element); err != nil {
		return err
	}
	for name := range r.files {
		if !r.used[name] {
			sink.Skipped("file-without-message")
		}
	}
	return r.End()
}

type reading struct {
	*importer.Reading
	files map[string]intake.File // uploads, by name
	used  map[string]bool        // names of those that a message names
}

// sort gives the files of JSON that are read, and notes the uploads.
func (r *reading) sort() (texts []intake.File, err error) {
	for _, f := range r.Tree.Files() {
		if strings.HasSuffix("/"+path.Dir(f.Path), "/Data/Files") {
			r.files[f.Base()] = f
			continue
		}
		mine := false
		if importer.HasEnding(f, ".json") || len(r.Tree.Files()) == 1 {
			shape, _, err := importer.LookAt(r.Ctx, r.Tree, f)
			if err != nil {
				return nil, err
			}
			mine = formOf(shape) != "" || shape.Cut
		}
		if mine {
			texts = append(texts, f)
		} else {
			r.Sink.OtherFile(f)
		}
	}
	return texts, nil
}

func (r *reading) element(it importer.Item) error {
	tables := jsonstream.Member(it.Raw, "indexedDB")
	switch {
	case importer.TextIn(it.Raw, "kind") == "cherry-studio.topic":
		return r.topicFile(it)
	case tables.Kind() == '{':
		return r.backup(it, tables)
	}
	r.Bad(it, true, fault.New(fault.Invalid, "cherry-studio-not-a-topic", "Item {at} of {name} is not a topic of Cherry Studio and was left out."))
	return nil
}

// named is what the assistants say of a topic.
type named struct{ name, assistant, prompt string }

// backup gives the topics of data.json.
func (r *reading) backup(it importer.Item, tables jsontext.Value) error {
	names := namesIn(jsonstream.Member(it.Raw, "localStorage"))
	blocks := map[string]jsontext.Value{}
	for _, b := range jsonstream.Items(jsonstream.Member(tables, "message_blocks")) {
		blocks[importer.TextIn(b, "id")] = b
	}
	for _, t := range jsonstream.Items(jsonstream.Member(tables, "topics")) {
		if err := r.topic(it.File, t, names[importer.TextIn(t, "id")], blocks); err != nil {
			return err
		}
	}
	for range blocks {
		r.Sink.Skipped("part-without-message")
	}
	for name, rows := range jsonstream.Members(tables) {
		if name != "topics" && name != "message_blocks" && name != "files" { // phrases, translations, settings
			for range jsonstream.Items(rows) {
				r.Sink.Skipped("tool")
			}
		}
	}
	return nil
}

// namesIn are the names of topics by their ids. The text around them holds keys: nothing
// else of it is looked at.
func namesIn(storage jsontext.Value) map[string]named {
	names := map[string]named{}
	kept := within(within(storage, "persist:cherry-studio"), "assistants")
	list := []jsontext.Value{jsonstream.Member(kept, "defaultAssistant")}
	for _, a := range jsonstream.Items(jsonstream.Member(kept, "assistants")) {
		list = append(list, a)
	}
	for _, a := range list {
		for _, t := range jsonstream.Items(jsonstream.Member(a, "topics")) {
			names[importer.TextIn(t, "id")] = named{importer.TextIn(t, "name"), importer.TextIn(a, "name"), importer.TextIn(a, "prompt")}
		}
	}
	return names
}

// within is the object in a member that holds JSON as a text, nil where there is none.
func within(v jsontext.Value, name string) jsontext.Value {
	if in := jsontext.Value(strings.TrimSpace(importer.TextIn(v, name))); in.IsValid() && in.Kind() == '{' {
		return in
	}
	return nil
}

// topic gives one conversation, and takes its blocks out of those that are left.
func (r *reading) topic(f intake.File, v jsontext.Value, is named, blocks map[string]jsontext.Value) error {
	id := importer.TextIn(v, "id")
	list := jsonstream.Member(v, "messages")
	sum := sha256.New()
	sum.Write(v)
	sum.Write([]byte(is.name + "\x00" + is.prompt))
	var all []made
	for _, m := range jsonstream.Items(list) {
		of := made{message: m}
		for _, b := range jsonstream.Items(jsonstream.Member(m, "blocks")) {
			name, _ := jsonstream.Text(b)
			if block, ok := blocks[name]; ok {
				of.blocks = append(of.blocks, block)
				sum.Write(block)
				delete(blocks, name)
			}
		}
		all = append(all, of)
	}
	if id == "" {
		for range all {
			r.Sink.Unknown("record:message")
		}
		return nil
	}
	d, ok := r.Begin(platform, id, [32]byte(sum.Sum(nil)), f)
	if !ok {
		for _, of := range all {
			r.uses(of)
		}
		return nil
	}
	d.Title = importer.Line(importer.FirstOf(is.name, importer.TextIn(v, "name")))
	d.SystemInstruction = is.prompt
	d.RawMetadata = importer.Rest(v, "id", "messages", "name")
	importer.KeepText(&d.RawMetadata, "assistant", is.assistant)
	return r.thread(d, all)
}

// uses notes the uploads of a message that is not read again.
func (r *reading) uses(of made) {
	for _, b := range of.blocks {
		r.used[fileOf(jsonstream.Member(b, "file"))] = true
	}
}

// made is a message with the blocks that it is made of.
type made struct {
	message jsontext.Value
	blocks  []jsontext.Value
}

// thread puts the messages of a topic below each other. Answers of several models to one
// question name it (askId) and hang beside each other; what follows hangs below the one
// that is selected, or the last.
func (r *reading) thread(d *importer.ConversationDraft, all []made) error {
	d.Messages = make([]memory.Message, 0, len(all))
	leaf, asked := "", ""
	below := "" // where answers to the same question hang
	selected := false
	for _, of := range all {
		v := of.message
		if importer.TextIn(v, "type") == "clear" {
			r.Sink.Skipped("notice") // the model was to forget what came before
			continue
		}
		question := importer.TextIn(v, "askId")
		isSibling := question != "" && question == asked && leaf != below
		if !isSibling {
			below, selected = leaf, false
		}
		asked = question
		id, err := r.message(d, of, below)
		if err != nil {
			return err
		}
		isSelected := jsonstream.True(jsonstream.Member(v, "foldSelected")) || jsonstream.True(jsonstream.Member(v, "useful"))
		if isSelected || !selected {
			leaf, selected = id, isSelected
		}
	}
	importer.Join(&d.Conversation, leaf, "parent")
	return r.Give(d)
}

// topicFile gives the topic that version 2 wrote into a file by itself. It has no id, but
// its first message has one.
func (r *reading) topicFile(it importer.Item) error {
	v := it.Raw
	list := jsonstream.Member(v, "messages")
	first := ""
	for _, m := range jsonstream.Items(list) {
		first = importer.TextIn(m, "sourceId")
		break
	}
	topic := jsonstream.Member(v, "topic")
	native := "t-" + importer.FirstOf(first, importer.Digest(importer.TextIn(topic, "name")))
	d, ok := r.Begin(platform, native, it.Sum, it.File)
	if !ok {
		return nil
	}
	d.Provider.ExportFormatVersion = "topic"
	d.Title = importer.Line(importer.TextIn(topic, "name"))
	d.RawMetadata = importer.Rest(v, "kind", "version", "messages", "topic", "activeSourceId", "exportedAt")
	d.Messages = importer.Room(list)
	for _, m := range jsonstream.Items(list) {
		if err := r.parted(d, m); err != nil {
			return err
		}
	}
	importer.Join(&d.Conversation, importer.TextIn(v, "activeSourceId"), "parentSourceId")
	return r.Give(d)
}

// upload attaches a file of the backup, or counts it as missing.
func (r *reading) upload(file jsontext.Value) (memory.Attachment, error) {
	name := importer.FirstOf(importer.FirstText(file, "origin_name", "name"), "file")
	f, ok := r.files[fileOf(file)]
	if !ok {
		return r.Absent(name), nil
	}
	r.used[f.Base()] = true
	return r.Attach(f, name)
}

// fileOf is what an upload is called in Data/Files.
func fileOf(file jsontext.Value) string {
	id, ext := importer.TextIn(file, "id"), importer.TextIn(file, "ext")
	if slices.Contains([]string{"", path.Ext(id)}, ext) {
		return id
	}
	return id + ext
}
