package pam

import (
	"context"
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
