package bench

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"keepsake/backend/core"
	"keepsake/backend/importer/all"
)

// Row is one job and its floors. Adding one is a file with its sides and a line
// in rows.
type Row struct {
	Name   string
	Floors []string // sides to compare with; the first one is compared by processor time
	Also   []string // sides that are measured beside, each in a child of its own
	sides  map[string]side
	named  bool // measured only when it is named
	// prepare makes what the sides need, once, in a folder of the row's own.
	prepare func(ctx context.Context, dir string, p Plan) error
	// goals judges the medians; each is a line of the answer.
	goals func(m medians) []Goal
}

// work is the side that every row has beside its floors.
const work = "work"

// Plan says how large a run is.
type Plan struct {
	Megabytes int `json:"megabytes"` // of the export that is imported
	Memories  int `json:"memories"`  // in the vault of the other rows
	Messages  int `json:"messages"`  // in it
	Rounds    int `json:"rounds"`
	// Peer is a command that imports the same export, with the export and a
	// folder as its last arguments; none is compared where it is empty.
	Peer []string `json:"peer,omitempty"`
}

// Check says what is wrong with a plan, as a remark about wrong use.
func (p Plan) Check() error {
	if p.Megabytes < 1 || p.Memories < 1 || p.Messages < 1 || p.Rounds < 1 {
		return errors.New("sizes and rounds are at least 1")
	}
	return nil
}

// size is that of the export.
func (p Plan) size() Size { return Size{Bytes: int64(p.Megabytes) * 1e6} }

// Some goals are for one size only.
func (p Plan) gigabyte() bool { return p.Megabytes >= 1000 }
func (p Plan) million() bool  { return p.Messages >= 1_000_000 }

func rows() []Row {
	return []Row{
		importing(), importingClaude(), reimporting(), unlocking(), listing(), searching(), editing(), undoing(),
		exporting(), validating(), verifying(), asAgent(), startingShim(), embedding(), asking(), importingTwice(), importingHuge(),
	}
}

// Names lists the rows.
func Names() []string {
	var names []string
	for _, row := range rows() {
		names = append(names, row.Name)
	}
	return names
}

var passphrase = []byte("a passphrase for measuring")

// service opens the vault in dir, or makes it. Its key derivation costs next to
// nothing, so that it is in no figure.
func service(ctx context.Context, dir string, fresh bool) (*core.Service, error) {
	return serviceOf(ctx, configOf(dir), fresh)
}

func configOf(dir string) core.Config {
	return core.Config{VaultDir: filepath.Join(dir, "vault"), ScratchDir: filepath.Join(dir, "scratch"), Importers: all.Importers()}
}

func serviceOf(ctx context.Context, cfg core.Config, fresh bool) (*core.Service, error) {
	s, err := core.New(cfg)
	if err != nil {
		return nil, err
	}
	if fresh {
		_, err = s.CreateVault(ctx, passphrase, "test")
	} else {
		err = s.Unlock(ctx, passphrase)
	}
	return s, err
}

// withVault lends the vault in dir, or a new one there, and closes it.
func withVault(ctx context.Context, dir string, fresh bool, do func(s *core.Service) error) error {
	s, err := service(ctx, dir, fresh)
	if err != nil {
		return err
	}
	defer s.Close()
	return do(s)
}

func read(ctx context.Context, s *core.Service, path string) (core.ImportReport, error) {
	return s.Import(ctx, []core.Input{{Path: path}}, core.ImportOptions{}, nil)
}

// library lays a vault of the planned size, with its index, into dir. It is made
// once for all rows of a run, beside their folders, and copied from there.
func library(ctx context.Context, dir string, p Plan) error {
	made := filepath.Join(filepath.Dir(dir), fmt.Sprintf("library-%d-%d", p.Memories, p.Messages))
	if _, err := os.Stat(made); errors.Is(err, fs.ErrNotExist) {
		if err := makeLibrary(ctx, made, p); err != nil {
			return err
		}
	}
	return copyLibrary(filepath.Join(dir, "vault"), filepath.Join(made, "vault"))
}

// copyLibrary copies a vault's folder onto the disk, so that no measure waits for it.
func copyLibrary(to, from string) error {
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		return fmt.Errorf("copy library: %w", err)
	}
	err := filepath.WalkDir(to, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			return err
		}
		return errors.Join(f.Sync(), f.Close())
	})
	if err != nil {
		return fmt.Errorf("copy library: %w", err)
	}
	return nil
}

func makeLibrary(ctx context.Context, dir string, p Plan) error {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return fmt.Errorf("make library: %w", err)
	}
	path := filepath.Join(dir, "library.zip")
	truth, err := WriteExport(path, Size{Messages: p.Messages, Memories: p.Memories, Long: true})
	if err != nil {
		return err
	}
	defer os.Remove(path)
	return withVault(ctx, dir, true, func(s *core.Service) error {
		report, err := read(ctx, s, path)
		if err == nil && (report.Conversations.New != truth.Conversations || report.Memories.New != truth.Memories) {
			err = fmt.Errorf("make library: %d conversations and %d memories instead of %d and %d",
				report.Conversations.New, report.Memories.New, truth.Conversations, truth.Memories)
		}
		if err == nil {
			err = s.WaitForIndex(ctx)
		}
		return err
	})
}

// timed collects how long each of many small things takes.
type timed []time.Duration

func (t *timed) add(fn func() error) error {
	began := time.Now()
	err := fn()
	*t = append(*t, time.Since(began))
	return err
}

// millis puts percentiles into extra figures.
func (t timed) millis(name string, extra map[string]float64) {
	extra[name+" p50 ms"] = ms(quantile(t, 0.5))
	extra[name+" p95 ms"] = ms(quantile(t, 0.95))
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
