package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"

	"keepsake/backend/core"
	"keepsake/backend/memory"
)

// onLibrary opens the row's vault, or a copy of it, and measures nothing itself.
func onLibrary(fn func(ctx context.Context, s *core.Service, o order, measured meter) (map[string]float64, error)) side {
	return func(ctx context.Context, o order, measured meter) (map[string]float64, error) {
		s, err := service(ctx, o.Dir, false)
		if err != nil {
			return nil, err
		}
		defer s.Close()
		return fn(ctx, s, o, measured)
	}
}

// unlocking measures from the keys to the first list. The key derivation is the
// cheap one for tests, so that it is not in the figure.
func unlocking() Row {
	return Row{
		Name: "unlock", prepare: library,
		sides: map[string]side{work: func(ctx context.Context, o order, measured meter) (map[string]float64, error) {
			s, err := core.New(core.Config{VaultDir: filepath.Join(o.Dir, "vault"), ScratchDir: filepath.Join(o.Dir, "scratch")})
			if err != nil {
				return nil, err
			}
			defer s.Close()
			err = measured(func() error {
				if err := s.Unlock(ctx, passphrase); err != nil {
					return err
				}
				_, err := s.Memories(ctx, core.MemoryQuery{Limit: 50})
				return err
			})
			if err == nil {
				err = s.WaitForIndex(ctx)
			}
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			return map[string]float64{"heap MB": float64(m.HeapAlloc) / 1e6}, err
		}},
		goals: func(m medians) []Goal {
			return []Goal{
				{"first list, ms after the key derivation", ms(m.work.Wall), 60},
				{"heap, MB", m.work.Extra["heap MB"], 80},
			}
		},
	}
}

// listing asks for pages all over the library, and for orders not asked before.
func listing() Row {
	return Row{
		Name: "list", prepare: library,
		sides: map[string]side{work: onLibrary(func(ctx context.Context, s *core.Service, o order, measured meter) (map[string]float64, error) {
			var pages, orders timed
			extra := map[string]float64{}
			err := measured(func() error {
				if _, err := s.Memories(ctx, core.MemoryQuery{Limit: 50, Offset: o.Plan.Memories / 2}); err != nil {
					return err
				}
				for range 1000 {
					q := core.MemoryQuery{Limit: 50, Offset: rand.IntN(max(1, o.Plan.Memories-50))}
					if err := pages.add(func() error { _, err := s.Memories(ctx, q); return err }); err != nil {
						return err
					}
				}
				for _, sort := range []string{"created", "-updated", "type", "platform", "-confidence"} {
					q := core.MemoryQuery{Limit: 50, Offset: o.Plan.Memories / 2, Sort: sort}
					if err := orders.add(func() error { _, err := s.Memories(ctx, q); return err }); err != nil {
						return err
					}
				}
				return nil
			})
			pages.millis("page", extra)
			orders.millis("order", extra)
			return extra, err
		})},
		goals: func(m medians) []Goal {
			return []Goal{
				{"page p95, ms", m.work.Extra["page p95 ms"], 1},
				{"another order p50, ms", m.work.Extra["order p50 ms"], 16},
			}
		},
	}
}

// editing changes memories one after the other; the floor flushes 4 KB as often.
func editing() Row {
	const edits = 400
	return Row{
		Name: "edit", Floors: []string{"flush"}, prepare: library,
		sides: map[string]side{
			"flush": func(_ context.Context, o order, measured meter) (map[string]float64, error) {
				extra := map[string]float64{}
				return extra, measured(func() error {
					took, err := flushes(o.Dir, edits)
					timed(took).millis("flush", extra)
					return err
				})
			},
			work: onLibrary(func(ctx context.Context, s *core.Service, _ order, measured meter) (map[string]float64, error) {
				page, err := s.Memories(ctx, core.MemoryQuery{Limit: edits})
				if err != nil {
					return nil, err
				}
				var edited, undone timed
				extra := map[string]float64{}
				err = measured(func() error {
					for i, m := range page.Items {
						if err := edited.add(func() error { return edit(ctx, s, m, i) }); err != nil {
							return err
						}
						if err := undone.add(func() error { _, err := s.Undo(ctx); return err }); err != nil {
							return err
						}
					}
					return nil
				})
				edited.millis("edit", extra)
				undone.millis("undo", extra)
				return extra, err
			}),
		},
		goals: func(m medians) []Goal {
			flush := m.floors["flush"].Extra
			return []Goal{
				{"edit p50 / flush p50", m.work.Extra["edit p50 ms"] / flush["flush p50 ms"], 8},
				{"edit p95 / flush p95", m.work.Extra["edit p95 ms"] / flush["flush p95 ms"], 4},
				{"edit p95, ms", m.work.Extra["edit p95 ms"], 10},
				{"undo p95, ms", m.work.Extra["undo p95 ms"], 10},
			}
		},
	}
}

func edit(ctx context.Context, s *core.Service, m memory.Record, i int) error {
	text := fmt.Sprintf("%s (%d)", m.Content, i)
	_, err := s.EditMemory(ctx, m.ID, core.MemoryEdit{Content: &text})
	return err
}

