package importer

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"

	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/intake"
)

// Looks is how many files a reader looks into before it says whose a tree is.
const Looks = 2000

// Survey is what the files of a tree are to a reader, found by a look at their
// beginnings.
type Survey struct {
	// Files by the kind that the reader gave, larger ones first: of two exports
	// that hold the same conversation the richer is taken.
	Files  map[string][]intake.File
	Cut    []intake.File // JSON files that break off before anything could be told
	Others []intake.File // files that are not its
	// Accounts are ids of accounts that kind came across, each once.
	Accounts []string
	// Names are what the files call them, as in Match.
	Names map[string]string
}

// Account notes an account; "" is none.
func (s *Survey) Account(id string) {
	if id != "" && !slices.Contains(s.Accounts, id) {
		s.Accounts = append(s.Accounts, id)
	}
}

// Call notes what a file calls an account; nothing where it says nothing.
func (s *Survey) Call(id, name, mail string) {
	if called := Called(name, mail); id != "" && called != "" {
		if s.Names == nil {
			s.Names = map[string]string{}
		}
		s.Names[id] = called
	}
}

// Called is a name and a mail address as one line, or what there is of them.
func Called(name, mail string) string {
	name, mail = Line(name), Line(mail)
	if name == "" || mail == "" {
		return name + mail
	}
	return name + " <" + mail + ">"
}

// SurveyTree looks at each JSON file of a tree, and at the only file of one
// whatever it is called. Kind names what a file is, "" for nothing of the
// reader's. At most limit files are looked into, all where limit is 0.
func SurveyTree(ctx context.Context, tree *intake.Tree, limit int, kind func(*Survey, intake.File, Shape) string) (*Survey, error) {
	isCandidate := func(f intake.File) bool { return IsJSON(f.Path) || len(tree.Files()) == 1 }
	s, err := SurveyFiles(tree.Files(), limit, isCandidate, func(s *Survey, f intake.File) (string, bool, error) {
		shape, _, err := LookAt(ctx, tree, f)
		if err != nil {
			return "", false, err
		}
		return kind(s, f, shape), shape.Cut, nil
	})
	if err != nil {
		return nil, err
	}
	for _, files := range s.Files {
		slices.SortStableFunc(files, func(a, b intake.File) int { return cmp.Compare(b.Size, a.Size) })
	}
	return s, nil
}

// SurveyFiles looks at the candidates among files, as SurveyTree does. Cut says of a file
// that it ends too early to tell.
func SurveyFiles(files []intake.File, limit int, isCandidate func(intake.File) bool,
	kind func(*Survey, intake.File) (is string, cut bool, err error)) (*Survey, error) {
	s := &Survey{Files: map[string][]intake.File{}}
	looks := 0
	for _, f := range files {
		if !isCandidate(f) || limit > 0 && looks >= limit {
			s.Others = append(s.Others, f)
			continue
		}
		looks++
		is, cut, err := kind(s, f)
		switch {
		case err != nil:
			return nil, err
		case is != "":
			s.Files[is] = append(s.Files[is], f)
		case cut && IsJSON(f.Path):
			s.Cut = append(s.Cut, f)
		default:
			s.Others = append(s.Others, f)
		}
	}
	return s, nil
}

// SortOthers looks once more at the files that are not the reader's: kind names what one
// is, "" for nothing of the reader's.
func (s *Survey) SortOthers(kind func(intake.File) string) {
	s.Others = slices.DeleteFunc(s.Others, func(f intake.File) bool {
		k := kind(f)
		if k != "" {
			s.Files[k] = append(s.Files[k], f)
		}
		return k != ""
	})
}

// Has reports whether a file of one of the kinds is there.
func (s *Survey) Has(kinds ...string) bool {
	return slices.ContainsFunc(kinds, func(k string) bool { return len(s.Files[k]) > 0 })
}

// IsJSON goes by the name of a file.
func IsJSON(name string) bool { return strings.EqualFold(path.Ext(name), ".json") }

// ReadCut tells of the files of a survey that break off before anything could
// be told, and counts those that are not the reader's.
func (r *Reading) ReadCut(s *Survey) error {
	if err := r.EachElement(s.Cut, func(Item) error { return nil }); err != nil {
		return err
	}
	for _, f := range s.Others {
		r.Sink.OtherFile(f)
	}
	return r.End()
}

// Pile collects rows that belong together and stand scattered over files. The
// files are gone over twice, so that only rows of groups under way are held.
type Pile[T any] struct {
	// Max is how many bytes are held at once; zero is MaxElement. A group that
	// would need more is left out.
	Max int64

	groups map[string]*heap[T]
	order  []string // groups by their first row
	held   int64
}

type heap[T any] struct {
	want, got int
	rows      []T
	size      int64
	refused   bool
}

// Expect announces one row of a group, in the first pass.
func (p *Pile[T]) Expect(group string) { p.of(group).want++ }

func (p *Pile[T]) of(group string) *heap[T] {
	h := p.groups[group]
	if h == nil {
		h = &heap[T]{}
		if p.groups == nil {
			p.groups = map[string]*heap[T]{}
		}
		p.groups[group] = h
		p.order = append(p.order, group)
	}
	return h
}

// Put takes one row of size bytes in the second pass. It returns the rows of the
// group once they are complete, in the order they came; nil before. Refused says
// that this row made the group too large: it is never given.
func (p *Pile[T]) Put(group string, row T, size int) (rows []T, refused bool) {
	h := p.of(group)
	h.got++
	if h.refused {
		return nil, false
	}
	h.rows, h.size, p.held = append(h.rows, row), h.size+int64(size), p.held+int64(size)
	if p.held > cmp.Or(p.Max, jsonstream.MaxElement) {
		p.free(h)
		h.refused = true
		return nil, true
	}
	if h.got < h.want {
		return nil, false
	}
	return p.free(h), false
}

func (p *Pile[T]) free(h *heap[T]) []T {
	rows := h.rows
	p.held -= h.size
	h.rows, h.size = nil, 0
	return rows
}

// Rest gives the groups that stayed incomplete, because the second pass broke
// off where the first did not.
func (p *Pile[T]) Rest() [][]T {
	var rest [][]T
	for _, group := range p.order {
		if rows := p.free(p.of(group)); len(rows) > 0 {
			rest = append(rest, rows)
		}
	}
	return rest
}
