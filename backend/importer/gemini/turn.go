package gemini

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/intake"
	"keepsake/backend/memory"
)

// turn is one record of My Activity, whichever way it was written.
type turn struct {
	file    intake.File
	ours    bool // it is of Gemini
	title   string
	page    string // HTML of the answer, where the record is of a page
	answers int    // how many there are
	when    memory.Time
	stamp   string // the time as it was written
	zoned   bool   // it says where
	chats   []string
	files   []string // names of files that lie beside the record
	links   []memory.Citation
	exchange
	more []exchange // further ones of the same record
	raw  memory.RawMetadata
}

// exchange is a question and its answer in the clear, as descriptions of older layouts
// have them.
type exchange struct{ asked, told string }

// say adds an exchange; one without words is none.
func (t *turn) say(e exchange) {
	switch {
	case e == exchange{}:
	case t.exchange == exchange{}:
		t.exchange = e
	default:
		t.more = append(t.more, e)
	}
}

// answered reports whether the record holds an answer.
func (t turn) answered() bool { return t.answers > 0 || t.told != "" }

// moment is the time of the record, as it was written where it is not known.
func (t turn) moment() string {
	if t.when.IsZero() {
		return t.stamp
	}
	return t.when.String()
}

// id is that of the record, which has none of its own: it is made of its time, and of
// how many records before have the same.
func (t turn) id(nth uint32) string {
	return importer.ConversationID(platform, "record\x00"+t.moment()+"\x00"+strconv.FormatUint(uint64(nth), 10))
}

// chatAddress finds the id of a conversation in an address of Gemini's.
var chatAddress = regexp.MustCompile(`(?:gemini|bard)\.google\.com/(?:u/\d+/)?(?:app|chat|gem/[^/?#"\s]+)/(?:c/([\w-]{3,})|([0-9a-f]{6,}))`)

// addChat notes the conversation that an address names.
func (t *turn) addChat(address string) {
	if m := chatAddress.FindStringSubmatch(address); m != nil && !slices.Contains(t.chats, m[1]+m[2]) {
		t.chats = append(t.chats, m[1]+m[2])
	}
	t.ours = t.ours || strings.Contains(address, "//gemini.google.com") || strings.Contains(address, "//bard.google.com")
}

// addFile notes a file beside the record. Addresses are none.
func (t *turn) addFile(name string) {
	if name = path.Base(path.Clean("/" + name)); name != "/" && !slices.Contains(t.files, name) {
		t.files = append(t.files, name)
	}
}

// isAddress tells an address from the name of a file.
func isAddress(s string) bool { return strings.Contains(s, "://") || strings.HasPrefix(s, "//") }

// names are those of the members of a record.
var names = jsonstream.NamesOf("header", "title", "titleUrl", "subtitles", "time", "products", "activityControls",
	"description", "locationInfos", "details", "imageFile", "attachedFiles", "audioFiles", "safeHtmlItem", "userInteractions")

// jsonTurn reads a record of the JSON layout.
func jsonTurn(f intake.File, raw jsontext.Value) turn {
	t := turn{file: f, ours: isOurPlace(f.Path), zoned: true}
	var header string
	var products jsontext.Value
	for quoted, value := range jsonstream.Pairs(raw) {
		name := names.Of(quoted)
		text, _ := jsonstream.Text(value)
		switch name {
		case "header":
			header = text
		case "products":
			products = value
			continue
		case "title":
			t.title = text
			continue
		case "titleUrl":
			t.addChat(text)
			continue
		case "time":
			t.stamp = text
			t.when = importer.When(text)
			continue
		case "safeHtmlItem":
			t.answers = len(htmlOf(value))
		case "attachedFiles", "audioFiles":
			for _, item := range jsonstream.Items(value) {
				name, _ := jsonstream.Text(item)
				t.addFile(name)
			}
		case "imageFile":
			t.addFile(text)
		case "subtitles":
			t.subtitles(value)
		case "details":
			t.details(value)
		case "userInteractions":
			t.interactions(value)
		}
		if !importer.IsNothing(value) && name != "header" {
			importer.KeepRaw(&t.raw, name, jsonstream.Keep(value))
		}
	}
	switch { // rows of other products hold apps and addresses of Gemini
	case !importer.IsNothing(products):
		t.ours = brand.Match(products)
	case header != "":
		t.ours = brand.MatchString(header)
	}
	return t
}

