package vault_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
)

// disk is what is written down and what a computer still held in memory: for
// each file its bytes as flushed and the writes since; for each folder its
// names as flushed and the changes since. After a power cut any writes may
// have reached a file, whole or torn at a sector, in any order; of the changes
// of a folder those up to any one of them.
type disk struct {
	root  *node
	files map[int]*node // by number of an opened file
}

// node is a file or a folder.
type node struct {
	folder  bool
	now     []byte // of a file
	flushed []byte
	since   []change

	names      map[string]*node // of a folder
	written    map[string]*node
	sinceNames []rename
}

// change is one write to a file, or a new length of it where data is nil.
type change struct {
	at   int64
	data []byte
}

// rename is one change of a folder's names: to gets the file, and from loses it.
type rename struct {
	from, to string // "" = none
	file     *node
	other    *node // gets the name from, in an exchange
}

func newFolder() *node {
	return &node{folder: true, names: map[string]*node{}, written: map[string]*node{}}
}

// loadDisk is what lies in a real folder, all of it flushed.
func loadDisk(path string) (*disk, error) {
	root, err := loadNode(path)
	return &disk{root: root, files: map[int]*node{}}, err
}

func loadNode(path string) (*node, error) {
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	n := newFolder()
	for _, e := range entries {
		at := filepath.Join(path, e.Name())
		var below *node
		if e.IsDir() {
			below, err = loadNode(at)
		} else {
			below = &node{}
			below.now, err = os.ReadFile(at)
			below.flushed = slices.Clone(below.now)
		}
		if err != nil {
			return nil, err
		}
		n.names[e.Name()], n.written[e.Name()] = below, below
	}
	return n, nil
}

func (d *disk) find(path string) *node {
	at := d.root
	for _, name := range splitPath(path) {
		if at == nil || !at.folder {
			return nil
		}
		at = at.names[name]
	}
	return at
}

func splitPath(path string) []string {
	if path == "." || path == "" {
		return nil
	}
	return append(splitPath(filepath.Dir(path)), filepath.Base(path))
}

// change changes the names of the folder that a path is in.
func (d *disk) change(path string, c rename) error {
	folder := d.find(filepath.Dir(path))
	if folder == nil {
		return fmt.Errorf("no folder for %s", path)
	}
	c.apply(folder.names)
	folder.sinceNames = append(folder.sinceNames, c)
	return nil
}

func (c rename) apply(names map[string]*node) {
	if c.from != "" {
		delete(names, c.from)
	}
	if c.other != nil {
		names[c.from] = c.other
	}
	if c.to != "" {
		names[c.to] = c.file
	}
}

func (c change) apply(data []byte) []byte {
	if c.data == nil {
		return resize(data, c.at)
	}
	if end := c.at + int64(len(c.data)); end > int64(len(data)) {
		data = resize(data, end)
	}
	copy(data[c.at:], c.data)
	return data
}

func resize(data []byte, size int64) []byte {
	if size <= int64(len(data)) {
		return data[:size:size]
	}
	return append(data, make([]byte, size-int64(len(data)))...)
}

// do is one thing that a process did.
func (d *disk) do(op diskOp) error {
	switch op.kind {
	case "say":
		return nil
	case "open", "create":
		return d.open(op)
	case "mkdir":
		return d.change(op.path, rename{to: filepath.Base(op.path), file: newFolder()})
	case "remove":
		return d.change(op.path, rename{from: filepath.Base(op.path)})
	case "rename", "exchange":
		return d.rename(op)
	}
	f := d.files[op.file]
	if f == nil {
		return fmt.Errorf("%s of a file that is not open", op.kind)
	}
	switch op.kind {
	case "write":
		f.write(change{op.at, op.data})
	case "truncate":
		f.write(change{op.size, nil})
	case "copy":
		from := d.files[op.from].now[op.fromAt:][:op.size]
		f.write(change{op.at, slices.Clone(from)})
	case "flush":
		f.flush()
	default:
		return errors.New("unknown " + op.kind)
	}
	return nil
}

