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
	"strings"
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

// Figures are what a side took: nanoseconds and bytes.
type Figures struct {
	Wall time.Duration `json:"wall"`
	CPU  time.Duration `json:"cpu"` // user and system
	// Memory says that the system tells what memory is used; otherwise the rest
	// is zero.
	Memory bool               `json:"memory"`
	Before int64              `json:"anon_before"` // Anon when the measure began
	Anon   int64              `json:"anon"`        // peak of memory that no file stands behind
	File   int64              `json:"file"`        // peak of mapped files
	Peak   int64              `json:"peak"`        // the system's own peak of both, of the whole process
	Extra  map[string]float64 `json:"extra,omitempty"`
}

// side is one thing to measure. What it does outside of job.measure does not count.
type side func(ctx context.Context, j *job) error

// job is an order that a child carries out, with what that took.
type job struct {
	order
	Figures
	watch *watch
	own   string // a folder that is gone once the job is done
}

// do carries out the order.
func (j *job) do(ctx context.Context, do side) (err error) {
	if j.own, err = os.MkdirTemp(j.Dir, "job-"); err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	defer os.RemoveAll(j.own)
	j.Extra, j.watch = map[string]float64{}, watchMemory()
	defer j.watch.end(&j.Figures)
	return do(ctx, j)
}

// measure takes the figures of what is done inside it.
func (j *job) measure(do func() error) error {
	runtime.GC()
	j.watch.begin()
	cpu, began := processorTime(), time.Now()
	err := do()
	j.Wall += time.Since(began)
	j.CPU += processorTime() - cpu
	return err
}

// Child does what the order on in says and writes its figures to out. It is
// what the hidden command bench-child runs.
func Child(ctx context.Context, in io.Reader, out io.Writer) error {
	var o order
	if err := json.NewDecoder(in).Decode(&o); err != nil {
		return fault.New(fault.Invalid, "bench-order", "This command is only for keepsake bench.").Because(err)
	}
	for _, row := range rows() {
		if do := row.sides[o.Side]; row.Name == o.Row && do != nil {
			j := &job{order: o}
			if err := j.do(ctx, do); err != nil {
				return err
			}
			return json.NewEncoder(out).Encode(j.Figures)
		}
	}
	return fault.New(fault.Invalid, "bench-order", "This command is only for keepsake bench.")
}

// sampling is how often memory is looked at: often enough that no batch of an
// import lies between, seldom enough to cost nothing.
const sampling = 5 * time.Millisecond

// watch is the most memory used since a measure began.
type watch struct {
	mu            sync.Mutex
	before, most  usage
	stop, stopped chan struct{}
}

func watchMemory() *watch {
	w := &watch{stop: make(chan struct{}), stopped: make(chan struct{})}
	go func() {
		defer close(w.stopped)
		tick := time.NewTicker(sampling)
		defer tick.Stop()
		for {
			w.look()
			select {
			case <-tick.C:
			case <-w.stop:
				w.look()
				return
			}
		}
	}()
	return w
}

func (w *watch) look() {
	now, ok := memoryNow()
	if !ok {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.most.anon, w.most.file, w.most.peak = max(w.most.anon, now.anon), max(w.most.file, now.file), now.peak
}

// begin forgets what making ready took; a second part of a measure goes on.
func (w *watch) begin() {
	now, ok := memoryNow()
	w.mu.Lock()
	defer w.mu.Unlock()
	if ok && w.before.anon == 0 {
		w.before, w.most = now, now
	}
}

func (w *watch) end(f *Figures) {
	close(w.stop)
	<-w.stopped
	f.Memory = w.most.peak > 0
	f.Before, f.Anon, f.File, f.Peak = w.before.anon, w.most.anon, w.most.file, w.most.peak
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
			With("row", o.Row).With("side", o.Side).With("why", strings.TrimSpace(problems.String())).Because(err)
	}
	if err := json.Unmarshal(out.Bytes(), &f); err != nil {
		return f, fmt.Errorf("read figures: %w", err)
	}
	return f, nil
}

// ChildCommand is the hidden command that calls Child.
const ChildCommand = "bench-child"
