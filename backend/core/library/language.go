package library

import (
	"maps"
	"regexp"
	"strings"

	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
)

// LanguageKey is where the open block has the language of a memory (§10).
const LanguageKey = "language"

// LanguageTag is what PAM §10 takes for a language.
var LanguageTag = regexp.MustCompile(`^[a-z]{2,3}(-[A-Z][a-z]{3})?(-[A-Z]{2})?$`)

// SetMember writes one text of the open block, or takes it out where it is "". It
// leaves the block that it was given as it is.
func SetMember(r *memory.Record, name, text string) {
	block := maps.Clone(r.Metadata)
	delete(block, name)
	if text != "" {
		if block == nil {
			block = map[string]any{}
		}
		block[name] = text
	}
	r.Metadata = block
}

// Detect writes the language that the words of a memory are in, where it is for us
// to tell it; where that is not sure, it has none.
func (e *Tx) Detect(r *memory.Record, side rows.ProvenanceRecord) {
	if side.Detects {
		SetMember(r, LanguageKey, e.Languages().Of(r.Content))
	}
}

// checkLanguage holds what is typed to the form of PAM §10; "" clears.
func checkLanguage(tag *string) error {
	if tag != nil && strings.TrimSpace(*tag) != "" && !LanguageTag.MatchString(strings.TrimSpace(*tag)) {
		return fault.New(fault.Invalid, "language-form", "A language is written like en, pt-BR or zh-Hant.")
	}
	return nil
}
