package perplexity

import (
	"slices"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/memory"
)

// How sure a statement is: one that Perplexity saved, and one that it concluded
// for its profile.
const (
	sureSaved     = 0.85
	sureConcluded = 0.5
)

var memoryColumns = []string{"MEMORY_KEY", "MEMORY_VALUE", "IS_DELETED", "IS_FORGOTTEN", "IS_INVISIBLE", "CREATED", "UPDATED", "CREATED_AT", "UPDATED_AT", "UUID"}

// memories reads the sheet Memory.
func (r *reading) memories(t table) error {
	return r.rows(t, memoryColumns, func(row row) error {
		value := strings.TrimSpace(row.cells["MEMORY_VALUE"])
		switch {
		case isTrue(row.cells["IS_DELETED"]), isTrue(row.cells["IS_FORGOTTEN"]):
			r.Sink.Skipped("forgotten")
			return nil
		case isTrue(row.cells["IS_INVISIBLE"]):
			r.Sink.Skipped("hidden")
			return nil
		case value == "":
			r.Sink.Skipped("empty-memory")
			return nil
		case strings.TrimSpace(row.cells["MEMORY_KEY"]) == "" && jsontext.Value(value).Kind() == '{' && jsontext.Value(value).IsValid():
			return r.profile(row, jsontext.Value(value))
		}
		return r.saved(row, value)
	})
}

func isTrue(s string) bool {
	return slices.Contains([]string{"1", "true", "yes"}, strings.ToLower(strings.TrimSpace(s)))
}

// saved gives one saved memory.
func (r *reading) saved(row row, value string) error {
	name := strings.TrimSpace(row.cells["MEMORY_KEY"])
	d := statement(name, value, row)
	d.SourceKey = "memory:" + name
	if name == "" {
		d.SourceKey = "memory:" + importer.ConversationID(platform, value)
	}
	d.Method, d.Confidence = memory.APIExport, sureSaved
	for _, cell := range row.more {
		d.Metadata[strings.ToLower(cell[0])] = cell[1]
	}
	return r.Remember(d)
}

// statement is a memory of a few words about something.
func statement(about, value string, row row) importer.MemoryDraft {
	content := value
	if len(strings.Fields(value)) < 3 && about != "" {
		content = readable(about) + ": " + value
	}
	return importer.MemoryDraft{Content: content, Metadata: map[string]any{"memory_key": about},
		CreatedAt: when(row.cells["CREATED"] + row.cells["CREATED_AT"]), UpdatedAt: when(row.cells["UPDATED"] + row.cells["UPDATED_AT"])}
}

// readable is a key as words.
func readable(key string) string {
	words := []rune(strings.TrimSpace(strings.NewReplacer("_", " ", ".", " ").Replace(key)))
	if len(words) == 0 {
		return key
	}
	words[0] = unicode.ToUpper(words[0])
	return string(words)
}

// profile gives each line of the profile.
func (r *reading) profile(row row, v jsontext.Value) error {
	lines := profileLines(nil, "", v, 0)
	if len(lines) == 0 {
		r.Sink.Skipped("empty-memory")
	}
	for _, l := range lines {
		d := statement(l[0], l[1], row)
		d.SourceKey = "profile:" + importer.ConversationID(platform, l[0]+"\x00"+l[1])
		d.Method, d.Confidence = memory.LLMInference, sureConcluded
		if err := r.Remember(d); err != nil {
			return err
		}
	}
	return nil
}

// profileLines lists the texts of a profile with where they stand in it.
func profileLines(all [][2]string, at string, v jsontext.Value, depth int) [][2]string {
	if depth > deep {
		return append(all, [2]string{at, string(v)})
	}
	if s, ok := jsonstream.Text(v); ok && strings.TrimSpace(s) != "" {
		return append(all, [2]string{at, strings.TrimSpace(s)})
	}
	if v.Kind() == '0' || jsonstream.True(v) {
		return append(all, [2]string{at, string(v)})
	}
	for name, value := range jsonstream.Members(v) {
		below := name
		if at != "" {
			below = at + "." + name
		}
		all = profileLines(all, below, value, depth+1)
	}
	for _, value := range jsonstream.Items(v) {
		all = profileLines(all, at, value, depth+1)
	}
	return all
}
