package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"keepsake/backend/core"
	"os"
	"path/filepath"
	"slices"
)

// importing reads an export into a new vault, durable and searchable; and beside that,
// without its index, which is what making it durable takes.
func importing() Row {
	return Row{
		Name: "import", Floors: []string{"inflate", "parse"}, Also: []string{"durable"}, prepare: exported,
		sides: map[string]side{
			"inflate": onExport(inflate),
			"parse":   onExport(parse),
			peer:      importPeer,
			"durable": importOf(exportName, 1, true),
			work:      importNew,
		},
		goals: func(m medians) []Goal {
			goals := []Goal{
				atMost(6.3, "processor time / inflate", m.cpu("inflate")),
				atMost(2.5, "wall / parse", m.wall("parse")),
				told("processor time / parse", m.cpu("parse")),
				told("parse / inflate, processor time", m.ratio("parse", "inflate", cpuOf)),
				m.memory(280),
				atMost(1.7, "vault and index / zip", m.work.Extra["vault / zip"]),
				atMost(0.3, "index / text of the messages", m.work.Extra["index / text"]),
				told("MB/s", m.work.Extra["MB"]/m.work.Wall.Seconds()),
			}
			return slices.Concat(goals, m.withoutIndex(), m.besidePeer())
		},
	}
}

// withoutIndex judges what it takes until an import is durable.
func (m medians) withoutIndex() []Goal {
	durable := m.of("durable")
	return []Goal{
		atMost(3.6, "without the index: processor time / inflate", m.ratio("durable", "inflate", cpuOf)).onlyIf(m.plan.gigabyte()),
		atMost(1.5, "without the index: wall / parse", m.ratio("durable", "parse", wallOf)).onlyIf(m.plan.gigabyte()),
		memoryGoal(200, "without the index: memory without files, MB", durable, durable.Anon).onlyIf(m.plan.gigabyte()),
	}
}

// importingClaude reads an export of Claude's: raw UTF-8, so that inflating it
// is a larger part of all.
func importingClaude() Row {
	return Row{
		Name: "import-claude", Floors: []string{"inflate", "parse"}, prepare: exportedClaude,
		sides: map[string]side{
			"inflate": onExport(inflate),
			"parse":   onExport(parse),
			work:      importNew,
		},
		goals: func(m medians) []Goal {
			return []Goal{
				told("processor time / inflate", m.cpu("inflate")),
				told("processor time / parse", m.cpu("parse")),
				told("wall / parse", m.wall("parse")),
				m.memory(280),
				told("MB/s", m.work.Extra["MB"]/m.work.Wall.Seconds()),
			}
		},
	}
}

const exportName = "export.zip"

func exported(_ context.Context, dir string, p Plan) error {
	truth, err := WriteExport(filepath.Join(dir, exportName), p.size())
	if err != nil {
		return err
	}
	text, err := json.Marshal(truth)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, truthName), text, 0o600)
	}
	return err
}

// truthName is where what was planted in an export is written down for the children.
const truthName = "truth.json"

// indexPerText is how large the index of a vault is by the text of the messages in it,
// 0 where nobody wrote down how much that is.
func indexPerText(dir, vault string) (float64, error) {
	text, err := os.ReadFile(filepath.Join(dir, truthName))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	var truth Truth
	if err == nil {
		err = json.Unmarshal(text, &truth)
	}
	if err != nil {
		return 0, fmt.Errorf("read what was planted: %w", err)
	}
	info, err := os.Stat(filepath.Join(vault, "index.db"))
	if err != nil {
		return 0, fmt.Errorf("look at index: %w", err)
	}
	return float64(info.Size()) / float64(truth.Text), nil
}

func exportedClaude(_ context.Context, dir string, p Plan) error {
	_, err := WriteClaude(filepath.Join(dir, exportName), p.size())
	return err
}

// onExport is a floor that goes over the export.
func onExport(fn func(path string) error) side {
	return func(_ context.Context, j *job) error {
		return j.measure(func() error { return fn(filepath.Join(j.Dir, exportName)) })
	}
}

// importingTwice reads an export and one of twice its size, to see that memory
// does not grow with what is read.
func importingTwice() Row {
	return Row{
		Name: "twice", Floors: []string{"inflate"}, Also: []string{"once"}, named: true,
		prepare: func(ctx context.Context, dir string, p Plan) error {
			if _, err := WriteExport(filepath.Join(dir, onceName), p.size()); err != nil {
				return err
			}
			p.Megabytes *= 2
			return exported(ctx, dir, p)
		},
		sides: map[string]side{
			"inflate": onExport(inflate),
			"once":    importOf(onceName, 1, false),
			work:      importOf(exportName, 2, false),
		},
		goals: func(m medians) []Goal {
			grown := m.ratio(work, "once", anonOf)
			return []Goal{
				m.memory(280),
				atMost(1.1, "memory without files / that of half the size", grown),
				told("memory of half the size, MB", anonOf(m.of("once"))/1e6),
				told("processor time / that of half the size", m.ratio(work, "once", cpuOf)),
				told("MB/s", m.work.Extra["MB"]/m.work.Wall.Seconds()),
			}
		},
	}
}

