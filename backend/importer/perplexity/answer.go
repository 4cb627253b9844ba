package perplexity

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/memory"
)

// answerOf reads what Perplexity wrote: a text, JSON with the answer, or JSON
// that the workbook cut off.
func answerOf(output string) memory.Message {
	m := memory.Message{}
	v := jsontext.Value(strings.TrimSpace(output))
	if len(v) == 0 || v[0] != '{' && v[0] != '[' {
		m.Content = importer.Words(output)
		return m
	}
	if !v.IsValid() {
		m.Content = importer.Words(salvaged(output))
		importer.KeepText(&m.RawMetadata, "OUTPUT_STR", output)
		importer.KeepText(&m.RawMetadata, "keepsake_answer", "cut")
		return m
	}
	importer.KeepRaw(&m.RawMetadata, "OUTPUT_STR", jsonstream.Keep(v))
	answer, found := within(v, 0)
	if !found {
		return m
	}
	m.Content = importer.Words(importer.TextIn(answer, "answer"))
	for _, name := range []string{"web_results", "sources", "citations"} {
		m.Citations = append(m.Citations, sources(jsonstream.Member(answer, name))...)
	}
	return m
}

// deep is how far an answer lies inside of others at most: steps hold content,
// and texts hold JSON again.
const deep = 4

// within finds the last object with an answer.
func within(v jsontext.Value, depth int) (found jsontext.Value, ok bool) {
	if depth > deep {
		return nil, false
	}
	if text, isText := jsonstream.Text(jsonstream.Member(v, "answer")); isText {
		if inner := jsontext.Value(strings.TrimSpace(text)); len(inner) > 0 && inner[0] == '{' && inner.IsValid() {
			if found, ok := within(inner, depth+1); ok {
				return found, true
			}
		}
		return v, true
	}
	for _, item := range jsonstream.Items(v) {
		if f, has := within(item, depth+1); has {
			found, ok = f, true
		}
	}
	if !ok {
		if content := jsonstream.Member(v, "content"); content.Kind() == '{' {
			return within(content, depth+1)
		}
	}
	return found, ok
}

// salvaged is the answer in JSON that ends in the middle: what stands behind
// "answer", as far as it goes; all of it where there is none.
func salvaged(output string) string {
	_, rest, ok := strings.Cut(output, `"answer"`)
	rest = strings.TrimLeft(strings.TrimSpace(rest), ": ")
	if !ok || !strings.HasPrefix(rest, `"`) {
		return output
	}
	if text, ok := jsonstream.Text(firstString(rest)); ok {
		return text
	}
	for range len(`\uD83D\uDE00`) { // an escape may be cut in two
		if text, ok := jsonstream.Text(jsontext.Value(rest + `"`)); ok {
			return text
		}
		rest = rest[:max(1, len(rest)-1)]
	}
	return output
}

// firstString is the string that a text begins with, where it ends.
func firstString(s string) jsontext.Value {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return jsontext.Value(s[:i+1])
		}
	}
	return nil
}

// sources are the pages that an answer names.
func sources(list jsontext.Value) (all []memory.Citation) {
	for _, v := range jsonstream.Items(list) {
		address, isText := jsonstream.Text(v)
		if !isText {
			address = importer.FirstText(v, "url", "link")
		}
		all = importer.AddCitation(all, importer.FirstText(v, "title", "name"), address, importer.TextIn(v, "snippet"))
	}
	return all
}
