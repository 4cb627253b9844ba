package sillytavern

import (
	"regexp"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/memory"
)

// layouts are how SillyTavern writes times in words.
func layouts() []string {
	return []string{"January 2, 2006 3:04pm", "January 2, 2006 3:04 PM", "Jan 2, 2006 3:04pm", "January 2, 2006 15:04"}
}

// timeOf reads a time in one of four forms: in words, as 2026-06-01@10h00m00s, RFC 3339,
// or milliseconds. Assumed says that it has no zone.
func timeOf(v jsontext.Value) (at memory.Time, assumed bool) {
	text, _ := jsonstream.Text(v)
	text = importer.Line(text)
	stamp := regexp.MustCompile(`^(\d{4})-(\d{1,2})-(\d{1,2}) ?@ ?(\d{1,2})h ?(\d{1,2})m ?(\d{1,2})s`)
	if m := stamp.FindStringSubmatch(text); m != nil {
		t, err := time.Parse("2006-1-2-15-4-5", strings.Join(m[1:], "-"))
		if err != nil {
			return memory.Time{}, false
		}
		return memory.At(t), true
	}
	for _, layout := range layouts() {
		for _, written := range []string{text, strings.ToLower(text)} {
			if t, err := time.Parse(layout, written); err == nil {
				return memory.At(t), true
			}
		}
	}
	return importer.AnyTime(v), false
}
