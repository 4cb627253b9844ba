package library

import (
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

// Detect sets the language of a memory to the one detected in its content, if neither its
// source nor the user named one (side.Detects). If detection is unsure, it sets none.
func (e *Tx) Detect(r *memory.Record, side rows.ProvenanceRecord) {
	if side.Detects {
		r.SetMember(LanguageKey, e.Languages().Of(r.Content))
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
