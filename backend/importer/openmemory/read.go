package openmemory

import (
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/fault"
	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/intake"
	"keepsake/backend/memory"
)

// sure is how sure a statement is that a model drew from a chat.
const sure = 0.7

// maxUnpacked bounds what the packed lines may unfold to.
const maxUnpacked = 1 << 30

// Read gives the memories of the whole backup, or else those of its lines.
func (i Importer) Read(ctx context.Context, tree *intake.Tree, sink importer.Sink) error {
	r := &reading{Reading: importer.NewReading(ctx, tree, sink), most: cmp.Or(i.most, maxUnpacked), apps: map[string]string{}, categories: map[string]string{}, of: map[string][]string{}}
	whole := false
	for _, f := range tree.Files() {
		if importer.HasEnding(f, ".json") || len(tree.Files()) == 1 && !isLines(f) {
			whole = true
			if err := r.Elements(f, r.backup); err != nil {
				return err
			}
		}
	}
	for _, f := range tree.Files() {
		switch {
		case importer.HasEnding(f, ".json") || len(tree.Files()) == 1 && !isLines(f):
		case whole || !isLines(f):
			sink.OtherFile(f)
		default:
			if err := r.lines(f); err != nil {
				return err
			}
		}
	}
	return r.End()
}

type reading struct {
	*importer.Reading
	most             int64 // as Importer has it
	user             string
	apps, categories map[string]string   // id → name
	of               map[string][]string // memory → category ids
}

// backup reads memories.json.
func (r *reading) backup(rec importer.Item) error {
	v := rec.Raw
	user := jsonstream.Member(v, "user")
	r.user = importer.FirstText(user, "user_id", "id")
	names(r.apps, jsonstream.Member(v, "apps"))
	names(r.categories, jsonstream.Member(v, "categories"))
	for _, pair := range jsonstream.Items(jsonstream.Member(v, "memory_categories")) {
		id := importer.TextIn(pair, "memory_id")
		r.of[id] = append(r.of[id], importer.TextIn(pair, "category_id"))
	}
	for i, m := range jsonstream.Items(jsonstream.Member(v, "memories")) {
		if err := r.memory(importer.Item{File: rec.File, At: i + 1, Raw: m}); err != nil {
			return err
		}
	}
	for _, name := range []string{"status_history", "access_controls"} {
		for range jsonstream.Items(jsonstream.Member(v, name)) {
			r.Sink.Skipped("history")
		}
	}
	return nil
}

func names(into map[string]string, list jsontext.Value) {
	for _, v := range jsonstream.Items(list) {
		into[importer.TextIn(v, "id")] = importer.TextIn(v, "name")
	}
}

func (r *reading) memory(rec importer.Item) error {
	v := rec.Raw
	content, id := strings.TrimSpace(importer.TextIn(v, "content")), importer.TextIn(v, "id")
	state := importer.TextIn(v, "state")
	switch {
	case v.Kind() != '{':
		r.Bad(rec, false, fault.New(fault.Invalid, "openmemory-not-a-memory", "Item {at} of {name} is not a memory of OpenMemory and was left out."))
		return nil
	case content == "":
		r.Sink.Skipped("empty")
		return nil
	case state == "deleted", !importer.IsNothing(jsonstream.Member(v, "deleted_at")):
		r.Sink.Skipped("deleted-there")
		return nil
	case state == "active":
		state = ""
	}
	d := importer.MemoryDraft{
		SourceKey: "openmemory:" + importer.FirstOf(id, importer.Digest(content)), Content: content,
		Method: memory.LLMInference, Confidence: sure, PlatformUserID: r.user, Tags: importer.AddTag(nil, state),
		CreatedAt: importer.TimeIn(v, "created_at"), UpdatedAt: importer.TimeIn(v, "updated_at"),
		Metadata: importer.Facts(importer.Rest(v, "id", "content", "state", "created_at", "updated_at", "app", "app_id", "categories", "category_ids"),
			"source", "OpenMemory", "state", state, "app", importer.FirstOf(importer.TextIn(v, "app"), r.apps[importer.TextIn(v, "app_id")])),
	}
	for _, list := range []string{"categories", "category_ids"} {
		for _, c := range jsonstream.Items(jsonstream.Member(v, list)) {
			name, _ := jsonstream.Text(c)
			d.Tags = importer.AddTag(d.Tags, importer.FirstOf(r.categories[name], name))
		}
	}
	for _, c := range r.of[id] {
		d.Tags = importer.AddTag(d.Tags, r.categories[c])
	}
	return r.Remember(d)
}

// lines reads memories.jsonl.gz.
func (r *reading) lines(f intake.File) error {
	body, err := r.Tree.Open(r.Ctx, f)
	if err != nil {
		return r.Break(fmt.Errorf("open %s: %w", f.Path, err))
	}
	defer body.Close()
	unpacked, err := gzip.NewReader(body)
	if err != nil {
		return r.Break(errPacked(f, err))
	}
	return r.LinesOf(f, explained{&jsonstream.Capped{R: unpacked, Left: r.most}, r, f}, r.memory)
}

// explained are packed lines that say why they ended early.
type explained struct {
	io.Reader
	r *reading
	f intake.File
}

func (e explained) Read(p []byte) (int, error) {
	n, err := e.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = e.r.explain(e.f, err)
	}
	return n, err
}

// explain says why packed lines ended early.
func (r *reading) explain(f intake.File, err error) error {
	if errors.Is(err, jsonstream.ErrCapped) {
		return fault.New(fault.TooLarge, "packed-lines-too-large", "{name} unfolds to more than {limit} MiB; the lines before that were read.").
			With("name", f.Base()).With("limit", r.most>>20)
	}
	return errPacked(f, err)
}

func errPacked(f intake.File, cause error) error {
	return fault.New(fault.Invalid, "packed-lines-broken", "{name} is damaged and could not be unpacked to its end.").With("name", f.Base()).Because(cause)
}
