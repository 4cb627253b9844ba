package library

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
)

// Limits of a memory. They are far above the size of what people write, and keep a record
// small enough to be decrypted and decoded as a whole.
const (
	MaxContent = 1 << 20 // bytes
	MaxSummary = 4096    // bytes
	maxTags    = 64
	maxTag     = 64 // bytes
)

// NormalizeTags converts tags to PAM's form, ^[a-z0-9][a-z0-9_-]*$. It keeps their order
// and drops duplicates, tags without an ASCII letter or digit, and those above maxTags.
func NormalizeTags(tags []string) []string {
	out := make([]string, 0, len(tags))
	for _, tag := range tags {
		if t := normalizeTag(tag); t != "" && !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out[:min(len(out), maxTags)]
}

func normalizeTag(tag string) string {
	var b strings.Builder
	gap := false
	for _, r := range Fold(tag) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			if gap && b.Len() > 0 {
				b.WriteByte('-')
			}
			gap = false
			b.WriteRune(r)
		case r == '_' && b.Len() > 0 && !gap:
			b.WriteByte('_')
		default:
			gap = true
		}
		if b.Len() >= maxTag {
			break
		}
	}
	return b.String()
}

// Fold normalizes text for comparison: it removes case and accents.
func Fold(s string) string {
	ascii := true
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			ascii = false
			break
		}
	}
	if ascii {
		return strings.ToLower(s)
	}
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range norm.NFKD.String(s) {
		if !unicode.Is(unicode.Mn, r) {
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}

// CheckRecord checks the rules that a memory typed by the user can break. The PAM schema
// is checked later, when the record is stored.
func CheckRecord(r memory.Record) error {
	switch {
	case strings.TrimSpace(r.Content) == "":
		return fault.New(fault.Invalid, "memory-empty", "A memory needs some text.")
	case len(r.Content) > MaxContent:
		return ErrMemoryTooLong(len(r.Content))
	case !utf8.ValidString(r.Content) || !utf8.ValidString(r.Summary):
		return fault.New(fault.Invalid, "memory-not-text", "The text is not valid UTF-8.")
	case len(r.Summary) > MaxSummary:
		return fault.New(fault.TooLarge, "summary-too-long", "The summary has {size} bytes; at most {limit} fit.").
			With("size", len(r.Summary)).With("limit", MaxSummary)
	case !slices.Contains(memory.Types(), r.Type):
		return fault.New(fault.Invalid, "unknown-type", "There is no memory type called {type}.").With("type", r.Type)
	}
	return cmp.Or(checkCustomType(r), checkGrants(r.Access), checkValidity(r.Temporal))
}

// checkDomain checks the size of a domain that a user entered, not of imported ones.
func checkDomain(domain *string) error {
	if domain != nil && (len(*domain) > MaxSummary || !utf8.ValidString(*domain)) {
		return fault.New(fault.Invalid, "domain-form", "The area of life (domain) is text of at most {limit} bytes.").With("limit", MaxSummary)
	}
	return nil
}

// checkCustomType checks the rule of PAM §5.1: only a memory of type custom has a custom
// type, and it must have one.
func checkCustomType(r memory.Record) error {
	if r.Type == memory.Custom && strings.TrimSpace(r.CustomType) == "" {
		return fault.New(fault.Invalid, "custom-type-missing", "A memory of the type custom needs the name of its own type.").
			Advise("Name it with --custom-type.")
	}
	if r.Type != memory.Custom && r.CustomType != "" {
		return fault.New(fault.Invalid, "custom-type-needless", "Only a memory of the type custom has a type name of its own.")
	}
	return nil
}

func checkValidity(t memory.Temporal) error {
	if !t.ValidFrom.IsZero() && !t.ValidUntil.IsZero() && t.ValidUntil.Before(t.ValidFrom.Time) {
		return fault.New(fault.Invalid, "validity-reversed", "A memory cannot end being valid before it begins.")
	}
	return nil
}

// ErrMemoryTooLong returns the error for a memory text of size bytes, above MaxContent.
func ErrMemoryTooLong(size int) error {
	return fault.New(fault.TooLarge, "memory-too-long", "The text has {size} bytes; a memory holds at most {limit}.").
		With("size", size).With("limit", MaxContent)
}

// CheckImportance checks that a typed importance is in the specifications' range, 0 to 1.
func CheckImportance(importance *float64) error {
	if importance != nil && !(*importance >= 0 && *importance <= 1) {
		return fault.New(fault.Invalid, "importance-range", "How important a memory is is a number from 0 to 1.")
	}
	return nil
}

// checkGrants checks the rules for grants that user input can break (PAM §9.1).
func checkGrants(a *memory.Access) error {
	if a == nil {
		return nil
	}
	if len(a.SharedWith) > maxGrants {
		return fault.New(fault.TooLarge, "too-many-grants", "A memory can be shared with {limit} others at most.").With("limit", maxGrants)
	}
	for _, g := range a.SharedWith {
		if g.Entity == "" || len(g.Entity) > maxEntity {
			return fault.New(fault.Invalid, "grant-nobody", "A grant needs the name of somebody, of at most {limit} bytes.").With("limit", maxEntity)
		}
		if len(g.Permissions) == 0 {
			return fault.New(fault.Invalid, "grant-nothing", "The grant for {entity} permits nothing.").With("entity", rows.ShortID(g.Entity))
		}
		for _, p := range g.Permissions {
			if !slices.Contains(Permissions(), p) {
				return fault.New(fault.Invalid, "unknown-permission", "There is no permission called {permission}; there are read, write and delete.").With("permission", rows.ShortID(p))
			}
		}
	}
	return nil
}

// Permissions lists the permissions of a grant in the specification's order (PAM §9.1).
func Permissions() []string { return []string{"read", "write", "delete"} }

// Limits of grants.
const (
	maxGrants = 64  // grants of a memory
	maxEntity = 256 // bytes of the name of an entity
)
