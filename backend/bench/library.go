package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
	"unicode"

	"keepsake/backend/core"
	"keepsake/backend/memory"
)

// librarySide is a side whose vault is open.
type librarySide func(ctx context.Context, s *core.Service, j *job) error

// onLibrary opens the row's vault, or a copy of it, and measures nothing itself.
func onLibrary(fn librarySide) side {
	return func(ctx context.Context, j *job) error {
		return withVault(ctx, j.Dir, false, func(s *core.Service) error { return fn(ctx, s, j) })
	}
}

// onRested is onLibrary once what an unlock leaves for later is over: the proof of
// the whole set, the copy that an import left due, the index opened. The row
// "unlock" says what it takes. All of it goes on behind the door and tells nobody when
// it is over, so it is given time.
func onRested(fn librarySide) side {
	return onLibrary(func(ctx context.Context, s *core.Service, j *job) error {
		if err := settled(ctx, s); err != nil {
			return err
		}
		time.Sleep(rest)
		return fn(ctx, s, j)
	})
}

// onCopy is onRested with a copy of the row's vault: a round that changes it leaves
// the next one no longer journal, which would have a copy of the vault made meanwhile.
func onCopy(fn librarySide) side {
	return func(ctx context.Context, j *job) error {
		if err := copyLibrary(filepath.Join(j.own, "vault"), filepath.Join(j.Dir, "vault")); err != nil {
			return err
		}
		j.Dir = j.own
		return onRested(fn)(ctx, j)
	}
}

// lookingAhead measures the pre-flight, which is made while the passphrase is being
// typed.
func lookingAhead(ctx context.Context, s *core.Service, j *job) error {
	return j.measure(func() error { return s.LookAhead(ctx) })
}

// onLocked gives the row's vault locked, once it has rested long enough to be looked
// at at once.
func onLocked(fn librarySide) side {
	return func(ctx context.Context, j *job) error {
		time.Sleep(rest) // looking ahead waits until a file has settled, and that wait is no cost
		s, err := core.New(core.Config{VaultDir: filepath.Join(j.Dir, "vault"), ScratchDir: filepath.Join(j.Dir, "scratch")})
		if err != nil {
			return err
		}
		defer s.Close()
		return fn(ctx, s, j)
	}
}

// rest is longer than an unlock waits for a list and a file takes to settle.
const rest = 3 * time.Second

// unlocking measures from the keys to the first list. The key derivation of its
// vault is the cheap one for tests, so that it is not in the figure; the floor
// is the one that a vault of a person's gets here. The pre-flight is over by
// then and has a line of its own.
func unlocking() Row {
	return Row{
		Name: "unlock", Floors: []string{"kdf"}, Also: []string{"pre-flight", "later"}, prepare: library,
		sides: map[string]side{"kdf": deriveKey, "pre-flight": onLocked(lookingAhead), "later": leftForLater, work: onLocked(firstList)},
		goals: func(m medians) []Goal {
			return []Goal{
				atMost(60, "first list, ms after the key derivation", ms(m.work.Wall)),
				atMost(80, "heap, MB", m.work.Extra["heap MB"]),
				told("processor time of it, ms", ms(m.work.CPU)),
				told("pre-flight while the passphrase is typed, ms", ms(m.of("pre-flight").Wall)),
				told("processor time of what is left for later, the proof of the whole set before all, ms", ms(m.of("later").CPU)),
				told("key derivation of a new vault here, ms", ms(m.of("kdf").Wall)),
			}
		},
	}
}

