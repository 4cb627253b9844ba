package all_test

import (
	"bytes"
	"path"
	"slices"
	"strings"
	"testing"

	. "keepsake/backend/importer/importertest"
	"keepsake/backend/importer/importertest/gen"
)

// TestAWholeExportAfterABrokenOne: what the faults of an export that is not whole advise, to
// import the whole one after it, imports nothing twice, or no more than they say.
func TestAWholeExportAfterABrokenOne(t *testing.T) {
	loose := func(name string, data ...[]byte) Fixture {
		return Fixture{Files: []gen.File{{Name: name, Data: slices.Concat(data...)}}}
	}
	talks, _ := gen.ChatGPTFiles(gen.ChatGPTOptions{Seed: 3, Conversations: 6, Bare: true})
	json := talks[slices.IndexFunc(talks, func(f gen.File) bool { return f.Name == "conversations.json" })].Data
	half := bytes.LastIndex(json[:len(json)/2], []byte(`{"`))
	page := loose("chat.html", []byte("<html>\n<head>\n<title>ChatGPT Data Export</title>\n<script>\nvar jsonData = "), json, []byte(";\nvar assetsJson = {};\n</script></head><body></body></html>"))
	sheets, _ := gen.Perplexity(3, 4)
	cut := Unpack(t, sheets)
	for i, f := range cut {
		if strings.HasSuffix(f.Name, "sheet1.xml") {
			cut[i].Data = f.Data[:len(f.Data)*2/3]
		}
	}
	whole := loose("conversations.json", json)
	cases := map[string]struct {
		reason        string
		broken, whole Fixture
		twice         int // conversations, at most
	}{
		"cut off":       {"json-truncated", loose("conversations.json", json[:len(json)*2/3]), whole, 0},
		"an item torn":  {"item-breaks", loose("conversations.json", json[:half], []byte("{,"), json[half:]), whole, 0},
		"lost behind":   {"json-breaks", loose("conversations.json", json[:half], []byte(`{"x":{,"y":1},"more":[`)), whole, 0},
		"page":          {"page-alone", page, loose("export.zip", gen.Zip(talks)), 0},
		"workbook":      {"workbook-damaged", loose("p.xlsx", gen.Zip(cut)), loose("p.xlsx", sheets), 0},
		"part of paste": {"paste-more-remain", Loose("a.txt", "[2026-02-02] - Likes tea\n[2026-02-03] - Has a dog\n\nMore remain; shall I continue?"), Loose("b.txt", "[2026-02-02] - Likes tea\n[2026-02-03] - Has a dog\n[2026-02-04] - Sings\n"), 0},
	}
	for _, format := range []string{"a", "b", "windows"} {
		c := cases["table "+format]
		table, _ := gen.Copilot(5, 4, format)
		c.reason, c.whole, c.twice = "csv-truncated", loose("history.csv", table), 1
		c.broken = loose("history.csv", table[:bytes.LastIndex(table[:len(table)*2/3], []byte("\nWith"))])
		cases["table "+format] = c
	}
	for name, o := range map[string]gen.TakeoutOptions{"activity": {Layout: "html"}, "activity without ids": {Layout: "html", Bare: true}, "activity in JSON": {Bare: true}} {
		c := cases[name]
		o.Seed, o.Conversations, o.Turns = 3, 4, 3
		files, _ := gen.Takeout(o)
		i := slices.IndexFunc(files, func(f gen.File) bool {
			return bytes.Contains(f.Data, []byte("Gemini Apps")) && path.Base(f.Name) != "archive_browser.html"
		})
		c.reason, c.twice = map[bool]string{true: "page-truncated", false: "json-truncated"}[o.Layout == "html"], 1
		c.whole, c.broken = loose(path.Base(files[i].Name), files[i].Data), loose(path.Base(files[i].Name), files[i].Data[:len(files[i].Data)/2])
		cases[name] = c
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) { CheckAgain(t, c.reason, c.broken, c.whole, c.twice) })
	}
}
