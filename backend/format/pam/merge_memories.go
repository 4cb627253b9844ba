package pam

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/fault"
	"keepsake/backend/jcs"
)

// memories writes the array, sorted by id, and sums it.
func (m *merging) memories() (*arraySum, error) {
	news, err := m.news.heldMemories(m.ctx)
	if err != nil {
		return nil, err
	}
	if err := m.findStaying(news); err != nil {
		return nil, err
	}
	if err := m.allMet(); err != nil {
		return nil, err
	}
	sum := newArraySum()
	m.out.text(`"memories": [`)
	err = m.pairs(news, func(was, is *held) error {
		t, left, err := m.settle(was, is)
		if err != nil {
			return err
		}
		if left != "" {
			m.done.LeftOut[left]++
			return nil
		}
		for _, counter := range t.as {
			*counter++
		}
		if t.told {
			m.tell(changedMemory, t.id, "", t.why, t.fields)
		}
		h, err := m.embed(t)
		if err == nil {
			h, err = m.succeed(h)
		}
		if err != nil {
			return err
		}
		if sum.n > 0 {
			m.out.text(",")
		}
		m.out.text("\n")
		m.out.bytes(jcs.Readable(h.canonical))
		sum.add([]byte(h.id), h.canonical)
		m.note(h, was != nil)
		return m.out.err
	})
	m.out.text("\n],\n")
	return sum, err
}

// findStaying finds the memories that the result does not have, where there can be
// any: each must be known before the first memory that may name it is written.
func (m *merging) findStaying(news []held) error {
	if m.ground.kept+m.news.kept == 0 && len(m.options.Choices) == 0 {
		return nil
	}
	counted := maps.Clone(m.ground.unknown)
	defer func() { m.ground.unknown = counted }() // the base is read once more, and counts then
	return m.pairs(news, func(was, is *held) error {
		_, left, err := m.settle(was, is)
		if is == nil {
			is = was
		}
		m.met[is.id] = true
		if left == "" {
			return err
		}
		m.stay[is.id] = true
		return nil
	})
}

// allMet refuses a choice of what neither document has.
func (m *merging) allMet() error {
	for _, id := range slices.Sorted(maps.Keys(m.options.Choices)) {
		if !m.met[id] {
			return fault.New(fault.Invalid, "merge-no-memory", "Neither {base} nor {delta} has a memory {id}.").
				With("base", m.ground.tree.Name()).With("delta", m.news.tree.Name()).With("id", clip(id)).Advise("keepsake diff names the memories that differ.")
		}
	}
	return nil
}

// succeed is the memory without the name of a successor that stays behind.
func (m *merging) succeed(h held) (held, error) {
	if len(m.stay) == 0 {
		return h, nil
	}
	var members, temporal map[string]jsontext.Value
	if err := json.Unmarshal(h.canonical, &members); err != nil {
		return h, err
	}
	if err := json.Unmarshal(members["temporal"], &temporal); err != nil || !m.stay[textOf(temporal, "superseded_by")] {
		return h, err
	}
	m.done.LeftOut[leftSuccessor]++
	delete(temporal, "superseded_by")
	// Of canonical pieces with names of letters only the names are left to be sorted.
	block, err := json.Marshal(temporal, json.Deterministic(true))
	if err != nil {
		return h, err
	}
	members["temporal"] = block
	h.canonical, err = json.Marshal(members, json.Deterministic(true))
	return h, err
}

// pairs gives every memory as it stands in base and in the delta, nil where it does
// not, in the order of the ids.
func (m *merging) pairs(news []held, take func(was, is *held) error) error {
	next := 0
	err := m.ground.eachMemory(m.ctx, func(h held) error {
		for ; next < len(news) && news[next].id < h.id; next++ {
			if err := take(nil, &news[next]); err != nil {
				return err
			}
		}
		if next < len(news) && news[next].id == h.id {
			next++
			return take(&h, &news[next-1])
		}
		return take(&h, nil)
	})
	for ; err == nil && next < len(news); next++ {
		err = take(nil, &news[next])
	}
	return err
}

// taken is a memory of the result, whose words are those of the document of.
// other is the version of the other document, nil where it has none.
type taken struct {
	held
	of, from *soundDocument // from is the other document
	other    *held
	as       []*int // what it counts as
	change
}

// change is what is told of a memory that both have in another version.
type change struct {
	told   bool
	why    ConflictReason // "" where the delta's is taken
	fields []FieldDiff
}

// settle decides what the result has of a memory that stands in base as was and
// in the delta as is; nil where it does not stand there. left is why the result is
// to be without it, "" where it is not.
func (m *merging) settle(was, is *held) (t *taken, left string, err error) {
	t, err = m.choice(was, is)
	switch {
	case err != nil:
		return nil, "", err
	case t == nil:
		return nil, leftUnpicked, nil
	case isKept(t.canonical):
		return nil, leftKept, nil
	}
	return t, "", nil
}

