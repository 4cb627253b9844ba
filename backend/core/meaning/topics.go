package meaning

import (
	"context"
	"fmt"
	"slices"

	"keepsake/backend/core/library"
	"keepsake/backend/format/pam"
	"keepsake/backend/memory"
	"keepsake/backend/topics"
	"keepsake/backend/vault"
)

// Topic is what several active memories are about.
type Topic struct {
	Name     string   // words of these memories, as they are written there
	Memories []string // ids; those that are most about it first
}

// Topics are what the memories of a vault are about.
type Topics struct {
	All     []Topic // the largest first; a memory is in one at most
	Missing int     // memories and conversations that have no vectors yet
}

// Topics groups the active memories by their meaning. The result is shared and must not be
// modified.
func (s *Service) Topics(ctx context.Context) (Topics, error) {
	v, ctx, leave, err := s.lib.Enter(ctx)
	if err != nil {
		return Topics{}, err
	}
	defer leave()
	state, err := Of(v).State()
	if err != nil {
		return Topics{}, err
	}
	all, err := TopicsOf(ctx, s.lib, v)
	return Topics{all, state.Missing}, err
}

// TopicsOf returns the topics of a session's memories, as they are now. Call it outside of a
// transaction.
func TopicsOf(ctx context.Context, lib *library.Library, v *library.Session) ([]Topic, error) {
	x := Of(v)
	if err := x.mayReview(); err != nil {
		return nil, err
	}
	m, err := x.opened()
	if err != nil {
		return nil, err
	}
	return library.Kept[library.LRUCache[[]Topic]](v).GetOr(fmt.Sprint("topics ", m.index.Version()), v.Rows.Version(), func() ([]Topic, error) {
		vectors, err := x.Vectors()
		if err != nil {
			return nil, err
		}
		f := &topicFinder{encoder: x.cfg.Encoder, isSmall: lib.Languages().IsSmall}
		f.take(v, vectors)
		f.groups = topics.Find(topics.Collection{Count: len(f.seqs), Mean: x.cfg.Encoder.Mean(), Read: func(i int, into []float32) {
			vectors.of[f.seqs[i]].CopyTo(into)
		}})
		return f.named(ctx, v)
	})
}

// topicFinder makes topics of memories, which it has by their places in seqs.
type topicFinder struct {
	encoder Encoder
	isSmall func(word string) bool
	seqs    []uint64 // of active memories with vectors, the oldest first
	ids     []string
	groups  topics.Groups
}

func (f *topicFinder) take(v *library.Session, vectors *Vectors) {
	v.Rows.RLock()
	defer v.Rows.RUnlock()
	for _, row := range v.Rows.Memories.BySeq {
		if row != nil && row.Status == memory.Active && vectors.Has(row.Seq) {
			f.seqs, f.ids = append(f.seqs, row.Seq), append(f.ids, row.ID)
		}
	}
}

// Limits of what names are made of. More takes longer, and tells hardly anything else.
const (
	namedByMembers = 200   // memories of a topic, those that are most about it
	namedByOthers  = 2_000 // memories of no topic, spread evenly
	nameBytes      = 1_000 // of a memory
	exampleBytes   = 60    // of the first memory, which stands in where a topic has no words
)

// named returns the topics with their names.
func (f *topicFinder) named(ctx context.Context, v *library.Session) ([]Topic, error) {
	groups, others, err := f.texts(ctx, v)
	if err != nil {
		return nil, err
	}
	var out []Topic
	for i, words := range topics.Words(groups, others, f.isSmall) {
		name, err := f.name(ctx, i, words)
		if err != nil {
			return nil, err
		}
		if name == "" {
			name = clip(groups[i][0], exampleBytes)
		}
		out = f.add(out, name, f.groups.All[i].Members)
	}
	slices.SortStableFunc(out, func(a, b Topic) int { return len(b.Memories) - len(a.Memories) })
	return out, nil
}

// add adds a topic, or its memories to the one that has its name.
func (f *topicFinder) add(all []Topic, name string, members []int) []Topic {
	at := slices.IndexFunc(all, func(t Topic) bool { return t.Name == name })
	if at < 0 {
		at, all = len(all), append(all, Topic{Name: name})
	}
	for _, i := range members {
		all[at].Memories = append(all[at].Memories, f.ids[i])
	}
	return all
}

// name chooses words for the name of a group.
func (f *topicFinder) name(ctx context.Context, group int, words []topics.Word) (string, error) {
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = w.Text
	}
	vectors, err := f.encoder.Embed(ctx, texts)
	if err != nil {
		return "", err
	}
	return f.groups.Name(group, words, vectors), nil
}

// texts reads the memories that names are made of: those of each group, and those of none.
func (f *topicFinder) texts(ctx context.Context, v *library.Session) (groups [][]string, others []string, err error) {
	grouped := make([]bool, len(f.seqs))
	var parts [][]int
	for _, g := range f.groups.All {
		for _, at := range g.Members {
			grouped[at] = true
		}
		parts = append(parts, g.Members[:min(len(g.Members), namedByMembers)])
	}
	parts = append(parts, f.rest(grouped))
	err = v.View(func(tx *vault.Tx) error {
		for _, part := range parts {
			texts, err := f.read(ctx, tx, part)
			if err != nil {
				return err
			}
			groups = append(groups, texts)
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	return groups[:len(groups)-1], groups[len(groups)-1], nil
}

// rest returns memories of no group.
func (f *topicFinder) rest(grouped []bool) []int {
	var all []int
	for at := range f.seqs {
		if !grouped[at] {
			all = append(all, at)
		}
	}
	n := min(len(all), namedByOthers)
	for i := range n {
		all[i] = all[i*len(all)/n]
	}
	return all[:n]
}

// read returns the texts of memories. One that was deleted meanwhile has none.
func (f *topicFinder) read(ctx context.Context, tx *vault.Tx, places []int) (texts []string, err error) {
	for _, at := range places {
		plain, err := tx.Find(vault.Memories, f.ids[at])
		if err == nil {
			err = ctx.Err()
		}
		if err == nil && plain != nil {
			var m memory.Record
			err = pam.DecodeMemoryInto(plain, &m)
			texts = append(texts, clip(m.Content, nameBytes))
		}
		if err != nil {
			return nil, err
		}
	}
	return texts, nil
}
