//go:build unix

package intake_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Every hostile file is done with within these (security.md §4.1).
const (
	mostTime   = 2 * time.Second // of the processor
	mostMemory = 512 << 20       // bytes, resident, at the highest
)

// outcome is what became of a hostile file and what that took.
type outcome struct {
	Fate, Failed string
	Time         time.Duration // of the processor
	Peak         int64         // bytes, resident; of the process, in the last of all
}

// corpusDir says to the test process that it is the one that is measured.
const corpusDir = "KEEPSAKE_TEST_CORPUS"

// TestHostileCorpus opens every hostile file in a process of its own, whose time
// and memory are measured, and holds each to its label.
func TestHostileCorpus(t *testing.T) {
	if dir := os.Getenv(corpusDir); dir != "" {
		suffer(t, dir)
		return
	}
	all, dir := corpus(t), t.TempDir()
	if len(all) < 100 {
		t.Errorf("%d hostile files", len(all))
	}
	plant(t, dir, all)
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestHostileCorpus$", "-test.count=1")
	child.Env = append(os.Environ(), corpusDir+"="+dir)
	if out, err := child.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var outcomes []outcome
	load(t, filepath.Join(dir, "outcomes.json"), &outcomes)
	slowest := 0
	if len(outcomes) != len(all)+1 {
		t.Fatalf("%d outcomes of %d", len(outcomes), len(all))
	}
	for i, h := range all {
		if o := outcomes[i]; o.Fate != h.Fate || o.Failed != "" || o.Time > mostTime {
			t.Errorf("%s: %s %s after %v, want %s", h.Name, o.Fate, o.Failed, o.Time, h.Fate)
		}
		if outcomes[i].Time > outcomes[slowest].Time {
			slowest = i
		}
	}
	peak := outcomes[len(all)].Peak
	if peak > mostMemory || peak == 0 {
		t.Errorf("%d MiB at the highest", peak>>20)
	}
	t.Logf("%d hostile files; the slowest (%s) took %v of the processor; %d MiB at the highest",
		len(all), all[slowest].Name, outcomes[slowest].Time.Round(time.Millisecond), peak>>20)
}

// suffer is the process that is measured.
func suffer(t *testing.T, dir string) {
	var all []hostile
	load(t, filepath.Join(dir, "list.json"), &all)
	outcomes := make([]outcome, len(all))
	for i, h := range all {
		before := spent(t)
		fate, err := fateOf(t.Context(), filepath.Join(dir, fmt.Sprint(i), h.File), h.Limits, dir)
		outcomes[i] = outcome{Fate: fate, Time: spent(t) - before}
		if err != nil {
			outcomes[i].Failed = err.Error()
		}
	}
	outcomes = append(outcomes, outcome{Peak: peak(t)})
	list, err := json.Marshal(outcomes)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "outcomes.json"), list, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func load(t *testing.T, path string, into any) {
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// spent is what this process has taken of the processor.
func spent(t *testing.T) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// peak is the highest resident memory of this process, in bytes. What the system
// accounts counts the one that started it as well on Linux, which says it apart.
func peak(t *testing.T) int64 {
	if runtime.GOOS == "linux" {
		status, err := os.ReadFile("/proc/self/status")
		if err != nil {
			t.Fatal(err)
		}
		_, line, _ := strings.Cut(string(status), "VmHWM:")
		var kib int64
		if _, err := fmt.Sscanf(line, "%d kB", &kib); err != nil {
			t.Fatal(err)
		}
		return kib << 10
	}
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return u.Maxrss
}
