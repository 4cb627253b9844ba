package mif_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"keepsake/backend/format/mif"
	"keepsake/backend/memory"
)

// writeValid writes as an export does: what was kept must be valid by the schema.
func writeValid(t *testing.T, s mif.Source, o mif.Options) []byte {
	t.Helper()
	var b bytes.Buffer
	o.ExportID, o.Date, o.UserID, o.Generator, o.Rules = "00000000-0000-4000-8000-000000000001", at(900), "robin", "0.1.0", rules(t)
	if _, err := mif.Write(&b, s, o); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Promise: whatever a document said that was kept, what is written of it is valid in
// both versions: of what the schema refuses the valid part stands in its place, or nothing,
// and what was kept comes back.
func TestWhatWasKeptLeavesValid(t *testing.T) {
	comesBack := map[string]bool{"a type of its own": true, "an importance": true, "redactions": true, "a count": true, "a time": true, "a source": true, "related tasks": true, "metadata": true}
	for name, change := range map[string][2]string{
		"of a vector":          {`"embedding":{"id":"v1","model":"m","dimensions":2,"vector":[0.5,-0.5],"created_at":"2026-01-04T00:00:00Z","normalized":true}`, `"embedding":{"model":"m","normalized":true}`},
		"a vector of words":    {`"vector":[0.5,-0.5]`, `"vector":["a","b"]`},
		"a type of its own":    {`"type":"Pattern"`, `"type":"Mood"`},
		"no type":              {`"type":"Pattern",`, ``},
		"an importance":        {`"importance":0.85`, `"importance":"high"`},
		"redactions":           {`"tags":["Green Tea"]`, `"redactions":[{"type":"email"}]`},
		"a tag that is none":   {`["Green Tea"]`, `["Green Tea",5]`},
		"a count":              {`"access_count":7`, `"access_count":-7`},
		"a time":               {`"accessed_at":"2026-01-05T00:00:00Z"`, `"accessed_at":"yesterday"`},
		"a source":             {`"agent":"claude-code"`, `"agent":"claude-code","session_id":4`},
		"an entity":            {`{"text":"Tea","type":"DRINK"}`, `{"text":"Tea"}`},
		"related tasks":        {`"related_todos":["todo_` + idC + `"]`, `"related_todos":"many"`},
		"metadata":             {`"tags":["Green Tea"]`, `"metadata":{"n":1,"s":"x"}`},
		"metadata that are no": {`"tags":["Green Tea"]`, `"metadata":7`},
		"another id":           {`mem_` + idA, `note 1`},
		"another id of a task": {`todo_` + idB, `job 3`},
		"a status":             {`"status":"blocked"`, `"status":"stuck"`},
		"a comment":            {`{"id":"c","type":"note","content":"green"}`, `{"type":"note"}`},
		"a note":               {`"notes":"soon"`, `"notes":["soon"]`},
		"a due date":           {`"due_date":"2026-01-03T00:00:00Z"`, `"due_date":"soon"`},
		"an edge":              {`"type":"causal"`, `"type":"liked"`},
		"an edge's weight":     {`"weight":0.25`, `"weight":"strong"`},
		"an edge's count":      {`"weight":0.25`, `"weight":0.25,"strengthened_count":"often"`},
		"consent":              {`"todos":[`, `"consent":{"purpose":"backup","retention_days":"a year"},"todos":[`},
		"graph":                {`"format":"adjacency_list"`, `"format":"adjacency_list","hebbian_config":{"learning_rate":"fast"}`},
		"top entities":         {`"todos":[`, `"metadata":{"top_entities":"none","mood":"good"},"todos":[`},
		"extensions":           {`"todos":[`, `"vendor_extensions":[1],"todos":[`},
	} {
		if !strings.Contains(everyField, change[0]) {
			t.Fatalf("%s: no %s", name, change[0])
		}
		r, err := take(t, "x.json", []byte(strings.ReplaceAll(everyField, change[0], change[1])))
		if err != nil || len(r.Memories) != 1 || len(r.ToDo) != 1 {
			t.Fatal(name, err, r.Bad)
		}
		for _, major := range []string{"1", "2"} {
			for _, bare := range []bool{false, true} {
				s := r.source()
				if bare {
					s.Memories = leaving([]memory.Record{r.Memories[0].Record})
				}
				out := writeValid(t, s, mif.Options{Major: major, Form: mif.JSON, NoEmbeddings: bare})
				if v := validate(t, out); len(v.Errors) > 0 || v.Sum != mif.FitsOwn {
					t.Errorf("%s, version %s: %+v\n%s", name, major, v.Errors, out)
				}
				back, err := take(t, "y.json", out)
				if err != nil || len(back.Memories) != 1 || len(back.ToDo) != 1 || len(back.Edges) != len(r.Edges) {
					t.Fatal(name, err, back)
				}
				if was, is := fmt.Sprint(r.Memories[0].Record.Metadata), fmt.Sprint(back.Memories[0].Record.Metadata); major == "1" && !bare && comesBack[name] && was != is {
					t.Errorf("%s: kept was %s, is %s", name, was, is)
				}
				if is, was := back.Memories[0].Record, r.Memories[0].Record; is.ID != was.ID || is.Content != was.Content || is.Type != was.Type || back.ToDo[0].ID != r.ToDo[0].ID {
					t.Errorf("%s, version %s: %+v is %+v", name, major, was, is)
				}
			}
		}
	}
}

// Promise: what is valid leaves whole, what is not beside it, and both come back by way
// of either version.
func TestWhatIsNotValidLeavesBeside(t *testing.T) {
	r, err := take(t, "x.json", []byte(strings.Replace(everyField, `"tags"`, `"metadata":{"n":1,"s":"x"},"mine":[1],"tags"`, 1)))
	if err != nil {
		t.Fatal(err)
	}
	for _, major := range []string{"1", "2"} {
		out := writeValid(t, r.source(), mif.Options{Major: major, Form: mif.JSON})
		if len(validate(t, out).Errors) > 0 || !bytes.Contains(out, []byte(`"mif_refused":{"comments"`)) {
			t.Errorf("a comment without a time leaves so: %s", out)
		}
		back, err := take(t, "y.json", out)
		if err != nil {
			t.Fatal(err)
		}
		if was, is := r.ToDo[0].MIF, back.ToDo[0].MIF; major == "1" && was != is {
			t.Errorf("the task keeps %s, was %s", is, was)
		}
		if was, is := fmt.Sprint(r.Memories[0].Record.Metadata), fmt.Sprint(back.Memories[0].Record.Metadata); was != is {
			t.Errorf("version %s keeps %s, was %s", major, is, was)
		}
	}
}

// Promise: a memory whose vector does not leave says nothing of one: neither what was
// kept beside it, nor one in a form of its own.
func TestNoVectorLeavesNothingOfIt(t *testing.T) {
	for _, vector := range []string{`"vector":[0.5,-0.5]`, `"vector":[0.5,-0.5,0.25]`} {
		r, err := take(t, "x.json", []byte(strings.Replace(everyField, `"vector":[0.5,-0.5]`, vector, 1)))
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range []mif.Leaving{{Record: r.Memories[0].Record}, {Record: r.Memories[0].Record, Hidden: true}} {
			for _, major := range []string{"1", "2"} {
				out := writeValid(t, mif.Source{Memories: each([]mif.Leaving{l})}, mif.Options{Major: major, Form: mif.JSON, NoEmbeddings: !l.Hidden})
				if bytes.Contains(out, []byte(`"embedding`)) || bytes.Contains(out, []byte("normalized")) {
					t.Errorf("version %s: %s", major, out)
				}
			}
		}
	}
}
