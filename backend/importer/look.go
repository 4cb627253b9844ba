package importer

import (
	"context"
	"io"
	"path"
	"slices"
	"strings"
	"sync"

	"keepsake/backend/intake"
)

// looks remembers the beginnings of files, so that each is read once for all
// readers that are asked whose it is.
type looks struct {
	mu   sync.Mutex
	seen map[place]look
}

type place struct {
	source int
	path   string
}

type look struct {
	shape Shape
	head  []byte
}

type looksKey struct{}

func withLooks(ctx context.Context) context.Context {
	return context.WithValue(ctx, looksKey{}, &looks{seen: map[place]look{}})
}

// lookBytes is how much of a file Head gives.
const lookBytes = 16 << 10

// IsWhole reports that the first kilobytes of a file, as LookAt gives them, are all of it.
func IsWhole(head []byte) bool { return len(head) < lookBytes }

// LookAt gives the shape of a file and its first kilobytes. A file that cannot
// be read has none: whether that matters is found out when it is read for good.
func LookAt(ctx context.Context, tree *intake.Tree, f intake.File) (Shape, []byte, error) {
	kept, _ := ctx.Value(looksKey{}).(*looks)
	at := place{f.Source, f.Path}
	if kept != nil {
		kept.mu.Lock()
		defer kept.mu.Unlock()
		if l, ok := kept.seen[at]; ok {
			return l.shape, l.head, nil
		}
	}
	l, err := lookInto(ctx, tree, f)
	if kept != nil && err == nil {
		kept.seen[at] = l
	}
	return l.shape, l.head, err
}

func lookInto(ctx context.Context, tree *intake.Tree, f intake.File) (look, error) {
	r, err := tree.OpenText(ctx, f)
	if err != nil {
		return look{}, ctx.Err()
	}
	defer r.Close()
	t := &keeping{r: r}
	shape, err := Peek(t)
	if err != nil {
		return look{}, ctx.Err()
	}
	return look{shape, t.head}, nil
}

// keeping keeps the beginning of what is read through it.
type keeping struct {
	r    io.Reader
	head []byte
}

func (k *keeping) Read(p []byte) (int, error) {
	n, err := k.r.Read(p)
	if room := lookBytes - len(k.head); room > 0 {
		k.head = append(k.head, p[:min(room, n)]...)
	}
	return n, err
}

// maxLooks bounds how many files of a tree one reader looks into to find out
// whether any is its own.
const maxLooks = 48

// FirstLike looks at files with one of the endings (lower case, with the dot),
// or at the only file whatever it is called, until fits accepts one.
func FirstLike(ctx context.Context, tree *intake.Tree, endings []string, fits func(intake.File, Shape, []byte) bool) (intake.File, bool, error) {
	looked := 0
	for _, f := range tree.Files() {
		if !HasEnding(f, endings...) && len(tree.Files()) > 1 || looked >= maxLooks {
			continue
		}
		looked++
		shape, head, err := LookAt(ctx, tree, f)
		if err != nil {
			return intake.File{}, false, err
		}
		if fits(f, shape, head) {
			return f, true, nil
		}
	}
	return intake.File{}, false, nil
}

// MatchFirst is certain of a tree where format names the layout of a file in it, as
// FirstLike finds one.
func MatchFirst(ctx context.Context, tree *intake.Tree, endings []string, format func(intake.File, Shape, []byte) string) (m Match, err error) {
	_, found, err := FirstLike(ctx, tree, endings, func(f intake.File, s Shape, head []byte) bool {
		m.Format = format(f, s, head)
		return m.Format != ""
	})
	if found {
		m.Certainty = Certain
	}
	return m, err
}

// HasEnding reports whether a file is called so, in any case.
func HasEnding(f intake.File, endings ...string) bool {
	return slices.Contains(endings, strings.ToLower(path.Ext(f.Path)))
}
