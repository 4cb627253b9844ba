package sensitivity

import (
	"context"
	"slices"
	"strings"
	"sync"

	"keepsake/backend/core/library"
	"keepsake/backend/core/meaning"
	"keepsake/backend/core/rows"
	"keepsake/backend/format/pam"
	"keepsake/backend/sensitive"
	"keepsake/backend/vault"
)

// Topics are the sensitive topics of some memories.
type Topics struct {
	sets map[uint64]sensitive.Set // by sequence number
	// ByWords counts the memories of which only the words were looked at, because they have no
	// vector of the built-in model.
	ByWords int
}

// Set returns the topics of a memory: what is found in it, and what the person says of it.
func (t Topics) Set(row *rows.Memory) sensitive.Set { return t.sets[row.Seq] }

// Summary counts the sensitive topics of some memories.
type Summary struct {
	Sensitive int                     `json:"sensitive"` // memories that are about any
	ByTopic   map[sensitive.Topic]int `json:"by_topic"`  // those that are about each; none of what is in no memory
	// ByWords counts the memories of which only the words were looked at, because they have no
	// vector of the built-in model yet.
	ByWords int `json:"by_words"`
}

// Summary counts the topics of the memories that t was made of.
func (t Topics) Summary(list []*rows.Memory) Summary {
	s := Summary{ByTopic: map[sensitive.Topic]int{}, ByWords: t.ByWords}
	for _, row := range list {
		set := t.Set(row)
		if set != 0 {
			s.Sensitive++
		}
		for _, topic := range set.Topics() {
			s.ByTopic[topic]++
		}
	}
	return s
}

// Listing is a Summary with the memories behind it.
type Listing struct {
	Summary
	Items []Item `json:"items"` // the first mostListed
}

const mostListed = 200

// ListingOf counts the sensitive topics of memories, as Of finds them, and lists those memories.
func ListingOf(ctx context.Context, lib *library.Library, v *library.Session, tx *vault.Tx, list []*rows.Memory) (Listing, error) {
	topics, err := Of(ctx, lib, v, tx, list)
	l := Listing{topics.Summary(list), []Item{}}
	for _, row := range list {
		if err != nil || len(l.Items) == mostListed {
			break
		}
		if set := topics.Set(row); set != 0 {
			var item Item
			item, err = itemOf(tx, row, set)
			l.Items = append(l.Items, item)
		}
	}
	return l, err
}

// known caches what was found in memories. It holds no text, and is dropped when the vault is
// locked.
type known struct {
	mu     sync.Mutex
	finder *sensitive.Finder
	of     map[uint64]found // by sequence number
}

type found struct {
	generation uint64 // change counter of the vault when the memory was last written
	byMeaning  bool
	set        sensitive.Set
}

// Of returns the sensitive topics of memories. It decrypts only those that it does not know yet.
func Of(ctx context.Context, lib *library.Library, v *library.Session, tx *vault.Tx, list []*rows.Memory) (Topics, error) {
	k := library.Kept[known](v)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.finder == nil {
		finder, err := sensitive.New(lib.Languages())
		if err != nil {
			return Topics{}, err
		}
		k.finder, k.of = finder, map[uint64]found{}
	}
	if err := k.read(ctx, v, tx, list); err != nil {
		return Topics{}, err
	}
	all := Topics{sets: make(map[uint64]sensitive.Set, len(list))}
	for _, row := range list {
		one := k.of[row.Seq]
		all.sets[row.Seq] = one.set
		if !one.byMeaning {
			all.ByWords++
		}
	}
	return all, nil
}

// read finds the topics of those memories that were written since, or got a vector since. The
// vectors of all memories are collected only if one of these may have got its own. Of a memory
// that was changed since tx began it reads the text that tx has, and the next call reads it
// again. The caller holds mu.
func (k *known) read(ctx context.Context, v *library.Session, tx *vault.Tx, list []*rows.Memory) error {
	generation := tx.Generation()
	list = slices.DeleteFunc(slices.Clone(list), func(row *rows.Memory) bool {
		was := k.of[row.Seq]
		return was.byMeaning && was.generation == row.Generation && row.Generation <= generation
	})
	if len(list) == 0 {
		return nil
	}
	vectors, err := meaning.Of(v).CurrentVectors()
	if err != nil {
		return err
	}
	var unknown []*rows.Memory
	for _, row := range list {
		if was, ok := k.of[row.Seq]; !ok || was.generation != row.Generation || row.Generation > generation || !was.byMeaning && vectors.Has(row.Seq) {
			unknown = append(unknown, row)
		}
	}
	unknown = rows.StoredIn(tx, unknown)
	i := 0
	for e, err := range tx.Numbered(vault.Memories, rows.SeqsOf(unknown)) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		row := unknown[i]
		i++
		r, err := pam.DecodeMemory(e.Plain)
		if err != nil {
			return err
		}
		text, err := tx.Find(vault.Sources, row.ID)
		if err != nil {
			return err
		}
		side, err := rows.DecodeProvenance(text)
		if err != nil {
			return err
		}
		vector := vectors.CopyOf(row.Seq)
		set := k.finder.Find(strings.TrimSpace(r.Content+"\n"+r.Summary), vector)
		k.of[row.Seq] = found{min(row.Generation, generation), vector != nil, corrected(set, side.Topics)}
	}
	return nil
}

// corrected is what was found in a memory, and what the person says of it, which wins.
func corrected(set sensitive.Set, said map[string]bool) sensitive.Set {
	topics := set.Topics()
	for name, is := range said {
		topics = slices.DeleteFunc(topics, func(t sensitive.Topic) bool { return string(t) == name })
		if is {
			topics = append(topics, sensitive.Topic(name))
		}
	}
	return sensitive.SetOf(topics...)
}
