package pam

import (
	"context"
	"encoding/json"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/intake"
)

// Inspection says what is in a PAM file or bundle.
type Inspection struct {
	Kind          string         `json:"kind"`
	SchemaVersion string         `json:"schema_version"`
	ExportID      string         `json:"export_id"`
	ExportDate    string         `json:"export_date"`
	ExportedBy    string         `json:"exported_by"`
	OwnerID       string         `json:"owner_id"`
	DID           string         `json:"did"`
	Memories      int            `json:"memories"`
	Types         map[string]int `json:"types"`
	Statuses      map[string]int `json:"statuses"`
	Relations     int            `json:"relations"`
	Conversations int            `json:"conversations"`
	Messages      int            `json:"messages"`
	Embeddings    int            `json:"embeddings"`
	Signed        bool           `json:"signed"`

	// Of a document of the Memory Interchange Format: tasks, and members that no
	// version of it has.
	Todos   int            `json:"todos,omitempty"`
	Unknown map[string]int `json:"unknown,omitempty"`

	companions []string        // references to the files beside the store
	counted    map[string]bool // files beside the store, by their paths
}

// Inspect counts what a document holds. It checks nothing beyond JSON itself.
func Inspect(ctx context.Context, tree *intake.Tree) (Inspection, error) {
	in := Inspection{Types: map[string]int{}, Statuses: map[string]int{}, counted: map[string]bool{}}
	store, err := findStore(tree)
	if err != nil {
		return in, err
	}
	r, err := open(ctx, tree, store)
	if err != nil {
		return in, err
	}
	defer r.Close()
	if err := walk(ctx, r, visitor{member: in.member, element: in.element}); err != nil {
		return in, asFault(err, tree.Name())
	}
	for _, ref := range append(in.companions, "embeddings.json") {
		if err := in.companion(ctx, tree, store, ref); err != nil {
			return in, asFault(err, tree.Name())
		}
	}
	return in, nil
}

// companion counts what a file beside the store holds; one that is not there
// holds nothing.
func (in *Inspection) companion(ctx context.Context, tree *intake.Tree, store intake.File, ref string) error {
	f, ok := sibling(tree, store, ref)
	if !ok || f.Path == store.Path || in.counted[f.Path] { // more than one entry may name it
		return nil
	}
	in.counted[f.Path] = true
	r, err := open(ctx, tree, f)
	if err != nil {
		return err
	}
	defer r.Close()
	return walk(ctx, r, visitor{
		member: func(string, jsontext.Value) error { return nil },
		element: func(array string, _ int, _ jsontext.Value) error {
			switch array {
			case "messages":
				in.Messages++
			case "embeddings":
				in.Embeddings++
			}
			return nil
		},
	})
}

func (in *Inspection) member(name string, raw jsontext.Value) error {
	var text string
	if raw.Kind() == '"' {
		_ = json.Unmarshal(raw, &text) // a string is a string
	}
	switch name {
	case "schema":
		in.Kind = text
	case "schema_version":
		in.SchemaVersion = text
	case "export_id":
		in.ExportID = text
	case "export_date":
		in.ExportDate = text
	case "exported_by":
		in.ExportedBy = text
	case "signature":
		in.Signed = raw.Kind() == '{'
	case "owner":
		var o struct{ ID, DID string }
		_ = json.Unmarshal(raw, &o) // what is no owner is shown as none
		in.OwnerID, in.DID = o.ID, o.DID
	}
	return nil
}

func (in *Inspection) element(array string, _ int, raw jsontext.Value) error {
	switch array {
	case "memories":
		var m struct{ Type, Status string }
		_ = json.Unmarshal(raw, &m) // counted without its type
		in.Memories++
		in.Types[m.Type]++
		if m.Status == "" {
			m.Status = "active" // §4.3
		}
		in.Statuses[m.Status]++
	case "relations":
		in.Relations++
	case "conversations_index":
		in.Conversations++
		var entry struct {
			Storage struct {
				Type string `json:"type"`
				Ref  string `json:"ref"`
			} `json:"storage"`
		}
		if json.Unmarshal(raw, &entry) == nil && entry.Storage.Type == "file" {
			in.companions = append(in.companions, entry.Storage.Ref)
		}
	case "messages":
		in.Messages++
	case "embeddings":
		in.Embeddings++
	}
	return nil
}