// choice gives nil where somebody chose that the result is without it.
func (m *merging) choice(was, is *held) (*taken, error) {
	switch {
	case is == nil && m.options.Choices[was.id].Of == OfBoth:
		return nil, m.notBoth(was.id)
	case was == nil && m.options.Choices[is.id].Of == OfBoth:
		return nil, m.notBoth(is.id)
	case is == nil:
		if m.options.Choices[was.id].Of == OfDelta {
			return nil, nil
		}
		return &taken{held: *was, of: m.ground, from: m.news}, nil
	case was == nil:
		if m.options.Choices[is.id].Of == OfBase {
			return nil, nil
		}
		return &taken{held: *is, of: m.news, from: m.ground, as: []*int{&m.done.Added}}, nil
	}
	var fields []FieldDiff
	if !bytes.Equal(was.canonical, is.canonical) {
		fields = diffFields(was.canonical, is.canonical, nil)
	}
	if !slices.ContainsFunc(fields, func(f FieldDiff) bool { return f.Path != "/embedding_ref" }) { // which embed decides
		return m.equal(was, is), nil
	}
	choice, chosen := m.options.Choices[is.id]
	if !chosen && m.authority.Memories != "" {
		t := m.ofBase(was, is, &m.done.Refused)
		t.change = change{true, m.authority.Memories, fields}
		return t, nil
	}
	if !chosen {
		choice = m.options.Suggested[is.id]
	}
	t, err := m.chosen(was, is, choice)
	if err == nil && !chosen {
		err = m.narrow(t, was)
	}
	if err == nil && (chosen || m.options.Theirs) && !t.told && !bytes.Equal(was.canonical, t.canonical) {
		t.change = change{true, "", diffFields(was.canonical, t.canonical, nil)}
	}
	return t, err
}

// equal is a memory that both have alike, as base has it where the delta may not add
// an embedding to it.
func (m *merging) equal(was, is *held) *taken {
	if m.authority.Beside != "" {
		return m.ofBase(was, is, &m.done.Unchanged)
	}
	return &taken{held: *is, of: m.news, from: m.ground, other: was, as: []*int{&m.done.Unchanged}}
}

func (m *merging) ofBase(was, is *held, as *int) *taken {
	return &taken{held: *was, of: m.ground, from: m.news, other: is, as: []*int{as}}
}

// chosen is what a choice makes of two versions.
func (m *merging) chosen(was, is *held, choice Choice) (*taken, error) {
	switch choice.Of {
	case OfBase:
		return m.ofBase(was, is, &m.done.Kept), nil
	case OfBoth:
		return m.mixed(was, is, choice.Fields)
	}
	as := []*int{&m.done.Updated}
	if isRetracted(is.canonical) && !isRetracted(was.canonical) {
		as = append(as, &m.done.Retracted)
	}
	return &taken{held: *is, of: m.news, from: m.ground, other: was, as: as}, nil
}

func (m *merging) notBoth(id string) error {
	return fault.New(fault.Invalid, "merge-not-both", "Only one of {base} and {delta} has the memory {id}, so there are no two versions to choose members from.").
		With("base", m.ground.tree.Name()).With("delta", m.news.tree.Name()).With("id", clip(id))
}

func (m *merging) mixed(was, is *held, fields []string) (*taken, error) {
	differs := func(f FieldDiff) bool {
		return IsPickable(f.Path, nil) && (slices.Contains(fields, f.Path) || slices.Contains(fields, Leader(f.Path)))
	}
	if !slices.ContainsFunc(diffFields(was.canonical, is.canonical, nil), differs) { // nothing of it is another
		return m.ofBase(was, is, &m.done.Kept), nil
	}
	canonical, err := mix(was.canonical, is.canonical, fields, m.options.Date)
	if err != nil {
		return nil, err
	}
	as := []*int{&m.done.Updated, &m.done.Mixed}
	h := held{was.id, canonical, was.i}
	if slices.Contains(fields, "/content") {
		return &taken{held: h, of: m.news, from: m.ground, other: was, as: as}, nil
	}
	return &taken{held: h, of: m.ground, from: m.news, other: is, as: as}, nil
}

func isRetracted(canonical []byte) bool {
	var m struct {
		Status string `json:"status"`
	}
	return json.Unmarshal(canonical, &m) == nil && m.Status == "retracted"
}

// heldMemories holds all memories in canonical form, sorted by id.
func (d *soundDocument) heldMemories(ctx context.Context) ([]held, error) {
	all, err := inOrder(ctx, d.tree, d.store, func(raw []byte) ([]byte, error) { return d.canonical("memories", raw) })
	if errors.Is(err, errTooLargeToSort) {
		return nil, fault.New(fault.TooLarge, "merge-too-large", "The memories of {name} take over {limit} MiB and cannot be put into the order of their ids.").
			With("name", d.tree.Name()).With("limit", maxHeld>>20)
	}
	return all, err
}

// eachMemory gives the memories in the order of their ids, one at a time where
// they stand in it.
func (d *soundDocument) eachMemory(ctx context.Context, take func(held) error) error {
	if d.unsorted {
		all, err := d.heldMemories(ctx)
		for i := 0; err == nil && i < len(all); i++ {
			err = take(all[i])
		}
		return err
	}
	return d.eachElement(ctx, "memories", func(i int, raw jsontext.Value) error {
		canonical, err := d.canonical("memories", raw)
		if err != nil {
			return err
		}
		return take(held{idOf(raw), slices.Clone(canonical), i})
	})
}
