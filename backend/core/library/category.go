package library

import (
	"keepsake/backend/format/personal"
	"keepsake/backend/memory"
)

// Category is a memory category of the Personal Memory Specification.
type Category = personal.Category

// TypeOfCategory returns the PAM type, and the custom type if any, of memories that are
// stored in a category.
func TypeOfCategory(c Category) (kind memory.Type, custom string) {
	return personal.TypeOf(c, personal.ContentOf(c))
}

// putInto sets the category of a memory: its type and, if the type does not imply the
// category, the metadata members that name it.
func putInto(r *memory.Record, c Category) {
	r.Type, r.CustomType = TypeOfCategory(c)
	personal.Keep(r, c, personal.ContentOf(c))
}
