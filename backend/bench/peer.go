package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

// peer is the side of another program that imports the same export.
const peer = "peer"

// importPeer lets the program of the plan import the export.
func importPeer(ctx context.Context, j *job) error {
	return runPeer(ctx, j, "import", filepath.Join(j.Dir, exportName), j.own)
}

// validatePeer lets it validate the finished file.
func validatePeer(ctx context.Context, j *job) error {
	return runPeer(ctx, j, "validate", filepath.Join(j.Dir, fileName))
}

// runPeer runs the program. It says itself, as JSON, what it took once it had
// started: seconds and megabytes.
func runPeer(ctx context.Context, j *job, args ...string) error {
	var said struct {
		Wall float64 `json:"wall"`
		CPU  float64 `json:"cpu"`
		Peak float64 `json:"peak_mb"`
	}
	err := j.measure(func() error {
		args := slices.Concat(j.Plan.Peer, args)
		cmd := exec.CommandContext(ctx, args[0], args[1:]...)
		cmd.Stderr = os.Stderr
		text, err := cmd.Output()
		if err != nil {
			return fmt.Errorf("run peer: %w", err)
		}
		return json.Unmarshal(text, &said)
	})
	if err == nil && (said.Wall <= 0 || said.CPU <= 0 || said.Peak <= 0) {
		err = fmt.Errorf("run peer: it does not say what it took")
	}
	j.Extra = map[string]float64{"wall s": said.Wall, "processor time s": said.CPU, "peak MB": said.Peak}
	return err
}

// ofPeer are the figures of the program instead of those of the child that
// started it.
func ofPeer(f Figures) Figures {
	return Figures{
		Wall:   time.Duration(f.Extra["wall s"] * float64(time.Second)),
		CPU:    time.Duration(f.Extra["processor time s"] * float64(time.Second)),
		Memory: true, Peak: int64(f.Extra["peak MB"] * 1e6),
	}
}

// besidePeer compares an import with the other program's, where there is one.
func (m medians) besidePeer() []Goal {
	if !m.has(peer) {
		return nil
	}
	goals := []Goal{
		atMost(0.2, "wall / the other program's", m.ratio(work, peer, wallOf)),
		atMost(0.35, "processor time / the other program's", m.ratio(work, peer, cpuOf)),
	}
	if !m.work.Memory {
		return goals
	}
	// Ours does not grow with an export, but what is mapped of the vault does.
	all, bare := m.ratio(work, peer, peakOf), middle(m.across(work, anonOf, peer, peakOf))
	return append(goals,
		atMost(0.2, "memory, files included / the other program's", all).onlyIf(!m.plan.gigabyte()),
		atMost(0.05, "memory without files / the other program's", bare).onlyIf(m.plan.gigabyte()),
	)
}