// queries are the sets of a search row, made of the words that data.go writes.
func queries(page core.MemoryPage) map[string][]string {
	sets := map[string][]string{}
	for i := 0; i+1 < len(page.Items); i += 2 {
		words := wordsOf(page.Items[i].Content)
		if len(words) < 6 {
			continue
		}
		a, b := words[4], words[5]
		sets["word"] = append(sets["word"], a)
		sets["two words"] = append(sets["two words"], a+" "+b)
		sets["prefix 2"] = append(sets["prefix 2"], a[:2]+"*")
		sets["prefix 4"] = append(sets["prefix 4"], a[:min(4, len(a))]+"*")
		sets["phrase"] = append(sets["phrase"], `"`+a+" "+b+`"`)
	}
	return sets
}

func wordsOf(text string) (words []string) {
	word := ""
	for _, r := range text + " " {
		if r >= 'a' && r <= 'z' {
			word += string(r)
			continue
		}
		if len(word) >= 2 {
			words = append(words, word)
		}
		word = ""
	}
	return words
}

// searching asks 200 queries of each kind.
func searching() Row {
	return Row{
		Name: "search", prepare: library,
		sides: map[string]side{work: onLibrary(func(ctx context.Context, s *core.Service, _ order, measured meter) (map[string]float64, error) {
			if err := s.WaitForIndex(ctx); err != nil {
				return nil, err
			}
			page, err := s.Memories(ctx, core.MemoryQuery{Limit: 400})
			if err != nil {
				return nil, err
			}
			extra := map[string]float64{}
			for name, set := range queries(page) {
				var took timed
				err := measured(func() error {
					for _, q := range set {
						if err := took.add(func() error { _, err := s.Search(ctx, core.SearchQuery{Text: q}); return err }); err != nil {
							return err
						}
					}
					return nil
				})
				if err != nil {
					return nil, err
				}
				took.millis(name, extra)
			}
			return extra, nil
		})},
		goals: func(m medians) []Goal {
			e := m.work.Extra
			return []Goal{
				{"word p95, ms", e["word p95 ms"], 50},
				{"two words p95, ms", e["two words p95 ms"], 50},
				{"prefix of 2 p95, ms", e["prefix 2 p95 ms"], 50},
				{"prefix of 4 p95, ms", e["prefix 4 p95 ms"], 50},
				{"phrase p50, ms", e["phrase p50 ms"], 50},
				{"phrase p95, ms", e["phrase p95 ms"], 0},
			}
		},
	}
}

const fileName = "export.pam.json"

// written makes the library and its export.
func written(ctx context.Context, dir string, p Plan) error {
	p.Messages = min(p.Messages, 20_000)
	if err := library(ctx, dir, p); err != nil {
		return err
	}
	s, err := service(ctx, dir, false)
	if err != nil {
		return err
	}
	defer s.Close()
	_, err = s.ExportPAM(ctx, filepath.Join(dir, fileName), core.ExportOptions{})
	return err
}

func onFile(_ context.Context, o order, measured meter) (map[string]float64, error) {
	return nil, measured(func() error { return hash(filepath.Join(o.Dir, fileName)) })
}

// exporting writes and verifies; the two cannot be had apart.
func exporting() Row {
	return Row{
		Name: "export", Floors: []string{"sha256"}, prepare: written,
		sides: map[string]side{
			"sha256": onFile,
			work: onLibrary(func(ctx context.Context, s *core.Service, o order, measured meter) (map[string]float64, error) {
				path := filepath.Join(o.Dir, "out.pam.json")
				defer os.Remove(path)
				before, _ := memoryNow()
				err := measured(func() error { _, err := s.ExportPAM(ctx, path, core.ExportOptions{}); return err })
				after, _ := memoryNow()
				return map[string]float64{"grown MB": float64(after-before) / 1e6}, err
			}),
		},
		goals: func(m medians) []Goal {
			return []Goal{
				{"processor time / SHA-256 (7 to write, 14 to verify)", m.ratio("sha256"), 21},
				{"memory grown by, MB", m.work.Extra["grown MB"], 64},
			}
		},
	}
}

func validating() Row {
	return onDocument("validate", 90, 64, func(ctx context.Context, s *core.Service, in core.Input) error {
		v, err := s.Validate(ctx, in)
		if err == nil && !v.Valid {
			err = fmt.Errorf("validate export: it is not valid")
		}
		return err
	})
}

func verifying() Row {
	return onDocument("verify", 14, 32, func(ctx context.Context, s *core.Service, in core.Input) error {
		v, err := s.Verify(ctx, in, nil)
		if err == nil && !v.Valid {
			err = fmt.Errorf("verify export: it does not verify")
		}
		return err
	})
}

// onDocument is a row about the finished file, without a vault.
func onDocument(name string, ratio, megabytes float64, judge func(context.Context, *core.Service, core.Input) error) Row {
	return Row{
		Name: name, Floors: []string{"sha256"}, prepare: written,
		sides: map[string]side{
			"sha256": onFile,
			work: func(ctx context.Context, o order, measured meter) (map[string]float64, error) {
				s, err := core.New(core.Config{VaultDir: filepath.Join(o.Dir, "none")})
				if err != nil {
					return nil, err
				}
				defer s.Close()
				return nil, measured(func() error { return judge(ctx, s, core.Input{Path: filepath.Join(o.Dir, fileName)}) })
			},
		},
		goals: func(m medians) []Goal {
			return []Goal{
				{"processor time / SHA-256", m.ratio("sha256"), ratio},
				{"memory without files, MB", float64(m.work.Anon) / 1e6, megabytes},
			}
		},
	}
}
