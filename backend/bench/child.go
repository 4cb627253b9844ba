package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"time"

	"keepsake/backend/fault"
)

// order is what a child is asked to do.
type order struct {
	Row  string `json:"row"`
	Side string `json:"side"` // of the row's sides
	Dir  string `json:"dir"`  // the row's folder; what Prepare made is in it
	Plan Plan   `json:"plan"`
}

// Figures are what a side took. Memory is zero where the system does not tell.
type Figures struct {
	Wall  time.Duration      `json:"wall"`
	CPU   time.Duration      `json:"cpu"`  // user and system
	Anon  int64              `json:"anon"` // peak of memory that no file stands behind, bytes
	Peak  int64              `json:"peak"` // of all, mapped files included
	Extra map[string]float64 `json:"extra,omitempty"`
}

// side is one thing to measure. What it does before it calls measured does not
// count.
type side func(ctx context.Context, o order, measured meter) (map[string]float64, error)

// meter measures what is done inside it.
type meter func(func() error) error

// Child does what the order on in says and writes its figures to out. It is
// what the hidden command bench-child runs.
func Child(ctx context.Context, in io.Reader, out io.Writer) error {
	var o order
	if err := json.NewDecoder(in).Decode(&o); err != nil {
		return fault.New(fault.Invalid, "bench-order", "This command is only for keepsake bench.").Because(err)
	}
	for _, row := range rows() {
		if do := row.sides[o.Side]; row.Name == o.Row && do != nil {
			f, err := take(ctx, o, do)
			if err != nil {
				return err
			}
			return json.NewEncoder(out).Encode(f)
		}
	}
	return fault.New(fault.Invalid, "bench-order", "This command is only for keepsake bench.")
}

func take(ctx context.Context, o order, do side) (Figures, error) {
	var f Figures
	watch := watchMemory()
	measured := func(fn func() error) error {
		runtime.GC()
		cpu, began := processorTime(), time.Now()
		err := fn()
		f.Wall += time.Since(began)
		f.CPU += processorTime() - cpu
		return err
	}
	var err error
	f.Extra, err = do(ctx, o, measured)
	f.Anon, f.Peak = watch()
	return f, err
}

// watchMemory samples until what it returns is called.
func watchMemory() func() (anon, peak int64) {
	stop := make(chan struct{})
	var most int64
	var wg sync.WaitGroup
	wg.Go(func() {
		for tick := time.NewTicker(5 * time.Millisecond); ; {
			anon, _ := memoryNow()
			most = max(most, anon)
			select {
			case <-tick.C:
			case <-stop:
				return
			}
		}
	})
	return func() (int64, int64) {
		close(stop)
		wg.Wait()
		_, peak := memoryNow()
		return most, peak
	}
}

// spawn runs a side in a child process.
func spawn(ctx context.Context, o order) (Figures, error) {
	var f Figures
	self, err := os.Executable()
	if err != nil {
		return f, fmt.Errorf("find program: %w", err)
	}
	text, err := json.Marshal(o)
	if err != nil {
		return f, fmt.Errorf("write order: %w", err)
	}
	var out, problems bytes.Buffer
	cmd := exec.CommandContext(ctx, self, ChildCommand)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(text), &out, &problems
	if err := cmd.Run(); err != nil {
		return f, fault.New(fault.Internal, "bench-child", "The measure {row} ({side}) failed: {why}").
			With("row", o.Row).With("side", o.Side).With("why", problems.String()).Because(err)
	}
	if err := json.Unmarshal(out.Bytes(), &f); err != nil {
		return f, fmt.Errorf("read figures: %w", err)
	}
	return f, nil
}

// ChildCommand is the hidden command that calls Child.
const ChildCommand = "bench-child"
