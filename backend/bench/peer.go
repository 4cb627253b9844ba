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

// importPeer runs the program of the plan. It says itself, as JSON, what it
// took once it had started: seconds and megabytes.
func importPeer(ctx context.Context, o order, measured meter) (map[string]float64, error) {
	out, err := os.MkdirTemp(o.Dir, "peer")
	if err != nil {
		return nil, fmt.Errorf("make folder: %w", err)
	}
	defer os.RemoveAll(out)
	var said struct {
		Wall float64 `json:"wall"`
		CPU  float64 `json:"cpu"`
		Peak float64 `json:"peak_mb"`
	}
	err = measured(func() error {
		args := append(slices.Clone(o.Plan.Peer), filepath.Join(o.Dir, exportName), out)
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
	return map[string]float64{"wall s": said.Wall, "processor time s": said.CPU, "peak MB": said.Peak}, err
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

// besidePeer compares with the other program, where there is one.
func (m medians) besidePeer() []Goal {
	if !m.has(peer) {
		return nil
	}
	goals := []Goal{
		atMost(0.2, "wall / the other program's", m.ratio(work, peer, wallOf)),
		atMost(0.35, "processor time / the other program's", m.ratio(work, peer, cpuOf)),
	}
	if m.work.Memory {
		goals = append(goals, atMost(0.2, "memory, files included / the other program's", m.ratio(work, peer, func(f Figures) float64 { return float64(f.Peak) })))
	}
	return goals
}