const onceName = "once.zip"

var importNew = importOf(exportName, 1, false)

// importOf imports a file that is so many times as large as the plan says, and where the
// index is for later leaves that out.
func importOf(name string, times int, later bool) side {
	return func(ctx context.Context, j *job) error {
		cfg := configOf(j.own)
		cfg.IndexLater = later
		s, err := serviceOf(ctx, cfg, true)
		if err != nil {
			return err
		}
		defer s.Close()
		path := filepath.Join(j.Dir, name)
		err = j.measure(func() error {
			report, err := read(ctx, s, path)
			if err != nil {
				return err
			}
			j.Extra["messages"] = float64(report.Messages.New)
			return s.WaitForIndex(ctx)
		})
		if err != nil {
			return err
		}
		info, err := os.Stat(path)
		if err != nil {
			return fmt.Errorf("look at export: %w", err)
		}
		size, err := sizeOf(cfg.VaultDir)
		if err != nil {
			return err
		}
		j.Extra["MB"] = float64(times * j.Plan.Megabytes)
		j.Extra["vault / zip"] = float64(size) / float64(info.Size())
		j.Extra["index / text"], err = indexPerText(j.Dir, cfg.VaultDir)
		return err
	}
}

// sizeOf is how large a vault is in bytes, without its snapshots: those have a
// limit of their own.
func sizeOf(dir string) (size int64, err error) {
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist): // a temporary file that was there a moment ago
			return nil
		case err != nil:
			return err
		case e.IsDir() && e.Name() == "snapshots":
			return fs.SkipDir
		case !e.Type().IsRegular():
			return nil
		}
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil {
			size += info.Size()
		}
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("look at vault: %w", err)
	}
	return size, nil
}

// reimporting reads a newer export in which nothing is new, and the same file
// once more.
func reimporting() Row {
	return Row{
		Name: "reimport", Floors: []string{"inflate"}, Also: []string{"same"}, prepare: importedTwice,
		sides: map[string]side{
			"inflate": onExport(inflate),
			work:      importAgain(againName),
			"same":    importAgain(exportName),
		},
		goals: func(m medians) []Goal {
			return []Goal{
				atMost(1.4, "processor time / inflate", m.cpu("inflate")),
				atMost(0.15, "the identical zip: processor time / inflate", m.ratio("same", "inflate", cpuOf)),
				atMost(0, "vault.db longer by, bytes", m.work.Extra["bytes longer"]),
				told("pages of vault.db changed (the report of the import), bytes", m.work.Extra["bytes changed"]),
			}
		},
	}
}

const againName = "again.zip"

func importedTwice(ctx context.Context, dir string, p Plan) error {
	if err := exported(ctx, dir, p); err != nil {
		return err
	}
	again := p.size()
	again.Note = "another download"
	if _, err := WriteExport(filepath.Join(dir, againName), again); err != nil {
		return err
	}
	return withVault(ctx, dir, true, func(s *core.Service) error {
		_, err := read(ctx, s, filepath.Join(dir, exportName))
		if err == nil {
			err = s.WaitForIndex(ctx)
		}
		return err
	})
}

// importAgain works on a copy of the vault: the report of an import is kept in
// it, so that the next one would find the very file known.
func importAgain(name string) side {
	return func(ctx context.Context, j *job) error {
		if err := os.CopyFS(filepath.Join(j.own, "vault"), os.DirFS(filepath.Join(j.Dir, "vault"))); err != nil {
			return fmt.Errorf("copy vault: %w", err)
		}
		s, err := service(ctx, j.own, false)
		if err != nil {
			return err
		}
		err = j.measure(func() error {
			report, err := read(ctx, s, filepath.Join(j.Dir, name))
			if n := report.Conversations.New + report.Conversations.Updated; err == nil && n > 0 {
				err = fmt.Errorf("import again: %d conversations are new", n)
			}
			return err
		})
		if err == nil {
			err = s.Close()
		}
		if err != nil {
			return err
		}
		before, err := os.ReadFile(filepath.Join(j.Dir, "vault", "vault.db"))
		if err != nil {
			return fmt.Errorf("read vault: %w", err)
		}
		after, err := os.ReadFile(filepath.Join(j.own, "vault", "vault.db"))
		j.Extra = map[string]float64{"bytes changed": float64(changed(before, after)), "bytes longer": float64(len(after) - len(before))}
		return err
	}
}

// changed counts the bytes in pages that differ.
func changed(before, after []byte) (n int) {
	const page = 4096
	for at := 0; at < len(after); at += page {
		end := min(at+page, len(after))
		if at >= len(before) || !bytes.Equal(after[at:end], before[at:min(end, len(before))]) {
			n += end - at
		}
	}
	return n
}
