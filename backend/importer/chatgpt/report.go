package chatgpt

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/memory"
)

// report is what deep research found. It stands in the state of a widget, beside a
// text that is empty or that repeats the state for the model.
type report struct {
	said      string // as it is written
	shown     string
	model     string
	citations []memory.Citation
	answers   bool // it stands with a message of the assistant
	elsewhere bool // another message of the branch shows it
}

// stateText begins the message that repeats the state of a widget.
const stateText = "The latest state of the widget is:"

// reportMember is the message of the report in the state of a widget.
const reportMember = "report_message"

// widgetMembers are where the state lies, in each other or not.
var widgetMembers = []string{"chatgpt_sdk", "widget_state", "venus_widget_state", "tool_response_metadata"}

// reports finds the reports of a conversation and the node that shows each: of
// several of a branch with the same one the assistant's, else the last.
func (r *reader) reports(t *talk) map[int]*report {
	if !t.graph.mentions(reportMember) {
		return nil
	}
	all := map[int]*report{}
	above := make([]*report, len(t.graph.nodes)) // the nearest one, of each node
	for _, n := range t.graph.walk() {
		i := t.graph.at[n.id]
		if n.parent != noParent {
			above[i] = above[n.parent]
		}
		if !n.wire.isSpoken() || above[i] == nil && !bytes.Contains(n.wire.Message, []byte(reportMember)) {
			continue
		}
		var w wireMessage
		w.read(n.wire.Message, t.ends)
		b := readBody(&w)
		found, before := w.report(&b), above[i]
		if found == nil {
			if before != nil && jsonstream.Says(w.author.Role, "assistant") && strings.TrimSpace(b.raw()) == strings.TrimSpace(before.said) {
				before.elsewhere = true
			}
			continue
		}
		if found.said == "" {
			r.sink.Unknown("widget:" + reportMember)
			continue
		}
		if all[i] = found; before != nil && before.said == found.said {
			if found.elsewhere = before.answers && !found.answers; found.elsewhere {
				continue
			}
			before.elsewhere = true
		}
		above[i] = found
	}
	return all
}

// mentions reports that a message holds that word.
func (g *graph) mentions(word string) bool {
	return slices.ContainsFunc(g.nodes, func(n *node) bool { return bytes.Contains(n.wire.Message, []byte(word)) })
}

// report is that of a message, nil where it has none, and one without words where
// none can be read in it.
func (w *wireMessage) report(b *body) *report {
	role := word(w.author.Role)
	if role == "user" {
		return nil
	}
	found := reportIn(w.Metadata, 0)
	if state, ok := strings.CutPrefix(strings.TrimSpace(b.raw()), stateText); ok && found == nil {
		found = reportIn(firstValue(state), 0)
	}
	if found == nil {
		return nil
	}
	var m wireMessage
	m.read(found, jsonstream.Ends{})
	inner := readBody(&m)
	return &report{
		said: inner.raw(), shown: display(inner.raw(), instead(&m.meta), true), model: text(m.meta.Model),
		citations: citations(&m.meta, inner.cites), answers: role == "assistant",
	}
}

// reportIn looks for the message of a report in the state of a widget, which is an
// object or the JSON of one.
func reportIn(v jsontext.Value, depth int) jsontext.Value {
	if s, ok := jsonstream.Text(v); ok {
		v = firstValue(s)
	}
	if v.Kind() != '{' || depth > len(widgetMembers) {
		return nil
	}
	if found := jsonstream.Member(v, reportMember); !importer.IsNothing(found) {
		if s, ok := jsonstream.Text(found); ok {
			return firstValue(s)
		}
		return found
	}
	for _, name := range widgetMembers {
		if found := reportIn(jsonstream.Member(v, name), depth+1); found != nil {
			return found
		}
	}
	return nil
}

// firstValue is the JSON that a text begins with, nil where it is none. Of a report that
// broke off an empty one is left, to be counted.
func firstValue(s string) jsontext.Value {
	v, err := jsontext.NewDecoder(strings.NewReader(s)).ReadValue()
	switch {
	case err == nil:
		return v
	case strings.Contains(s, reportMember):
		return jsontext.Value(`{"` + reportMember + `":{"id":""}}`)
	}
	return nil
}

// show puts a report into its message, which is then the answer: the message of a
// tool, too, where no other has it.
func (p *report) show(w *wireMessage, b *body, m *memory.Message) {
	if b.exact = false; strings.HasPrefix(strings.TrimSpace(b.raw()), stateText) {
		b.parts, b.pointers = nil, detached(b.pointers)
	}
	if p.elsewhere {
		return
	}
	if !strings.Contains(b.raw(), p.said) {
		b.say(p.shown)
	}
	m.Citations = distinct(append(m.Citations, p.citations...))
	m.Model = cmp.Or(m.Model, p.model)
	if b.answer = true; m.Role != memory.Assistant {
		m.Role = memory.Assistant
		m.RawMetadata["author"] = keep(w.Author)
	}
}
