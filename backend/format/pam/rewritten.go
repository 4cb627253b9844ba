package pam

import (
	"context"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/intake"
	"keepsake/backend/jcs"
)

// The two references sum a document differently. Appendix C, and the validator
// of the specification, take the memories as they stand. The official library
// takes them as its models write them again: members that are null left out,
// defaults filled in, times in its own form. What either finds right is right.

// SumRule says which of the two a checksum fits.
type SumRule string

const (
	SumAsItStands SumRule = "as-it-stands" // §15.2, Appendix C
	SumRewritten  SumRule = "rewritten"    // the official library
)

// object is a JSON object of which the members are looked at, not inside.
type object map[string]jsontext.Value

// rewritten is the canonical form of a memory as the official library writes it.
func rewritten(raw []byte) ([]byte, error) {
	var memory object
	if err := json.Unmarshal(raw, &memory); err != nil {
		return nil, err
	}
	memory.dropNulls()
	memory.fill("status", `"active"`)
	memory.fill("tags", `[]`)
	for name, times := range memoryTimes {
		if err := memory.inside(name, func(block object) error { return block.rewriteTimes(times) }); err != nil {
			return nil, err
		}
	}
	err := memory.inside("access", func(access object) error {
		access.fill("visibility", `"private"`)
		access.fill("exportable", `true`)
		access.fill("shared_with", `[]`)
		return nil
	})
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(memory)
	if err != nil {
		return nil, err
	}
	return jcs.Fast(text)
}

// memoryTimes are the blocks of a memory, and their members that hold times.
var memoryTimes = map[string][]string{
	"temporal":   {"created_at", "updated_at", "valid_from", "valid_until"},
	"provenance": {"extracted_at"},
	"confidence": {"last_reinforced"},
	"metadata":   nil,
}

// dropNulls leaves out the members that are null.
func (o object) dropNulls() {
	for name, value := range o {
		if value.Kind() == 'n' {
			delete(o, name)
		}
	}
}

// fill gives a member that is not there its default.
func (o object) fill(name, value string) {
	if _, ok := o[name]; !ok {
		o[name] = jsontext.Value(value)
	}
}

// inside changes a member that is an object, without its nulls.
func (o object) inside(name string, change func(object) error) error {
	if o[name].Kind() != '{' {
		return nil
	}
	var block object
	if err := json.Unmarshal(o[name], &block); err != nil {
		return err
	}
	block.dropNulls()
	if err := change(block); err != nil {
		return err
	}
	var err error
	o[name], err = json.Marshal(block)
	return err
}

func (o object) rewriteTimes(names []string) error {
	for _, name := range names {
		var text string
		if o[name].Kind() != '"' || json.Unmarshal(o[name], &text) != nil {
			continue
		}
		t, ok := parseInstant(text)
		if !ok {
			continue
		}
		again, err := json.Marshal(libraryTime(t))
		if err != nil {
			return err
		}
		o[name] = again
	}
	return nil
}

// libraryTime writes a time as the official library does: Z for UTC, other
// offsets kept, no fraction or six digits of it.
func libraryTime(t time.Time) string {
	if t.Truncate(time.Microsecond).Nanosecond() == 0 {
		return t.Format("2006-01-02T15:04:05Z07:00")
	}
	return t.Format("2006-01-02T15:04:05.000000Z07:00")
}

// settleRule says which rule a declared checksum fits. Where it does not fit the
// memories as they stand, they are read again; "" is neither rule.
func (v *verification) settleRule(ctx context.Context, tree *intake.Tree, store intake.File) error {
	block, err := integrityOf(v.root["integrity"])
	switch {
	case err != nil || v.checksum == "" || block.Checksum == "":
		return nil // a block that cannot be read is a finding of its own
	case block.Checksum == v.checksum:
		v.sumRule = SumAsItStands
		return nil
	}
	sum := streamedSum
	if v.sum.unsorted {
		sum = heldSum
	}
	other, err := sum(ctx, tree, store, rewritten)
	if err != nil {
		return ctx.Err() // what cannot be written again fits no rule
	}
	if other.finish() == block.Checksum {
		v.sumRule = SumRewritten
	}
	return nil
}