// pages are the answers as HTML. Those of the JSON layout are kept with the record
// anyway, and read there when they are needed: a long conversation is held whole.
func (t *turn) pages() []string {
	if t.page != "" {
		return []string{t.page}
	}
	return htmlOf(jsontext.Value(t.raw["safeHtmlItem"]))
}

func htmlOf(items jsontext.Value) (pages []string) {
	for _, item := range jsonstream.Items(items) {
		if page := importer.TextIn(item, "html"); page != "" {
			pages = append(pages, page)
		}
	}
	return pages
}

// subtitles name attachments by files and sources by addresses.
func (t *turn) subtitles(list jsontext.Value) {
	for _, v := range jsonstream.Items(list) {
		address := importer.TextIn(v, "url")
		switch {
		case address == "":
		case isAddress(address):
			t.links = append(t.links, memory.Citation{Title: importer.Line(importer.TextIn(v, "name")), URL: importer.WebAddress(address)})
		default:
			t.addFile(address)
		}
	}
}

// details name the conversation. The oldest description of the format says that
// they held question and answer; no export that was seen does.
func (t *turn) details(list jsontext.Value) {
	var open exchange
	for _, v := range jsonstream.Items(list) {
		t.addChat(importer.TextIn(v, "url"))
		switch importer.TextIn(v, "name") {
		case "Request":
			t.say(open)
			open = exchange{asked: importer.TextIn(v, "value")}
		case "Response":
			if open.told != "" {
				t.say(open)
				open = exchange{}
			}
			open.told = importer.TextIn(v, "value")
		}
	}
	t.say(open)
}

// interactions hold question and answer as the same description has them elsewhere: as
// text, or as the JSON of it. No export that was seen has them.
func (t *turn) interactions(list jsontext.Value) {
	for _, v := range jsonstream.Items(list) {
		if inner := jsonstream.Member(v, "userInteraction"); inner.Kind() == '{' {
			v = inner
		}
		t.say(exchange{spoken(jsonstream.Member(v, "request")), spoken(jsonstream.Member(v, "response"))})
	}
}

// spoken is what a member says: a text, the texts in it, or those in the JSON that it is
// the text of.
func spoken(v jsontext.Value) string {
	s, isText := jsonstream.Text(v)
	inner := jsontext.Value(strings.TrimSpace(s))
	if isText && (inner.Kind() != '[' && inner.Kind() != '{' || !inner.IsValid()) {
		return s
	}
	if isText {
		v = inner
	}
	return importer.FirstOf(strings.Join(textsIn(v, 0), "\n"), s)
}

// textsIn are the texts of the members that are called like one, in order.
func textsIn(v jsontext.Value, depth int) (all []string) {
	if depth > 8 {
		return nil
	}
	for _, item := range jsonstream.Items(v) {
		if s, ok := jsonstream.Text(item); ok {
			all = append(all, s)
		} else {
			all = append(all, textsIn(item, depth+1)...)
		}
	}
	for name, value := range jsonstream.Members(v) {
		s, ok := jsonstream.Text(value)
		switch {
		case !ok:
			all = append(all, textsIn(value, depth+1)...)
		case s != "" && slices.Contains([]string{"text", "prompt", "query", "content", "message", "value", "request", "response"}, name):
			all = append(all, s)
		}
	}
	return all
}

// pictures are the files that an answer shows.
var pictures = regexp.MustCompile(`<img[^>]*?\ssrc="([^"]+)"`)