// firstList goes from the keys to the first 50 rows, when the rows of all memories are
// in memory and in order.
func firstList(ctx context.Context, s *core.Service, j *job) error {
	if err := s.LookAhead(ctx); err != nil {
		return err
	}
	err := j.measure(func() error {
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
	j.Extra["heap MB"] = float64(m.HeapAlloc) / 1e6
	return err
}

// leftForLater measures what an unlock does after the first list, and goes on doing
// behind the door: what is asked for is its processor time, and rest is ample.
func leftForLater(ctx context.Context, j *job) error {
	s, err := service(ctx, j.Dir, false)
	if err != nil {
		return err
	}
	if err := errors.Join(settled(ctx, s), s.Close()); err != nil { // the copy is no part of it
		return err
	}
	if s, err = service(ctx, j.Dir, false); err != nil {
		return err
	}
	defer s.Close()
	return j.measure(func() error {
		_, err := s.Memories(ctx, core.MemoryQuery{Limit: 1})
		time.Sleep(rest)
		return err
	})
}

// listing opens the rows of all memories, which is all that a list has to open of those
// it does not show; in processes of their own it asks for pages all over the library and
// for orders not asked before, and for all memories whole, as a command may.
func listing() Row {
	return Row{
		Name: "list", Floors: []string{"aead", "rows"}, Also: []string{"pages", "whole"}, prepare: library,
		sides: map[string]side{
			"aead":  onRested(openSealed),
			"rows":  onRested(openPages),
			"pages": onRested(listPages),
			"whole": onRested(listWhole),
			work:    onLocked(firstList),
		},
		goals: func(m medians) []Goal {
			pages := m.of("pages").Extra
			return []Goal{
				atMost(2.5, "all rows, from the keys on: processor time / opening the bytes of the memories", m.cpu("aead")),
				told("all rows: wall / opening the bytes of the memories", m.wall("aead")),
				told("all rows: processor time / opening the bytes of the pages of rows", m.cpu("rows")),
				told("all memories whole: processor time / opening their bytes", m.ratio("whole", "aead", cpuOf)),
				told("bytes of the memories, MB", m.of("aead").Extra["MB"]),
				told("bytes of the pages of rows, MB", m.of("rows").Extra["MB"]),
				atMost(1, "page p95, ms", pages["page p95 ms"]),
				told("page p50, ms", pages["page p50 ms"]),
				atMost(16, "another order p50, ms", pages["order p50 ms"]),
			}
		},
	}
}

func listWhole(ctx context.Context, s *core.Service, j *job) error {
	return j.measure(func() error {
		page, err := s.Memories(ctx, core.MemoryQuery{})
		if err == nil && len(page.Items) != j.Plan.Memories {
			err = fmt.Errorf("list memories: %d instead of %d", len(page.Items), j.Plan.Memories)
		}
		return err
	})
}

func listPages(ctx context.Context, s *core.Service, j *job) error {
	var pages, orders timed
	random := rand.New(rand.NewPCG(seed, 0))
	list := func(q core.MemoryQuery) func() error {
		q.Limit = 50
		return func() error { _, err := s.Memories(ctx, q); return err }
	}
	middle := j.Plan.Memories / 2
	err := j.measure(func() error {
		if err := list(core.MemoryQuery{Offset: middle})(); err != nil {
			return err
		}
		for range 1000 {
			if err := pages.add(list(core.MemoryQuery{Offset: random.IntN(max(1, j.Plan.Memories-50))})); err != nil {
				return err
			}
		}
		for _, sort := range []string{"created", "-updated", "type", "platform", "-confidence"} {
			if err := orders.add(list(core.MemoryQuery{Offset: middle, Sort: sort})); err != nil {
				return err
			}
		}
		return nil
	})
	pages.millis("page", j.Extra)
	orders.millis("order", j.Extra)
	return err
}

// edits is how often the row edit and its floor do it. Undo reaches back 200
// changes.
const (
	edits = 400
	undos = 150
)

// editWork is how many bytes are hashed in about the time that an edit takes beside its
// flush.
const editWork = 1 << 20

func flushing(work int) side {
	return func(_ context.Context, j *job) error {
		return j.measure(func() error {
			took, err := flushes(j.Dir, edits, work)
			took.millis("flush", j.Extra)
			return err
		})
	}
}

// settled has the copy of the library made that its import left due, and its index
// opened, so that edits are measured as people meet them.
func settled(ctx context.Context, s *core.Service) error {
	if err := s.WaitForIndex(ctx); err != nil {
		return err
	}
	return s.SettleCopies(ctx)
}

// editing changes memories one after the other. Its floors flush 4 KB as often: right
// after one another, and between work as long as an edit's, which is what the goals count
// in.
func editing() Row {
	return Row{
		Name: "edit", Floors: []string{"flush", "flush between work"}, prepare: library,
		sides: map[string]side{
			"flush": flushing(0), "flush between work": flushing(editWork),
			work: onCopy(func(ctx context.Context, s *core.Service, j *job) error {
				page, err := s.Memories(ctx, core.MemoryQuery{Limit: edits})
				if err != nil {
					return err
				}
				var edited timed
				err = j.measure(func() error { return editAll(ctx, s, page.Items, &edited) })
				edited.millis("edit", j.Extra)
				j.Extra["times"] = float64(len(edited))
				return err
			}),
		},
		goals: func(m medians) []Goal {
			return []Goal{
				atMost(8, "edit p50 / flush between work p50", m.extra("flush between work", "edit p50 ms", "flush p50 ms")),
				atMost(4, "edit p95 / flush between work p95", m.extra("flush between work", "edit p95 ms", "flush p95 ms")),
				atMost(10, "edit p95, ms", m.work.Extra["edit p95 ms"]),
				told("edit p50, ms", m.work.Extra["edit p50 ms"]),
				told("processor time of an edit, ms", ms(m.work.CPU)/m.work.Extra["times"]),
				told("flush between work p50, ms", m.of("flush between work").Extra["flush p50 ms"]),
				told("flush between work p95, ms", m.of("flush between work").Extra["flush p95 ms"]),
				told("edit p50 / flush right after another p50", m.over("edit p50 ms", "flush p50 ms")),
				told("edit p95 / flush right after another p95", m.over("edit p95 ms", "flush p95 ms")),
				told("flush right after another p50, ms", m.of("flush").Extra["flush p50 ms"]),
				told("flush right after another p95, ms", m.of("flush").Extra["flush p95 ms"]),
			}
		},
	}
}

// undoing takes edits back, newest first.
func undoing() Row {
	return Row{
		Name: "undo", Floors: []string{"flush"}, prepare: library,
		sides: map[string]side{
			"flush": flushing(0),
			work: onCopy(func(ctx context.Context, s *core.Service, j *job) error {
				page, err := s.Memories(ctx, core.MemoryQuery{Limit: undos})
				if err != nil {
					return err
				}
				var edited, undone timed
				if err := editAll(ctx, s, page.Items, &edited); err != nil {
					return err
				}
				err = j.measure(func() error {
					for range edited {
						if err := undone.add(func() error { _, err := s.Undo(ctx); return err }); err != nil {
							return err
						}
					}
					return nil
				})
				undone.millis("undo", j.Extra)
				j.Extra["times"] = float64(len(edited))
				return err
			}),
		},
		goals: func(m medians) []Goal {
			return []Goal{
				told("undo p50 / flush p50", m.over("undo p50 ms", "flush p50 ms")),
				told("undo p95 / flush p95", m.over("undo p95 ms", "flush p95 ms")),
				atMost(10, "undo p95, ms", m.work.Extra["undo p95 ms"]),
			}
		},
	}
}

// over is the median of the ratios of two extra figures, the floor's below.
func (m medians) over(ours, theirs string) float64 { return m.extra(m.row.Floors[0], ours, theirs) }

// extra is over for any floor.
func (m medians) extra(floor, ours, theirs string) float64 {
	ratios := make([]float64, len(m.all[work]))
	for i, f := range m.all[work] {
		ratios[i] = f.Extra[ours] / m.all[floor][i].Extra[theirs]
	}
	return middle(ratios)
}

// editAll changes memories one after the other.
func editAll(ctx context.Context, s *core.Service, all []memory.Record, edited *timed) error {
	for i, m := range all {
		err := edited.add(func() error {
			text := fmt.Sprintf("%s (%d)", m.Content, i)
			_, err := s.EditMemory(ctx, m.ID, core.MemoryEdit{Content: &text})
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// queries are the sets of a search row, made of the words that data.go writes.
func queries(page core.MemoryPage) map[string][]string {
	sets := map[string][]string{}
	for i := 0; i+1 < len(page.Items); i += 2 {
		if pair := ideographs(page.Items[i].Content); pair != "" {
			sets["cjk"] = append(sets["cjk"], pair)
		}
		words := wordsOf(page.Items[i].Content)
		if len(words) < 6 {
			continue
		}
		a, b := words[4], words[5]
		sets["word"] = append(sets["word"], a)
		sets["two words"] = append(sets["two words"], a+" "+b)
		sets["prefix 2"] = append(sets["prefix 2"], a[:2]+"*")
		sets["prefix 4"] = append(sets["prefix 4"], a[:min(4, len(a))]+"*")
		if more := words[4:]; len(more) >= longestPhrase { // of two words, of three and of four
			size := 2 + len(sets["phrase"])%(longestPhrase-1)
			sets["phrase"] = append(sets["phrase"], `"`+strings.Join(more[:size], " ")+`"`)
		}
	}
	return sets
}

// longestPhrase is how many words are looked for side by side at most.
const longestPhrase = 4

// ideographs are the first two Chinese characters of a text, "" without.
func ideographs(text string) string {
	all := slices.DeleteFunc([]rune(text), func(r rune) bool { return !unicode.Is(unicode.Han, r) })
	if len(all) < 2 {
		return ""
	}
	return string(all[:2])
}

func wordsOf(text string) []string {
	words := strings.FieldsFunc(text, func(r rune) bool { return r < 'a' || r > 'z' })
	return slices.DeleteFunc(words, func(word string) bool { return len(word) < 2 })
}

// searching asks 200 queries of each kind. Its floor answers one of them without
// an index. A phrase is shown as it is found, so that both are told: when the first
// are there, and when all are.
func searching() Row {
	return Row{
		Name: "search", Floors: []string{"scan"}, prepare: library,
		sides: map[string]side{"scan": onLibrary(scanSealed), work: onLibrary(func(ctx context.Context, s *core.Service, j *job) error {
			if err := s.WaitForIndex(ctx); err != nil {
				return err
			}
			page, err := s.Memories(ctx, core.MemoryQuery{Limit: 400})
			if err != nil {
				return err
			}
			for name, set := range queries(page) {
				var took, first timed
				err := j.measure(func() error {
					for _, q := range set {
						began, early := time.Now(), time.Duration(0)
						ask := core.SearchQuery{Text: q, Meanwhile: func(core.SearchResult) { early = cmp.Or(early, time.Since(began)) }}
						if err := took.add(func() error { _, err := s.Search(ctx, ask); return err }); err != nil {
							return err
						}
						first = append(first, cmp.Or(early, took[len(took)-1]))
					}
					return nil
				})
				if err != nil {
					return err
				}
				took.millis(name, j.Extra)
				first.millis(name+" first", j.Extra)
			}
			return nil
		})},
		goals: func(m medians) []Goal {
			e, scan := m.work.Extra, ms(m.of("scan").Wall)
			return []Goal{
				told("one scan of everything on all cores, ms", scan),
				told("word p95 / scan", e["word p95 ms"]/scan),
				told("two words p95 / scan", e["two words p95 ms"]/scan),
				told("prefix of 2 p95 / scan", e["prefix 2 p95 ms"]/scan),
				told("prefix of 4 p95 / scan", e["prefix 4 p95 ms"]/scan),
				told("Chinese p95 / scan", e["cjk p95 ms"]/scan),
				atMost(1, "phrase p95 / scan", e["phrase p95 ms"]/scan).onlyIf(m.plan.million()),
				atMost(50, "word p95, ms", e["word p95 ms"]),
				atMost(50, "two words p95, ms", e["two words p95 ms"]),
				atMost(50, "prefix of 2 p95, ms", e["prefix 2 p95 ms"]),
				atMost(50, "prefix of 4 p95, ms", e["prefix 4 p95 ms"]),
				atMost(50, "Chinese p95, ms", e["cjk p95 ms"]),
				atMost(50, "phrase p50 until the first are shown, ms", e["phrase first p50 ms"]),
				told("phrase p95 until the first are shown, ms", e["phrase first p95 ms"]),
				told("phrase p50, ms", e["phrase p50 ms"]),
				told("phrase p95, ms", e["phrase p95 ms"]),
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
	return withVault(ctx, dir, false, func(s *core.Service) error {
		_, err := s.ExportPAM(ctx, filepath.Join(dir, fileName), core.ExportOptions{})
		return err
	})
}

func onFile(_ context.Context, j *job) error {
	path := filepath.Join(j.Dir, fileName)
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("find export: %w", err)
	}
	j.Extra["MB"] = float64(info.Size()) / 1e6
	return j.measure(func() error { return hash(path) })
}

// exporting writes and verifies; what the writing takes is the whole without a
// verification of the same bytes.
func exporting() Row {
	return Row{
		Name: "export", Floors: []string{"sha256", "verify"}, prepare: written,
		sides: map[string]side{
			"sha256": onFile,
			"verify": onRested(func(ctx context.Context, s *core.Service, j *job) error {
				return j.measure(func() error { return verified(ctx, s, core.Input{Path: filepath.Join(j.Dir, fileName)}) })
			}),
			work: onRested(func(ctx context.Context, s *core.Service, j *job) error {
				path := filepath.Join(j.Dir, "out.pam.json")
				defer os.Remove(path)
				return j.measure(func() error { _, err := s.ExportPAM(ctx, path, core.ExportOptions{}); return err })
			}),
		},
		goals: func(m medians) []Goal {
			return []Goal{
				atMost(7, "wall to write / SHA-256", m.wall("sha256")-m.ratio("verify", "sha256", wallOf)),
				told("processor time to write / SHA-256", m.cpu("sha256")-m.ratio("verify", "sha256", cpuOf)),
				atMost(21, "processor time / SHA-256 (7 to write, 14 to verify)", m.cpu("sha256")),
				told("wall / SHA-256", m.wall("sha256")),
				m.grown(64),
				told("MB/s", m.of("sha256").Extra["MB"]/m.work.Wall.Seconds()),
			}
		},
	}
}

// validating has the program of the plan beside it, where there is one.
func validating() Row {
	row := onDocument("validate", 90, 64, func(ctx context.Context, s *core.Service, in core.Input) error {
		v, err := s.Validate(ctx, in)
		if err == nil && !v.Valid {
			err = fmt.Errorf("validate export: it is not valid")
		}
		return err
	})
	row.sides[peer] = validatePeer
	goals := row.goals
	row.goals = func(m medians) []Goal {
		if !m.has(peer) {
			return goals(m)
		}
		return append(goals(m),
			atMost(0.15, "wall / the other program's", m.ratio(work, peer, wallOf)),
			told("processor time / the other program's", m.ratio(work, peer, cpuOf)))
	}
	return row
}

func verifying() Row { return onDocument("verify", 14, 32, verified) }

func verified(ctx context.Context, s *core.Service, in core.Input) error {
	v, err := s.Verify(ctx, in, nil)
	if err == nil && !v.Valid {
		err = fmt.Errorf("verify export: it does not verify")
	}
	return err
}

// onDocument is a row about the finished file, without a vault.
func onDocument(name string, ratio, megabytes float64, judge func(context.Context, *core.Service, core.Input) error) Row {
	return Row{
		Name: name, Floors: []string{"sha256"}, prepare: written,
		sides: map[string]side{
			"sha256": onFile,
			work: func(ctx context.Context, j *job) error {
				s, err := core.New(core.Config{VaultDir: filepath.Join(j.Dir, "none")})
				if err != nil {
					return err
				}
				defer s.Close()
				return j.measure(func() error { return judge(ctx, s, core.Input{Path: filepath.Join(j.Dir, fileName)}) })
			},
		},
		goals: func(m medians) []Goal {
			return []Goal{
				atMost(ratio, "processor time / SHA-256", m.cpu("sha256")),
				told("wall / SHA-256", m.wall("sha256")),
				m.memory(megabytes),
				told("MB/s", m.of("sha256").Extra["MB"]/m.work.Wall.Seconds()),
			}
		},
	}
}
