package intake

import (
	"context"
	"io"
)

// Limits bound what a tree may hold. See DefaultLimits.
type Limits struct {
	Archive int64 // bytes of one archive on disk
	Entries int   // entries of all archives together
	Entry   int64 // bytes of one entry once inflated
	Total   int64 // bytes of everything inflated
	Ratio   int64 // inflated to deflated bytes of one entry, once above 1 MiB
	Nested  int   // levels of zips inside zips that Nested will open
}

// Scratch is a temporary store that can be read at random offsets while the
// tree lives. It is sealed: nothing of it can be read on disk.
type Scratch interface {
	io.Writer
	io.ReaderAt
	io.Closer // removes it
}

// Options of Open.
type Options struct {
	Limits     Limits                  // zero fields take the defaults
	NewScratch func() (Scratch, error) // needed only for zips inside zips
}

// Source is one thing a person handed over.
type Source struct {
	Name string // base name, for people
	Path string // "" for an upload
	At   io.ReaderAt
	Size int64
}

// File is one file of a tree.
type File struct {
	Path   string // clean, slash separated, never absolute, never with ".."
	Source int    // index into Tree.Sources
	Size   int64  // as declared by the container; only a hint
	entry  any
}

// Tree is what is in one or several sources, read-only.
type Tree struct {
	sources []Source
	files   []File
	opened  *opened
}

// opened holds what Close has to give back.
type opened struct{ closers []io.Closer }

var _ = context.Background

// Name is what to call the tree in a sentence: the name of its only source, or
// the first and a count.
func (t *Tree) Name() string { return t.sources[0].Name }

// Files lists what the tree holds, junk left out, sorted by source and path.
func (t *Tree) Files() []File { return t.files }