// messages are what a record becomes: what the person said, or what happened,
// and the answer. Id is that of the record.
func (r *reading) messages(t turn, id string) ([]memory.Message, error) {
	asked := memory.Message{ID: id, Role: memory.User, CreatedAt: t.when, RawMetadata: t.raw}
	said, before, after, happened := r.verbs.cut(t.title)
	switch {
	case t.asked != "":
		said = t.asked
		importer.KeepText(&asked.RawMetadata, "title", t.title)
	case happened:
		asked.Role = memory.System
	default:
		importer.KeepText(&asked.RawMetadata, "keepsake_verb", before)
		importer.KeepText(&asked.RawMetadata, "keepsake_verb_behind", after)
	}
	asked.Content = importer.Words(said)
	if t.when.IsZero() {
		importer.KeepText(&asked.RawMetadata, "time", t.stamp)
	} else if !t.zoned {
		importer.KeepText(&asked.RawMetadata, "time", t.stamp)
		importer.KeepText(&asked.RawMetadata, "keepsake_time_zone", "assumed-utc")
	}
	var err error
	if asked.Attachments, err = r.beside(t, t.files); err != nil || !t.answered() {
		return append([]memory.Message{asked}, t.further(id)...), err
	}
	pages := t.pages()
	answer := memory.Message{ID: id + "#answer", Role: memory.Assistant, CreatedAt: t.when, Citations: t.links, Content: r.content(t, pages)}
	asked.ID = answer.ID[:len(id)] // one text for both
	var drawn []string
	for _, page := range pages {
		for _, m := range pictures.FindAllStringSubmatch(page, -1) {
			if name := path.Base(m[1]); !isAddress(m[1]) && !strings.HasPrefix(m[1], "data:") && !slices.Contains(t.files, name) && !slices.Contains(drawn, name) {
				drawn = append(drawn, name)
			}
		}
	}
	if answer.Attachments, err = r.beside(t, drawn); err != nil {
		return nil, err
	}
	if len(pages) > 1 {
		importer.KeepRaw(&answer.RawMetadata, "keepsake_answers", fmt.Appendf(nil, "%d", len(pages)))
	}
	return append([]memory.Message{asked, answer}, t.further(id)...), nil
}

// further are the messages of the exchanges after the first.
func (t *turn) further(id string) (all []memory.Message) {
	for i, e := range t.more {
		own := id + "#" + strconv.Itoa(i+2)
		if e.asked != "" {
			all = append(all, memory.Message{ID: own, Role: memory.User, CreatedAt: t.when, Content: importer.Words(e.asked)})
		}
		if e.told != "" {
			all = append(all, memory.Message{ID: own + "#answer", Role: memory.Assistant, CreatedAt: t.when, Content: importer.Words(e.told)})
		}
	}
	return all
}

// content is an answer as Markdown. Several items are pieces of one answer or
// drafts of it, which the record does not tell: all are shown, one after another.
func (r *reading) content(t turn, pages []string) *memory.Content {
	if t.told != "" && len(pages) == 0 {
		return importer.Words(t.told)
	}
	var parts []memory.Part
	for _, page := range pages {
		if text := markdown(r.answers, page); text != "" {
			parts = append(parts, memory.Part{Type: "text", Text: text})
		}
	}
	if len(parts) == 1 {
		return importer.Words(parts[0].Text)
	}
	if len(parts) == 0 {
		return nil
	}
	return &memory.Content{Type: "multipart", Parts: parts}
}

// beside takes files that lie in the folder of a record.
func (r *reading) beside(t turn, names []string) (all []memory.Attachment, err error) {
	for _, name := range names {
		f, ok := r.Tree.File(path.Join(path.Dir(t.file.Path), name))
		if !ok {
			all = append(all, r.Absent(name))
			continue
		}
		r.used[f.Path] = true
		a, err := r.Attach(f, name)
		if err != nil {
			return nil, err
		}
		all = append(all, a)
	}
	return all, nil
}
