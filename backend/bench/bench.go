package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"keepsake/backend/fault"
)

// Options of Run.
type Options struct {
	Names []string // of rows; none is all
	Plan  Plan
	Dir   string // folder for what is measured on; "" is a temporary one
	// Tell is called as each row is done.
	Tell func(Answer)
}

// Answer is what a row came to.
type Answer struct {
	Row    string             `json:"row"`
	Plan   Plan               `json:"plan"`
	Floors map[string]Figures `json:"floors"`
	Work   Figures            `json:"work"`
	// Ratio is processor time over that of the first floor; 0 where there is none.
	Ratio float64 `json:"ratio"`
	Goals []Goal  `json:"goals"`
}

// Run measures rows, one after the other.
func Run(ctx context.Context, o Options) ([]Answer, error) {
	for _, name := range o.Names {
		if !slices.Contains(Names(), name) {
			return nil, fault.New(fault.Invalid, "bench-row", "There is nothing called {name} to measure.").With("name", name).
				Advise("It can be " + strings.Join(Names(), ", ") + ".")
		}
	}
	dir, err := os.MkdirTemp(o.Dir, "keepsake-bench-")
	if err != nil {
		return nil, fmt.Errorf("make folder: %w", err)
	}
	defer os.RemoveAll(dir)
	var answers []Answer
	for _, row := range rows() {
		if len(o.Names) > 0 && !slices.Contains(o.Names, row.Name) || len(o.Names) == 0 && row.named {
			continue
		}
		answer, err := row.run(ctx, filepath.Join(dir, row.Name), o.Plan)
		if err != nil {
			return answers, err
		}
		answers = append(answers, answer)
		if o.Tell != nil {
			o.Tell(answer)
		}
	}
	return answers, nil
}

func (r Row) run(ctx context.Context, dir string, p Plan) (Answer, error) {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return Answer{}, fmt.Errorf("make folder: %w", err)
	}
	defer os.RemoveAll(dir)
	if err := r.prepare(ctx, dir, p); err != nil {
		return Answer{}, err
	}
	all := map[string][]Figures{}
	for range max(1, p.Rounds) {
		for _, name := range r.turns(p) {
			f, err := spawn(ctx, order{r.Name, name, dir, p})
			if err != nil {
				return Answer{}, err
			}
			all[name] = append(all[name], f)
		}
	}
	m := r.medians(all)
	return Answer{Row: r.Name, Plan: p, Floors: m.floors, Work: m.work, Ratio: m.first(), Goals: r.goals(m)}, nil
}

// turns are the sides of one round.
func (r Row) turns(p Plan) []string {
	names := append(slices.Clone(r.Floors), work)
	if len(p.Peer) > 0 && r.sides[peer] != nil {
		names = append(names, peer)
	}
	return names
}

// medians of the rounds of a row. Ratios are medians of the ratios of each
// round, because what disturbs a round disturbs both of its sides.
type medians struct {
	row    Row
	all    map[string][]Figures
	floors map[string]Figures
	work   Figures
}

func (r Row) medians(all map[string][]Figures) medians {
	m := medians{row: r, all: all, floors: map[string]Figures{}, work: median(all[work])}
	for _, name := range r.Floors {
		m.floors[name] = median(all[name])
	}
	if len(all[peer]) > 0 {
		m.floors[peer] = median(all[peer])
	}
	return m
}

func (m medians) first() float64 {
	if len(m.row.Floors) == 0 {
		return 0
	}
	return m.ratio(m.row.Floors[0])
}

// ratio compares processor time with a floor's, wall wall time.
func (m medians) ratio(floor string) float64 {
	return m.pairs(floor, func(f Figures) time.Duration { return f.CPU })
}

func (m medians) wall(floor string) float64 {
	return m.pairs(floor, func(f Figures) time.Duration { return f.Wall })
}

func (m medians) pairs(floor string, of func(Figures) time.Duration) float64 {
	ratios := make([]float64, len(m.all[work]))
	for i := range ratios {
		ratios[i] = float64(of(m.all[work][i])) / float64(max(1, of(m.all[floor][i])))
	}
	return middle(ratios)
}

// median takes each figure's own median.
func median(all []Figures) Figures {
	pick := func(of func(Figures) float64) float64 {
		values := make([]float64, len(all))
		for i, f := range all {
			values[i] = of(f)
		}
		return middle(values)
	}
	f := Figures{
		Wall: time.Duration(pick(func(f Figures) float64 { return float64(f.Wall) })),
		CPU:  time.Duration(pick(func(f Figures) float64 { return float64(f.CPU) })),
		Anon: int64(pick(func(f Figures) float64 { return float64(f.Anon) })),
		Peak: int64(pick(func(f Figures) float64 { return float64(f.Peak) })),
	}
	for name := range all[0].Extra {
		if f.Extra == nil {
			f.Extra = map[string]float64{}
		}
		f.Extra[name] = pick(func(f Figures) float64 { return f.Extra[name] })
	}
	return f
}

// middle is the median; of two in the middle, the mean.
func middle(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// quantile is the least value that a share of all does not exceed.
func quantile(all []time.Duration, share float64) time.Duration {
	if len(all) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(all))
	at := int(share*float64(len(sorted))+0.999999) - 1
	return sorted[min(max(at, 0), len(sorted)-1)]
}
