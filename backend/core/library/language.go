package library

import (
	"maps"
	"regexp"
	"strings"

	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
)

// LanguageKey is the member of a memory's metadata with its language (PAM §10).
const LanguageKey = "language"

// LanguageTag matches the language tags that PAM §10 allows.
var LanguageTag = regexp.MustCompile(`^[a-z]{2,3}(-[A-Z][a-z]{3})?(-[A-Z]{2})?$`)

// SetMember sets a text member of a memory's metadata; "" deletes it. It replaces the map
// by a copy, so that other holders of the old map see no change.
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

// Detect sets the language of a memory to the one detected in its content, if neither its
// source nor the user named one (side.Detects). If detection is unsure, it sets none.
func (e *Tx) Detect(r *memory.Record, side rows.ProvenanceRecord) {
	if side.Detects {
		SetMember(r, LanguageKey, e.Languages().Of(r.Content))
	}
}

// checkLanguage returns an error for a typed language that has not the form of PAM §10.
// nil and "" are valid.
func checkLanguage(tag *string) error {
	if tag != nil && strings.TrimSpace(*tag) != "" && !LanguageTag.MatchString(strings.TrimSpace(*tag)) {
		return fault.New(fault.Invalid, "language-form", "A language is written like en, pt-BR or zh-Hant.")
	}
	return nil
}
