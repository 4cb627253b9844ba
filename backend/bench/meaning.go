package bench

import (
	"context"
	"fmt"
	"path/filepath"

	"keepsake/backend/core"
	"keepsake/backend/embed"
)

// How much the rows of meaning do.
const (
	embedded    = 2000 // memories that are embedded
	questions   = 200
	addsForEach = 1_000_000 // multiply-adds of the floor for each memory or question
)

// embedding makes vectors of memories. Its ratio is how many million multiply-adds, one after
// the other, take as long as one memory.
func embedding() Row {
	return Row{
		Name: "embed", Floors: []string{"multiply-adds"}, prepare: library, named: true,
		sides: map[string]side{
			"multiply-adds": func(_ context.Context, j *job) error { return j.multiplyAdds(min(embedded, j.Plan.Memories)) },
			work:            embedCopy,
		},
		goals: func(m medians) []Goal {
			return []Goal{
				told("a memory: processor time / a million multiply-adds", m.cpu("multiply-adds")),
				told("memories a second", m.work.Extra["memories"]/m.work.Wall.Seconds()),
			}
		},
	}
}

// asking answers questions by meaning, once all memories have vectors.
func asking() Row {
	return Row{
		Name: "question", Floors: []string{"multiply-adds"}, named: true,
		prepare: func(ctx context.Context, dir string, p Plan) error {
			if err := library(ctx, dir, p); err != nil {
				return err
			}
			return withComparing(ctx, dir, func(s *core.Service) error { return s.MakeVectors(ctx, p.Memories) })
		},
		sides: map[string]side{
			"multiply-adds": func(_ context.Context, j *job) error { return j.multiplyAdds(questions) },
			work:            comparing(askQuestions),
		},
		goals: func(m medians) []Goal {
			return []Goal{
				told("a question: processor time / a million multiply-adds", m.cpu("multiply-adds")),
				told("question p50, ms", m.work.Extra["question p50 ms"]),
				atMost(20, "question p95, ms", m.work.Extra["question p95 ms"]),
			}
		},
	}
}

// withComparing is withVault with the language model.
func withComparing(ctx context.Context, dir string, do func(s *core.Service) error) error {
	cfg := configOf(dir)
	cfg.Meaning.Encoder = &embed.Encoder{}
	s, err := serviceOf(ctx, cfg, false)
	if err != nil {
		return err
	}
	defer s.Close()
	return do(s)
}

// comparing is a side on the row's vault with the language model, which is loaded before.
func comparing(fn librarySide) side {
	return func(ctx context.Context, j *job) error {
		return withComparing(ctx, j.Dir, func(s *core.Service) error {
			if err := settled(ctx, s); err != nil {
				return err
			}
			if _, err := s.Search(ctx, core.SearchQuery{Text: "is anything there", Mode: core.Semantic}); err != nil {
				return err
			}
			return fn(ctx, s, j)
		})
	}
}

// embedCopy embeds memories of a copy of the row's vault, which has no vectors before.
func embedCopy(ctx context.Context, j *job) error {
	if err := copyLibrary(filepath.Join(j.own, "vault"), filepath.Join(j.Dir, "vault")); err != nil {
		return err
	}
	j.Dir = j.own
	return comparing(embedMemories)(ctx, j)
}

func embedMemories(ctx context.Context, s *core.Service, j *job) error {
	err := j.measure(func() error { return s.MakeVectors(ctx, embedded) })
	if err != nil {
		return err
	}
	state, err := s.IndexState(ctx)
	j.Extra["memories"] = float64(state.Vectors)
	if want := min(embedded, j.Plan.Memories); err == nil && state.Vectors != want {
		err = fmt.Errorf("embed memories: %d vectors instead of %d", state.Vectors, want)
	}
	return err
}

func askQuestions(ctx context.Context, s *core.Service, j *job) error {
	var took timed
	err := j.measure(func() error {
		for n := range questions {
			q := core.SearchQuery{Text: fmt.Sprintf("what did I say about number %d of my plans?", n), Mode: core.Semantic, Limit: 20}
			if err := took.add(func() error { _, err := s.Search(ctx, q); return err }); err != nil {
				return err
			}
		}
		return nil
	})
	took.millis("question", j.Extra)
	return err
}

// multiplyAdds measures n times addsForEach multiplications, each added to the sum of those
// before it.
func (j *job) multiplyAdds(n int) error {
	numbers := make([]float32, 1000)
	for i := range numbers {
		numbers[i] = float32(i%7) / 7
	}
	sum := float32(0)
	err := j.measure(func() error {
		for range n * addsForEach / len(numbers) {
			for _, x := range numbers {
				sum += x * x
			}
		}
		return nil
	})
	j.Extra["sum"] = float64(sum) // so that the sum is computed at all
	return err
}
