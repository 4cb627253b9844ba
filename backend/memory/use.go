package memory

import "encoding/json"

// Use is how often a memory was read, and when last.
type Use struct {
	Count int64
	Last  Time // zero where that is not known
}

// importanceKey is where the open block (§10) has how important a memory is:
// PAM has no member for it.
const importanceKey = "importance"

// Importance is how important a memory is, from 0 to 1; ok is false where nothing
// says so.
func (r Record) Importance() (importance float64, ok bool) {
	switch n := r.Metadata[importanceKey].(type) {
	case float64:
		importance, ok = n, true
	case json.Number:
		f, err := n.Float64()
		importance, ok = f, err == nil
	}
	ok = ok && importance >= 0 && importance <= 1
	return importance, ok
}

// CreatedFromKey is where the open block (§10) says what created_at was taken from,
// where the source did not say when the memory was made.
const CreatedFromKey = "keepsake_created_at"

// Values of it that the vault gives: the time of the export or of the import in which
// the memory was.
const (
	FromExport = "export"
	FromImport = "import"
)

// CreatedFrom is what created_at was taken from, "" where the source said it.
func (r Record) CreatedFrom() string {
	from, _ := r.Metadata[CreatedFromKey].(string)
	return from
}

// IsScoped reports a memory that was told for one project, workspace or Gem, or for
// some files, and not for everything, as its metadata say.
func (r Record) IsScoped() bool {
	for _, name := range [...]string{"project", "project_id", "gem", "paths"} {
		if v, ok := r.Metadata[name]; ok && v != nil && v != "" {
			return true
		}
	}
	return r.Metadata["scope"] == "project"
}

// SetImportance says how important a memory is; nil says nothing.
func (r *Record) SetImportance(importance *float64) {
	if importance == nil {
		r.SetMember(importanceKey, nil)
		return
	}
	r.SetMember(importanceKey, *importance)
}
