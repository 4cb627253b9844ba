package importer

import (
	"context"
	"path"
	"slices"
	"strings"

	"keepsake/backend/intake"
)

// Looks is how many files a reader looks into before it says whose a tree is.
const Looks = 2000

// Survey is what the files of a tree are to a reader, found by a look at their
// beginnings.
type Survey struct {
	Files  map[string][]intake.File // by the kind that the reader gave
	Cut    []intake.File            // JSON files that break off before anything could be told
	Others []intake.File            // files that are not its
	// Accounts are ids of accounts that kind came across, each once.
	Accounts []string
}

// Account notes an account; "" is none.
func (s *Survey) Account(id string) {
	if id != "" && !slices.Contains(s.Accounts, id) {
		s.Accounts = append(s.Accounts, id)
	}
}

// SurveyTree looks at each JSON file of a tree, and at the only file of one
// whatever it is called. Kind names what a file is, "" for nothing of the
// reader's. At most limit files are looked into, all where limit is 0.
func SurveyTree(ctx context.Context, tree *intake.Tree, limit int, kind func(*Survey, intake.File, Shape) string) (*Survey, error) {
	s := &Survey{Files: map[string][]intake.File{}}
	looks := 0
	for _, f := range tree.Files() {
		if !IsJSON(f.Path) && len(tree.Files()) > 1 || limit > 0 && looks >= limit {
			s.Others = append(s.Others, f)
			continue
		}
		looks++
		shape, err := PeekFile(ctx, tree, f)
		if err != nil {
			return nil, err
		}
		switch k := kind(s, f, shape); {
		case k != "":
			s.Files[k] = append(s.Files[k], f)
		case shape.Cut && IsJSON(f.Path):
			s.Cut = append(s.Cut, f)
		default:
			s.Others = append(s.Others, f)
		}
	}
	return s, nil
}

// Has reports whether a file of one of the kinds is there.
func (s *Survey) Has(kinds ...string) bool {
	return slices.ContainsFunc(kinds, func(k string) bool { return len(s.Files[k]) > 0 })
}

// IsJSON goes by the name of a file.
func IsJSON(name string) bool { return strings.EqualFold(path.Ext(name), ".json") }

// PeekFile gives the shape of a file. One that cannot be read has none: whether
// that matters is found out when it is read for good.
func PeekFile(ctx context.Context, tree *intake.Tree, f intake.File) (Shape, error) {
	r, err := tree.Open(ctx, f)
	if err != nil {
		return Shape{}, ctx.Err()
	}
	defer r.Close()
	shape, err := Peek(r)
	if err != nil {
		return Shape{}, ctx.Err()
	}
	return shape, nil
}

// ReadCut tells of the files of a survey that break off before anything could
// be told, and counts those that are not the reader's.
func (r *Reading) ReadCut(s *Survey) error {
	for _, f := range s.Cut {
		if err := r.Elements(f, func(Item) error { return nil }); err != nil {
			return err
		}
	}
	for range s.Others {
		r.Sink.Skipped("other-file")
	}
	return r.End()
}

// Pile collects rows that belong together and stand scattered over files. The
// files are gone over twice, so that only rows of groups under way are held.
type Pile[T any] struct {
	want  map[string]int
	held  map[string][]T
	order []string // groups by their first row, given ones left out by Rest
}

// Expect announces one row of a group, in the first pass.
func (p *Pile[T]) Expect(group string) {
	if p.want == nil {
		p.want, p.held = map[string]int{}, map[string][]T{}
	}
	p.want[group]++
}

// Put takes one row in the second pass. It returns the rows of the group once
// they are complete, in the order they came; nil before.
func (p *Pile[T]) Put(group string, row T) []T {
	if p.held[group] == nil {
		p.order = append(p.order, group)
	}
	rows := append(p.held[group], row)
	if len(rows) < p.want[group] {
		p.held[group] = rows
		return nil
	}
	delete(p.held, group)
	return rows
}

// Rest gives the groups that stayed incomplete, because the second pass broke
// off where the first did not.
func (p *Pile[T]) Rest() [][]T {
	var rest [][]T
	for _, group := range p.order {
		if rows := p.held[group]; rows != nil {
			rest = append(rest, rows)
			delete(p.held, group)
		}
	}
	return rest
}