func (d *disk) open(op diskOp) error {
	f := d.find(op.path)
	if f == nil && op.kind == "create" {
		f = &node{}
		if err := d.change(op.path, rename{to: filepath.Base(op.path), file: f}); err != nil {
			return err
		}
	}
	if f == nil {
		return fmt.Errorf("%s was opened and is not there", op.path)
	}
	d.files[op.file] = f
	return nil
}

func (d *disk) rename(op diskOp) error {
	if filepath.Dir(op.path) != filepath.Dir(op.to) {
		return fmt.Errorf("%s is renamed into another folder", op.path)
	}
	c := rename{from: filepath.Base(op.path), to: filepath.Base(op.to), file: d.find(op.path)}
	if op.kind == "exchange" {
		c.other = d.find(op.to)
	}
	return d.change(op.path, c)
}

func (n *node) write(c change) {
	n.now = c.apply(n.now)
	n.since = append(n.since, c)
}

func (n *node) flush() {
	if n.folder {
		n.written, n.sinceNames = maps.Clone(n.names), nil
		return
	}
	for _, c := range n.since {
		n.flushed = c.apply(n.flushed)
	}
	n.since = nil
}

// A cut says what of the unflushed is there after a power cut.
type cut struct {
	name  string
	names func(r *rand.Rand, pending int) int           // how many changes of a folder are
	data  func(r *rand.Rand, pending []change) []change // which writes, in which order
}

const sector = 512

var cuts = []cut{
	{"killed", allNames, func(_ *rand.Rand, p []change) []change { return p }},
	{"nothing unflushed", func(*rand.Rand, int) int { return 0 }, func(*rand.Rand, []change) []change { return nil }},
	{"names only", allNames, func(*rand.Rand, []change) []change { return nil }},
	{"the first ones", someNames, func(r *rand.Rand, p []change) []change { return p[:r.IntN(len(p)+1)] }},
	{"the last ones", someNames, func(r *rand.Rand, p []change) []change { return p[r.IntN(len(p)+1):] }},
	{"any", someNames, func(r *rand.Rand, p []change) []change { return someOf(r, p) }},
	{"any, reversed", allNames, func(r *rand.Rand, p []change) []change {
		out := someOf(r, p)
		slices.Reverse(out)
		return out
	}},
	{"torn", someNames, torn},
	{"torn, all names", allNames, torn},
}

func allNames(_ *rand.Rand, n int) int  { return n }
func someNames(r *rand.Rand, n int) int { return r.IntN(n + 1) }

func someOf(r *rand.Rand, p []change) (out []change) {
	for _, c := range p {
		if r.IntN(2) == 0 {
			out = append(out, c)
		}
	}
	return out
}

// torn is each write with some of its sectors only, or up to one of them.
func torn(r *rand.Rand, p []change) (out []change) {
	for _, c := range p {
		if c.data == nil {
			out = append(out, c)
			continue
		}
		end := r.Int64N(int64(len(c.data)) + 1)
		scattered := r.IntN(2) == 0 && len(c.data) < 1<<16
		for at := int64(0); at < int64(len(c.data)); {
			next := min((c.at+at)/sector*sector+sector-c.at, int64(len(c.data)))
			if scattered && r.IntN(2) == 0 || !scattered && next <= end {
				out = append(out, change{c.at + at, c.data[at:next]})
			}
			at = next
		}
	}
	return out
}

// image writes what is there after a power cut into a folder.
func (d *disk) image(to string, how cut, r *rand.Rand) error { return d.root.image(to, how, r) }

func (n *node) image(to string, how cut, r *rand.Rand) error {
	if !n.folder {
		data := n.now
		if len(n.since) > 0 && how.name != "killed" {
			data = slices.Clone(n.flushed)
			for _, c := range how.data(r, n.since) {
				data = c.apply(data)
			}
		}
		return os.WriteFile(to, data, 0o600)
	}
	names := n.names
	if how.name != "killed" {
		names = maps.Clone(n.written)
		for _, c := range n.sinceNames[:how.names(r, len(n.sinceNames))] {
			c.apply(names)
		}
	}
	if err := os.Mkdir(to, 0o700); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if err := names[name].image(filepath.Join(to, name), how, r); err != nil {
			return err
		}
	}
	return nil
}
