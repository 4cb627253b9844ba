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
	"keepsake/backend/product"
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
	Row  string  `json:"row"`
	Plan Plan    `json:"plan"`
	Work Figures `json:"work"` // the middle of each figure over the rounds
	// Floors are what the work is compared with, Sides what was measured beside it.
	Floors map[string]Figures `json:"floors"`
	Sides  map[string]Figures `json:"sides,omitempty"`
	Ratios map[string]Ratio   `json:"ratios"` // by floor
	// Ratio is the processor time over that of the first floor; 0 where there is none.
	Ratio float64 `json:"ratio"`
	Goals []Goal  `json:"goals"`
}

// Ratio is work over floor, of the rounds.
type Ratio struct {
	CPU  Spread `json:"cpu"`
	Wall Spread `json:"wall"`
}

// Spread of a figure over the rounds.
type Spread struct {
	Min    float64 `json:"min"`
	Median float64 `json:"median"`
	Max    float64 `json:"max"`
}

// Run measures rows, one after the other.
func Run(ctx context.Context, o Options) ([]Answer, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(o.Dir, product.Program+"-bench-")
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

func (o Options) check() error {
	for _, name := range o.Names {
		if !slices.Contains(Names(), name) {
			return fault.New(fault.Invalid, "bench-row", "There is nothing called {name} to measure.").With("name", name).
				Advise("It can be " + strings.Join(Names(), ", ") + ".")
		}
	}
	return o.Plan.Check()
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
	for range p.Rounds {
		for _, name := range r.turns(p) {
			f, err := spawn(ctx, order{r.Name, name, dir, p})
			if err != nil {
				return Answer{}, err
			}
			if name == peer {
				f = ofPeer(f)
			}
			all[name] = append(all[name], f)
		}
	}
	return r.answer(p, all), nil
}

// turns are the sides of one round.
func (r Row) turns(p Plan) []string {
	names := slices.Concat(r.Floors, []string{work}, r.Also)
	if len(p.Peer) > 0 && r.sides[peer] != nil {
		names = append(names, peer)
	}
	return names
}

func (r Row) answer(p Plan, all map[string][]Figures) Answer {
	m := r.medians(all)
	m.plan = p
	a := Answer{Row: r.Name, Plan: p, Work: m.work, Floors: map[string]Figures{}, Ratios: map[string]Ratio{}, Ratio: m.first(), Goals: r.goals(m)}
	for name := range all {
		switch {
		case slices.Contains(r.Floors, name):
			a.Floors[name] = m.of(name)
			a.Ratios[name] = Ratio{CPU: spread(m.pairs(work, name, cpuOf)), Wall: spread(m.pairs(work, name, wallOf))}
		case name != work:
			if a.Sides == nil {
				a.Sides = map[string]Figures{}
			}
			a.Sides[name] = m.of(name)
		}
	}
	return a
}

// medians of the rounds of a row. Ratios are medians of the ratios of each
// round, because what disturbs a round disturbs both of its sides.
type medians struct {
	row  Row
	plan Plan
	all  map[string][]Figures
	work Figures
}

func (r Row) medians(all map[string][]Figures) medians {
	return medians{row: r, all: all, work: median(all[work])}
}

func (m medians) of(name string) Figures { return median(m.all[name]) }

func (m medians) has(name string) bool { return len(m.all[name]) > 0 }

func (m medians) first() float64 {
	if len(m.row.Floors) == 0 {
		return 0
	}
	return m.cpu(m.row.Floors[0])
}

func (m medians) cpu(floor string) float64 { return m.ratio(work, floor, cpuOf) }

func (m medians) wall(floor string) float64 { return m.ratio(work, floor, wallOf) }

func (m medians) ratio(over, under string, of func(Figures) float64) float64 {
	return middle(m.pairs(over, under, of))
}

func (m medians) pairs(over, under string, of func(Figures) float64) []float64 {
	return m.across(over, of, under, of)
}

// across is pairs of two figures.
func (m medians) across(over string, of func(Figures) float64, under string, by func(Figures) float64) []float64 {
	ratios := make([]float64, len(m.all[over]))
	for i := range ratios {
		ratios[i] = of(m.all[over][i]) / max(1, by(m.all[under][i]))
	}
	return ratios
}

// cpuOf counts less than the step of the clock as one step: a ratio is no infinity.
func cpuOf(f Figures) float64 { return float64(max(f.CPU, cpuStep)) }

func wallOf(f Figures) float64 { return float64(f.Wall) }

func anonOf(f Figures) float64 { return float64(f.Anon) }

func peakOf(f Figures) float64 { return float64(f.Peak) }

func spread(values []float64) Spread {
	if len(values) == 0 {
		return Spread{}
	}
	return Spread{Min: slices.Min(values), Median: middle(values), Max: slices.Max(values)}
}

// median takes each figure's own median.
func median(all []Figures) Figures {
	if len(all) == 0 {
		return Figures{}
	}
	pick := func(of func(Figures) float64) float64 {
		values := make([]float64, len(all))
		for i, f := range all {
			values[i] = of(f)
		}
		return middle(values)
	}
	f := Figures{
		Wall:   time.Duration(pick(wallOf)),
		CPU:    time.Duration(pick(cpuOf)),
		Anon:   int64(pick(anonOf)),
		Before: int64(pick(func(f Figures) float64 { return float64(f.Before) })),
		File:   int64(pick(func(f Figures) float64 { return float64(f.File) })),
		Peak:   int64(pick(peakOf)),
		Memory: all[0].Memory,
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
