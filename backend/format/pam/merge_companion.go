package pam

import (
	"context"
	"errors"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/intake"
)

// companionFile is a file of a bundle that may come along.
type companionFile struct {
	intake.File
	isOther bool // of another version than the result: it comes along without what 1.0 does not have
}

// companion looks through a file of the bundle, whose form is given. One of another
// major version is refused; what a newer minor one added is counted.
func (d *soundDocument) companion(ctx context.Context, f intake.File, of *form) (companionFile, error) {
	head, strange, err := lookThrough(ctx, d.tree, f, of)
	if err != nil {
		return companionFile{}, err
	}
	if refused := head.Refused(d.tree.Name() + "/" + f.Path); refused != nil {
		return companionFile{}, refused
	}
	if head.IsNewer() {
		d.leave(strange)
	}
	return companionFile{f, head.SchemaVersion != SchemaVersion}, nil
}

// lookThrough tells the version of a file of a bundle, whose form is given, and
// lists the members that the form does not have.
func lookThrough(ctx context.Context, tree *intake.Tree, f intake.File, of *form) (head Head, strange []string, err error) {
	note := func(name string, raw jsontext.Value) {
		if inner := of.members[name]; inner != nil {
			strange = append(strange, inner.additions(raw)...)
		}
	}
	err = walkFile(ctx, tree, f, visitor{
		member: func(name string, raw jsontext.Value) error {
			if _, ok := of.members[name]; !ok {
				strange = append(strange, of.name+":"+clip(name))
			}
			if name == "schema_version" {
				head.SchemaVersion = textOf(map[string]jsontext.Value{name: raw}, name)
			}
			note(name, raw)
			return nil
		},
		element: func(array string, _ int, raw jsontext.Value) error {
			note(array, raw)
			return nil
		},
	})
	return head, strange, err
}

// walkFile streams a file of a bundle.
func walkFile(ctx context.Context, tree *intake.Tree, f intake.File, v visitor) error {
	r, err := open(ctx, tree, f)
	if err != nil {
		return err
	}
	defer r.Close()
	err = walk(ctx, r, v)
	if errors.Is(err, errNotJSON) {
		return asFault(err, f.Base())
	}
	return err
}

// eachPiece reads one of the arrays of a file of the bundle, whose elements have a
// form.
func (d *soundDocument) eachPiece(ctx context.Context, f companionFile, array string, of *form, take func(jsontext.Value) error) error {
	return walkFile(ctx, d.tree, f.File, visitor{
		member: func(string, jsontext.Value) error { return nil },
		element: func(in string, _ int, raw jsontext.Value) error {
			if in != array {
				return nil
			}
			if f.isOther {
				known, err := json.Marshal(of.without(raw))
				if err != nil {
					return err
				}
				raw = known
			}
			return take(raw)
		},
	})
}

// conversation carries a file over.
func (m *merging) conversation(p carriedFile) error {
	if !p.file.isOther {
		return m.copy(p.ref, p.of, p.file.File)
	}
	return m.target.create.file(p.ref, func(w io.Writer) error {
		raw, err := p.of.tree.ReadAll(m.ctx, p.file.File, MaxCompanion)
		if err != nil {
			return err
		}
		whole := conversationForm.object(raw)
		whole["schema_version"] = SchemaVersion
		return json.MarshalWrite(w, whole, json.Deterministic(true))
	})
}
