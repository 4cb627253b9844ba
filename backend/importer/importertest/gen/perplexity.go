package gen

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"
	"time"
)

// Perplexity makes the official workbook with n conversations, three saved
// memories of which one is deleted, and a profile of two lines.
func Perplexity(seed uint64, n int) ([]byte, Truth) {
	m := newMaker(seed)
	var truth Truth
	talks := [][]string{{"UUID", "CREATED", "UPDATED", "TITLE", "OUTPUT_STR", "MODE"}}
	for i := range n {
		began := day.Add(time.Duration(i) * time.Hour)
		t := Talk{ID: m.uuid(), Title: m.sentence(5), Messages: 2}
		t.Said = []string{t.Title}
		answer := toJSON(object{"answer": m.sentence(9) + "\nSecond line.", "web_results": []any{object{"name": "Example", "url": "https://example.org/a", "snippet": "A page."}}})
		talks = append(talks, []string{t.ID, began.Format("2006-01-02 15:04:05"), began.Add(time.Hour).Format("2006-01-02 15:04:05"), t.Title, string(answer), "concise"})
		truth.Conversations = append(truth.Conversations, t)
		truth.Messages += 2
	}
	fact := truth.plant
	memories := [][]string{
		{"MEMORY_KEY", "MEMORY_VALUE", "IS_DELETED", "IS_FORGOTTEN", "IS_INVISIBLE"},
		{"work", fact("Repairs old clocks in Tromsø"), "FALSE", "FALSE", "FALSE"},
		{"favourite_drink", "tea", "FALSE", "FALSE", "FALSE"},
		{"old", "Lives in Bergen now", "TRUE", "FALSE", "FALSE"},
		{"", `{"demographics":{"city":"Tromsø"},"interests":["Sings in a choir"]}`, "FALSE", "FALSE", "FALSE"},
	}
	fact("Favourite drink: tea")
	fact("Demographics city: Tromsø")
	fact("Sings in a choir")
	truth.Records = truth.Messages + len(truth.Memories) + 1
	return Workbook([]string{"Conversations", "Memory"}, [][][]string{talks, memories}), truth
}

// Workbook packs tables as sheets of an .xlsx. Texts of the first sheet are
// shared, those of the others stand in their cells.
func Workbook(names []string, tables [][][]string) []byte {
	var shared []string
	var sheets, rels strings.Builder
	files := []File{{Name: "[Content_Types].xml", Data: []byte(`<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`)}}
	for i, rows := range tables {
		var b strings.Builder
		b.WriteString(`<?xml version="1.0" encoding="UTF-8"?><worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>`)
		for n, row := range rows {
			fmt.Fprintf(&b, `<row r="%d">`, n+1)
			for c, text := range row {
				place := fmt.Sprintf("%c%d", 'A'+c, n+1)
				switch {
				case text == "": // left out, as tools do
				case text == "TRUE" || text == "FALSE":
					fmt.Fprintf(&b, `<c r="%s" t="b"><v>%d</v></c>`, place, map[string]int{"TRUE": 1}[text])
				case i == 0:
					fmt.Fprintf(&b, `<c r="%s" t="s"><v>%d</v></c>`, place, len(shared))
					shared = append(shared, text)
				default:
					fmt.Fprintf(&b, `<c r="%s" t="inlineStr"><is><t>%s</t></is></c>`, place, escapeXML(text))
				}
			}
			b.WriteString("</row>")
		}
		b.WriteString("</sheetData></worksheet>")
		files = append(files, File{Name: fmt.Sprintf("xl/worksheets/sheet%d.xml", i+1), Data: []byte(b.String())})
		fmt.Fprintf(&sheets, `<sheet name="%s" sheetId="%d" r:id="rId%d"/>`, names[i], i+1, i+1)
		fmt.Fprintf(&rels, `<Relationship Id="rId%d" Type="worksheet" Target="worksheets/sheet%d.xml"/>`, i+1, i+1)
	}
	var b strings.Builder
	b.WriteString(`<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">`)
	for _, text := range shared {
		fmt.Fprintf(&b, `<si><t xml:space="preserve">%s</t></si>`, escapeXML(text))
	}
	b.WriteString("</sst>")
	return Zip(append(files,
		File{Name: "xl/workbook.xml", Data: []byte(`<workbook xmlns:r="r"><sheets>` + sheets.String() + `</sheets></workbook>`)},
		File{Name: "xl/_rels/workbook.xml.rels", Data: []byte(`<Relationships>` + rels.String() + `</Relationships>`)},
		File{Name: "xl/sharedStrings.xml", Data: []byte(b.String())}))
}

func escapeXML(s string) string {
	var b bytes.Buffer
	must(xml.EscapeText(&b, []byte(s)))
	return b.String()
}

// PerplexityExtension is what a browser extension writes: a list of questions.
func PerplexityExtension(seed uint64, n int) ([]byte, Truth) {
	m := newMaker(seed)
	var truth Truth
	var list []any
	for i := range n {
		t := Talk{ID: m.uuid(), Title: m.sentence(5), Messages: 2}
		t.Said = []string{t.Title}
		list = append(list, object{"uuid": t.ID, "query": t.Title, "answer": m.sentence(9), "created_at": stamp(day.Add(time.Duration(i) * time.Hour)),
			"sources": []any{object{"title": "Example", "url": "https://example.org/a"}}})
		truth.Conversations = append(truth.Conversations, t)
		truth.Messages += 2
	}
	truth.Records = truth.Messages
	return toJSON(object{"metadata": object{"version": 1}, "conversations": list}), truth
}

// PerplexityThread is one thread with two questions.
func PerplexityThread(seed uint64) ([]byte, Truth) {
	m := newMaker(seed)
	t := Talk{ID: m.uuid(), Title: m.sentence(3), Messages: 4}
	var entries []any
	for i := range 2 {
		said := m.sentence(5)
		t.Said = append(t.Said, said)
		entries = append(entries, object{"uuid": m.uuid(), "query_str": said, "text": m.sentence(8), "display_model": "turbo", "updated_datetime": stamp(day.Add(time.Duration(i) * time.Minute))})
	}
	return toJSON(object{"status": "success", "entries": entries, "thread_metadata": object{"thread_uuid": t.ID, "title": t.Title}}),
		Truth{Conversations: []Talk{t}, Messages: 4, Records: 4}
}
