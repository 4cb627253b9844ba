package library

import (
	"keepsake/backend/format/personal"
	"keepsake/backend/memory"
)

// Category of the Personal Memory Specification.
type Category = personal.Category

// TypeOfCategory is the type of PAM, with its custom type, of what is stored in a
// category.
func TypeOfCategory(c Category) (kind memory.Type, custom string) {
	return personal.TypeOf(c, personal.ContentOf(c))
}

// putInto sets the category of a memory: its type, and the kept members that name the
// category where the type alone does not.
func putInto(r *memory.Record, c Category) {
	r.Type, r.CustomType = TypeOfCategory(c)
	personal.Keep(r, c, personal.ContentOf(c))
}
