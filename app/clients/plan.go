package clients

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"

	"keepsake/backend/fault"
)

// Plan is what becomes of a client's file. It holds all of the file: what other servers are
// given may be secret, so that people are shown Lines.
type Plan struct {
	Client    Client
	Path      string // of the file itself, where links lead to it
	Before    []byte
	After     []byte
	Exists    bool // there is a file already
	Connected bool // and it holds an entry of ours
	original  file
}

// Changes reports whether there is anything to write.
func (p Plan) Changes() bool { return !bytes.Equal(p.Before, p.After) }

// byteOrderMark is what some editors of Windows begin a file with.
const byteOrderMark = "\ufeff"

// Faults of a text, before a file is named in them.
var (
	errForm    = errors.New("written in a form that is not edited")
	errForeign = errors.New("another server has the name")
)

// errSyntax is the line at which a text cannot be read on.
type errSyntax int

func (e errSyntax) Error() string { return fmt.Sprintf("line %d", int(e)) }

// Connect plans to write the entry of Keepsake into a file. Of an entry that is there the
// program and its arguments are written, and the rest survives.
func (c Client) Connect(path string, e Entry) (Plan, error) { return c.plan(path, c.connecting(e)) }

// Disconnect plans to take the entry of Keepsake out of a file.
func (c Client) Disconnect(path string) (Plan, error) { return c.plan(path, c.disconnecting()) }

// editing makes the edits of a text whose entry is as decoded, nil for none, and says what
// the entry is to be afterwards.
type editing func(text []byte, entry map[string]any) (edits []edit, wanted map[string]any, err error)

func (c Client) connecting(e Entry) editing {
	return func(text []byte, entry map[string]any) ([]edit, map[string]any, error) {
		switch {
		case entry == nil:
			edits, err := c.form.add(text, e)
			return edits, e.table(c.form.kind()), err
		case e.starts(entry):
			return nil, entry, nil
		}
		wanted := maps.Clone(entry)
		maps.Copy(wanted, e.table(""))
		edits, err := c.form.change(text, e)
		return edits, wanted, err
	}
}

func (c Client) disconnecting() editing {
	return func(text []byte, entry map[string]any) ([]edit, map[string]any, error) {
		if entry == nil {
			return nil, nil, nil
		}
		edits, err := c.form.remove(text)
		return edits, nil, err
	}
}

func (c Client) plan(path string, do editing) (Plan, error) {
	f, err := readFile(path)
	if err != nil {
		return Plan{}, err
	}
	p := Plan{Client: c, Path: f.path, Before: f.text, Exists: f.exists, original: f}
	if p.After, p.Connected, err = c.edited(f.text, do); err != nil {
		return Plan{}, c.inWords(err, f.path)
	}
	if len(p.After) > mostBytes {
		return Plan{}, errTooLarge(f.path)
	}
	return p, nil
}

// edited is a text after the edits, read once more: it has to hold what it held, and the
// entry as wanted.
func (c Client) edited(before []byte, do editing) (after []byte, connected bool, err error) {
	text, marked := bytes.CutPrefix(before, []byte(byteOrderMark))
	doc, err := c.form.decode(text)
	if err != nil {
		return nil, false, err
	}
	entry, err := c.entryIn(doc)
	if err != nil {
		return nil, false, err
	}
	edits, wanted, err := do(text, entry)
	if err != nil || len(edits) == 0 {
		return before, entry != nil, err
	}
	after = apply(text, edits)
	again, err := c.form.decode(after)
	if err != nil || !reflect.DeepEqual(without(again, c.form.servers()), with(doc, c.form.servers(), wanted)) {
		return nil, false, errForm
	}
	if marked {
		after = append([]byte(byteOrderMark), after...)
	}
	return after, entry != nil, nil
}

// entryIn is the entry of Keepsake in a decoded file, nil where there is none.
func (c Client) entryIn(doc map[string]any) (map[string]any, error) {
	value, has := doc[c.form.servers()]
	servers, isTable := value.(map[string]any)
	if has && !isTable {
		return nil, errForm
	}
	value, has = servers[entryName]
	if !has {
		return nil, nil
	}
	entry, _ := value.(map[string]any)
	if !isOurs(entry) {
		return nil, errForeign
	}
	return entry, nil
}

// with is a decoded file with another entry, or with none where that is nil. A table of
// servers that holds no other goes along.
func with(doc map[string]any, table string, entry map[string]any) map[string]any {
	doc = maps.Clone(doc)
	servers, _ := doc[table].(map[string]any)
	if servers = maps.Clone(servers); servers == nil {
		servers = map[string]any{}
	}
	doc[table] = servers
	if delete(servers, entryName); entry != nil {
		servers[entryName] = entry
	}
	return without(doc, table)
}

// without is a decoded file, without the table of servers where that holds none.
func without(doc map[string]any, table string) map[string]any {
	if servers, ok := doc[table].(map[string]any); !ok || len(servers) > 0 {
		return doc
	}
	doc = maps.Clone(doc)
	delete(doc, table)
	return doc
}

// inWords says what is wrong with a file.
func (c Client) inWords(err error, path string) error {
	name := filepath.Base(path)
	var line errSyntax
	switch {
	case errors.As(err, &line):
		return fault.New(fault.Invalid, "client-file-syntax", "{name} has a mistake in line {line}, so that it cannot be edited.").
			With("name", name).With("line", int(line)).Advise("Mend it in an editor, or with {client}, and try again.").With("client", c.Name)
	case errors.Is(err, errForeign):
		return fault.New(fault.Conflict, "client-entry-foreign", "The server called {entry} in {name} is none that Keepsake put there.").
			With("entry", entryName).With("name", name).Advise("Give it another name with {client}, or remove it there.").With("client", c.Name)
	case errors.Is(err, errForm):
		return fault.New(fault.Unsupported, "client-file-form", "{name} has its servers in a form that Keepsake does not edit.").
			With("name", name).Advise("Put the entry in by hand: keepsake agents connect {id} --snippet prints it.").With("id", c.ID)
	}
	return err
}
